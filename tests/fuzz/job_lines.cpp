// SPDX-License-Identifier: MIT
//
// The output of a job: any bytes, and the same with the checksums made right, so that what is
// behind them is reached. What is read must be a record, and what is found must not depend on the
// order of the lines. The same for the bytes of a collective.
#include "fuzz.hpp"

#include <rankmap/detail/ascii.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/job/record_bytes.hpp>
#include <rankmap/job/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Finding;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap_fuzz::HeapBytes;
using rankmap_fuzz::require;

/// The text with the right checksum in each object that has one.
std::string with_checksums(std::string_view text) {
  using rankmap::detail::record_check;
  using rankmap::detail::record_marker;
  std::string out(text);
  for (std::size_t at = out.find(record_marker); at != std::string::npos;
       at = out.find(record_marker, at + 1)) {
    const std::size_t check = out.find(record_check, at);
    if (check == std::string::npos) break;
    const std::size_t digits = check + record_check.size();
    if (digits + 8 > out.size()) break;
    rankmap::StaticString<8> sum;
    rankmap::detail::append_hexadecimal(
        sum, rankmap::detail::checksum(std::string_view(out).substr(at, check - at)), 8);
    out.replace(digits, 8, sum.view());
  }
  return out;
}

std::string messages(const JobTable& table) {
  std::string out;
  for (const Finding& finding : table.findings({.wants_block_order = true})) {
    const auto text = message(finding);
    require(!text.cut(), "a finding is told whole", text);
    require(rankmap_fuzz::is_printable(text), "a finding is printable ASCII", text);
    require(!finding.evidence.empty(), "a finding has evidence", text);
    out += text.view();
    out += '\n';
  }
  return out;
}

/// Bytes that a process may receive: nothing, or a record whose bytes they are.
void run_on_bytes(std::span<const std::byte> bytes) {
  const auto record = rankmap::read_record(bytes);
  if (!record) return;
  require(is_valid(*record), "what is received is a record");
  std::array<std::byte, JobRecord::bytes> again{};
  write_record(*record, again);
  require(std::equal(again.begin(), again.end(), bytes.begin()), "a record has one form in bytes");
}

/// The bytes of a record are that record, and with another bit no other one in its place.
void run_on_record(const JobRecord& record, std::size_t bit) {
  std::array<std::byte, JobRecord::bytes> bytes{};
  write_record(record, bytes);
  require(rankmap::read_record(bytes) == record, "bytes are read as what was written");
  bytes[bit / 8 % bytes.size()] ^= std::byte{1} << (bit % 8);
  require(rankmap::read_record(bytes) != record, "other bytes are another record, or none");
  run_on_bytes(bytes);
}

void run_on(std::string_view text) {
  const HeapBytes heap;
  const auto table = JobTable::read(text);
  require(heap.asked() <= 64 * text.size() + 4096, "memory is bounded by the text");
  if (!table) {
    rankmap_fuzz::require_good_error(table.error(), text.size());
    return;
  }
  JobTable reversed;
  std::vector<JobRecord> rows;
  for (const JobRecord& row : table->rows()) {
    require(is_valid(row), "what is read is a record");
    run_on_record(row, text.size() + 977 * rows.size());
    rows.push_back(row);
    std::string line;
    write_json(row, [&](std::string_view piece) { line += piece; });
    require(line.size() < JobRecord::bytes, "a line is short", line);
    require(rankmap_fuzz::is_printable(line), "a line is printable ASCII", line);
    const auto again = JobTable::read(line);
    require(again.has_value(), "a line is read", line);
    if (line.find(",\"cut\":") == std::string::npos) {
      require(again->rows()[0] == row, "a line is read as what was written", line);
    }
  }
  std::size_t lines = 0;
  write_text(*table, [&](std::string_view piece) {
    for (const char c : piece) {
      require(c == '\n' || !rankmap::detail::is_control(c), "a text has no control bytes", piece);
      lines += c == '\n' ? 1U : 0U;
    }
  });
  require(lines < 500, "a text fits some screens");
  for (const rankmap::StaticString<79>& sample : table->unread().samples()) {
    require(rankmap_fuzz::is_printable(sample), "a sample is printable ASCII", sample);
  }
  for (std::size_t i = rows.size(); i-- != 0;) {
    require(reversed.add(rows[i]), "a row can be added");
  }
  if (table->unread().pieces + table->unread().other_schemas == 0) {
    require(messages(reversed) == messages(*table), "findings do not depend on the order", text);
  } else {
    (void)messages(*table);
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 16384) return;
  if (input.size() >= JobRecord::bytes) {
    run_on_bytes(std::as_bytes(std::span(input)).first(JobRecord::bytes));
  }
  run_on(input);
  run_on(with_checksums(input));
}
