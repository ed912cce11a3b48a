// SPDX-License-Identifier: MIT
// What processes print, whoever wrote it: the lines of records, the lines of processes that could
// not tell which rank they are, and the messages that such processes print as text.
#ifndef RANKMAP_JOB_DETAIL_READ_LINES_HPP
#define RANKMAP_JOB_DETAIL_READ_LINES_HPP

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/job/detail/record_keys.hpp>
#include <rankmap/job/detail/record_line.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

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

/// Reads a whole line. Returns false if it is of another schema, or has no message that
/// write_json() could write. Other bad values, and keys that are not known, are ignored.
constexpr bool read_refusal(std::string_view line, Refusal& refusal) {
  const Result<Json> json = Json::parse(line, "refusal", {Refusal::bytes, 2});
  if (!json || !json->is(JsonKind::object)) return false;
  const auto read = [&json](std::string_view key, auto& number) {
    const auto value = json->member(key);
    return value && read_whole_number(*value, number);
  };
  int schema = 0;
  if (!read("rankmap_refused", schema) || schema != Refusal::schema) return false;
  const auto message = json->member("message");
  const auto text = message ? message->string<639>() : Optional<Message>();
  if (!text || text->empty() || !is_recordable(*text, 2 * 639)) return false;
  refusal.message = *text;
  if (const auto host = json->member("host")) {
    if (const auto name = host->string<63>(); name && is_recordable(*name, 63)) {
      refusal.host = *name;
    }
  }
  (void)read("pid", refusal.pid);
  (void)read("pid_ns", refusal.pid_namespace);
  return true;
}

/// Adds the messages in a text of one line: `rankmap: RANK="x": expected a number; unset it`. Other
/// words behind the prefix are of another program, or a warning.
constexpr void read_messages(std::string_view text, Refusals& refusals) {
  constexpr std::string_view speaker = "rankmap: ";
  std::size_t at = text.find(speaker);
  while (at != std::string_view::npos) {
    text.remove_prefix(at + speaker.size());
    at = text.find(speaker);
    std::string_view words = text.substr(0, at);
    if (words.starts_with("warning: ")) continue;  // of a process that goes on
    if (words.find(": expected ") == std::string_view::npos) continue;
    Message message;
    for (const char c : words) {
      if (c < ' ' || c > '~') break;  // such as the \r of Windows, or what ends a colour
      message.append(c);
    }
    refusals.add_line(message);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_READ_LINES_HPP
