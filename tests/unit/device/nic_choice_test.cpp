// SPDX-License-Identifier: MIT
#include "support/nic_roots.hpp"

#include <rankmap/device/nic_choice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::LinkLayer;
using rankmap::message;
using rankmap::Nic;
using rankmap::NicChoice;
using rankmap::NicKind;
using rankmap::NicList;
using rankmap::NicPolicy;
using rankmap::nics_for_devices;
using rankmap::NicState;
using rankmap::PciDistance;
using rankmap::PciPlace;
using rankmap_test::Machine;
using rankmap_test::NicRoot;

/// "mlx5_0 PIX, mlx5_3 PIX; ...": the NICs of each device, with a ';' between devices.
template <class Nics>
std::string shown(const NicChoice& choice, const Nics& nics, bool with_distance = false) {
  std::string out;
  for (int device = 0; device != choice.size(); ++device) {
    if (device != 0) out += "; ";
    if (choice.count(device) == 0) out += "none";
    for (int i = 0; i != choice.count(device); ++i) {
      const Nic& nic = nics[static_cast<decltype(nics.size())>(choice.nic(device, i))];
      out += (i == 0 ? "" : ", ") + std::string(nic.name.view());
      if (with_distance) out += " " + std::string(name(choice.distance(device, i)));
    }
  }
  return out;
}

/// What the probes find of a machine.
struct Found {
  explicit Found(const NicRoot& root) {
    Machine machine;
    fill(machine, root);
    devices = places(machine, root);
    nics = rankmap::probe_nics(machine.options());
  }
  std::vector<PciPlace> devices;
  NicList nics;
};

std::string chosen(const Found& found, NicPolicy policy = NicPolicy::balanced,
                   bool with_distance = false) {
  return shown(nics_for_devices(found.devices, found.nics, policy).value(), found.nics,
               with_distance);
}
std::string chosen(const NicRoot& root, NicPolicy policy = NicPolicy::balanced,
                   bool with_distance = false) {
  return chosen(Found(root), policy, with_distance);
}

TEST(NicsForDevices, are_those_of_known_machines) {
  struct Row {
    NicRoot root;
    std::string_view nics;
  };
  const Row rows[] = {
      {rankmap_test::dgx_h100(),
       "mlx5_0; mlx5_3; mlx5_4; mlx5_5; mlx5_6; mlx5_9; mlx5_10; mlx5_11"},
      {rankmap_test::two_behind_one_switch(), "mlx5_0; mlx5_1"},
      {rankmap_test::mi250x(), "cxi0; cxi0; cxi1; cxi1; cxi2; cxi2; cxi3; cxi3"},
      {rankmap_test::gb200(), "ibp3s0; ibP2p3s0; ibP16p3s0; ibP18p3s0"},
      {rankmap_test::no_nics(), "none; none; none; none; none; none; none; none"},
  };
  for (const Row& row : rows) {
    const Found found(row.root);
    for (const NicPolicy policy : {NicPolicy::balanced, NicPolicy::nearest, NicPolicy::rail}) {
      EXPECT_EQ(chosen(found, policy), row.nics);
    }
  }
  EXPECT_EQ(chosen(rankmap_test::gb200(), NicPolicy::balanced, true),
            "ibp3s0 NODE; ibP2p3s0 NODE; ibP16p3s0 NODE; ibP18p3s0 NODE");
  const Found one_near(rankmap_test::one_near_nic());
  EXPECT_EQ(chosen(one_near), "mlx5_0; mlx5_1; mlx5_2; mlx5_3");
  EXPECT_EQ(chosen(one_near, NicPolicy::nearest, true),
            "mlx5_0 NODE; mlx5_0 NODE; mlx5_0 NODE; mlx5_0 NODE");
  EXPECT_EQ(chosen(rankmap_test::three_by_two(), NicPolicy::balanced, true),
            "mlx5_0 PIX; mlx5_0 NODE; mlx5_6 PIX");
}

