// SPDX-License-Identifier: MIT
//
// Pinned values define the order: red means that every resumed run would read another one, so a new
// algorithm needs a new name. All small worlds are compared with lists: of each block, and of each
// pass through a set.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using rankmap::Epoch;
using rankmap::largest_dataset;
using rankmap::Mixture;
using rankmap::MixtureOrder;
using rankmap::MixtureSample;
using rankmap::MixtureStop;
using rankmap::Permutation;
using rankmap::Shard;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::takes_kept_lists_only;

constexpr std::uint64_t kept[] = {1, 2};
// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture::make(RANKMAP_LIST, kept, 4,
                                                                              0))));
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture::make(kept, RANKMAP_LIST, 4,
                                                                              0))));
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture(RANKMAP_LIST, kept, 4,
                                                                        0))));
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture(kept, RANKMAP_LIST, 4,
                                                                        0))));

static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture::resume(RANKMAP_LIST, kept,
                                                                                kept, 4, 0))));
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(Mixture::resume(kept, RANKMAP_LIST,
                                                                                kept, 4, 0))));
static_assert(takes_kept_lists_only<std::uint64_t>(
    RANKMAP_CALL(Mixture::resume(kept, kept, RANKMAP_LIST, 4, 0))));

struct PinnedMixture {
  std::size_t sets;
  std::uint64_t weights[3];
  std::uint64_t sizes[3];
  std::uint64_t block;
  std::size_t count;
  MixtureSample drawn[12];
  std::uint64_t first_exhausted, all_exhausted;
};
constexpr PinnedMixture pinned[] = {
    {3,
     {5, 3, 2},
     {4, 6, 10},
     10,
     12,
     {{1, 4, 0},
      {1, 5, 0},
      {1, 0, 0},
      {0, 0, 0},
      {0, 1, 0},
      {2, 3, 0},
      {0, 3, 0},
      {0, 2, 0},
      {0, 2, 1},
      {2, 2, 0},
      {2, 8, 0},
      {1, 2, 0}},
     7,
     50},
    {3,
     {7, 2, 1},
     {5, 5, 5},
     8,
     12,
     {{1, 2, 0},
      {0, 2, 1},
      {1, 4, 0},
      {0, 4, 0},
      {0, 1, 0},
      {0, 0, 0},
      {0, 3, 0},
      {0, 2, 0},
      {0, 4, 1},
      {2, 2, 0},
      {1, 0, 0},
      {0, 0, 1}},
     6,
     52},
    {2,
     {1, 1},
     {3, 2},
     4,
     8,
     {{1, 1, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 1}, {0, 2, 1}, {1, 0, 1}, {0, 0, 0}},
     4,
     8},
};
constexpr bool holds(const PinnedMixture& c) {
  const Mixture mixture({c.weights, c.sets}, {c.sizes, c.sets}, c.block, 42);
  for (std::size_t place = 0; place != c.count; ++place) {
    if (mixture[place] != c.drawn[place]) return false;
  }
  return mixture.length(MixtureStop::first_exhausted) == c.first_exhausted &&
         mixture.length(MixtureStop::all_exhausted) == c.all_exhausted &&
         mixture.length(MixtureStop::endless) == largest_dataset;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(Mixture, never_changes_under_its_name) {
  for (const PinnedMixture& c : pinned) EXPECT_TRUE(holds(c)) << "row " << &c - pinned;
}

// What Grain's own mix.py (commit f5dd0d8a) drew: red means that blocks of one place are no longer
// its order.
TEST(Mixture, in_blocks_of_one_place_is_the_order_of_grain) {
  const std::pair<List, std::string> rows[] = {{{1, 1, 1}, "012012012"},
                                               {{5, 3, 2}, "01010201020101020102"},
                                               {{7, 2, 1}, "00010010020001001002"},
                                               {{1, 2, 3, 4}, "01232132330123213233"}};
  for (const auto& row : rows) {
    const List sizes(row.first.size(), 1000);
    const Mixture mixture(row.first, sizes, 1, 3);
    std::string sets;
    for (std::uint64_t place = 0; place != row.second.size(); ++place) {
      sets += static_cast<char>('0' + mixture[place].set);
    }
    EXPECT_EQ(sets, row.second);
  }
}

// Levanter's counts a block, and Megatron's over the sum of the weights, are these where the
// fractions are whole numbers.
TEST(Mixture, has_the_exact_counts_of_its_weights) {
  const List weights = {50, 29, 20, 1};
  const List sizes(4, 1'000'000);
  const Mixture mixture(weights, sizes, 100, 3);
  for (std::uint64_t b = 0; b != 50; ++b) {
    std::vector<std::uint64_t> counts(4);
    for (std::uint64_t i = 0; i != 100; ++i) ++counts[mixture[100 * b + i].set];
    ASSERT_EQ(counts, weights);
  }
  // Blocks that the sum does not divide share what is over, and it does not add up.
  const Mixture odd(weights, sizes, 64, 3);
  for (std::uint32_t set = 0; set != 4; ++set) {
    for (std::uint64_t k = 0; k <= 3200; k += 64) {
      const double exact = static_cast<double>(k * weights[set]) / 100;
      ASSERT_NEAR(static_cast<double>(odd.drawn(set, k)), exact, 3);
    }
    EXPECT_EQ(odd.drawn(set, 1600), 16 * weights[set]);
  }
}

// The definition, with lists: how many places each set has, one set after another of what the sets
// before it leave; the blocks; the passes.
class Model {
 public:
  Model(List weights, List sizes, std::uint64_t block, std::uint64_t seed)
      : weights_(std::move(weights)), sizes_(std::move(sizes)), block_(block), seed_(seed) {}

  List counts(std::uint64_t places) const {
    List out;
    std::uint64_t sum = 0;
    for (const std::uint64_t weight : weights_) sum += weight;
    for (const std::uint64_t weight : weights_) {
      const std::uint64_t rest = sum == weight ? 0 : places * (sum - weight) / sum;
      out.push_back(weight == 0 ? 0 : places - rest);
      if (weight != 0) places = rest;
      sum -= weight;
    }
    return out;
  }
  // The last block has the places up to the end.
  std::vector<MixtureSample> draw(std::uint64_t places) const {
    std::vector<MixtureSample> out;
    List ordinals(weights_.size());
    for (std::uint64_t b = 0; out.size() != places; ++b) {
      const std::uint64_t size = std::min(block_, places - out.size());
      const List before = counts(b * block_);
      const List after = counts(b * block_ + size);
      std::vector<MixtureSample> slots;
      for (std::uint32_t set = 0; set != weights_.size(); ++set) {
        for (std::uint64_t i = before[set]; i != after[set]; ++i) {
          const std::uint64_t pass = ordinals[set] / sizes_[set];
          const Permutation of_pass(sizes_[set], seed_, pass, 2 + set);
          slots.push_back({set, of_pass[ordinals[set]++ % sizes_[set]], pass});
        }
      }
      for (const std::uint64_t slot : Permutation(size, seed_, b, 1)) out.push_back(slots[slot]);
    }
    return out;
  }

 private:
  List weights_;
  List sizes_;
  std::uint64_t block_;
  std::uint64_t seed_;
};

void expect_model(const List& weights, const List& sizes, std::uint64_t block,
                  std::uint64_t places) {
  const Mixture mixture(weights, sizes, block, 7);
  const std::vector<MixtureSample> expected =
      Model(weights, sizes, block, 7).draw((places / block + 1) * block);
  List drawn(weights.size());
  std::vector<std::set<std::uint64_t>> first_pass(weights.size());
  List ends(weights.size(), largest_dataset);
  List numbers;
  for (std::uint64_t place = 0; place != expected.size(); ++place) {
    const MixtureSample& d = expected[place];
    ASSERT_EQ(mixture[place], d) << place;
    for (std::uint32_t set = 0; set != weights.size(); ++set) {
      ASSERT_EQ(mixture.drawn(set, place), drawn[set]);
    }
    ++drawn[d.set];
    if (d.pass == 0) {
      first_pass[d.set].insert(d.sample);
      if (first_pass[d.set].size() == sizes[d.set]) ends[d.set] = place + 1;
    }
    numbers.push_back(mixture.joined(d));
    const MixtureSample split = mixture.split(numbers.back());
    ASSERT_EQ(split.set, d.set);
    ASSERT_EQ(split.sample, d.sample);
  }
  for (std::uint32_t set = 0; set != weights.size(); ++set) {
    const Permutation order(std::max<std::uint64_t>(sizes[set], 1), 7, 0, 2 + set);
    for (std::uint64_t ordinal = 0; ordinal < std::min(drawn[set], sizes[set]); ++ordinal) {
      const std::uint64_t place = mixture.place_of(set, ordinal);
      if (place >= expected.size()) continue;
      ASSERT_EQ(expected[place], (MixtureSample{set, order[ordinal], 0}));
    }
  }
  std::uint64_t last = 0;
  for (std::size_t set = 0; set != weights.size(); ++set) {
    if (weights[set] == 0) continue;
    last = std::max(last, ends[set]);
  }
  if (last != largest_dataset) {
    ASSERT_EQ(mixture.length(MixtureStop::all_exhausted), last);
  }
  const MixtureOrder order = mixture.order(MixtureStop::endless);
  for (std::uint64_t stride = 1; stride <= 9; stride += 4) {
    for (const std::uint64_t from : {std::uint64_t{0}, places / 3}) {
      List out((numbers.size() - from - 1) / stride + 1);
      order.fill(from, out.data(), out.size(), stride);
      for (std::size_t k = 0; k != out.size(); ++k) ASSERT_EQ(out[k], numbers[from + k * stride]);
    }
  }
}

// Until a set ends: the least number of places of which some set's part is its size, the last block
// short, and so no sample twice.
void expect_first_exhausted(const List& weights, const List& sizes, std::uint64_t block) {
  const Mixture mixture(weights, sizes, block, 7);
  const MixtureOrder order = mixture.order(MixtureStop::first_exhausted);
  const Model model(weights, sizes, block, 7);
  const auto a_set_ends = [&](std::uint64_t places) {
    const List counts = model.counts(places);
    for (std::size_t set = 0; set != sizes.size(); ++set) {
      if (weights[set] != 0 && counts[set] >= sizes[set]) return true;
    }
    return false;
  };
  ASSERT_EQ(mixture.length(MixtureStop::first_exhausted), order.size());
  ASSERT_TRUE(a_set_ends(order.size()));
  ASSERT_FALSE(a_set_ends(order.size() - 1));
  const std::vector<MixtureSample> expected = model.draw(order.size());
  const List numbers = list(order);
  const Mixture& read = order.mixture();
  for (std::uint64_t place = 0; place != numbers.size(); ++place) {
    ASSERT_EQ(read[place], expected[place]);
    ASSERT_EQ(numbers[place], mixture.joined(expected[place]));
    ASSERT_EQ(expected[place].pass, 0U);
    if (place % 64 != 0 && numbers.size() > 1000) continue;
    const rankmap::MixtureTurn turn = read.turn(place);
    ASSERT_EQ(read.place_of(turn.set, turn.index), place);
    ASSERT_EQ(read.drawn(turn.set, place + 1), read.drawn(turn.set, place) + 1);
  }
  EXPECT_EQ(std::set<std::uint64_t>(numbers.begin(), numbers.end()).size(), numbers.size());
  for (std::uint32_t set = 0; set != sizes.size(); ++set) {
    EXPECT_EQ(read.drawn(set, order.size()), model.counts(order.size())[set]);
    EXPECT_EQ(read.place_of(set, model.counts(order.size())[set]), largest_dataset);
  }
  for (const std::uint64_t stride : {std::uint64_t{1}, std::uint64_t{3}}) {
    for (const std::uint64_t from : {std::uint64_t{0}, order.size() / 3}) {
      List out((numbers.size() - from - 1) / stride + 1);
      order.fill(from, out.data(), out.size(), stride);
      for (std::size_t k = 0; k != out.size(); ++k) ASSERT_EQ(out[k], numbers[from + k * stride]);
    }
  }
}

// Few sets and many, small blocks, which are read together, and large ones; sets that begin again
// within a block, and such of weight 0.
TEST(Mixture, fills_what_it_has_one_by_one) {
  for (const std::uint64_t sets : {1U, 2U, 3U, 16U, 17U}) {
    List weights;
    List sizes;
    for (std::uint64_t set = 0; set != sets; ++set) {
      weights.push_back(set % 4 == 3 ? 0 : 1 + set * set % 7);
      sizes.push_back(set % 3 == 2 ? 3 : 5 + 1'100 * (set % 2));
    }
    for (const std::uint64_t block : {1U, 2U, 7U, 64U, 300U, 511U, 512U, 1'023U, 1'024U}) {
      const MixtureOrder order = Mixture(weights, sizes, block, 5).order(MixtureStop::endless);
      for (const std::uint64_t stride : {1U, 2U, 5U, 999U}) {
        // More than the places that are read together, with a short block at both ends.
        List out(1'300, 0);
        order.fill(block / 2, out.data(), out.size() - 1, stride);
        EXPECT_EQ(out.back(), 0U) << "nothing behind the last one";
        for (std::size_t k = 0; k + 1 < out.size(); k += k % 100 < 20 ? 1 : 7) {
          ASSERT_EQ(out[k], order[block / 2 + k * stride])
              << sets << " sets, block " << block << ", stride " << stride << ", place " << k;
        }
      }
    }
  }
}

TEST(Mixture, draws_no_sample_twice_until_a_set_ends) {
  for (std::uint64_t a = 0; a <= 4; ++a) {
    for (std::uint64_t b = 0; b <= 4; ++b) {
      for (std::uint64_t n = 1; n <= 7; ++n) {
        for (std::uint64_t block = 1; block <= 13; ++block) {
          if (a + b != 0) expect_first_exhausted({a, b, 1}, {n, 3, 8 - n}, block);
          expect_first_exhausted({a + 1}, {n}, block);
          ASSERT_FALSE(HasFailure()) << a << ' ' << b << ' ' << n << ", block " << block;
        }
      }
    }
  }
  // As they were reported, with 40, a seventh, 368 and nearly a million places drawn again.
  expect_first_exhausted({1, 999}, {1000, 1000}, 1000);
  expect_first_exhausted({7, 2, 1}, {6000, 5000, 4000}, 10'000);
  expect_first_exhausted({3, 2}, {50, 70}, 500);
  expect_first_exhausted({1, 1}, {100, 100}, Mixture::largest_block);
  expect_first_exhausted({1}, {1}, 2);
}

TEST(Mixture, equals_lists_in_all_small_worlds) {
  for (std::uint64_t a = 0; a <= 5; ++a) {
    for (std::uint64_t b = 0; b <= 5; ++b) {
      for (std::uint64_t c = 0; c <= 5; c += 2) {
        if (a + b + c == 0) continue;
        const List weights = {a, b, c};
        const List sizes = {1 + (a + b) % 4, 5, 2 + c};
        for (const std::uint64_t block : {std::uint64_t{1}, std::uint64_t{3}, a + b + c}) {
          expect_model(weights, sizes, block, 4 * (a + b + c));
          ASSERT_FALSE(HasFailure()) << a << ' ' << b << ' ' << c << ", block " << block;
        }
      }
    }
  }
}

TEST(Mixture, equals_lists_in_larger_worlds) {
  expect_model({7, 2, 1}, {1, 3000, 40}, 1500, 4000);
  expect_model({1, 0, 3, 90}, {1100, 0, 10, 2000}, 700, 3000);
  expect_model({1}, {10}, 5, 60);
}

TEST(Mixture, draws_each_pass_of_a_set_once_and_in_an_order_of_its_own) {
  const List weights = {3, 1};
  const List sizes = {50, 7};
  const Mixture mixture(weights, sizes, 16, 5);
  std::map<std::pair<std::uint32_t, std::uint64_t>, List> passes;
  for (std::uint64_t place = 0; place != 2000; ++place) {
    const MixtureSample d = mixture[place];
    passes[{d.set, d.pass}].push_back(d.sample);
  }
  for (std::uint32_t set = 0; set != 2; ++set) {
    for (std::uint64_t pass = 0; pass != 20; ++pass) {
      List samples = passes[{set, pass}];
      const List next = passes[{set, pass + 1}];
      EXPECT_NE(samples, next);
      std::sort(samples.begin(), samples.end());
      ASSERT_EQ(samples.size(), sizes[set]);
      for (std::uint64_t i = 0; i != samples.size(); ++i) ASSERT_EQ(samples[i], i);
    }
  }
}

// The work does not depend on places and sizes, or it would be no constant expression here.
constexpr std::array<std::uint64_t, 3> huge_weights = {1, std::uint64_t{1} << 61U, 12345};
constexpr std::array<std::uint64_t, 3> huge_sizes = {std::uint64_t{1} << 61U, 1'000'000'007,
                                                     std::uint64_t{1} << 60U};
constexpr Mixture huge(huge_weights, huge_sizes, 4096, 1);
static_assert(huge[largest_dataset - 1].sample < (std::uint64_t{1} << 61U));
static_assert(huge.drawn(1, std::uint64_t{1} << 62U) > (std::uint64_t{1} << 61U));
static_assert(huge.length(MixtureStop::first_exhausted) < 2'000'000'000);
static_assert(huge.length(MixtureStop::all_exhausted) == largest_dataset);
static_assert(huge.place_of(0, 0) < 4096 && huge.place_of(0, 100) == largest_dataset);

// The turn is where a set's own order is read, be it the mixture's or another one.
TEST(Mixture, says_whose_turn_it_is_before_the_set_is_shuffled) {
  const std::uint64_t weights[] = {5, 0, 3, 2};
  const std::uint64_t sizes[] = {4, 1, 1100, 10};
  const Mixture mixture(weights, sizes, 10, 42);
  for (std::uint64_t place = 0; place != 200; ++place) {
    const rankmap::MixtureTurn turn = mixture.turn(place);
    const MixtureSample drawn = mixture[place];
    ASSERT_EQ(turn.set, drawn.set);
    ASSERT_EQ(turn.pass, drawn.pass);
    const std::uint64_t size = sizes[turn.set];
    ASSERT_EQ(Permutation(size, 42, turn.pass, 2 + std::uint64_t{turn.set})[turn.index],
              drawn.sample);
    ASSERT_EQ(mixture.place_of(turn.set, turn.pass * size + turn.index), place);
  }
}

TEST(Mixture, counts_are_monotone_and_add_up_at_any_place) {
  for (std::uint64_t place = largest_dataset - 20; place != largest_dataset; ++place) {
    std::uint64_t sum = 0;
    for (std::uint32_t set = 0; set != 3; ++set) {
      sum += huge.drawn(set, place);
      EXPECT_EQ(huge.drawn(set, place + 1) - huge.drawn(set, place), huge[place].set == set);
    }
    EXPECT_EQ(sum, place);
  }
}

static_assert(rankmap::FixedOrder<MixtureOrder> && rankmap::NamedOrder<MixtureOrder>);
static_assert(MixtureOrder().empty() && Mixture().set_count() == 0 && Mixture().block() == 1);
static_assert(Mixture().length(MixtureStop::endless) == 0);

TEST(MixtureOrder, is_read_by_ranks_and_workers_and_resumes_in_any_world) {
  const List weights = {5, 3, 2};
  const List sizes = {40, 60, 10};
  const MixtureOrder order = Mixture(weights, sizes, 20, 42).order(MixtureStop::all_exhausted);
  const List all = list(order);
  const Epoch before(Shard(order.size(), 1, 4), order);
  EXPECT_EQ(rankmap::WorkerShard(before, 1, 2, 4)[0], all[17]);
  List filled(before.size());
  before.fill(0, filled);
  EXPECT_EQ(filled, list(before));
  const auto state = rankmap::parse_sampler_state(to_string(*before.state_after(9)).view()).value();
  EXPECT_EQ(state.consumed, 36U);
  const MixtureOrder again = Mixture(weights, sizes, 20, 42).order(MixtureStop::all_exhausted);
  List rest(order.size() - 36);
  for (int rank = 0; rank != 3; ++rank) {
    const Epoch after(
        Shard(order.size(), rank, 3,
              {.remainder = rankmap::Remainder::uneven, .consumed = *resume_at(state, again)}),
        again);
    for (std::uint64_t k = 0; k != after.size(); ++k) {
      rest[k * 3 + static_cast<std::uint64_t>(rank)] = after[k];
    }
  }
  EXPECT_EQ(rest, List(all.begin() + 36, all.end()));
}

TEST(MixtureOrder, does_not_resume_with_other_weights_or_sizes) {
  const List weights = {5, 3};
  const List sizes = {40, 60};
  const auto state_in = [](const List& w, const List& n, std::uint64_t block) {
    return state_of(Mixture(w, n, block, 42).order(MixtureStop::endless)).value();
  };
  const rankmap::SamplerState state = state_in(weights, sizes, 8);
  EXPECT_EQ(name(state.algorithm), "mixture-feistel-1");
  const MixtureOrder cut = Mixture(weights, sizes, 8, 42).order(MixtureStop::first_exhausted);
  EXPECT_EQ(name(state_of(cut)->algorithm), "mixture-feistel-2");
  EXPECT_EQ(state.size, largest_dataset);
  EXPECT_EQ(state, state_in(weights, sizes, 8));
  EXPECT_NE(state, state_in({3, 5}, sizes, 8));
  EXPECT_NE(state, state_in(weights, {40, 61}, 8));
  EXPECT_NE(state, state_in(weights, sizes, 16));
  EXPECT_NE(state, state_in({5, 3, 0}, {40, 60, 9}, 8));
}

// What is read of a mixture until `stop` in two parts, the second with other weights.
std::vector<MixtureSample> in_two_parts(const Mixture& before, std::uint64_t place,
                                        const List& weights, const List& sizes, std::uint64_t block,
                                        MixtureStop stop) {
  std::vector<MixtureSample> all;
  for (std::uint64_t at = 0; at != place; ++at) all.push_back(before[at]);
  List drawn;
  for (std::uint32_t set = 0; set != sizes.size(); ++set) drawn.push_back(before.drawn(set, place));
  const Mixture after = Mixture::resume(weights, sizes, drawn, block, 7).value();
  const MixtureOrder order = after.order(stop);
  List filled(order.size());
  order.fill(0, filled.data(), filled.size());
  for (std::uint64_t at = 0; at != order.size(); ++at) {
    const MixtureSample next = order.mixture()[at];
    EXPECT_EQ(filled[at], after.joined(next));
    EXPECT_EQ(order[at], filled[at]);
    const rankmap::MixtureTurn turn = order.mixture().turn(at);
    EXPECT_EQ(order.mixture().place_of(turn.set, turn.pass * sizes[turn.set] + turn.index), at);
    all.push_back(next);
  }
  for (std::uint32_t set = 0; set != sizes.size(); ++set) {
    EXPECT_EQ(after.drawn(set, 0), drawn[set]);
    if (drawn[set] != 0 && weights[set] != 0) {
      EXPECT_EQ(after.place_of(set, drawn[set] - 1), largest_dataset);
    }
    std::uint64_t count = 0;
    for (const MixtureSample& d : all) count += d.set == set ? 1U : 0U;
    EXPECT_EQ(order.mixture().drawn(set, order.size()), count);
  }
  return all;
}

// No pass has a sample twice; returns how many samples the first pass through each set had.
List samples_of_first_passes(const std::vector<MixtureSample>& all, const List& sizes) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::uint64_t>> passes;
  for (const MixtureSample& d : all)
    EXPECT_TRUE(passes[std::pair(d.set, d.pass)].insert(d.sample).second);
  List counts;
  for (std::uint32_t set = 0; set != sizes.size(); ++set) counts.push_back(passes[{set, 0}].size());
  return counts;
}

TEST(Mixture, goes_on_with_other_weights_and_no_sample_is_lost_or_doubled) {
  for (std::uint64_t a = 0; a <= 3; ++a) {
    for (std::uint64_t n = 1; n <= 6; ++n) {
      for (std::uint64_t block = 1; block <= 7; ++block) {
        const List sizes = {n, 5, 9 - n};
        const List weights = {3, a, 1};
        const Mixture before(weights, sizes, block, 7);
        for (std::uint64_t place = 0; place <= 28; place += block) {
          for (const MixtureStop stop :
               {MixtureStop::first_exhausted, MixtureStop::all_exhausted}) {
            const std::vector<MixtureSample> all =
                in_two_parts(before, place, {1, 4, a + 1}, sizes, 8 - block, stop);
            const List first = samples_of_first_passes(all, sizes);
            if (stop == MixtureStop::all_exhausted) {
              EXPECT_EQ(first, sizes);
              continue;
            }
            List counts(3);
            bool has_ended = false;
            for (std::size_t k = 0; k != all.size(); ++k) {
              EXPECT_TRUE(k < place || !has_ended || (k != place && all.size() - k < 8 - block));
              has_ended = ++counts[all[k].set] >= sizes[all[k].set] || has_ended;
            }
            EXPECT_TRUE(has_ended);
            ASSERT_FALSE(HasFailure()) << a << ' ' << n << ", block " << block << " at " << place;
          }
        }
      }
    }
  }
  // Sets that have shuffles of their own, and blocks.
  const List sizes = {5000, 1100, 3000};
  const List weights = {5, 2, 3};
  const Mixture before(weights, sizes, 1200, 7);
  const auto all = in_two_parts(before, 2400, {1, 1, 8}, sizes, 2000, MixtureStop::first_exhausted);
  EXPECT_EQ(samples_of_first_passes(all, sizes)[2], 3000U);
}

TEST(Mixture, is_the_same_where_it_goes_on_after_nothing) {
  const List weights = {5, 3, 2};
  const List sizes = {40, 60, 10};
  const List none = {0, 0, 0};
  const Mixture again = Mixture::resume(weights, sizes, none, 20, 42).value();
  const Mixture mixture(weights, sizes, 20, 42);
  EXPECT_EQ(list(again.order(MixtureStop::all_exhausted)),
            list(mixture.order(MixtureStop::all_exhausted)));
  EXPECT_EQ(*state_of(again.order(MixtureStop::first_exhausted)),
            *state_of(mixture.order(MixtureStop::first_exhausted)));
}

TEST(MixtureOrder, resumes_after_a_change_of_weights_and_at_no_other_one) {
  const List sizes = {40, 60};
  const List weights = {1, 4};
  const List drawn = {24, 8};
  const List others = {24, 9};
  const auto order_after = [&](const List& counts) {
    return Mixture::resume(weights, sizes, counts, 5, 42)->order(MixtureStop::endless);
  };
  const MixtureOrder order = order_after(drawn);
  const rankmap::SamplerState state = *Epoch(Shard(order.size(), 1, 4), order).state_after(3);
  EXPECT_EQ(*resume_at(state, order_after(drawn)), 12U);
  EXPECT_EQ(resume_at(state, order_after(others)).error().subject.view(), "SamplerState::digest");
  const MixtureOrder start = Mixture(weights, sizes, 5, 42).order(MixtureStop::endless);
  EXPECT_EQ(resume_at(state, start).error().subject.view(), "SamplerState::algorithm");
}

// The state at the end of an epoch is the start of the next one, which is another order.
TEST(MixtureOrder, goes_on_with_the_next_epoch_after_its_end) {
  const List weights = {5, 3};
  const List sizes = {40, 60};
  const List drawn = {8, 8};
  for (const MixtureStop stop : {MixtureStop::first_exhausted, MixtureStop::all_exhausted}) {
    const Mixture mixture(weights, sizes, 8, 42);
    const MixtureOrder order = mixture.order(stop);
    const MixtureOrder next = mixture.order(stop, 1);
    const auto end = *Epoch(Shard(order.size(), 0, 1), order).state_after(order.size());
    EXPECT_EQ(end.epoch, 1U);
    EXPECT_EQ(resume_at(end, order).error().subject.view(), "SamplerState::epoch");
    ASSERT_TRUE(next.size() != order.size() || list(next) != list(order));
    if (stop == MixtureStop::first_exhausted) {  // else a pass ends where the shuffle has its end
      EXPECT_EQ(*resume_at(end, next), 0U);
      List samples = list(next);
      std::sort(samples.begin(), samples.end());
      EXPECT_EQ(std::adjacent_find(samples.begin(), samples.end()), samples.end());
    }
    const Mixture resumed = Mixture::resume(weights, sizes, drawn, 8, 42).value();
    EXPECT_EQ(list(resumed.order(stop, 1)), list(next));
    EXPECT_NE(list(mixture.order(stop, 2)), list(next));
  }
}

std::string reason(const List& weights, const List& sizes, const List& drawn) {
  const auto mixture = Mixture::resume(weights, sizes, drawn, 4, 0);
  return mixture ? "none" : std::string(message(mixture.error()).view());
}

TEST(Mixture, rejects_counts_that_no_mixture_can_have_drawn) {
  EXPECT_EQ(reason({1, 0}, {5, 0}, {UINT32_MAX, 0}), "none");
  EXPECT_EQ(reason({0, 0}, {5, 0}, {0, 0}).substr(0, 10), "weights=\"\"");
  EXPECT_EQ(reason({1, 2}, {5, 5}, {4}),
            "drawn.size()=\"1\": expected 2, one for each set; pass how many samples each set has "
            "had");
  EXPECT_EQ(reason({1, 2}, {5, 5}, {4, largest_dataset}),
            "drawn[1]=\"9223372036854775807\": expected fewer than 2^63 samples that were drawn in "
            "all; pass how many samples each set has had");
  EXPECT_EQ(reason({1, 2}, {5, 5}, {UINT64_MAX, 1}),
            "drawn[0]=\"18446744073709551615\": expected fewer than 2^63 samples that were drawn "
            "in all; pass how many samples each set has had");
}

std::string reason(const List& weights, const List& sizes, std::uint64_t block) {
  const auto mixture = Mixture::make(weights, sizes, block, 0);
  return mixture ? "none" : std::string(message(mixture.error()).view());
}

TEST(Mixture, rejects_arguments_that_make_no_mixture) {
  EXPECT_EQ(reason({1, 0}, {5, 0}, Mixture::largest_block), "none");
  EXPECT_EQ(reason({1, 2}, {5}, 4),
            "sizes.size()=\"1\": expected 2, one for each weight; pass the weight and the size of "
            "each set");
  EXPECT_EQ(
      reason({0, 0}, {5, 5}, 4),
      "weights=\"\": expected a weight above 0; pass a whole number for each set, such as 7, 2 "
      "and 1");
  EXPECT_EQ(
      reason({}, {}, 4),
      "weights=\"\": expected a weight above 0; pass a whole number for each set, such as 7, 2 "
      "and 1");
  EXPECT_EQ(
      reason({1, 2}, {5, 0}, 4),
      "sizes[1]=\"0\": expected at least 1 sample, since its weight is not 0; leave the set out");
  EXPECT_EQ(
      reason({1, UINT64_MAX}, {5, 5}, 4),
      "weights[1]=\"18446744073709551615\": expected weights with a sum below 2^63; divide the "
      "weights by a number");
  EXPECT_EQ(
      reason({largest_dataset, 1}, {5, 5}, 4),
      "weights[1]=\"1\": expected weights with a sum below 2^63; divide the weights by a number");
  EXPECT_EQ(reason({1, 1}, {1, UINT64_MAX}, 4),
            "sizes[1]=\"18446744073709551615\": expected fewer than 2^63 samples in all; pass the "
            "numbers of samples");
  EXPECT_EQ(reason({1, 1}, {1, largest_dataset}, 4),
            "sizes[1]=\"9223372036854775807\": expected fewer than 2^63 samples in all; pass the "
            "numbers of samples");
  EXPECT_EQ(
      reason({1}, {5}, 0),
      "block=\"0\": expected 1 to 2^20 places; pass the sum of the weights, or a multiple of it");
  EXPECT_EQ(
      reason({1}, {5}, Mixture::largest_block + 1),
      "block=\"1048577\": expected 1 to 2^20 places; pass the sum of the weights, or a multiple "
      "of it");
}

}  // namespace
