// SPDX-License-Identifier: MIT
// What nodes need to share the memory of their devices, and how these are divided, from the files
// of their drivers. Source: NVIDIA's IMEX guide ("IMEX Channels"), the kernel's
// Documentation/gpu/amdgpu/driver-misc.rst ("Partition Modes").
#ifndef RANKMAP_PROBE_DETAIL_FABRIC_FILES_HPP
#define RANKMAP_PROBE_DETAIL_FABRIC_FILES_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/probe/detail/cpu_files.hpp>
#include <rankmap/probe/detail/device_parts.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/static_string.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

/// The numbers of the channels of which this process sees a device node, "0" or "0-2047"; "none"
/// where NVIDIA's driver is loaded and there are none; empty where it is not. 2048 is the most that
/// the driver makes.
inline StaticString<255> read_imex_channels(std::string_view root) {
  const CpuSet channels = numbers_in(probe_path(root, "/dev/nvidia-caps-imex-channels"), "channel");
  if (!channels.empty()) return to_string(channels);
  const SmallFile driver(probe_path(root, "/proc/driver/nvidia/version"));
  return driver.text().empty() ? "" : "none";
}

/// The modes in which AMD's devices of this machine are divided, each once: "SPX/NPS1".
inline StaticString<63> read_partitions(std::string_view root) {
  StaticString<63> modes;
  constexpr std::string_view folder = "/sys/class/drm";
  const CpuSet cards = numbers_in(probe_path(root, folder), "card");
  for (int card = cards.next(0); card >= 0; card = cards.next(card + 1)) {
    const ProbePath device = probe_path(root, folder, "/card", card, "/device");
    StaticString<15> mode = read_mode(probe_path(device, "/current_compute_partition"));
    const auto memory = read_mode(probe_path(device, "/current_memory_partition"));
    mode.append(memory.empty() ? "" : "/").append(memory);
    if (mode.empty() || modes.view().find(mode.view()) != std::string_view::npos) continue;
    modes.append(modes.empty() ? "" : ",").append(mode);
  }
  return modes;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_FABRIC_FILES_HPP