TEST(NicsForDevices, claim_no_pair_at_an_unknown_distance) {
  const std::string none = "none; none; none; none; none; none; none; none";
  const Found apart(rankmap_test::mi250x(false, false));
  EXPECT_EQ(chosen(apart), none);
  EXPECT_EQ(chosen(apart, NicPolicy::nearest), none);
  EXPECT_EQ(chosen(apart, NicPolicy::rail, true),
            "cxi0 unknown; cxi0 unknown; cxi1 unknown; cxi1 unknown; cxi2 unknown; cxi2 unknown; "
            "cxi3 unknown; cxi3 unknown");
  // The bus alone shows what the nodes do not.
  EXPECT_EQ(chosen(rankmap_test::mi250x(false), NicPolicy::balanced, true),
            "cxi0 PHB; cxi0 PHB; cxi1 PHB; cxi1 PHB; cxi2 PHB; cxi2 PHB; cxi3 PHB; cxi3 PHB");
}

TEST(NicsForDevices, need_no_filter_where_the_nearest_are_others) {
  NicRoot root = rankmap_test::dgx_h100();
  for (auto& nic : root.nics) nic.state = "4: ACTIVE";
  EXPECT_EQ(chosen(root), chosen(rankmap_test::dgx_h100()));
}

TEST(NicsForDevices, depend_on_places_and_not_on_names_or_the_order_of_the_lists) {
  NicRoot root = rankmap_test::dgx_h100();
  const std::string expected = chosen(root, NicPolicy::balanced, true);
  std::reverse(root.nics.begin(), root.nics.end());
  EXPECT_EQ(chosen(root, NicPolicy::balanced, true), expected);
  for (auto& nic : root.nics) {
    if (nic.name == "mlx5_0") nic.name = "mlx5_99";
  }
  std::string renamed = expected;
  renamed.replace(0, 6, "mlx5_99");
  EXPECT_EQ(chosen(root, NicPolicy::balanced, true), renamed);
  std::reverse(root.devices.begin(), root.devices.end());
  EXPECT_EQ(chosen(root), "mlx5_11; mlx5_10; mlx5_9; mlx5_6; mlx5_5; mlx5_4; mlx5_3; mlx5_99");
}

TEST(NicsForDevices, are_a_choice_whatever_file_is_spoiled) {
  for (const NicRoot& root : {rankmap_test::mi250x(), rankmap_test::two_behind_one_switch()}) {
    Machine machine;
    fill(machine, root);
    machine.with_each_entry_spoiled([&](const std::string& what) {
      const NicList nics = rankmap::probe_nics(machine.options());
      for (const NicPolicy policy : {NicPolicy::balanced, NicPolicy::nearest}) {
        const NicChoice choice = nics_for_devices(places(machine, root), nics, policy).value();
        std::vector<int> loads(64);
        for (int device = 0; device != choice.size(); ++device) {
          for (int i = 0; i != choice.count(device); ++i) {
            EXPECT_NE(choice.distance(device, i), PciDistance::unknown) << what;
            ++loads[static_cast<std::size_t>(choice.nic(device, i))];
          }
        }
        if (policy == NicPolicy::nearest || choice.candidates() == 0) continue;
        const int most = (choice.size() + choice.candidates() - 1) / choice.candidates();
        EXPECT_LE(*std::max_element(loads.begin(), loads.end()), most) << what;
      }
    });
  }
}

// ---- Candidates

Nic active(std::string_view name, std::string_view address) {
  Nic nic;
  nic.name = name;
  nic.place.address = address;
  nic.place.path = std::string_view("/sys/devices/pci0000:00/" + std::string(address));
  nic.place.numa_node = 0;
  nic.port = 1;
  nic.rate = 400000;
  nic.state = NicState::active;
  nic.link_layer = LinkLayer::infiniband;
  return nic;
}

PciPlace place(std::string_view address, int numa_node = 0) {
  PciPlace out;
  out.address = address;
  out.path = std::string_view("/sys/devices/pci0000:00/" + std::string(address));
  out.numa_node = numa_node;
  return out;
}

