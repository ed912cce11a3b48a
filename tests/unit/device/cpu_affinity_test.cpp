// SPDX-License-Identifier: MIT
#include <rankmap/device/cpu_affinity.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using rankmap::cpu_share;
using rankmap::CpuSet;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::LocalRank;
using rankmap::message;
using rankmap::parse_cpu_list;
using rankmap::parse_cpu_mask;
using rankmap::Result;
using rankmap::slurm_task_cpu_mask;

static_assert(std::is_trivially_copyable_v<CpuSet> && sizeof(CpuSet) == 1024);

constexpr rankmap::StaticString<255> shown(const Result<CpuSet>& cpus) {
  if (cpus) return to_string(*cpus);
  switch (cpus.error().code) {
    case Errc::not_a_number:
      return "not a number";
    case Errc::number_too_large:
      return "too large";
    case Errc::out_of_range:
      return "out of range";
    case Errc::limit_exceeded:
      return "too long";
    case Errc::not_enough_devices:
      return "not enough";
    default:
      return "?";
  }
}

struct Row {
  std::string_view text, expected;
};
constexpr Row lists[] = {
    {"0-3,8", "0-3,8"},
    {"1,33-34,64-95", "1,33-34,64-95"},
    {"0", "0"},
    {"0\n", "0"},
    {"", ""},
    {"\n", ""},
    {"0-2, 4, 6-8", "0-2,4,6-8"},
    {"3,1,2", "1-3"},
    {"0-3,2-5", "0-5"},
    {"0-15:4", "0,4,8,12"},
    {"0-14:2,1", "0-2,4,6,8,10,12,14"},
    {"5-5", "5"},
    {"0,,1", "0-1"},
    {"8191", "8191"},
    {"16-31,144-159", "16-31,144-159"},
    {"8192", "too large"},
    {"0-8192", "too large"},
    {"8192-x", "too large"},  // the first error counts
    {"x-8192", "not a number"},
    {"99999999999999999999", "too large"},
    {"3-1", "out of range"},
    {"0-3:0", "out of range"},
    {"a", "not a number"},
    {"-1", "not a number"},
    {"1-", "not a number"},
    {"-", "not a number"},
    {"1--2", "not a number"},
    {"0:2", "not a number"},
    {"0-3:", "not a number"},
    {"0-3:1:1", "not a number"},
    {"+1", "not a number"},
    {"0x1", "not a number"},
    {"0;1", "not a number"},
    {"\xd9\xa1", "not a number"},
    {std::string_view("1\0", 2), "not a number"},
};
constexpr Row masks[] = {
    {"3", "0-1"},
    {"ff", "0-7"},
    {"0xFF", "0-7"},
    {"0", ""},
    {"00000000,00000001\n", "0"},
    {"3ff,f0003fff", "0-13,28-41"},
    {"0003ff,f0003fff", "0-13,28-41"},
    {"ffffffff,00000006,00000002", "1,33-34,64-95"},
    {"0xffffffff,0x00000006,0x00000002", "1,33-34,64-95"},
    {"0xffffffff0000000600000002", "1,33-34,64-95"},
    {"0x1,,0x2", "1,64"},
    {"0xfe000000000000", "49-55"},
    {"", "not a number"},
    {" ", "not a number"},
    {",1", "not a number"},
    {"g", "not a number"},
    {"0x", "not a number"},
    {"x1", "not a number"},
    {"1x1", "not a number"},
    {"0x0x1", "not a number"},
    {"-1", "not a number"},
    {"000000001,1", "not a number"},
    {"0xf...f,0x1", "not a number"},                          // hwloc's infinite set
    {"0xfe000000000000,0xfe00000000000000", "not a number"},  // Slurm's, one for each task
    {std::string_view("1\0", 2), "not a number"},
};
static_assert(std::ranges::all_of(lists, [](const Row& row) {
  return shown(parse_cpu_list(row.text)) == row.expected;
}));
static_assert(std::ranges::all_of(masks, [](const Row& row) {
  return shown(parse_cpu_mask(row.text)) == row.expected;
}));

