// SPDX-License-Identifier: MIT
// A record as bytes, little-endian on every machine, so that a collective of plain bytes can carry
// it; and back, from any bytes at all.
#ifndef RANKMAP_JOB_RECORD_BYTES_HPP
#define RANKMAP_JOB_RECORD_BYTES_HPP

#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rankmap::inline v0 {

namespace detail {

/// Visits the fields of a record in the order of its bytes. Writer and reader share it.
template <class Record, class Visit>
constexpr void for_each_field(Record& r, Visit& visit) {
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

/// Writes fields one after the other. Precondition: there is room for all of them.
class FieldWriter : public ByteWriter {
 public:
  using ByteWriter::ByteWriter;

  constexpr void operator()(std::uint64_t value) { number(value, 8); }
  constexpr void operator()(std::uint32_t value) { number(value, 4); }
  constexpr void operator()(int value) { integer(value); }
  constexpr void operator()(std::uint8_t value) { number(value, 1); }
  constexpr void operator()(bool value) { number(value ? 1 : 0, 1); }
  constexpr void operator()(std::int64_t value) { number(static_cast<std::uint64_t>(value), 8); }
  constexpr void operator()(OriginKind kind) { number(static_cast<std::uint8_t>(kind), 1); }
  constexpr void operator()(Doubt doubt) { number(static_cast<std::uint8_t>(doubt), 1); }
  constexpr void operator()(NicFault fault) { number(static_cast<std::uint8_t>(fault), 1); }
  /// By its name: a number could mean another kind to another version.
  constexpr void operator()(DeviceKind kind) { (*this)(StaticString<15>(name(kind))); }
  /// By its name, too. Versions that do not know the field wrote zeros there: no launcher.
  constexpr void operator()(Launcher launcher) {
    (*this)(launcher == Launcher::none ? StaticString<15>() : StaticString<15>(name(launcher)));
  }
  template <std::size_t Capacity>
  constexpr void operator()(const StaticString<Capacity>& value) {
    number(value.size(), 1);
    text(value);
    zeros(Capacity - value.size());
  }
};

/// Reads them back. Precondition: as above.
class FieldReader : public ByteReader {
 public:
  using ByteReader::ByteReader;

  constexpr void operator()(std::uint64_t& value) { value = number(8); }
  constexpr void operator()(std::uint32_t& value) { value = static_cast<std::uint32_t>(number(4)); }
  constexpr void operator()(int& value) { value = integer(); }
  constexpr void operator()(std::uint8_t& value) { value = static_cast<std::uint8_t>(number(1)); }
  constexpr void operator()(bool& value) { value = number_below(2) == 1; }
  constexpr void operator()(std::int64_t& value) { value = static_cast<std::int64_t>(number(8)); }
  constexpr void operator()(OriginKind& kind) { kind = static_cast<OriginKind>(number_below(4)); }
  constexpr void operator()(Doubt& doubt) { doubt = static_cast<Doubt>(number_below(6)); }
  constexpr void operator()(NicFault& fault) { fault = static_cast<NicFault>(number_below(3)); }
  constexpr void operator()(DeviceKind& kind) {
    StaticString<15> value;
    (*this)(value);
    const auto found = device_kind(value);
    good_ = good_ && found.has_value();
    kind = found.value_or(DeviceKind::cpu);
  }
  constexpr void operator()(Launcher& launcher) {
    StaticString<15> value;
    (*this)(value);
    launcher = parse_launcher(value).value_or(Launcher::none);
    good_ = good_ && (value.empty() || (value == name(launcher) && launcher != Launcher::none));
  }
  template <std::size_t Capacity>
  constexpr void operator()(StaticString<Capacity>& value) {
    const std::size_t size = to_size(number_below(Capacity + 1));
    text(value, size);
    good_ = zeros(Capacity - size) && good_;
  }
  /// Whether all that was read, and what is left, is what a writer writes.
  constexpr bool good() { return ends() && good_; }

 private:
  constexpr std::uint64_t number_below(std::uint64_t limit) {
    const std::uint64_t value = number(1);
    good_ = good_ && value < limit;
    return value < limit ? value : 0;
  }

  bool good_ = true;
};

/// "RMJ" and the schema.
inline constexpr std::uint32_t record_magic = 0x004a4d52U | std::uint32_t{JobRecord::schema} << 24U;

}  // namespace detail

/// Writes a record to `out`, JobRecord::bytes bytes: all that read_record() needs. Precondition:
/// is_valid(record), and out has that size. O(1).
constexpr void write_record(const JobRecord& record, std::span<std::byte> out) {
  detail::FieldWriter writer(out);
  writer(detail::record_magic);
  detail::for_each_field(record, writer);
  writer.fill();
}

/// The record that these bytes are. Nothing unless write_record() of this schema could have written
/// them: any other bytes, a wrong size, and a record that is not valid. O(1).
constexpr std::optional<JobRecord> read_record(std::span<const std::byte> in) {
  if (in.size() != JobRecord::bytes) return std::nullopt;
  detail::FieldReader reader(in);
  std::uint32_t magic = 0;
  reader(magic);
  if (magic != detail::record_magic) return std::nullopt;
  JobRecord record;
  detail::for_each_field(record, reader);
  if (!reader.good() || !is_valid(record)) return std::nullopt;
  return record;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_RECORD_BYTES_HPP