TEST(NicCandidates, are_the_best_kind_of_port) {
  const Nic best = active("best", "0000:20:00.0");
  std::vector<std::pair<std::string, Nic>> worse;
  const auto make = [&](const char* what, auto change) {
    worse.emplace_back(what, active("worse", "0000:10:00.0"));
    change(worse.back().second);
  };
  make("down", [](Nic& nic) { nic.state = NicState::down; });
  make("state not known", [](Nic& nic) { nic.state = NicState::unknown; });
  make("slower", [](Nic& nic) { nic.rate = 399999; });
  make("rate not known", [](Nic& nic) { nic.rate = -1; });
  make("Ethernet", [](Nic& nic) { nic.link_layer = LinkLayer::ethernet; });
  make("layer not known", [](Nic& nic) { nic.link_layer = LinkLayer::unknown; });
  make("bond", [](Nic& nic) { nic.is_bond = true; });
  make("socket", [](Nic& nic) { nic.kind = NicKind::socket; });
  make("virtual", [](Nic& nic) { nic.is_virtual = true; });
  const std::vector<PciPlace> device = {place("0000:01:00.0")};
  for (const auto& [what, nic] : worse) {
    const std::vector<Nic> nics = {nic, best};
    const NicChoice choice = nics_for_devices(device, nics).value();
    EXPECT_EQ(shown(choice, nics), "best") << what;
    EXPECT_EQ(choice.candidates(), 1) << what;
    EXPECT_EQ(choice.candidate(0), 1) << what;
    // Alone it is used, unless it cannot be.
    const bool never = nic.state == NicState::down || nic.is_bond || nic.kind == NicKind::socket;
    const std::vector<Nic> alone = {nic};
    EXPECT_EQ(shown(nics_for_devices(device, alone).value(), alone), never ? "none" : "worse")
        << what;
  }
}

TEST(NicCandidates, are_compared_by_one_property_after_another) {
  std::vector<Nic> nics = {active("first", "0000:10:00.0"), active("second", "0000:11:00.0")};
  const std::vector<PciPlace> device = {place("0000:01:00.0")};
  const auto check = [&] {
    EXPECT_EQ(shown(nics_for_devices(device, nics).value(), nics), "first");
    std::swap(nics[0].place, nics[1].place);
    EXPECT_EQ(shown(nics_for_devices(device, nics).value(), nics), "first");
  };
  nics[0].is_virtual = true;
  nics[0].link_layer = LinkLayer::ethernet;
  nics[1].link_layer = LinkLayer::unknown;
  check();
  nics[0].link_layer = LinkLayer::unknown;
  nics[1].link_layer = LinkLayer::infiniband;
  nics[1].rate = 200000;
  check();
  nics[0].rate = -1;
  nics[1].state = NicState::unknown;
  check();
}

TEST(NicsForDevices, by_rail_are_those_of_known_places_first) {
  std::vector<Nic> nics = {active("nowhere", ""), active("second", "0000:11:00.0"),
                           active("first", "0000:10:00.0")};
  const std::vector<PciPlace> devices = {place("0000:02:00.0"), place("0000:01:00.0")};
  EXPECT_EQ(shown(nics_for_devices(devices, nics, NicPolicy::rail).value(), nics), "second; first");
}

TEST(NicCandidates, of_a_fabric_of_their_own_are_alike) {
  std::vector<Nic> nics = {active("a", "0000:10:00.0"), active("b", "0000:11:00.0"),
                           active("c", "0000:12:00.0")};
  nics[1].kind = NicKind::cxi;
  nics[1].link_layer = LinkLayer::unknown;
  nics[2].kind = NicKind::efa;
  nics[2].link_layer = LinkLayer::unknown;
  const std::vector<PciPlace> devices = {place("0000:01:00.0")};
  EXPECT_EQ(shown(nics_for_devices(devices, nics).value(), nics), "a, b, c");
}

TEST(NicsForDevices, are_several_where_there_are_more_nics_than_devices) {
  std::vector<Nic> nics;
  for (const char* const bus : {"10", "11", "12", "13", "14"}) {
    nics.push_back(active("n" + std::string(bus), "0000:" + std::string(bus) + ":00.0"));
  }
  const std::vector<PciPlace> devices = {place("0000:01:00.0"), place("0000:02:00.0")};
  const auto choice = [&](NicPolicy policy) {
    return shown(nics_for_devices(devices, nics, policy).value(), nics);
  };
  EXPECT_EQ(choice(NicPolicy::balanced), "n10, n11; n12, n13");
  EXPECT_EQ(choice(NicPolicy::nearest), "n10, n11; n12, n13");
  EXPECT_EQ(choice(NicPolicy::rail), "n10, n11; n12, n13");
  nics[0].place.path = "/sys/devices/pci0000:01/0000:10:00.0";
  nics[0].place.numa_node = 1;
  EXPECT_EQ(choice(NicPolicy::balanced), "n11, n12; n13, n14");
  EXPECT_EQ(choice(NicPolicy::nearest), "n11, n12; n13, n14");
  EXPECT_EQ(choice(NicPolicy::rail), "n10, n11; n12, n13");
  for (std::size_t i = 1; i != 5; ++i) nics[i].place = nics[0].place;
  nics[3].place = place("0000:13:00.0");  // one near NIC, where two would be due
  EXPECT_EQ(choice(NicPolicy::nearest), "n13; n13");
}

