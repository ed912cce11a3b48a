// SPDX-License-Identifier: MIT
//
// Who allocates: nobody on the way to rank, world size and local rank.
#include "support/files.hpp"

#include <rankmap/environment.hpp>
#include <rankmap/explain.hpp>
#include <rankmap/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

namespace {

std::size_t allocations = 0;

}  // namespace

// Counts what the program asks the heap for.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// Not inlined: there g++ 12 takes free() for the wrong one.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

TEST(Allocation, is_counted_here) {
  const std::size_t before = allocations;
  auto* const number = new int(3);
  EXPECT_EQ(*number, 3);
  delete number;
  EXPECT_GT(allocations, before);
}

TEST(Allocation, is_not_needed_for_any_recorded_job) {
  int processes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RANKMAP_TEST_DIR "/captures")) {
    if (entry.path().extension() != ".env") continue;
    const std::string text = rankmap_test::text_of(entry.path().string());
    const rankmap::RecordedEnvironment environment(text);
    const std::size_t before = allocations;
    const auto topology = rankmap::Topology::from_environment(environment);
    const int sum = topology ? topology->rank() + topology->world_size() + topology->local_rank()
                             : message(topology.error()).c_str()[0];
    const std::size_t explained = topology ? explain(*topology).size() : 0;
    EXPECT_EQ(allocations, before) << entry.path() << sum << explained;
    ++processes;
  }
  EXPECT_GT(processes, 40);
}

TEST(Allocation, serves_host_lists_too_long_to_hold_in_place_and_nothing_else) {
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

}  // namespace
