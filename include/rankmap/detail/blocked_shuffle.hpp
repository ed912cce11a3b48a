// SPDX-License-Identifier: MIT
//
// The forward Fisher-Yates shuffle of more than any cache holds, by regions.
//
// A step swaps its own place i with a target t >= i. Own places are final once their step is done,
// and nobody looks at a far target before the steps get there or another step asks for it. So a
// step whose target lies in a later region does not go there: it leaves a request (t, value of i)
// in that region's queue. When a region's turn comes its requests are served in order, all within
// the cache: the value at t is the answer, and the value sent takes its place. Order is kept for
// each t, which is all that matters. Once the queues are full those of the regions ahead are served
// too, and the answers, which lie in the queues in the order of their steps, are collected. Every
// access is then either within one region, or at the end of one queue.
#ifndef RANKMAP_DETAIL_BLOCKED_SHUFFLE_HPP
#define RANKMAP_DETAIL_BLOCKED_SHUFFLE_HPP

#include <rankmap/detail/buffer.hpp>
#include <rankmap/detail/forward_shuffle.hpp>
#include <rankmap/detail/mt19937.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <new>

namespace rankmap::inline v0::detail {

class BlockedShuffle {
 public:
  /// The permutation of `size` < 2^32 into `values`. False, with nothing done, where there is no
  /// memory for the queues: about a fifth of what the values take, given back at the end.
  static bool run(Mt19937& engine, std::uint32_t* values, std::uint64_t size) {
    BlockedShuffle shuffle(engine, values, size);
    if (shuffle.requests_.size() == 0 || shuffle.region_of_.size() == 0 ||
        shuffle.queues_.size() == 0) {
      return false;
    }
    while (shuffle.step_ != size) shuffle.run_block();
    return true;
  }

 private:
  static constexpr unsigned region_bits = 17;  // 512 KiB of values: half of a common L2 cache
  static constexpr std::uint64_t region_size = std::uint64_t{1} << region_bits;
  static constexpr std::uint32_t batch = ShuffleTargets::batch;

  // A request is the target in the low half and the value in the high one.
  struct Queue {
    std::uint64_t* head = nullptr;
    std::uint64_t* tail = nullptr;
    std::uint64_t* limit = nullptr;
    std::uint64_t* answers = nullptr;
  };

  BlockedShuffle(Mt19937& engine, std::uint32_t* values, std::uint64_t size)
      : draws_(engine, size),
        values_(values),
        size_(size),
        regions_((size + region_size - 1) >> region_bits),
        block_(size / 12 + batch),
        requests_(block_ + regions_ * queue_slack, std::nothrow),
        region_of_(block_ + batch, std::nothrow),
        queues_(regions_, std::nothrow) {}

  static constexpr std::uint64_t queue_slack = 1024;

  static std::uint32_t target_of(std::uint64_t request) {
    return static_cast<std::uint32_t>(request);
  }
  std::uint64_t region_end(std::uint64_t region) const {
    const std::uint64_t end = (region + 1) << region_bits;
    return end < size_ ? end : size_;
  }

  // Steps until a queue is full, then everything that they asked for.
  void run_block() {
    first_step_ = step_;
    const std::uint64_t first_region = step_ >> region_bits;
    const std::uint64_t share = block_ / (regions_ - first_region);
    // Queues fill evenly; an odd number of cache lines between them keeps their ends out of each
    // other's cache sets.
    const std::uint64_t room = (share & ~std::uint64_t{511}) + 72;
    for (std::uint64_t region = first_region; region != regions_; ++region) {
      Queue& queue = queues_[region];
      queue.head = queue.tail = requests_.data() + (region - first_region) * room;
      queue.limit = queue.head + room;
    }
    bool full = false;
    std::uint64_t region = first_region;
    while (!full && step_ != size_) {
      region = step_ >> region_bits;
      serve(region);
      full = run_region(region);
    }
    for (std::uint64_t later = region + 1; later < regions_; ++later) serve(later);
    touched_ = true;
    collect(first_region);
  }

