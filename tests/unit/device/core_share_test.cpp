// SPDX-License-Identifier: MIT
#include <rankmap/device/core_share.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

using rankmap::core_share;
using rankmap::CpuGroups;
using rankmap::CpuSet;
using rankmap::Errc;
using rankmap::LocalRank;
using rankmap::message;
using rankmap::one_thread_per_core;

constexpr CpuSet cpus(std::string_view list) { return *rankmap::parse_cpu_list(list); }

/// Cores of `threads` hardware threads: c, c + step, c + 2 * step, ...
constexpr CpuGroups cores_of(int threads, int step, int count) {
  CpuGroups cores;
  for (int core = 0; core != count; ++core) {
    CpuSet group;
    const int first = step == 1 ? threads * core : core;
    for (int i = 0; i != threads; ++i) group.insert(first + i * step);
    cores.insert(group);
  }
  return cores;
}

struct Row {
  std::string_view available;
  int threads;
  int step;
  int count;
  int ranks;
  std::string_view shares[4];
};
constexpr Row rows[] = {
    {"0-15", 2, 8, 8, 2, {"0-3,8-11", "4-7,12-15"}},
    {"0-15", 2, 8, 8, 3, {"0-2,8-10", "3-5,11-13", "6-7,14-15"}},
    {"0-15", 2, 1, 8, 2, {"0-7", "8-15"}},
    {"0-31", 4, 1, 8, 3, {"0-11", "12-23", "24-31"}},
    {"4-7,12-15", 2, 8, 8, 2, {"4-5,12-13", "6-7,14-15"}},
    {"24-47,72-95", 2, 48, 48, 4, {"24-29,72-77", "30-35,78-83", "36-41,84-89", "42-47,90-95"}},
    {"1-7,8-11", 2, 8, 8, 3, {"1-2,8-10", "3-5,11", "6-7"}},  // CPU 0 is reserved
    {"0-3", 1, 1, 4, 4, {"0", "1", "2", "3"}},
    {"8191", 1, 1, 8192, 1, {"8191"}},
};
constexpr bool row_holds(const Row& row) {
  const CpuGroups cores = cores_of(row.threads, row.step, row.count);
  for (int rank = 0; rank != row.ranks; ++rank) {
    const auto share = core_share(cpus(row.available), cores, LocalRank(rank), row.ranks);
    if (!share || to_string(*share) != row.shares[static_cast<std::size_t>(rank)]) return false;
  }
  return true;
}
static_assert(row_holds(rows[0]) && row_holds(rows[1]) && row_holds(rows[2]) && row_holds(rows[6]));

TEST(CoreShare, gives_whole_cores) {
  for (const Row& row : rows) EXPECT_TRUE(row_holds(row)) << row.available << " by " << row.ranks;
}

TEST(CoreShare, places_a_core_by_a_thread_that_is_not_available) {
  CpuGroups cores;
  cores.insert(cpus("0,9"));
  cores.insert(cpus("5,8"));
  // By available threads alone core 5 would come first.
  EXPECT_EQ(*core_share(cpus("8-9"), cores, LocalRank(0), 2), cpus("9"));
  EXPECT_EQ(*core_share(cpus("8-9"), cores, LocalRank(1), 2), cpus("8"));
}

TEST(OneThreadPerCore, is_the_lowest_available_one) {
  static_assert(*one_thread_per_core(cpus("1-11"), cores_of(2, 8, 8)) == cpus("1-8"));
  EXPECT_EQ(*one_thread_per_core(cpus("1-7,8-11"), cores_of(2, 8, 8)), cpus("1-8"));
  EXPECT_EQ(*one_thread_per_core(cpus("0-7"), cores_of(2, 1, 4)), cpus("0,2,4,6"));
  EXPECT_EQ(*one_thread_per_core(CpuSet(), CpuGroups()), CpuSet());
  const auto unknown = one_thread_per_core(cpus("0,7"), cores_of(2, 1, 3));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(message(unknown.error()).view(),
            "the core of CPU 7 is not set: expected the CPUs of each core; in the program, use the "
            "CPUs as they are");
}

