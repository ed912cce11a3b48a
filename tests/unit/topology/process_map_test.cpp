// SPDX-License-Identifier: MIT
//
// What a process knows by the map of Slurm's PMIx server, where nothing else of the step is left.
#include <rankmap/environment/environment.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::Layout;
using rankmap::Topology;

constexpr auto resolve(std::string_view rank, std::string_view map) {
  const FixedEnvironment env({{"PMIX_RANK", rank},
                              {"PMIX_NAMESPACE", "slurm.pmix.7.0"},
                              {"SLURM_PMIX_MAPPING_SERV", map}});
  return Topology::from_environment(env);
}

static_assert(resolve("2", "(vector,(0,2,2))").value().world_size() == 4);
static_assert(resolve("2", "(vector,(0,2,2))").value().local_rank() == 0);
static_assert(resolve("2", "(vector,(0,2,2))").value().node_rank() == 1);

/// All maps of one to three blocks of up to two nodes with up to two ranks each.
std::vector<std::string> small_maps() {
  std::vector<std::string> blocks;
  for (const char* const first : {"0", "1", "2"}) {
    for (const char* const nodes : {"1", "2"}) {
      for (const char* const each : {"1", "2"}) {
        blocks.push_back(std::string(",(") + first + "," + nodes + "," + each + ")");
      }
    }
  }
  std::vector<std::string> maps(blocks.begin(), blocks.end());
  for (const std::string& a : blocks) {
    for (const std::string& b : blocks) {
      maps.push_back(a + b);
      for (const std::string& c : blocks) maps.push_back(a + b + c);
    }
  }
  return maps;
}

bool has_empty_node(const Layout& layout) {
  for (int node = 0; node != layout.node_count(); ++node) {
    if (layout.local_world_size(node) == 0) return true;
  }
  return false;
}

TEST(ProcessMap, gives_each_rank_what_the_layout_has) {
  int checked = 0;
  for (const std::string& blocks : small_maps()) {
    const std::string map = "(vector" + blocks + ")";
    const auto layout = Layout::from_pmi_vector(map);
    if (!layout || has_empty_node(*layout)) continue;  // no step has such a node
    for (int rank = 0; rank != layout->world_size(); ++rank) {
      const auto me = resolve(std::to_string(rank), map);
      ASSERT_TRUE(me) << map << ' ' << message(me.error());
      EXPECT_EQ(me->rank(), rank);
      EXPECT_EQ(me->world_size(), layout->world_size());
      EXPECT_EQ(me->local_rank(), layout->local_rank_of(rank)) << map << ' ' << rank;
      EXPECT_EQ(me->local_world_size(), layout->local_world_size(layout->node_of(rank)));
      EXPECT_EQ(me->node_rank(), layout->node_of(rank));
      EXPECT_EQ(me->node_count(), layout->node_count());
      ASSERT_TRUE(me->layout());
      EXPECT_EQ(*me->layout(), *layout);
      ++checked;
    }
    EXPECT_FALSE(resolve(std::to_string(layout->world_size()), map));
  }
  EXPECT_GT(checked, 7000);
}

TEST(ProcessMap, is_not_believed_in_part) {
  for (const std::string map :
       {"", "vector", "(vector", "(vector,", "(vector)", "(vector,)", "(vector,(0,2,2)",
        "(vector,(0,2,2)),", "(vector,(0,2,2))x", "(vector,(0,2,))", "(vector,(0,-2,2))",
        "(vector(0,2,2))", "(vector,(0,2,2),)", "(vector,(0,2147483647,2))",
        "(vector,(2147483647,2,2))", "(vector,(0,99999999999999999999,2))", "(flat,(0,2,2))"}) {
    const auto me = resolve("1", map);
    ASSERT_FALSE(me) << map;
    EXPECT_EQ(me.error().code, Errc::missing) << map;
  }
}

}  // namespace