TEST(CpuList, is_read_as_the_kernel_writes_it) {
  for (const Row& row : lists) {
    EXPECT_EQ(shown(parse_cpu_list(row.text)).view(), row.expected) << '"' << row.text << '"';
  }
}

TEST(CpuMask, is_read_as_kernel_hwloc_and_taskset_write_it) {
  for (const Row& row : masks) {
    EXPECT_EQ(shown(parse_cpu_mask(row.text)).view(), row.expected) << '"' << row.text << '"';
  }
}

TEST(CpuList, names_the_byte_of_an_error) {
  EXPECT_EQ(message(parse_cpu_list("0-3,x", "Cpus_allowed_list").error()).view(),
            "Cpus_allowed_list=\"0-3,x\" at byte 4: expected numbers and ranges such as 0-3,8; "
            "correct the list");
}

TEST(CpuShare, has_a_remedy_for_every_error) {
  for (const auto& cpus :
       {parse_cpu_list("x"), parse_cpu_mask("x"), slurm_task_cpu_mask("1*0", LocalRank(0)),
        slurm_task_cpu_mask("1", LocalRank(-1)), cpu_share({}, LocalRank(0), 1),
        cpu_share({}, LocalRank(0), 0)}) {
    ASSERT_FALSE(cpus);
    EXPECT_FALSE(cpus.error().remedy.empty()) << message(cpus.error()).view();
  }
}

TEST(CpuMask, of_one_task_comes_from_the_list_of_all_tasks) {
  constexpr std::string_view lumi =
      "0xfe000000000000,0xfe00000000000000,0xfe0000,0xfe000000,0xfe,0xfe00,0xfe00000000,"
      "0xfe0000000000";
  constexpr std::string_view expected[] = {"49-55", "57-63", "17-23", "25-31",
                                           "1-7",   "9-15",  "33-39", "41-47"};
  for (int rank = 0; rank != 16; ++rank) {
    EXPECT_EQ(shown(slurm_task_cpu_mask(lumi, LocalRank(rank))).view(), expected[rank % 8]) << rank;
  }
  EXPECT_EQ(shown(slurm_task_cpu_mask("1*2,2", LocalRank(1))).view(), "0");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1*2,2", LocalRank(2))).view(), "1");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1*2,2", LocalRank(3))).view(), "0");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1*0", LocalRank(0))).view(), "out of range");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1*99999999999999999999", LocalRank(0))).view(),
            "out of range");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1", LocalRank(-1))).view(), "out of range");
  EXPECT_EQ(shown(slurm_task_cpu_mask("", LocalRank(0))).view(), "not a number");
  EXPECT_EQ(shown(slurm_task_cpu_mask("1,,2", LocalRank(1))).view(), "not a number");
}

TEST(CpuMask, of_any_task_is_an_error_if_one_mask_is_bad) {
  struct Wrong {
    std::string_view masks, message;
  };
  for (const Wrong& row : {
           Wrong{
               "0xfe,",
               "SLURM_CPU_BIND_LIST=\"0xfe,\" at byte 5: expected a hexadecimal mask; correct the "
               "mask"},
           Wrong{"0xfe*2, 0xg0,1",
                 "SLURM_CPU_BIND_LIST=\"0xfe*2, 0xg0,1\" at byte 10: expected hexadecimal digits; "
                 "correct the mask"},
           Wrong{
               "1,2*3*4",
               "SLURM_CPU_BIND_LIST=\"1,2*3*4\" at byte 2: expected counts from 1 to 1000000 after "
               "'*'; correct the count"},
       }) {
    for (int rank = 0; rank != 4; ++rank) {
      const auto mask = slurm_task_cpu_mask(row.masks, LocalRank(rank));
      ASSERT_FALSE(mask) << row.masks << " for task " << rank;
      EXPECT_EQ(message(mask.error()).view(), row.message);
    }
  }
  EXPECT_EQ(message(parse_cpu_mask(" 1g").error()).view(),
            "cpu mask=\" 1g\" at byte 2: expected hexadecimal digits; correct the mask");
}

