// SPDX-License-Identifier: MIT
#include "support/simulated_gather.hpp"
#include "support/summary.hpp"

#include <rankmap/topology/gather_hosts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Distribution;
using rankmap::Errc;
using rankmap::gather_hosts;
using rankmap::HostIdentity;
using rankmap::Layout;
using rankmap::Result;
using rankmap::Topology;
using rankmap::TopologyField;
using rankmap_test::expect_all;

// A number that a rank does not know is sent as -1.
static_assert(rankmap::detail::HostRecord().identity == 0 &&
              rankmap::detail::HostRecord().layout == 0 &&
              rankmap::detail::HostRecord().node_count == -1);

/// One process of a simulated job.
struct Process {
  Topology topology;
  std::string host;
  std::uint64_t identity = 0;
};

class World {
 public:
  void add(Process process) { processes_.push_back(std::move(process)); }

  /// The results of all ranks, in rank order.
  std::vector<Result<Topology>> gather() const {
    return rankmap_test::gather_all(
        processes_.size(), 256,
        [this](std::size_t rank, const auto& all_gather) {
          const Process& process = processes_[rank];
          return gather_hosts(process.topology, HostIdentity(process.host, process.identity),
                              all_gather);
        },
        spoil_);
  }

  void spoil(const rankmap_test::Spoil& change) { spoil_ = change; }

 private:
  std::vector<Process> processes_;
  rankmap_test::Spoil spoil_;
};

/// A job as Open MPI sets it: ranks, local ranks and local sizes, no nodes.
World job(const std::vector<std::string>& host_of_rank) {
  World world;
  const int size = static_cast<int>(host_of_rank.size());
  for (int rank = 0; rank != size; ++rank) {
    const std::string& host = host_of_rank[static_cast<std::size_t>(rank)];
    const auto local = std::count(host_of_rank.begin(), host_of_rank.begin() + rank, host);
    const auto beside = std::count(host_of_rank.begin(), host_of_rank.end(), host);
    world.add({Topology::from_config({.rank = rank,
                                      .world_size = size,
                                      .local_rank = static_cast<int>(local),
                                      .local_world_size = static_cast<int>(beside)})
                   .value(),
               host});
  }
  return world;
}

TEST(GatherHosts, returns_the_same_layout_and_hosts_on_every_rank) {
  const std::vector<std::string> hosts = {"n3", "n1", "n3", "n2", "n1", "n3"};
  const auto ranks = job(hosts).gather();
  for (std::size_t rank = 0; rank != ranks.size(); ++rank) {
    ASSERT_TRUE(ranks[rank]) << message(ranks[rank].error()).view();
    const Topology& mine = *ranks[rank];
    EXPECT_EQ(mine.rank(), static_cast<int>(rank));
    EXPECT_EQ(mine.node_count(), 3);
    EXPECT_EQ(mine.hosts().str().view(), "n[3,1-2]");  // in the order of their lowest ranks
    EXPECT_EQ(mine.host(), hosts[rank]);
    for (std::size_t other = 0; other != hosts.size(); ++other) {
      EXPECT_EQ(mine.host_of(static_cast<int>(other))->view(), hosts[other]);
    }
    EXPECT_EQ(*mine.layout(), *ranks[0]->layout());
    EXPECT_TRUE(mine.warnings().empty());
  }
  EXPECT_EQ(ranks[5]->node_rank(), 0);
  EXPECT_EQ(ranks[5]->local_rank(), 2);
  EXPECT_EQ(ranks[3]->node_rank(), 2);
}

TEST(GatherHosts, numbers_local_ranks_if_only_rank_and_size_are_known) {
  const std::vector<std::string> hosts = {"b", "a", "b", "b", "a"};
  std::vector<std::byte> all;
  for (int round = 0; round != 2; ++round) {
    for (int rank = 0; rank != 5; ++rank) {
      const auto topology =
          gather_hosts(rank, 5, hosts[static_cast<std::size_t>(rank)],
                       [&](std::span<const std::byte> mine, std::span<std::byte> to) {
                         if (round == 0) {
                           all.insert(all.end(), mine.begin(), mine.end());
                           return false;
                         }
                         std::copy(all.begin(), all.end(), to.begin());
                         return true;
                       });
      if (round == 0) continue;
      ASSERT_TRUE(topology) << message(topology.error()).view();
      constexpr int local[] = {0, 0, 1, 2, 1};
      constexpr int node[] = {0, 1, 0, 0, 1};
      EXPECT_EQ(topology->local_rank(), local[rank]);
      EXPECT_EQ(topology->node_rank(), node[rank]);
      EXPECT_EQ(topology->local_world_size(), node[rank] == 0 ? 3 : 2);
      EXPECT_EQ(topology->origin(rankmap::TopologyField::local_rank).source, "gather_hosts");
    }
  }
}

