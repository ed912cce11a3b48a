// SPDX-License-Identifier: MIT
//
// Pinned cuts define `balance`: red means that ranks with another version cut otherwise, which is a
// breaking change. Small worlds are compared with brute force, larger ones with the plain methods
// of others: the longest first, and verl's Karmarkar-Karp.
#include <rankmap/sampler/balance.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using rankmap::attention_cost;
using rankmap::balance;
using rankmap::BalanceOptions;
using rankmap::Counts;
using rankmap::parts_within;
using rankmap::Result;
using List = std::vector<std::uint64_t>;
using Parts = std::vector<std::uint32_t>;

struct PinnedCut {
  Counts counts;
  int parts;
  std::size_t items;
  std::uint64_t costs[10];
  std::uint32_t part_of[10];
  std::uint64_t heaviest;
};
constexpr PinnedCut pinned[] = {
    {Counts::even, 2, 5, {8, 7, 6, 5, 4}, {1, 1, 0, 0, 0}, 15},  // 17 and 13 before the exchange
    {Counts::even, 2, 5, {3, 3, 2, 2, 2}, {1, 1, 0, 0, 0}, 6},
    {Counts::even, 3, 7, {100, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 1, 2, 1, 0}, 101},
    {Counts::even, 4, 8, {512, 128, 2048, 64, 64, 1024, 256, 32}, {2, 3, 0, 2, 1, 1, 3, 0}, 2080},
    {Counts::even, 2, 3, {0, 0, 0}, {0, 0, 1}, 0},
    {Counts::even, 1, 3, {5, 0, 2}, {0, 0, 0}, 7},
    {Counts::even, 4, 2, {5, 6}, {1, 0}, 6},  // alone, and the rest is empty
    {Counts::even, 3, 0, {}, {}, 0},
    {Counts::free, 2, 5, {8, 7, 6, 5, 4}, {0, 0, 1, 1, 1}, 15},
    {Counts::free, 3, 7, {100, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 1, 2, 1, 2}, 100},
    {Counts::free, 3, 6, {4, 4, 4, 3, 3, 3}, {0, 1, 2, 0, 1, 2}, 7},
    {Counts::free, 3, 5, {5, 4, 3, 2, 1}, {0, 1, 2, 2, 1}, 5},
    {Counts::free, 3, 4, {0, 0, 0, 0}, {0, 0, 1, 2}, 0},  // no part is empty
    {Counts::free, 4, 2, {5, 6}, {1, 0}, 6},
};
constexpr bool holds(const PinnedCut& c) {
  std::uint32_t part_of[10] = {};
  const auto heaviest = balance({c.costs, c.items}, c.parts, {part_of, c.items}, {c.counts});
  if (!heaviest || *heaviest != c.heaviest) return false;
  for (std::size_t i = 0; i != c.items; ++i) {
    if (part_of[i] != c.part_of[i]) return false;
  }
  return true;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(balance, never_changes_its_cuts) {
  for (const PinnedCut& c : pinned) EXPECT_TRUE(holds(c)) << "row " << &c - pinned;
}

struct Cut {
  std::uint64_t heaviest = 0;
  Parts part_of;
  bool operator==(const Cut&) const = default;
};
// `dirt` is what the caller's memory holds before: nothing may depend on it.
Cut cut(const List& costs, int parts, const BalanceOptions& options = {}, std::uint64_t dirt = 0) {
  Cut out{0, Parts(costs.size(), static_cast<std::uint32_t>(dirt))};
  out.heaviest = balance(costs, parts, out.part_of, options).value();
  return out;
}
List loads(const List& costs, const Parts& part_of, int parts) {
  List out(static_cast<std::size_t>(parts));
  for (std::size_t i = 0; i != costs.size(); ++i) out.at(part_of[i]) += costs[i];
  return out;
}
List counts(const Parts& part_of, int parts) {
  return loads(List(part_of.size(), 1), part_of, parts);
}

// The least heaviest part, by trying all cuts; the parts of a free one are not empty.
std::uint64_t optimum(const List& costs, int parts, Counts how) {
  std::uint64_t best = UINT64_MAX;
  List load(static_cast<std::size_t>(parts));
  List count(load.size());
  const std::uint64_t least = costs.size() / load.size();
  const std::function<void(std::size_t)> place = [&](std::size_t item) {
    if (item != costs.size()) {
      for (std::size_t p = 0; p != load.size(); ++p) {
        load[p] += costs[item];
        ++count[p];
        place(item + 1);
        load[p] -= costs[item];
        if (--count[p] == 0) break;  // all empty parts are alike
      }
      return;
    }
    for (const std::uint64_t c : count) {
      if (how == Counts::even ? c < least || c > least + 1 : c == 0 && least != 0) return;
    }
    best = std::min(best, *std::max_element(load.begin(), load.end()));
  };
  place(0);
  return best;
}

// Costs in ascending order, of 1 to `max_items` items and up to `max_cost`.
template <class Check>
void for_all_small_worlds(std::size_t max_items, std::uint64_t max_cost, const Check& check) {
  List costs;
  const std::function<void()> extend = [&] {
    if (!costs.empty()) check(costs);
    if (costs.size() == max_items) return;
    for (std::uint64_t c = costs.empty() ? 0 : costs.back(); c <= max_cost; ++c) {
      costs.push_back(c);
      extend();
      costs.pop_back();
    }
  };
  extend();
}

TEST(balance, is_optimal_in_all_small_worlds) {
  int worlds = 0;
  for_all_small_worlds(7, 4, [&](const List& costs) {
    for (int parts = 2; parts <= 4; ++parts) {
      ++worlds;
      for (const Counts how : {Counts::even, Counts::free}) {
        const Cut found = cut(costs, parts, {how});
        const List load = loads(costs, found.part_of, parts);
        ASSERT_EQ(found.heaviest, *std::max_element(load.begin(), load.end()));
        ASSERT_EQ(found.heaviest, optimum(costs, parts, how))
            << testing::PrintToString(costs) << ", " << parts << " parts";
      }
    }
  });
  EXPECT_EQ(worlds, 2373);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ ^ (state_ >> 29U)) * 0x9e37'79b9'7f4a'7c15U >> 16U;
  }
  std::uint64_t below(std::uint64_t end) { return word() % end; }
  // Lengths like those of documents: each of `bits` coins doubles one.
  List long_tailed(std::size_t items, unsigned bits) {
    List out(items);
    for (std::uint64_t& length : out) {
      length = (1024 + below(1024)) >> bits / 2;
      for (unsigned bit = 0; bit != bits; ++bit) length <<= word() & 1U;
      length = std::min<std::uint64_t>(length + below(16), 16384);
    }
    return out;
  }

 private:
  std::uint64_t state_;
};

