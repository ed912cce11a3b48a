// SPDX-License-Identifier: MIT
//
// No allocation is needed for rank, world size and local rank. A failed allocation leaks nothing.
#include "support/files.hpp"
#include "support/heap.hpp"
#include "support/variable.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/hosts/host_sources.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/topology.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/randperm.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap_test::set_variable;
using rankmap_test::heap::allocations;
using rankmap_test::heap::asked;
using rankmap_test::heap::bytes;
using rankmap_test::heap::fails;
using rankmap_test::heap::held;
using rankmap_test::heap::peak;

TEST(Allocation, is_counted_by_this_test) {
  const std::size_t before = allocations;
  const std::size_t held_before = held;
  void* const memory = ::operator new(3);  // a new expression might be left out
  EXPECT_GT(allocations, before);
  EXPECT_EQ(held, held_before + 1);
  ::operator delete(memory);
  EXPECT_EQ(held, held_before);
}

/// A layout that follows no rule is a list of all ranks.
TEST(Allocation, is_needed_by_recorded_jobs_without_a_rule_only) {
  int processes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RANKMAP_TEST_DIR "/recordings")) {
    if (entry.path().extension() != ".env") continue;
    const std::string text = rankmap_test::text_of(entry.path().string());
    const rankmap::RecordedEnvironment environment(text);
    const std::size_t before = allocations;
    const auto topology = rankmap::Topology::from_environment(environment);
    const int sum = topology ? topology->rank() + topology->world_size() + topology->local_rank()
                             : message(topology.error()).c_str()[0];
    const std::size_t explained = topology ? explain(*topology).size() : 0;
    const bool has_list = topology && topology->layout() &&
                          topology->layout()->distribution() == rankmap::Distribution::arbitrary;
    EXPECT_EQ(allocations - before, has_list ? 1U : 0U) << entry.path() << sum << explained;
    ++processes;
  }
  EXPECT_GT(processes, 40);
}

TEST(Allocation, is_not_needed_for_traces_and_operators_words) {
  constexpr std::string_view texts[] = {
      "E_RANK=5\nSLURM_NODEID=1\nD_RANK=4\nC_RANK=3\nB_RANK=2\nA_RANK=1",
      "RANKMAP_IGNORE=srun,pmix\nRANKMAP_STRICT=1\nRANKMAP_LAUNCHER=none",
      "RANKMAP_IGNORE=srun,slrum\nSLURM_PROCID=0",
      "RANKMAP_LAUNCHER=srun",
  };
  for (const std::string_view text : texts) {
    const rankmap::RecordedEnvironment environment(text);
    const std::size_t before = allocations;
    const auto topology = rankmap::Topology::from_environment(environment);
    const auto required =
        rankmap::Topology::from_environment(environment, {.require_launcher = true});
    EXPECT_EQ(allocations, before) << text << topology.has_value() << required.has_value();
  }
}

