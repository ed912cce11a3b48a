// SPDX-License-Identifier: MIT
// All rules about the records of a table, one after the other.
#ifndef RANKMAP_JOB_DETAIL_FIND_ALL_HPP
#define RANKMAP_JOB_DETAIL_FIND_ALL_HPP

#include <rankmap/job/detail/find_cpus.hpp>
#include <rankmap/job/detail/find_devices.hpp>
#include <rankmap/job/detail/find_identity.hpp>
#include <rankmap/job/detail/find_machines.hpp>
#include <rankmap/job/detail/find_places.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// "the machine of 3 ranks, the CPUs of 16 ranks", of 16.
constexpr Message unknown_facts(const JobMembers& members) {
  struct Fact {
    std::string_view name;
    bool (*is_known)(const JobRecord&);
  };
  constexpr Fact facts[] = {
      {"the machine", [](const JobRecord& r) { return r.boot != 0 || !r.host.empty(); }},
      {"the process", [](const JobRecord& r) { return r.pid >= 0; }},
      {"the device", [](const JobRecord& r) { return r.device.is_known; }},
      {"the CPUs", [](const JobRecord& r) { return r.cpu_count > 0; }},
  };
  Message out;
  for (const Fact& fact : facts) {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < members.size(); ++i) missing += fact.is_known(members[i]) ? 0U : 1U;
    if (missing == 0) continue;
    append_all(out, out.empty() ? "" : ", ", fact.name, " of ", counted(missing, "rank"));
  }
  return out;
}

/// Processes that have no record come first: of them are ranks that are missing.
constexpr void find_refusals(const Refusals& refusals, FindingReport& report) {
  if (refusals.empty()) return;
  const Complaint& first = refusals.complaints()[0];
  const std::int64_t others = refusals.count() - first.count();
  const bool is_one = first.count() == 1;
  report.found(
      FindingKind::refused, Severity::error, 0, first.count(), is_one ? " process" : " processes",
      when(!first.host.empty(), is_one ? " on " : ", one of them on ", escaped_text(first.host),
           is_one ? "" : ","),
      is_one ? " says: " : " say: ", first.message,
      when(others != 0, "; and ", others, others == 1 ? " says" : " say", " something else"));
}

constexpr Findings find_all(const Gathered& gathered, const FindingOptions& options) {
  FindingReport report(gathered.records);
  find_refusals(gathered.refusals, report);
  JobMembers members = find_identity(gathered, options, report);
  find_machines(members);
  number_nodes(members);
  find_doubts(members);
  find_places(members);
  find_layouts(members);
  find_devices(members);
  find_cpus(members);
  find_machine_faults(members);
  return report.finish(unknown_facts(members));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_ALL_HPP
