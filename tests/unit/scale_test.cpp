// SPDX-License-Identifier: MIT
//
// A machine of 131,072 nodes and 2^20 processes, and data sets of 10^12 samples: larger than any
// that exists, so that none that will be is too large. Every answer is held against plain tables,
// or against the definition where there is no room for tables.
#include "support/large_machine.hpp"
#include "support/simulated_step.hpp"

#include <rankmap/layout/layout.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace {

using rankmap::Distribution;
using rankmap::Layout;
using rankmap::Topology;
using rankmap_test::LargeStep;
using rankmap_test::node_count;
using rankmap_test::SimulatedStep;

std::vector<int> sample_of_ranks(int world_size, int count) {
  std::mt19937 random(13);
  std::vector<int> ranks = {0, 1, world_size - 1};
  while (static_cast<int>(ranks.size()) < count) {
    ranks.push_back(static_cast<int>(random() % static_cast<unsigned>(world_size)));
  }
  return ranks;
}

// Every query of a layout against the tables: for all ranks and all nodes where nodes are even, for
// a seventh of them where some answers take a search.
void check_layout(const Layout& layout, const SimulatedStep& step) {
  ASSERT_EQ(layout.world_size(), step.world_size());
  ASSERT_EQ(layout.node_count(), step.node_count());
  const int stride = layout.is_even() && layout.distribution() != Distribution::arbitrary ? 1 : 7;
  std::size_t wrong = 0;
  for (int rank = 0; rank < layout.world_size(); rank += stride) {
    const auto at = static_cast<std::size_t>(rank);
    wrong += layout.node_of(rank) != step.node_of[at] ||
             layout.local_rank_of(rank) != step.local_of[at] ||
             layout.rank_of(step.node_of[at], step.local_of[at]) != rank;
  }
  EXPECT_EQ(wrong, 0U) << "ranks of " << layout.world_size();
  for (int node = 0; node < layout.node_count(); node += stride) {
    const std::vector<int>& ranks = step.ranks_on[static_cast<std::size_t>(node)];
    wrong += layout.local_world_size(node) != static_cast<int>(ranks.size()) ||
             layout.leader_of(node) != ranks.front() ||
             !std::equal(ranks.begin(), ranks.end(), layout.ranks_on(node).begin());
  }
  EXPECT_EQ(wrong, 0U) << "nodes of " << layout.node_count();
  for (int local = 0; local != layout.largest_local_world_size(); ++local) {
    std::vector<int> rail;
    for (const std::vector<int>& ranks : step.ranks_on) {
      if (local < static_cast<int>(ranks.size())) {
        rail.push_back(ranks[static_cast<std::size_t>(local)]);
      }
    }
    const auto found = layout.rail(local);
    ASSERT_EQ(static_cast<std::size_t>(found.size()), rail.size()) << "rail " << local;
    // A place on an uneven rail costs a search: a sample of them is enough.
    for (std::size_t k = 0; k < rail.size(); k += 97) {
      wrong += found[k] != rail[k] || layout.rail_index_of(rail[k]) != static_cast<int>(k) ||
               layout.next_on_rail(rail[k]) != rail[(k + 1) % rail.size()];
    }
  }
  EXPECT_EQ(wrong, 0U) << "places on rails";
}

class Scale : public testing::TestWithParam<LargeStep> {};

TEST_P(Scale, every_sampled_rank_finds_itself_and_everyone_in_its_own_environment) {
  const SimulatedStep step = rankmap_test::step_of(GetParam());
  ASSERT_EQ(step.world_size(), 1 << 20);
  const std::vector<int> ranks = sample_of_ranks(step.world_size(), 24);
  rankmap::OptionalLayout first;
  for (const int rank : ranks) {
    const auto at = static_cast<std::size_t>(rank);
    const rankmap::MapEnvironment env = step.environment_of(rank);
    const auto me = Topology::from_environment(env);
    ASSERT_TRUE(me) << message(me.error()).c_str();
    EXPECT_EQ(me->rank(), rank);
    EXPECT_EQ(me->world_size(), step.world_size());
    EXPECT_EQ(me->local_rank(), step.local_of[at]);
    EXPECT_EQ(me->local_world_size(), step.counts[static_cast<std::size_t>(step.node_of[at])]);
    EXPECT_EQ(me->node_rank(), step.node_of[at]);
    EXPECT_EQ(me->node_count(), node_count);
    EXPECT_EQ(me->host(), step.hosts[static_cast<std::size_t>(step.node_of[at])]);
    ASSERT_TRUE(me->layout());
    ASSERT_EQ(me->hosts().size(), step.hosts.size());
    for (const int other : ranks) {
      const auto node = static_cast<std::size_t>(step.node_of[static_cast<std::size_t>(other)]);
      ASSERT_TRUE(me->host_of(other));
      EXPECT_EQ(me->host_of(other)->view(), step.hosts[node]);
    }
    // What is known of the whole job is the same on every rank: one is checked whole.
    if (!first) {
      check_layout(*me->layout(), step);
      first = *me->layout();
    }
    EXPECT_TRUE(*me->layout() == *first);
  }
  const std::size_t most = GetParam().uneven ? 12U * step.node_of.size() : 200U;
  EXPECT_LE(first->bytes(), most);
  RecordProperty("layout_bytes", std::to_string(first->bytes()));
}

TEST_P(Scale, every_host_is_found_by_its_name_and_by_its_node) {
  const SimulatedStep step = rankmap_test::step_of(GetParam());
  const auto list = rankmap::HostList::parse(step.host_list);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), step.hosts.size());
  std::size_t wrong = 0;
  for (std::size_t node = 0; node < step.hosts.size(); node += 31) {
    wrong += (*list)[node] != step.hosts[node] || list->find(step.hosts[node]) != node;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_FALSE(list->find("r00c0n512"));
  EXPECT_FALSE(list->find("r32c0n000"));
}

