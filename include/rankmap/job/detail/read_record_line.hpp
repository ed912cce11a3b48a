// SPDX-License-Identifier: MIT
// Reads the record at the front of a text, whoever wrote the text.
#ifndef RANKMAP_JOB_DETAIL_READ_RECORD_LINE_HPP
#define RANKMAP_JOB_DETAIL_READ_RECORD_LINE_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/hexadecimal.hpp>
#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/job/detail/record_cpus.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr bool read_count(const Json& json, int& number) {
  if (json.is(JsonKind::null)) {
    number = -1;
    return true;
  }
  const Number digits = json.is(JsonKind::number) ? json.integer() : Number{};
  if (!digits || digits.value > std::uint64_t{INT32_MAX}) return false;
  number = static_cast<int>(digits.value);
  return true;
}

/// Reads the elements of an array from the `first` on; there must be as many as numbers.
constexpr bool read_counts(const Json& json, std::initializer_list<int*> numbers,
                           std::size_t first = 0) {
  std::size_t at = 0;
  const bool good = json.is(JsonKind::array) && json.for_each([&](const Json& element) {
    if (at++ < first) return true;
    return at - first <= numbers.size() &&
           read_count(element, **(numbers.begin() + (at - 1 - first)));
  });
  return good && at == first + numbers.size();
}

template <unsigned Digits, class Integer>
constexpr bool read_hex(const Json& json, Integer& value) {
  const auto text = json.string<Digits>();
  if (!text || text->size() != Digits) return false;
  std::uint64_t number = 0;
  for (const char c : text->view()) {
    const unsigned digit = hex_value(c);
    if (digit == 16) return false;
    number = number << 4U | digit;
  }
  value = static_cast<Integer>(number);
  return true;
}

template <std::size_t Capacity>
constexpr bool read_text(const Json& json, StaticString<Capacity>& text) {
  const auto found = json.string<Capacity>();
  if (found) text = *found;
  return found.has_value();
}

/// The first and second element of an array of two.
struct JsonPair {
  Json first;
  Json second;
  bool good = false;
};
constexpr JsonPair read_pair(const Json& json) {
  JsonPair out;
  std::size_t size = 0;
  (void)json.for_each([&](const Json& element) {
    (size == 0 ? out.first : out.second) = element;
    return ++size < 3;
  });
  out.good = size == 2;
  return out;
}

constexpr bool read_device(const Json& json, RecordedDevice& device) {
  StaticString<15> kind;
  const bool named = json.is(JsonKind::array) && !json.for_each([&](const Json& element) {
    kind = element.string<15>() ? *element.string<15>() : StaticString<15>();
    return false;
  });
  const auto found = device_kind(kind);
  if (!named || !found) return false;
  device.is_told = true;
  device.kind = *found;
  if (device.kind == DeviceKind::cpu) return read_counts(json, {}, 1);
  return read_counts(json,
                     {&device.index, &device.count, &device.visible_count, &device.physical,
                      &device.sub_device, &device.numa_node},
                     1);
}
constexpr bool read_cpus(const Json& json, JobRecord& record) {
  if (json.is(JsonKind::string)) {
    if (!read_text(json, record.cpus)) return false;
    record.cpu_count = count_cpus(record.cpus);
    return record.cpu_count != 0;
  }
  const JsonPair pair = read_pair(json);
  return pair.good && read_count(pair.first, record.cpu_count) &&
         read_hex<8>(pair.second, record.cpu_digest);
}
constexpr bool read_nodes(const Json& json, std::uint64_t& nodes) {
  const auto list = json.string<longest_node_list>();
  return list &&
         for_each_folded(*list, 64, [&nodes](int node) { nodes |= std::uint64_t{1} << node; });
}

/// By its name.
constexpr bool read_origin(const Json& json, OriginKind& origin) {
  for (const OriginKind kind :
       {OriginKind::unknown, OriginKind::read, OriginKind::derived, OriginKind::given}) {
    if (!json.equals(name(kind))) continue;
    origin = kind;
    return true;
  }
  return false;
}

/// By its name. One that is not known here is of a newer version, and not known.
constexpr bool read_launcher(const Json& json, Launcher& launcher) {
  StaticString<15> text;
  if (!read_text(json, text)) return false;
  launcher = parse_launcher(text).value_or(Launcher::none);
  return true;
}

constexpr bool read_byte(const Json& json, std::uint8_t& byte) {
  int number = 0;
  if (!read_count(json, number) || number < 0 || number > 255) return false;
  byte = static_cast<std::uint8_t>(number);
  return true;
}

/// How the value of a key is read. Returns false for a value that no record has.
struct ReadKey {
  std::string_view name;
  bool (*read)(const Json&, JobRecord&);
};