TEST(GatherHosts, identity_separates_machines_with_one_name) {
  World world;
  for (int rank = 0; rank != 4; ++rank) {
    world.add(
        {Topology::from_config({.rank = rank, .world_size = 4, .local_rank = rank % 2}).value(),
         "localhost", rankmap::machine_identity(rank < 2 ? "boot-1" : "boot-2")});
  }
  for (const auto& rank : world.gather()) {
    ASSERT_TRUE(rank) << message(rank.error()).view();
    EXPECT_EQ(rank->node_count(), 2);
    EXPECT_EQ(*rank->layout(), Layout::block(2, 2));
  }
}

TEST(MachineIdentity, is_never_zero) {
  EXPECT_EQ(rankmap::detail::hash_text("!0IC=VloaY", 0), 0U);  // a text with this rare hash
  EXPECT_EQ(rankmap::machine_identity("!0IC=VloaY"), 1U);
  EXPECT_NE(rankmap::machine_identity("boot-1"), rankmap::machine_identity("boot-2"));
}

TEST(GatherHosts, keeps_names_with_dots_whole) {
  for (const auto& rank : job({"n.east", "n.west"}).gather()) {
    ASSERT_TRUE(rank);
    EXPECT_EQ(rank->node_count(), 2);
  }
}

TEST(GatherHosts, keeps_two_agents_on_one_machine_as_two_nodes) {
  World world;
  for (int rank = 0; rank != 4; ++rank) {
    world.add({Topology::from_config({.rank = rank,
                                      .world_size = 4,
                                      .local_rank = rank % 2,
                                      .local_world_size = 2,
                                      .node_rank = 1 - rank / 2,
                                      .node_count = 2})
                   .value(),
               "machine"});
  }
  const auto ranks = world.gather();
  for (const auto& rank : ranks) {
    ASSERT_TRUE(rank) << message(rank.error()).view();
    EXPECT_EQ(rank->hosts().str().view(), "machine,machine");
  }
  EXPECT_EQ(ranks[0]->node_rank(), 1);  // the launcher's number
  EXPECT_EQ(ranks[0]->layout()->node_of(0), 1);
}

TEST(GatherHosts, warns_of_unordered_local_ranks_on_every_rank) {
  World world;
  for (int rank = 0; rank != 3; ++rank) {
    world.add({Topology::from_config({.rank = rank, .world_size = 3, .local_rank = (rank + 1) % 3})
                   .value(),
               "n"});
  }
  for (const auto& rank : world.gather()) {
    ASSERT_TRUE(rank) << message(rank.error()).view();
    EXPECT_EQ(rank->local_rank(), (rank->rank() + 1) % 3);
    ASSERT_EQ(rank->warnings().size(), 1U);
    EXPECT_EQ(rank->warnings()[0].variable, "local_rank");
  }
}

TEST(GatherHosts, names_two_ranks_with_one_local_rank) {
  World world;
  for (int rank = 0; rank != 3; ++rank) {
    world.add(
        {Topology::from_config({.rank = rank, .world_size = 3, .local_rank = rank == 2 ? 1 : rank})
             .value(),
         "n1"});
  }
  expect_all(
      world.gather(), Errc::duplicate_place,
      "ranks 1 and 2=\"n1, local rank 1\": expected a different local rank for each; give each "
      "host a name of its own; in the program, pass one name and identity on all ranks of a host");
}

/// Jobs that contradict their hosts: what every rank knows about itself, and where it runs.
struct Unborne {
  std::vector<Config> ranks;
  std::vector<std::string> hosts;
  Errc code;
  std::string message;
};