// Each item once, counts as promised, nothing but the costs matters.
TEST(balance, keeps_counts_and_fills_every_part) {
  Random random(1);
  for (int round = 0; round != 3000; ++round) {
    const int parts = static_cast<int>(1 + random.below(9));
    List costs(random.below(40));
    const std::uint64_t end = round % 3 == 0 ? 3 : round % 3 == 1 ? 1000 : std::uint64_t{1} << 40U;
    for (std::uint64_t& cost : costs) cost = random.below(end);
    for (const Counts how : {Counts::even, Counts::free}) {
      const Cut found = cut(costs, parts, {how});
      ASSERT_EQ(found, cut(costs, parts, {how}, UINT64_MAX)) << "depends on the memory";
      const List count = counts(found.part_of, parts);
      const auto [least, most] = std::minmax_element(count.begin(), count.end());
      if (how == Counts::even) {
        ASSERT_LE(*most - *least, 1U);
      } else if (costs.size() >= count.size()) {
        ASSERT_NE(*least, 0U);
      } else {
        ASSERT_LE(*most, 1U);
      }
    }
  }
}

// The methods of others, as plainly as they state them. verl's: a state has all parts, each a sum
// and a list of items, and its lists are compared where sums and counts are equal.
std::uint64_t longest_first(List costs, int parts, Counts how) {
  std::sort(costs.rbegin(), costs.rend());
  List load(static_cast<std::size_t>(parts));
  List count(load.size());
  const std::uint64_t least = costs.size() / load.size();
  std::uint64_t longer = costs.size() % load.size();
  for (const std::uint64_t cost : costs) {
    std::size_t best = load.size();
    for (std::size_t p = 0; p != load.size(); ++p) {
      const bool closed = count[p] > least || (count[p] == least && longer == 0);
      if (how == Counts::even && closed) continue;
      if (best == load.size() || load[p] < load[best]) best = p;
    }
    if (count[best]++ == least) --longer;
    load[best] += cost;
  }
  return *std::max_element(load.begin(), load.end());
}
struct Pile {
  std::uint64_t sum = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> items;
  bool operator>(const Pile& other) const {
    if (sum != other.sum) return sum > other.sum;
    if (items.size() != other.items.size()) return items.size() > other.items.size();
    return items > other.items;
  }
};
using State = std::vector<Pile>;
State karmarkar_karp(const List& costs, std::size_t parts, bool equal) {
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;
  for (std::size_t i = 0; i != costs.size(); ++i) sorted.emplace_back(costs[i], i);
  std::sort(sorted.begin(), sorted.end());
  std::vector<State> states;
  const std::size_t row = equal ? parts : 1;
  // verl asserts that rows are full; here the row of the lowest may be short.
  for (std::size_t at = 0, next = 0; at != sorted.size(); at = next) {
    next = at + (at == 0 && sorted.size() % row != 0 ? sorted.size() % row : row);
    State state(parts);
    for (std::size_t i = at; i != next; ++i) {
      state[i - at] = {sorted[i].first, {{sorted[i].second, sorted[i].first}}};
    }
    std::sort(state.begin(), state.end(), std::greater<>());
    states.push_back(state);
  }
  const auto comes_last = [](const State& a, const State& b) {
    const std::uint64_t spread_a = a.front().sum - a.back().sum;
    const std::uint64_t spread_b = b.front().sum - b.back().sum;
    return spread_a != spread_b ? spread_a < spread_b : b.front() > a.front();
  };
  const auto take_first = [&] {
    std::swap(*std::max_element(states.begin(), states.end(), comes_last), states.back());
    State first = std::move(states.back());
    states.pop_back();
    return first;
  };
  while (states.size() > 1) {
    State first = take_first();
    const State second = take_first();
    for (std::size_t p = 0; p != parts; ++p) {
      const Pile& other = second[parts - 1 - p];
      first[p].sum += other.sum;
      first[p].items.insert(first[p].items.end(), other.items.begin(), other.items.end());
    }
    std::sort(first.begin(), first.end(), std::greater<>());
    states.push_back(std::move(first));
  }
  return states.front();
}

