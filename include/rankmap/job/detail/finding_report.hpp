// SPDX-License-Identifier: MIT
// Collects what the rules find: for each kind one finding, with the first example as evidence. Also
// finds records whose value differs from that of most.
#ifndef RANKMAP_JOB_DETAIL_FINDING_REPORT_HPP
#define RANKMAP_JOB_DETAIL_FINDING_REPORT_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0::detail {

/// A piece of evidence besides texts and numbers: a function of the Message.
template <class Piece>
requires requires(Message& out, const Piece& piece) { piece(out); }
constexpr void append_piece(Message& out, const Piece& piece) { piece(out); }
constexpr void append_all(Message& out, const auto&... pieces) { (append_piece(out, pieces), ...); }
/// These pieces if it is so, else nothing. It refers to them: use it in the same statement.
constexpr auto when(bool is_so, const auto&... pieces) {
  return [is_so, &pieces...](Message& out) {
    if (is_so) append_all(out, pieces...);
  };
}

class FindingReport {
 public:
  const std::span<const JobRecord> records;

  constexpr explicit FindingReport(std::span<const JobRecord> all) : records(all) {}
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~FindingReport() = default;

  /// Notes one more case of a kind, which begins at place `at` in the order of the records. The
  /// pieces (texts, numbers, functions of a Message) are its evidence. Of all cases the first of
  /// the highest severity is kept. Returns whether that is this one, so far.
  constexpr bool found(FindingKind kind, Severity severity, std::size_t at, const auto&... pieces) {
    Entry& entry = entry_of(kind);
    Finding& first = entry.finding;
    const bool is_first = entry.cases == 0 || severity > first.severity ||
                          (severity == first.severity && at < entry.at);
    ++entry.cases;
    if (!is_first) return false;
    entry.at = at;
    first.severity = severity;
    first.evidence = {};
    append_all(first.evidence, pieces...);
    return true;
  }
  /// Names a case, for the evidence of several. After the first four, cases are only counted.
  constexpr void name_case(FindingKind kind, const auto&... pieces) {
    Entry& entry = entry_of(kind);
    if (entry.named_cases == 4) return;
    ++entry.named_cases;
    append_all(entry.names, pieces...);
  }
  /// Says that a finding is about the rank of this record.
  constexpr void mark(FindingKind kind, std::uint32_t record) {
    entry_of(kind).marked.push_back(static_cast<std::uint32_t>(records[record].rank));
  }
  /// Says which ranks a finding is about, where they have no record.
  constexpr void set_ranks(FindingKind kind, RankList&& ranks) {
    entry_of(kind).finding.ranks = std::move(ranks);
  }
  constexpr bool has(FindingKind kind) const {
    return entries_[static_cast<std::size_t>(kind)].cases != 0;
  }

  constexpr Findings finish(std::string_view unknown_facts) {
    Findings out;
    out.unknown_facts_ = unknown_facts;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      for (std::size_t i = 0; i != finding_count; ++i) {
        Entry& entry = entries_[i];
        if (entry.cases == 0 || entry.finding.severity != severity) continue;
        Finding& finding = out.findings_[out.size_++];
        finding = std::move(entry.finding);
        finding.kind = static_cast<FindingKind>(i);
        if (entry.cases != 1) finding.evidence.append(entry.names);
        const std::int64_t left = entry.cases - (entry.named_cases == 0 ? 1 : entry.named_cases);
        if (left != 0) finding.evidence.append(" (and ").append_number(left).append(" more)");
        if (finding.ranks.empty()) finding.ranks = rank_list(std::move(entry.marked));
      }
    }
    return out;
  }

 private:
  struct Entry {
    Finding finding;
    Message names;
    std::int64_t named_cases = 0;
    std::int64_t cases = 0;
    std::size_t at = 0;
    RecordIndex marked;  // ranks, in any order
  };
  constexpr Entry& entry_of(FindingKind kind) { return entries_[static_cast<std::size_t>(kind)]; }

  Entry entries_[finding_count] = {};
};

// ---- pieces of evidence ------------------------------------------------------------------------

