// SPDX-License-Identifier: MIT
// What changed between two runs of a job: yesterday's, in which nothing was wrong, and today's.
#ifndef RANKMAP_JOB_CHANGES_HPP
#define RANKMAP_JOB_CHANGES_HPP

#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

/// One thing that is other than before.
struct JobChange {
  std::string_view what;  ///< "host", "driver", "ranks", "new error", "no more warning", ...
  RankList ranks;         ///< whose it is
  Message evidence;       ///< by the first of them: "rank 3: n7, was n2"
};

namespace detail {

using FactText = StaticString<79>;

struct ComparedFact {
  std::string_view name;
  void (*append)(FactText&, const JobRecord&);  // nothing: not known
};
/// Appends a text, or a number of which -1 is not known.
template <auto Member>
constexpr void append_fact(FactText& out, const JobRecord& record) {
  const auto& value = member_of(record, Member);
  if constexpr (std::is_convertible_v<decltype(value), std::string_view>) {
    out.append(value);
  } else if (const std::int64_t number = value; number >= 0) {
    out.append_number(number);
  }
}
/// In the order in which they are told. What is of each process or start alone is not compared.
inline constexpr ComparedFact compared_facts[] = {
    {"world size", append_fact<&JobRecord::world_size>},
    {"launcher", append_fact<&JobRecord::launcher>},
    {"source of the rank", append_fact<&JobRecord::source>},
    {"contradicted by",
     [](FactText& out, const JobRecord& r) {
       out.append(r.conflicts == 0 ? "nobody" : name(r.against));
     }},
    {"warnings", append_fact<&JobRecord::warnings>},
    {"host", append_fact<&JobRecord::host>},
    {"domain", append_fact<&JobRecord::domain>},
    {"node", append_fact<&JobRecord::node_rank>},
    {"local rank", append_fact<&JobRecord::local_rank>},
    {"ranks of the node", append_fact<&JobRecord::local_world_size>},
    {"device",
     [](FactText& out, const JobRecord& r) {
       if (!r.device.is_known) return;
       out.append(name(r.device.kind));
       if (r.device.index >= 0) out.append(':').append_number(r.device.index);
     }},
    {"number of the device", append_fact<&RecordedDevice::physical>},
    {"address of the device", append_fact<&RecordedDevice::pci>},
    {"visible devices", append_fact<&RecordedDevice::visible_count>},
    {"CPUs", [](FactText& out, const JobRecord& r) { out.append(cpus_text(r)); }},
    {"threads", append_fact<&JobRecord::threads>},
    {"NIC", append_fact<&JobRecord::nic>},
    {"Mb/s of the NIC", append_fact<&JobRecord::nic_rate>},
    {"kernel", append_fact<&JobRecord::kernel>},
    {"driver", append_fact<&JobRecord::driver>},
    {"IMEX channels", append_fact<&JobRecord::imex_channels>},
    {"partition modes", append_fact<&JobRecord::partitions>},
    {"MPI library", append_fact<&JobRecord::library>},
    {"library of collectives", append_fact<&JobRecord::collectives>},
    {"KiB that may be locked", append_fact<&JobRecord::locked_memory>},
    {"MiB of /dev/shm", append_fact<&JobRecord::shared_memory>},
    {"MiB of huge pages", append_fact<&JobRecord::huge_pages>},
    {"thousandths of a CPU by quota", append_fact<&JobRecord::cpu_quota>},
};

/// The rows of each rank's last restart, one of each.
constexpr RecordIndex one_of_each_rank(const JobRows& rows) {
  const auto newest = [&](std::uint32_t row) { return -rows[row].restart_count; };
  RecordIndex order = sorted_by(rows.size(), by(rows, &JobRecord::rank, newest));
  keep_first(order, by(rows, &JobRecord::rank));
  return order;
}

/// Those of one table's findings that the other has not.
constexpr void visit_other_findings(const Findings& findings, const Findings& others,
                                    const std::string_view (&words)[3], auto& visit) {
  for (const Finding& finding : findings) {
    if (others.find(finding.kind) != nullptr) continue;
    JobChange change{words[static_cast<std::size_t>(finding.severity)], finding.ranks, {}};
    change.evidence.append(name(finding.kind)).append(": ").append(finding.evidence);
    visit(std::as_const(change));
  }
}

}  // namespace detail

/// Calls `visit(JobChange)` for each change between two tables: findings that are new, then those
/// that are no more, ranks that only one of them has, and facts of the ranks that both have.
///
/// Of several records of a rank the last restart counts. What is not known in one of the tables is
/// not compared, nor is what differs between any two runs: ids of jobs and processes, boot ids,
/// UUIDs of devices. O(size log size), constexpr.
template <class Visit>
constexpr void for_each_change(const JobTable& before, const JobTable& now, Visit&& visit) {
  const JobRows old_rows = before.rows();
  const JobRows new_rows = now.rows();
  const detail::RecordIndex old_ones = detail::one_of_each_rank(old_rows);
  const detail::RecordIndex new_ones = detail::one_of_each_rank(new_rows);
  const Findings old_findings = before.findings();
  const Findings new_findings = now.findings();
  detail::visit_other_findings(new_findings, old_findings, {"new note", "new warning", "new error"},
                               visit);
  detail::visit_other_findings(old_findings, new_findings,
                               {"no more note", "no more warning", "no more error"}, visit);

  JobChange gone{"ranks", {}, "only before"};
  JobChange come{"ranks", {}, "only now"};
  detail::RecordIndex old_pairs;
  detail::RecordIndex new_pairs;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < old_ones.size() || k < new_ones.size()) {
    const std::int64_t a = i < old_ones.size() ? old_rows[old_ones[i]].rank : INT64_MAX;
    const std::int64_t b = k < new_ones.size() ? new_rows[new_ones[k]].rank : INT64_MAX;
    if (a < b) gone.ranks.add(static_cast<int>(a));
    if (b < a) come.ranks.add(static_cast<int>(b));
    if (a == b) {
      old_pairs.push_back(old_ones[i]);
      new_pairs.push_back(new_ones[k]);
    }
    i += a <= b ? 1U : 0U;
    k += b <= a ? 1U : 0U;
  }
  if (!gone.ranks.empty()) visit(std::as_const(gone));
  if (!come.ranks.empty()) visit(std::as_const(come));

  for (const detail::ComparedFact& fact : detail::compared_facts) {
    JobChange change{fact.name, {}, {}};
    for (std::size_t pair = 0; pair < old_pairs.size(); ++pair) {
      detail::FactText was;
      detail::FactText is;
      fact.append(was, old_rows[old_pairs[pair]]);
      fact.append(is, new_rows[new_pairs[pair]]);
      if (was == is || was.empty() || is.empty()) continue;
      const int rank = new_rows[new_pairs[pair]].rank;
      if (change.ranks.empty()) {
        detail::append_all(change.evidence, "rank ", rank, ": ", detail::escaped_text(is), ", was ",
                           detail::escaped_text(was));
      }
      change.ranks.add(rank);
    }
    if (!change.ranks.empty()) visit(std::as_const(change));
  }
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_CHANGES_HPP
