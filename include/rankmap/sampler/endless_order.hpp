// SPDX-License-Identifier: MIT
// Epochs after one another, without an end: for trainers that count steps instead of epochs.
#ifndef RANKMAP_SAMPLER_ENDLESS_ORDER_HPP
#define RANKMAP_SAMPLER_ENDLESS_ORDER_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>
#include <utility>

namespace rankmap::inline v0 {

/// The orders of epochs 0, 1, 2, ... as one order of largest_dataset places: place p is that of
/// epoch p / n at p % n, where each order has n places. No share of it is padded, and no epoch's
/// end is a border: a rank's batch may begin in one epoch and end in the next.
///
/// `Orders` is a callable that gets the number of an epoch and returns its order, which may be one
/// that is made as it is read. This one keeps the order that it read last, so it is read like such
/// an order: any place at any time, by one thread, and it is movable if the callable is.
///
///     rankmap::EndlessOrder order(
///         [](std::uint64_t epoch) { return rankmap::Permutation(n, 42, epoch); });
///     rankmap::Epoch steps(rankmap::Shard(order.size(), me, {.consumed = from}),
///                          std::move(order));
template <class Orders>
class EndlessOrder {
 public:
  using Order = decltype(std::declval<const Orders&>()(std::uint64_t{}));
  static_assert(SampleOrder<Order>, "orders(epoch) returns an order of samples");

  constexpr EndlessOrder() = default;
  /// Precondition: the orders of all epochs have the same number of places. Makes that of epoch 0.
  constexpr explicit EndlessOrder(Orders orders)
      : orders_(std::move(orders)), order_((*orders_)(0)) {}

  /// largest_dataset, or 0 where an epoch has no samples.
  constexpr std::uint64_t size() const { return epoch_size() == 0 ? 0 : largest_dataset; }
  /// The places of one epoch.
  constexpr std::uint64_t epoch_size() const { return order_ ? order_->size() : 0; }
  /// The place where epoch `epoch` begins. Precondition: it is below size().
  constexpr std::uint64_t place_of(std::uint64_t epoch) const { return epoch * epoch_size(); }
  /// The epoch of `place`. Precondition: the epochs have places.
  constexpr std::uint64_t epoch_of(std::uint64_t place) const { return place / epoch_size(); }

  /// The sample at `place` < size(). Costs what the order costs, and making the order where the
  /// last place that was read is of another epoch. Not const: it may make an order.
  constexpr std::uint64_t operator[](std::uint64_t place) {
    const std::uint64_t epoch = epoch_of(place);
    if (epoch != epoch_) {
      order_ = (*orders_)(epoch);
      epoch_ = epoch;
    }
    return (*order_)[place - place_of(epoch)];
  }

  /// stream-1, its name before, with the seed of the orders; their name, number of places and
  /// digest are the digest, and the epoch is 0. The errors of the order. Precondition: it has
  /// orders.
  constexpr Result<SavedOrder> saved_as() const requires NamedOrder<Order> {
    const Order first = (*orders_)(0);
    const Result<SavedOrder> saved = first.saved_as();
    if (!saved) return saved.error();
    const std::uint64_t size = detail::fnv_word(detail::fnv_start, first.size());
    const std::uint64_t named = detail::fnv_text(size, saved->name);
    return SavedOrder{"stream-1", saved->seed, 0, detail::fnv_word(named, saved->digest)};
  }

 private:
  detail::Optional<Orders> orders_;
  detail::Optional<Order> order_;
  std::uint64_t epoch_ = 0;
};
/// Deprecated: use EndlessOrder. It is a class, since clang 14 deduces no argument of an alias.
template <class Orders>
struct Stream : EndlessOrder<Orders> {
  constexpr Stream() = default;
  [[deprecated("use EndlessOrder")]] constexpr explicit Stream(Orders orders)
      : EndlessOrder<Orders>(std::move(orders)) {}
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_ENDLESS_ORDER_HPP
