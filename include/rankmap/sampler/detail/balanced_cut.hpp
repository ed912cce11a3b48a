// SPDX-License-Identifier: MIT
// How items of unequal cost are cut into parts: the longest first, first fit at a bisected
// capacity, the differencing method, and exchanges out of the heaviest part. Every tie has a rule,
// so the result depends on the costs alone.
#ifndef RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP
#define RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP

#include <rankmap/detail/radix_sort.hpp>
#include <rankmap/sampler/detail/differencing.hpp>
#include <rankmap/sampler/detail/words.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0::detail {

/// Whether the differencing method is tried: its cost is O(items * parts).
constexpr bool has_differencing(std::uint64_t items, std::uint64_t parts) {
  return items * parts <= std::uint64_t{1} << 24U;
}

/// One problem: items with a cost each, of which `part_of[item]` becomes the part. Preconditions:
/// fewer than 2^31 items; the sum of the costs below 2^63. `Part` is an unsigned integer that holds
/// the numbers of parts and items.
template <class Part>
class BalancedCut {
 public:
  /// Sorts the items. `words` holds as many as `words_needed` for each cut.
  constexpr BalancedCut(std::span<const std::uint64_t> costs, Part* part_of, std::uint64_t* words)
      : costs_(costs.data()),
        items_(static_cast<std::uint32_t>(costs.size())),
        part_of_(part_of),
        words_(words) {
    sort_descending(words_, part_of_, items_, [this](std::size_t i) { return costs_[i]; });
    for (std::uint64_t rank = items_; rank-- != 0;) {
      const std::uint64_t item = words_[rank];
      words_[2 * rank + 1] = item;
      words_[2 * rank] = costs_[item];
      sum_ += costs_[item];
    }
  }
  static constexpr std::uint64_t words_needed(std::uint64_t items, std::uint64_t parts) {
    return 2 * items + 2 * parts +
           (has_differencing(items, parts) ? Differencing::words_of_item * items : 0);
  }

  constexpr std::uint64_t sum() const { return sum_; }
  /// No cut into `parts` >= 1 has a heaviest part below this.
  constexpr std::uint64_t bound(std::uint32_t parts) const {
    const std::uint64_t mean = sum_ / parts + (sum_ % parts != 0 ? 1U : 0U);
    const std::uint64_t longest = items_ == 0 ? 0 : cost(0);
    return mean > longest ? mean : longest;
  }

  /// Counts within one of each other. Returns the heaviest load.
  constexpr std::uint64_t even(std::uint32_t parts) {
    begin(parts);
    longest_first(true);
    return difference(true, exchange(false));
  }
  /// Any counts, none 0 where there are as many items as parts. Returns the heaviest load. Where it
  /// is above `cap`, first fit does not keep the cap either.
  constexpr std::uint64_t free(std::uint32_t parts, std::uint64_t cap) {
    begin(parts);
    longest_first(false);
    std::uint64_t heaviest = load_parts();
    std::uint64_t low = bound(parts);
    // With very many items the exchanges reach the bound alone.
    for (std::uint64_t trials = most_trial_items / (items_ + 1U); low < heaviest && trials != 0;
         --trials) {
      const std::uint64_t capacity = low + (heaviest - low) / 2;
      if (first_fit(capacity, parts)) {
        heaviest = take_fit();
      } else {
        low = capacity + 1;
      }
    }
    heaviest = difference(false, exchange(true));
    if (heaviest > cap && first_fit(cap, parts)) heaviest = take_fit();
    return heaviest;
  }
  /// How many items the exchanges of the last cut looked at.
  constexpr std::uint64_t visits() const { return visits_; }
  /// The exchanges stop above this.
  constexpr std::uint64_t most_visits() const {
    return 8 * std::uint64_t{items_} + (std::uint64_t{1} << 20U);
  }

