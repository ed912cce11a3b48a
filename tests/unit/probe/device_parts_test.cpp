// SPDX-License-Identifier: MIT
//
// Devices that a driver has divided: what the files show of their parts, and what they do not.
#include "support/device_files.hpp"

#include <rankmap/probe/probe_devices.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap_test::Machine;

/// "0000:05:00.0 CPX/NPS4 0/8; ..." : address, modes, part and parts; what is not known is left
/// out.
std::string parts_of(const DeviceProbe& probe) {
  std::string out;
  for (int i = 0; i != probe.size; ++i) {
    const rankmap::ProbedDevice& device = probe.devices[i];
    out += (i == 0 ? "" : "; ") + std::string(device.pci.view());
    if (!device.division.empty()) out += " " + std::string(device.division.view());
    if (device.part >= 0) out += " part " + std::to_string(device.part);
    if (device.parts >= 0) out += " of " + std::to_string(device.parts);
  }
  return out;
}

void mi300(Machine& machine, unsigned bus, unsigned parts, const std::string& unique_id) {
  for (unsigned part = 0; part != parts; ++part) {
    machine.amd(static_cast<int>(bus * 8 + part), bus, part, unique_id);
  }
}

// A GPU with one instance of one part, whose nodes have the minors 30 and 31.
Machine& one_instance(Machine& machine) {
  return machine.nvidia("0000:06:00.0", 0, "GPU-a", 1).mig(0, 1, -1, 30).mig(0, 1, 0, 31);
}

struct DividedDevice {
  DeviceKind kind;
  void (*fill)(Machine&);
  std::string_view parts;
  std::string_view explained;  ///< the end of explain()
};
constexpr std::string_view amd_caveat = "partitions of one device are devices here";

