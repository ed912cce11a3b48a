// SPDX-License-Identifier: MIT
#include <rankmap/device/nic.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Nic;
using rankmap::NicList;

static_assert(std::is_trivially_copyable_v<NicList> && sizeof(NicList) < 32768);

constexpr Nic nic(std::string_view name, std::string_view address, int port = 1) {
  Nic out;
  out.name = name;
  out.place.address = address;
  out.port = port;
  return out;
}

constexpr NicList three() {
  NicList nics;
  nics.insert(nic("c", ""));
  nics.insert(nic("b", "0000:20:00.0"));
  nics.insert(nic("a", "0001:10:00.0"));
  return nics;
}
static_assert(three().size() == 3 && three()[0].name == "b" && three()[2].name == "c");

// ---- Which are not used, and why
struct Unusable {
  rankmap::NicKind kind;
  rankmap::LinkLayer layer;
  rankmap::NicState state;
  rankmap::NicGids gids;
  bool is_bond;
  std::string_view expected;
};
using rankmap::LinkLayer;
using rankmap::NicGids;
using rankmap::NicKind;
using rankmap::NicState;
constexpr Unusable unusable_rows[] = {
    {NicKind::verbs, LinkLayer::ethernet, NicState::active, NicGids::none, false,
     "it has no GID in this network namespace"},
    {NicKind::verbs, LinkLayer::ethernet, NicState::active, NicGids::some, false, ""},
    {NicKind::verbs, LinkLayer::ethernet, NicState::active, NicGids::unknown, false, ""},
    {NicKind::verbs, LinkLayer::infiniband, NicState::active, NicGids::none, false, ""},
    {NicKind::efa, LinkLayer::ethernet, NicState::active, NicGids::none, false, ""},
    {NicKind::cxi, LinkLayer::unknown, NicState::unknown, NicGids::unknown, false, ""},
    {NicKind::cxi, LinkLayer::unknown, NicState::down, NicGids::unknown, false, "it is down"},
    {NicKind::verbs, LinkLayer::ethernet, NicState::active, NicGids::some, true,
     "it is several ports under one name"},
    {NicKind::socket, LinkLayer::unknown, NicState::active, NicGids::unknown, false,
     "it is no RDMA device"},
};
constexpr bool unusable_rows_hold() {
  for (const Unusable& row : unusable_rows) {
    Nic port;
    port.kind = row.kind;
    port.link_layer = row.layer;
    port.state = row.state;
    port.gids = row.gids;
    port.is_bond = row.is_bond;
    if (unusable_reason(port) != row.expected) return false;
  }
  return true;
}
static_assert(unusable_rows_hold());
TEST(Nic, says_why_it_is_not_used) { EXPECT_TRUE(unusable_rows_hold()); }

std::string names(const NicList& nics) {
  std::string out;
  for (const Nic& nic : nics) out += nic.name.c_str();
  return out;
}

TEST(NicList, is_in_order_of_address_then_port_then_name) {
  NicList nics = three();
  EXPECT_EQ(names(nics), "bac");
  nics.insert(nic("e", "0000:20:00.0", 2));
  nics.insert(nic("d", "0000:20:00.0", 0));
  nics.insert(nic("B", ""));
  EXPECT_EQ(names(nics), "dbeaBc");
  EXPECT_TRUE(nics.whole());
  nics.omit();
  EXPECT_FALSE(nics.whole());
}

TEST(NicList, keeps_the_first_ones) {
  NicList nics;
  for (int i = 99; i >= 0; --i) {
    const std::string address = "0000:" + std::to_string(i / 10) + std::to_string(i % 10) + ":00.0";
    nics.insert(nic(std::to_string(i), address));
    EXPECT_EQ(nics.whole(), i >= 36);
  }
  ASSERT_EQ(nics.size(), 64);
  EXPECT_EQ(nics[0].name, "0");
  EXPECT_EQ(nics[63].name, "63");
}

}  // namespace
