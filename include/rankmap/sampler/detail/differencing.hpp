// SPDX-License-Identifier: MIT
// Karmarkar and Karp's largest differencing method, with the ties of verl's seqlen_balancing.py,
// but in memory for the items alone: of a state only the parts with items are kept.
#ifndef RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
#define RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP

#include <rankmap/sampler/detail/words.hpp>
#include <rankmap/version.hpp>

#include <cstdint>

namespace rankmap::inline v0::detail {

/// A state is a cut of some items into `parts` parts, the heaviest first. The two states of largest
/// spread, heaviest less lightest, become one: part i of the first joins part parts - 1 - i of the
/// second, until one is left. It begins with a state for each item or, for equal counts, for each
/// row of `parts` items by cost, of which the first may be short. O(items * parts) at most.
class Differencing {
 public:
  static constexpr std::uint64_t words_of_item = 3;

  /// The low half of nodes[2 * i] is the i-th item, the largest cost first, of equal costs the
  /// lower item first. The high halves are used. `words` has words_of_item for each item.
  /// Precondition: items >= 1.
  constexpr Differencing(const std::uint64_t* costs, std::uint32_t items, std::uint32_t parts,
                         std::uint64_t* nodes, std::uint64_t* words)
      : items_(items),
        parts_(parts),
        nodes_(nodes),
        sum_(words),
        next_part_(words + items),
        heap_(words + 2 * std::uint64_t{items}) {
    for (std::uint32_t item = 0; item != items; ++item) {
      set_high(node(item), item);
      sum_[item] = costs[item];
      next_part_[item] = std::uint64_t{1} << 32U | none;  // one item
    }
  }

  /// Calls take(item, part) for each item. Part 0 is the heaviest, and so on.
  template <class Take>
  constexpr void cut(bool equal_counts, const Take& take) {
    begin(equal_counts ? parts_ : 1);
    for (std::uint32_t i = states_ / 2; i-- != 0;) sift(i);
    while (states_ > 1) {
      const std::uint64_t first = heap_[0];
      heap_[0] = heap_[--states_];
      sift(0);
      heap_[0] = joined(first, heap_[0]);
      sift(0);
    }
    std::uint32_t number = 0;
    for (std::uint32_t part = opened(heap_[0]); part != none; part = next_part(part)) {
      std::uint32_t item = part;
      do {
        item = high_half(node(item));
        take(item, number);
      } while (item != part);
      ++number;
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  constexpr std::uint64_t& node(std::uint32_t i) const { return nodes_[2 * std::uint64_t{i}]; }

  // A part is named by its last item; its items are a ring, so that the first one is next to it.
  constexpr std::uint32_t first_item(std::uint32_t part) const { return high_half(node(part)); }
  constexpr bool is_heavier(std::uint32_t p, std::uint32_t q) const {
    if (sum_[p] != sum_[q]) return sum_[p] > sum_[q];
    const std::uint32_t in_p = high_half(next_part_[p]);
    const std::uint32_t in_q = high_half(next_part_[q]);
    return in_p != in_q ? in_p > in_q : first_item(p) > first_item(q);
  }
  // The items of p come before those of q. Returns the name of the new part.
  constexpr std::uint32_t join(std::uint32_t p, std::uint32_t q) {
    const std::uint32_t first = first_item(p);
    set_high(node(p), first_item(q));
    set_high(node(q), first);
    sum_[q] += sum_[p];
    set_high(next_part_[q], high_half(next_part_[q]) + high_half(next_part_[p]));
    return q;
  }

  constexpr std::uint32_t next_part(std::uint32_t part) const { return low_half(next_part_[part]); }
  constexpr void set_next(std::uint32_t part, std::uint32_t next) {
    set_low(next_part_[part], next);
  }

  // A state in the heap is a ring of its parts too: its last part, and in the high half how many.
  struct List {
    std::uint32_t head = none;
    std::uint32_t last = none;
    std::uint32_t size = 0;
  };
  constexpr std::uint64_t closed(const List& list) {
    set_next(list.last, list.head);
    return std::uint64_t{list.size} << 32U | list.last;
  }
  constexpr std::uint32_t opened(std::uint64_t state) {
    const std::uint32_t head = next_part(low_half(state));
    set_next(low_half(state), none);
    return head;
  }
  // After `before`, or at the head.
  constexpr void insert(List& list, std::uint32_t before, std::uint32_t part) {
    set_next(part, before == none ? list.head : next_part(before));
    if (before == none) {
      list.head = part;
    } else {
      set_next(before, part);
    }
    if (before == list.last) list.last = part;
    ++list.size;
  }

  constexpr bool comes_first(std::uint64_t a, std::uint64_t b) const {
    const auto spread = [this](std::uint64_t state) {
      const std::uint32_t last = low_half(state);
      return sum_[next_part(last)] - (high_half(state) == parts_ ? sum_[last] : 0);
    };
    if (spread(a) != spread(b)) return spread(a) > spread(b);
    return is_heavier(next_part(low_half(a)), next_part(low_half(b)));
  }
  constexpr void sift(std::uint32_t at) {
    sift_down(
        at, states_, [this](std::uint32_t i) { return heap_[i]; },
        [this](std::uint32_t i, std::uint64_t state) { heap_[i] = state; },
        [this](std::uint64_t a, std::uint64_t b) { return comes_first(a, b); });
  }

  // States of `row` items each, from the lowest costs on.
  constexpr void begin(std::uint32_t row) {
    List list;
    std::uint32_t size = items_ % row != 0 ? items_ % row : row;
    const auto cost = [this](std::uint32_t rank) { return sum_[low_half(node(rank))]; };
    for (std::uint32_t end = items_; end != 0;) {
      std::uint32_t equal = end - 1;
      while (equal != 0 && cost(equal - 1) == cost(end - 1)) --equal;
      for (std::uint32_t rank = equal; rank != end; ++rank) {
        insert(list, none, low_half(node(rank)));
        if (list.size != size) continue;
        heap_[states_++] = closed(list);
        list = List();
        size = row;
      }
      end = equal;
    }
  }

  constexpr std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
    const std::uint32_t in_a = high_half(a);
    const std::uint32_t in_b = high_half(b);
    std::uint32_t p = opened(a);
    std::uint32_t q = opened(b);
    // The heaviest parts of each meet the empty ones of the other. At most one of the two states
    // has between 1 and all parts, unless b is an item, and that is no heavier than what came
    // before.
    List list;
    const auto append = [&](std::uint32_t& part, std::uint32_t count) {
      for (; count != 0 && part != none; --count) {
        const std::uint32_t next = next_part(part);
        insert(list, list.last, part);
        part = next;
      }
    };
    append(p, parts_ - in_b);
    append(q, parts_ - in_a);
    std::uint32_t lightest = none;  // of b, the order turned round
    while (q != none) {
      const std::uint32_t next = next_part(q);
      set_next(q, lightest);
      lightest = q;
      q = next;
    }
    while (p != none) {
      const std::uint32_t next = next_part(p);
      const std::uint32_t next_lightest = next_part(lightest);
      const std::uint32_t part = join(p, lightest);
      std::uint32_t before = none;
      for (std::uint32_t at = list.head; at != none && is_heavier(at, part); at = next_part(at)) {
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
  std::uint32_t states_ = 0;
  std::uint64_t* nodes_;      // low half: an item by rank; high half: the next item in its part
  std::uint64_t* sum_;        // of a part
  std::uint64_t* next_part_;  // low half: the next part of the state; high half: a part's items
  std::uint64_t* heap_;       // states
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_DIFFERENCING_HPP
