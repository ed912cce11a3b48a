// SPDX-License-Identifier: MIT
// The forward Fisher-Yates shuffle of arrays that no cache holds, by regions.
//
// A step swaps its own place i with a target t >= i. Place i is final after its step. A far target
// is not read before the steps reach it or another step has it as its target. So a step with a
// target in a later region does not access it. It puts a request (t, value of i) into the queue of
// that region. When the steps reach a region, its requests are served in order, within the cache:
// the value at t is the answer, and the value sent replaces it. This keeps the order of accesses to
// each t, and no other order matters. Once a queue is full, the queues of all later regions are
// served as well. The answers are in the queues in the order of their steps, and are collected from
// there. Every access is then within one region, or at the end of one queue.
#ifndef RANKMAP_TORCH_DETAIL_BLOCKED_FISHER_YATES_HPP
#define RANKMAP_TORCH_DETAIL_BLOCKED_FISHER_YATES_HPP

#include <rankmap/detail/mt19937.hpp>
#include <rankmap/detail/prefetch.hpp>
#include <rankmap/torch/detail/fisher_yates.hpp>
#include <rankmap/torch/detail/huge_pages.hpp>
#include <rankmap/torch/detail/uninitialized_buffer.hpp>

#include <cstdint>
#include <new>

namespace rankmap::inline v0::detail {

class BlockedShuffle {
 public:
  /// Writes the permutation of `size` < 2^32 to `values`. The queues are in `memory`. If that is
  /// too small, it is replaced by about a third of the memory of the values. False, with nothing
  /// written, if there is no memory for the queues.
  static bool run(Mt19937& engine, std::uint32_t* values, std::uint64_t size,
                  Buffer<std::uint32_t>& memory) {
    BlockedShuffle shuffle(engine, values, size, memory);
    if (memory.size() == 0 || shuffle.queues_.size() == 0) return false;
    // Used again for every block, at hundreds of places at once.
    prefer_huge_pages(memory.data(), memory.size() * sizeof(std::uint32_t));
    while (shuffle.step_ != size) shuffle.run_block();
    return true;
  }

 private:
  static constexpr unsigned region_bits = 17;  // 512 KiB of values: half of a common L2 cache
  static constexpr std::uint64_t region_size = std::uint64_t{1} << region_bits;
  static constexpr std::uint32_t batch = ShuffleDistances::batch;

  // A request is two words: the target, and the value sent there. An answer is one word, and takes
  // the memory of a request that was served.
  struct Queue {
    std::uint32_t* head = nullptr;
    std::uint32_t* tail = nullptr;
    std::uint32_t* limit = nullptr;
  };

  BlockedShuffle(Mt19937& engine, std::uint32_t* values, std::uint64_t size,
                 Buffer<std::uint32_t>& memory)
      : draws_(engine, size),
        values_(values),
        size_(size),
        room_(size / 6),
        queue_memory_(memory),
        queues_((size + region_size - 1) >> region_bits, std::nothrow) {
    const std::uint64_t words = 2 * (room_ + queues_.size() * queue_slack);
    if (memory.size() < words) {
      memory = Buffer<std::uint32_t>();  // not both at once
      memory = Buffer<std::uint32_t>(words, std::nothrow);
    }
  }

  static constexpr std::uint64_t queue_slack = 1024;

  std::uint64_t region_end(std::uint64_t region) const {
    const std::uint64_t end = (region + 1) << region_bits;
    return end < size_ ? end : size_;
  }

  // Takes steps until a queue is full, then serves and collects their requests.
  void run_block() {
    first_step_ = step_;
    const std::uint64_t first_region = step_ >> region_bits;
    const std::uint64_t share = room_ / (queues_.size() - first_region);
    // Queues fill evenly. With an odd number of cache lines between them, their ends are in
    // different cache sets.
    const std::uint64_t words = 2 * ((share & ~std::uint64_t{511}) + 72);
    for (std::uint64_t region = first_region; region != queues_.size(); ++region) {
      Queue& queue = queues_[region];
      queue.head = queue.tail = queue_memory_.data() + (region - first_region) * words;
      queue.limit = queue.head + words;
    }
    std::uint64_t served = first_region;  // all regions before this one are served
    for (bool is_full = false; !is_full && step_ != size_;) {
      const std::uint64_t region = step_ >> region_bits;
      if (region == served) serve(served++);
      if (next_distance_ == distance_count_) draw();
      const std::uint64_t left = region_end(region) - step_;
      const std::uint32_t drawn = distance_count_ - next_distance_;
      const std::uint32_t count = left < drawn ? static_cast<std::uint32_t>(left) : drawn;
      const std::uint32_t done = run_steps(static_cast<std::uint32_t>(region), count);
      step_ += done;
      next_distance_ += done;
      is_full = done != count;
    }
    while (served < queues_.size()) serve(served++);
    collect();
  }

