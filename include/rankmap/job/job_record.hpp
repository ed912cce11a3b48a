// SPDX-License-Identifier: MIT
// What one process of a job says of itself. The records of all processes, put side by side, show
// what is wrong with a launch: job_table.hpp compares them. One file, since a member is declared,
// filled and checked here, and none may be forgotten.
#ifndef RANKMAP_JOB_JOB_RECORD_HPP
#define RANKMAP_JOB_JOB_RECORD_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/pci_address.hpp>
#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/identity/diagnostics.hpp>
#include <rankmap/identity/field.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// The device of a record. A number of -1 and an empty text are not known.
struct RecordedDevice {
  bool is_known = false;   ///< false: nothing is said, and all other members are as here
  bool is_shared = false;  ///< other processes use it on purpose
  DeviceKind kind = DeviceKind::cpu;
  int index = -1;          ///< among the visible devices
  int count = -1;          ///< how many the process drives from there on
  int visible_count = -1;  ///< devices that the runtime shows
  int physical = -1;       ///< number before any variable hides devices
  int sub_device = -1;     ///< tile or partition; -1 is also the whole device
  int numa_node = -1;
  StaticString<47> uuid;
  StaticString<15> pci;  ///< "0000:06:00.0"

  friend constexpr bool operator==(const RecordedDevice&, const RecordedDevice&) = default;
};

/// What one process says of itself; describe() makes one. Trivially copyable and versioned. A
/// number of -1, a hash of 0 and an empty text are not known.
struct JobRecord {
  /// The size of a record in a collective, and the most that a line of JSON with its newline takes:
  /// srun sends up to 1023 bytes whole.
  static constexpr std::size_t bytes = 768;
  /// Rises when a field changes its meaning or is removed.
  static constexpr int schema = 1;

  int rank = 0;
  int world_size = 1;
  int local_rank = -1;  ///< also -1: "not distributed"
  int local_world_size = -1;
  int node_rank = -1;
  int node_count = -1;
  int restart_count = -1;

  StaticString<15> launcher;                ///< its name
  OriginKind origin = OriginKind::unknown;  ///< of the rank
  StaticString<31> source;                  ///< of the rank: a variable, a rule or a Config member
  std::uint8_t warnings = 0;                ///< how many the topology has
  std::uint8_t conflicts = 0;               ///< records of other launchers that contradict it
  Launcher against = Launcher::none;  ///< of the first of these, else of `doubted`; none: not known
  StaticString<26> against_by;        ///< the variable that shows that one
  Doubt doubt = Doubt::none;          ///< what the gravest warning says
  StaticString<31> doubted;           ///< the variable that it is about
  StaticString<23> job;               ///< the job's id, and the step's after a dot

  StaticString<63> host;
  std::uint64_t boot = 0;        ///< hash of the boot id: one machine since it was started
  std::uint32_t machine_id = 0;  ///< hash of the machine id, which images copy
  std::uint32_t pid_namespace = 0;
  int pid = -1;

  RecordedDevice device;

  StaticString<detail::longest_cpu_list> cpus;  ///< "0-3,8"; empty also if the list is longer
  int cpu_count = -1;                           ///< how many they are
  std::uint32_t cpu_digest = 0;                 ///< if the list is longer: equal for equal sets
  int available_cpus = -1;                      ///< on the machine, or in the container
  int threads = -1;
  std::uint64_t numa_nodes = 0;                         ///< of the CPUs, bit n for node n
  int cores = -1;                                       ///< that the CPUs lie on
  StaticString<detail::longest_cpu_list> sibling_cpus;  ///< the other CPUs of these cores

  StaticString<31> domain;  ///< that holds its node and others: a rack, a block, a switch
  StaticString<23> nic;     ///< the network device that it will use
  int nic_numa_node = -1;
  int nic_rate = -1;  ///< Mb/s
  NicFault nic_fault = NicFault::none;

