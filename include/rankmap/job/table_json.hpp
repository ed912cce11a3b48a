// SPDX-License-Identifier: MIT
// The table of a job and its findings as JSON, for programs.
#ifndef RANKMAP_JOB_TABLE_JSON_HPP
#define RANKMAP_JOB_TABLE_JSON_HPP

#include <rankmap/detail/json_writer.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>

#include <string_view>

namespace rankmap::inline v0 {

/// Rises when a key changes its meaning or is removed; new keys may be added without.
inline constexpr int job_table_json_schema = 1;

/// Writes a table with its findings as one JSON object, one line of printable ASCII, no newline.
///
/// `out`: any callable that takes a std::string_view. Every key is always written, in the same
/// order; the records are rows(), as write_json(record). O(size log size), no error, constexpr.
template <class Out>
constexpr void write_json(const JobTable& table, const Findings& findings, Out&& out) {
  detail::JsonWriter json(out);
  json.begin("{").member("schema", job_table_json_schema).key("findings").begin("[");
  for (const Finding& finding : findings) {
    json.begin("{")
        .member("kind", name(finding.kind))
        .member("severity", name(finding.severity))
        .key("ranks")
        .begin("[");
    finding.ranks.for_each_range([&json](int first, int last, int step) {
      json.begin("[").number(first).number(last).number(step).end("]");
    });
    json.end("]")
        .member("evidence", finding.evidence.view())
        .member("remedy", remedy(finding.kind))
        .end("}");
  }
  json.end("]").member("not_told", findings.unknown_facts()).key("unread").begin("{");
  json.key("pieces").number(table.unread().pieces);
  json.key("other_schemas").number(table.unread().other_schemas).end("}");
  json.key("refused").begin("[");
  for (const Complaint& complaint : table.refusals().complaints()) {
    json.begin("{").member("message", complaint.message.view());
    json.member("host", complaint.host.view()).key("processes").number(complaint.processes);
    json.key("lines").number(complaint.lines).end("}");
  }
  json.end("]").key("records").begin("[");
  for (const JobRecord& row : table.rows()) json.word(detail::line_of(row));
  json.end("]").end("}");
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_TABLE_JSON_HPP
