// SPDX-License-Identifier: MIT
#include <rankmap/device/pci_distance.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::name;
using rankmap::pci_distance;
using rankmap::PciDistance;
using rankmap::PciPlace;

struct Row {
  std::string_view path, other;
  int numa_node, other_numa_node;
  PciDistance distance;
};
constexpr std::string_view gpu =
    "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:02.0/0000:1b:00.0";
constexpr std::string_view nic =
    "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0";
constexpr std::string_view grace = "/sys/devices/pci0008:00/0008:00:00.0/0008:01:00.0";
constexpr Row rows[] = {
    // one switch, which is two components: its upstream port and one of its downstream ports
    {gpu, nic, 0, 0, PciDistance::pix},
    {gpu, nic, -1, -1, PciDistance::pix},  // the bus shows more than the node
    {gpu, gpu, 0, 0, PciDistance::pix},
    {"pci0000:15/0000:15:01.0/0000:16:00.0", "pci0000:15/0000:15:01.0/0000:17:00.0", 0, 0,
     PciDistance::pix},
    // a switch behind a switch
    {gpu,
     "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0/0000:19:00.0", 0,
     0, PciDistance::pxb},
    {gpu, "/sys/devices/pci0000:15/0000:15:01.0", 0, 0, PciDistance::pxb},
    // one host bridge
    {gpu, "/sys/devices/pci0000:15/0000:15:03.0/0000:20:00.0", 0, 0, PciDistance::phb},
    {gpu, "/sys/devices/pci0000:15/0000:15:00.1", 0, 1, PciDistance::phb},
    // two of them
    {gpu, grace, 0, 0, PciDistance::node},
    {gpu, grace, 0, 1, PciDistance::sys},
    {gpu, grace, -1, 0, PciDistance::unknown},
    {gpu, grace, 0, -1, PciDistance::unknown},
    {gpu, grace, -1, -1, PciDistance::unknown},
    {gpu, grace, -7, -7, PciDistance::unknown},
    // what follows the function does not count
    {"/sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0",
     "/sys/devices/pci0000:00/0000:00:03.0", 0, 0, PciDistance::pix},
    {"/sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0",
     "/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0", 0, 0, PciDistance::phb},
    // roots that are not at once below /sys/devices, and domains of more digits
    {"/sys/devices/LNXSYSTM:00/VMBUS:00/x/pci0001:00/0001:00:00.0",
     "/sys/devices/LNXSYSTM:00/VMBUS:00/y/pci0002:00/0002:00:00.0", 1, 1, PciDistance::node},
    {"/sys/devices/pci0000:80/0000:80:05.5/pci10000:80/10000:80:02.0/10000:81:00.0",
     "/sys/devices/pci0000:80/0000:80:05.5/pci10000:80/10000:80:02.0/10000:82:00.0", 0, 0,
     PciDistance::pix},
    {"/sys/devices/pci0000:80/0000:80:05.5/pci10000:80/10000:80:02.0/10000:81:00.0",
     "/sys/devices/pci0000:80/0000:80:05.5", 0, 0, PciDistance::pxb},
    // no PCI function
    {gpu, "", 0, 0, PciDistance::unknown},
    {"", "", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15/", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15/net/0000:15:01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/virtual/net/lo", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci000:15/0000:15:01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci000000000:15/0000:15:01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:1g/0000:15:01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15/0000:15:01", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15/0000:15-01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15//0000:15:01.0", 0, 0, PciDistance::unknown},
    {gpu, "/sys/devices/pci0000:15/../0000:15:01.0", 0, 0, PciDistance::unknown},
};
constexpr bool row_holds(const Row& row) {
  return pci_distance(row.path, row.other, row.numa_node, row.other_numa_node) == row.distance &&
         pci_distance(row.other, row.path, row.other_numa_node, row.numa_node) == row.distance;
}
static_assert(std::ranges::all_of(rows, row_holds));

TEST(PciDistance, counts_bridges_from_both_sides) {
  for (const Row& row : rows) {
    EXPECT_TRUE(row_holds(row)) << row.path << " and " << row.other << ": "
                                << name(pci_distance(row.path, row.other, row.numa_node,
                                                     row.other_numa_node));
  }
  PciPlace a;
  PciPlace b;
  a.path = gpu;
  b.path = grace;
  a.numa_node = b.numa_node = 3;
  EXPECT_EQ(pci_distance(a, b), PciDistance::node);
  EXPECT_EQ(pci_distance(a, PciPlace()), PciDistance::unknown);
}

TEST(PciDistance, has_the_words_of_nccl) {
  constexpr std::string_view words[] = {"PIX", "PXB", "PHB", "NODE", "SYS", "unknown"};
  for (std::size_t i = 0; i != std::size(words); ++i) {
    EXPECT_EQ(name(static_cast<PciDistance>(i)), words[i]);
  }
  EXPECT_EQ(name(static_cast<PciDistance>(99)), "unknown");
}

TEST(PciDistance, agrees_with_lists_of_components_in_all_small_trees) {
  // All paths of one to four components below two roots, of two names each.
  std::vector<std::vector<int>> paths;
  for (std::size_t length = 1; length <= 4; ++length) {
    for (unsigned bits = 0; bits != 2U << length; ++bits) {
      std::vector<int> path;
      for (std::size_t i = 0; i <= length; ++i) path.push_back(static_cast<int>(bits >> i & 1U));
      paths.push_back(path);
    }
  }
  const auto text = [](const std::vector<int>& path) {
    std::string out = "/sys/devices/pci0000:0" + std::to_string(path[0]);
    for (std::size_t i = 1; i != path.size(); ++i) {
      out += "/0000:0" + std::to_string(i) + ":0" + std::to_string(path[i]) + ".0";
    }
    return out;
  };
  for (const auto& a : paths) {
    for (const auto& b : paths) {
      const auto same = static_cast<std::size_t>(
          std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
      const std::size_t most = (std::max)(a.size(), b.size()) - same;
      const PciDistance expected = same == 0   ? PciDistance::sys
                                   : same == 1 ? PciDistance::phb
                                   : most <= 2 ? PciDistance::pix
                                               : PciDistance::pxb;
      ASSERT_EQ(pci_distance(text(a), text(b), 0, 1), expected) << text(a) << ' ' << text(b);
      ASSERT_EQ(pci_distance(text(b), text(a), 1, 0), expected) << text(a) << ' ' << text(b);
    }
  }
}

}  // namespace