TEST(NicsForDevices, are_dealt_among_devices_that_have_the_same_ones_near) {
  std::vector<Nic> nics;
  for (const char* const bus : {"10", "11", "12", "13"}) {
    nics.push_back(active("n" + std::string(bus), "0000:" + std::string(bus) + ":00.0"));
  }
  std::vector<PciPlace> devices;
  for (const char* const bus : {"01", "02", "03", "04"}) {
    devices.push_back(place("0000:" + std::string(bus) + ":00.0"));
  }
  for (PciPlace* const other : {&nics[2].place, &nics[3].place, &devices[1], &devices[3]}) {
    other->path = std::string_view("/sys/devices/pci0000:80/" + std::string(other->address.view()));
    other->numa_node = 1;
  }
  for (const NicPolicy policy : {NicPolicy::nearest, NicPolicy::balanced}) {
    EXPECT_EQ(shown(nics_for_devices(devices, nics, policy).value(), nics), "n10; n12; n11; n13");
  }
}

TEST(NicsForDevices, are_bounded) {
  const std::vector<PciPlace> devices(65);
  const std::vector<Nic> nics(65, active("n", "0000:10:00.0"));
  EXPECT_EQ(message(nics_for_devices(devices, NicList()).error()).view(),
            "devices=\"more than 64\": expected at most 64; in the program, pass those of one "
            "machine");
  EXPECT_EQ(
      message(nics_for_devices(std::vector<PciPlace>(1), nics).error()).view(),
      "NICs to choose among=\"more than 64\": expected at most 64; in the program, pass those "
      "of one machine");
  const NicChoice none = nics_for_devices(std::vector<PciPlace>(), NicList()).value();
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.candidates(), 0);
  // The largest ones: one NIC fewer than devices, so that each may serve two.
  const std::vector<PciPlace> most(64, place("0000:01:00.0"));
  const std::vector<Nic> almost(63, active("n", "0000:10:00.0"));
  for (const NicPolicy policy : {NicPolicy::balanced, NicPolicy::nearest, NicPolicy::rail}) {
    const NicChoice choice = nics_for_devices(most, almost, policy).value();
    for (int device = 0; device != 64; ++device) EXPECT_EQ(choice.count(device), 1);
  }
}

// ---- Against all maps

/// The assignment of least sum, and of those the first: by trying all of them.
std::vector<int> brute_force(int devices, int each, int nics, const std::vector<int>& costs) {
  const int capacity = (devices * each + nics - 1) / nics;
  std::vector<int> loads(static_cast<std::size_t>(nics));
  std::vector<int> rows;
  std::vector<int> best;
  int least = 1 << 30;
  const auto visit = [&](const auto& self, int sum) -> void {
    if (sum >= least) return;  // equal ones came earlier, and so are smaller
    const int row = static_cast<int>(rows.size());
    if (row == devices * each) {
      least = sum;
      best = rows;
      return;
    }
    for (int nic = row % each == 0 ? 0 : rows.back() + 1; nic != nics; ++nic) {
      const auto at = static_cast<std::size_t>(nic);
      if (loads[at] == capacity) continue;
      ++loads[at];
      rows.push_back(nic);
      self(self, sum + costs[static_cast<std::size_t>(row / each * nics + nic)]);
      rows.pop_back();
      --loads[at];
    }
  };
  visit(visit, 0);
  return best;
}

/// A generator of no quality, the same everywhere.
struct Numbers {
  std::uint64_t state = 1;
  int below(int bound) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state >> 33U) % static_cast<std::uint64_t>(bound));
  }
};

void check_balanced(const std::vector<PciPlace>& devices, const std::vector<Nic>& nics) {
  const int count = static_cast<int>(devices.size());
  const int nic_count = static_cast<int>(nics.size());
  const int each = (std::max)(1, nic_count / count);
  std::vector<int> costs;
  for (const PciPlace& device : devices) {
    for (const Nic& nic : nics) {
      costs.push_back(static_cast<int>(pci_distance(device, nic.place)));
    }
  }
  const std::vector<int> best = brute_force(count, each, nic_count, costs);
  std::string expected;
  for (int device = 0; device != count; ++device) {
    std::string own;
    for (int i = 0; i != each; ++i) {
      const int nic = best[static_cast<std::size_t>(device * each + i)];
      if (costs[static_cast<std::size_t>(device * nic_count + nic)] == 5) continue;
      own +=
          (own.empty() ? "" : ", ") + std::string(nics[static_cast<std::size_t>(nic)].name.view());
    }
    expected += (device == 0 ? "" : "; ") + (own.empty() ? "none" : own);
  }
  ASSERT_EQ(shown(nics_for_devices(devices, nics).value(), nics), expected);
}

