// SPDX-License-Identifier: MIT
// Items of unequal cost in parts, and exchanges that make the heaviest part lighter.
#ifndef RANKMAP_SAMPLER_DETAIL_CUT_PARTS_HPP
#define RANKMAP_SAMPLER_DETAIL_CUT_PARTS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/sampler/detail/first_fit.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0::detail {

/// Items with a cost each, which are cut into parts again and again. Preconditions: fewer than 2^31
/// items, and a sum of costs below 2^63.
class CutParts {
 public:
  /// Sorts the items.
  constexpr explicit CutParts(std::span<const std::uint64_t> costs)
      : item_count_(static_cast<std::uint32_t>(costs.size())), items_(costs.size()) {
    Indices sorted(costs.size());
    Indices scratch(costs.size());
    sort_descending(sorted.data(), scratch.data(), costs.size(),
                    [costs](std::size_t i) { return costs[i]; });
    for (std::size_t rank = 0; rank < costs.size(); ++rank) {
      items_[rank].cost = costs[sorted[rank]];
      items_[rank].number = sorted[rank];
      sum_ += costs[rank];
    }
  }

  constexpr std::uint64_t sum() const { return sum_; }
  /// The heaviest part of any cut into `parts` >= 1 parts has at least this load.
  constexpr std::uint64_t bound(std::uint32_t parts) const {
    const std::uint64_t mean = sum_ / parts + (sum_ % parts != 0 ? 1U : 0U);
    const std::uint64_t longest = item_count_ == 0 ? 0 : items_[0].cost;
    return mean > longest ? mean : longest;
  }

  /// How many items and parts the exchanges of the last cut looked at.
  constexpr std::uint64_t visits() const { return visits_; }
  /// The exchanges stop when visits() is above this.
  constexpr std::uint64_t max_visits() const {
    return 8 * std::uint64_t{item_count_} + (std::uint64_t{1} << 20U);
  }

 protected:
  constexpr ~CutParts() = default;

  static constexpr std::uint32_t none = UINT32_MAX;

  // Items are stored by rank, the largest cost first: what is read together is together in memory.
  struct Item {
    std::uint64_t cost;
    std::uint32_t number;  // its index among the costs
    std::uint32_t part;
    std::uint32_t next;   // rank of the next item of the part
    std::uint32_t trial;  // its part in another cut, to compare with this one
  };
  struct Part {
    std::uint64_t load;
    std::uint32_t count;  // items
    std::uint32_t first;  // rank of its first item
  };

  constexpr void begin(std::uint32_t parts) {
    part_count_ = parts;
    parts_.resize(parts);
    order_.resize(parts);
    visits_ = 0;
    clear_parts();
    for (std::uint32_t p = 0; p != parts; ++p) order_[p] = p;
  }
  constexpr void clear_parts() {
    for (std::uint32_t p = 0; p != part_count_; ++p) parts_[p] = {0, 0, none};
  }

  constexpr std::uint64_t cost(std::uint32_t rank) const {
    return rank == none ? 0 : items_[rank].cost;
  }
  constexpr std::uint32_t number(std::uint32_t rank) const {
    return rank == none ? none : items_[rank].number;
  }
  constexpr bool is_lighter(std::uint32_t p, std::uint32_t q) const {
    return parts_[p].load != parts_[q].load ? parts_[p].load < parts_[q].load : p < q;
  }

  // Sets the loads, counts and lists of all parts from Item::part. Returns the heaviest load.
  constexpr std::uint64_t load_parts() {
    clear_parts();
    std::uint64_t heaviest = 0;
    for (std::uint32_t rank = item_count_; rank-- != 0;) {
      Part& part = parts_[items_[rank].part];
      part.load += items_[rank].cost;
      ++part.count;
      items_[rank].next = part.first;
      part.first = rank;
      if (part.load > heaviest) heaviest = part.load;
    }
    return heaviest;
  }

  // Gives an item of the heaviest part to part `to`, and takes an item or none of that part.
  struct Exchange {
    std::uint64_t load;  // the heavier of both parts afterwards
    std::uint32_t to;
    std::uint32_t give;
    std::uint32_t take;
  };
  constexpr bool is_better(const Exchange& a, const Exchange& b) const {
    if (a.load != b.load) return a.load < b.load;
    if (a.to != b.to) return a.to < b.to;
    return a.give != b.give ? number(a.give) < number(b.give) : number(a.take) < number(b.take);
  }

