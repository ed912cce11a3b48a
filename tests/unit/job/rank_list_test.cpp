// SPDX-License-Identifier: MIT
#include <rankmap/job/rank_list.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::RankList;

struct PrintedRanks {
  std::vector<int> ranks;
  std::string_view text;
};

RankList list_of(const std::vector<int>& ranks) {
  RankList list;
  for (const int rank : ranks) list.add(rank);
  return list;
}

constexpr bool folds() {
  RankList list;
  for (const int rank : {0, 1, 2, 8, 16, 24, 30}) list.add(rank);
  list.add(INT_MAX - 2, INT_MAX);
  int count = 0;
  list.for_each([&count](int) { ++count; });
  return to_string(list) == "0-2,8-24:8,30,2147483645-2147483647" && list.size() == 10 &&
         count == 10 && list.contains(16) && !list.contains(17) && list.contains(INT_MAX);
}
static_assert(folds());
constexpr bool counts_all_numbers() {
  RankList list;
  list.add(0, INT_MAX);
  return to_string(list) == "0-2147483647";
}
static_assert(counts_all_numbers());
static_assert(RankList().empty() && to_string(RankList()).empty() && !RankList().contains(0));

TEST(RankList, is_printed_as_ranges) {
  const PrintedRanks lists[] = {
      {{0}, "0"},
      {{0, 1}, "0-1"},
      {{3, 9}, "3,9"},
      {{0, 8, 16}, "0-16:8"},
      {{0, 1, 2, 3, 9}, "0-3,9"},
      {{0, 2, 3, 4}, "0,2-4"},
      {{0, 2, 4, 5, 6}, "0-4:2,5-6"},
      {{0, 3, 4, 9, 11, 17, 19, 23}, "0,3-4,9,11,17,19,23"},
      {{0, 3, 5, 10, 12, 20, 23, 31, 44, 46, 99}, "0,3,5,10,12,20,23,31 and 3 more"},
      {{0, INT_MAX - 1, INT_MAX}, "0,2147483646-2147483647"},
  };
  for (const PrintedRanks& row : lists) {
    const RankList list = list_of(row.ranks);
    EXPECT_EQ(to_string(list).view(), row.text);
    EXPECT_EQ(list.size(), static_cast<std::int64_t>(row.ranks.size()));
  }
}

TEST(RankList, names_no_more_than_fit) {
  RankList list;
  for (int i = 0; i != 8; ++i)
    list.add(2'000'000'000 + 1000 * i, 2'000'000'000 + 1000 * i + 10 + i);
  EXPECT_EQ(to_string(list).view(),
            "2000000000-2000000010,2000001000-2000001011,2000002000-2000002012,"
            "2000003000-2000003013,2000004000-2000004014 and 51 more");
}

TEST(RankList, has_what_was_added) {
  std::minstd_rand random(5);
  for (int round = 0; round != 300; ++round) {
    std::set<int> expected;
    RankList list;
    int next = 0;
    for (std::size_t i = random() % 12; i != 0; --i) {
      next += static_cast<int>(random() % 4);
      const int last = next + static_cast<int>(random() % 3 == 0 ? random() % 4 : 0);
      list.add(next, last);
      for (; next <= last; ++next) expected.insert(next);
    }
    EXPECT_EQ(list.size(), static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(list.empty(), expected.empty());
    std::vector<int> visited;
    list.for_each([&](int rank) { visited.push_back(rank); });
    EXPECT_EQ(visited, std::vector<int>(expected.begin(), expected.end()));
    std::vector<int> in_ranges;
    list.for_each_range([&](int first, int last, int step) {
      for (int rank = first; rank <= last; rank += step) in_ranges.push_back(rank);
    });
    EXPECT_EQ(in_ranges, visited);
    for (int rank = -1; rank != next + 2; ++rank) {
      EXPECT_EQ(list.contains(rank), expected.count(rank) == 1) << to_string(list) << ' ' << rank;
    }
  }
}

}  // namespace
