// SPDX-License-Identifier: MIT
// What the kernel's files say of this process: its machine, its CPUs, its number. For describe().
// Source: proc(5), tmpfs(5), the kernel's Documentation/admin-guide/mm/hugetlbpage.rst and
// gpu/amdgpu/driver-misc.rst ("Partition Modes"), NVIDIA's IMEX guide ("IMEX Channels").
#ifndef RANKMAP_PROBE_PROCESS_HPP
#define RANKMAP_PROBE_PROCESS_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/probe/cpu_quota.hpp>
#include <rankmap/probe/detail/cpu_files.hpp>
#include <rankmap/probe/detail/device_parts.hpp>
#include <rankmap/probe/detail/probe_files.hpp>
#include <rankmap/probe/device_probe.hpp>
#include <rankmap/probe/numa.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace rankmap::inline v0 {

namespace detail {

inline std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\n"));
}

/// The numbers of the channels of which this process sees a device node, "0" or "0-2047", the most
/// that the driver makes; "none" where NVIDIA's driver is loaded without any, empty without it.
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
    if (mode.empty() || has_entry(modes, mode)) continue;
    modes.append(modes.empty() ? "" : ",").append(mode);
  }
  return modes;
}

/// The version of the first driver of devices that is loaded and says which it is.
inline StaticString<63> read_driver(std::string_view root) {
  for (const std::string_view module : {"nvidia", "amdgpu", "xe", "i915", "habanalabs"}) {
    const SmallFile file(probe_path(root, "/sys/module/", module, "/version"));
    if (!file.text().empty()) return first_word(file.text());
  }
  return {};
}

/// `number` times `unit` bytes in units of `wanted`; -1 for no number, the highest int for more.
inline int scaled_number(std::string_view text, std::uint64_t unit, std::uint64_t wanted) {
  const Number number = parse_number(text);
  if (!number || unit == 0) return -1;
  const std::uint64_t highest = std::uint64_t{INT32_MAX} * wanted / unit;
  return number.value >= highest ? INT32_MAX : static_cast<int>(number.value * unit / wanted);
}

/// KiB that may be locked; the highest int: any.
inline int read_locked_memory(std::string_view root) {
  const SmallFile limits(probe_path(root, "/proc/self/limits"));
  const std::string_view soft = first_word(limits.value_of("Max locked memory", ' '));
  return soft == "unlimited" ? INT32_MAX : scaled_number(soft, 1, 1024);
}

/// The options of the tmpfs at /dev/shm; empty if there is none, or if its line is too long. Of
/// several mounts at one place the last one is seen. Machines with many containers have more of
/// them than a SmallFile holds.
inline StaticString<1023> read_shm_options(std::string_view root) {
  StaticString<1023> options;
  std::FILE* const file = open_to_read(probe_path(root, "/proc/self/mounts"));
  if (file == nullptr) return options;
  char piece[1024];  // the line of a container's layers is longer, and read in several
  bool begins = true;
  while (std::fgets(piece, sizeof piece, file) != nullptr) {
    const std::string_view text(piece);
    if (!std::exchange(begins, text.ends_with('\n'))) continue;
    const auto [source, rest] = split_at(text, ' ');
    const auto [place, type_and_options] = split_at(rest.value_or(""), ' ');
    const auto [type, other] = split_at(type_and_options.value_or(""), ' ');
    if (place != "/dev/shm") continue;
    const bool is_whole = begins || text.size() + 1 != sizeof piece;
    options = type == "tmpfs" && is_whole ? first_word(other.value_or("")) : "";
  }
  std::fclose(file);
  return options;
}

/// MiB that /dev/shm holds: as it is mounted. Without a size half of the machine's memory, and all
/// of it with a size of 0, which is no limit.
inline int read_shared_memory(std::string_view root) {
  const auto options = read_shm_options(root);
  const std::string_view line = options;
  if (line.empty()) return -1;
  const std::size_t size = line.find(",size=");
  const bool has_size = size != std::string_view::npos;
  const std::string_view digits = has_size ? line.substr(size + 6) : std::string_view("0");
  const std::size_t end = digits.find_first_not_of("0123456789");
  const char suffix = end == std::string_view::npos ? ' ' : digits[end];
  const unsigned shift = suffix == 'k' ? 10 : suffix == 'm' ? 20 : suffix == 'g' ? 30 : 0;
  const std::string_view number = digits.substr(0, end);
  if (number != "0") return scaled_number(number, std::uint64_t{1} << shift, 1U << 20U);
  const SmallFile memory(probe_path(root, "/proc/meminfo"));
  return scaled_number(first_word(memory.value_of("MemTotal")), has_size ? 1024 : 512, 1U << 20U);
}

/// MiB of the pool of huge pages of the usual size, used or not.
inline int read_huge_pages(std::string_view root) {
  const SmallFile memory(probe_path(root, "/proc/meminfo"));
  const int size = scaled_number(first_word(memory.value_of("Hugepagesize")), 1, 1);
  if (size < 0) return -1;
  return scaled_number(memory.value_of("HugePages_Total"), static_cast<std::uint64_t>(size), 1024);
}

