// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/probe/probe_devices.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap::explain;
using rankmap::probe_devices;
using rankmap::ProbeTrust;
using rankmap_test::four_nvidia;
using rankmap_test::Machine;
using rankmap_test::node_numbers;
using rankmap_test::numa_nodes;
using rankmap_test::visible_nodes;

TEST(ProbeDevices, finds_nothing_without_files) {
  const Machine machine;
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto probe = machine.probe(static_cast<DeviceKind>(i));
    EXPECT_EQ(probe.trust, ProbeTrust::none);
    EXPECT_EQ(probe.count, std::nullopt);
    EXPECT_EQ(probe.size, 0);
  }
  EXPECT_EQ(explain(machine.probe(DeviceKind::cuda)).view(), "cuda: nothing found");
}

TEST(ProbeDevices, lists_nvidia_devices_by_pci_address) {
  Machine machine;
  four_nvidia(machine);
  for (int i = 0; i != 4; ++i) machine.file("/dev/nvidia" + std::to_string(i));
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, 4);
  EXPECT_EQ(probe.trust, ProbeTrust::node);
  EXPECT_EQ(numa_nodes(probe), (std::vector<int>{1, 2, 6, 7}));
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(probe.devices[2].pci.view(), "0000:96:00.0");
  EXPECT_EQ(probe.devices[2].uuid.view(), "GPU-c");
  EXPECT_EQ(explain(probe).view(),
            "cuda: 4 devices from /proc/driver/nvidia/gpus (device nodes exist); PCI order: CUDA's "
            "own only with CUDA_DEVICE_ORDER=PCI_BUS_ID; MIG instances are not counted");
}

TEST(ProbeDevices, omits_devices_without_a_node_in_this_container) {
  Machine machine;
  four_nvidia(machine);
  machine.file("/dev/nvidia1").file("/dev/nvidia3");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::cuda)), (std::vector<int>{1, 3}));
  Machine first;
  four_nvidia(first);
  first.file("/dev/nvidia0");
  EXPECT_EQ(node_numbers(first.probe(DeviceKind::cuda)), (std::vector<int>{0}));
}

TEST(ProbeDevices, trusts_a_driver_less_without_device_nodes) {
  Machine machine;
  four_nvidia(machine);
  const auto probe = machine.probe(DeviceKind::cuda, true);  // and finds nothing to open
  EXPECT_EQ(probe.count, 4);
  EXPECT_EQ(probe.trust, ProbeTrust::kernel);
  EXPECT_EQ(
      explain(probe).view(),
      "cuda: 4 devices from /proc/driver/nvidia/gpus (listed by the driver); PCI order: CUDA's own "
      "only with CUDA_DEVICE_ORDER=PCI_BUS_ID; MIG instances are not counted");
}

TEST(ProbeDevices, drops_the_nodes_that_it_cannot_open) {
  Machine machine;
  four_nvidia(machine);
  machine.file("/dev/nvidia0")
      .dangling("/dev/nvidia1")
      .file("/dev/nvidia2")
      .dangling("/dev/nvidia3");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::cuda)), (std::vector<int>{0, 1, 2, 3}));
  const auto opened = machine.probe(DeviceKind::cuda, true);
  EXPECT_EQ(opened.trust, ProbeTrust::opened);
  EXPECT_EQ(opened.count, 2);
  EXPECT_EQ(node_numbers(opened), (std::vector<int>{0, 2}));
  EXPECT_TRUE(opened.devices[2].uuid.empty());  // entries after the last are empty
  EXPECT_EQ(explain(opened).view().substr(0, 58),
            "cuda: 2 devices from /proc/driver/nvidia/gpus (opened); PC");
}

