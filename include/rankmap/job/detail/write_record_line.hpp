// SPDX-License-Identifier: MIT
// Writes a record as a line of JSON. The most important keys come first, since there is room for
// 511 bytes.
#ifndef RANKMAP_JOB_DETAIL_WRITE_RECORD_LINE_HPP
#define RANKMAP_JOB_DETAIL_WRITE_RECORD_LINE_HPP

#include <rankmap/detail/hexadecimal.hpp>
#include <rankmap/detail/json_writer.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/job/detail/record_cpus.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/detail/record_text.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Takes the text of one key with its value.
struct RecordPiece {
  StaticString<159> text;
  constexpr void operator()(std::string_view piece) { text.append(piece); }
};
using PieceWriter = JsonWriter<RecordPiece>;

/// A number, or null for -1.
constexpr void write_count(PieceWriter& json, int number) {
  if (number < 0) {
    json.null();
  } else {
    json.number(number);
  }
}

constexpr void write_counts(PieceWriter& json, std::initializer_list<int> numbers) {
  json.begin("[");
  for (const int number : numbers) write_count(json, number);
  json.end("]");
}

template <unsigned Digits>
constexpr void write_hex(PieceWriter& json, std::uint64_t value) {
  StaticString<16> digits;
  json.string(append_hexadecimal(digits, value, Digits));
}

constexpr void write_device(PieceWriter& json, const RecordedDevice& device) {
  json.begin("[").string(name(device.kind));
  if (device.kind != DeviceKind::cpu) {
    for (const int number : {device.index, device.count, device.visible_count, device.physical,
                             device.sub_device, device.numa_node}) {
      write_count(json, number);
    }
  }
  json.end("]");
}

constexpr void write_cpus(PieceWriter& json, const JobRecord& record) {
  if (!record.cpus.empty()) {
    json.string(record.cpus);
    return;
  }
  json.begin("[").number(record.cpu_count);
  write_hex<8>(json, record.cpu_digest);
  json.end("]");
}

/// How a key is written, if the record knows its value.
struct WrittenKey {
  std::string_view name;
  bool (*is_known)(const JobRecord&);
  void (*write)(PieceWriter&, const JobRecord&);
};