  /// Puts each item, the longest first, into the first of `parts` parts that has room for it: not
  /// into part_of yet. False where one does not fit.
  constexpr bool first_fit(std::uint64_t capacity, std::uint32_t parts) {
    // A tree of maxima: `most(p)` is the largest room of the parts from p + 1 - lowbit(p + 1) to p.
    std::uint64_t* const room = words_ + 2 * std::uint64_t{items_};
    std::uint64_t* const most = room + parts;
    for (std::uint32_t p = 0; p != parts; ++p) {
      room[p] = capacity;
      most[p] = capacity;
    }
    std::uint32_t top = 1;
    while (top <= parts / 2) top *= 2;
    fitted_ = 0;
    placed_ += items_;
    for (std::uint32_t rank = 0; rank != items_; ++rank) {
      std::uint32_t part = 0;
      for (std::uint32_t step = top; step != 0; step /= 2) {
        if (step <= parts - part && most[part + step - 1] < cost(rank)) part += step;
      }
      if (part == parts) return false;
      set_high(node(rank), part);
      if (part >= fitted_) fitted_ = part + 1;
      const std::uint64_t before = room[part];
      room[part] -= cost(rank);
      for (std::uint64_t node = part + std::uint64_t{1}; node <= parts; node += node & (0 - node)) {
        if (most[node - 1] != before) break;  // another part has more room
        std::uint64_t largest = room[node - 1];
        for (std::uint64_t child = 1; child < (node & (0 - node)); child *= 2) {
          if (most[node - 1 - child] > largest) largest = most[node - 1 - child];
        }
        most[node - 1] = largest;
      }
    }
    return true;
  }
  /// Parts that the last first fit used: the first ones.
  constexpr std::uint32_t fitted() const { return fitted_; }
  /// Items that were put into parts, in all cuts.
  constexpr std::uint64_t placed() const { return placed_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint64_t most_trial_items = std::uint64_t{1} << 19U;  // of all first fits

  constexpr void begin(std::uint32_t parts) {
    parts_ = parts;
    first_ = words_ + 2 * std::uint64_t{items_};
    second_ = first_ + parts;
    visits_ = 0;
  }

  // Items go by their rank, the longest first: what is read together is together in memory.
  constexpr std::uint64_t cost(std::uint32_t rank) const {
    return rank == none ? 0 : words_[2 * std::uint64_t{rank}];
  }
  constexpr std::uint64_t& node(std::uint32_t rank) const {
    return words_[2 * std::uint64_t{rank} + 1];
  }
  constexpr std::uint32_t item(std::uint32_t rank) const {
    return rank == none ? none : low_half(node(rank));
  }
  constexpr std::uint32_t part_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(part_of_[item(rank)]);
  }
  constexpr void set_part(std::uint32_t rank, std::uint32_t part) {
    part_of_[item(rank)] = static_cast<Part>(part);
  }

  // A heap of parts in the low halves of second_, the first by `before` at its head.
  template <class Before>
  constexpr void sift(std::uint32_t at, std::uint32_t size, const Before& before) {
    sift_down(
        at, size, [this](std::uint32_t i) { return low_half(second_[i]); },
        [this](std::uint32_t i, std::uint32_t part) { set_low(second_[i], part); }, before);
  }
  template <class Before>
  constexpr void make_heap(const Before& before) {
    for (std::uint32_t p = 0; p != parts_; ++p) set_low(second_[p], p);
    for (std::uint32_t p = parts_ / 2; p-- != 0;) sift(p, parts_, before);
  }
  constexpr auto lighter() const {
    return [this](std::uint32_t p, std::uint32_t q) {
      return first_[p] != first_[q] ? first_[p] < first_[q] : p < q;
    };
  }

  // Each item to the part of least load, the lowest of these. Even: no part gets more than its
  // count. Otherwise the last items go to the parts that would be empty.
  constexpr void longest_first(bool even) {
    // A heap of parts that may have one more: the load in first_, the part and its count in
    // second_.
    struct Entry {
      std::uint64_t load;
      std::uint64_t part;
    };
    std::uint32_t size = parts_;
    const auto put = [&](std::uint32_t at, const Entry& entry) {
      first_[at] = entry.load;
      second_[at] = entry.part;
    };
    const auto get = [&](std::uint32_t at) { return Entry{first_[at], second_[at]}; };
    const auto settle = [&] {
      sift_down(0, size, get, put, [](const Entry& a, const Entry& b) {
        return a.load != b.load ? a.load < b.load : low_half(a.part) < low_half(b.part);
      });
    };
    for (std::uint32_t p = 0; p != parts_; ++p) put(p, {0, p});
    placed_ += items_;
    const std::uint32_t least = items_ / parts_;
    std::uint32_t longer = items_ % parts_;  // parts that may still have one more
    std::uint32_t empty = parts_;
    for (std::uint32_t rank = 0; rank != items_; ++rank) {
      const auto is_closed = [&](std::uint32_t count) {
        if (!even) return count != 0 && items_ - rank <= empty;
        return count > least || (count == least && longer == 0);
      };
      while (is_closed(high_half(second_[0]))) {
        put(0, get(--size));
        settle();
      }
      const std::uint32_t count = high_half(second_[0]);
      if (even && count == least) --longer;
      if (count == 0) --empty;
      set_part(rank, low_half(second_[0]));
      set_high(second_[0], count + 1);
      first_[0] += cost(rank);
      settle();
    }
  }

