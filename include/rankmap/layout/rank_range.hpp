// SPDX-License-Identifier: MIT
// Ranks, and groups of ranks, by index without a list of them, as on a node, a rail or a mesh.
#ifndef RANKMAP_LAYOUT_RANK_RANGE_HPP
#define RANKMAP_LAYOUT_RANK_RANGE_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0 {

/// A sized random-access range of what `Source` computes, a small type with `int size() const` and
/// `operator[](int) const`. No allocation; iterators outlive it, but not what the source points to.
template <class Source>
class RankRange {
 public:
  using iterator = detail::IndexIterator<Source, int>;
  using const_iterator = iterator;
  using value_type = typename iterator::value_type;

  /// Of what `make()` returns, which is never copied: small stores that are read back in one piece
  /// cost more than the arithmetic of a group.
  template <class Make>
  requires requires(const Make& make) { make(); }
  RANKMAP_HD constexpr explicit RankRange(const Make& make)
      : source_(make()), size_(source_.size()) {}
  RANKMAP_HD_OF_ANY constexpr explicit RankRange(const Source& source)
      : source_(source), size_(source.size()) {}

  RANKMAP_HD constexpr std::size_t size() const { return static_cast<std::size_t>(size_); }
  RANKMAP_HD constexpr bool empty() const { return size_ == 0; }
  /// Precondition: i < size().
  RANKMAP_HD_OF_ANY constexpr value_type operator[](std::size_t i) const {
    return source_[static_cast<int>(i)];
  }
  /// Precondition: !empty().
  RANKMAP_HD_OF_ANY constexpr value_type front() const { return source_[0]; }
  RANKMAP_HD_OF_ANY constexpr value_type back() const { return source_[size_ - 1]; }
  RANKMAP_HD constexpr iterator begin() const { return {source_, 0}; }
  RANKMAP_HD constexpr iterator end() const { return {source_, static_cast<std::uint64_t>(size_)}; }

 private:
  Source source_;
  int size_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAYOUT_RANK_RANGE_HPP
