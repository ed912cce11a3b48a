// SPDX-License-Identifier: MIT
// Karmarkar and Karp's largest differencing method, with the ties of verl's seqlen_balancing.py,
// but in memory for the items alone: of a state only the parts with items are kept.
#ifndef RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
#define RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP

#include <rankmap/detail/sift_down.hpp>
#include <rankmap/detail/small_vector.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// A state is a cut of some items into `parts` parts, the heaviest first. The two states of largest
/// spread, heaviest less lightest, become one: part i of the first joins part parts - 1 - i of the
/// second, until one is left. It begins with a state for each item or, for equal counts, for each
/// row of `parts` items by cost, of which the first may be short. O(items * parts) at most.
class Differencing {
 public:
  /// `cost(rank)` and `item(rank)` are those of the items by rank: the largest cost first, of equal
  /// costs the lower item first. Precondition: items >= 1.
  template <class Cost, class Item>
  constexpr Differencing(std::uint32_t items, std::uint32_t parts, const Cost& cost,
                         const Item& item)
      : items_(items), parts_(parts) {
    memory_.resize(items);
    part_ = memory_.data();
    states_.resize(items);
    for (std::uint32_t rank = 0; rank != items; ++rank) {
      part_[rank] = {cost(rank), 1, none, rank, item(rank)};
    }
  }
  Differencing(const Differencing&) = delete;
  Differencing& operator=(const Differencing&) = delete;
  constexpr ~Differencing() = default;

  /// Calls take(rank, part) for each item. Part 0 is the heaviest, and so on.
  template <class Take>
  constexpr void cut(bool equal_counts, const Take& take) {
    begin(equal_counts ? parts_ : 1);
    for (std::uint32_t i = state_count_ / 2; i-- != 0;) sift(i);
    while (state_count_ > 1) {
      const State first = states_[0];
      states_[0] = states_[--state_count_];
      sift(0);
      states_[0] = joined(first, states_[0]);
      sift(0);
    }
    std::uint32_t number = 0;
    for (std::uint32_t part = opened(states_[0]); part != none; part = part_[part].next) {
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

  // An item, and the part that is called by its last item.
  struct Part {
    std::uint64_t sum;
    std::uint32_t count;      // items
    std::uint32_t next;       // part of the state
    std::uint32_t next_item;  // in the ring of a part's items: behind the last is the first
    std::uint32_t item;       // its number
  };
  // A ring of its parts, too: behind the last one is the heaviest.
  struct State {
    std::uint32_t last;
    std::uint32_t parts;
  };
  // The parts of a state that is made.
  struct List {
    std::uint32_t head = none;
    std::uint32_t last = none;
    std::uint32_t size = 0;
  };

  constexpr std::uint32_t first_item(std::uint32_t part) const {
    return part_[part_[part].next_item].item;
  }
  constexpr bool is_heavier(std::uint32_t p, std::uint32_t q) const {
    if (part_[p].sum != part_[q].sum) return part_[p].sum > part_[q].sum;
    if (part_[p].count != part_[q].count) return part_[p].count > part_[q].count;
    return first_item(p) > first_item(q);
  }
  // The items of p come before those of q. Returns the name of the new part.
  constexpr std::uint32_t join(std::uint32_t p, std::uint32_t q) {
    const std::uint32_t first = part_[p].next_item;
    part_[p].next_item = part_[q].next_item;
    part_[q].next_item = first;
    part_[q].sum += part_[p].sum;
    part_[q].count += part_[p].count;
    return q;
  }

  constexpr State closed(const List& list) {
    part_[list.last].next = list.head;
    return {list.last, list.size};
  }
  constexpr std::uint32_t opened(State state) {
    const std::uint32_t head = part_[state.last].next;
    part_[state.last].next = none;
    return head;
  }
  // After `before`, or at the head.
  constexpr void insert(List& list, std::uint32_t before, std::uint32_t part) {
    std::uint32_t& link = before == none ? list.head : part_[before].next;
    part_[part].next = link;
    link = part;
    if (before == list.last) list.last = part;
    ++list.size;
  }

  constexpr void sift(std::uint32_t at) {
    const auto heaviest = [this](State state) { return part_[state.last].next; };
    const auto spread = [this, heaviest](State state) {
      const std::uint64_t least = state.parts == parts_ ? part_[state.last].sum : 0;
      return part_[heaviest(state)].sum - least;
    };
    sift_down(states_.data(), at, state_count_, [&](State a, State b) {
      if (spread(a) != spread(b)) return spread(a) > spread(b);
      return is_heavier(heaviest(a), heaviest(b));
    });
  }

  // States of `row` items each, from the lowest costs on.
  constexpr void begin(std::uint32_t row) {
    List list;
    std::uint32_t size = items_ % row != 0 ? items_ % row : row;
    for (std::uint32_t end = items_; end != 0;) {
      std::uint32_t equal = end - 1;
      while (equal != 0 && part_[equal - 1].sum == part_[end - 1].sum) --equal;
      for (std::uint32_t rank = equal; rank != end; ++rank) {
        insert(list, none, rank);
        if (list.size != size) continue;
        states_[state_count_++] = closed(list);
        list = List();
        size = row;
      }
      end = equal;
    }
  }

  constexpr State joined(State a, State b) {
    std::uint32_t p = opened(a);
    std::uint32_t q = opened(b);
    // The heaviest parts of each meet the empty ones of the other. At most one of the two states
    // has between 1 and all parts, unless b is an item, and that is no heavier than what came
    // before.
    List list;
    const auto append = [&](std::uint32_t& part, std::uint32_t count) {
      for (; count != 0 && part != none; --count) {
        const std::uint32_t next = part_[part].next;
        insert(list, list.last, part);
        part = next;
      }
    };
    append(p, parts_ - b.parts);
    append(q, parts_ - a.parts);
    std::uint32_t lightest = none;  // of b, the order turned round
    while (q != none) {
      const std::uint32_t next = part_[q].next;
      part_[q].next = lightest;
      lightest = q;
      q = next;
    }
    while (p != none) {
      const std::uint32_t next = part_[p].next;
      const std::uint32_t next_lightest = part_[lightest].next;
      const std::uint32_t part = join(p, lightest);
      std::uint32_t before = none;
      for (std::uint32_t at = list.head; at != none && is_heavier(at, part); at = part_[at].next) {
        before = at;
      }
      insert(list, before, part);
      p = next;
      lightest = next_lightest;
    }
    return closed(list);
  }

  std::uint32_t items_;
  std::uint32_t parts_;
  SmallVector<Part, 8> memory_;
  Part* part_ = nullptr;          // by the rank of an item
  SmallVector<State, 8> states_;  // a heap
  std::uint32_t state_count_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