TEST(NicsForDevices, are_the_best_of_all_maps_in_small_worlds) {
  Numbers numbers;
  const auto somewhere = [&](int number) {
    PciPlace out;
    const int root = numbers.below(4);
    out.address = std::string_view(rankmap_test::bus(number, ":00.0"));
    std::string path = "/sys/devices/pci" + rankmap_test::bus(root);
    for (int depth = numbers.below(4); depth != 0; --depth) {
      path += "/" + rankmap_test::bus(numbers.below(2), ":01.0");
    }
    path += "/" + std::string(out.address.view());
    out.path = std::string_view(path);
    out.numa_node = numbers.below(3) - (numbers.below(4) == 0 ? 1 : 0);
    return out;
  };
  for (int devices = 1; devices <= 4; ++devices) {
    for (int nics = 1; nics <= 4; ++nics) {
      for (int world = 0; world != 200; ++world) {
        std::vector<PciPlace> of_devices;
        std::vector<Nic> of_nics;
        for (int i = 0; i != devices; ++i) of_devices.push_back(somewhere(i));
        for (int i = 0; i != nics; ++i) {
          of_nics.push_back(active("n" + std::to_string(i), ""));
          of_nics.back().place = somewhere(0x80 + i);
        }
        check_balanced(of_devices, of_nics);
      }
    }
  }
}

TEST(NicsForDevices, are_the_best_of_all_65536_maps_of_an_mi250x_node) {
  const Found found(rankmap_test::mi250x());
  const std::vector<Nic> nics(found.nics.begin(), found.nics.end());
  check_balanced(found.devices, nics);
  // And with every two NICs exchanged.
  for (std::size_t a = 0; a != 4; ++a) {
    for (std::size_t b = 0; b != a; ++b) {
      std::vector<Nic> exchanged = nics;
      std::swap(exchanged[a].place.path, exchanged[b].place.path);
      check_balanced(found.devices, exchanged);
    }
  }
}

TEST(LeastSum, is_the_first_of_the_best_permutations) {
  Numbers numbers;
  for (int size = 1; size <= 6; ++size) {
    for (int world = 0; world != 300; ++world) {
      std::vector<int> costs;
      for (int i = 0; i != size * size; ++i) costs.push_back(numbers.below(1 + world % 6));
      const rankmap::detail::LeastSum<8> found(size, [&](int row, int column) {
        return costs[static_cast<std::size_t>(row * size + column)];
      });
      const std::vector<int> best = brute_force(size, 1, size, costs);
      for (int row = 0; row != size; ++row) {
        ASSERT_EQ(found.column(row), best[static_cast<std::size_t>(row)]);
      }
    }
  }
}

constexpr bool assigns_at_compile_time() {
  constexpr int costs[3][3] = {{1, 0, 2}, {0, 0, 2}, {0, 1, 1}};
  const rankmap::detail::LeastSum<3> found(3,
                                           [&](int row, int column) { return costs[row][column]; });
  return found.column(0) == 1 && found.column(1) == 0 && found.column(2) == 2;
}
static_assert(assigns_at_compile_time());

constexpr bool chooses_at_compile_time() {
  std::array<PciPlace, 2> devices = {};
  std::array<Nic, 2> nics = {};
  for (std::size_t i = 0; i != 2; ++i) {
    devices[i].path = i == 0 ? "pci0000:00/0000:00:01.0" : "pci0000:80/0000:80:01.0";
    nics[i].place.path = i == 1 ? "pci0000:00/0000:00:02.0" : "pci0000:80/0000:80:02.0";
    devices[i].numa_node = static_cast<int>(i);
    nics[i].place.numa_node = 1 - static_cast<int>(i);
  }
  const auto choice = nics_for_devices(devices, nics);
  return choice->nic(0, 0) == 1 && choice->nic(1, 0) == 0 &&
         choice->distance(0, 0) == PciDistance::phb;
}
static_assert(chooses_at_compile_time());

}  // namespace
