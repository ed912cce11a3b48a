// SPDX-License-Identifier: MIT
// What an order of samples is, and the two simplest ones. A type of your own that meets the concept
// works with epochs, batches, workers of a loader, saved state and pictures.
#ifndef RANKMAP_SAMPLER_SAMPLE_ORDER_HPP
#define RANKMAP_SAMPLER_SAMPLE_ORDER_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <type_traits>

namespace rankmap::inline v0 {

namespace detail {
template <class T, class U>
concept SameAs = std::is_same_v<T, U>;
}  // namespace detail

/// An order of samples: `size()` is the number of places, `order[place]` the sample at a place.
/// Both are of type std::uint64_t. T{} is an order of no samples. An Epoch needs no more. Three
/// optional members add to it:
///
///     std::uint64_t index_of(std::uint64_t sample) const;  // for Epoch::owner_of
///     void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
///               std::uint64_t stride) const;               // for a fast Epoch::fill
///     SavedOrder saved_as() const;                         // for Epoch::state_after, resume_at
///
/// `fill` writes `count` samples to `out`: those at the places first, first + stride, ..., of which
/// the last one is below size().
///
/// Two more are shown by draw_shards, which knows no order by name:
///
///     std::uint64_t group_of(std::uint64_t sample) const;  // its block, file or data set
///     std::uint64_t window_of(std::uint64_t place) const;  // what is shuffled together
///
/// An order that is made as it is read has an `operator[]` that is not const; its epochs are input
/// ranges.
template <class T>
concept SampleOrder = requires(T& order, const T& fixed, std::uint64_t place) {
  T{};
  { fixed.size() } -> detail::SameAs<std::uint64_t>;
  { order[place] } -> detail::SameAs<std::uint64_t>;
};

/// An order that can be copied and that reading leaves as it is. Epochs are random access ranges.
template <class T>
concept FixedOrder = SampleOrder<T> && requires(T& order, const T& fixed, std::uint64_t place) {
  { fixed[place] } -> detail::SameAs<std::uint64_t>;
  order = T(fixed);
};

/// An order that gives the place of every sample: order.index_of(order[place]) == place.
template <class T>
concept InvertibleOrder = FixedOrder<T> && requires(const T& order, std::uint64_t sample) {
  { order.index_of(sample) } -> detail::SameAs<std::uint64_t>;
};

/// An order whose samples are of several blocks, files or data sets, numbered from 0 on.
template <class T>
concept GroupedOrder = SampleOrder<T> && requires(const T& order, std::uint64_t sample) {
  { order.group_of(sample) } -> detail::SameAs<std::uint64_t>;
};

/// An order that shuffles within windows of places, numbered from 0 on.
template <class T>
concept WindowedOrder = SampleOrder<T> && requires(const T& order, std::uint64_t place) {
  { order.window_of(place) } -> detail::SameAs<std::uint64_t>;
};

/// What identifies an order in saved state.
struct SavedOrder {
  /// 1 to 27 characters of a-z, 0-9, `.` and `-`, such as "feistel-1". A name belongs to one order
  /// for ever: an order whose output changes gets a new one.
  const char* name = "";
  std::uint64_t seed = 0;   ///< 0 where there is none
  std::uint64_t epoch = 0;  ///< 0 where all epochs have the same order
  /// A digest of all else that the order depends on, such as the size of blocks; 0 for nothing.
  std::uint64_t digest = 0;
};

/// Makes a class `Range` with size() and a const operator[], an order or a share, a random access
/// range of std::uint64_t. Iterators have a copy of it and stay valid after it is gone.
template <class Range>
class PlaceRange {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<Range>;

  RANKMAP_HD_OF_ANY constexpr bool empty() const noexcept { return self().size() == 0; }
  RANKMAP_HD_OF_ANY constexpr iterator begin() const noexcept { return {self(), 0}; }
  RANKMAP_HD_OF_ANY constexpr iterator end() const noexcept { return {self(), self().size()}; }

 private:
  friend Range;
  constexpr PlaceRange() = default;
  constexpr bool operator==(const PlaceRange&) const = default;  // for a Range that compares
  RANKMAP_HD constexpr const Range& self() const noexcept {
    return static_cast<const Range&>(*this);
  }
};

/// The order 0, 1, 2, ... It keeps seed and epoch for saved state alone.
class Sequential {
 public:
  constexpr Sequential() = default;
  RANKMAP_HD constexpr explicit Sequential(std::uint64_t size, std::uint64_t seed = 0,
                                           std::uint64_t epoch = 0) noexcept
      : size_(size), seed_(seed), epoch_(epoch) {}

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return size_; }
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return place;
  }
  RANKMAP_HD constexpr std::uint64_t index_of(std::uint64_t sample) const noexcept {
    return sample;
  }
  constexpr SavedOrder saved_as() const noexcept { return {"sequential", seed_, epoch_, 0}; }

 private:
  std::uint64_t size_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
};

/// An order in memory: the sample at place p is samples[p]. It refers to the memory, which the
/// ranks of a node may share. `Index` is an unsigned integer of at most 64 bits.
template <class Index>
class ListedOrder {
 public:
  constexpr ListedOrder() = default;
  RANKMAP_HD constexpr ListedOrder(const Index* samples, std::uint64_t size) noexcept
      : samples_(samples), size_(size) {}

  RANKMAP_HD constexpr std::uint64_t size() const noexcept { return size_; }
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return samples_[place];
  }

 private:
  const Index* samples_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_SAMPLE_ORDER_HPP
