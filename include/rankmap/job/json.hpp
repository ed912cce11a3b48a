// SPDX-License-Identifier: MIT
// The record of a process as one line of JSON, short enough to pass launchers and logs whole.
#ifndef RANKMAP_JOB_JSON_HPP
#define RANKMAP_JOB_JSON_HPP

#include <rankmap/job/detail/record_json.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/job_record.hpp>

namespace rankmap::inline v0 {

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
  const detail::RecordLine line = detail::line_of(record);
  out(line.view());
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_JSON_HPP
