// SPDX-License-Identifier: MIT
// The keys of a record's line: for each its name, when and how it is written, and how it is read.
// One table, so that each key that is written is read. One file, to have the two functions of a key
// and its row beside each other.
#ifndef RANKMAP_JOB_DETAIL_RECORD_KEYS_HPP
#define RANKMAP_JOB_DETAIL_RECORD_KEYS_HPP

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/json_writer.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0::detail {

/// Takes the text of one key with its value.
struct RecordPiece {
  StaticString<159> text;
  constexpr void operator()(std::string_view piece) { text.append(piece); }
};
using PieceWriter = JsonWriter<RecordPiece>;

// ---- values ------------------------------------------------------------------------------------
// read_part() returns false for a value that no record has.

/// From 0 on. If the value does not fit, `number` stays what it is.
template <class Integer>
constexpr bool read_whole_number(const Json& json, Integer& number) {
  const Number digits = json.is(JsonKind::number) ? json.integer() : Number{};
  if (!digits || !std::in_range<Integer>(digits.value)) return false;
  number = static_cast<Integer>(digits.value);
  return true;
}

/// null for -1. Counts of other types are never below 0.
constexpr void write_part(PieceWriter& json, int number) {
  (void)(number < 0 ? json.null() : json.number(number));
}
constexpr bool read_part(const Json& json, int& number) {
  number = -1;
  return json.is(JsonKind::null) || read_whole_number(json, number);
}

constexpr bool read_part(const Json& json, std::uint8_t& count) {
  return read_whole_number(json, count);
}

constexpr void write_part(PieceWriter& json, bool flag) { json.boolean(flag); }
constexpr bool read_part(const Json& json, bool& flag) {
  flag = json.raw() == "true";
  return json.is(JsonKind::boolean);
}

/// Milliseconds; -1 is never written.
constexpr void write_part(PieceWriter& json, std::int64_t time) { json.number(time); }
constexpr bool read_part(const Json& json, std::int64_t& time) {
  return read_whole_number(json, time);
}

/// A hash, with all of its hexadecimal digits.
template <class T>
concept Hash = std::is_unsigned_v<T> && sizeof(T) >= 4;
constexpr void write_part(PieceWriter& json, Hash auto hash) {
  StaticString<16> digits;
  json.string(append_hexadecimal(digits, hash, 2 * sizeof hash));
}
template <Hash T>
constexpr bool read_part(const Json& json, T& hash) {
  const auto text = json.string<2 * sizeof hash>();
  if (!text || text->size() != 2 * sizeof hash) return false;
  std::uint64_t number = 0;
  for (const char c : text->view()) {
    const unsigned digit = hex_value(c);
    if (digit == 16) return false;
    number = number << 4U | digit;
  }
  hash = static_cast<T>(number);
  return true;
}

template <std::size_t Capacity>
constexpr void write_part(PieceWriter& json, const StaticString<Capacity>& text) {
  json.string(text);
}
template <std::size_t Capacity>
constexpr bool read_part(const Json& json, StaticString<Capacity>& text) {
  const auto found = json.string<Capacity>();
  if (found) text = *found;
  return found.has_value();
}

/// Enumerators by their names.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr void write_part(PieceWriter& json, Enum value) { json.string(name(value)); }
template <class Enum>
requires std::is_enum_v<Enum>
constexpr bool read_part(const Json& json, Enum& value) {
  for (int number = 0; name(static_cast<Enum>(number)) != "?"; ++number) {
    if (!json.equals(name(static_cast<Enum>(number)))) continue;
    value = static_cast<Enum>(number);
    return true;
  }
  return false;
}
/// A name that is not known here is of a newer version.
constexpr bool read_part(const Json& json, Doubt& doubt) {
  if (!read_part<Doubt>(json, doubt)) doubt = Doubt::value;
  return json.is(JsonKind::string);
}
constexpr bool read_part(const Json& json, DeviceKind& kind) {
  const auto text = json.string<15>();
  const auto found = device_kind(text ? text->view() : "");
  kind = found.value_or(DeviceKind::cpu);
  return found.has_value();
}
/// A name that is not known here is of a newer version.
constexpr bool read_part(const Json& json, Launcher& launcher) {
  const auto text = json.string<15>();
  if (text) launcher = parse_launcher(*text).value_or(Launcher::none);
  return text.has_value();
}

// ---- codecs: what a key's value is made of -----------------------------------------------------

inline constexpr JobRecord nothing_told;

/// Reads an array of just these parts.
constexpr bool read_parts(const Json& json, auto&... parts) {
  JsonItems items = json.elements();
  return ((items.next() && read_part(items.value(), parts)) && ...) && !items.next();
}

/// One member, or an array of several. Known is what differs from a record that tells nothing.
template <auto... Members>
struct MemberCodec {
  static constexpr bool is_known(const JobRecord& r) {
    return ((member_of(r, Members) != member_of(nothing_told, Members)) || ...);
  }
  static constexpr void write(PieceWriter& json, const JobRecord& r) {
    constexpr bool is_array = sizeof...(Members) != 1;
    if (is_array) json.begin("[");
    (write_part(json, member_of(r, Members)), ...);
    if (is_array) json.end("]");
  }
  static constexpr bool read(const Json& json, JobRecord& r) {
    if constexpr (sizeof...(Members) != 1) {
      return read_parts(json, member_of(r, Members)...);
    } else {
      return (read_part(json, member_of(r, Members)) && ...);
    }
  }
};

struct RankCodec : MemberCodec<&JobRecord::rank, &JobRecord::world_size> {
  static constexpr bool is_known(const JobRecord&) { return true; }
};

/// Of a CPU only the kind.
struct DeviceCodec {
  using All = MemberCodec<&RecordedDevice::kind, &RecordedDevice::index, &RecordedDevice::count,
                          &RecordedDevice::visible_count, &RecordedDevice::physical,
                          &RecordedDevice::sub_device, &RecordedDevice::numa_node>;
  static constexpr bool is_known(const JobRecord& r) { return r.device.is_known; }
  static constexpr void write(PieceWriter& json, const JobRecord& r) {
    if (r.device.kind != DeviceKind::cpu) return All::write(json, r);
    json.begin("[").string(name(DeviceKind::cpu)).end("]");
  }
  static constexpr bool read(const Json& json, JobRecord& r) {
    r.device.is_known = true;
    const bool is_cpu = read_parts(json, r.device.kind);
    return (is_cpu || All::read(json, r)) && is_cpu == (r.device.kind == DeviceKind::cpu);
  }
};

/// A list of CPUs. If it is too long, their number and a hash.
struct CpuCodec {
  using Digest = MemberCodec<&JobRecord::cpu_count, &JobRecord::cpu_digest>;
  static constexpr bool is_known(const JobRecord& r) { return r.cpu_count > 0; }
  static constexpr void write(PieceWriter& json, const JobRecord& r) {
    if (r.cpus.empty()) return Digest::write(json, r);
    json.string(r.cpus);
  }
  static constexpr bool read(const Json& json, JobRecord& r) {
    if (!json.is(JsonKind::string)) return Digest::read(json, r);
    if (!read_part(json, r.cpus)) return false;
    r.cpu_count = count_cpus(r.cpus);
    return r.cpu_count != 0;
  }
};

struct NumaCodec : MemberCodec<&JobRecord::numa_nodes> {
  static constexpr void write(PieceWriter& json, const JobRecord& r) {
    json.string(fold_nodes(r.numa_nodes));
  }
  static constexpr bool read(const Json& json, JobRecord& r) {
    const auto list = json.string<longest_node_list>();
    const CpuSet nodes = list ? unfolded(*list) : CpuSet();
    for (int node = nodes.next(0); node >= 0 && node < 64; node = nodes.next(node + 1)) {
      r.numa_nodes |= std::uint64_t{1} << node;
    }
    return r.numa_nodes != 0 && fold_nodes(r.numa_nodes) == *list;
  }
};

/// The one number of 32 bits that is no hash.
struct NamespaceCodec : MemberCodec<&JobRecord::pid_namespace> {
  static constexpr void write(PieceWriter& json, const JobRecord& r) {
    json.number(r.pid_namespace);
  }
  static constexpr bool read(const Json& json, JobRecord& r) {
    return read_whole_number(json, r.pid_namespace);
  }
};

// ---- the keys ----------------------------------------------------------------------------------

struct RecordKey {
  std::string_view name;
  bool (*is_known)(const JobRecord&);
  void (*write)(PieceWriter&, const JobRecord&);
  bool (*read)(const Json&, JobRecord&);
};
template <class Codec>
constexpr RecordKey key(std::string_view name) {
  return {name, Codec::is_known, Codec::write, Codec::read};
}
template <auto... Members>
constexpr RecordKey key(std::string_view name) {
  return key<MemberCodec<Members...>>(name);
}

/// In the order in which they are written. All up to "shared" fit into every line.
inline constexpr RecordKey record_keys[] = {
    key<RankCodec>("rank"),
    key<&JobRecord::local_rank, &JobRecord::local_world_size>("local"),
    key<&JobRecord::node_rank, &JobRecord::node_count>("node"),
    key<&JobRecord::launcher>("launcher"),
    key<&JobRecord::job>("job"),
    key<&JobRecord::restart_count>("restart"),
    key<&JobRecord::host>("host"),
    key<&JobRecord::boot>("boot"),
    key<&JobRecord::pid>("pid"),
    key<NamespaceCodec>("pid_ns"),
    key<DeviceCodec>("device"),
    key<&RecordedDevice::is_shared>("shared"),
    key<&RecordedDevice::uuid>("uuid"),
    key<&RecordedDevice::pci>("pci"),
    key<&JobRecord::warnings>("warnings"),
    key<&JobRecord::conflicts>("conflicts"),
    key<&JobRecord::against>("against"),
    key<&JobRecord::against_by>("against_by"),
    key<&JobRecord::doubt, &JobRecord::doubted>("doubt"),
    key<CpuCodec>("cpus"),
    key<&JobRecord::available_cpus>("available"),
    key<&JobRecord::threads>("threads"),
    key<NumaCodec>("numa"),
    key<&JobRecord::layout>("layout"),
    key<&JobRecord::hosts>("hosts"),
    key<&JobRecord::rendezvous>("rendezvous"),
    key<&JobRecord::cores, &JobRecord::sibling_cpus>("cores"),
    key<&JobRecord::domain>("domain"),
    key<&JobRecord::nic, &JobRecord::nic_numa_node>("nic"),
    key<&JobRecord::nic_rate, &JobRecord::nic_fault>("nic_port"),
    key<&JobRecord::origin>("origin"),
    key<&JobRecord::source>("source"),
    key<&JobRecord::machine_id>("machine"),
    key<&JobRecord::library>("library"),
    key<&JobRecord::collectives>("collectives"),
    key<&JobRecord::driver>("driver"),
    key<&JobRecord::imex_channels>("imex"),
    key<&JobRecord::partitions>("partitions"),
    key<&JobRecord::kernel>("kernel"),
    key<&JobRecord::cpu_quota, &JobRecord::quota_group>("quota"),
    key<&JobRecord::locked_memory, &JobRecord::shared_memory, &JobRecord::huge_pages>("memory"),
    key<&JobRecord::time>("time"),
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_KEYS_HPP