  // Sets `best` to the best exchange of two parts, if that is better. One walk along both lists.
  constexpr void consider(std::uint32_t from, std::uint32_t to, bool moves, Exchange& best) {
    const std::uint64_t gap = parts_[from].load - parts_[to].load;
    const auto offer = [&](std::uint32_t give, std::uint32_t take) {
      const std::uint64_t shift = cost(give) - cost(take);
      if (cost(give) <= cost(take) || shift >= gap) return;
      const std::uint64_t left = parts_[from].load - shift;
      const std::uint64_t grown = parts_[to].load + shift;
      const Exchange offered{left > grown ? left : grown, to, give, take};
      if (is_better(offered, best)) best = offered;
    };
    // For each item to give, the ideal shift is half of the gap. `after` is the first item to take
    // whose shift is larger. `at` is the first item that costs as much as the one before `after`.
    std::uint32_t at = none;
    std::uint32_t after = parts_[to].first;
    for (std::uint32_t give = parts_[from].first; give != none; give = items_[give].next) {
      ++visits_;
      while (after != none && (after < give || cost(give) - cost(after) <= gap / 2)) {
        ++visits_;
        if (at == none || cost(at) != cost(after)) at = after;
        after = items_[after].next;
      }
      if (at != none) offer(give, at);
      if (after != none) offer(give, after);
      if (moves) offer(give, none);
    }
  }

  constexpr void unlink(std::uint32_t part, std::uint32_t rank) {
    std::uint32_t* link = &parts_[part].first;
    for (; *link != rank; ++visits_) link = &items_[*link].next;
    *link = items_[rank].next;
  }
  constexpr void insert(std::uint32_t part, std::uint32_t rank) {
    std::uint32_t* link = &parts_[part].first;
    for (; *link < rank; ++visits_) link = &items_[*link].next;
    items_[rank].next = *link;
    *link = rank;
    items_[rank].part = part;
  }

  // Sets the load of part order_[at], and moves the part to its new place in order_.
  constexpr void reload(std::uint32_t at, std::uint64_t load) {
    const std::uint32_t part = order_[at];
    parts_[part].load = load;
    for (; at != 0 && is_lighter(part, order_[at - 1]); --at) order_[at] = order_[at - 1];
    for (; at + 1 != part_count_ && is_lighter(order_[at + 1], part); ++at) {
      order_[at] = order_[at + 1];
    }
    order_[at] = part;
  }

  // Makes the best exchange of the heaviest part while that part gets lighter. With `moves`, an
  // item may also move alone, and a load at the bound is enough. Returns the heaviest load.
  constexpr std::uint64_t exchange(bool moves) {
    const std::uint64_t reached = load_parts();
    if (part_count_ == 1 || item_count_ <= part_count_) return reached;
    merge_sort(order_, [this](std::uint32_t p, std::uint32_t q) { return is_lighter(p, q); });
    const std::uint64_t enough = moves ? bound(part_count_) : 0;
    for (std::uint32_t done = 0;; ++done) {
      std::uint32_t heaviest = part_count_ - 1;
      const std::uint64_t load = parts_[order_[heaviest]].load;
      while (heaviest != 0 && parts_[order_[heaviest - 1]].load == load) --heaviest;
      const std::uint32_t from = order_[heaviest];
      if (load <= enough || done == item_count_) return load;
      visits_ += part_count_;
      Exchange best{load, 0, 0, 0};
      for (std::uint32_t i = 0; i != heaviest; ++i) {
        const std::uint32_t to = order_[i];
        const std::uint64_t least = load - (load - parts_[to].load) / 2;
        if (least > best.load || least == load) break;
        if (least < best.load || to < best.to) consider(from, to, moves, best);
        if (visits_ > max_visits()) return load;
      }
      if (best.load == load) return load;
      const std::uint64_t shift = cost(best.give) - cost(best.take);
      unlink(from, best.give);
      if (best.take != none) {
        unlink(best.to, best.take);
        insert(from, best.take);
      }
      insert(best.to, best.give);
      reload(heaviest, load - shift);
      std::uint32_t at = 0;
      while (order_[at] != best.to) ++at;
      reload(at, parts_[best.to].load + shift);
    }
  }

  std::uint32_t item_count_;
  std::uint32_t part_count_ = 0;
  SmallVector<Item, 16> items_;
  SmallVector<Part, 16> parts_;
  SmallVector<std::uint32_t, 16> order_;  // the parts: as a heap, or the lightest first

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t visits_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_CUT_PARTS_HPP
