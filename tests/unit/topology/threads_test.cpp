// SPDX-License-Identifier: MIT
//
// Any number of threads may resolve environments and read one object. Every thread must get the
// result that one thread alone gets. The preset tsan checks for races.
#include <rankmap/rankmap.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int thread_count = 8;

/// A digest of everything that was read, in order.
class Digest {
 public:
  void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x100000001b3U; }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  template <class Range>
  void add_all(Range&& range) {
    for (const auto value : range) add(static_cast<std::uint64_t>(value));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// What `read` finds, alone and then in many threads at once.
void expect_the_same_in_all_threads(const std::function<void(Digest&)>& read) {
  Digest alone;
  read(alone);
  std::vector<std::uint64_t> found(thread_count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i != found.size(); ++i) {
    threads.emplace_back([&read, &found, i] {
      Digest mine;
      read(mine);
      found[i] = mine.value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t value : found) EXPECT_EQ(value, alone.value());
}

void add(Digest& digest, const rankmap::Result<rankmap::Topology>& topology) {
  digest.add(topology ? explain(*topology).view() : message(topology.error()).view());
}

constexpr rankmap::FixedEnvironment slurm({
    {"SLURM_PROCID", "2"},
    {"SLURM_LOCALID", "0"},
    {"SLURM_NODEID", "1"},
    {"SLURM_GTIDS", "2,3"},
    {"SLURM_STEP_NUM_TASKS", "4"},
    {"SLURM_STEP_NUM_NODES", "2"},
    {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
    {"SLURM_STEP_NODELIST", "node-with-a-name-too-long-to-hold-in-place-[01-02],"},
    {"SLURMD_NODENAME", "node-with-a-name-too-long-to-hold-in-place-02"},
    {"CUDA_VISIBLE_DEVICES", "3,1"},
});

TEST(Threads, resolve_the_process_environment_at_once) {
  expect_the_same_in_all_threads(
      [](Digest& digest) { add(digest, rankmap::Topology::from_environment()); });
}

TEST(Threads, resolve_one_environment_at_once) {
  expect_the_same_in_all_threads([](Digest& digest) {
    for (int i = 0; i != 20; ++i) {
      add(digest, rankmap::Topology::from_environment(slurm));
      digest.add(explain(visible_devices(rankmap::DeviceKind::cuda, slurm, 4)).view());
    }
  });
}

TEST(Threads, read_one_topology_at_once) {
  const auto topology = rankmap::Topology::from_environment(slurm).value();
  ASSERT_TRUE(topology.layout());
  expect_the_same_in_all_threads([&](Digest& digest) {
    const rankmap::Topology copy = topology;
    digest.add(explain(copy).view());
    for (int rank = 0; rank != topology.world_size(); ++rank) {
      digest.add(topology.host_of(rank)->view());
    }
  });
}

TEST(Threads, read_one_layout_of_each_kind_at_once) {
  std::vector<int> counts;
  std::vector<int> node_of_rank;
  for (int i = 0; i != 500; ++i) {
    counts.push_back(i % 7 + 1);
    node_of_rank.push_back((i * 37 + i / 3) % 41);
  }
  const rankmap::Layout layouts[] = {
      rankmap::Layout::plane(16, 8, 3),
      rankmap::Layout::from_counts(counts, rankmap::Distribution::cyclic).value(),
      rankmap::Layout::from_nodes(node_of_rank).value()};
  expect_the_same_in_all_threads([&](Digest& digest) {
    for (const rankmap::Layout& layout : layouts) {
      for (int rank = 0; rank != layout.world_size(); ++rank) {
        const rankmap::Place place = layout.place_of(rank);
        digest.add_all(std::vector<int>{place.node, layout.rank_of(place)});
      }
      for (int node = 0; node != layout.node_count(); ++node) digest.add_all(layout.ranks_on(node));
      digest.add_all(layout.rail(1));
    }
  });
}

TEST(Threads, read_one_host_list_at_once) {
  const auto hosts =
      rankmap::HostList::parse("rack[0-9]node[001-040],login[1-3],rack[0-9]node[001-040]").value();
  expect_the_same_in_all_threads([&](Digest& digest) {
    for (const auto& host : hosts) digest.add(host.view());
    digest.add(hosts.find("login2").value_or(0));
    digest.add(hosts.str().view());
  });
}

TEST(Threads, read_one_mesh_at_once) {
  const auto mesh = rankmap::Mesh::make({{"pp", 2}, {"dp", 4}, {"tp", 8}}).value();
  expect_the_same_in_all_threads([&](Digest& digest) {
    for (const auto& group : mesh.groups("dp-tp")) digest.add_all(group);
    for (const int rank : mesh.ranks()) {
      digest.add_all(mesh.coordinate(rank));
      digest.add_all(mesh.group("tp", rank));
    }
  });
}

TEST(Threads, read_one_sampler_of_each_kind_at_once) {
  const rankmap::Permutation permutation(1000, 7, 3);
  const rankmap::Sampler sampler(1000, 1, 3, {.seed = 7});
  const auto epoch = sampler.epoch(2);
  const rankmap::DistributedSampler distributed(1000, 3, 1);
  const rankmap::RandomSampler random(1000);
  const rankmap::BatchShard batches(1000, 16, 1, 3);
  expect_the_same_in_all_threads([&](Digest& digest) {
    for (std::uint64_t i = 0; i != 1000; ++i) {
      digest.add(permutation[i]);
      digest.add(permutation.index_of(i));
    }
    digest.add_all(epoch);
    digest.add_all(sampler.epoch(4));
    digest.add_all(distributed.epoch(4));
    digest.add_all(random.epoch(4));
    for (std::uint64_t step = 0; step != batches.steps(); ++step)
      digest.add_all(batches.batch(step));
  });
}

}  // namespace