const DividedDevice divided_devices[] = {
    // AMD: the whole device, and each mode.
    {DeviceKind::rocm,
     [](Machine& machine) {
       mi300(machine, 5, 1, "7");
       machine.amd_modes("0000:05:00.0", "SPX", "NPS1");
     },
     "0000:05:00.0 SPX/NPS1", amd_caveat},
    {DeviceKind::rocm, [](Machine& machine) { mi300(machine, 5, 1, "7"); }, "0000:05:00.0",
     amd_caveat},
    {DeviceKind::rocm,
     [](Machine& machine) {
       mi300(machine, 5, 2, "7");
       machine.amd_modes("0000:05:00.0", "DPX", "NPS1");
     },
     "0000:05:00.0 DPX/NPS1 part 0 of 2; 0000:05:00.0 DPX/NPS1 part 1 of 2",
     "; 0000:05:00.0 is divided (DPX/NPS1): 2 parts are here"},
    {DeviceKind::rocm,
     [](Machine& machine) {
       mi300(machine, 5, 3, "7");
       machine.amd_modes("0000:05:00.0", "CPX", "NPS4");
       mi300(machine, 6, 1, "8");
       machine.amd_modes("0000:06:00.0", "SPX", "NPS1");
       mi300(machine, 7, 2, "9");
       machine.amd_modes("0000:07:00.0", "DPX", "NPS1");
     },
     "0000:05:00.0 CPX/NPS4 part 0 of 3; 0000:05:00.0 CPX/NPS4 part 1 of 3; 0000:05:00.0 CPX/NPS4 "
     "part 2 of 3; 0000:06:00.0 SPX/NPS1; 0000:07:00.0 DPX/NPS1 part 0 of 2; 0000:07:00.0 DPX/NPS1 "
     "part 1 of 2",
     "; 0000:05:00.0 is divided (CPX/NPS4): 3 parts are here; 1 other device is, too"},
    // A container that was given some of the parts.
    {DeviceKind::rocm,
     [](Machine& machine) { machine.amd(3, 5, 2, "7").amd_modes("0000:05:00.0", "QPX", "NPS1"); },
     "0000:05:00.0 QPX/NPS1 part 2 of 1",
     "; 0000:05:00.0 is divided (QPX/NPS1): 1 of 4 parts are here"},
    {DeviceKind::rocm,
     [](Machine& machine) { machine.amd(3, 5, 2, "7").amd_modes("0000:05:00.0", "CPX", "NPS1"); },
     "0000:05:00.0 CPX/NPS1 part 2 of 1", "; 0000:05:00.0 is divided (CPX/NPS1): 1 part is here"},
    // Without the modes, entries at one address are parts of one device all the same.
    {DeviceKind::rocm, [](Machine& machine) { mi300(machine, 5, 2, "7"); },
     "0000:05:00.0 part 0 of 2; 0000:05:00.0 part 1 of 2",
     "; 0000:05:00.0 is divided: 2 parts are here"},
    {DeviceKind::rocm,
     [](Machine& machine) {
       mi300(machine, 5, 1, "7");
       machine.amd_modes("0000:05:00.0", "UNKNOWN", "UNKNOWN");
     },
     "0000:05:00.0", amd_caveat},

    // NVIDIA: no instance, which is all that the files show of a GPU without MIG.
    {DeviceKind::cuda, [](Machine& machine) { machine.nvidia("0000:06:00.0", 0, "GPU-a", 1); },
     "0000:06:00.0", "MIG instances are not counted"},
    // Two GPU instances, one of them with two compute instances; no node yet.
    {DeviceKind::cuda,
     [](Machine& machine) {
       machine.nvidia("0000:06:00.0", 3, "GPU-a", 1)
           .mig(3, 1, -1, 30)
           .mig(3, 1, 0, 31)
           .mig(3, 1, 1, 32)
           .mig(3, 2, -1, 39)
           .mig(3, 2, 0, 40);
     },
     "0000:06:00.0 MIG of 3", "; 0000:06:00.0 is divided (MIG): 3 parts are here"},
    // A container with the nodes of one of them, and one whose GPU instance it was not given.
    {DeviceKind::cuda,
     [](Machine& machine) {
       machine.nvidia("0000:06:00.0", 3, "GPU-a", 1)
           .mig(3, 1, -1, 30)
           .mig(3, 1, 0, 31)
           .mig(3, 1, 1, 32)
           .mig(3, 2, -1, 39)
           .mig(3, 2, 0, 40)
           .file("/dev/nvidia-caps/nvidia-cap30")
           .file("/dev/nvidia-caps/nvidia-cap31")
           .file("/dev/nvidia-caps/nvidia-cap40");
     },
     "0000:06:00.0 MIG of 1", "; 0000:06:00.0 is divided (MIG): 1 part is here"},
    // Nothing of it is for this process, which has an instance of another GPU: CUDA shows no part.
    {DeviceKind::cuda,
     [](Machine& machine) { one_instance(machine).file("/dev/nvidia-caps/nvidia-cap50"); },
     "0000:06:00.0 MIG of 0", "; 0000:06:00.0 is divided (MIG): 0 parts are here"},
    // Every host with the driver has the nodes to configure and to watch MIG, of minors 1 and 2; it
    // makes those of an instance when one is used. So without them nothing is known.
    {DeviceKind::cuda,
     [](Machine& machine) {
       one_instance(machine)
           .file("/dev/nvidia-caps/nvidia-cap1")
           .file("/dev/nvidia-caps/nvidia-cap2");
     },
     "0000:06:00.0 MIG", "; 0000:06:00.0 is divided (MIG): not known how many parts are here"},
    {DeviceKind::cuda,
     [](Machine& machine) {
       one_instance(machine)
           .mig(0, 2, -1, 39)
           .mig(0, 2, 0, 40)
           .file("/dev/nvidia-caps/nvidia-cap2")
           .file("/dev/nvidia-caps/nvidia-cap30")
           .file("/dev/nvidia-caps/nvidia-cap31");
       machine.nvidia("0000:07:00.0", 1, "GPU-b", 1).mig(1, 7, -1, 60).mig(1, 7, 0, 61);
       machine.nvidia("0000:08:00.0", 2, "GPU-c", 1);
     },
     "0000:06:00.0 MIG; 0000:07:00.0 MIG; 0000:08:00.0",
     "; 0000:06:00.0 is divided (MIG): not known how many parts are here; 1 other device is, too"},
    // Once each was used, all are there.
    {DeviceKind::cuda,
     [](Machine& machine) {
       one_instance(machine)
           .file("/dev/nvidia-caps/nvidia-cap1")
           .file("/dev/nvidia-caps/nvidia-cap30")
           .file("/dev/nvidia-caps/nvidia-cap31");
     },
     "0000:06:00.0 MIG of 1", "; 0000:06:00.0 is divided (MIG): 1 part is here"},
    // The driver says which minors they have: here 1 is that of an instance, in a container.
    {DeviceKind::cuda,
     [](Machine& machine) {
       machine.nvidia("0000:06:00.0", 0, "GPU-a", 1)
           .mig(0, 1, -1, 30)
           .mig(0, 1, 0, 1)
           .mig(0, 2, -1, 39)
           .mig(0, 2, 0, 40)
           .file("/proc/driver/nvidia/capabilities/mig/config", "DeviceFileMinor: 7\n")
           .file("/proc/driver/nvidia/capabilities/mig/monitor", "DeviceFileMinor: 8\n")
           .file("/dev/nvidia-caps/nvidia-cap1")
           .file("/dev/nvidia-caps/nvidia-cap30");
     },
     "0000:06:00.0 MIG of 1", "; 0000:06:00.0 is divided (MIG): 1 part is here"},
    {DeviceKind::cuda,
     [](Machine& machine) {
       one_instance(machine)
           .file("/proc/driver/nvidia/capabilities/mig/monitor", "DeviceFileMinor: 8\n")
           .file("/dev/nvidia-caps/nvidia-cap8");
     },
     "0000:06:00.0 MIG", "; 0000:06:00.0 is divided (MIG): not known how many parts are here"},
    // The instances of another GPU, and names that are none.
    {DeviceKind::cuda,
     [](Machine& machine) {
       machine.nvidia("0000:06:00.0", 0, "GPU-a", 1)
           .nvidia("0000:07:00.0", 1, "GPU-b", 1)
           .mig(1, 7, -1, 30)
           .file("/proc/driver/nvidia/capabilities/gpu1/mig/gi07/ci0/access")
           .file("/proc/driver/nvidia/capabilities/gpu1/mig/config");
     },
     "0000:06:00.0; 0000:07:00.0 MIG of 0", "; 0000:07:00.0 is divided (MIG): 0 parts are here"},
};

