// SPDX-License-Identifier: MIT
//
// Ranks, and groups of ranks, by index without a list of them: what ranks_on, rail, leaders and the
// groups of a mesh are. The iterator names no iterator_category: a type without one is a C++20
// random access iterator by its operations alone, and <iterator> costs as much to include as all
// the arithmetic here.
#ifndef RANKMAP_DETAIL_RANK_RANGE_HPP
#define RANKMAP_DETAIL_RANK_RANGE_HPP

#include <rankmap/version.hpp>

#include <compare>
#include <cstddef>

namespace rankmap::inline v0::detail {

template <class T>
const T& some();  // never defined: for decltype

/// A sized random-access range of what `Source` computes, a small copyable type with
/// `int size() const` and `operator[](int) const`. No allocation; iterators carry the source, so
/// they outlive the range, but not what the source points to.
template <class Source>
class RankRange {
 public:
  using value_type = decltype(some<Source>()[0]);

  class iterator {
   public:
    using value_type = RankRange::value_type;
    using difference_type = std::ptrdiff_t;

    constexpr iterator() = default;
    RANKMAP_HD constexpr iterator(const Source& source, std::ptrdiff_t index)
        : source_(source), index_(index) {}

    RANKMAP_HD constexpr value_type operator*() const { return source_[static_cast<int>(index_)]; }
    RANKMAP_HD constexpr value_type operator[](difference_type n) const {
      return source_[static_cast<int>(index_ + n)];
    }
    RANKMAP_HD constexpr iterator& operator+=(difference_type n) {
      index_ += n;
      return *this;
    }
    RANKMAP_HD constexpr iterator& operator-=(difference_type n) {
      index_ -= n;
      return *this;
    }
    RANKMAP_HD constexpr iterator& operator++() { return *this += 1; }
    RANKMAP_HD constexpr iterator& operator--() { return *this -= 1; }
    RANKMAP_HD constexpr iterator operator++(int) {
      iterator old = *this;
      ++index_;
      return old;
    }
    RANKMAP_HD constexpr iterator operator--(int) {
      iterator old = *this;
      --index_;
      return old;
    }
    RANKMAP_HD friend constexpr iterator operator+(iterator it, difference_type n) {
      return it += n;
    }
    RANKMAP_HD friend constexpr iterator operator+(difference_type n, iterator it) {
      return it += n;
    }
    RANKMAP_HD friend constexpr iterator operator-(iterator it, difference_type n) {
      return it -= n;
    }
    RANKMAP_HD friend constexpr difference_type operator-(const iterator& a, const iterator& b) {
      return a.index_ - b.index_;
    }
    RANKMAP_HD friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.index_ == b.index_;
    }
    RANKMAP_HD friend constexpr std::strong_ordering operator<=>(const iterator& a,
                                                                 const iterator& b) {
      return a.index_ <=> b.index_;
    }

   private:
    Source source_{};
    std::ptrdiff_t index_ = 0;
  };
  using const_iterator = iterator;

  /// Of what `make()` returns, which is never copied: small stores that are read back in one piece
  /// cost more than the arithmetic of a group.
  template <class Make>
  requires requires(const Make& make) { make(); }
  RANKMAP_HD constexpr explicit RankRange(const Make& make)
      : source_(make()), size_(source_.size()) {}
  RANKMAP_HD constexpr explicit RankRange(const Source& source)
      : source_(source), size_(source.size()) {}

  RANKMAP_HD constexpr std::size_t size() const { return static_cast<std::size_t>(size_); }
  RANKMAP_HD constexpr bool empty() const { return size_ == 0; }
  /// Precondition: i < size().
  RANKMAP_HD constexpr value_type operator[](std::size_t i) const {
    return source_[static_cast<int>(i)];
  }
  /// Precondition: !empty().
  RANKMAP_HD constexpr value_type front() const { return source_[0]; }
  RANKMAP_HD constexpr value_type back() const { return source_[size_ - 1]; }
  RANKMAP_HD constexpr iterator begin() const { return {source_, 0}; }
  RANKMAP_HD constexpr iterator end() const { return {source_, size_}; }

 private:
  Source source_;
  int size_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_RANK_RANGE_HPP
