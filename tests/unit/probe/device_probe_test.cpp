// SPDX-License-Identifier: MIT
#include <rankmap/probe/device_probe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap::explain;
using rankmap::ProbeTrust;

static_assert(std::is_trivially_copyable_v<DeviceProbe>);
static_assert(rankmap::ProbedDevice().node == -1 && rankmap::ProbedDevice().numa_node == -1);

TEST(DeviceProbe, explains_how_reliable_a_count_is) {
  constexpr std::string_view lines[] = {
      "npu: nothing found", "npu: 1 device from /dev (on the bus)",
      "npu: 1 device from /dev (listed by the driver)",
      "npu: 1 device from /dev (device nodes exist)", "npu: 1 device from /dev (opened)"};
  DeviceProbe probe;
  probe.kind = DeviceKind::npu;
  probe.source = "/dev";
  probe.count = 1;
  for (std::size_t i = 0; i != std::size(lines); ++i) {
    probe.trust = static_cast<ProbeTrust>(i);
    EXPECT_EQ(explain(probe).view(), lines[i]);
  }
  EXPECT_EQ(static_cast<std::size_t>(ProbeTrust::opened) + 1, std::size(lines));
}

TEST(DeviceProbe, explains_an_unknown_count_with_its_caveat) {
  DeviceProbe probe;
  probe.kind = DeviceKind::neuron;
  probe.trust = ProbeTrust::node;
  probe.source = "/dev";
  probe.caveat = "chips";
  EXPECT_EQ(explain(probe).view(),
            "neuron: an unknown number of devices from /dev (device nodes exist); chips");
  probe.count = 2;
  EXPECT_EQ(explain(probe).view(), "neuron: 2 devices from /dev (device nodes exist); chips");
}

}  // namespace