TEST(GatherHosts, refuses_numbers_that_contradict_the_hosts) {
  const Unborne jobs[] = {
      {{{.rank = 0, .world_size = 3, .local_rank = 0, .local_world_size = 2},
        {.rank = 1, .world_size = 3, .local_rank = 0},
        {.rank = 2, .world_size = 3, .local_rank = 0}},
       {"pod-0", "pod-1", "pod-0"},
       Errc::duplicate_place,
       "ranks 0 and 2=\"pod-0, local rank 0\": expected a different local rank for each; give each "
       "host a name of its own; in the program, pass one name and identity on all ranks of a host"},
      {{{.rank = 0, .world_size = 3, .local_rank = 0, .local_world_size = 2},
        {.rank = 1, .world_size = 3, .local_rank = 1, .local_world_size = 2},
        {.rank = 2, .world_size = 3, .local_rank = 0}},
       {"pod-0", "pod-1", "pod-2"},
       Errc::inconsistent,
       "local_world_size of rank 0=\"2\": expected 1, the number of ranks on its host; give each "
       "host one name; in the program, pass one name and identity on all ranks of a host"},
      {{{.rank = 0, .world_size = 3, .local_rank = 0, .node_rank = 0},
        {.rank = 1, .world_size = 3, .local_rank = 0, .node_rank = 2},
        {.rank = 2, .world_size = 3, .local_rank = 1, .node_rank = 2}},
       {"a", "b", "b"},
       Errc::inconsistent,
       "node 1=\"no rank\": expected a rank on each of the nodes 0 to 2; correct the node ranks "
       "and the node count; in the program, gather over the whole job"},
      {{{.rank = 0, .world_size = 3, .local_rank = 0},
        {.rank = 1, .world_size = 3, .local_rank = 0, .node_rank = 0},
        {.rank = 2, .world_size = 3, .local_rank = 1, .node_rank = 0}},
       {"a", "b", "b"},
       Errc::inconsistent,
       "node_rank of rank 1=\"0\": expected 1, the node's place by its lowest rank, since not "
       "every rank has a node rank; set it on every rank or on none; in the program, pass "
       "Config::node_rank likewise"},
      {{{.rank = 0, .world_size = 3, .local_rank = 0, .node_count = 2},
        {.rank = 1, .world_size = 3, .local_rank = 1, .node_count = 2},
        {.rank = 2, .world_size = 3, .local_rank = 2, .node_count = 2}},
       {"a", "a", "a"},
       Errc::inconsistent,
       "node_count of rank 0=\"2\": expected 1, the number of gathered hosts; give each host one "
       "name; in the program, pass one name and identity on all ranks of a host"},
      {{{.rank = 0, .world_size = 3, .local_rank = 0, .node_rank = 0},
        {.rank = 1, .world_size = 3, .local_rank = 1, .node_rank = 0},
        {.rank = 2, .world_size = 3, .local_rank = 0, .node_rank = 1, .node_count = 3}},
       {"a", "a", "b"},
       Errc::inconsistent,
       "node 2=\"no rank\": expected a rank on each of the nodes 0 to 2; correct the node ranks "
       "and the node count; in the program, gather over the whole job"},
      // containers with names of their own
      {{{.rank = 0, .world_size = 2, .local_rank = 0},
        {.rank = 1, .world_size = 2, .local_rank = 1}},
       {"pod-0", "pod-1"},
       Errc::inconsistent,
       "local_rank of rank 1=\"1\": expected less than 1, the number of ranks on its host; give "
       "each host one name; in the program, pass one name and identity on all ranks of a host"},
      // rank 0 has another distribution, in which its own place is the same
      {{{.rank = 0, .tasks_per_node = "2,2", .distribution = Distribution::cyclic},
        {.rank = 1, .tasks_per_node = "2,2", .distribution = Distribution::block},
        {.rank = 2, .tasks_per_node = "2,2", .distribution = Distribution::block},
        {.rank = 3, .tasks_per_node = "2,2", .distribution = Distribution::block}},
       {"a", "a", "b", "b"},
       Errc::inconsistent,
       "layout of rank 0=\"a different one\": expected the layout of the gathered hosts; start all "
       "ranks with the same variables; in the program, pass the same Config"},
      // a node without ranks: no rank sends its host
      {{{.rank = 0, .tasks_per_node = "2,1,0", .distribution = Distribution::block},
        {.rank = 1, .tasks_per_node = "2,1,0", .distribution = Distribution::block},
        {.rank = 2, .tasks_per_node = "2,1,0", .distribution = Distribution::block}},
       {"a", "a", "b"},
       Errc::inconsistent,
       "node 2=\"no rank\": expected a rank on each of the nodes 0 to 2; correct the node ranks "
       "and the node count; in the program, gather over the whole job"},
  };
  for (const Unborne& job : jobs) {
    World world;
    for (std::size_t rank = 0; rank != job.ranks.size(); ++rank) {
      const auto topology = Topology::from_config(job.ranks[rank]);
      ASSERT_TRUE(topology) << message(topology.error()).view();
      world.add({*topology, job.hosts[rank]});
    }
    expect_all(world.gather(), job.code, job.message);
  }
}

