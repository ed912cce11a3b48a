// SPDX-License-Identifier: MIT
// Writes a record as a line of JSON, and reads the one at the front of a text, whoever wrote it.
#ifndef RANKMAP_JOB_DETAIL_RECORD_JSON_HPP
#define RANKMAP_JOB_DETAIL_RECORD_JSON_HPP

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/job/detail/record_keys.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Writes a record. Keys for which there is no room are left out, the least important first, and
/// counted under "cut".
constexpr RecordLine line_of(const JobRecord& record) {
  constexpr std::string_view cut_key = ",\"cut\":";
  constexpr std::size_t tail =
      cut_key.size() + 2 + record_check.size() + check_digits + record_end.size();
  RecordLine line(record_marker);
  line.append_number(JobRecord::schema);
  int left_out = 0;
  for (const RecordKey& key : record_keys) {
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

/// Reads one object into a record. Keys that are not known are ignored: a schema may get more.
constexpr bool read_object(std::string_view text, JobRecord& record) {
  const Result<Json> json = Json::parse(text, "record", {JobRecord::bytes, 3});
  if (!json || !json->is(JsonKind::object)) return false;
  constexpr std::size_t count = sizeof record_keys / sizeof record_keys[0];
  static_assert(count <= 64);
  std::uint64_t seen = 0;
  std::size_t at = 0;  // keys usually come in the order of the table
  for (JsonItems items = json->members(); items.next();) {
    const std::string_view quoted = items.name().raw();
    const std::string_view key = quoted.substr(1, quoted.size() - 2);
    for (std::size_t tried = 0; tried != count; ++tried, at = (at + 1) % count) {
      if (key != record_keys[at].name) continue;
      const std::uint64_t bit = std::uint64_t{1} << at;
      if ((seen & bit) != 0 || !record_keys[at].read(items.value(), record)) return false;
      seen |= bit;
      break;
    }
  }
  return (seen & 1U) != 0 && is_valid(record);
}

/// The schema of a whole line of a record, at most 1,000,000; -1 where no number says it.
constexpr int schema_of(std::string_view line) {
  const std::string_view number = line.substr(record_marker.size());
  std::size_t end = 0;
  std::uint64_t schema = 0;
  const bool fits = read_digits(number, end, schema);
  if (end == 0 || number[end] != ',') return -1;
  return fits && schema < 1'000'000 ? static_cast<int>(schema) : 1'000'000;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_JSON_HPP