TEST(Allocation, is_not_needed_to_look_at_the_processes_above) {
  set_variable("RANKMAP_TEST_VARIABLE", "text");
  const rankmap::ProcessEnvironment process;
  const std::size_t before = allocations;
  int unlike = process.started_with("RANKMAP_TEST_VARIABLE") != true ? 1 : 0;
  for (const rankmap::Ancestor& ancestor : process.ancestors()) {
    unlike += ancestor.started_with("RANKMAP_TEST_VARIABLE", "text") != true ? 1 : 0;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GT(unlike, 0);
}

TEST(Allocation, is_needed_for_long_host_lists_only) {
  std::string hosts = "n1";
  for (int i = 2; i <= 100; ++i) hosts += ",rack" + std::to_string(i) + "-n1";
  std::string gtids = "0";
  const std::string text =
      "SLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NODEID=0\nSLURM_GTIDS=0\nSLURM_STEP_NUM_TASKS=100\n"
      "SLURM_STEP_NUM_NODES=100\nSLURM_STEP_TASKS_PER_NODE=1(x100)\nSLURMD_NODENAME=n1\n"
      "SLURM_STEP_NODELIST=" +
      hosts;
  const rankmap::RecordedEnvironment environment(text);
  const std::size_t before = allocations;
  const auto topology = rankmap::Topology::from_environment(environment);
  const std::size_t after = allocations;
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(topology->hosts().size(), 100U);
  EXPECT_LE(after - before, 2U);  // the list, and at most one copy of it
}

/// Lets each allocation of `work` fail once, in turn, and returns their number. Checks that nothing
/// leaks.
template <class Work>
std::size_t failures_of(const Work& work) {
  for (std::size_t failures = 0;; ++failures) {
    const std::size_t before = held;
    bool failed = false;
    fails = failures + 1;
    try {
      work();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    fails = 0;
    EXPECT_EQ(held, before) << "allocation " << failures + 1;
    if (!failed) return failures;
  }
}

bool run_blocked(rankmap::detail::Mt19937& engine, std::vector<std::uint32_t>& values) {
  rankmap::detail::Buffer<std::uint32_t> queues;
  return rankmap::detail::BlockedShuffle::run(engine, values.data(), values.size(), queues);
}

TEST(Allocation, failure_leaks_nothing) {
  std::string hosts = "n1";
  std::string file = "# hosts\n";
  for (int i = 2; i <= 100; ++i) {
    hosts += ",rack" + std::to_string(i) + "-n1";
    file += "rack" + std::to_string(i) + "-n1 slots=2 // two\n";
  }
  const std::string text =
      "SLURM_PROCID=0\nSLURM_LOCALID=0\nSLURM_NODEID=0\nSLURM_GTIDS=0\nSLURM_STEP_NUM_TASKS=100\n"
      "SLURM_STEP_NUM_NODES=100\nSLURM_STEP_TASKS_PER_NODE=1(x100)\nSLURMD_NODENAME=n1\n"
      "SLURM_STEP_NODELIST=" +
      hosts;
  const rankmap::RecordedEnvironment environment(text);
  EXPECT_GE(failures_of([&] {
              const auto topology = rankmap::Topology::from_environment(environment);
              if (!topology || topology->hosts().size() != 100) std::abort();
            }),
            1U);
  EXPECT_GE(failures_of([&] {
              const auto table = rankmap::parse_hosts(rankmap::HostFormat::open_mpi_file, file);
              if (!table || table->total_slots() != 198) std::abort();
            }),
            3U);
  EXPECT_GE(failures_of([&] {
              std::vector<int> nodes;
              for (int rank = 0; rank != 300; ++rank) nodes.push_back(rank * 7 % 100);
              const auto layout = rankmap::Layout::from_nodes(nodes);
              if (!layout || layout->node_of(299) != 93) std::abort();
            }),
            3U);
}

TEST(Allocation, failure_leaves_the_blocked_shuffle_undone) {
  using rankmap::detail::Mt19937;
  constexpr std::uint64_t size = 300000;
  std::vector<std::uint32_t> values(size, 7);
  Mt19937 engine(5);
  for (const std::size_t nth : {1U, 2U}) {  // the memory of the queues, then the queues
    const std::size_t before = held;
    fails = nth;
    const bool done = run_blocked(engine, values);
    fails = 0;
    EXPECT_FALSE(done);
    EXPECT_EQ(held, before);
    EXPECT_EQ(engine, Mt19937(5));
    EXPECT_EQ(values, std::vector<std::uint32_t>(size, 7));
  }
  EXPECT_TRUE(run_blocked(engine, values));
}

// Fresh memory costs more to touch than the shuffle.
TEST(Allocation, of_an_epoch_in_the_memory_of_the_one_before_is_none) {
  const rankmap::DistributedSampler sampler(200'000, 2, 1, {.seed = 3});
  std::vector<std::uint64_t> samples(sampler.size());
  auto epoch = sampler.epoch(0);
  epoch.fill(0, samples);
  const std::size_t before = allocations;
  for (int e = 1; e != 4; ++e) {
    epoch = sampler.epoch(e, 0, std::move(epoch));
    epoch.fill(0, samples);
  }
  EXPECT_EQ(allocations, before);
}

// Above 2^24 samples the queues are kept as well, from the second epoch on.
TEST(Allocation, of_a_large_epoch_in_the_memory_of_the_one_before_is_small) {
  using rankmap::TorchAlgorithm;
  using rankmap::TorchPermutation;
  constexpr std::uint64_t size = (std::uint64_t{1} << 24U) + 1000;
  TorchPermutation order(1, size, TorchAlgorithm::from_2_6, TorchPermutation());
  EXPECT_LT(order[size - 1], size);
  const std::size_t before = asked;
  order = TorchPermutation(2, size, TorchAlgorithm::from_2_6, std::move(order));
  EXPECT_LT(order[size - 1], size);
  EXPECT_LT(asked - before, 10'000U);
}

// As randperm promises; beside it there are 8 KiB for each of 23 regions.
TEST(Allocation, of_a_blocked_shuffle_is_a_third_of_the_array) {
  std::vector<std::uint32_t> values(3'000'000);
  rankmap::detail::Mt19937 engine(5);
  const std::size_t before = bytes;
  peak = before;
  EXPECT_TRUE(run_blocked(engine, values));
  EXPECT_EQ(bytes, before);
  EXPECT_LE(peak - before, 4'000'000U + 23 * 8'192 + 1'000);
  EXPECT_GE(peak - before, 4'000'000U);
}

}  // namespace
