// SPDX-License-Identifier: MIT
//
// Ranks by index without a list of them: what ranks_on, rail and leaders return.
#ifndef RANKMAP_DETAIL_RANK_RANGE_HPP
#define RANKMAP_DETAIL_RANK_RANGE_HPP

#include <rankmap/version.hpp>

#include <compare>
#include <cstddef>
#include <string_view>  // for the iterator tags: <iterator> itself would cost twice as much

namespace rankmap::inline v0::detail {

/// A sized random-access range of ints computed by `Source`, a small copyable type with
/// `int size() const` and `int operator[](int) const`. No allocation; iterators carry the source,
/// so they outlive the range, but not what the source points to.
template <class Source>
class RankRange {
 public:
  class iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // it gives values, not references
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = int;

    constexpr iterator() = default;
    constexpr iterator(const Source& source, std::ptrdiff_t index)
        : source_(source), index_(index) {}

    constexpr int operator*() const { return source_[static_cast<int>(index_)]; }
    constexpr int operator[](difference_type n) const {
      return source_[static_cast<int>(index_ + n)];
    }
    constexpr iterator& operator+=(difference_type n) {
      index_ += n;
      return *this;
    }
    constexpr iterator& operator-=(difference_type n) {
      index_ -= n;
      return *this;
    }
    constexpr iterator& operator++() { return *this += 1; }
    constexpr iterator& operator--() { return *this -= 1; }
    constexpr iterator operator++(int) {
      iterator old = *this;
      ++index_;
      return old;
    }
    constexpr iterator operator--(int) {
      iterator old = *this;
      --index_;
      return old;
    }
    friend constexpr iterator operator+(iterator it, difference_type n) { return it += n; }
    friend constexpr iterator operator+(difference_type n, iterator it) { return it += n; }
    friend constexpr iterator operator-(iterator it, difference_type n) { return it -= n; }
    friend constexpr difference_type operator-(const iterator& a, const iterator& b) {
      return a.index_ - b.index_;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.index_ == b.index_;
    }
    friend constexpr std::strong_ordering operator<=>(const iterator& a, const iterator& b) {
      return a.index_ <=> b.index_;
    }

   private:
    Source source_{};
    std::ptrdiff_t index_ = 0;
  };
  using const_iterator = iterator;
  using value_type = int;

  constexpr explicit RankRange(const Source& source) : source_(source), size_(source.size()) {}

  constexpr std::size_t size() const { return static_cast<std::size_t>(size_); }
  constexpr bool empty() const { return size_ == 0; }
  /// Precondition: i < size().
  constexpr int operator[](std::size_t i) const { return source_[static_cast<int>(i)]; }
  /// Precondition: !empty().
  constexpr int front() const { return source_[0]; }
  constexpr int back() const { return source_[size_ - 1]; }
  constexpr iterator begin() const { return {source_, 0}; }
  constexpr iterator end() const { return {source_, size_}; }

 private:
  Source source_;
  int size_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RANK_RANGE_HPP