  // Takes the steps of one region; true when the block has to end.
  bool run_region(std::uint64_t region) {
    const std::uint64_t end = region_end(region);
    while (step_ != end) {
      if (next_target_ == target_count_) {
        target_count_ = draws_.next(targets_);
        next_target_ = 0;
        if (target_count_ == 0) {  // the last place of all stays as it is
          region_of_[step_ - first_step_] = static_cast<std::uint16_t>(region);
          ++step_;
          return true;
        }
      }
      const std::uint64_t drawn = target_count_ - next_target_;
      const auto count = static_cast<std::uint32_t>(end - step_ < drawn ? end - step_ : drawn);
      if (step_ - first_step_ + count > block_) return true;
      const std::uint32_t done = run_steps(static_cast<std::uint32_t>(region), count);
      step_ += done;
      next_target_ += done;
      if (done != count || full_) {
        full_ = false;
        return true;
      }
    }
    return false;
  }

  std::uint32_t run_steps(std::uint32_t region, std::uint32_t count) {
    const std::uint32_t* const targets = targets_ + next_target_;
    std::uint16_t* const region_of = region_of_.data() + (step_ - first_step_);
    std::uint32_t* const own = values_ + step_;
    Queue* const queues = queues_.data();
    for (std::uint32_t k = 0; k != count; ++k) {
      region_of[k] = static_cast<std::uint16_t>(targets[k] >> region_bits);
    }
    for (std::uint32_t k = 0; k != count; ++k) {
      const std::uint32_t value = own[k];
      if (region_of[k] == region) {
        own[k] = values_[targets[k]];
        values_[targets[k]] = value;
        continue;
      }
      Queue& queue = queues[region_of[k]];
      std::uint64_t* const tail = queue.tail;
      *tail = std::uint64_t{value} << 32U | targets[k];
      prefetch(tail + 12);
      queue.tail = tail + 1;
      if (tail + 1 == queue.limit) {
        full_ = true;
        return k + 1;
      }
    }
    return count;
  }

  // Answers a region's requests. The answers take the place of the requests that are done with.
  void serve(std::uint64_t region) {
    std::uint32_t* const values = values_ + (region << region_bits);
    const std::uint64_t length = region_end(region) - (region << region_bits);
    if (!touched_) {
      const auto first = static_cast<std::uint32_t>(region << region_bits);
      for (std::uint32_t k = 0; k != static_cast<std::uint32_t>(length); ++k) values[k] = first + k;
    }
    Queue& queue = queues_[region];
    const auto requests = static_cast<std::uint64_t>(queue.tail - queue.head);
    if (requests == 0) return;
    // While this region is served, the next one is brought in, evenly spread over the requests.
    const std::uint32_t* const following =
        region + 1 < regions_ && (region + 2) << region_bits <= size_ ? values + region_size
                                                                      : values;
    const std::uint64_t pace = (length + requests - 1) / requests;
    std::uint64_t ahead = 0;
    std::uint64_t* answer = queue.head;
    for (const std::uint64_t* request = queue.head; request != queue.tail; ++request) {
      prefetch(following + (ahead < length ? ahead : 0));
      ahead += pace;
      std::uint32_t& place = values_[target_of(*request)];
      const auto value = static_cast<std::uint32_t>(*request >> 32U);
      *answer++ = place;
      place = value;
    }
  }

  // Puts the answers where their steps were taken.
  void collect(std::uint64_t first_region) {
    for (std::uint64_t region = first_region; region != regions_; ++region) {
      queues_[region].answers = queues_[region].head;
    }
    Queue* const queues = queues_.data();
    for (std::uint64_t step = first_step_; step != step_; ++step) {
      const std::uint16_t region = region_of_[step - first_step_];
      if (region == step >> region_bits) continue;
      std::uint64_t* const answer = queues[region].answers;
      prefetch(answer + 12);
      values_[step] = static_cast<std::uint32_t>(*answer);
      queues[region].answers = answer + 1;
    }
  }

  ShuffleTargets draws_;
  std::uint32_t* values_;
  std::uint64_t size_;
  std::uint64_t regions_;
  std::uint64_t block_;  // the most steps of one block
  Buffer<std::uint64_t> requests_;
  Buffer<std::uint16_t> region_of_;
  Buffer<Queue> queues_;
  std::uint64_t first_step_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t targets_[batch] = {};
  std::uint32_t next_target_ = 0;
  std::uint32_t target_count_ = 0;
  bool full_ = false;
  bool touched_ = false;  // whether every region holds its values yet
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_BLOCKED_SHUFFLE_HPP
