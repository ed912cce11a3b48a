// SPDX-License-Identifier: MIT
// What a process knows of itself besides its topology. Nothing here is required, and what is not
// set is not known: no check ever takes it for a value.
#ifndef RANKMAP_JOB_FACTS_HPP
#define RANKMAP_JOB_FACTS_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/static_string.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// Why the network device of a process cannot be used.
enum class NicFault : std::uint8_t { none, down, no_gid };
/// The name of the enumerator.
constexpr std::string_view name(NicFault fault) {
  return detail::enumerator("none\0down\0no_gid", fault);
}

/// The machine, the process and its CPUs.
struct ProcessFacts {
  StaticString<255> host;           ///< by gethostname; empty: the host of the topology
  StaticString<63> boot_id;         ///< content of /proc/sys/kernel/random/boot_id
  StaticString<63> machine_id;      ///< content of /etc/machine-id
  std::uint32_t pid_namespace = 0;  ///< number in the link /proc/self/ns/pid; 0: not known
  int pid = -1;                     ///< in that namespace; -1: not known
  CpuSet cpus;                      ///< where this process may run; empty: not known
  int available_cpus = -1;          ///< CPUs that all processes of the machine or container may use
  int threads = -1;                 ///< how many threads it will run: OMP_NUM_THREADS
  std::uint64_t numa_nodes = 0;     ///< bit n: some of `cpus` are on node n; 0: not known
  CpuSet sibling_cpus;       ///< the other CPUs of the cores of `cpus`: hyperthreads, not its own
  int cores = -1;            ///< how many cores `cpus` lie on; -1: not known
  StaticString<255> domain;  ///< what holds several nodes and this one: a rack, a block, a switch
  StaticString<63> nic;      ///< the network device that the process will use: "mlx5_0"
  int nic_numa_node = -1;    ///< of that; -1: not known
  int nic_rate = -1;         ///< of that, in Mb/s; -1: not known
  NicFault nic_fault = NicFault::none;  ///< of that; none: or not known
  StaticString<63> kernel;              ///< release of the kernel, "6.8.0-45-generic"
  StaticString<63> driver;              ///< version of the devices' driver, "565.57.01"
  StaticString<255> imex_channels;  ///< NVIDIA's, that it sees: "0-2047", "none"; empty: not known
  StaticString<63> partitions;      ///< modes of AMD's devices: "SPX/NPS1"; empty: not known
  StaticString<63> library;         ///< the MPI library of the program: "libmpi.so.40.30.4"
  StaticString<63> collectives;     ///< of NCCL, RCCL: "libnccl.so.2.21.5"; empty: not known
  std::int64_t time = -1;           ///< by the machine's clock, in ms since 1970; -1: not known
  int locked_memory = -1;           ///< KiB that it may lock; the highest int: any; -1: not known
  int shared_memory = -1;           ///< MiB that /dev/shm holds; -1: not known
  int huge_pages = -1;  ///< MiB of the machine's memory that are huge pages; -1: not known
  int cpu_quota = -1;   ///< thousandths of a CPU, for all of `quota_group`; -1: none is known
  StaticString<255> quota_group;  ///< whose quota that is: the name of a cgroup
};

/// The device that the process will use. Its views must be valid while a call takes the facts.
struct DeviceFacts {
  const Device* device = nullptr;  ///< what select_device answered; null: nothing is said
  int visible_count = -1;          ///< devices that the runtime shows; -1: not known
  int physical = -1;               ///< VisibleDevices::physical(); -1: not known
  int sub_device = -1;             ///< tile or partition of it; -1: the whole device, or not known
  std::string_view uuid = {};      ///< "GPU-...", "MIG-...", unique in the world; all zeros: none
  std::string_view pci = {};       ///< as the runtime prints it; any other text is not known
  int numa_node = -1;              ///< of the device; -1: not known
  bool is_shared = false;  ///< other processes use it on purpose: MPS, time slicing. The policies
                           ///< wrap and block say so themselves
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_FACTS_HPP
