// SPDX-License-Identifier: MIT
#include <rankmap/domain/clique.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::parse_clique;
using rankmap::parse_fabric;

constexpr std::string_view uuid = "abc9829a-d4c8-491c-8da5-ad28fb34876b";

struct Row {
  std::string_view text;
  std::string_view path;  // empty: an error
};
constexpr Row rows[] = {
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.32766", "abc9829a-d4c8-491c-8da5-ad28fb34876b.32766"},
    {"ABC9829A-D4C8-491C-8DA5-AD28FB34876B.0", "abc9829a-d4c8-491c-8da5-ad28fb34876b.0"},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.007", "abc9829a-d4c8-491c-8da5-ad28fb34876b.7"},
    {"00000000-0000-0000-0000-000000000001.4294967295",
     "00000000-0000-0000-0000-000000000001.4294967295"},
    {"00000000-0000-0000-0000-000000000000.0", "?"},
    {"00000000-0000-0000-0000-000000000000.32766", "?"},
    {"N/A", "?"},
    {"", "?"},
    {"32766", ""},
    {".32766", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.x", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.-1", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.4294967296", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b.1.2", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876.1", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876b0.1", ""},
    {"abc9829a-d4c8-491c-8da5-ad28fb34876g.1", ""},
    {"abc9829a0d4c8-491c-8da5-ad28fb34876b.1", ""},
    {"N/A.N/A", ""},
    {" abc9829a-d4c8-491c-8da5-ad28fb34876b.1", ""},
};
constexpr bool holds(const Row& row) {
  const auto found = parse_clique(row.text);
  if (row.path.empty()) return !found && found.error().code == Errc::bad_domain;
  return found && to_string(*found) == row.path;
}
static_assert(std::ranges::all_of(rows, holds));

TEST(Clique, is_a_uuid_and_a_number) {
  for (const Row& row : rows) EXPECT_TRUE(holds(row)) << row.text;
  EXPECT_EQ(message(parse_clique("32766").error()).view(),
            "nvidia.com/gpu.clique=\"32766\": expected <ClusterUUID>.<CliqueId>, such as "
            "abc9829a-d4c8-491c-8da5-ad28fb34876b.32766; join both as nvidia-smi -q shows them; a "
            "clique id alone names no domain, since unrelated racks share it");
}

std::string block(std::string_view state, std::string_view status, std::string_view clique,
                  std::string_view cluster) {
  std::string out = "    Fabric\n";
  const auto add = [&](std::string_view key, std::string_view value) {
    out += "        " + std::string(key) + std::string(34 - key.size(), ' ') + ": " +
           std::string(value) + "\n";
  };
  add("State", state);
  add("Status", status);
  add("CliqueId", clique);
  add("ClusterUUID", cluster);
  return out;
}
const std::string good = block("Completed", "Success", "32766", uuid);
const std::string none = block("N/A", "N/A", "N/A", "N/A");

TEST(Fabric, is_read_where_it_is_complete) {
  struct Text {
    std::string text;
    std::string_view path;
  };
  const std::string label = std::string(uuid) + ".32766";
  const Text texts[] = {
      {good, label},
      {"GPU 00000008:01:00.0\n    State : P0\n" + good + "    Processes : None\n", label},
      {good + good, label},
      {good + "\n    Clocks\n        CliqueId : 3\n" + good, label},
      {none, "?"},
      {none + none, "?"},
      {block("Completed", "Success", "0", "00000000-0000-0000-0000-000000000000"), "?"},
      {block("Completed", "Success", "N/A", "N/A"), "?"},
      {block("In Progress", "Success", "32766", uuid), "?"},
      {block("Completed", "Insufficient Resources", "32766", uuid), "?"},
      {"", "?"},
      {"GPU 00000008:01:00.0\n", "?"},
  };
  for (const Text& row : texts) {
    const auto found = parse_fabric(row.text);
    ASSERT_TRUE(found) << message(found.error()).view();
    EXPECT_EQ(to_string(*found), row.path) << row.text;
  }
  std::string windows;
  for (const char c : good) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(to_string(parse_fabric(windows).value()), label);
}

TEST(Fabric, that_is_not_whole_or_not_one_is_refused) {
  for (std::size_t size = 11; size != good.size() - 1; ++size) {
    const auto cut = parse_fabric(std::string_view(good).substr(0, size));
    EXPECT_FALSE(cut) << size;  // also in the middle of the UUID
  }
  EXPECT_EQ(parse_fabric("Fabric\n").error().code, Errc::bad_domain);
  EXPECT_EQ(parse_fabric("Fabric").error().code, Errc::bad_domain);
  const auto other = parse_fabric(good + block("Completed", "Success", "1", uuid));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::inconsistent);
  EXPECT_EQ(parse_fabric(good + none).error().code, Errc::inconsistent);
  EXPECT_EQ(parse_fabric(none + good).error().code, Errc::inconsistent);
  const std::string long_id(200, '0');
  for (const std::string& id : {std::string("N/A"), std::string("x"), long_id + "x"}) {
    EXPECT_EQ(parse_fabric(block("Completed", "Success", id, uuid)).error().code, Errc::bad_domain);
  }
  EXPECT_EQ(to_string(parse_fabric(block("Completed", "Success", long_id + "7", uuid)).value()),
            std::string(uuid) + ".7");
}

}  // namespace