TEST(ProbeDevices, accepts_only_complete_values_of_the_driver) {
  Machine machine;
  machine
      .nvidia("00000000:06:00.0", 0, "GPU-a", 1)  // a domain of eight digits
      .nvidia("0000:07:00.0", 70, "MIG-b", 1)     // others have a node, this one has not
      .file("/dev/nvidia0")
      .file("/dev/nvidia1")
      .file("/proc/driver/nvidia/gpus/0000:08:00.0/information", "GPU UUIDs: GPU-x\nGPU UUID")
      .file("/proc/driver/nvidia/gpus/0000:0g:00.0/information", "Device Minor: 1\n")
      .file("/proc/driver/nvidia/gpus/0000-09:00.0/information", "Device Minor: 1\n")
      .file("/proc/driver/nvidia/gpus/0000:09:00/information", "Device Minor: 1\n")
      .file("/sys/bus/pci/devices/0000:06:00.0/numa_node", "65536\n");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, 2);
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{0, -1}));  // without a minor its node may exist
  EXPECT_EQ(probe.devices[0].pci.view(), "0000:06:00.0");
  EXPECT_EQ(probe.devices[0].uuid.view(), "GPU-a");
  EXPECT_EQ(probe.devices[0].numa_node, -1);
  EXPECT_EQ(probe.devices[1].pci.view(), "0000:08:00.0");
  EXPECT_TRUE(probe.devices[1].uuid.empty());
}

TEST(ProbeDevices, omits_excluded_devices) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-a", 0).nvidia("0000:07:00.0", 1, "GPU-b", 0, "Yes");
  EXPECT_EQ(machine.probe(DeviceKind::cuda).count, 1);
  Machine none;
  none.nvidia("0000:06:00.0", 0, "GPU-a", 0, "Yes");
  EXPECT_EQ(none.probe(DeviceKind::cuda).count, 0);  // and no other place is read
  EXPECT_EQ(none.probe(DeviceKind::cuda).trust, ProbeTrust::kernel);
}

TEST(ProbeDevices, does_not_turn_an_unknown_numa_node_into_node_0) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-" + std::string(8, '?'), -1);
  const auto probe = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(probe.size, 1);
  EXPECT_EQ(probe.devices[0].numa_node, -1);
  EXPECT_TRUE(probe.devices[0].uuid.empty());  // the driver has not read it yet
}

TEST(ProbeDevices, counts_nodes_if_the_driver_lists_nothing) {
  Machine machine;
  for (int i = 0; i != 12; ++i) machine.file("/dev/nvidia" + std::to_string(i));
  machine.file("/dev/nvidiactl")
      .file("/dev/nvidia-modeset")
      .file("/dev/nvidia01")
      .file("/dev/nvidia1x");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, 12);
  EXPECT_EQ(probe.trust, ProbeTrust::node);
  EXPECT_EQ(node_numbers(probe).back(), 11);
}

TEST(ProbeDevices, does_not_know_the_number_of_devices_behind_dxg) {
  Machine machine;
  machine.file("/dev/dxg");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, std::nullopt);
  EXPECT_EQ(probe.trust, ProbeTrust::node);
}

TEST(ProbeDevices, counts_only_gpu_functions_on_the_bus_as_last_resort) {
  Machine machine;
  machine
      .function("0000:03:00.0", "0x1a03", "0x030000", 0)  // the board's own display chip
      .function("0000:06:00.0", "0x10de", "0x030200", 1)
      .function("0000:07:00.0", "0x10de", "0x030000", 0)
      .function("0000:08:00.0", "0x10de", "0x068000", 0)
      .function("0000:09:00.0", "0x10de", "0x040300", 0)
      .function("0000:0a:00.0", "0x10de", "0x030200", 0)
      .directory("/sys/bus/pci/devices/0000:0a:00.0/physfn");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, 2);
  EXPECT_EQ(probe.trust, ProbeTrust::pci);
  EXPECT_EQ(numa_nodes(probe), (std::vector<int>{1, 0}));
  EXPECT_EQ(
      explain(probe).view(),
      "cuda: 2 devices from /sys/bus/pci/devices (on the bus); no driver has listed them: they "
      "may not be usable here");
  machine.function("bridge", "0x10de", "0x030000", 5);  // an unknown form of address
  EXPECT_EQ(numa_nodes(machine.probe(DeviceKind::cuda)), (std::vector<int>{1, 0, -1}));
  EXPECT_EQ(visible_nodes(machine.probe(DeviceKind::cuda), "0,1", "PCI_BUS_ID", 2),
            (std::vector<int>{-1, -1}));  // the place of that one in the order is not known
}