/// The number in the target of a namespace's link, "pid:[4026531836]"; 0 if there is none.
inline std::uint32_t read_namespace([[maybe_unused]] const ProbePath& path) {
#if defined(__linux__)
  char target[64] = {};
  const auto size = path.cut() ? -1 : ::readlink(path.c_str(), target, sizeof target);
  if (size <= 0 || static_cast<std::size_t>(size) == sizeof target) return 0;
  const std::string_view text(target, static_cast<std::size_t>(size));
  const std::size_t begin = text.find('[') + 1;  // 0 without one
  if (begin == 0 || text.back() != ']') return 0;
  const Number number = parse_number(text.substr(begin, text.size() - 1 - begin));
  return number && number.value <= UINT32_MAX ? static_cast<std::uint32_t>(number.value) : 0;
#else
  return 0;
#endif
}

inline int count_cgroup_cpus(std::string_view root) {
  struct Place {
    std::string_view controller;  // empty: version 2
    std::string_view folder;
    std::string_view file;
  };
  constexpr Place places[] = {
      {"", "/sys/fs/cgroup", "/cpuset.cpus.effective"},
      {"", "/sys/fs/cgroup/unified", "/cpuset.cpus.effective"},
      {"cpuset", "/sys/fs/cgroup/cpuset", "/cpuset.effective_cpus"},
      {"cpuset", "/sys/fs/cgroup/cpuset", "/cpuset.cpus"},
  };
  const SmallFile cgroups(probe_path(root, "/proc/self/cgroup"));
  int count = 0;
  for (const Place& place : places) {
    // A cgroup without a cpuset is in that of the nearest one around it.
    for_each_cgroup(cgroups.text(), place.controller, [&](std::string_view path) {
      if (count != 0) return;
      count = read_cpu_list(probe_path(root, place.folder, path, place.file)).size();
    });
  }
  return count == 0 ? -1 : count;
}

}  // namespace detail

/// What the kernel shows of this process: host, boot id, machine id, PID and its namespace, the
/// CPUs where it may run, how many its cgroup or the machine has, and the NUMA nodes of its CPUs;
/// the releases of kernel and driver, the channels between NVIDIA's nodes and the modes of AMD's
/// devices; what it may lock and share, and its quota of CPU time.
///
/// Reads /proc, /etc/machine-id, /sys/fs/cgroup, /sys/module, /sys/class/drm, /sys/devices/system
/// and names of /dev below `options.root`, each file but the mounts up to 16 KiB. Call it first
/// thing in main(): some runtimes narrow the CPUs of the thread that loads them. `threads`, `time`
/// and what is of a NIC are left unknown. No error: what is missing or malformed is not known.
/// O(files). Source: proc(5), cgroups(7), cpuset(7).
inline ProcessFacts probe_process(const ProbeOptions& options = {}) {
  const std::string_view root = options.root;
  const auto line_of = [root](std::string_view path) {
    const detail::SmallFile file(detail::probe_path(root, path));
    return StaticString<255>(file.text().substr(0, file.text().find('\n')));
  };
  ProcessFacts facts;
  facts.host = line_of("/proc/sys/kernel/hostname");
  facts.boot_id = line_of("/proc/sys/kernel/random/boot_id").view();
  facts.machine_id = line_of("/etc/machine-id").view();
  facts.pid_namespace = detail::read_namespace(detail::probe_path(root, "/proc/self/ns/pid"));
  const detail::SmallFile status(detail::probe_path(root, "/proc/self/status"));
  facts.pid = detail::plain_number(status.value_of("Pid"));
  facts.cpus = probe_allowed_cpus(options).value_or(CpuSet());
  facts.available_cpus = detail::count_cgroup_cpus(root);
  if (facts.available_cpus < 0) {
    const CpuSet online =
        detail::read_cpu_list(detail::probe_path(root, "/sys/devices/system/cpu/online"));
    if (!online.empty()) facts.available_cpus = online.size();
  }
  detail::for_each_numa_node(root, [&](int node, const CpuSet& members) {
    if (node <= 63 && !(members & facts.cpus).empty()) {
      facts.numa_nodes |= std::uint64_t{1} << static_cast<unsigned>(node);
    }
  });
  facts.kernel = line_of("/proc/sys/kernel/osrelease").view();
  facts.driver = detail::read_driver(root);
  facts.imex_channels = detail::read_imex_channels(root);
  facts.partitions = detail::read_partitions(root);
  facts.locked_memory = detail::read_locked_memory(root);
  facts.shared_memory = detail::read_shared_memory(root);
  facts.huge_pages = detail::read_huge_pages(root);
  const CpuQuota quota = probe_cpu_quota(options);
  if (quota.thousandths && *quota.thousandths <= INT32_MAX) {
    facts.cpu_quota = static_cast<int>(*quota.thousandths);
    // Each container may call its own "/".
    const detail::ProbePath link = detail::probe_path(root, "/proc/self/ns/cgroup");
    facts.quota_group = quota.cgroup;
    facts.quota_group.append('@').append_number(detail::read_namespace(link));
  }
  return facts;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_PROBE_PROCESS_HPP
