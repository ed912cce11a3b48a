// SPDX-License-Identifier: MIT
//
// The lists that a topology keeps in place.
#ifndef RANKMAP_TOPOLOGY_DETAIL_SHORT_LIST_HPP
#define RANKMAP_TOPOLOGY_DETAIL_SHORT_LIST_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// A short list in place; what does not fit is left out.
template <class T, std::size_t Capacity>
class ShortList {
 public:
  constexpr void add(const T& item) {
    if (size_ != Capacity) items_[size_++] = item;
  }
  constexpr const T* begin() const { return items_; }
  constexpr const T* end() const { return items_ + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  T items_[Capacity] = {};
  std::size_t size_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_SHORT_LIST_HPP