TEST(CpuTexts, are_bounded) {
  std::string ranges(10'000'000, '1');
  std::string many;
  while (many.size() < 10'000'000) many += "0-8191,";
  for (const std::string* text : {&ranges, &many}) {
    EXPECT_EQ(shown(parse_cpu_list(*text)).view(), "too long");
    EXPECT_EQ(shown(parse_cpu_mask(*text)).view(), "too long");
    EXPECT_EQ(shown(slurm_task_cpu_mask(*text, LocalRank(3))).view(), "too long");
  }
  EXPECT_EQ(shown(parse_cpu_list("1" + std::string(65535, ' '))).view(), "1");
  EXPECT_EQ(shown(parse_cpu_list("1" + std::string(65536, ' '))).view(), "too long");
  EXPECT_EQ(shown(parse_cpu_list(many.substr(0, 65536 / 7 * 7))).view(), "0-8191");
  EXPECT_EQ(shown(parse_cpu_mask(std::string(2048, 'f'))).view(), "0-8191");
  EXPECT_EQ(shown(parse_cpu_mask("1" + std::string(2048, '0'))).view(), "too large");
  EXPECT_EQ(shown(parse_cpu_mask(std::string(60000, '0') + "1")).view(), "0");
}

TEST(CpuTexts, survive_pseudo_random_bytes) {
  constexpr std::string_view alphabet = "0123456789abcdefxX,,--:* \n";
  std::uint64_t state = 7;
  for (int round = 0; round != 20000; ++round) {
    std::string text;
    for (int i = 0; i != round % 24; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += alphabet[(state >> 33U) % alphabet.size()];
    }
    const auto list = parse_cpu_list(text);
    if (list && !to_string(*list).cut()) {
      ASSERT_EQ(*parse_cpu_list(to_string(*list)), *list) << text;
    }
    (void)parse_cpu_mask(text);
    (void)slurm_task_cpu_mask(text, LocalRank(round % 9));
  }
}

// ---- Shares

constexpr CpuSet first(int count) {
  CpuSet cpus;
  for (int cpu = 0; cpu != count; ++cpu) cpus.insert(cpu);
  return cpus;
}

constexpr bool shares_hold(int cpus, int size) {
  const CpuSet all = first(cpus);
  CpuSet seen;
  int last = -1;
  for (int rank = 0; rank != size; ++rank) {
    const auto share = cpu_share(all, LocalRank(rank), size);
    if (cpus < size) {
      if (share) return false;
      continue;
    }
    if (!share || !(seen & *share).empty() || share->next(0) <= last) return false;
    if (share->size() != cpus / size + (rank < cpus % size ? 1 : 0)) return false;
    seen = seen | *share;
    last = share->next(0);
  }
  return cpus < size || seen == all;
}
static_assert(shares_hold(7, 3) && shares_hold(2, 3));

TEST(CpuShare, divides_all_cpus_and_first_ranks_get_the_remainder) {
  for (int size = 1; size <= 9; ++size) {
    for (int cpus = 0; cpus <= 20; ++cpus) EXPECT_TRUE(shares_hold(cpus, size)) << cpus << size;
  }
  for (int rank = 0; rank != 16; ++rank) {
    EXPECT_EQ(cpu_share(first(640), LocalRank(rank), 16)->size(), 40);
  }
}

TEST(CpuShare, uses_the_available_cpus) {
  const CpuSet available = *parse_cpu_list("8-11,20,30-32");
  EXPECT_EQ(shown(cpu_share(available, LocalRank(0), 3)).view(), "8-10");
  EXPECT_EQ(shown(cpu_share(available, LocalRank(1), 3)).view(), "11,20,30");
  EXPECT_EQ(shown(cpu_share(available, LocalRank(2), 3)).view(), "31-32");
  EXPECT_EQ(shown(cpu_share(*parse_cpu_list("8190-8191"), LocalRank(1), 2)).view(), "8191");
}

