// SPDX-License-Identifier: MIT
// A value that all records of a job should have alike: which ones there are, and who has which.
#ifndef RANKMAP_JOB_DETAIL_RECORD_VALUES_HPP
#define RANKMAP_JOB_DETAIL_RECORD_VALUES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0::detail {

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

/// Sorts records by a value, the most frequent first, so that those behind it are the exceptions.
/// Equal frequencies: the value of the first record first. Returns how many have that value.
constexpr std::size_t sort_by_frequency(RecordIndex& rows, std::span<const JobRecord> records,
                                        auto member) {
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
                               std::size_t at, std::span<const JobRecord> records, RecordIndex rows,
                               std::string_view what, auto member) {
  const std::size_t most = rows.empty() ? 0 : sort_by_frequency(rows, records, member);
  for (std::size_t i = most; i < rows.size(); ++i) report.mark(kind, rows[i]);
  if (most == rows.size()) return false;
  report.found(kind, severity, at, what, ": ", [&](Message& out) {
    append_values(out, rows, records, member, [&](Message& text, const JobRecord& record) {
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
/// The same of the members [begin, end) that tell it.
constexpr void find_differences(JobMembers& members, FindingKind kind, Severity severity,
                                std::string_view what, auto member, std::size_t begin,
                                std::size_t end) {
  find_exceptions(members.report, kind, severity, begin, members.records,
                  members.records_with(member, begin, end), what, member);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_VALUES_HPP