TEST(GatherHosts, accepts_the_layout_that_the_launcher_proved) {
  World world;
  for (int rank = 0; rank != 3; ++rank) {
    world.add({Topology::from_config(
                   {.rank = rank, .tasks_per_node = "2,1", .distribution = Distribution::cyclic})
                   .value(),
               rank == 1 ? "b" : "a"});
  }
  for (const auto& rank : world.gather()) {
    ASSERT_TRUE(rank) << message(rank.error()).view();
    EXPECT_EQ(rank->hosts().str().view(), "a,b");
    EXPECT_EQ(rank->layout()->node_of(2), 0);
    EXPECT_EQ(rank->origin(TopologyField::layout).source, "gather_hosts");
  }
}

TEST(GatherHosts, refuses_one_node_on_two_hosts) {
  World world;
  for (int rank = 0; rank != 2; ++rank) {
    world.add(
        {Topology::from_config({.rank = rank, .world_size = 2, .local_rank = 0, .node_rank = 1})
             .value(),
         rank == 0 ? "a" : "b"});
  }
  expect_all(
      world.gather(), Errc::inconsistent,
      "ranks 0 and 1=\"node 1\": expected the same host for ranks of the same node; give each host "
      "a name of its own; in the program, pass one name and identity on all ranks of a host");
}

TEST(GatherHosts, one_bad_name_is_an_error_on_every_rank) {
  World too_long;
  too_long.add(
      {Topology::from_config({.rank = 0, .world_size = 2, .local_rank = 0}).value(), "n1"});
  too_long.add({Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 1}).value(),
                std::string(300, 'x')});
  for (const auto& rank : too_long.gather()) {
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().code, Errc::gather_failed);
    EXPECT_EQ(rank.error().subject, "record of rank 1");
  }
  World nameless = job({"a", ""});
  expect_all(nameless.gather(), Errc::gather_failed,
             "record of rank 1=\"\": expected a host name of 1 to 208 bytes; give the host a name; "
             "in the program, pass the whole of it on every rank");
  World hostile;
  hostile.add({Topology::from_config({.rank = 0, .world_size = 1}).value(), "n[1-3]"});
  EXPECT_EQ(hostile.gather()[0].error().code, Errc::bad_host_list);
}

TEST(GatherHosts, detects_a_collective_that_mixed_its_ranks) {
  World world = job({"a", "b", "c"});
  world.spoil([](std::vector<std::byte>& all) { std::swap_ranges(&all[0], &all[256], &all[256]); });
  for (const auto& rank : world.gather()) {
    ASSERT_FALSE(rank);
    EXPECT_EQ(
        message(rank.error()).view(),
        "record of rank 0=\"rank 1 of 3\": expected the record of rank 0 of 3; start one program "
        "on all ranks; in the program, gather 256 bytes a rank, in rank order, over the whole job");
  }
  // a collective over a job of another size
  World foreign = job({"a", "b"});
  foreign.spoil([](std::vector<std::byte>& all) {
    rankmap::detail::HostRecord record;
    record.rank = 1;
    record.world_size = 3;
    record.name = "b";
    record.write(std::span<std::byte, 256>(&all[256], 256));
  });
  for (const auto& rank : foreign.gather()) {
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().found.view(), "rank 1 of 3");
    EXPECT_EQ(rank.error().expected.view(), "the record of rank 1 of 2");
  }
  // invalid bytes: a fault or a length beyond the last
  for (const std::size_t at : {44U, 46U}) {
    World garbled = job({"a", "b"});
    garbled.spoil(at == 44 ? [](std::vector<std::byte>& all) { all[256 + 44] = std::byte{3}; }
                           : [](std::vector<std::byte>& all) { all[256 + 46] = std::byte{209}; });
    const auto ranks = garbled.gather();
    ASSERT_FALSE(ranks[0]);
    EXPECT_EQ(ranks[0].error().found.view(), "no record");
    EXPECT_EQ(ranks[0].error().expected.view(), "the record of rank 1 of 2");
  }
  World highest;  // the highest node rank
  highest.add(
      {Topology::from_config({.rank = 0, .world_size = 1, .local_rank = 0, .node_rank = 0}).value(),
       "a"});
  highest.spoil([](std::vector<std::byte>& all) {
    for (const std::size_t at : {20U, 21U, 22U}) all[at] = std::byte{0xff};
    all[23] = std::byte{0x7f};
  });
  expect_all(highest.gather(), Errc::inconsistent,
             "node 0=\"no rank\": expected a rank on each of the nodes 0 to 2147483647; correct "
             "the node ranks and the node count; in the program, gather over the whole job");
  World nodeless = job({"a", "b"});  // no job has 0 nodes
  nodeless.spoil([](std::vector<std::byte>& all) {
    for (std::size_t at = 256 + 24; at != 256 + 28; ++at) all[at] = std::byte{0};
  });
  expect_all(nodeless.gather(), Errc::inconsistent,
             "node_count of rank 1=\"0\": expected 2, the number of gathered hosts; give each host "
             "one name; in the program, pass one name and identity on all ranks of a host");
  World zeros = job({"a", "b"});
  zeros.spoil([](std::vector<std::byte>& all) { std::fill(all.begin(), all.end(), std::byte{0}); });
  EXPECT_EQ(zeros.gather()[1].error().code, Errc::gather_failed);
}

