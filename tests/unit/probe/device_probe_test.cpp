// SPDX-License-Identifier: MIT
#include <rankmap/device/device_policy.hpp>
#include <rankmap/probe/device_probe.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace {

using rankmap::CpuSet;
using rankmap::DeviceKind;
using rankmap::DeviceProbe;
using rankmap::Errc;
using rankmap::explain;
using rankmap::FixedEnvironment;
using rankmap::probe_allowed_cpus;
using rankmap::probe_devices;
using rankmap::probe_numa_node_of;
using rankmap::ProbeOptions;
using rankmap::ProbeTrust;
using rankmap::visible_devices;
using rankmap::visible_numa_nodes;

static_assert(std::is_trivially_copyable_v<DeviceProbe>);
static_assert(rankmap::ProbedDevice().node == -1 && rankmap::ProbedDevice().numa_node == -1);

// A tree of files that stands for a machine. Device nodes are plain files: only their names count.
class Machine {
 public:
  Machine() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string("rankmap_") + test->name() + "_" + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    text_ = root_.string();
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  Machine& file(const std::string& path, const std::string& content = "") {
    const auto full = root_ / path.substr(1);
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
    return *this;
  }
  // A node that nobody can open, root included.
  Machine& dangling(const std::string& path) {
    file(path);
    std::filesystem::remove(root_ / path.substr(1));
    std::filesystem::create_symlink("nowhere", root_ / path.substr(1));
    return *this;
  }
  Machine& directory(const std::string& path) {
    std::filesystem::create_directories(root_ / path.substr(1));
    return *this;
  }
  // One NVIDIA device, as the driver's procfs and the bus show it.
  Machine& nvidia(const std::string& address, int minor, const std::string& uuid, int numa_node,
                  const std::string& excluded = "No") {
    file("/proc/driver/nvidia/gpus/" + address + "/information",
         "Model: \t\t NVIDIA H100\nIRQ:   \t\t 42\nGPU UUID: \t " + uuid +
             "\nVideo BIOS: \t ??.??.??.??.??\nBus Type: \t PCIe\nBus Location: \t " + address +
             "\nDevice Minor: \t " + std::to_string(minor) +
             "\nGPU Firmware: \t 1\nGPU Excluded:\t " + excluded + "\n");
    return function(address, "0x10de", "0x030200", numa_node);
  }
  Machine& function(const std::string& address, const std::string& vendor, const std::string& code,
                    int numa_node) {
    const std::string directory = "/sys/bus/pci/devices/" + address;
    file(directory + "/vendor", vendor + "\n");
    file(directory + "/class", code + "\n");
    return file(directory + "/numa_node", std::to_string(numa_node) + "\n");
  }

  DeviceProbe probe(DeviceKind kind, bool open_nodes = false) const {
    return probe_devices(kind, {.root = text_, .open_nodes = open_nodes});
  }
  ProbeOptions options() const { return {.root = text_}; }

 private:
  std::filesystem::path root_;
  std::string text_;
};

std::vector<int> numa_nodes(const DeviceProbe& probe) {
  std::vector<int> nodes;
  for (int i = 0; i != probe.size; ++i) nodes.push_back(probe.devices[i].numa_node);
  return nodes;
}
std::vector<int> node_numbers(const DeviceProbe& probe) {
  std::vector<int> numbers;
  for (int i = 0; i != probe.size; ++i) numbers.push_back(probe.devices[i].node);
  return numbers;
}

std::vector<int> visible_nodes(const DeviceProbe& probe, std::string_view list,
                               std::string_view order, std::size_t count) {
  const FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", list}, {"CUDA_DEVICE_ORDER", order}});
  std::vector<int> nodes(count, 99);
  visible_numa_nodes(probe, visible_devices(DeviceKind::cuda, env), env, nodes);
  return nodes;
}

TEST(DeviceProbe, finds_nothing_on_a_machine_without_files) {
  const Machine machine;
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto probe = machine.probe(static_cast<DeviceKind>(i));
    EXPECT_EQ(probe.trust, ProbeTrust::none);
    EXPECT_EQ(probe.count, std::nullopt);
    EXPECT_EQ(probe.size, 0);
  }
  EXPECT_EQ(explain(machine.probe(DeviceKind::cuda)).view(), "cuda: nothing found");
}

