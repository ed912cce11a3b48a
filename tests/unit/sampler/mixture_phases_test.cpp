// SPDX-License-Identifier: MIT
//
// All small worlds: whatever the weights and changes are, no sample of a pass is lost or doubled.
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/mixture_phases.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using rankmap::largest_dataset;
using rankmap::Mixture;
using rankmap::MixtureChange;
using rankmap::MixtureOrder;
using rankmap::MixturePhases;
using rankmap::MixtureStop;
using rankmap::Shard;
using rankmap_test::List;
using rankmap_test::list;

static_assert(rankmap::FixedOrder<MixturePhases> && rankmap::NamedOrder<MixturePhases>);
static_assert(MixturePhases().empty() && MixturePhases().drawn(0, 0) == 0);

constexpr std::uint64_t sizes_of_two[] = {3, 5};
constexpr std::uint64_t even[] = {1, 1};
constexpr Mixture two(even, sizes_of_two, 2, 42);
constexpr bool holds_at_compile_time() {
  std::uint64_t memory[MixturePhases::memory_for(2, 0)] = {};
  const MixturePhases order = *MixturePhases::once(two, {}, memory);
  std::uint64_t seen = 0;
  for (const std::uint64_t number : order) seen |= std::uint64_t{1} << number;
  return order.size() == 8 && seen == 255 && order.phase_count() == 2;
}
static_assert(holds_at_compile_time());

// The ways to read an order agree; how often each sample of each pass is drawn.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> count_samples(
    const MixturePhases& order, const List& sizes) {
  const List numbers = list(order);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counts;
  List drawn(sizes.size());
  for (std::uint64_t place = 0; place != numbers.size(); ++place) {
    const rankmap::MixtureTurn turn = order.turn(place);
    EXPECT_EQ(turn.set, order.split(numbers[place]).set);
    EXPECT_EQ(order.group_of(numbers[place]), turn.set);
    for (std::uint32_t set = 0; set != sizes.size(); ++set) {
      EXPECT_EQ(order.drawn(set, place), drawn[set]);
    }
    ++drawn[turn.set];
    ++counts[{turn.pass, numbers[place]}];
  }
  for (std::uint32_t set = 0; set != sizes.size(); ++set) {
    EXPECT_EQ(order.drawn(set, order.size()), drawn[set]);
  }
  for (const std::uint64_t stride : {std::uint64_t{1}, std::uint64_t{3}}) {
    if (numbers.empty()) break;
    List out((numbers.size() - 1) / stride + 1);
    order.fill(0, out.data(), out.size(), stride);
    for (std::size_t k = 0; k != out.size(); ++k) EXPECT_EQ(out[k], numbers[k * stride]);
  }
  return counts;
}

TEST(MixturePhases, draw_all_sets_once) {
  for (std::uint64_t a = 0; a <= 3; ++a) {
    for (std::uint64_t b = 1; b <= 3; ++b) {
      for (std::uint64_t n = 1; n <= 6; ++n) {
        for (std::uint64_t block = 1; block <= 9; ++block) {
          const List weights = {a, b, 2};
          const List sizes = {n, 4, 7 - n};
          const Mixture mixture(weights, sizes, block, 7);
          List memory(MixturePhases::memory_for(3, 0));
          const MixturePhases order = *MixturePhases::once(mixture, {}, memory);
          const auto counts = count_samples(order, sizes);
          ASSERT_EQ(order.size(), (a == 0 ? 0 : n) + 4 + 7 - n);
          ASSERT_EQ(counts.size(), order.size());
          for (const auto& [sample, count] : counts) ASSERT_EQ(sample.first + 1, 1U);
          // Up to the first end it is the mixture that stops there.
          const List first = list(mixture.order(MixtureStop::first_exhausted));
          const List all = list(order);
          ASSERT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
          ASSERT_FALSE(HasFailure()) << a << ' ' << b << ' ' << n << ", block " << block;
        }
      }
    }
  }
}