TEST(ProbeDevices, lists_amd_devices_with_units_an_id_and_a_render_node) {
  Machine machine;
  const auto node = [&](int n, const std::string& simd, const std::string& id, int render,
                        unsigned location) {
    const std::string directory = "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(n);
    machine.file(directory + "/properties", "cpu_cores_count 0\nsimd_count " + simd +
                                                "\ndrm_render_minor " + std::to_string(render) +
                                                "\nlocation_id " + std::to_string(location) +
                                                "\ndomain 0\nunique_id 14073402507705256557\n");
    if (!id.empty()) machine.file(directory + "/gpu_id", id + "\n");
  };
  node(0, "0", "0", 0, 0);                  // a CPU
  node(2, "304", "4098", 128, 0xc1 * 256);  // numbers need not be dense
  node(10, "304", "4099", 136, 0x29 * 256 + (3 << 3));
  node(11, "304", "4100", 137, 0x2a * 256);  // not in this container
  node(12, "304", "", 138, 0x2b * 256);      // may not be read
  machine.file("/dev/dri/renderD128").file("/dev/dri/renderD136").file("/dev/dri/renderD138");
  machine.function("0000:c1:00.0", "0x1002", "0x038000", 3)
      .function("0000:29:03.0", "0x1002", "0x038000", 1);
  const auto probe = machine.probe(DeviceKind::rocm);
  EXPECT_EQ(probe.count, 2);
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{136, 128}));
  EXPECT_EQ(numa_nodes(probe), (std::vector<int>{1, 3}));
  EXPECT_EQ(probe.devices[0].uuid.view(), "GPU-C34EC50444DD0A6D");
}

TEST(ProbeDevices, lists_amd_devices_with_incomplete_properties) {
  Machine machine;
  const std::string nodes = "/sys/class/kfd/kfd/topology/nodes/";
  const auto node = [&](const std::string& name, const std::string& properties,
                        const std::string& id) {
    machine.file(nodes + name + "/properties", properties)
        .file(nodes + name + "/gpu_id", id + "\n");
  };
  // two partitions of one device: the same location, in the order of their nodes
  node("2", "simd_count 304\ndrm_render_minor 129\nlocation_id 49408\nunique_id 1\n", "4098");
  node("1", "simd_count 304\ndrm_render_minor 128\nlocation_id 49408\nunique_id 0\n", "4097");
  node("3", "simd_count 304\ndrm_render_minor 130\n", "4099");  // no location
  node("4", "simd_count 304\ndrm_render_minor 131\n", "0");     // not in this container
  node("5", "drm_render_minor 132\n", "4100");                  // no units
  node("old", "simd_count 304\n", "4101");
  node("0", "simd_count 8\ndrm_render_minor 127\n", "4095");  // a CPU with units of its own
  const auto probe = machine.probe(DeviceKind::rocm);
  EXPECT_EQ(probe.trust, ProbeTrust::kernel);  // no render node at all
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{128, 129, 127, 130}));
  EXPECT_EQ(probe.devices[1].pci.view(), "0000:c1:00.0");
  EXPECT_EQ(probe.devices[1].uuid.view(), "GPU-0000000000000001");
  EXPECT_TRUE(probe.devices[0].uuid.empty());
  EXPECT_TRUE(probe.devices[2].pci.empty());
  machine.file("/dev/dri/card0").file("/dev/dri/renderD129");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::rocm)), (std::vector<int>{129}));
  EXPECT_EQ(machine.probe(DeviceKind::rocm, true).trust, ProbeTrust::opened);
}

