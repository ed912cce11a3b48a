// SPDX-License-Identifier: MIT
// The iterator of every range that is a size and an operator[]. It holds a copy of the range, so it
// stays valid after the range is gone. Even where its reference is a value, it calls itself random
// access, for the algorithms from before C++20: with an input iterator std::lower_bound takes a
// step for each place, and a vector of a range grows element by element. <array> is the cheapest
// header that has the tag with every standard library.
#ifndef RANKMAP_DETAIL_INDEX_ITERATOR_HPP
#define RANKMAP_DETAIL_INDEX_ITERATOR_HPP

#include <rankmap/version.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace rankmap::inline v0::detail {

template <class T>
const T& some();  // never defined: for decltype

/// `View` is a small value with `operator[](Index) const`. Two iterators compare by place alone;
/// comparing iterators of different ranges has no meaning.
template <class View, class Index = std::uint64_t>
class IndexIterator {
  using Self = IndexIterator;

 public:
  using reference = decltype(some<View>()[Index{}]);
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::int64_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  constexpr IndexIterator() = default;
  RANKMAP_HD constexpr IndexIterator(const View& view, std::uint64_t place)
      : view_(view), place_(place) {}

  RANKMAP_HD_OF_ANY constexpr reference operator*() const {
    return view_[static_cast<Index>(place_)];
  }
  /// Only where `reference` is a C++ reference.
  constexpr auto* operator->() const requires std::is_reference_v<reference> { return &**this; }
  RANKMAP_HD_OF_ANY constexpr reference operator[](std::int64_t step) const {
    return view_[static_cast<Index>(place_ + static_cast<std::uint64_t>(step))];
  }

  RANKMAP_HD constexpr Self& operator+=(std::int64_t step) {
    place_ += static_cast<std::uint64_t>(step);
    return *this;
  }
  RANKMAP_HD constexpr Self& operator-=(std::int64_t step) {
    place_ -= static_cast<std::uint64_t>(step);
    return *this;
  }
  RANKMAP_HD constexpr Self& operator++() { return *this += 1; }
  RANKMAP_HD constexpr Self& operator--() { return *this -= 1; }
  RANKMAP_HD constexpr Self operator++(int) { return ++*this - 1; }
  RANKMAP_HD constexpr Self operator--(int) { return --*this + 1; }
  RANKMAP_HD friend constexpr Self operator+(Self it, std::int64_t step) { return it += step; }
  RANKMAP_HD friend constexpr Self operator+(std::int64_t step, Self it) { return it += step; }
  RANKMAP_HD friend constexpr Self operator-(Self it, std::int64_t step) { return it -= step; }
  RANKMAP_HD friend constexpr std::int64_t operator-(const Self& a, const Self& b) {
    return static_cast<std::int64_t>(a.place_ - b.place_);
  }

  RANKMAP_HD friend constexpr bool operator==(const Self& a, const Self& b) {
    return a.place_ == b.place_;
  }
  RANKMAP_HD friend constexpr bool operator<(const Self& a, const Self& b) {
    return a.place_ < b.place_;
  }
  RANKMAP_HD friend constexpr bool operator>(const Self& a, const Self& b) { return b < a; }
  RANKMAP_HD friend constexpr bool operator<=(const Self& a, const Self& b) { return !(b < a); }
  RANKMAP_HD friend constexpr bool operator>=(const Self& a, const Self& b) { return !(a < b); }

 private:
  View view_{};
  std::uint64_t place_ = 0;
};

/// The elements of a range by reference, so that iterators do not copy the range.
template <class Range>
struct ElementsOf {
  const Range* range = nullptr;
  constexpr decltype(auto) operator[](auto k) const { return (*range)[k]; }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_INDEX_ITERATOR_HPP