// In each phase the sets that are left have their parts of it, rounded up one after another.
TEST(MixturePhases, share_what_is_left_by_weight) {
  const List weights = {7, 2, 1};
  const List sizes = {700, 400, 600};
  List memory(MixturePhases::memory_for(3, 0));
  const MixturePhases order = *MixturePhases::once(Mixture(weights, sizes, 10, 42), {}, memory);
  ASSERT_EQ(order.phase_count(), 3U);
  EXPECT_EQ(order.first_of(1), 999U);  // 700 is 0.7 of 999, rounded up
  EXPECT_EQ(order.drawn(1, 999), 200U);
  EXPECT_EQ(order.first_of(2), 999U + 299);  // 200 are two thirds of 299, rounded up
  EXPECT_EQ(order.drawn(2, 1298), 99U + 99);
  EXPECT_EQ(order.size(), 1700U);
}

TEST(MixturePhases, change_weights_at_the_ends_of_blocks_and_lose_or_double_nothing) {
  const List more = {1, 3, 2};
  const List other = {4, 0, 1};
  for (std::uint64_t n = 1; n <= 6; ++n) {
    for (std::uint64_t block = 1; block <= 5; ++block) {
      const List weights = {2, 1, n};
      const List sizes = {n, 6, 8 - n};
      const Mixture mixture(weights, sizes, block, 7);
      const List plain = list(mixture.order(MixtureStop::all_exhausted));
      for (std::uint64_t place = 0; place <= 12; ++place) {
        for (std::uint64_t later = place; later <= place + 6; ++later) {
          const MixtureChange changes[] = {{place, more}, {later, other}};
          List memory(MixturePhases::memory_for(3, 2));
          const auto once = MixturePhases::once(mixture, changes, memory);
          if (once) {
            const auto counts = count_samples(*once, sizes);
            for (const auto& [sample, count] : counts) ASSERT_EQ(count + sample.first, 1U);
            // The set without a weight at the end has what was drawn of it before.
            ASSERT_EQ(once->size(), n + 8 - n + once->drawn(1, later));
          }
          const auto endless = MixturePhases::make(mixture, changes, MixtureStop::endless, memory);
          ASSERT_EQ(endless.has_value(), place % block == 0 && (later - place) % block == 0);
          if (!endless) continue;
          ASSERT_EQ(endless->size(), largest_dataset);
          for (std::uint64_t at = 0; at != std::min<std::uint64_t>(place, plain.size()); ++at) {
            ASSERT_EQ((*endless)[at], plain[at]);
          }
          std::map<std::pair<std::uint64_t, std::uint64_t>, int> counts;
          const std::uint64_t end = later + 6 * block;
          for (std::uint64_t at = 0; at != end; ++at) {
            ASSERT_EQ(++counts[std::pair(endless->turn(at).pass, (*endless)[at])], 1);
          }
          // At the end of a block the passes before the last one are whole.
          for (std::uint32_t set = 0; set != 3; ++set) {
            std::uint64_t found = 0;
            for (const auto& [sample, count] : counts) {
              const bool is_full = sample.first < endless->drawn(set, end) / sizes[set];
              found += endless->group_of(sample.second) == set && is_full ? 1U : 0U;
            }
            ASSERT_EQ(found, endless->drawn(set, end) / sizes[set] * sizes[set]);
          }
          const auto all =
              MixturePhases::make(mixture, changes, MixtureStop::first_exhausted, memory);
          if (!all) continue;
          for (const auto& [sample, count] : count_samples(*all, sizes)) {
            ASSERT_EQ(count + sample.first, 1U);
          }
        }
      }
      ASSERT_FALSE(HasFailure()) << n << ", block " << block;
    }
  }
}

