// SPDX-License-Identifier: MIT
#include <rankmap/hosts/host_formats.hpp>
#include <rankmap/hosts/host_table.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using rankmap::HostFormat;
using rankmap::HostTable;
using rankmap::parse_hosts;

// The hosts of a temporary table are a list of their own.
static_assert(std::is_same_v<decltype(std::declval<HostTable>().hosts()), rankmap::HostList>);

TEST(HostTable, is_a_constant_expression) {
  static_assert(parse_hosts(HostFormat::pbs_node_file, "a\nb\na\n")->slots(0) == 2);
  static_assert(parse_hosts(HostFormat::json_list, R"(["a","b"])")->hosts().find("b") == 1U);
  static_assert(parse_hosts(HostFormat::lsf_host_slots, "h1 2 h2 3")->total_slots() == 5);
  static_assert(!parse_hosts(HostFormat::open_mpi_file, "a slots=1\nb")->total_slots());
  static_assert(parse_hosts(HostFormat::open_mpi_file, "a slots=1\nb")->slots(0) == 1);
  static_assert(!parse_hosts(HostFormat::comma_list, "a")->total_slots());
}

TEST(HostTable, has_a_sum_of_slots_if_every_host_has_slots) {
  const auto total = [](std::string_view text) {
    return parse_hosts(HostFormat::open_mpi_file, text)->total_slots();
  };
  EXPECT_EQ(total("a slots=2\nb slots=0"), 2);
  EXPECT_EQ(total("a slots=2\nb"), std::nullopt);
  EXPECT_EQ(total("a\nb"), std::nullopt);
  // beyond the range of int
  EXPECT_EQ(total("a slots=2147483647\nb slots=2147483647"), 4'294'967'294);
}

TEST(HostTable, without_hosts_knows_nothing) {
  constexpr HostTable none;
  static_assert(none.size() == 0 && none.hosts().empty() && !none.total_slots());
  EXPECT_FALSE(none.own_index());
  EXPECT_TRUE(none.node_of_rank().empty());
  EXPECT_TRUE(none.device_of_rank().empty());
}

TEST(HostTable, keeps_its_hosts_when_it_is_copied_and_moved) {
  std::string names;
  for (int i = 0; i != 100; ++i)
    names += "n" + std::to_string(i) + " slots=" + std::to_string(i) + "\n";
  HostTable table = *parse_hosts(HostFormat::open_mpi_file, names);
  const HostTable copy = table;
  const HostTable moved = std::move(table);
  for (const HostTable* const each : {&copy, &moved}) {
    EXPECT_EQ(each->hosts().text(), "n[0-99]");
    EXPECT_EQ(each->slots(99), 99);
    EXPECT_EQ(each->total_slots(), 4950);
  }
}

}  // namespace