  // first_ becomes the loads. Returns the heaviest.
  constexpr std::uint64_t load_parts() {
    for (std::uint32_t p = 0; p != parts_; ++p) first_[p] = 0;
    std::uint64_t heaviest = 0;
    for (std::uint32_t rank = 0; rank != items_; ++rank) {
      const std::uint64_t load = first_[part_of(rank)] += cost(rank);
      if (load > heaviest) heaviest = load;
    }
    return heaviest;
  }

  // What the last first fit found becomes the cut, without an empty part: each takes the last item
  // of the part with most items, the lowest of these. Returns the heaviest load.
  constexpr std::uint64_t take_fit() {
    for (std::uint32_t rank = 0; rank != items_; ++rank) set_part(rank, high_half(node(rank)));
    if (fitted_ < parts_ && items_ >= parts_) {
      for (std::uint32_t p = 0; p != parts_; ++p) {
        first_[p] = 0;  // items
        set_high(second_[p], none);
      }
      for (std::uint32_t rank = 0; rank != items_; ++rank) {
        ++first_[part_of(rank)];
        link(second_[part_of(rank)], rank);
      }
      const auto fuller = [this](std::uint32_t p, std::uint32_t q) {
        return first_[p] != first_[q] ? first_[p] > first_[q] : p < q;
      };
      make_heap(fuller);
      // A part that was empty has one item then, and gives none: some part has two.
      for (std::uint32_t p = fitted_; p != parts_; ++p) {
        const std::uint32_t from = low_half(second_[0]);
        const std::uint32_t last = high_half(second_[from]);
        set_high(second_[from], next(last));
        set_part(last, p);
        --first_[from];
        sift(0, parts_, fuller);
      }
    }
    return load_parts();
  }

  // Tries the differencing method as another start of the exchanges, and keeps the better cut: the
  // one that is there if both are as good. Returns the heaviest load.
  constexpr std::uint64_t difference(bool even, std::uint64_t heaviest) {
    if (heaviest <= bound(parts_) || items_ <= parts_) return heaviest;
    if (!has_differencing(items_, parts_)) return heaviest;
    std::uint64_t* const words = second_ + parts_;
    Differencing(costs_, items_, parts_, words_ + 1, words)
        .cut(even, [&](std::uint32_t item, std::uint32_t part) { words[item] = part; });
    for (std::uint32_t i = 0; i != items_; ++i) {
      set_high(words[i], static_cast<std::uint32_t>(part_of_[i]));
      part_of_[i] = static_cast<Part>(low_half(words[i]));
    }
    const std::uint64_t other = exchange(!even);
    if (other < heaviest) return other;
    for (std::uint32_t i = 0; i != items_; ++i)
      part_of_[i] = static_cast<Part>(high_half(words[i]));
    return heaviest;
  }

  // The items of a part are a list: the first in the high half of second_, the next of each in the
  // high half of its node. This one comes after what `before` is of.
  constexpr void link(std::uint64_t& before, std::uint32_t rank) {
    set_high(node(rank), high_half(before));
    set_high(before, rank);
  }
  constexpr std::uint32_t next(std::uint32_t rank) const { return high_half(node(rank)); }

  // An item of the heaviest part for an item of part `to`, or for none.
  struct Exchange {
    std::uint64_t load;  // the heavier of both parts afterwards
    std::uint32_t to;
    std::uint32_t give;
    std::uint32_t take;
  };
  constexpr bool is_better(const Exchange& a, const Exchange& b) const {
    if (a.load != b.load) return a.load < b.load;
    if (a.to != b.to) return a.to < b.to;
    return a.give != b.give ? item(a.give) < item(b.give) : item(a.take) < item(b.take);
  }

  // The best exchange of two parts, if it is better than `best`. One walk along both lists.
  constexpr void consider(std::uint32_t from, std::uint32_t to, bool moves, Exchange& best) {
    const std::uint64_t gap = first_[from] - first_[to];
    const auto offer = [&](std::uint32_t give, std::uint32_t take) {
      const std::uint64_t shift = cost(give) - cost(take);
      if (cost(give) <= cost(take) || shift >= gap) return;
      const std::uint64_t left = first_[from] - shift;
      const std::uint64_t grown = first_[to] + shift;
      const Exchange offered{left > grown ? left : grown, to, give, take};
      if (is_better(offered, best)) best = offered;
    };
    // For each item to give, the ideal shift is half of the gap. `after` is the first item that
    // shifts more, `at` the first of those that cost as much as the one before it.
    std::uint32_t at = none;
    std::uint32_t after = high_half(second_[to]);
    for (std::uint32_t give = high_half(second_[from]); give != none; give = next(give)) {
      ++visits_;
      while (after != none && (after < give || cost(give) - cost(after) <= gap / 2)) {
        ++visits_;
        if (at == none || cost(at) != cost(after)) at = after;
        after = next(after);
      }
      if (at != none) offer(give, at);
      if (after != none) offer(give, after);
      if (moves) offer(give, none);
    }
  }

