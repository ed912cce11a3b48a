// SPDX-License-Identifier: MIT
// The samples of one rank in one epoch: a share of an order.
#ifndef RANKMAP_SAMPLER_EPOCH_HPP
#define RANKMAP_SAMPLER_EPOCH_HPP

#include <rankmap/detail/abort_with.hpp>
#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/reset_on_move.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/epoch_batches.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {

struct SinglePassEnd {};

/// The iterator of a range that makes its elements as they are read: `Range` has size() and a
/// non-const operator[], and must outlive its iterators. Advancing returns nothing from `it++`,
/// which is how an iterator says that it is for one pass.
template <class Range>
class SinglePassIterator {
 public:
  using value_type = std::uint64_t;
  using difference_type = std::int64_t;

  SinglePassIterator() = default;
  explicit SinglePassIterator(Range& range) : range_(&range) {}

  std::uint64_t operator*() const { return (*range_)[place_]; }
  SinglePassIterator& operator++() {
    ++place_;
    return *this;
  }
  void operator++(int) { ++place_; }

  friend bool operator==(const SinglePassIterator& it, SinglePassEnd) {
    return it.place_ == it.range_->size();
  }
  friend std::int64_t operator-(SinglePassEnd, const SinglePassIterator& it) {
    return static_cast<std::int64_t>(it.range_->size() - it.place_);
  }
  friend std::int64_t operator-(const SinglePassIterator& it, SinglePassEnd end) {
    return -(end - it);
  }

 private:
  Range* range_ = nullptr;
  std::uint64_t place_ = 0;
};

}  // namespace detail

/// What a rank reads in one epoch: the samples of `Order` at the places of `Share`. A share is a
/// Shard, StridedIndices, a BatchShard, a WorkerShard, or any value with size(), operator[] and
/// is_padding().
///
/// Over a FixedOrder an epoch is a sized random access range of std::uint64_t. Any place costs the
/// same, and its iterators stay valid after it is gone. Over an order that is made as it is read,
/// an epoch is a sized input range: movable, not copyable, and empty once moved from.
///
///     const rankmap::Epoch epoch(rankmap::Shard(n, rank, world), rankmap::Permutation(n, 42, 3));
///     for (std::uint64_t sample : epoch) train(sample);
template <class Share, SampleOrder Order>
class Epoch {
  static constexpr bool is_fixed = FixedOrder<Order>;

 public:
  using value_type = std::uint64_t;
  using iterator =
      std::conditional_t<is_fixed, detail::IndexIterator<Epoch>, detail::SinglePassIterator<Epoch>>;
  using sentinel = std::conditional_t<is_fixed, iterator, detail::SinglePassEnd>;

  constexpr Epoch() = default;
  /// Precondition: the order has as many places as the data set of the share. An order with fewer
  /// than that of a Shard or a BatchShard ends the program with a message.
  RANKMAP_HD_OF_ANY constexpr Epoch(const Share& share,
                                    const Order& order) requires FixedOrder<Order> : share_(share),
                                                                                     order_(order) {
    check_places(share, order);
  }
  constexpr Epoch(const Share& share, Order&& order) requires(!FixedOrder<Order>)
      : share_(share), order_(std::move(order)) {
    check_places(share, order_);
  }

  RANKMAP_HD_OF_ANY constexpr std::uint64_t size() const noexcept { return share().size(); }
  RANKMAP_HD_OF_ANY constexpr bool empty() const noexcept { return size() == 0; }
  /// The k-th sample, in [0, data set size). Precondition: k < size(). Costs what the order's does.
  RANKMAP_HD_OF_ANY constexpr std::uint64_t operator[](std::uint64_t k) const requires
      FixedOrder<Order> {
    return order_[share()[k]];
  }
  /// The same for an order that is made as it is read, so not const. In any sequence.
  constexpr std::uint64_t operator[](std::uint64_t k) requires(!FixedOrder<Order>) {
    return order_[share()[k]];
  }
  /// Whether the k-th sample is padding: a sample that another rank, or this one, reads already.
  /// Leave it out of metrics. Precondition: k < size().
  RANKMAP_HD_OF_ANY constexpr bool is_padding(std::uint64_t k) const {
    return share().is_padding(k);
  }
  constexpr iterator begin() const requires FixedOrder<Order> { return {*this, 0}; }
  constexpr sentinel end() const requires FixedOrder<Order> { return {*this, size()}; }
  iterator begin() requires(!FixedOrder<Order>) { return iterator(*this); }
  sentinel end() const requires(!FixedOrder<Order>) { return {}; }

  /// Of a temporary epoch they are values.
  RANKMAP_HD_OF_ANY constexpr const Share& share() const& noexcept RANKMAP_LIFETIMEBOUND {
    return share_;
  }
  RANKMAP_HD_OF_ANY constexpr Share share() && noexcept {
    return static_cast<const Epoch&>(*this).share();
  }
  RANKMAP_HD constexpr const Order& order() const& noexcept RANKMAP_LIFETIMEBOUND { return order_; }
  constexpr Order& order() & noexcept RANKMAP_LIFETIMEBOUND requires(!FixedOrder<Order>) {
    return order_;
  }
  RANKMAP_HD_OF_ANY constexpr Order order() && noexcept { return static_cast<Order&&>(order_); }

  /// Writes the samples from the k-th on to `out`, as many as it has room for and as are left.
  /// Returns how many. Over a Shard and an order with a fill several times faster than one by one.
  constexpr std::uint64_t fill(std::uint64_t k,
                               std::span<std::uint64_t> out) const requires FixedOrder<Order> {
    return fill_from(*this, k, out);
  }
  /// The same for an order that is made as it is read, which is why it is not const.
  constexpr std::uint64_t fill(std::uint64_t k,
                               std::span<std::uint64_t> out) requires(!FixedOrder<Order>) {
    return fill_from(*this, k, out);
  }

