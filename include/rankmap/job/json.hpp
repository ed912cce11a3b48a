// SPDX-License-Identifier: MIT
// The record of a process as one line of JSON, short enough to pass launchers and logs whole.
#ifndef RANKMAP_JOB_JSON_HPP
#define RANKMAP_JOB_JSON_HPP

#include <rankmap/job/detail/record_keys.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/job_record.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0 {

namespace detail {

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

}  // namespace detail

/// Writes `record` as one JSON object in one line of printable ASCII without a newline, at most 767
/// bytes long: with a newline 768, the most that JobTable::read() takes.
///
/// `out`: any callable that takes a std::string_view. It receives the line in one piece. Write line
/// and newline with one call, and flush what was printed before: then no output of other processes
/// gets between them.
///
/// A value that is not known has no key. If the line would be longer, the least important keys are
/// left out, and `cut` counts them; that takes numbers and names of unusual length. The last key is
/// a checksum. Precondition: is_valid(record). O(1), no error, no allocation, constexpr.
template <class Out>
constexpr void write_json(const JobRecord& record, Out&& out) {
  out(detail::line_of(record).view());
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_JSON_HPP