  constexpr void unlink(std::uint32_t part, std::uint32_t rank) {
    std::uint64_t* before = &second_[part];
    for (; high_half(*before) != rank; ++visits_) before = &node(high_half(*before));
    set_high(*before, next(rank));
  }
  constexpr void insert(std::uint32_t part, std::uint32_t rank) {
    std::uint64_t* before = &second_[part];
    for (; high_half(*before) < rank; ++visits_) before = &node(high_half(*before));
    link(*before, rank);
    set_part(rank, part);
  }

  // Sets the load of the part at place `at` of those by load, and moves it to its new place.
  constexpr void reload(std::uint32_t at, std::uint64_t load) {
    const std::uint32_t part = low_half(second_[at]);
    first_[part] = load;
    for (; at != 0 && lighter()(part, low_half(second_[at - 1])); --at) {
      set_low(second_[at], low_half(second_[at - 1]));
    }
    for (; at + 1 != parts_ && lighter()(low_half(second_[at + 1]), part); ++at) {
      set_low(second_[at], low_half(second_[at + 1]));
    }
    set_low(second_[at], part);
  }
  constexpr std::uint32_t place_of(std::uint32_t part) const {
    std::uint32_t at = 0;
    while (low_half(second_[at]) != part) ++at;
    return at;
  }

  // While it makes the heaviest part lighter: the best exchange of it with any other part. With
  // `moves`, items may also move alone, and the heaviest part need not fall below the bound.
  // Returns the heaviest load.
  constexpr std::uint64_t exchange(bool moves) {
    const std::uint64_t reached = load_parts();
    if (parts_ == 1 || items_ <= parts_) return reached;
    for (std::uint32_t p = 0; p != parts_; ++p) set_high(second_[p], none);
    for (std::uint32_t rank = items_; rank-- != 0;) {
      link(second_[part_of(rank)], rank);
    }
    const auto heavier = [this](std::uint32_t p, std::uint32_t q) { return lighter()(q, p); };
    make_heap(heavier);
    for (std::uint32_t size = parts_; size-- > 1;) {  // the lightest comes to the front
      const std::uint32_t head = low_half(second_[0]);
      set_low(second_[0], low_half(second_[size]));
      set_low(second_[size], head);
      sift(0, size, heavier);
    }
    const std::uint64_t enough = moves ? bound(parts_) : 0;
    for (std::uint32_t done = 0;; ++done) {
      std::uint32_t heaviest = parts_ - 1;
      const std::uint64_t load = first_[low_half(second_[heaviest])];
      while (heaviest != 0 && first_[low_half(second_[heaviest - 1])] == load) --heaviest;
      const std::uint32_t from = low_half(second_[heaviest]);
      if (load <= enough || done == items_) return load;
      visits_ += parts_;
      Exchange best{load, 0, 0, 0};
      for (std::uint32_t i = 0; i != heaviest; ++i) {
        const std::uint32_t to = low_half(second_[i]);
        const std::uint64_t least = load - (load - first_[to]) / 2;
        if (least > best.load || least == load) break;
        if (least < best.load || to < best.to) consider(from, to, moves, best);
        if (visits_ > most_visits()) return load;
      }
      if (best.load == load) return load;
      const std::uint64_t given = cost(best.give);
      const std::uint64_t taken = cost(best.take);
      unlink(from, best.give);
      if (best.take != none) {
        unlink(best.to, best.take);
        insert(from, best.take);
      }
      insert(best.to, best.give);
      reload(heaviest, load - given + taken);
      reload(place_of(best.to), first_[best.to] + given - taken);
    }
  }

  const std::uint64_t* costs_;
  std::uint32_t items_;
  Part* part_of_;
  std::uint64_t* words_;  // two of each item by rank: the cost; the item, and in the high half the
                          // next of a list or the part of a trial
  std::uint32_t parts_ = 0;
  std::uint64_t* first_ = nullptr;   // of each part: its load, or its count
  std::uint64_t* second_ = nullptr;  // low half: parts by load; high half: a count or first item
  std::uint64_t sum_ = 0;
  std::uint64_t visits_ = 0;
  std::uint64_t placed_ = 0;
  std::uint32_t fitted_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_BALANCED_CUT_HPP