TEST(ProbeDevices, omits_addresses_that_do_not_fit_the_format) {
  Machine machine;
  const auto node = [&](int n, const std::string& location, const std::string& domain) {
    const std::string directory = "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(n);
    machine
        .file(directory + "/properties", "simd_count 304\ndrm_render_minor " +
                                             std::to_string(127 + n) + "\nlocation_id " + location +
                                             "\ndomain " + domain + "\n")
        .file(directory + "/gpu_id", "4098\n");
  };
  node(1, "1536", "65535");
  node(2, "1536", "65536");                          // the kernel would call it 10000:06:00.0
  node(3, std::to_string((3U << 28U) + 1792), "0");  // the fourth partition of 0000:07:00.0
  node(4, std::to_string((1U << 16U) + 1792), "0");  // no address is that long
  machine.function("ffff:06:00.0", "0x1002", "0x038000", 1)
      .function("0000:06:00.0", "0x1002", "0x038000", 2)
      .function("0000:07:00.0", "0x1002", "0x038000", 3);
  const auto probe = machine.probe(DeviceKind::rocm);
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{130, 128, 129, 131}));
  EXPECT_EQ(numa_nodes(probe), (std::vector<int>{3, 1, -1, -1}));
  EXPECT_EQ(probe.devices[0].pci.view(), "0000:07:00.0");
  EXPECT_EQ(probe.devices[1].pci.view(), "ffff:06:00.0");
  EXPECT_TRUE(probe.devices[2].pci.empty());
}

TEST(ProbeDevices, lists_devices_without_an_address_last) {
  Machine machine;
  for (int i = 0; i != 16; ++i) {
    const std::string name = "renderD" + std::to_string(128 + i);
    const std::string device = "/sys/class/drm/" + name + "/device";
    machine.file(device + "/vendor", "0x8086\n");
    if (i % 4 == 0) continue;
    machine.file(device + "/uevent",
                 "PCI_SLOT_NAME=0000:" + std::to_string(60 - i / 4 * 2) + ":00.0\n");
  }
  const auto probe = machine.probe(DeviceKind::xpu);
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{141, 142, 143, 137, 138, 139, 133, 134, 135, 129,
                                                   130, 131, 128, 132, 136, 140}));
  EXPECT_EQ(probe.trust, ProbeTrust::kernel);
  for (int i = 0; i != 16; ++i) machine.file("/dev/dri/renderD" + std::to_string(128 + i));
  EXPECT_EQ(machine.probe(DeviceKind::xpu).trust, ProbeTrust::node);
}

TEST(ProbeDevices, counts_gaudi_nodes_whose_vendor_cannot_be_read) {
  Machine machine;
  machine.file("/dev/accel/accel0").file("/dev/accel/accel1");
  machine.file("/sys/class/accel/accel1/device/vendor", "0x8086\n");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::hpu)), (std::vector<int>{0}));
}

TEST(ProbeDevices, lists_intel_functions_once) {
  Machine machine;
  for (const std::string name : {"card0", "renderD128", "card0-DP-1", "controlD64"}) {
    const std::string device = "/sys/class/drm/" + name + "/device";
    machine.file(device + "/vendor", "0x8086\n").file(device + "/numa_node", "1\n");
    machine.file(device + "/uevent", "DRIVER=xe\nPCI_SLOT_NAME=0000:03:00.0\n");
  }
  machine.file("/sys/class/drm/renderD129/device/vendor", "0x1002\n").file("/dev/dri/renderD128");
  const auto probe = machine.probe(DeviceKind::xpu);
  EXPECT_EQ(probe.count, 1);
  EXPECT_EQ(probe.trust, ProbeTrust::node);
  EXPECT_EQ(probe.devices[0].pci.view(), "0000:03:00.0");
  EXPECT_EQ(probe.devices[0].numa_node, 1);
}