// Four devices on four NUMA nodes, with a display chip of another vendor between them.
void four_nvidia(Machine& machine) {
  machine.nvidia("0000:e6:00.0", 3, "GPU-d", 7)
      .nvidia("0000:06:00.0", 0, "GPU-a", 1)
      .nvidia("0000:96:00.0", 2, "GPU-c", 6)
      .nvidia("0000:16:00.0", 1, "GPU-b", 2)
      .function("0000:53:00.0", "0x1a03", "0x030000", 0)
      .function("0000:07:00.0", "0x10de", "0x068000", 1)
      .file("/dev/nvidiactl")
      .file("/dev/nvidia-uvm")
      .file("/dev/nvidia-caps/nvidia-cap1");
}

TEST(DeviceProbe, lists_nvidia_devices_by_pci_address_with_their_numa_nodes) {
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
  EXPECT_EQ(
      explain(probe).view(),
      "cuda: 4 devices by /proc/driver/nvidia/gpus (device nodes are there); PCI order: CUDA's "
      "own only with CUDA_DEVICE_ORDER=PCI_BUS_ID; MIG instances are not counted");
}

TEST(DeviceProbe, leaves_out_what_a_container_was_not_given) {
  Machine machine;
  four_nvidia(machine);
  machine.file("/dev/nvidia1").file("/dev/nvidia3");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::cuda)), (std::vector<int>{1, 3}));
}

TEST(DeviceProbe, trusts_a_driver_less_where_there_are_no_nodes) {
  Machine machine;
  four_nvidia(machine);
  const auto probe = machine.probe(DeviceKind::cuda, true);  // and finds nothing to open
  EXPECT_EQ(probe.count, 4);
  EXPECT_EQ(probe.trust, ProbeTrust::kernel);
  EXPECT_EQ(
      explain(probe).view(),
      "cuda: 4 devices by /proc/driver/nvidia/gpus (listed by the driver); PCI order: CUDA's own "
      "only with CUDA_DEVICE_ORDER=PCI_BUS_ID; MIG instances are not counted");
}

TEST(DeviceProbe, drops_the_nodes_that_it_cannot_open) {
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
  EXPECT_TRUE(opened.devices[2].uuid.empty());  // nothing is left of those behind the last
  EXPECT_EQ(explain(opened).view().substr(0, 56),
            "cuda: 2 devices by /proc/driver/nvidia/gpus (opened); PC");
}

TEST(DeviceProbe, takes_only_what_the_driver_spells_whole) {
  Machine machine;
  machine
      .nvidia("00000000:06:00.0", 0, "GPU-a", 1)  // a domain of eight digits
      .nvidia("0000:07:00.0", 70, "MIG-b", 1)     // nodes are there, and this one is not
      .file("/dev/nvidia0")
      .file("/dev/nvidia1")
      .file("/proc/driver/nvidia/gpus/0000:08:00.0/information", "GPU UUIDs: GPU-x\nGPU UUID")
      .file("/proc/driver/nvidia/gpus/0000:0g:00.0/information", "Device Minor: 1\n")
      .file("/proc/driver/nvidia/gpus/0000-09:00.0/information", "Device Minor: 1\n")
      .file("/proc/driver/nvidia/gpus/0000:09:00/information", "Device Minor: 1\n")
      .file("/sys/bus/pci/devices/0000:06:00.0/numa_node", "65536\n");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, 2);
  EXPECT_EQ(node_numbers(probe), (std::vector<int>{0, -1}));  // it says no minor: it may be there
  EXPECT_EQ(probe.devices[0].pci.view(), "0000:06:00.0");
  EXPECT_EQ(probe.devices[0].uuid.view(), "GPU-a");
  EXPECT_EQ(probe.devices[0].numa_node, -1);
  EXPECT_EQ(probe.devices[1].pci.view(), "0000:08:00.0");
  EXPECT_TRUE(probe.devices[1].uuid.empty());
}

TEST(DeviceProbe, leaves_out_excluded_devices) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-a", 0).nvidia("0000:07:00.0", 1, "GPU-b", 0, "Yes");
  EXPECT_EQ(machine.probe(DeviceKind::cuda).count, 1);
  Machine none;
  none.nvidia("0000:06:00.0", 0, "GPU-a", 0, "Yes");
  EXPECT_EQ(none.probe(DeviceKind::cuda).count, 0);  // and no other place is asked
  EXPECT_EQ(none.probe(DeviceKind::cuda).trust, ProbeTrust::kernel);
}