Parts differencing(const List& costs, std::uint32_t parts, bool equal) {
  Parts order(costs.size());
  Parts out(costs.size());
  rankmap::detail::sort_descending(order.data(), out.data(), costs.size(),
                                   [&](std::size_t i) { return costs[i]; });
  rankmap::detail::Differencing(
      static_cast<std::uint32_t>(costs.size()), parts,
      [&](std::uint32_t rank) { return costs[order[rank]]; },
      [&](std::uint32_t rank) { return order[rank]; })
      .cut(equal, [&](std::uint32_t rank, std::uint32_t part) { out[order[rank]] = part; });
  return out;
}

// What verl's own seqlen_balancing.py (commit 1dda039b) printed. Red: the start of the exchanges,
// or the model above, is no longer verl's.
TEST(balance, starts_the_exchanges_at_the_cut_that_verl_makes) {
  struct Row {
    std::uint32_t parts;
    bool equal;
    List costs;
    Parts part_of;
  };
  const List eight = {512, 128, 2048, 64, 64, 1024, 256, 32};
  const Row rows[] = {{2, false, {8, 7, 6, 5, 4}, {1, 0, 1, 0, 0}},
                      {3, false, {8, 7, 6, 5, 4}, {2, 0, 1, 1, 0}},
                      {4, false, {5, 5, 5, 5, 5, 5}, {1, 0, 0, 1, 3, 2}},
                      {3, false, {10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, {0, 1, 2, 0, 2, 1, 2, 1, 0, 1}},
                      {3, true, {4, 1, 7, 3, 9, 2}, {2, 0, 1, 2, 0, 1}},
                      {4, true, eight, {2, 3, 0, 1, 2, 1, 3, 0}},
                      {4, false, eight, {2, 3, 0, 3, 3, 1, 3, 2}}};
  for (const Row& row : rows) {
    EXPECT_EQ(differencing(row.costs, row.parts, row.equal), row.part_of);
  }
  Random random(2);
  for (int round = 0; round != 2000; ++round) {
    const std::size_t parts = 1 + random.below(6);
    const bool equal = round % 2 == 0;
    List costs(1 + random.below(30));
    for (std::uint64_t& cost : costs) cost = random.below(round % 3 == 0 ? 4 : 100);
    Parts expected(costs.size(), 999);
    const State state = karmarkar_karp(costs, parts, equal);
    for (std::size_t p = 0; p != parts; ++p) {
      for (const auto& item : state[p].items) expected[item.first] = static_cast<std::uint32_t>(p);
    }
    ASSERT_EQ(differencing(costs, static_cast<std::uint32_t>(parts), equal), expected)
        << testing::PrintToString(costs) << ", " << parts << " parts, round " << round;
  }
}

// The rules of balance.hpp with lists: what a cut is, to the last tie.
class Model {
 public:
  Model(const List& costs, int parts) : costs_(costs), parts_(static_cast<std::size_t>(parts)) {
    for (std::size_t i = 0; i != costs.size(); ++i) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  }
  Cut even() const {
    Parts part_of(costs_.size());
    List load(parts_);
    List count(parts_);
    const std::uint64_t least = costs_.size() / parts_;
    std::uint64_t longer = costs_.size() % parts_;
    for (const std::size_t item : order_) {
      put(item, part_of, load, count,
          [&](std::size_t p) { return count[p] < least || (count[p] == least && longer != 0); });
      if (count[part_of[item]] == least + 1) --longer;
    }
    return better(exchanged(part_of, true), true);
  }
  Cut free(std::uint64_t cap) const {
    Parts part_of(costs_.size());
    List load(parts_);
    List count(parts_);
    for (std::size_t rank = 0; rank != order_.size(); ++rank) {
      const auto empty = static_cast<std::size_t>(std::count(count.begin(), count.end(), 0U));
      put(order_[rank], part_of, load, count,
          [&](std::size_t p) { return order_.size() - rank > empty || count[p] == 0; });
    }
    std::uint64_t low = bound();
    std::uint64_t high = heaviest(part_of);
    while (low < high) {
      const std::uint64_t capacity = low + (high - low) / 2;
      const Parts fit = first_fit(capacity);
      if (fit.empty()) {
        low = capacity + 1;
      } else {
        part_of = fit;
        high = heaviest(part_of);
      }
    }
    Cut found = better(exchanged(part_of, false), false);
    if (found.heaviest > cap) {
      const Parts fit = first_fit(cap);
      if (!fit.empty()) found = {heaviest(fit), fit};
    }
    return found;
  }

 private:
  template <class IsOpen>
  void put(std::size_t item, Parts& part_of, List& load, List& count, const IsOpen& is_open) const {
    std::size_t best = parts_;
    for (std::size_t p = 0; p != parts_; ++p) {
      if (is_open(p) && (best == parts_ || load[p] < load[best])) best = p;
    }
    part_of[item] = static_cast<std::uint32_t>(best);
    load[best] += costs_[item];
    ++count[best];
  }
  std::uint64_t heaviest(const Parts& part_of) const {
    const List load = loads(costs_, part_of, static_cast<int>(parts_));
    return *std::max_element(load.begin(), load.end());
  }
  std::uint64_t bound() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t cost : costs_) sum += cost;
    return std::max((sum + parts_ - 1) / parts_, costs_[order_[0]]);
  }
  // None where an item does not fit. A part without items takes the last of the fullest part.
  Parts first_fit(std::uint64_t capacity) const {
    Parts part_of(costs_.size());
    List load(parts_);
    for (const std::size_t item : order_) {
      std::size_t p = 0;
      while (p != parts_ && load[p] + costs_[item] > capacity) ++p;
      if (p == parts_) return {};
      part_of[item] = static_cast<std::uint32_t>(p);
      load[p] += costs_[item];
    }
    for (std::uint32_t p = 0; p != parts_ && costs_.size() >= parts_; ++p) {
      const List count = counts(part_of, static_cast<int>(parts_));
      if (count[p] != 0) continue;
      const auto fullest = std::max_element(count.begin(), count.end()) - count.begin();
      std::size_t rank = order_.size() - 1;
      while (part_of[order_[rank]] != static_cast<std::uint32_t>(fullest)) --rank;
      part_of[order_[rank]] = p;
    }
    return part_of;
  }
  // The best exchange out of the heaviest part, as long as there is one; an item for none is the
  // last of its ties. Not more often than there are items.
  Cut exchanged(Parts part_of, bool even) const {
    constexpr std::size_t none = UINT32_MAX;
    for (std::size_t done = 0; done != costs_.size() && costs_.size() > parts_; ++done) {
      const List load = loads(costs_, part_of, static_cast<int>(parts_));
      const auto from =
          static_cast<std::size_t>(std::max_element(load.begin(), load.end()) - load.begin());
      if (!even && load[from] <= bound()) break;
      std::array<std::uint64_t, 4> best = {load[from], 0, 0, 0};
      for (std::size_t to = 0; to != parts_; ++to) {
        if (to == from) continue;
        const auto offer = [&](std::size_t give, std::size_t take, std::uint64_t shift) {
          best = std::min(best, {std::max(load[from] - shift, load[to] + shift), to, give, take});
        };
        for (std::size_t give = 0; give != costs_.size(); ++give) {
          if (part_of[give] != from) continue;
          for (std::size_t take = 0; take != costs_.size(); ++take) {
            if (part_of[take] != to || costs_[take] >= costs_[give]) continue;
            offer(give, take, costs_[give] - costs_[take]);
          }
          if (!even && costs_[give] != 0) offer(give, none, costs_[give]);
        }
      }
      if (best[0] == load[from]) break;
      part_of[best[2]] = static_cast<std::uint32_t>(best[1]);
      if (best[3] != none) part_of[best[3]] = static_cast<std::uint32_t>(from);
    }
    return {heaviest(part_of), part_of};
  }
  Cut better(const Cut& first, bool even) const {
    if (first.heaviest <= bound() || costs_.size() <= parts_) return first;
    Parts part_of(costs_.size());
    const State state = karmarkar_karp(costs_, parts_, even);
    for (std::size_t p = 0; p != parts_; ++p) {
      for (const auto& item : state[p].items) part_of[item.first] = static_cast<std::uint32_t>(p);
    }
    const Cut second = exchanged(part_of, even);
    return second.heaviest < first.heaviest ? second : first;
  }

  List costs_;
  std::size_t parts_;
  std::vector<std::size_t> order_;
};

