// SPDX-License-Identifier: MIT
#include <rankmap/device/cpu_groups.hpp>

#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>

namespace {

using rankmap::CpuGroups;
using rankmap::CpuSet;
using rankmap::MachineCpus;

static_assert(std::is_trivially_copyable_v<MachineCpus> && sizeof(MachineCpus) == 65536);

constexpr CpuSet cpus(std::string_view list) { return *rankmap::parse_cpu_list(list); }

constexpr bool groups_hold() {
  CpuGroups groups;
  groups.insert(cpus("2,10"));
  groups.insert(cpus("3,11"));
  groups.insert(CpuSet());
  groups.insert(cpus("8190-8191"), 5);
  const CpuSet both = cpus("10-12,8191");
  return groups.group_of(2) == 2 && groups.group_of(10) == 2 && groups.group_of(11) == 3 &&
         groups.group_of(0) == -1 && groups.group_of(8191) == 5 &&
         groups.cpus_of(2) == cpus("2,10") && groups.cpus_of(5) == cpus("8190-8191") &&
         groups.cpus_of(10).empty() && groups.cpus_of(-1).empty() &&
         groups.groups_of(both) == cpus("2-3,5") && groups.first_ungrouped(both) == 12 &&
         groups.first_ungrouped(cpus("2-3")) == -1 && groups.first_ungrouped(CpuSet()) == -1;
}
static_assert(groups_hold());

TEST(CpuGroups, have_the_number_of_their_lowest_cpu_or_a_given_one) { EXPECT_TRUE(groups_hold()); }

TEST(CpuGroups, stay_disjoint) {
  CpuGroups groups;
  groups.insert(cpus("0-1"));
  groups.insert(cpus("1-2"));
  EXPECT_EQ(groups.cpus_of(0), cpus("0-1"));
  EXPECT_EQ(groups.group_of(2), 2);  // not 1, which is in another group
  groups.insert(cpus("0-2"));
  EXPECT_EQ(groups.groups_of(cpus("0-9")), cpus("0,2"));
}

}  // namespace
