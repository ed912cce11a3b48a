// SPDX-License-Identifier: MIT
#include <rankmap/device/device_offers.hpp>
#include <rankmap/device/select_device.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Device;
using rankmap::DeviceBasis;
using rankmap::DeviceOffer;
using rankmap::DeviceRequest;
using rankmap::Errc;
using rankmap::gather_device_offers;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::message;
using rankmap::Result;
using rankmap::select_device;
using rankmap::device_policy::disjoint;

constexpr DeviceOffer offer(int local_rank, std::string_view names) {
  DeviceOffer out;
  out.node = 7;
  out.local_rank = local_rank;
  for (const char name : names) out.add(std::string_view(&name, 1));
  return out;
}
constexpr DeviceRequest ask(int local_rank, int size, int visible) {
  DeviceRequest request;
  request.local_rank = LocalRank(local_rank);
  request.local_world_size = size;
  request.visible_count = visible;
  request.isolation.isolation = Isolation::bound;
  request.isolation.because = "SLURM_GPU_BIND=closest";
  return request;
}
/// The devices of all, by name.
constexpr std::array<char, 4> chosen(const std::array<std::string_view, 4>& lists) {
  DeviceOffer offers[4];
  for (int i = 0; i != 4; ++i) offers[i] = offer(i, lists[static_cast<std::size_t>(i)]);
  std::array<char, 4> out = {};
  for (std::size_t i = 0; i != 4; ++i) {
    const auto device =
        select_device(ask(static_cast<int>(i), 4, offers[i].size), disjoint{.offers = offers});
    out[i] = device ? lists[i][static_cast<std::size_t>(device->index.value)] : '-';
  }
  return out;
}

// ---- --gpu-bind=closest on nodes of two sockets, and lists of other kinds
struct Row {
  std::array<std::string_view, 4> lists;
  std::string_view expected;
};
constexpr Row rows[] = {
    {{"cd", "cd", "ab", "ab"}, "cdab"},
    {{"cd", "ab", "cd", "ab"}, "cadb"},  // by local rank modulo devices two would have d
    {{"abcd", "abcd", "abcd", "abcd"}, "abcd"},
    {{"abcd", "ab", "ab", "cd"}, "cabd"},  // one spans both sockets
    {{"a", "b", "c", "d"}, "abcd"},        // bound already
    {{"dcba", "dcba", "dcba", "dcba"}, "dcba"},
    {{"abcd", "bcda", "cdab", "dabc"}, "abcd"},  // the same lists, rotated
    {{"ab", "ab", "ab", "cd"}, "----"},          // three processes on two devices
    {{"a", "a", "a", "a"}, "----"},
};
constexpr bool row_holds(const Row& row) {
  const auto found = chosen(row.lists);
  for (std::size_t i = 0; i != 4; ++i) {
    if (found[i] != row.expected[i]) return false;
  }
  return true;
}
static_assert(row_holds(rows[0]) && row_holds(rows[1]));

TEST(Disjoint, gives_each_process_its_own) {
  for (const Row& row : rows) {
    const auto found = chosen(row.lists);
    EXPECT_EQ(std::string_view(found.data(), 4), row.expected);
  }
}

// Every way to give four processes one to four of four devices: an assignment exactly where one
// exists, and no device twice.
TEST(Disjoint, finds_an_assignment_where_there_is_one) {
  constexpr std::string_view names = "abcd";
  int found_ways = 0;
  for (unsigned way = 0; way < 1U << 16U; way += 7) {  // one in seven, with all residues
    std::string lists[4];
    for (unsigned i = 0; i != 16; ++i) {
      if ((way >> i & 1U) != 0) lists[i / 4] += names[i % 4];
    }
    if (std::ranges::any_of(lists, [](const auto& list) { return list.empty(); })) continue;
    std::string order = "abcd";
    bool exists = false;
    do {
      bool fits = true;
      for (std::size_t i = 0; i != 4; ++i) fits = fits && lists[i].find(order[i]) < 4;
      exists = exists || fits;
    } while (std::next_permutation(order.begin(), order.end()));
    const auto found = chosen({lists[0], lists[1], lists[2], lists[3]});
    std::string sorted(found.begin(), found.end());
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, exists ? "abcd" : "----") << way;
    found_ways += exists ? 1 : 0;
  }
  EXPECT_GT(found_ways, 1000);
}

TEST(Disjoint, takes_the_least_sum_of_costs) {
  DeviceOffer offers[2] = {offer(0, ""), offer(1, "")};
  offers[0].add("a", 10);
  offers[0].add("b", 11);
  offers[1].add("a", 10);
  offers[1].add("b", 20);
  const disjoint policy{.offers = offers};
  EXPECT_EQ(policy(ask(0, 2, 2))->index.value, 1);
  EXPECT_EQ(policy(ask(1, 2, 2))->index.value, 0);
}

