// SPDX-License-Identifier: MIT
//
// What an order of samples is, and the two plainest ones. A type of your own that is an order works
// with epochs, batches, workers of a loader, saved state and pictures: nothing else has to know it.
#ifndef RANKMAP_SAMPLER_SAMPLE_ORDER_HPP
#define RANKMAP_SAMPLER_SAMPLE_ORDER_HPP

#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

namespace detail {
template <class T, class U>
inline constexpr bool is_same = false;
template <class T>
inline constexpr bool is_same<T, T> = true;
template <class T, class U>
concept SameAs = is_same<T, U>;
}  // namespace detail

/// An order of samples: `size()` places and, by `order[place]`, the sample at each, all of type
/// std::uint64_t; T{} has none. That is all an Epoch needs. Three more members are used where there
/// are any:
///
///     std::uint64_t index_of(std::uint64_t sample) const;  // its place: Epoch::owner_of
///     void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
///               std::uint64_t stride) const;               // many at once: Epoch::fill
///     SavedOrder saved_as() const;                         // Epoch::state_after, resume_at
///
/// An order that is made as it is read has an `operator[]` that is not const, and its epochs are
/// read once, from the head on.
template <class T>
concept SampleOrder = requires(T& order, const T& fixed, std::uint64_t place) {
  T{};
  { fixed.size() } -> detail::SameAs<std::uint64_t>;
  { order[place] } -> detail::SameAs<std::uint64_t>;
};

/// An order that reading does not change, and a value: its epochs are random access ranges.
template <class T>
concept FixedOrder = SampleOrder<T> && requires(T& order, const T& fixed, std::uint64_t place) {
  { fixed[place] } -> detail::SameAs<std::uint64_t>;
  order = T(fixed);
};

/// An order that knows the place of every sample: order.index_of(order[place]) == place.
template <class T>
concept InvertibleOrder = FixedOrder<T> && requires(const T& order, std::uint64_t sample) {
  { order.index_of(sample) } -> detail::SameAs<std::uint64_t>;
};

/// How saved state knows an order again.
struct SavedOrder {
  /// 1 to 27 characters of a-z, 0-9, `.` and `-`, such as "feistel-1". A name is never given to
  /// another order: a changed one gets a new name.
  const char* name = "";
  std::uint64_t seed = 0;   ///< 0 where there is none
  std::uint64_t epoch = 0;  ///< 0 where all epochs are alike
  /// Of all else that the order depends on (the size of blocks, weights), a digest; 0 for nothing.
  std::uint64_t digest = 0;
};

/// 0, 1, 2, ... Seed and epoch change nothing; saved state keeps them.
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

/// Any order in memory: the sample at place p is samples[p]. Views the memory, which several ranks
/// of a node may share. `Index` is an unsigned integer of at most 64 bits.
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