void expect_rules(const List& costs, int parts, std::uint64_t cap) {
  const Model model(costs, parts);
  ASSERT_EQ(cut(costs, parts), model.even()) << testing::PrintToString(costs) << ", " << parts;
  const Cut free = model.free(cap);
  ASSERT_EQ(cut(costs, parts, {Counts::free, std::max(cap, free.heaviest)}), free)
      << testing::PrintToString(costs) << ", " << parts;
}

TEST(balance, follows_its_rules_to_the_last_tie) {
  Random random(7);
  for (int round = 0; round != 6000; ++round) {
    const int parts = static_cast<int>(1 + random.below(7));
    List costs(1 + random.below(24));
    const std::uint64_t ends[] = {2, 5, 12, 60, 1000};
    const std::uint64_t end = ends[random.below(5)];
    for (std::uint64_t& cost : costs) cost = random.below(end);
    if (round % 4 == 0) costs[0] = end * random.below(6);
    expect_rules(costs, parts, *std::max_element(costs.begin(), costs.end()) + random.below(end));
  }
}

// Seldom worlds: first fit leaves a part empty; first fit alone keeps the cap.
TEST(balance, follows_its_rules_where_first_fit_is_odd) {
  List costs = {24, 24, 23, 23, 20, 20, 17, 17, 16, 16, 15, 15, 14, 14,
                12, 12, 10, 10, 9,  9,  8,  8,  8,  8,  8,  8,  8};
  expect_rules(costs, 13, UINT64_MAX);
  costs = {84, 19, 28, 2, 46, 41, 68, 35, 49, 88, 15, 38};
  expect_rules(costs, 3, 171);
  EXPECT_EQ(cut(costs, 3, {Counts::free}).heaviest, 172U);
  EXPECT_EQ(cut(costs, 3, {Counts::free, 171}).heaviest, 171U);
}