TEST(DeviceProbe, does_not_take_an_unknown_numa_node_for_node_0) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-" + std::string(8, '?'), -1);
  const auto probe = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(probe.size, 1);
  EXPECT_EQ(probe.devices[0].numa_node, -1);
  EXPECT_TRUE(probe.devices[0].uuid.empty());  // the driver has not read it yet
}

TEST(DeviceProbe, counts_nodes_where_the_driver_tells_nothing) {
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

TEST(DeviceProbe, knows_that_there_is_a_device_behind_dxg_but_not_how_many) {
  Machine machine;
  machine.file("/dev/dxg");
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(probe.count, std::nullopt);
  EXPECT_EQ(probe.trust, ProbeTrust::node);
}

TEST(DeviceProbe, counts_functions_on_the_bus_last_and_no_switch_or_virtual_one) {
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
  EXPECT_EQ(explain(probe).view(),
            "cuda: 2 devices by /sys/bus/pci/devices (on the bus); no driver has listed them: they "
            "may not be usable here");
  machine.function("bridge", "0x10de", "0x030000", 5);  // an address of no form that is known
  EXPECT_EQ(numa_nodes(machine.probe(DeviceKind::cuda)), (std::vector<int>{1, 0, -1}));
  EXPECT_EQ(visible_nodes(machine.probe(DeviceKind::cuda), "0,1", "PCI_BUS_ID", 2),
            (std::vector<int>{-1, -1}));  // where the strange one belongs, nobody knows
}

TEST(DeviceProbe, lists_amd_devices_that_have_units_an_id_and_a_render_node) {
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
  node(0, "0", "0", 0, 0);                  // a processor
  node(2, "304", "4098", 128, 0xc1 * 256);  // numbers need not be dense
  node(10, "304", "4099", 136, 0x29 * 256 + (3 << 3));
  node(11, "304", "4100", 137, 0x2a * 256);  // not given to this container
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

TEST(DeviceProbe, lists_amd_devices_of_which_the_driver_tells_less) {
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
  node("4", "simd_count 304\ndrm_render_minor 131\n", "0");     // not given to this container
  node("5", "drm_render_minor 132\n", "4100");                  // no units
  node("old", "simd_count 304\n", "4101");
  node("0", "simd_count 8\ndrm_render_minor 127\n", "4095");  // a processor with units of its own
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

TEST(DeviceProbe, leaves_out_an_address_that_it_cannot_spell_whole) {
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

// Whatever the order in which the directory tells them.
TEST(DeviceProbe, lists_devices_without_an_address_behind_the_others) {
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

TEST(DeviceProbe, counts_gaudi_nodes_whose_vendor_cannot_be_read) {
  Machine machine;
  machine.file("/dev/accel/accel0").file("/dev/accel/accel1");
  machine.file("/sys/class/accel/accel1/device/vendor", "0x8086\n");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::hpu)), (std::vector<int>{0}));
}

TEST(DeviceProbe, lists_intel_functions_once) {
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

TEST(DeviceProbe, lists_intel_functions_whatever_their_number) {
  Machine machine;
  machine.file("/sys/class/drm/renderD0/device/vendor", "0x8086\n").file("/dev/dri/renderD0");
  machine.file("/sys/class/drm/renderD/device/vendor", "0x8086\n");
  EXPECT_EQ(node_numbers(machine.probe(DeviceKind::xpu)), (std::vector<int>{0}));
}

TEST(DeviceProbe, counts_the_nodes_of_the_other_vendors_and_none_of_their_neighbours) {
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
      "neuron: a number of devices that is not known by /dev (device nodes are there); chips; "
      "how many cores each has is not in a file");
}

TEST(DeviceProbe, explains_one_device_without_an_s) {
  Machine machine;
  machine.file("/dev/davinci0");
  EXPECT_EQ(explain(machine.probe(DeviceKind::npu)).view(),
            "npu: 1 device by /dev (device nodes are there)");
}

TEST(DeviceProbe, takes_vfio_groups_for_tpu_chips_only_where_one_is_on_the_bus) {
  Machine machine;
  machine.file("/dev/vfio/0").file("/dev/vfio/1").file("/dev/vfio/vfio");
  EXPECT_EQ(machine.probe(DeviceKind::tpu).trust, ProbeTrust::none);
  machine.function("0000:00:04.0", "0x8086", "0x060000", 0)
      .function("0000:00:05.0", "0x1ae0", "0x120000", 0)
      .function("0000:00:06.0", "0x1ae0", "0x120000", 0);
  EXPECT_EQ(machine.probe(DeviceKind::tpu).count, 2);
}

TEST(DeviceProbe, opens_nodes_only_where_told) {
  Machine machine;
  machine.file("/dev/davinci0").directory("/dev/davinci1").file("/dev/davinci2");
  EXPECT_EQ(machine.probe(DeviceKind::npu).trust, ProbeTrust::node);
  const auto opened = machine.probe(DeviceKind::npu, true);
  EXPECT_EQ(opened.trust, ProbeTrust::opened);
  EXPECT_GE(*opened.count, 2);
}

TEST(DeviceProbe, keeps_within_its_bounds) {
  Machine machine;
  for (int i = 0; i != 100; ++i) machine.file("/dev/davinci" + std::to_string(i));
  const auto probe = machine.probe(DeviceKind::npu);
  EXPECT_EQ(probe.size, 64);
  EXPECT_EQ(probe.count, std::nullopt);
  EXPECT_EQ(probe.caveat, "more than 64 devices: the rest is not listed");
  // The lowest are kept, in whatever order the directory tells them.
  for (int i = 0; i != 64; ++i) EXPECT_EQ(probe.devices[i].node, i);
  // A file that is not what it should be.
  machine.nvidia("0000:06:00.0", 0, std::string(1'000'000, 'G'), 0)
      .file("/sys/bus/pci/devices/0000:06:00.0/numa_node", std::string(1'000'000, '1'));
  const auto strange = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(strange.size, 1);
  EXPECT_EQ(strange.devices[0].numa_node, -1);
  EXPECT_TRUE(strange.devices[0].uuid.empty());
  EXPECT_EQ(probe_devices(DeviceKind::npu, {.root = std::string(10'000, '/')}).size, 0);
}

TEST(DeviceProbe, says_that_there_are_more_devices_wherever_it_finds_them) {
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

// ---- NUMA

TEST(ProbeCpus, reads_what_this_process_may_use) {
  Machine machine;
  machine.file("/proc/self/status",
               "Name:\ttest\nCpus_allowed:\tff00\nCpus_allowed_list:\t8-11,24\nMems_allowed:\t1\n");
  const auto cpus = probe_allowed_cpus(machine.options());
  ASSERT_TRUE(cpus);
  EXPECT_EQ(to_string(*cpus).view(), "8-11,24");
  machine.file("/sys/devices/system/node/node0/cpulist", "0-7,16-23\n")
      .file("/sys/devices/system/node/node1/cpulist", "8-15,24-31\n")
      .file("/sys/devices/system/node/node2/cpulist", "\n")
      .file("/sys/devices/system/node/possible", "0-2\n");
  for (const char* const strange : {"node", "node1x", "nodes1", "xnode1"}) {  // no nodes
    machine.file("/sys/devices/system/node/" + std::string(strange) + "/cpulist", "8-15,24-31\n");
  }
  EXPECT_EQ(probe_numa_node_of(*cpus, machine.options()), 1);
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0-31"), machine.options()), -1);
  EXPECT_EQ(probe_numa_node_of(CpuSet(), machine.options()), -1);
}

TEST(ProbeCpus, says_what_is_missing) {
  const Machine machine;
  const auto cpus = probe_allowed_cpus(machine.options());
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().code, Errc::bad_file);
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0"), machine.options()), -1);
  const std::string deep(600, '/');  // longer than a path is kept
  EXPECT_FALSE(probe_allowed_cpus({.root = deep}));
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0"), {.root = deep}), -1);
}

TEST(ProbeCpus, passes_over_a_node_whose_list_makes_no_sense) {
  Machine machine;
  machine.file("/sys/devices/system/node/node0/cpulist", "0-x\n")
      .file("/sys/devices/system/node/node1/cpulist", "0-7\n")
      .file("/sys/devices/system/node/node3/cpulist", "8-9\n");
  EXPECT_EQ(probe_numa_node_of(*rankmap::parse_cpu_list("0-3"), machine.options()), 1);
}

TEST(VisibleNumaNodes, follow_the_mask_and_not_the_index) {
  Machine machine;
  four_nvidia(machine);
  const auto probe = machine.probe(DeviceKind::cuda);
  EXPECT_EQ(visible_nodes(probe, "3,0,1", "PCI_BUS_ID", 3), (std::vector<int>{7, 1, 2}));
  EXPECT_EQ(visible_nodes(probe, "3,0", "PCI_BUS_ID", 3), (std::vector<int>{7, 1, -1}));
  EXPECT_EQ(visible_nodes(probe, "9", "PCI_BUS_ID", 1), (std::vector<int>{-1}));
  // Fastest first: which one that is, no file tells. A name needs no order.
  EXPECT_EQ(visible_nodes(probe, "3,0,1", "FASTEST_FIRST", 3), (std::vector<int>{-1, -1, -1}));
  EXPECT_EQ(visible_nodes(probe, "GPU-d,GPU-b", "FASTEST_FIRST", 2), (std::vector<int>{7, 2}));
  EXPECT_EQ(visible_nodes(probe, "GPU-,GPU-x", "FASTEST_FIRST", 2), (std::vector<int>{-1, -1}));
}

TEST(VisibleNumaNodes, follow_the_mask_only_where_the_addresses_are_known) {
  Machine machine;
  machine.file("/dev/nvidia0").file("/dev/nvidia1");
  auto probe = machine.probe(DeviceKind::cuda);
  ASSERT_EQ(probe.size, 2);
  probe.devices[1].numa_node = 1;  // by minor, and minors are not CUDA's order
  EXPECT_EQ(visible_nodes(probe, "1,0", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  probe.kind = DeviceKind::rocm;
  EXPECT_EQ(visible_nodes(probe, "1,0", "PCI_BUS_ID", 2), (std::vector<int>{-1, -1}));
  std::vector<int> nodes(2, 99);
  const FixedEnvironment unordered({{"CUDA_VISIBLE_DEVICES", "1,0"}});
  probe.kind = DeviceKind::cuda;
  visible_numa_nodes(probe, visible_devices(DeviceKind::cuda, unordered), unordered, nodes);
  EXPECT_EQ(nodes, (std::vector<int>{-1, -1}));
  EXPECT_EQ(visible_nodes(DeviceProbe(), "0", "PCI_BUS_ID", 1), (std::vector<int>{-1}));
}

TEST(VisibleNumaNodes, need_no_order_where_all_devices_are_on_one_node) {
  Machine machine;
  machine.nvidia("0000:06:00.0", 0, "GPU-a", 1).nvidia("0000:07:00.0", 1, "GPU-b", 1);
  EXPECT_EQ(visible_nodes(machine.probe(DeviceKind::cuda), "1,0", "FASTEST_FIRST", 2),
            (std::vector<int>{1, 1}));
}

TEST(VisibleNumaNodes, lead_to_the_nearest_device) {
  Machine machine;
  four_nvidia(machine);
  const auto nodes = visible_nodes(machine.probe(DeviceKind::cuda), "0,1,2,3", "PCI_BUS_ID", 4);
  constexpr int processes[] = {7, 6, 2, 1};
  for (int rank = 0; rank != 4; ++rank) {
    rankmap::DeviceRequest request;
    request.local_rank = rankmap::LocalRank(rank);
    request.local_world_size = 4;
    request.visible_count = 4;
    const auto device = rankmap::device_policy::closest{nodes, processes}(request);
    ASSERT_TRUE(device);
    EXPECT_EQ(device->index, rankmap::VisibleIndex(3 - rank));
  }
}

TEST(DeviceProbe, reads_this_machine_without_a_fall) {
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto probe = probe_devices(static_cast<DeviceKind>(i));
    EXPECT_LE(probe.size, DeviceProbe::capacity);
    EXPECT_FALSE(explain(probe).empty());
  }
  const auto cpus = probe_allowed_cpus();
  EXPECT_TRUE(!cpus || !cpus->empty());
}

}  // namespace