  void draw() {
    distance_count_ = draws_.next(distances_);
    next_distance_ = 0;
    if (distance_count_ != 0) return;
    distances_[0] = 0;  // the last place of the array stays as it is
    distance_count_ = 1;
  }

  // A step stores the number of its target's region at the place of its result. A target in its own
  // region is swapped at once: the queue there holds answers by then, and takes the result.
  std::uint32_t run_steps(std::uint32_t region, std::uint32_t count) {
    const std::uint32_t* const distances = distances_ + next_distance_;
    const auto step = static_cast<std::uint32_t>(step_);
    std::uint32_t* const own = values_ + step_;
    Queue* const queues = queues_.data();
    for (std::uint32_t k = 0; k != count; ++k) {
      const std::uint32_t target = step + k + distances[k];
      const std::uint32_t to = target >> region_bits;
      Queue& queue = queues[to];
      std::uint32_t* const tail = queue.tail;
      if (tail >= queue.limit) return k;
      const std::uint32_t value = own[k];
      if (to == region) {
        *tail = values_[target];
        values_[target] = value;
        own[k] = to;
        queue.tail = tail + 1;
        continue;
      }
      own[k] = to;
      tail[0] = target;
      tail[1] = value;
      prefetch(tail + 24);
      queue.tail = tail + 2;
    }
    return count;
  }

  RANKMAP_NOINLINE void serve(std::uint64_t region) {
    std::uint32_t* const values = values_ + (region << region_bits);
    const std::uint64_t length = region_end(region) - (region << region_bits);
    if (first_step_ == 0) {  // the first block finds no values yet
      const auto first = static_cast<std::uint32_t>(region << region_bits);
      for (std::uint32_t k = 0; k != static_cast<std::uint32_t>(length); ++k) values[k] = first + k;
    }
    Queue& queue = queues_[region];
    const auto requests = static_cast<std::uint64_t>(queue.tail - queue.head) / 2;
    if (requests == 0) return;
    // While this region is served, the next one is prefetched, evenly spread over the requests.
    const std::uint32_t* const following =
        region + 1 < queues_.size() && (region + 2) << region_bits <= size_ ? values + region_size
                                                                            : values;
    const std::uint64_t pace = (length + requests - 1) / requests;
    std::uint64_t ahead = 0;
    std::uint32_t* answer = queue.head;
    for (const std::uint32_t* request = queue.head; request != queue.tail; request += 2) {
      prefetch(following + (ahead < length ? ahead : 0));
      ahead += pace;
      prefetch(request + 128);
      std::uint32_t& place = values_[request[0]];
      const std::uint32_t value = request[1];
      *answer++ = place;
      place = value;
    }
    queue.tail = answer;
  }

  // Moves the answers to the places of their steps.
  void collect() {
    Queue* const queues = queues_.data();
    for (std::uint64_t step = first_step_; step != step_; ++step) {
      Queue& queue = queues[values_[step]];
      const std::uint32_t* const answer = queue.head;
      prefetch(answer + 24);
      values_[step] = *answer;
      ++queue.head;
    }
  }

  ShuffleDistances draws_;
  std::uint32_t* values_;
  std::uint64_t size_;
  std::uint64_t room_;  // requests that the queues hold together
  Buffer<std::uint32_t>& queue_memory_;
  Buffer<Queue> queues_;  // one for each region
  std::uint64_t first_step_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t distances_[batch] = {};
  std::uint32_t next_distance_ = 0;
  std::uint32_t distance_count_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TORCH_DETAIL_BLOCKED_FISHER_YATES_HPP
