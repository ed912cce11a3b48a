// SPDX-License-Identifier: MIT
// The second split: the share of a rank, divided among the workers of its loader.
#ifndef RANKMAP_SAMPLER_WORKER_SHARD_HPP
#define RANKMAP_SAMPLER_WORKER_SHARD_HPP

#include <rankmap/detail/abort_with.hpp>
#include <rankmap/sampler/detail/cyclic_blocks.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// The part of a share that one worker of a loader reads: batches w, w + workers, ... of
/// `batch_size` items each, as PyTorch's DataLoader assigns them. One batch from each worker in
/// turn gives the share in its own order; the parts are disjoint and complete. `Share` is a Shard,
/// StridedIndices, a BatchShard, the epoch of a sampler: a small value with size() and operator[].
template <class Share>
class WorkerShard : public PlaceRange<WorkerShard<Share>> {
 public:
  constexpr WorkerShard() = default;
  /// Preconditions: workers >= 1, worker in [0, workers), batch_size >= 1 with workers * batch_size
  /// <= 2^63. Other numbers end the program with a message; as constants they do not compile. O(1).
  RANKMAP_HD constexpr WorkerShard(const Share& share, int worker, int workers,
                                   std::uint64_t batch_size = 1) noexcept
      : share_(share),
        blocks_{batch_size * static_cast<std::uint32_t>(workers),
                batch_size * static_cast<std::uint32_t>(worker), batch_size} {
    constexpr const char* remedy = "pass WorkerShard(share, worker, workers, batch_size)";
    if (workers < 1) detail::abort_with("workers", workers, "at least 1", remedy);
    if (worker < 0 || worker >= workers) {
      detail::abort_with("worker", worker, "a worker in [0, workers)", remedy);
    }
    if (batch_size == 0) detail::abort_with("batch_size", 0, "at least 1", remedy);
    if (batch_size > (std::uint64_t{1} << 63U) / static_cast<std::uint32_t>(workers)) {
      detail::abort_with("batch_size", static_cast<long long>(batch_size), "at most 2^63 / workers",
                         remedy);
    }
  }

  RANKMAP_HD constexpr std::uint64_t size() const noexcept {
    return blocks_.count_in(share_.size());
  }
  /// Precondition: k < size(). O(1).
  RANKMAP_HD constexpr std::uint64_t operator[](std::uint64_t k) const noexcept {
    return share_[blocks_.position(k)];
  }
  /// The index of the k-th item in the share.
  RANKMAP_HD constexpr std::uint64_t index_in_share(std::uint64_t k) const noexcept {
    return blocks_.position(k);
  }
  /// Whether the k-th item is padding in the share. Precondition: k < size().
  RANKMAP_HD constexpr bool is_padding(std::uint64_t k) const noexcept {
    return share_.is_padding(blocks_.position(k));
  }

 private:
  Share share_;
  detail::CyclicBlocks blocks_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_WORKER_SHARD_HPP