inline constexpr ReadKey read_keys[] = {
    {"rank",
     [](const Json& json, JobRecord& r) {
       return read_counts(json, {&r.rank, &r.world_size});
     }},
    {"local",
     [](const Json& json, JobRecord& r) {
       return read_counts(json, {&r.local_rank, &r.local_world_size});
     }},
    {"node",
     [](const Json& json, JobRecord& r) {
       return read_counts(json, {&r.node_rank, &r.node_count});
     }},
    {"launcher", [](const Json& json, JobRecord& r) { return read_text(json, r.launcher); }},
    {"job", [](const Json& json, JobRecord& r) { return read_text(json, r.job); }},
    {"restart", [](const Json& json, JobRecord& r) { return read_count(json, r.restart_count); }},
    {"host", [](const Json& json, JobRecord& r) { return read_text(json, r.host); }},
    {"boot", [](const Json& json, JobRecord& r) { return read_hex<16>(json, r.boot); }},
    {"pid", [](const Json& json, JobRecord& r) { return read_count(json, r.pid); }},
    {"pid_ns",
     [](const Json& json, JobRecord& r) {
       const Number number = json.integer();
       r.pid_namespace = static_cast<std::uint32_t>(number.value & 0xffff'ffffU);
       return json.is(JsonKind::number) && number && number.value == r.pid_namespace;
     }},
    {"device", [](const Json& json, JobRecord& r) { return read_device(json, r.device); }},
    {"shared",
     [](const Json& json, JobRecord& r) {
       r.device.is_shared = json.raw() == "true";
       return json.is(JsonKind::boolean);
     }},
    {"uuid", [](const Json& json, JobRecord& r) { return read_text(json, r.device.uuid); }},
    {"pci", [](const Json& json, JobRecord& r) { return read_text(json, r.device.pci); }},
    {"warnings", [](const Json& json, JobRecord& r) { return read_byte(json, r.warnings); }},
    {"conflicts", [](const Json& json, JobRecord& r) { return read_byte(json, r.conflicts); }},
    {"against", [](const Json& json, JobRecord& r) { return read_launcher(json, r.against); }},
    {"cpus", read_cpus},
    {"available",
     [](const Json& json, JobRecord& r) { return read_count(json, r.available_cpus); }},
    {"threads", [](const Json& json, JobRecord& r) { return read_count(json, r.threads); }},
    {"numa", [](const Json& json, JobRecord& r) { return read_nodes(json, r.numa_nodes); }},
    {"layout", [](const Json& json, JobRecord& r) { return read_hex<8>(json, r.layout); }},
    {"hosts", [](const Json& json, JobRecord& r) { return read_hex<8>(json, r.hosts); }},
    {"rendezvous", [](const Json& json, JobRecord& r) { return read_hex<8>(json, r.rendezvous); }},
    {"cores",
     [](const Json& json, JobRecord& r) {
       const JsonPair pair = read_pair(json);
       return pair.good && read_count(pair.first, r.cores) &&
              read_text(pair.second, r.sibling_cpus);
     }},
    {"domain", [](const Json& json, JobRecord& r) { return read_text(json, r.domain); }},
    {"nic",
     [](const Json& json, JobRecord& r) {
       const JsonPair pair = read_pair(json);
       return pair.good && read_text(pair.first, r.nic) && read_count(pair.second, r.nic_numa_node);
     }},
    {"origin", [](const Json& json, JobRecord& r) { return read_origin(json, r.origin); }},
    {"source", [](const Json& json, JobRecord& r) { return read_text(json, r.source); }},
    {"machine", [](const Json& json, JobRecord& r) { return read_hex<8>(json, r.machine_id); }},
};

/// Reads one object into a record. Keys that are not known are ignored: a schema may get more.
constexpr bool read_object(std::string_view text, JobRecord& record) {
  const Result<Json> json = Json::parse(text, "record", {JobRecord::bytes, 3});
  if (!json || !json->is(JsonKind::object)) return false;
  constexpr std::size_t count = sizeof read_keys / sizeof read_keys[0];
  static_assert(count <= 32);
  std::uint32_t seen = 0;
  std::size_t at = 0;  // keys usually come in the order of the table
  const bool good = json->for_each_member([&](const Json& name, const Json& value) {
    const std::string_view quoted = name.raw();
    const std::string_view key = quoted.substr(1, quoted.size() - 2);
    for (std::size_t tried = 0; tried != count; ++tried, at = (at + 1) % count) {
      if (key != read_keys[at].name) continue;
      const std::uint32_t bit = std::uint32_t{1} << at;
      const bool repeated = (seen & bit) != 0;
      seen |= bit;
      return !repeated && read_keys[at].read(value, record);
    }
    return true;
  });
  return good && (seen & 1U) != 0 && is_valid(record);
}

/// What there is at the front of a text that begins with the marker.
enum class LineState : std::uint8_t {
  record,        ///< a whole record
  other_schema,  ///< whole, but of a schema that is not known here
  damaged,       ///< not what was written: torn, merged with another line, or changed
};
struct LineStart {
  LineState state = LineState::damaged;
  std::size_t size = 0;  ///< how much of the text it is
  int schema = 0;        ///< of other_schema
};

/// Reads the record at the front of `text`, which begins with the marker.
constexpr LineStart read_start(std::string_view text, JobRecord& record) {
  const MarkedLine line = first_line(text, JobRecord::bytes - 1);
  LineStart out;
  out.size = line.text.size();
  if (!line.is_whole) return out;

  const std::string_view number = line.text.substr(record_marker.size());
  std::size_t end = 0;
  std::uint64_t schema = 0;
  const bool fits = read_digits(number, end, schema);
  if (end == 0 || number[end] != ',') return out;
  if (!fits || schema != std::uint64_t{JobRecord::schema}) {
    out.state = LineState::other_schema;
    out.schema = fits && schema < 1'000'000 ? static_cast<int>(schema) : 1'000'000;
    return out;
  }
  if (read_object(line.text, record)) out.state = LineState::record;
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_READ_RECORD_LINE_HPP