/// In the order in which they are written. All up to "shared" fit into every line.
inline constexpr WrittenKey written_keys[] = {
    {"rank", [](const JobRecord&) { return true; },
     [](PieceWriter& json, const JobRecord& r) {
       write_counts(json, {r.rank, r.world_size});
     }},
    {"local", [](const JobRecord& r) { return r.local_rank >= 0 || r.local_world_size >= 0; },
     [](PieceWriter& json, const JobRecord& r) {
       write_counts(json, {r.local_rank, r.local_world_size});
     }},
    {"node", [](const JobRecord& r) { return r.node_rank >= 0 || r.node_count >= 0; },
     [](PieceWriter& json, const JobRecord& r) {
       write_counts(json, {r.node_rank, r.node_count});
     }},
    {"launcher", [](const JobRecord& r) { return !r.launcher.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.launcher); }},
    {"job", [](const JobRecord& r) { return !r.job.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.job); }},
    {"restart", [](const JobRecord& r) { return r.restart_count >= 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.restart_count); }},
    {"host", [](const JobRecord& r) { return !r.host.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.host); }},
    {"boot", [](const JobRecord& r) { return r.boot != 0; },
     [](PieceWriter& json, const JobRecord& r) { write_hex<16>(json, r.boot); }},
    {"pid", [](const JobRecord& r) { return r.pid >= 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.pid); }},
    {"pid_ns", [](const JobRecord& r) { return r.pid_namespace != 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.pid_namespace); }},
    {"device", [](const JobRecord& r) { return r.device.is_told; },
     [](PieceWriter& json, const JobRecord& r) { write_device(json, r.device); }},
    {"shared", [](const JobRecord& r) { return r.device.is_shared; },
     [](PieceWriter& json, const JobRecord&) { json.boolean(true); }},
    {"uuid", [](const JobRecord& r) { return !r.device.uuid.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.device.uuid); }},
    {"pci", [](const JobRecord& r) { return !r.device.pci.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.device.pci); }},
    {"warnings", [](const JobRecord& r) { return r.warnings != 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.warnings); }},
    {"conflicts", [](const JobRecord& r) { return r.conflicts != 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.conflicts); }},
    {"against", [](const JobRecord& r) { return r.against != Launcher::none; },
     [](PieceWriter& json, const JobRecord& r) { json.string(name(r.against)); }},
    {"cpus", [](const JobRecord& r) { return r.cpu_count > 0; }, write_cpus},
    {"available", [](const JobRecord& r) { return r.available_cpus >= 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.available_cpus); }},
    {"threads", [](const JobRecord& r) { return r.threads >= 0; },
     [](PieceWriter& json, const JobRecord& r) { json.number(r.threads); }},
    {"numa", [](const JobRecord& r) { return r.numa_nodes != 0; },
     [](PieceWriter& json, const JobRecord& r) { json.string(fold_nodes(r.numa_nodes)); }},
    {"layout", [](const JobRecord& r) { return r.layout != 0; },
     [](PieceWriter& json, const JobRecord& r) { write_hex<8>(json, r.layout); }},
    {"hosts", [](const JobRecord& r) { return r.hosts != 0; },
     [](PieceWriter& json, const JobRecord& r) { write_hex<8>(json, r.hosts); }},
    {"rendezvous", [](const JobRecord& r) { return r.rendezvous != 0; },
     [](PieceWriter& json, const JobRecord& r) { write_hex<8>(json, r.rendezvous); }},
    {"cores", [](const JobRecord& r) { return r.cores >= 0 || !r.sibling_cpus.empty(); },
     [](PieceWriter& json, const JobRecord& r) {
       json.begin("[");
       write_count(json, r.cores);
       json.string(r.sibling_cpus).end("]");
     }},
    {"domain", [](const JobRecord& r) { return !r.domain.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.domain); }},
    {"nic", [](const JobRecord& r) { return !r.nic.empty(); },
     [](PieceWriter& json, const JobRecord& r) {
       json.begin("[").string(r.nic);
       write_count(json, r.nic_numa_node);
       json.end("]");
     }},
    {"origin", [](const JobRecord& r) { return r.origin != OriginKind::unknown; },
     [](PieceWriter& json, const JobRecord& r) { json.string(name(r.origin)); }},
    {"source", [](const JobRecord& r) { return !r.source.empty(); },
     [](PieceWriter& json, const JobRecord& r) { json.string(r.source); }},
    {"machine", [](const JobRecord& r) { return r.machine_id != 0; },
     [](PieceWriter& json, const JobRecord& r) { write_hex<8>(json, r.machine_id); }},
};

/// Writes a record. Keys for which there is no room are left out, the least important first, and
/// counted under "cut".
constexpr RecordLine line_of(const JobRecord& record) {
  constexpr std::string_view cut_key = ",\"cut\":";
  constexpr std::size_t tail =
      cut_key.size() + 2 + record_check.size() + check_digits + record_end.size();
  RecordLine line(record_marker);
  line.append_number(JobRecord::schema);
  int left_out = 0;
  for (const WrittenKey& key : written_keys) {
    if (!key.is_known(record)) continue;
    RecordPiece piece;
    piece(",");
    PieceWriter json(piece);
    json.key(key.name);
    key.write(json, record);
    // After the first that does not fit all others are left out: what is there never misses
    // something more important, such as the UUID of a device beside its address.
    const bool fits = line.size() + piece.text.size() + tail < JobRecord::bytes;
    if (left_out == 0 && fits && !piece.text.cut()) {
      line.append(piece.text);
    } else {
      ++left_out;
    }
  }
  if (left_out != 0) line.append(cut_key).append_number(left_out);
  close_line(line);
  return line;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_WRITE_RECORD_LINE_HPP