TEST(CpuShare, rejects_impossible_numbers) {
  EXPECT_EQ(shown(cpu_share(first(4), LocalRank(4), 4)).view(), "out of range");
  EXPECT_EQ(shown(cpu_share(first(4), LocalRank(-1), 4)).view(), "out of range");
  EXPECT_EQ(shown(cpu_share(first(4), LocalRank(0), 0)).view(), "out of range");
  EXPECT_EQ(message(cpu_share(first(4), LocalRank(4), 4).error()).view(),
            "local_rank=\"4\": expected a rank in [0, 4); pass the local rank, counted from 0");
  EXPECT_EQ(message(cpu_share(first(4), LocalRank(0), 0).error()).view(),
            "local_world_size=\"0\": expected at least 1; pass the number of all ranks");
  EXPECT_EQ(message(cpu_share(first(2), LocalRank(0), 4).error()).view(),
            "available CPUs=\"2\": expected 4 or more, one for each local process; start fewer "
            "processes, or give them more CPUs; in the program, do not bind them");
}

TEST(NumaNode, is_known_only_if_all_cpus_are_on_it) {
  const CpuSet nodes[] = {*parse_cpu_list("0-3,8-11"), *parse_cpu_list("4-7,12-15"), CpuSet()};
  const auto node = [&](std::string_view cpus) {
    return numa_node_of(*parse_cpu_list(cpus), nodes);
  };
  EXPECT_EQ(node("0"), 0);
  EXPECT_EQ(node("5,12"), 1);
  EXPECT_EQ(node("3-4"), -1);
  EXPECT_EQ(node("99"), -1);
  EXPECT_EQ(node(""), -1);
  EXPECT_EQ(numa_node_of(nodes[0], {}), -1);
}

// ---- Threads

TEST(OmpNumThreads, is_set_by_torchrun_if_unset_with_several_processes) {
  constexpr FixedEnvironment absent;
  constexpr FixedEnvironment empty({{"OMP_NUM_THREADS", ""}});
  constexpr FixedEnvironment eight({{"OMP_NUM_THREADS", "8"}});
  static_assert(torchrun_omp_num_threads(absent, 2) == 1);
  EXPECT_EQ(torchrun_omp_num_threads(absent, 2), 1);
  EXPECT_EQ(torchrun_omp_num_threads(absent, 1), std::nullopt);
  EXPECT_EQ(torchrun_omp_num_threads(empty, 2), std::nullopt);
  EXPECT_EQ(torchrun_omp_num_threads(eight, 2), std::nullopt);
}

TEST(ThreadsPerProcess, is_at_least_one) {
  static_assert(rankmap::threads_per_process(16, 3) == 5);
  EXPECT_EQ(rankmap::threads_per_process(4, 2), 2);
  EXPECT_EQ(rankmap::threads_per_process(2, 4), 1);
  EXPECT_EQ(rankmap::threads_per_process(0, 1), 1);
}

TEST(CpuSet, is_visited_in_order) {
  const CpuSet cpus = *parse_cpu_list("0,63-64,8191");
  std::vector<int> seen;
  for (int cpu = cpus.next(0); cpu >= 0; cpu = cpus.next(cpu + 1)) seen.push_back(cpu);
  EXPECT_EQ(seen, (std::vector<int>{0, 63, 64, 8191}));
  EXPECT_EQ(cpus.size(), 4);
  EXPECT_EQ(cpus.next(-5), 0);
  EXPECT_EQ(cpus.next(8192), -1);
}

TEST(CpuSet, reports_a_cut_text) {
  CpuSet even;
  for (int cpu = 0; cpu < 1000; cpu += 2) even.insert(cpu);
  EXPECT_TRUE(to_string(even).cut());
  EXPECT_FALSE(to_string(first(1000)).cut());
}

}  // namespace
