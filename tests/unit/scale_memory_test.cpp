// SPDX-License-Identifier: MIT
//
// What a process keeps and takes of memory for a job of 100,000 ranks, in bytes a rank, by what the
// heap counts; and that nothing grows faster than the job.
#include "support/heap.hpp"
#include "support/scaled_job.hpp"
#include "support/scaled_work.hpp"

#include <rankmap/domain/slurm_switches.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace {

namespace heap = rankmap_test::heap;
using rankmap_test::Kept;
using rankmap_test::ScaledJob;
using rankmap_test::ScaledWork;

struct Bytes {
  std::size_t held;   ///< afterwards
  std::size_t peak;   ///< the most at any time
  std::size_t asked;  ///< in all, given back or not
};

Bytes bytes_of(const ScaledWork& work, int ranks) {
  const auto run = work.prepare(ScaledJob{ranks});
  const std::size_t before = heap::bytes;
  const std::size_t asked_before = heap::asked;
  heap::peak = before;
  const Kept kept = run();
  return {heap::bytes - before, heap::peak - before, heap::asked - asked_before};
}

class ScaleMemory : public testing::TestWithParam<ScaledWork> {};

TEST_P(ScaleMemory, is_what_is_promised_for_each_rank) {
  constexpr std::size_t ranks = 100'000;
  const ScaledWork& work = GetParam();
  const Bytes bytes = bytes_of(work, ranks);
  EXPECT_LE(bytes.held, static_cast<std::size_t>(work.held) * ranks);
  EXPECT_LE(bytes.peak, static_cast<std::size_t>(work.peak) * ranks);
  EXPECT_GE(bytes.peak, 1U);  // what is kept, if nothing else
}

TEST_P(ScaleMemory, grows_no_faster_than_the_job) {
  const Bytes small = bytes_of(GetParam(), 8'000);
  const Bytes large = bytes_of(GetParam(), 80'000);
  // Ten times as many ranks. Arrays that double have up to twice as much room as they need.
  EXPECT_LE(large.held, 20 * small.held);
  EXPECT_LE(large.peak, 20 * small.peak);
  EXPECT_LE(large.asked, 20 * small.asked);
}

std::string test_name(const testing::TestParamInfo<ScaledWork>& work) {
  std::string out;
  for (const char c : std::string_view(work.param.name)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || (!out.empty() && out.back() != '_')) out += plain ? c : '_';
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(of_100000_ranks, ScaleMemory,
                         testing::ValuesIn(rankmap_test::scaled_work()), test_name);

TEST(ScaleMemory, bytes_are_counted_by_this_test) {
  const std::size_t before = heap::bytes;
  heap::peak = before;
  void* const memory = ::operator new(1000);
  EXPECT_EQ(heap::bytes, before + 1000);
  ::operator delete(memory);
  EXPECT_EQ(heap::bytes, before);
  EXPECT_EQ(heap::peak, before + 1000);
}

// A process asks for as many variables whatever the size of its job.
TEST(ScaleMemory, as_many_variables_are_read_in_a_large_job) {
  const auto reads = [](int ranks, bool even) {
    const ScaledJob job{ranks};
    const rankmap::MapEnvironment env = job.step(even, 0).environment_of(job.me());
    int count = 0;
    const auto counted = [&](std::string_view name) -> std::optional<std::string_view> {
      ++count;
      return env(name);
    };
    EXPECT_TRUE(rankmap::Topology::from_environment(counted));
    return count;
  };
  for (const bool even : {true, false}) EXPECT_EQ(reads(80'000, even), reads(800, even));
}

// The hosts of a job times the switches that list each: more than 2^22 are refused.
TEST(ScaleMemory, of_hosts_below_very_many_switches_has_a_bound) {
  std::string text;
  for (int i = 0; i != 50'000; ++i) {
    text += "BlockName=b" + std::to_string(i) + " Nodes=n[0-1048575]\n";
  }
  const auto switches = rankmap::SlurmSwitches::parse(text).value();
  const auto hosts = rankmap::HostList::parse("n[0-99]").value();
  const std::size_t before = heap::bytes;
  heap::peak = before;
  EXPECT_EQ(switches.domains_of(hosts).error().code, rankmap::Errc::limit_exceeded);
  EXPECT_LT(heap::peak - before, std::size_t{1} << 27U);
}

}  // namespace