TEST(CoreShare, is_an_error_that_says_why) {
  const CpuGroups cores = cores_of(2, 8, 8);
  const auto share = [&](std::string_view available, int rank, int ranks) {
    const auto found = core_share(cpus(available), cores, LocalRank(rank), ranks);
    return found ? "none" : std::string(message(found.error()).view());
  };
  EXPECT_EQ(
      share("0-2,8-10", 0, 4),
      "available cores=\"3\": expected 4 or more, one for each local process; start fewer "
      "processes, or give them more cores; in the program, use cpu_share, which splits cores, "
      "or do not bind");
  EXPECT_EQ(share("0-3", 4, 4),
            "local_rank=\"4\": expected a rank in [0, 4); pass the local rank, counted from 0");
  EXPECT_EQ(share("0-3", 0, 0),
            "local_world_size=\"0\": expected at least 1; pass the number of all ranks");
  EXPECT_EQ(share("0-3,16", 0, 2),
            "the core of CPU 16 is not set: expected the CPUs of each core; in the program, use "
            "cpu_share, or one CPU a core");
  EXPECT_EQ(core_share(CpuSet(), cores, LocalRank(0), 1).error().code, Errc::not_enough_devices);
}

/// Requires all that holds for shares: disjoint, all together, whole cores, and as even as can be.
void check(const CpuSet& available, const CpuGroups& cores, int ranks) {
  const int total = cores.groups_of(available).size();
  CpuSet all;
  CpuSet all_cores;
  int last = CpuSet::capacity;
  for (int rank = 0; rank != ranks; ++rank) {
    const auto share = core_share(available, cores, LocalRank(rank), ranks);
    ASSERT_EQ(share.has_value(), total >= ranks);
    if (!share) continue;
    const CpuSet mine = cores.groups_of(*share);
    EXPECT_TRUE((all_cores & mine).empty());
    EXPECT_TRUE(rank == 0 || all_cores.next(mine.next(0)) == -1);  // in order
    EXPECT_LE(mine.size(), last);
    EXPECT_GE(mine.size(), total / ranks);
    EXPECT_LE(mine.size(), total / ranks + 1);
    last = mine.size();
    all = all | *share;
    all_cores = all_cores | mine;
  }
  if (total >= ranks) {
    EXPECT_EQ(all, available);
  }
}

TEST(CoreShare, is_a_partition_of_whole_cores_in_all_small_worlds) {
  // Every way to group 6 CPUs: each joins one of the groups before it or begins one.
  constexpr int size = 6;
  int joins[size] = {};
  int worlds = 0;
  for (;;) {
    CpuGroups cores;
    for (int group = 0; group != size; ++group) {
      CpuSet members;
      for (int cpu = 0; cpu != size; ++cpu) {
        if (joins[cpu] == group) members.insert(cpu);
      }
      cores.insert(members);
    }
    for (unsigned mask = 0; mask != 1U << unsigned{size}; ++mask) {
      CpuSet available;
      for (unsigned cpu = 0; cpu != size; ++cpu) {
        if ((mask >> cpu & 1U) != 0) available.insert(static_cast<int>(cpu));
      }
      for (int ranks = 1; ranks <= 4; ++ranks) check(available, cores, ranks);
    }
    ++worlds;
    int at = size - 1;
    const auto may_grow = [&](int cpu) {
      int most = -1;
      for (int before = 0; before != cpu; ++before) most = (std::max)(most, joins[before]);
      return joins[cpu] <= most;
    };
    while (at > 0 && !may_grow(at)) joins[at--] = 0;
    if (at == 0) break;
    ++joins[at];
  }
  EXPECT_EQ(worlds, 203);  // Bell's number of 6
}

}  // namespace