/// A text from outside.
constexpr auto escaped_text(std::string_view text) {
  return [text](Message& out) { append_escaped(out, text); };
}
/// "n1"; "an unknown host".
constexpr auto host_text(const JobRecord& record) {
  return [&record](Message& out) {
    append_escaped(out, record.host.empty() ? "an unknown host" : record.host.view());
  };
}
/// "job 4711"; "job without an id".
constexpr auto job_text(const JobRecord& record) {
  return [&record](Message& out) {
    append_all(out, record.job.empty() ? "job without an id" : "job ", escaped_text(record.job));
  };
}
/// "rank 3 on n1"; "rank 3".
constexpr auto rank_text(const JobRecord& record) {
  return [&record](Message& out) {
    append_all(out, "rank ", record.rank);
    if (!record.host.empty()) append_all(out, " on ", host_text(record));
  };
}
/// "ranks 3 and 4 on n1"; "rank 3 on n1 and rank 4 on n2".
constexpr auto ranks_text(const JobRecord& a, const JobRecord& b) {
  return [&a, &b](Message& out) {
    if (a.host != b.host) return append_all(out, rank_text(a), " and ", rank_text(b));
    append_all(out, "ranks ", a.rank, " and ", b.rank);
    if (!a.host.empty()) append_all(out, " on ", host_text(a));
  };
}
/// "process 4711 on n1"; "a process on n1".
constexpr auto process_text(const JobRecord& record) {
  return [&record](Message& out) {
    if (record.pid < 0) return append_all(out, "a process on ", host_text(record));
    append_all(out, "process ", record.pid, " on ", host_text(record));
  };
}
/// "cuda:0"; "cuda:?".
constexpr auto device_text(const RecordedDevice& device) {
  return [&device](Message& out) {
    out.append(name(device.kind)).append(':');
    (void)(device.index < 0 ? out.append('?') : out.append_number(device.index));
  };
}
/// "0-3,8"; "96 of them" where the list is too long; empty where none are known.
constexpr StaticString<longest_cpu_list> cpus_text(const JobRecord& record) {
  if (!record.cpus.empty() || record.cpu_count < 1) return record.cpus;
  return concat<longest_cpu_list>(record.cpu_count, " of them");
}
/// "1 rank"; "3 ranks"; "3 processes".
constexpr auto counted(auto count, std::string_view what) {
  return [count, what](Message& out) {
    const std::string_view plural = what.ends_with('s') ? "es" : "s";
    out.append_number(count).append(' ').append(what).append(count == 1 ? "" : plural);
  };
}
/// "1 warning, of RANK"; "3 warnings, one of RANK"; "3 warnings", where the record names no
/// variable.
constexpr auto warnings_text(const JobRecord& record, int count) {
  return [&record, count](Message& out) {
    append_all(out, counted(count, "warning"));
    if (record.doubt != Doubt::value || record.doubted.empty()) return;
    append_all(out, count == 1 ? ", of " : ", one of ", escaped_text(record.doubted));
  };
}

// ---- a value that all records of a job should share --------------------------------------------

/// "4 (ranks 0-2), 8 (rank 3)": the values of some records with the ranks that have them, at most
/// three. The ranks of each value must come together and ascend.
constexpr void append_values(Message& out, const RecordIndex& sorted,
                             std::span<const JobRecord> records, auto member,
                             const auto& append_value) {
  int shown = 0;
  for_each_equal(sorted, by(records, member), [&](Group group) {
    if (++shown > 3) return;
    RankList ranks;
    int highest = -1;  // the ranks of another job begin anew, and are not shown
    for (const std::uint32_t row : group) {
      const int rank = records[row].rank;
      if (rank <= highest) continue;
      ranks.add(rank);
      highest = rank;
    }
    if (shown != 1) out.append(", ");
    append_value(out, records[group[0]]);
    out.append(ranks.size() == 1 ? " (rank " : " (ranks ");
    out.append(to_string(ranks)).append(')');
  });
  if (shown > 3) out.append(" and ").append_number(shown - 3).append(" more");
}

/// Sorts records by a value, the most frequent one first. What follows are the exceptions. Of equal
/// frequencies the value of the first record is first. Returns how many have the first value.
constexpr std::size_t sort_by_frequency(RecordIndex& rows, std::span<const JobRecord> records,
                                        auto member) {
  if (rows.empty()) return 0;
  const auto value_of = key_of(records, member);
  const std::uint32_t leading = rows[0];
  const auto has_first = [&](std::uint32_t row) { return value_of(row) == value_of(leading); };
  if (all_of(rows, has_first)) return rows.size();
  Group frequent;
  for_each_sorted(rows, by(records, member), [&](Group group) {
    const bool is_equal = group.size() == frequent.size() && has_first(group[0]);
    if (group.size() > frequent.size() || is_equal) frequent = group;
  });
  const std::size_t most = frequent.size();
  const auto first = static_cast<std::size_t>(frequent.data() - rows.data());
  const RecordIndex sorted = rows;
  for (std::size_t i = 0; i != most; ++i) rows[i] = sorted[first + i];
  for (std::size_t i = 0; i != first; ++i) rows[most + i] = sorted[i];
  return most;
}

/// Reports the records whose value of a number or text is not the most frequent one, with all
/// values as `what`: "world sizes: 4 (ranks 0-2), 8 (rank 3)". Returns whether there are some.
constexpr bool find_exceptions(FindingReport& report, FindingKind kind, Severity severity,
                               std::size_t at, RecordIndex rows, std::string_view what,
                               auto member) {
  const std::size_t most = sort_by_frequency(rows, report.records, member);
  for (std::size_t i = most; i < rows.size(); ++i) report.mark(kind, rows[i]);
  if (most == rows.size()) return false;
  report.found(kind, severity, at, what, ": ", [&](Message& out) {
    append_values(out, rows, report.records, member, [&](Message& text, const JobRecord& record) {
      const auto& value = member_of(record, member);
      if constexpr (std::is_convertible_v<decltype(value), std::string_view>) {
        append_escaped(text, value);
      } else {
        text.append_number(value);
      }
    });
  });
  return true;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FINDING_REPORT_HPP