INSTANTIATE_TEST_SUITE_P(of_131072_nodes, Scale, testing::ValuesIn(rankmap_test::large_steps),
                         [](const auto& which) { return std::string(which.param.name); });

TEST(Scale, a_layout_without_a_rule_is_exact_at_2_to_the_20_ranks) {
  SimulatedStep step("r[00-31]c[0-7]n[000-511]", rankmap_test::machine(),
                     std::vector<int>(node_count, 8), 0);
  std::mt19937 random(17);
  std::shuffle(step.node_of.begin(), step.node_of.end(), random);
  for (std::vector<int>& ranks : step.ranks_on) ranks.clear();
  for (std::size_t rank = 0; rank != step.node_of.size(); ++rank) {
    std::vector<int>& ranks = step.ranks_on[static_cast<std::size_t>(step.node_of[rank])];
    step.local_of[rank] = static_cast<int>(ranks.size());
    ranks.push_back(static_cast<int>(rank));
  }
  const auto layout = Layout::from_nodes(step.node_of, node_count);
  ASSERT_TRUE(layout);
  check_layout(*layout, step);
  EXPECT_LE(layout->bytes(), 8U * step.node_of.size() + sizeof(Layout));
}

// An epoch of 10^12 samples, stopped some 30 times at random places and resumed each time by
// another number of ranks from one line of saved text.
constexpr std::uint64_t samples = 1'000'000'000'000;

struct Leg {
  int world_size;
  rankmap::SamplerState from;
  std::uint64_t each;  // samples that each rank read before the stop
};

std::vector<Leg> random_legs(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Leg> legs;
  rankmap::SamplerState state{.seed = seed, .epoch = 3, .size = samples};
  while (state.epoch == 3) {
    const int world = 1 + static_cast<int>(random() % (1U << 20));
    const rankmap::Sampler sampler(samples, world - 1, world, {.seed = seed});
    const auto epoch = sampler.resume(state).value();
    const bool to_the_end = legs.size() == 30 || epoch.size() < 1000;
    const std::uint64_t each = to_the_end ? epoch.size() : random() % (epoch.size() / 4);
    legs.push_back({world, state, each});
    state = rankmap::parse_sampler_state(to_string(epoch.state_after(each).value()).view()).value();
  }
  return legs;
}

class HugeEpoch : public testing::TestWithParam<std::uint64_t> {};

// By algebra: with r ranks after c samples, the k-th of rank i is position c + k * r + i. So a leg
// in which each reads m is exactly the positions c ... c + r * m - 1, and the legs are the epoch
// if each begins where the one before ended.
TEST_P(HugeEpoch, the_legs_are_the_epoch_without_gap_or_overlap) {
  std::mt19937_64 random(GetParam());
  std::uint64_t expected_start = 0;
  for (const Leg& leg : random_legs(GetParam())) {
    ASSERT_EQ(leg.from.consumed, expected_start);
    const auto world = static_cast<std::uint64_t>(leg.world_size);
    for (int i = 0; i != 50; ++i) {
      const int rank = static_cast<int>(random() % world);
      const rankmap::Shard shard(samples, rank, leg.world_size, {.consumed = leg.from.consumed});
      ASSERT_LE(leg.each, shard.size());
      const std::uint64_t k = leg.each == 0 ? 0 : random() % leg.each;
      const std::uint64_t position =
          leg.from.consumed + k * world + static_cast<std::uint64_t>(rank);
      if (leg.each != 0 && position < samples) {
        EXPECT_EQ(shard[k], position);
        EXPECT_FALSE(shard.is_padding(k));
      } else if (leg.each != 0) {
        EXPECT_TRUE(shard.is_padding(k));
      }
    }
    expected_start += world * leg.each;
  }
  // Only the last leg may go beyond the end, by less than one sample a rank: padding.
  const Leg last = random_legs(GetParam()).back();
  EXPECT_GE(expected_start, samples);
  EXPECT_LT(expected_start - samples, static_cast<std::uint64_t>(last.world_size));
}

// By sampling: a random sample is read by exactly one rank of one leg, and what that rank reads
// there is the sample.
TEST_P(HugeEpoch, a_random_sample_is_read_by_one_rank_of_one_leg) {
  std::mt19937_64 random(GetParam());
  const std::vector<Leg> legs = random_legs(GetParam());
  for (int i = 0; i != 2000; ++i) {
    const std::uint64_t sample = random() % samples;
    int readers = 0;
    for (const Leg& leg : legs) {
      const auto any = rankmap::Sampler(samples, 0, leg.world_size, {.seed = GetParam()});
      const auto of_rank_0 = any.resume(leg.from).value();
      const std::uint64_t position =
          rankmap::Permutation(samples, GetParam(), leg.from.epoch).index_of(sample);
      if (position < leg.from.consumed) continue;  // an earlier leg's
      const rankmap::ShardIndex owner = of_rank_0.owner_of(sample);
      if (owner.index >= leg.each) continue;  // a later leg's
      ++readers;
      const rankmap::Sampler theirs(samples, owner.rank, leg.world_size, {.seed = GetParam()});
      EXPECT_EQ(theirs.resume(leg.from).value()[owner.index], sample);
    }
    ASSERT_EQ(readers, 1) << "sample " << sample;
  }
}

INSTANTIATE_TEST_SUITE_P(resumed, HugeEpoch, testing::Values(1, 2, 3, 4));

}  // namespace
