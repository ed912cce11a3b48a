// SPDX-License-Identifier: MIT
// A list in place: an identity keeps its other records and warnings in such lists.
#ifndef RANKMAP_IDENTITY_DETAIL_SHORT_LIST_HPP
#define RANKMAP_IDENTITY_DETAIL_SHORT_LIST_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// At most `Capacity` items, without allocation. Further items are dropped.
template <class T, std::size_t Capacity>
class ShortList {
 public:
  RANKMAP_RARE constexpr void add(const T& item) {
    if (size_ != Capacity) items_[size_++] = item;
  }
  constexpr const T* data() const { return items_; }
  constexpr std::size_t size() const { return size_; }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size_; }

  friend constexpr bool operator==(const ShortList& a, const ShortList& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.items_[i] == b.items_[i])) return false;
    }
    return true;
  }

 private:
  T items_[Capacity] = {};
  std::size_t size_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_SHORT_LIST_HPP
