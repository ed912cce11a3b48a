// SPDX-License-Identifier: MIT
// Every n-th index of a data set: the form of shares, slices and batches.
#ifndef RANKMAP_SAMPLER_STRIDED_INDICES_HPP
#define RANKMAP_SAMPLER_STRIDED_INDICES_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// The largest data set: iterators measure distances in a signed 64-bit number.
inline constexpr std::uint64_t largest_dataset = 0x7fff'ffff'ffff'ffffU;

namespace detail {
/// Of `count` elements from the k-th on, how many there are among `size`.
RANKMAP_HD constexpr std::uint64_t count_within(std::uint64_t k, std::uint64_t count,
                                                std::uint64_t size) noexcept {
  const std::uint64_t left = k < size ? size - k : 0;
  return count < left ? count : left;
}
}  // namespace detail

/// An arithmetic progression of positions that wraps at the end of the data set. A random access
/// range of std::uint64_t.
class StridedIndices {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<StridedIndices>;

  /// No positions.
  constexpr StridedIndices() = default;
  /// `count` positions first, first + stride, ... taken modulo `dataset_size`. Preconditions:
  /// dataset_size > 0 where count > 0, stride > 0, and first + count * stride < 2^64.
  RANKMAP_HD constexpr StridedIndices(std::uint64_t dataset_size, std::uint64_t first,
                                      std::uint64_t stride, std::uint64_t count) noexcept
      : dataset_size_(dataset_size), first_(first), stride_(stride), count_(count) {}

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return count_; }
  RANKMAP_HD constexpr bool empty() const noexcept { return count_ == 0; }

  /// The k-th position, in [0, dataset_size). Precondition: k < size(). O(1), without a division
  /// except for padding.
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t k) const noexcept {
    const std::uint64_t unwrapped = first_ + k * stride_;
    return unwrapped < dataset_size_ ? unwrapped : unwrapped % dataset_size_;
  }

  /// Whether the k-th position is padding: it wrapped to the head of the data set, where another
  /// share, or this one, has it already. Metrics must not count it. Precondition: k < size().
  RANKMAP_HD constexpr bool is_padding(std::uint64_t k) const noexcept {
    return first_ + k * stride_ >= dataset_size_;
  }

  /// How many of the positions are not padding. They come first.
  RANKMAP_HD constexpr std::uint64_t real_size() const noexcept {
    if (count_ == 0 || first_ >= dataset_size_) return 0;
    const std::uint64_t real = (dataset_size_ - first_ - 1) / stride_ + 1;
    return real < count_ ? real : count_;
  }

  /// At most `count` positions from the k-th on; fewer, or none, at the end.
  RANKMAP_HD constexpr StridedIndices slice(std::uint64_t k, std::uint64_t count) const noexcept {
    if (k >= count_) return {dataset_size_, 0, 1, 0};
    return {dataset_size_, first_ + k * stride_, stride_, detail::count_within(k, count, count_)};
  }

  /// Position k is `first() + k * stride()`, modulo the size of the data set.
  RANKMAP_HD constexpr std::uint64_t first() const noexcept { return first_; }
  RANKMAP_HD constexpr std::uint64_t stride() const noexcept { return stride_; }

  RANKMAP_HD constexpr iterator begin() const noexcept { return {*this, 0}; }
  RANKMAP_HD constexpr iterator end() const noexcept { return {*this, count_}; }

  friend constexpr bool operator==(const StridedIndices&, const StridedIndices&) = default;

 private:
  std::uint64_t dataset_size_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t count_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_STRIDED_INDICES_HPP