TEST(GatherHosts, reads_a_record_only_as_it_would_be_written) {
  using rankmap::detail::HostRecord;
  std::byte good[HostRecord::bytes] = {};
  int read = 0;
  for (const std::string& host : {std::string(), std::string("n1"), std::string(208, 'n')}) {
    HostRecord sent;
    sent.name = host;
    sent.write(good);
    for (std::size_t at = 0; at != sizeof good; ++at) {
      for (const unsigned change : {1U, 0x20U, 0x80U, 0xffU}) {
        std::byte bytes[HostRecord::bytes] = {};
        std::copy(std::begin(good), std::end(good), bytes);
        bytes[at] ^= static_cast<std::byte>(change);
        HostRecord record;
        if (!HostRecord::read(bytes, record)) continue;
        ++read;
        std::byte again[HostRecord::bytes] = {};
        record.write(again);
        EXPECT_TRUE(std::equal(std::begin(bytes), std::end(bytes), again)) << at;
      }
    }
  }
  EXPECT_GT(read, 400);  // other numbers are other records
}

TEST(GatherHosts, knows_the_host_of_a_process_that_is_not_distributed) {
  World world;
  world.add({Topology::from_config({.local_rank = -1}).value(), "n1"});
  const auto alone = world.gather()[0];
  ASSERT_TRUE(alone) << message(alone.error()).view();
  EXPECT_EQ(alone->local_rank(), -1);
  EXPECT_EQ(alone->host(), "n1");
}

TEST(GatherHosts, refuses_an_impossible_rank_before_the_collective) {
  bool called = false;
  const auto topology =
      gather_hosts(3, 3, "n1", [&](std::span<const std::byte>, std::span<std::byte>) {
        called = true;
        return true;
      });
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().code, Errc::out_of_range);
  EXPECT_EQ(topology.error().subject, "Config::rank");
  EXPECT_FALSE(called);
}

// MPI's 0 for success would count as failure: an int is refused at compile time.
TEST(GatherHosts, handles_large_jobs) {
  // 2^16 ranks, round robin over 512 hosts; only one rank, since all are equal.
  constexpr int world = 1 << 16;
  constexpr int nodes = 512;
  // The records are written by hand: 2^16 calls with 16 MB each would take minutes.
  std::vector<std::byte> all(std::size_t{world} * 256);
  for (int rank = 0; rank != world; ++rank) {
    const std::string host =
        "r" + std::to_string(rank % nodes / 64) + "n" + std::to_string(rank % 64);
    rankmap::detail::HostRecord record;
    record.rank = rank;
    record.world_size = world;
    record.local_rank = rank / nodes;
    record.name = host;
    record.write({&all[static_cast<std::size_t>(rank) * 256], 256});
  }
  rankmap::detail::toggle_marks(all, 256);
  const auto mine = Topology::from_config({.rank = 7, .world_size = world, .local_rank = 0});
  const auto topology =
      gather_hosts(*mine, "r0n7", [&](std::span<const std::byte>, std::span<std::byte> to) {
        std::copy(all.begin(), all.end(), to.begin());
      });
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(*topology->layout(), Layout::cyclic(nodes, world / nodes));
  EXPECT_LT(topology->layout()->bytes(), 200U);
  EXPECT_EQ(topology->host_of(513)->view(), "r0n1");
}

}  // namespace