TEST(balance, is_never_worse_than_the_methods_of_others) {
  struct World {
    std::size_t items;
    int parts;
    unsigned bits;
  };
  double over_verl = 0;  // the worst of verl's over ours
  for (const World& world : {World{64, 8, 4}, World{64, 8, 10}, World{61, 8, 8}, World{100, 8, 8},
                             World{24, 8, 8}, World{128, 32, 10}, World{200, 16, 10}}) {
    Random random(world.items + world.bits);
    for (int round = 0; round != 30; ++round) {
      const List costs = random.long_tailed(world.items, world.bits);
      const auto parts = static_cast<std::size_t>(world.parts);
      for (const Counts how : {Counts::even, Counts::free}) {
        const std::uint64_t ours = cut(costs, world.parts, {how}).heaviest;
        const std::uint64_t verl = karmarkar_karp(costs, parts, how == Counts::even)[0].sum;
        ASSERT_LE(ours, longest_first(costs, world.parts, how)) << testing::PrintToString(costs);
        ASSERT_LE(ours, verl) << testing::PrintToString(costs);
        over_verl = std::max(over_verl, static_cast<double>(verl) / static_cast<double>(ours));
      }
    }
  }
  EXPECT_GT(over_verl, 1.3) << "the lengths are not as long-tailed as those that trouble verl";
}