TEST(Disjoint, names_its_proof) {
  const DeviceOffer offers[2] = {offer(0, "ab"), offer(1, "bc")};
  const auto device = disjoint{.offers = offers}(ask(1, 2, 2));
  EXPECT_EQ(device->basis, DeviceBasis::isolated);
  EXPECT_EQ(explain(ask(1, 2, 2), device).view(),
            "local rank 1 of 2 | 2 shown | disjoint -> cuda:0: no other process has this device "
            "(the lists of all 2 local processes)");
}

TEST(Disjoint, shares_if_it_is_told_how_often) {
  DeviceOffer offers[4];
  for (int i = 0; i != 4; ++i) offers[i] = offer(i, "ab");
  int used[2] = {};
  for (int i = 0; i != 4; ++i) {
    const auto device = disjoint{.offers = offers, .sharing = 2}(ask(i, 4, 2));
    ASSERT_TRUE(device);
    EXPECT_EQ(device->basis, DeviceBasis::policy);
    EXPECT_EQ(device->reason.view(),
              "at most 2 of 4 local processes have this device (the lists of all)");
    ++used[device->index.value];
  }
  EXPECT_EQ(used[0], 2);
  EXPECT_EQ(used[1], 2);
}

std::string error_of(const Result<Device>& device) {
  return device ? "none" : std::string(message(device.error()));
}

TEST(Disjoint, refuses_offers_that_are_not_of_this_node) {
  DeviceOffer offers[3] = {offer(0, "ab"), offer(1, "ab"), offer(2, "ab")};
  constexpr std::string_view remedy = "; gather an offer from each process of the node";
  const std::string head = "device_policy::disjoint::offers=";
  EXPECT_EQ(error_of(disjoint{}(ask(0, 1, 2))),
            head + "\"0 offers\": expected 1, one for each local process" + std::string(remedy));
  EXPECT_EQ(error_of(disjoint{.offers = offers}(ask(0, 2, 2))),
            head + "\"3 offers\": expected 2, one for each local process" + std::string(remedy));
  DeviceRequest open = ask(3, 4, 2);
  open.local_world_size.reset();
  EXPECT_EQ(error_of(disjoint{.offers = offers}(open)),
            head + "\"3 offers\": expected more than 3, the local rank" + std::string(remedy));
  EXPECT_EQ(error_of(disjoint{.offers = offers}(ask(0, 3, 1))),
            head + "\"2 devices\": expected 1, as many as are visible" + std::string(remedy));
  offers[1].local_rank = 0;
  EXPECT_EQ(error_of(disjoint{.offers = offers}(ask(0, 3, 2))),
            head + "\"local rank 0\": expected local rank 1 at this place" + std::string(remedy));
  offers[1].local_rank = 1;
  EXPECT_EQ(error_of(disjoint{.offers = offers}(ask(0, 3, 2))),
            "visible devices of the node=\"2\": expected one for each of 3 local processes among "
            "those that it sees, 1 process on each; show them more devices, or start fewer "
            "processes; in the program, raise `sharing`");
  EXPECT_EQ(error_of(disjoint{.offers = offers, .sharing = 0}(ask(0, 3, 2))),
            "device_policy::disjoint::sharing=\"0\": expected 1 or more; pass how many processes "
            "may use each device");
  EXPECT_EQ(error_of(disjoint{.offers = offers, .sharing = 25}(ask(0, 3, 2))),
            head +
                "\"2 devices\": expected at most 48 of a node, times `sharing`; bind by the "
                "launcher");
  const std::vector<DeviceOffer> many(49);
  EXPECT_EQ(error_of(disjoint{.offers = many}(ask(0, 49, 2))),
            head +
                "\"49 processes or more\": expected at most 48 of a node, times `sharing`; bind "
                "by the launcher");
}

TEST(DeviceOffer, takes_names_and_costs_in_range) {
  DeviceOffer mine;
  EXPECT_FALSE(mine.add(""));
  EXPECT_FALSE(mine.add("GPU-1", -1));
  EXPECT_FALSE(mine.add("GPU-1", 65536));
  for (int i = 0; i != DeviceOffer::capacity; ++i) EXPECT_TRUE(mine.add(std::to_string(i), 65535));
  EXPECT_FALSE(mine.add("GPU-1"));
  EXPECT_EQ(mine.size, 48);
}

// ---- The collective

