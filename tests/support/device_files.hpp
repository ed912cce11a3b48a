// SPDX-License-Identifier: MIT
//
// The kernel's files of a machine with devices, for the tests of probe/.
#ifndef RANKMAP_TESTS_SUPPORT_DEVICE_FILES_HPP
#define RANKMAP_TESTS_SUPPORT_DEVICE_FILES_HPP

#include <rankmap/probe.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace rankmap_test {

/// A tree of files that represents a machine. Device nodes are plain files: only their names count.
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
    entries_[path] = {false, content};
    put(path, false, content);
    return *this;
  }
  /// A link, which leads where its target says as seen from its own folder.
  Machine& link(const std::string& path, const std::string& target) {
    entries_[path] = {true, target};
    put(path, true, target);
    return *this;
  }
  /// Calls `visit(what)` with each file and link in turn missing, empty, of one byte, of a MiB, a
  /// link to itself, and a link out of the tree. Afterwards all is as before.
  template <class Visit>
  void with_each_entry_spoiled(const Visit& visit) {
    for (const auto& item : entries_) {
      const std::string& path = item.first;
      const Entry& entry = item.second;
      const std::string name = std::filesystem::path(path).filename().string();
      const auto spoil = [&](const std::string& what, bool is_link, const std::string& content) {
        put(path, is_link, content);
        visit(path + ", " + what);
      };
      std::filesystem::remove(root_ / path.substr(1));
      visit(path + ", missing");
      spoil("empty", false, "");
      spoil("of one byte", false, "\xff");
      spoil("of a digit", false, "7");
      std::string large = entry.content;
      while (large.size() < std::size_t{1} << 20U) large += large.empty() ? "0" : large;
      spoil("of a MiB", false, large);
      spoil("a loop", true, name);
      spoil("a link out", true, "../../../../../../../../../../../../../../../../../etc");
      put(path, entry.is_link, entry.content);
    }
  }
  /// A node that nobody can open, not even root.
  Machine& dangling(const std::string& path) { return link(path, "nowhere"); }
  Machine& directory(const std::string& path) {
    std::filesystem::create_directories(root_ / path.substr(1));
    return *this;
  }
  /// One NVIDIA device, as the driver's procfs and the bus show it.
  Machine& nvidia(const std::string& address, int minor, const std::string& uuid, int numa_node,
                  const std::string& excluded = "No") {
    file("/proc/driver/nvidia/gpus/" + address + "/information",
         "Model: \t\t NVIDIA H100\nIRQ:   \t\t 42\nGPU UUID: \t " + uuid +
             "\nVideo BIOS: \t ??.??.??.??.??\nBus Type: \t PCIe\nBus Location: \t " + address +
             "\nDevice Minor: \t " + std::to_string(minor) +
             "\nGPU Firmware: \t 1\nGPU Excluded:\t " + excluded + "\n");
    return function(address, "0x10de", "0x030200", numa_node);
  }
  /// One of its MIG instances, by the numbers of its files: the GPU instance if `part` is -1.
  Machine& mig(int minor, int instance, int part, int cap) {
    return file(
        "/proc/driver/nvidia/capabilities/gpu" + std::to_string(minor) + "/mig/gi" +
            std::to_string(instance) + (part < 0 ? "" : "/ci" + std::to_string(part)) + "/access",
        "DeviceFileMinor: " + std::to_string(cap) + "\nDeviceFileMode: 292\nDeviceFileModify: 1\n");
  }
  /// A partition of AMD's device 0000:BUS:00.0, or all of it, as KFD's node `number`.
  Machine& amd(int number, unsigned bus, unsigned part, const std::string& unique_id) {
    const std::string directory = "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(number);
    const std::string minor = std::to_string(127 + number);
    return file(directory + "/properties", "cpu_cores_count 0\nsimd_count 152\ndrm_render_minor " +
                                               minor + "\nlocation_id " +
                                               std::to_string(part << 28U | bus << 8U) +
                                               "\ndomain 0\nunique_id " + unique_id + "\n")
        .file(directory + "/gpu_id", std::to_string(4096 + number) + "\n")
        .file("/dev/dri/renderD" + minor);
  }
  Machine& amd_modes(const std::string& address, const std::string& computes,
                     const std::string& memory) {
    const std::string directory = "/sys/bus/pci/devices/" + address;
    return file(directory + "/current_compute_partition", computes + "\n")
        .file(directory + "/current_memory_partition", memory + "\n");
  }
  Machine& function(const std::string& address, const std::string& vendor, const std::string& code,
                    int numa_node) {
    const std::string directory = "/sys/bus/pci/devices/" + address;
    file(directory + "/vendor", vendor + "\n");
    file(directory + "/class", code + "\n");
    return file(directory + "/numa_node", std::to_string(numa_node) + "\n");
  }

  rankmap::DeviceProbe probe(rankmap::DeviceKind kind, bool open_nodes = false) const {
    return rankmap::probe_devices(kind, {.root = text_, .open_nodes = open_nodes});
  }
  rankmap::ProbeOptions options() const { return {.root = text_}; }

 private:
  struct Entry {
    bool is_link = false;
    std::string content;
  };
  void put(const std::string& path, bool is_link, const std::string& content) const {
    const auto full = root_ / path.substr(1);
    std::filesystem::create_directories(full.parent_path());
    if (std::filesystem::is_symlink(full)) std::filesystem::remove(full);
    if (is_link) {
      std::filesystem::remove(full);
      std::filesystem::create_symlink(content, full);
    } else {
      std::ofstream(full, std::ios::binary) << content;
    }
  }

  std::map<std::string, Entry> entries_;
  std::filesystem::path root_;
  std::string text_;
};

inline std::vector<int> numa_nodes(const rankmap::DeviceProbe& probe) {
  std::vector<int> nodes;
  for (int i = 0; i != probe.size; ++i) nodes.push_back(probe.devices[i].numa_node);
  return nodes;
}
inline std::vector<int> node_numbers(const rankmap::DeviceProbe& probe) {
  std::vector<int> numbers;
  for (int i = 0; i != probe.size; ++i) numbers.push_back(probe.devices[i].node);
  return numbers;
}

inline std::vector<int> visible_nodes(const rankmap::DeviceProbe& probe, std::string_view list,
                                      std::string_view order, std::size_t count) {
  const rankmap::FixedEnvironment env(
      {{"CUDA_VISIBLE_DEVICES", list}, {"CUDA_DEVICE_ORDER", order}});
  std::vector<int> nodes(count, 99);
  rankmap::visible_numa_nodes(probe, rankmap::visible_devices(rankmap::DeviceKind::cuda, env), env,
                              nodes);
  return nodes;
}

/// Four devices on four NUMA nodes, with a display chip of another vendor among them.
inline void four_nvidia(Machine& machine) {
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

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_DEVICE_FILES_HPP