// Exchanges look at few items in the worlds of trainers, and at a bounded number in bad ones: equal
// costs, two heaps of one cost each, and costs as fine as can be, which can always be exchanged.
TEST(balance, looks_at_a_bounded_number_of_items) {
  const auto visits = [](const List& costs, std::uint32_t parts, bool even) {
    rankmap::detail::BalancedCut problem(costs);
    if (even) {
      problem.even(parts);
    } else {
      problem.free(parts, UINT64_MAX);
    }
    EXPECT_LE(problem.visits(), problem.max_visits() + 2 * costs.size() + parts);
    return problem.visits();
  };
  Random random(3);
  EXPECT_LT(visits(random.long_tailed(512, 10), 32, true), 100 * 512U);
  List fine(20000);
  for (std::uint64_t& cost : fine) cost = random.below(std::uint64_t{1} << 48U);
  List two(20000, 7);
  for (std::size_t i = 0; i < two.size(); i += 3) two[i] = 1'000'000'007;
  for (const std::uint32_t parts : {2U, 64U, 1024U, 9999U}) {
    for (const bool even : {false, true}) {
      for (const List& costs : {List(20000, 7), two, fine}) visits(costs, parts, even);
    }
  }
  EXPECT_GT(visits(fine, 1024, true), 8 * fine.size()) << "the bound is not reached";
}

TEST(parts_within, is_the_least_number_in_all_small_worlds) {
  int worlds = 0;
  for_all_small_worlds(7, 5, [&](const List& costs) {
    for (std::uint64_t cap = std::max<std::uint64_t>(costs.back(), 1); cap <= 9; ++cap) {
      const int parts = parts_within(costs, cap).value();
      int needed = 1;
      while (optimum(costs, needed, Counts::free) > cap) ++needed;
      ++worlds;
      ASSERT_EQ(parts, needed) << testing::PrintToString(costs) << ", cap " << cap;
      // Ranks that need more take the same number, without an empty part.
      for (int more = parts; more <= static_cast<int>(costs.size()); ++more) {
        const Cut found = cut(costs, more, {Counts::free, cap});
        ASSERT_LE(found.heaviest, cap);
        const List count = counts(found.part_of, more);
        ASSERT_NE(*std::min_element(count.begin(), count.end()), 0U);
        ASSERT_EQ(parts_within(costs, cap, more).value(), more);
      }
    }
  });
  EXPECT_EQ(worlds, 9849);
}

TEST(parts_within, needs_more_parts_than_the_mean_says) {
  constexpr auto number = [](auto costs, std::uint64_t cap, int least = 1) {
    return *parts_within(costs, cap, least);
  };
  // verl took ceil(56 / 8) = 7, with a part of 14.
  static_assert(number(std::array<std::uint64_t, 8>{7, 7, 7, 7, 7, 7, 7, 7}, 8) == 8);
  static_assert(number(std::array<std::uint64_t, 6>{4, 4, 4, 3, 3, 3}, 7) == 3);
  static_assert(number(std::array<std::uint64_t, 5>{5, 4, 3, 2, 1}, 6) == 3);
  static_assert(number(std::array<std::uint64_t, 5>{5, 4, 3, 2, 1}, 6, 4) == 4);
  static_assert(number(std::array<std::uint64_t, 2>{0, 0}, 0) == 1);
  static_assert(number(std::array<std::uint64_t, 0>{}, 8) == 0);
  static_assert(number(std::array<std::uint64_t, 2>{5, 5}, UINT64_MAX) == 1);
}