TEST(ProbeDevices, lists_intel_functions_with_any_number) {
  Machine machine;
  machine.file("/sys/class/drm/renderD0/device/vendor", "0x8086\n").file("/dev/dri/renderD0");
  machine.file("/sys/class/drm/renderD/device/vendor", "0x8086\n");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::xpu)), (std::vector<int>{0}));
}

TEST(ProbeDevices, counts_only_device_nodes_of_the_other_vendors) {
  Machine machine;
  for (int i = 0; i != 16; ++i) machine.file("/dev/davinci" + std::to_string(i));
  machine.file("/dev/davinci_manager")
      .file("/dev/devmm_svm")
      .file("/dev/hisi_hdc")
      .file("/dev/vdavinci100");
  machine.file("/dev/cambricon_dev0").file("/dev/cambricon_dev1").file("/dev/cambricon_ctl");
  machine.file("/dev/neuron0").file("/dev/neuron1");
  machine.file("/dev/accel/accel0").file("/dev/accel/accel1").file("/dev/accel/accel_controlD0");
  machine.file("/sys/class/accel/accel0/device/vendor", "0x1da3\n");
  machine.file("/sys/class/accel/accel0/device/numa_node", "1\n");
  machine.file("/sys/class/accel/accel1/device/vendor", "0x8086\n");
  EXPECT_EQ(machine.probe(DeviceKind::npu).count, 16);
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::npu)).back(), 15);
  EXPECT_EQ(machine.probe(DeviceKind::mlu).count, 2);
  EXPECT_EQ(machine.probe(DeviceKind::hpu).count, 1);
  EXPECT_EQ(numa_nodes(machine.probe(DeviceKind::hpu)), (std::vector<int>{1}));
  // /dev/accel is a directory here, not the old name of a TPU chip.
  EXPECT_EQ(machine.probe(DeviceKind::tpu).trust, ProbeTrust::none);
  const auto neuron = machine.probe(DeviceKind::neuron);
  EXPECT_EQ(neuron.count, std::nullopt);
  EXPECT_EQ(neuron.size, 2);
  EXPECT_EQ(
      explain(neuron).view(),
      "neuron: an unknown number of devices from /dev (device nodes exist); chips: no file shows "
      "how many cores each has");
}

TEST(ProbeDevices, counts_vfio_groups_as_tpus_only_with_one_on_the_bus) {
  Machine machine;
  machine.file("/dev/vfio/0").file("/dev/vfio/1").file("/dev/vfio/vfio");
  EXPECT_EQ(machine.probe(DeviceKind::tpu).trust, ProbeTrust::none);
  machine.function("0000:00:04.0", "0x8086", "0x060000", 0)
      .function("0000:00:05.0", "0x1ae0", "0x120000", 0)
      .function("0000:00:06.0", "0x1ae0", "0x120000", 0);
  EXPECT_EQ(machine.probe(DeviceKind::tpu).count, 2);
}

TEST(ProbeDevices, counts_the_nodes_of_older_drivers) {
  Machine machine;
  machine.file("/dev/accel0").file("/dev/accel1").file("/dev/accel2").file("/dev/hl0");
  machine.file("/sys/class/accel/accel0/device/vendor", "0x1ae0\n");
  machine.file("/sys/class/accel/accel0/device/numa_node", "1\n");
  machine.file("/sys/class/accel/accel1/device/vendor", "0x8086\n");
  const auto tpu = machine.probe(DeviceKind::tpu);
  EXPECT_EQ(node_numbers(tpu), (std::vector<int>{0, 2}));  // nothing is known of the last
  EXPECT_EQ(numa_nodes(tpu), (std::vector<int>{1, -1}));
  EXPECT_EQ(explain(tpu).view(),
            "tpu: 2 devices from /dev (device nodes exist); chips: some generations show two "
            "devices for each");
  EXPECT_EQ(explain(machine.probe(DeviceKind::hpu)).view(),
            "hpu: 1 device from /dev (device nodes exist); the order need not be that of the "
            "module ids");
}