TEST(DeviceParts, are_counted_as_far_as_the_files_show_them) {
  for (const DividedDevice& row : divided_devices) {
    Machine machine;
    row.fill(machine);
    const DeviceProbe probe = machine.probe(row.kind);
    EXPECT_EQ(parts_of(probe), row.parts);
    const std::string text(explain(probe).view());
    ASSERT_GE(text.size(), row.explained.size());
    EXPECT_EQ(text.substr(text.size() - row.explained.size()), row.explained) << text;
  }
}

// Two ranks on two parts would else be taken for two on one device.
TEST(DeviceParts, have_no_name_that_is_that_of_the_whole_device) {
  Machine machine;
  mi300(machine, 5, 3, "7");
  machine.amd(60, 6, 0, "1").amd(61, 6, 1, "2");
  const DeviceProbe probe = machine.probe(DeviceKind::rocm);
  ASSERT_EQ(probe.size, 5);
  for (int i = 0; i != 3; ++i) EXPECT_TRUE(probe.devices[i].uuid.empty()) << i;
  EXPECT_EQ(probe.devices[3].uuid.view(), "GPU-0000000000000001");
  EXPECT_EQ(probe.devices[4].uuid.view(), "GPU-0000000000000002");
}

TEST(DeviceParts, survive_any_file) {
  Machine machine;
  mi300(machine, 5, 2, "7");
  machine.amd_modes("0000:05:00.0", "DPX", "NPS1");
  one_instance(machine).file("/dev/nvidia-caps/nvidia-cap30");
  machine.with_each_entry_spoiled([&](const std::string& what) {
    for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::rocm}) {
      const DeviceProbe probe = machine.probe(kind);
      for (int i = 0; i != probe.size; ++i) {
        EXPECT_LE(probe.devices[i].parts, 2) << what;
        for (const char c : probe.devices[i].division.view()) {
          EXPECT_TRUE(c >= '/' && c <= 'Z') << what;
        }
      }
    }
  });
}

}  // namespace