// The number that first fit needs is there for the asking, however many numbers are below it.
TEST(parts_within, keeps_the_cap_of_many_items) {
  Random random(4);
  List costs(300'000);
  for (std::uint64_t& cost : costs) cost = 501 + random.below(100);
  EXPECT_EQ(parts_within(costs, 1000).value(), 300'000);
  costs = random.long_tailed(20000, 10);
  const int parts = parts_within(costs, 40000).value();
  EXPECT_LE(cut(costs, parts, {Counts::free, 40000}).heaviest, 40000U);
}

std::string reason(const Result<std::uint64_t>& result) {
  return result ? "none" : std::string(message(result.error()).view());
}
std::string reason(const Result<int>& result) {
  return result ? "none" : std::string(message(result.error()).view());
}

TEST(balance, takes_lists_of_any_integers) {
  const std::vector<int> costs = {9, 1, 7, 3};
  std::vector<int> part_of(4, -1);
  EXPECT_EQ(balance(costs, 2, part_of), 10U);
  EXPECT_EQ(part_of, (std::vector<int>{0, 0, 1, 1}));
  std::array<std::uint8_t, 4> small = {9, 1, 7, 3};
  std::array<short, 4> other{};
  EXPECT_EQ(balance(small, 2, other, {Counts::free, 10}), 10U);
  EXPECT_EQ(other, (std::array<short, 4>{0, 0, 1, 1}));
  EXPECT_EQ(reason(balance(std::vector<int>{1, -5}, 2, part_of)),
            "costs[1]=\"-5\": expected a cost of 0 or more; correct it");
  EXPECT_EQ(reason(balance(costs, 0, part_of)),
            "parts=\"0\": expected at least 1; pass the number of ranks or micro-batches");
  part_of.pop_back();
  EXPECT_EQ(reason(balance(costs, 2, part_of)),
            "part_of.size()=\"3\": expected 4 elements, one for each item; pass a span of "
            "costs.size() elements");
  static_assert([] {
    constexpr std::array<long, 3> constant = {2, 2, 4};
    std::array<int, 3> parts{};
    return *balance(constant, 2, parts, {.counts = Counts::free}) == 4 && parts[0] == parts[1];
  }());
}

// A part of 300 in a byte would be another part.
TEST(balance, refuses_lists_that_cannot_number_the_parts) {
  const std::vector<int> costs(300, 1);
  std::vector<std::uint8_t> bytes(costs.size());
  EXPECT_EQ(reason(balance(costs, 300, bytes)),
            "parts=\"300\": expected no more than an element of part_of can number; pass a part_of "
            "of a wider type");
  EXPECT_EQ(reason(balance(costs, 257, bytes, {.counts = Counts::free})),
            "parts=\"257\": expected no more than an element of part_of can number; pass a part_of "
            "of a wider type");
  EXPECT_EQ(balance(costs, 256, bytes).value(), 2U);
  std::vector<signed char> characters(costs.size());
  EXPECT_FALSE(balance(costs, 129, characters));
  EXPECT_EQ(balance(costs, 128, characters).value(), 3U);
  // Of more parts than items the last ones are empty, and no element numbers them.
  bytes.resize(200);
  const std::vector<int> fewer(200, 1);
  EXPECT_EQ(balance(fewer, 1000, bytes).value(), 1U);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 199);
  bool flags[3] = {};
  const std::span<bool> two_parts(flags);
  EXPECT_FALSE(balance(std::array<int, 3>{1, 1, 1}, 3, two_parts));
  EXPECT_EQ(balance(std::array<int, 3>{1, 1, 2}, 2, two_parts).value(), 2U);
}

TEST(balance, says_by_how_much_a_cap_cannot_be_kept) {
  const auto with_cap = [](const List& costs, int parts, Counts how, std::uint64_t cap) {
    Parts part_of(costs.size());
    return reason(balance(costs, parts, part_of, {how, cap}));
  };
  const List sevens(8, 7);
  EXPECT_EQ(with_cap(sevens, 7, Counts::free, 14), "none");
  EXPECT_EQ(
      with_cap(sevens, 7, Counts::free, 8),
      "BalanceOptions::cap=\"8\": expected at least 14, the heaviest of the 7 parts that were "
      "found: 6 above the cap; take more parts (parts_within), or raise the cap");
  EXPECT_EQ(
      with_cap(sevens, 7, Counts::even, 8),
      "BalanceOptions::cap=\"8\": expected at least 14, the heaviest of the 7 parts that were "
      "found: 6 above the cap; set Counts::free, take more parts, or raise the cap");
  EXPECT_EQ(
      with_cap(sevens, 7, Counts::even, 7),
      "BalanceOptions::cap=\"7\": expected at least 8: the costs add up to 56, and parts is 7; "
      "take more parts (parts_within), or raise the cap");
  EXPECT_EQ(with_cap({1, 9}, 2, Counts::free, 8),
            "costs[1]=\"9\": expected at most the cap, 8: 1 above it alone; leave the item out, "
            "shorten it, or raise the cap");
}

TEST(balance, rejects_arguments_that_do_not_fit) {
  const List costs = {1, 2, 3};
  Parts part_of(3);
  const auto with = [&](int parts, std::size_t items = 3) {
    return reason(balance(costs, parts, std::span(part_of).first(items)));
  };
  EXPECT_EQ(with(2), "none");
  EXPECT_EQ(with(INT32_MAX), "none");  // and no memory for as many parts
  EXPECT_EQ(with(0), "parts=\"0\": expected at least 1; pass the number of ranks or micro-batches");
  EXPECT_EQ(with(INT32_MIN),
            "parts=\"-2147483648\": expected at least 1; pass the number of ranks "
            "or micro-batches");
  EXPECT_EQ(with(2, 2),
            "part_of.size()=\"2\": expected 3 elements, one for each item; pass a "
            "span of costs.size() elements");
  EXPECT_EQ(reason(balance(costs, 2, part_of, {static_cast<Counts>(2)})),
            "BalanceOptions::counts=\"2\": expected one of the counts: even, free; pass an "
            "enumerator of Counts");
  for (const List& huge :
       {List{1, std::uint64_t{1} << 63U}, List{INT64_MAX, 1}, List{5, UINT64_MAX}}) {
    EXPECT_NE(reason(balance(huge, 2, std::span(part_of).first(2)))
                  .find("expected costs with a sum below 2^63; measure the costs in a larger unit"),
              std::string::npos);
    EXPECT_FALSE(parts_within(huge, UINT64_MAX));
  }
  EXPECT_EQ(cut({INT64_MAX - 1, 1}, 1).heaviest, std::uint64_t{INT64_MAX});
  // A span that says it has 2^31 items, which nobody reads.
  EXPECT_EQ(reason(balance({costs.data(), std::size_t{1} << 31U}, 2, part_of)),
            "costs.size()=\"2147483648\": expected fewer than 2^31 items; balance one step at a "
            "time");
}

TEST(parts_within, rejects_arguments_that_do_not_fit) {
  const List costs = {1, 2, 3};
  EXPECT_EQ(reason(parts_within(costs, 3, 3)), "none");
  EXPECT_EQ(reason(parts_within(costs, 3, 0)), "least=\"0\": expected at least 1 part; pass 1");
  EXPECT_EQ(reason(parts_within(costs, 3, 4)),
            "least=\"4\": expected at most 3, the number of items; pass fewer parts: more would be "
            "empty");
  EXPECT_EQ(reason(parts_within(costs, 2)),
            "costs[2]=\"3\": expected at most the cap, 2: 1 above it alone; leave the item out, "
            "shorten it, or raise the cap");
}

// The calls of the version before, which still have the scratch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(balance, takes_memory_as_it_did_before) {
  const List costs = {4, 4, 4, 3, 3, 3};
  List words(rankmap::balance_scratch(costs.size(), 3));
  Parts part_of(costs.size());
  EXPECT_EQ(balance(costs, 3, part_of, words, {Counts::free}).value(), 7U);
  EXPECT_EQ(part_of, (Parts{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(parts_within(costs, 7, words).value(), 3);
}
#pragma GCC diagnostic pop

// A step of all ranks is cut anew from its places, so that a stop between steps is a prefix of the
// order, and resumes in any world.
TEST(balance, deals_each_step_of_an_epoch_to_the_ranks) {
  constexpr std::uint64_t size = 100;
  constexpr std::uint64_t global = 16;
  Random random(5);
  const List lengths = random.long_tailed(size, 8);
  const rankmap::Epoch all(rankmap::Shard(size, 0, 1), rankmap::Permutation(size, 42));
  List seen(size);
  for (std::uint64_t step = 0; step != all.steps(global); ++step) {
    const int world = step < 3 ? 4 : 3;  // killed and resumed
    List samples(std::min(global, size - step * global));
    all.fill(step * global, samples);
    List costs;
    for (const std::uint64_t sample : samples) costs.push_back(attention_cost(lengths[sample]));
    const Cut found = cut(costs, world);
    for (std::uint32_t rank = 0; rank != static_cast<std::uint32_t>(world); ++rank) {
      std::uint64_t mine = 0;
      for (std::size_t i = 0; i != samples.size(); ++i) {
        if (found.part_of[i] != rank) continue;
        ++seen[samples[i]];
        ++mine;
      }
      EXPECT_NEAR(static_cast<double>(mine), static_cast<double>(samples.size()) / world, 1);
    }
  }
  EXPECT_EQ(seen, List(size, 1));
}

TEST(attention_cost, is_linear_and_quadratic) {
  static_assert(attention_cost(0) == 0 && attention_cost(1) == 24577);
  static_assert(attention_cost(4096) == 117'440'512 && attention_cost(10, 0) == 100);
  static_assert(attention_cost(UINT32_MAX, 0) == 0xffff'fffe'0000'0001U);
  static_assert(attention_cost(std::uint64_t{1} << 32U) == UINT64_MAX);
  EXPECT_EQ(attention_cost(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

}  // namespace