TEST(MixturePhases, resume_in_any_world_and_after_no_other_changes) {
  const List weights = {5, 3, 2};
  const List later = {1, 1, 1};
  const List sizes = {40, 60, 30};
  const Mixture mixture(weights, sizes, 10, 42);
  const auto order_with = [&](std::uint64_t place, List& memory) {
    const MixtureChange change[] = {{place, later}};
    memory.resize(MixturePhases::memory_for(3, 1));
    return *MixturePhases::once(mixture, change, memory);
  };
  List memory;
  List again_memory;
  List other_memory;
  const MixturePhases order = order_with(20, memory);
  const rankmap::Epoch before(Shard(order.size(), 1, 4), order);
  const auto state = rankmap::parse_sampler_state(to_string(*before.state_after(9)).view()).value();
  EXPECT_EQ(name(state.algorithm), "mixture-phases-1");
  const MixturePhases again = order_with(20, again_memory);
  EXPECT_EQ(*resume_at(state, again), 36U);
  EXPECT_EQ(resume_at(state, order_with(30, other_memory)).error().subject.view(),
            "SamplerState::digest");
  const rankmap::Epoch rest(Shard(again.size(), 2, 3, {.consumed = 36}), again);
  const List all = list(order);
  for (std::uint64_t k = 0; k != rest.size(); ++k) {
    if (!rest.is_padding(k)) {
      EXPECT_EQ(rest[k], all[36 + 2 + 3 * k]);
    }
  }
  // What was read without the change goes on with it.
  const MixtureOrder plain = mixture.order(MixtureStop::endless);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 20, plain.begin()));
  // The next epoch is another order of the same samples.
  List next_memory(MixturePhases::memory_for(3, 0));
  const MixturePhases next = *MixturePhases::once(mixture, {}, next_memory, 1);
  const auto end = before.state_after(before.size()).value();
  EXPECT_EQ(end.epoch, 1U);
  EXPECT_EQ(state_of(next)->epoch, 1U);
  List sorted = list(next);
  EXPECT_NE(sorted, all);
  std::sort(sorted.begin(), sorted.end());
  for (std::uint64_t k = 0; k != 130; ++k) ASSERT_EQ(sorted[k], k);
}

TEST(MixturePhases, begin_where_a_mixture_was_resumed) {
  const List weights = {1, 1};
  const List sizes = {10, 10};
  const List drawn = {4, 10};
  const Mixture rest = *Mixture::resume(weights, sizes, drawn, 2, 42);
  List memory(MixturePhases::memory_for(2, 0));
  const MixturePhases order = *MixturePhases::once(rest, {}, memory);
  EXPECT_EQ(order.size(), 6U);
  EXPECT_EQ(order.drawn(0, 6), 10U);
  EXPECT_EQ(order.drawn(1, 6), 10U);
}

TEST(MixturePhases, name_a_change_that_cannot_be) {
  const List weights = {1, 1};
  const List sizes = {10, 20};
  const List none = {0, 0};
  const List three = {1, 1, 1};
  const Mixture mixture(weights, sizes, 4, 42);
  const auto reason = [&](const std::vector<MixtureChange>& changes, MixtureStop stop, bool once,
                          std::size_t numbers = 100) {
    List memory(numbers);
    const auto made = once ? MixturePhases::once(mixture, changes, memory)
                           : MixturePhases::make(mixture, changes, stop, memory);
    return made ? std::string("none") : std::string(message(made.error()).view());
  };
  const MixtureStop first = MixtureStop::first_exhausted;
  EXPECT_EQ(reason({{8, weights}, {8, weights}}, first, false), "none");
  EXPECT_EQ(
      reason({{6, weights}}, first, false),
      "changes[0].place=\"6\": expected the end of a block, of which the next is at 8; change "
      "the weights there");
  EXPECT_EQ(reason({{18, weights}}, first, false),
            "changes[0].place=\"18\": expected the end of a block, of which the next is at 19; "
            "change the weights there");
  EXPECT_EQ(reason({{19, weights}}, first, false), "none");
  EXPECT_EQ(reason({{8, weights}, {4, weights}}, first, false),
            "changes[1].place=\"4\": expected at least 8, the place of the change before; sort the "
            "changes by place");
  EXPECT_EQ(
      reason({{24, weights}}, first, false),
      "changes[0].place=\"24\": expected at most 19, where the mixture ends; leave the change "
      "out");
  EXPECT_EQ(reason({{23, weights}}, first, true), "none");
  EXPECT_EQ(
      reason({{31, weights}}, first, true),
      "changes[0].place=\"31\": expected at most 30, where the mixture ends; leave the change "
      "out");
  EXPECT_EQ(
      reason({{8, none}}, first, false),
      "weights=\"\": expected a weight above 0; pass a whole number for each set, such as 7, 2 "
      "and 1");
  EXPECT_EQ(reason({{8, three}}, first, false),
            "sizes.size()=\"2\": expected 3, one for each weight; pass the weight and the size of "
            "each set");
  EXPECT_EQ(
      reason({}, first, false, 4),
      "memory.size()=\"4\": expected at least 5 numbers; pass MixturePhases::memory_for(sets, "
      "changes) of them");
  EXPECT_EQ(reason({}, first, true, MixturePhases::memory_for(2, 0)), "none");
}

}  // namespace