  /// Steps of `batch_size` >= 1 samples for each rank, as Shard::steps: the same number on each.
  constexpr std::uint64_t steps(std::uint64_t batch_size, bool full_only = false) const {
    return share().steps(batch_size, full_only);
  }

  /// The batches of `batch_size` >= 1 samples, as a range: as many as steps(batch_size, full_only),
  /// so that every rank has the same number. Over a share without steps as many as it fills; the
  /// last one may be short. Fails like Result::value() for a batch_size of 0. Over an order that is
  /// made as it is read the range refers to the epoch, which is no temporary.
  constexpr EpochBatches<Epoch> batches(std::uint64_t batch_size, bool full_only = false)
      const& requires(is_fixed && !detail::is_of_batches<Share>) {
    return {*this, batch_size, count_batches(batch_size, full_only)};
  }
  EpochBatches<Epoch> batches(std::uint64_t batch_size, bool full_only = false) &
      requires(!is_fixed && !detail::is_of_batches<Share>) {
    return {*this, batch_size, count_batches(batch_size, full_only)};
  }
  /// The batches of a BatchShard, which has a batch_size of its own.
  constexpr EpochBatches<Epoch> batches() const& requires(is_fixed&& detail::is_of_batches<Share>) {
    return {*this, share().batch_size(), share().steps()};
  }
  EpochBatches<Epoch> batches() & requires(!is_fixed && detail::is_of_batches<Share>) {
    return {*this, share().batch_size(), share().steps()};
  }

  /// The rank that reads `sample` in what is left of this epoch, and when: its index there. No rank
  /// (-1) where none reads it. Costs what the order's index_of costs.
  constexpr ShardIndex owner_of(std::uint64_t sample) const requires InvertibleOrder<Order> {
    if (sample >= order_.size()) return {};
    return share_.owner_of(order_.index_of(sample));
  }

  /// What to save once every rank has read its first k samples of a Shard, or its first k batches
  /// of a BatchShard. k is the same on every rank. At the end of the epoch the state is the start
  /// of the next one. Over a FileShard ask that. O(1). Errc::bad_sampler in the middle of an epoch
  /// of a blocked Shard, where the used samples are no prefix of the order; at the end of epoch
  /// 2^64 - 1; and where saved state cannot hold the order.
  constexpr Result<SamplerState> state_after(std::uint64_t k) const
      requires(NamedOrder<Order>&& detail::CountsConsumed<Share>) {
    Result<SamplerState> state = state_of(order_);
    if (!state) return state;
    if (k >= last_step()) return detail::end_of_epoch(*state);
    if constexpr (std::is_same_v<Share, Shard>) {
      const bool is_blocked =
          share().options().order == ShardOrder::blocked && share().world_size() != 1;
      if (k != 0 && is_blocked) {
        return detail::error_at(Errc::bad_sampler, "state_after(k)", detail::concat(k),
                                "0 or the end of the epoch for a blocked order",
                                "use ShardOrder::strided to save at any step");
      }
    }
    state->consumed = share().consumed_after(k);
    return state;
  }

 private:
  RANKMAP_HD_OF_ANY static constexpr void check_places(const Share& share, const Order& order) {
    if constexpr (requires { share.dataset_size(); }) {
      if (order.size() >= share.dataset_size()) return;
      detail::abort_with("order.size()", static_cast<long long>(order.size()),
                         "at least the size of the share's data set",
                         "make both of one number: that of the samples or draws");
    }
  }
  template <class Self>
  static constexpr std::uint64_t fill_from(Self& self, std::uint64_t k,
                                           std::span<std::uint64_t> out) {
    std::uint64_t done = 0;
    const Share& share = self.share();
    const std::uint64_t count = detail::count_within(k, out.size(), share.size());
    if constexpr (requires {
                    self.order_.fill(k, out.data(), k, share.positions().stride());
                    share.real_size();
                  }) {
      // Padding wraps to the head, so the progression ends before it.
      done = detail::count_within(k, count, share.real_size());
      if (done != 0) self.order_.fill(share[k], out.data(), done, share.positions().stride());
    }
    for (; done != count; ++done) out[detail::to_size(done)] = self[k + done];
    return count;
  }
  constexpr std::uint64_t count_batches(std::uint64_t batch_size, bool full_only) const {
    if (batch_size == 0) {
      detail::throw_error(detail::out_of_range("batch_size", "0", "at least 1 sample",
                                               "pass the samples of a batch"));
    }
    if constexpr (requires { share().steps(batch_size, full_only); }) {
      return share().steps(batch_size, full_only);
    } else {
      return size() / batch_size + (!full_only && size() % batch_size != 0 ? 1 : 0);
    }
  }

  // The end of the epoch, in the unit of consumed_after.
  constexpr std::uint64_t last_step() const {
    if constexpr (detail::is_of_batches<Share>) {
      return share().steps();
    } else {
      return share().steps(1);
    }
  }

  std::conditional_t<is_fixed, Share, detail::ResetOnMove<Share>> share_{};
  Order order_{};
};

}  // namespace rankmap::inline v0

template <class Share, rankmap::SampleOrder Order>
inline constexpr bool std::ranges::enable_borrowed_range<rankmap::Epoch<Share, Order>> =
    rankmap::FixedOrder<Order>;

#endif  // RANKMAP_SAMPLER_EPOCH_HPP