  // Of the machine and its software: as in ProcessFacts.
  StaticString<31> kernel;
  StaticString<23> driver;
  StaticString<23> library;
  StaticString<23> collectives;
  StaticString<7> imex_channels;  ///< "0-2047"; a longer list as '~' with a hash
  StaticString<19> partitions;
  std::int64_t time = -1;
  int locked_memory = -1;
  int shared_memory = -1;
  int huge_pages = -1;
  int cpu_quota = -1;
  std::uint32_t quota_group = 0;  ///< equal for equal names of cgroups

  std::uint32_t layout = 0;      ///< equal for equal layouts of at most 2^22 ranks
  std::uint32_t hosts = 0;       ///< equal for equal lists of hosts
  std::uint32_t rendezvous = 0;  ///< where the processes meet: see detail/short_forms.hpp

  friend constexpr bool operator==(const JobRecord&, const JobRecord&) = default;
};

static_assert(std::is_trivially_copyable_v<JobRecord> && sizeof(JobRecord) <= JobRecord::bytes);

namespace detail {

/// A member of a record or of its device.
constexpr auto& member_of(auto& record, auto member) {
  if constexpr (requires { record.*member; }) {
    return record.*member;
  } else {
    return record.device.*member;
  }
}

/// Visits the fields of a record in the order of its bytes.
constexpr void for_each_field(auto& r, auto&& visit) {
  const auto all = [&visit](auto&... fields) { (visit(fields), ...); };
  all(r.rank, r.world_size, r.local_rank, r.local_world_size, r.node_rank, r.node_count,
      r.restart_count, r.launcher, r.origin, r.source, r.warnings, r.conflicts, r.job, r.host,
      r.boot, r.machine_id, r.pid_namespace, r.pid, r.device.is_known, r.device.is_shared,
      r.device.kind, r.device.index, r.device.count, r.device.visible_count, r.device.physical,
      r.device.sub_device, r.device.numa_node, r.device.uuid, r.device.pci, r.cpus, r.cpu_count,
      r.cpu_digest, r.available_cpus, r.threads, r.numa_nodes, r.layout, r.hosts, r.cores,
      r.sibling_cpus, r.domain, r.nic, r.nic_numa_node, r.against, r.rendezvous, r.doubt, r.doubted,
      r.nic_rate, r.nic_fault, r.kernel, r.driver, r.library, r.time, r.locked_memory,
      r.shared_memory, r.huge_pages, r.cpu_quota, r.quota_group, r.against_by, r.imex_channels,
      r.partitions, r.collectives);
}

/// Whether a field may have this value: a number from -1 on, a text that is safe to print.
template <class Number>
constexpr bool is_of_record(Number number) {
  if constexpr (std::is_signed_v<Number>) return number >= -1;
  return true;
}
template <std::size_t Capacity>
constexpr bool is_of_record(const StaticString<Capacity>& text) {
  return is_recordable(text, Capacity);
}

constexpr bool is_index_of(int index, int count) {
  return index >= -1 && (count == -1 || (count >= 1 && index < count));
}

constexpr bool has_valid_cpus(const JobRecord& record) {
  if (record.cpu_count == -1) return record.cpus.empty() && record.cpu_digest == 0;
  if (record.cpu_count < 1 || record.cpu_count > CpuSet::capacity) return false;
  if (record.cpus.empty()) return record.cpu_digest != 0;
  return record.cpu_digest == 0 && count_cpus(record.cpus) == record.cpu_count;
}
constexpr bool has_valid_cores(const JobRecord& record) {
  if (!record.sibling_cpus.empty() && count_cpus(record.sibling_cpus) == 0) return false;
  if (record.cpu_count == -1) return record.cores == -1 && record.sibling_cpus.empty();
  return record.cores == -1 || (record.cores >= 1 && record.cores <= record.cpu_count);
}

/// "GPU-9e8d...", in lower case after the prefix; empty for one of zeros.
constexpr StaticString<47> device_uuid(std::string_view text) {
  StaticString<47> out = recorded<47>(text);
  const std::size_t prefix = out.view().find('-') + 1;  // 0 without one
  StaticString<47> lower(out.view().substr(0, prefix));
  for (const char c : out.view().substr(prefix)) lower.append(to_lower(c));
  if (lower.view().find_first_not_of("0-", prefix) == std::string_view::npos) return {};
  return lower;
}

/// A hash of an identity that may have a line end after it; 0 for none.
constexpr std::uint64_t identity_hash(std::string_view text) {
  const std::string_view identity = trimmed(text);
  return identity.empty() ? 0 : machine_identity(identity);
}

/// 255 is 255 and more.
constexpr std::uint8_t one_more(std::uint8_t count) {
  return count == 255 ? count : static_cast<std::uint8_t>(count + 1);
}

constexpr int known_number(int number) { return number < -1 ? -1 : number; }

/// Other processes may not know a launcher that was declared in this one.
constexpr bool is_of_library(Launcher launcher) { return launcher < declared_launcher(0); }

// The nodes of more ranks are not hashed: one number in a variable would take minutes.
inline constexpr int most_hashed_ranks = 1 << 22;

constexpr void describe_topology(JobRecord& record, const Topology& topology) {
  record.rank = topology.rank();
  record.world_size = topology.world_size();
  record.local_rank = topology.local_rank();
  record.local_world_size = topology.local_world_size().value_or(-1);
  record.node_rank = topology.node_rank().value_or(-1);
  record.node_count = topology.node_count().value_or(-1);
  if (topology.origin(TopologyField::restart_count).kind != OriginKind::unknown) {
    record.restart_count = topology.restart_count();
  }
  record.launcher = topology.launcher_name();
  record.origin = topology.origin(TopologyField::rank).kind;
  record.source = recorded<31>(topology.origin(TopologyField::rank).source);
  for (const Warning& warning : topology.warnings()) {
    record.warnings = one_more(record.warnings);
    if (warning.doubt <= record.doubt) continue;
    record.doubt = warning.doubt;
    record.doubted = recorded<31>(warning.variable);
    if (warning.doubt != Doubt::index) continue;
    // The rank, its variable and launcher are told already: here is the other number.
    StaticString<111> whole(warning.variable);
    whole.append('=').append(warning.text);
    if (is_recordable(whole, 31)) record.doubted = recorded<31>(whole);
    if (is_of_library(warning.launcher)) record.against = warning.launcher;
  }
  for (const OtherRecord& other : topology.other_records()) {
    if (other.relation != Relation::conflict) continue;
    if (record.conflicts == 0) {
      record.against = is_of_library(other.launcher) ? other.launcher : Launcher::none;
      record.against_by = recorded<26>(other.variable);
    }
    record.conflicts = one_more(record.conflicts);
  }
  StaticString<511> job(topology.job_id());
  if (!topology.step_id().empty()) job.append('.').append(topology.step_id());
  record.job = recorded<23>(job);
  record.host = recorded<63>(topology.host());
  const OptionalLayout& layout = topology.layout();
  if (layout && layout->world_size() <= most_hashed_ranks) {
    record.layout = short_digest(layout_digest(*layout));
  }
  if (!topology.hosts().empty()) {
    std::uint64_t digest = fnv_start;
    for (const HostName& host : topology.hosts()) {
      digest = fnv_step(fnv_text(digest, host), ',');
    }
    record.hosts = short_digest(digest);
  }
  if (topology.rendezvous()) {
    record.rendezvous = meeting_point(topology.rendezvous()->address, topology.rendezvous()->port);
  }
}

constexpr void describe_process(JobRecord& record, const ProcessFacts& facts) {
  if (!facts.host.empty()) record.host = recorded<63>(facts.host);
  record.boot = identity_hash(facts.boot_id);
  if (const std::uint64_t machine = identity_hash(facts.machine_id)) {
    record.machine_id = short_digest(machine);
  }
  record.pid_namespace = facts.pid_namespace;
  record.pid = known_number(facts.pid);
  if (!facts.cpus.empty()) {
    record.cpus = fold_cpus(facts.cpus);
    record.cpu_count = facts.cpus.size();
    if (record.cpus.empty()) record.cpu_digest = digest_of(facts.cpus);
    record.sibling_cpus = fold_cpus(facts.sibling_cpus);
    if (facts.cores >= 1 && facts.cores <= record.cpu_count) record.cores = facts.cores;
  }
  record.available_cpus = facts.available_cpus < 1 ? -1 : facts.available_cpus;
  record.threads = facts.threads < 1 ? -1 : facts.threads;
  record.numa_nodes = facts.numa_nodes;
  record.domain = recorded<31>(facts.domain);
  record.nic = recorded<23>(facts.nic);
  if (!record.nic.empty()) {
    record.nic_numa_node = known_number(facts.nic_numa_node);
    record.nic_rate = known_number(facts.nic_rate);
    record.nic_fault = facts.nic_fault;
  }
  record.kernel = recorded<31>(facts.kernel);
  record.driver = recorded<23>(facts.driver);
  record.library = recorded<23>(facts.library);
  record.collectives = recorded<23>(facts.collectives);
  record.imex_channels = facts.imex_channels.view();
  if (!is_recordable(facts.imex_channels, 7)) {
    record.imex_channels = "~";
    append_hexadecimal(record.imex_channels, machine_identity(facts.imex_channels) & 0xff'ffffU, 6);
  }
  record.partitions = recorded<19>(facts.partitions);
  record.time = facts.time < 0 ? -1 : facts.time;
  record.locked_memory = known_number(facts.locked_memory);
  record.shared_memory = known_number(facts.shared_memory);
  record.huge_pages = known_number(facts.huge_pages);
  record.cpu_quota = known_number(facts.cpu_quota);
  if (record.cpu_quota >= 0 && !facts.quota_group.empty()) {
    record.quota_group = short_digest(machine_identity(facts.quota_group));
  }
}

constexpr void describe_device(RecordedDevice& device, const DeviceFacts& facts) {
  if (facts.device == nullptr) return;
  device.is_known = true;
  device.kind = facts.device->kind;
  if (device.kind == DeviceKind::cpu) return;
  device.is_shared =
      facts.is_shared || facts.device->policy == "wrap" || facts.device->policy == "block";
  device.index = known_number(facts.device->index.value);
  device.count = known_number(facts.device->count);
  device.visible_count = known_number(facts.visible_count);
  device.physical = known_number(facts.physical);
  device.sub_device = known_number(facts.sub_device);
  device.numa_node = known_number(facts.numa_node);
  device.uuid = device_uuid(facts.uuid);
  device.pci = pci_address(facts.pci);
}

}  // namespace detail

/// Whether a record keeps to what its members say of themselves: a rank below the world size,
/// ranges, texts that are safe to print. Every record of describe() does. O(1).
constexpr bool is_valid(const JobRecord& record) {
  bool are_good = true;
  detail::for_each_field(record, [&are_good](const auto& field) {
    are_good = are_good && detail::is_of_record(field);
  });
  return are_good && record.rank >= 0 && record.rank < record.world_size &&
         detail::is_index_of(record.local_rank, record.local_world_size) &&
         detail::is_index_of(record.node_rank, record.node_count) &&
         record.local_rank < record.world_size && record.local_world_size <= record.world_size &&
         (record.doubt != Doubt::none || record.doubted.empty()) &&
         (!record.nic.empty() || (record.nic_numa_node == -1 && record.nic_rate == -1 &&
                                  record.nic_fault == NicFault::none)) &&
         (record.device.is_known || record.device == RecordedDevice()) &&
         detail::pci_address(record.device.pci) == record.device.pci &&
         detail::has_valid_cpus(record) && detail::has_valid_cores(record);
}

/// The record of the process that `topology` identifies.
///
/// `process`, `device`: what else is known; nothing is required, and nothing is looked up.
/// Texts that are too long or not safe to print are kept as their beginning with a hash, so that
/// they still differ. No error, no allocation; O(world_size) with a layout of at most 2^22 ranks,
/// else O(1); constexpr. Of a larger layout there is no hash.
constexpr JobRecord describe(const Topology& topology, const ProcessFacts& process = {},
                             const DeviceFacts& device = {}) {
  JobRecord record;
  detail::describe_topology(record, topology);
  detail::describe_process(record, process);
  detail::describe_device(record.device, device);
  return record;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_JOB_RECORD_HPP
