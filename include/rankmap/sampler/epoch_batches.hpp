// SPDX-License-Identifier: MIT
// The batches of an epoch as a range, and how the workers of a loader divide them.
#ifndef RANKMAP_SAMPLER_EPOCH_BATCHES_HPP
#define RANKMAP_SAMPLER_EPOCH_BATCHES_HPP

#include <rankmap/detail/index_iterator.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {
// A BatchShard, or a share like it, which says itself what a batch is.
template <class Share>
inline constexpr bool is_of_batches = requires(const Share& share) {
  share.steps();
  share.batch_size();
};
// A share of which one count says what all ranks have used. A FileShard is none: it has a state and
// a state_after of its own.
template <class Share>
concept CountsConsumed = requires(const Share& share) {
  share.consumed_after(std::uint64_t{});
};
template <class Epoch>
class EpochCopy {
 public:
  constexpr EpochCopy() = default;
  constexpr explicit EpochCopy(const Epoch* epoch) : epoch_(*epoch) {}
  constexpr const Epoch& operator*() const { return epoch_; }
  constexpr const Epoch* operator->() const { return &epoch_; }

 private:
  Epoch epoch_{};
};
// What batches keep of their epoch: a copy where its type is const, as that of a fixed one is;
// otherwise its address.
template <class Epoch>
using BatchedEpoch =
    std::conditional_t<std::is_const_v<Epoch>, EpochCopy<std::remove_const_t<Epoch>>, Epoch*>;
}  // namespace detail

/// One batch of an epoch: a random access range of samples. Over a FixedOrder, where `Epoch` is
/// const, it has a copy of the epoch and outlives everything that it came from; over an order that
/// is made as it is read it refers to the epoch. Its iterators refer to the batch.
template <class Epoch>
class EpochBatch {
 public:
  using value_type = std::uint64_t;
  using iterator = detail::IndexIterator<detail::ElementsOf<EpochBatch>>;

  constexpr EpochBatch() = default;
  /// The `index`-th batch of `batch_size` samples; short or empty at the end of the epoch.
  /// `is_last`: the epoch ends with it. Precondition: index * batch_size < 2^64.
  constexpr EpochBatch(Epoch& epoch, std::uint64_t index, std::uint64_t batch_size,
                       bool is_last = false)
      : epoch_(&epoch), index_(index), batch_size_(batch_size), is_last_(is_last) {
    size_ = detail::count_within(first(), batch_size, epoch.size());
  }

  constexpr std::uint64_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// The k-th sample. Precondition: k < size().
  constexpr std::uint64_t operator[](std::uint64_t k) const { return (*epoch_)[first() + k]; }
  /// Whether the k-th sample is padding, which comes last. Precondition: k < size().
  constexpr bool is_padding(std::uint64_t k) const { return epoch_->is_padding(first() + k); }
  /// Which batch of the epoch it is, from 0 on. Of n workers, worker k % n reads batch k.
  constexpr std::uint64_t index() const noexcept { return index_; }
  /// The index in the epoch of its first sample.
  constexpr std::uint64_t first() const noexcept { return index_ * batch_size_; }
  constexpr iterator begin() const& { return {{this}, 0}; }
  constexpr iterator end() const& { return {{this}, size_}; }
  // A temporary would be gone before the first sample is read: give the batch a name.
  iterator begin() const&& = delete;
  iterator end() const&& = delete;

  /// Writes its samples to `out`, as many as it has room for, and returns how many; over a shuffle,
  /// from about 100 on, several times faster than one by one.
  constexpr std::uint64_t fill(std::span<std::uint64_t> out) const {
    const std::uint64_t count = out.size() < size_ ? out.size() : size_;
    return epoch_->fill(first(), out.first(detail::to_size(count)));
  }

  /// What to save once every rank has trained on this batch and those before it, whichever batches
  /// were read ahead. After the last batch of EpochBatches it is the start of the next epoch,
  /// though samples are left where only full ones count. The errors of Epoch::state_after. O(1).
  constexpr Result<SamplerState> state_after() const requires requires(const Epoch& epoch) {
    epoch.state_after(std::uint64_t{});
  }
  {
    if (is_last_) return epoch_->state_after(UINT64_MAX);
    if constexpr (detail::is_of_batches<
                      std::remove_cvref_t<decltype(std::declval<const Epoch&>().share())>>) {
      return epoch_->state_after(index_ + 1);
    } else {  // where other ranks have a full batch, a short one ends the same step
      return epoch_->state_after(first() + batch_size_);
    }
  }

 private:
  detail::BatchedEpoch<Epoch> epoch_{};
  std::uint64_t index_ = 0;
  std::uint64_t batch_size_ = 0;
  std::uint64_t size_ = 0;
  bool is_last_ = false;
};

/// The batches of an epoch, or those of them that one worker of a loader reads: a random access
/// range of EpochBatch. Over a FixedOrder it has a copy of the epoch, and so has each batch; else
/// it refers to the epoch, and reading its batches reads that. Iterators refer to the range.
///
///     for (const auto batch : sampler.epoch(3).batches(32)) {
///       for (const std::uint64_t sample : batch) train(sample);
///       state = batch.state_after().value();
///     }
template <class Epoch>
class EpochBatches {
  using Read = std::conditional_t<std::is_copy_constructible_v<Epoch>, const Epoch, Epoch>;

 public:
  using value_type = EpochBatch<Read>;
  using iterator = detail::IndexIterator<detail::ElementsOf<EpochBatches>>;

  constexpr EpochBatches() = default;
  /// The first `count` batches of `batch_size` >= 1 samples.
  constexpr EpochBatches(Read& epoch, std::uint64_t batch_size, std::uint64_t count)
      : epoch_(&epoch), batch_size_(batch_size), count_(count) {}

  /// How many batches there are; without workers the same number on every rank.
  constexpr std::uint64_t size() const noexcept {
    return count_ / workers_ + (worker_ < count_ % workers_ ? 1 : 0);
  }
  constexpr bool empty() const noexcept { return size() == 0; }
  /// Precondition: k < size(). O(1).
  constexpr EpochBatch<Read> operator[](std::uint64_t k) const {
    const std::uint64_t index = worker_ + k * workers_;
    return {*epoch_, index, batch_size_, index + 1 == count_};
  }
  constexpr iterator begin() const& { return {{this}, 0}; }
  constexpr iterator end() const& { return {{this}, size()}; }
  // A temporary would be gone before the first batch is read: give the range a name.
  iterator begin() const&& = delete;
  iterator end() const&& = delete;

  /// The batches that PyTorch's DataLoader gives to worker `worker` in [0, workers): those whose
  /// index is `worker` modulo `workers`. One batch from each worker in turn restores the order.
  /// Fails like Result::value() for another worker. Over an order that is made as it is read each
  /// worker needs an epoch of its own.
  constexpr EpochBatches of_worker(int worker, int workers) const {
    if (worker < 0 || worker >= workers) {
      detail::throw_error(detail::out_of_range("worker", worker,
                                               detail::concat("a worker in [0, ", workers, ")"),
                                               "count the workers from 0"));
    }
    EpochBatches part = *this;
    part.worker_ = worker_ + static_cast<std::uint32_t>(worker) * workers_;
    part.workers_ = workers_ * static_cast<std::uint32_t>(workers);
    return part;
  }

 private:
  detail::BatchedEpoch<Read> epoch_{};
  std::uint64_t batch_size_ = 1;
  std::uint64_t count_ = 0;
  std::uint64_t worker_ = 0;
  std::uint64_t workers_ = 1;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_EPOCH_BATCHES_HPP
