// SPDX-License-Identifier: MIT
// Karmarkar and Karp's largest differencing method, with the ties of verl's seqlen_balancing.py. A
// state keeps only its parts with items, so the memory is O(items + parts).
#ifndef RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
#define RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/sift_down.hpp>
#include <rankmap/detail/small_vector.hpp>

#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// A state is a cut of some items into `parts` parts, the heaviest first. At first each item is a
/// state or, for equal counts, each row of `parts` items from the lowest costs on, the first row
/// perhaps shorter. Until one is left, the two of largest spread, heaviest less lightest, become
/// one: part i joins part parts - 1 - i of the second. O(items * parts) at most.
class Differencing {
 public:
  /// `cost(rank)` and `item(rank)` are the cost and the number of an item. Ranks begin at the
  /// largest cost, and of equal costs at the lower number. Precondition: items >= 1.
  template <class Cost, class Item>
  constexpr Differencing(std::uint32_t items, std::uint32_t parts, const Cost& cost,
                         const Item& item)
      : items_(items), parts_(parts), part_(items), states_(items), row_(parts) {
    for (std::uint32_t rank = 0; rank != items; ++rank) {
      part_[rank] = {cost(rank), 1, none, rank, item(rank)};
    }
  }
  constexpr ~Differencing() = default;

  /// Calls take(rank, part) for each item. Part 0 is the heaviest, and so on.
  template <class Take>
  constexpr void cut(bool equal_counts, const Take& take) {
    begin(equal_counts ? parts_ : 1);
    for (std::uint32_t i = state_count_ / 2; i-- != 0;) sift(i);
    while (state_count_ > 1) {
      const State first = std::exchange(states_[0], states_[--state_count_]);
      sift(0);
      states_[0] = joined(first, states_[0]);
      sift(0);
    }
    std::uint32_t number = 0;
    for (std::uint32_t part = states_[0].first; part != none; part = part_[part].next) {
      std::uint32_t rank = part;
      do {
        rank = part_[rank].next_item;
        take(rank, number);
      } while (rank != part);
      ++number;
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // An item, and the part whose last item it is: the item's rank names that part.
  struct Part {
    std::uint64_t sum;
    std::uint32_t count;      // items
    std::uint32_t next;       // part of the state
    std::uint32_t next_item;  // in the ring of a part's items: behind the last is the first
    std::uint32_t item;       // its number
  };
  // Its parts are a list, the heaviest first.
  struct State {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t parts;
  };

  constexpr std::uint32_t first_item(std::uint32_t part) const {
    return part_[part_[part].next_item].item;
  }
  constexpr bool is_heavier(std::uint32_t p, std::uint32_t q) const {
    if (part_[p].sum != part_[q].sum) return part_[p].sum > part_[q].sum;
    if (part_[p].count != part_[q].count) return part_[p].count > part_[q].count;
    return first_item(p) > first_item(q);
  }
  // Joins two parts, the items of p first. Returns the name of the new part.
  constexpr std::uint32_t join(std::uint32_t p, std::uint32_t q) {
    std::swap(part_[p].next_item, part_[q].next_item);
    part_[q].sum += part_[p].sum;
    part_[q].count += part_[p].count;
    return q;
  }

  // The state of the first `size` parts of row_, of which the first `sorted` are in order.
  constexpr State closed(std::uint32_t sorted, std::uint32_t size) {
    const auto heavier = [this](std::uint32_t p, std::uint32_t q) { return is_heavier(p, q); };
    for (std::uint32_t i = sorted; i < size; ++i) {
      (void)insert_sorted(row_.data(), static_cast<int>(i), std::uint32_t{row_[i]}, heavier);
    }
    for (std::uint32_t i = 1; i < size; ++i) part_[row_[i - 1]].next = row_[i];
    part_[row_[size - 1]].next = none;
    return {row_[0], row_[size - 1], size};
  }

  constexpr void sift(std::uint32_t at) {
    const auto spread = [this](const State& state) {
      return part_[state.first].sum - (state.parts == parts_ ? part_[state.last].sum : 0);
    };
    sift_down(states_.data(), at, state_count_, [&](const State& a, const State& b) {
      if (spread(a) != spread(b)) return spread(a) > spread(b);
      return is_heavier(a.first, b.first);
    });
  }

  // States of `row` items each, from the lowest costs on.
  constexpr void begin(std::uint32_t row) {
    std::uint32_t size = items_ % row != 0 ? items_ % row : row;
    std::uint32_t left = size;  // of the row, which is filled from its end
    for (std::uint32_t end = items_; end != 0;) {
      std::uint32_t equal = end - 1;
      while (equal != 0 && part_[equal - 1].sum == part_[end - 1].sum) --equal;
      for (std::uint32_t rank = equal; rank != end; ++rank) {
        row_[--left] = rank;
        if (left != 0) continue;
        states_[state_count_++] = closed(size, size);
        left = size = row;
      }
      end = equal;
    }
  }

  constexpr State joined(const State& a, const State& b) {
    std::uint32_t p = a.first;
    std::uint32_t q = b.first;
    std::uint32_t size = 0;
    const auto take = [&](std::uint32_t& part, std::uint32_t count) {
      for (; count != 0 && part != none; --count, part = part_[part].next) row_[size++] = part;
    };
    // The heaviest parts of each meet the empty ones of the other. They stay in order: where both
    // have empty parts, one is a single item. As `a` it is no lighter than any part of b, and as
    // `b` no heavier than any part of a.
    take(p, parts_ - b.parts);
    take(q, parts_ - a.parts);
    const std::uint32_t first = size;
    take(q, parts_);
    // The rest of b is reversed: its lightest part joins the heaviest part that is left of a.
    for (std::uint32_t i = first, k = size; i < k; ++i) std::swap(row_[i], row_[--k]);
    for (std::uint32_t i = first; i < size; ++i, p = part_[p].next) row_[i] = join(p, row_[i]);
    return closed(first, size);
  }

  std::uint32_t items_;
  std::uint32_t parts_;
  SmallVector<Part, 8> part_;          // by the rank of an item
  SmallVector<State, 8> states_;       // a heap
  SmallVector<std::uint32_t, 8> row_;  // the parts of a state that is made
  std::uint32_t state_count_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