TEST(ProbeDevices, opens_nodes_only_on_request) {
  Machine machine;
  machine.file("/dev/davinci0").directory("/dev/davinci1").file("/dev/davinci2");
  EXPECT_EQ(machine.probe(DeviceKind::npu).trust, ProbeTrust::node);
  const auto opened = machine.probe(DeviceKind::npu, true);
  EXPECT_EQ(opened.trust, ProbeTrust::opened);
  EXPECT_GE(*opened.count, 2);
}

TEST(ProbeDevices, stays_within_its_bounds) {
  Machine machine;
  for (int i = 0; i != 100; ++i) machine.file("/dev/davinci" + std::to_string(i));
  const auto probe = machine.probe(DeviceKind::npu);
  EXPECT_EQ(probe.size, 64);
  EXPECT_EQ(probe.count, std::nullopt);
  EXPECT_EQ(probe.caveat, "more than 64 devices: the rest is not listed");
  // The lowest are kept, in whatever order the directory lists them.
  for (int i = 0; i != 64; ++i) EXPECT_EQ(probe.devices[i].node, i);
  // Malformed files.
  machine.nvidia("0000:06:00.0", 0, std::string(1'000'000, 'G'), 0)
      .file("/sys/bus/pci/devices/0000:06:00.0/numa_node", std::string(1'000'000, '1'));
  const auto strange = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(strange.size, 1);
  EXPECT_EQ(strange.devices[0].numa_node, -1);
  EXPECT_TRUE(strange.devices[0].uuid.empty());
  EXPECT_EQ(probe_devices(DeviceKind::npu, {.root = std::string(10'000, '/')}).size, 0);
}

TEST(ProbeDevices, reports_more_than_64_devices_in_every_place) {
  Machine machine;
  constexpr std::string_view hex = "0123456789abcdef";
  for (std::size_t i = 0; i != 70; ++i) {
    const std::string bus = {hex[i / 16], hex[i % 16]};
    const std::string minor = std::to_string(128 + i);
    machine.nvidia("0000:" + bus + ":00.0", static_cast<int>(i), "GPU-" + bus, i < 64 ? 1 : 0);
    machine.file("/sys/class/drm/renderD" + minor + "/device/vendor", "0x8086\n");
    machine.file("/sys/class/kfd/kfd/topology/nodes/" + minor + "/properties", "simd_count 1\n");
    machine.file("/sys/class/kfd/kfd/topology/nodes/" + minor + "/gpu_id", "1\n");
  }
  for (const auto kind : {DeviceKind::cuda, DeviceKind::rocm, DeviceKind::xpu}) {
    const auto probe = machine.probe(kind);
    EXPECT_EQ(probe.count, std::nullopt);
    EXPECT_EQ(probe.size, 64);
    EXPECT_EQ(probe.trust, ProbeTrust::kernel);
    EXPECT_EQ(probe.caveat, "more than 64 devices: the rest is not listed");
  }
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(node_numbers(probe).back(), 63);
  // one that is not listed may be on another node, or have no address
  EXPECT_EQ(visible_nodes(probe, "0,1", "FASTEST_FIRST", 2), (std::vector<int>{-1, -1}));
  EXPECT_EQ(visible_nodes(probe, "0,1", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  EXPECT_EQ(visible_nodes(probe, "GPU-05,GPU-45", "", 2), (std::vector<int>{1, -1}));
  std::filesystem::remove_all(std::string(machine.options().root) + "/proc");
  const auto functions = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(functions.trust, ProbeTrust::pci);
  EXPECT_EQ(functions.count, std::nullopt);
  EXPECT_EQ(functions.caveat, "more than 64 devices: the rest is not listed");
}

TEST(ProbeDevices, survives_the_files_of_this_machine) {
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto probe = probe_devices(static_cast<DeviceKind>(i));
    EXPECT_LE(probe.size, DeviceProbe::capacity);
    EXPECT_FALSE(explain(probe).empty());
  }
}

}  // namespace