/// What rank `me` of these gets, after `spoil` has changed the bytes of all.
template <class Spoil>
Result<int> gathered(std::span<const DeviceOffer> world, std::size_t me, std::span<DeviceOffer> out,
                     const Spoil& spoil) {
  std::vector<std::byte> all;
  for (const DeviceOffer& each : world) {
    DeviceOffer none[1];
    const auto caught =
        gather_device_offers(each, static_cast<int>(world.size()), none,
                             [&](std::span<const std::byte> mine, std::span<std::byte>) {
                               all.insert(all.end(), mine.begin(), mine.end());
                               return false;
                             });
    EXPECT_EQ(caught.error().code, Errc::gather_failed);
  }
  spoil(all);
  return gather_device_offers(world[me], static_cast<int>(world.size()), out,
                              [&](std::span<const std::byte>, std::span<std::byte> bytes) {
                                std::ranges::copy(all, bytes.begin());
                              });
}
constexpr auto whole = [](std::vector<std::byte>&) {};

TEST(GatherDeviceOffers, brings_those_of_this_node_by_local_rank) {
  std::vector<DeviceOffer> world = {offer(1, "ab"), offer(0, "cd"), offer(0, "ab"), offer(1, "c")};
  world[2].node = 8;
  world[3].node = 8;
  world[0].costs[1] = 65535;
  DeviceOffer out[4];
  const auto size = gathered(world, 0, out, whole);
  ASSERT_TRUE(size) << message(size.error());
  ASSERT_EQ(*size, 2);
  EXPECT_EQ(out[0].ids[0], world[1].ids[0]);
  EXPECT_EQ(out[1].ids[1], world[0].ids[1]);
  EXPECT_EQ(out[1].costs[1], 65535);
  EXPECT_EQ(out[1].node, 7U);
}

TEST(GatherDeviceOffers, notices_what_is_no_offer) {
  std::vector<DeviceOffer> world = {offer(0, "ab"), offer(1, "ab")};
  DeviceOffer out[2];
  for (std::size_t at = 0; at < 1024; at += 61) {
    const auto size =
        gathered(world, 0, out, [at](auto& all) { all[at] = all[at] ^ std::byte{1}; });
    ASSERT_FALSE(size) << at;
    EXPECT_EQ(size.error().code, Errc::gather_failed);
  }
  world[1].size = 49;  // of which no rank may read one byte
  EXPECT_EQ(
      message(gathered(world, 0, out, whole).error()).view(),
      "record of rank 1=\"no offer\": expected a device offer of the same version of rankmap, as "
      "add() makes it; start one program on all ranks; in the program, make each offer by add()");
  world[1] = offer(1, "a");
  world[1].ids[0] = 0;
  EXPECT_EQ(gathered(world, 0, out, whole).error().code, Errc::gather_failed);
}

// 65536 would be sent as 0, the least of all.
TEST(GatherDeviceOffers, sends_no_cost_that_add_refuses) {
  DeviceOffer out[2];
  for (const int cost : {-1, 65536, 1 << 24}) {
    std::vector<DeviceOffer> world = {offer(0, "ab"), offer(1, "ab")};
    world[1].costs[1] = cost;
    EXPECT_EQ(message(gathered(world, 0, out, whole).error()).view(),
              "record of rank 1=\"no offer\": expected a device offer of the same version of "
              "rankmap, as add() makes it; start one program on all ranks; in the program, make "
              "each offer by add()");
    EXPECT_EQ(error_of(disjoint{.offers = world}(ask(0, 2, 2))),
              "device_policy::disjoint::offers=\"local rank 1\": expected names that are not 0 and "
              "costs in [0, 65535] for each device; make it by add()");
    world[1].costs[1] = 65535;
    EXPECT_TRUE(disjoint{.offers = world}(ask(0, 2, 2)));
  }
}

TEST(GatherDeviceOffers, notices_nodes_that_are_taken_for_one) {
  const std::vector<DeviceOffer> world = {offer(0, "ab"), offer(1, "ab"), offer(0, "ab")};
  DeviceOffer out[3];
  EXPECT_EQ(message(gathered(world, 0, out, whole).error()).view(),
            "local rank=\"0 twice\": expected one process of each local rank on a node; pass a "
            "`node` that differs between nodes");
  EXPECT_EQ(message(gathered(world, 0, std::span(out).first(1), whole).error()).view(),
            "processes of this node=\"more than 1\": expected at most 1, the size of the caller's "
            "list; pass a longer list; `node` must differ between nodes");
  EXPECT_EQ(gather_device_offers(world[0], 0, out, [](auto, auto) {}).error().code,
            Errc::out_of_range);
}

}  // namespace
