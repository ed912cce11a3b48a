// SPDX-License-Identifier: MIT
// The records of a table by jobs, machines and nodes. All of it is sorting, O(size log size).
#ifndef RANKMAP_JOB_DETAIL_JOB_GROUPS_HPP
#define RANKMAP_JOB_DETAIL_JOB_GROUPS_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// What identifies the machine of a record.
struct MachineKey {
  enum class Kind : std::uint8_t { boot, host, none };
  Kind kind = Kind::none;
  std::uint64_t key = 0;
  friend constexpr bool operator==(const MachineKey&, const MachineKey&) = default;
  friend constexpr auto operator<=>(const MachineKey&, const MachineKey&) = default;
};

/// What the records of a job are together.
struct JobFacts {
  bool is_numbered = false;  ///< a rank has a local rank above 0
  bool is_one_size = false;  ///< all agree on the world size
  bool is_whole = false;     ///< the same, and every rank has one record
  bool has_nodes = false;    ///< the same, and all tell alike where they are: nodes can be counted
};

/// One record for each rank of each job, in that order: the members, each known by its place. With
/// their machines and nodes, and what is found about them.
struct JobMembers {
  static constexpr std::uint32_t none = 0xffff'ffffU;

  std::span<const JobRecord> records;
  const FindingOptions& options;
  FindingReport& report;
  RecordIndex record;                   // where it is in `records`
  RecordIndex job;                      // number of its job
  SmallVector<std::uint64_t, 16> host;  // hash of its name; 0: no name
  SmallVector<MachineKey, 16> key;
  RecordIndex machine;  // number of its machine; none: not known
  RecordIndex node;     // number of its node; none: not known
  RecordIndex by_host;  // those with a name, by job, host and boot id
  RecordIndex by_node;  // all, by job, machine, node and local rank
  SmallVector<JobFacts, 8> jobs;
  SmallVector<bool, 8> has_names;  // by machine: hosts of several names are this machine

  constexpr JobMembers(const FindingOptions& wanted, FindingReport& told)
      : records(told.records), options(wanted), report(told) {}
  // Declared, since nvcc takes no other one for constexpr.
  constexpr ~JobMembers() = default;

  constexpr std::size_t size() const { return record.size(); }
  constexpr const JobRecord& operator[](std::size_t i) const { return records[record[i]]; }
  constexpr const JobFacts& job_of(std::size_t i) const { return jobs[job[i]]; }

  constexpr bool have_other_names(std::uint32_t a, std::uint32_t b) const {
    return host[a] != 0 && host[b] != 0 && host[a] != host[b];
  }

  /// Calls `visit(begin, end)` for the run of places of each job.
  constexpr void for_each_job(const auto& visit) const {
    for_each_run(
        0, size(), [this](std::size_t i, std::size_t k) { return job[i] == job[k]; }, visit);
  }
  /// Calls `visit(Group)` for the members of each machine or node, by the list of their numbers.
  constexpr void for_each_group(const RecordIndex& number, const auto& visit) const {
    for_each_equal(by_node, detail::by(*this, number), [&](Group group) {
      if (number[group[0]] != none) visit(group);
    });
  }
  /// See by() of records.
  constexpr auto by(const auto&... keys) const { return detail::by(*this, keys...); }
  /// The records of the members [begin, end) that tell this.
  constexpr RecordIndex records_with(auto member, std::size_t begin, std::size_t end) const {
    const JobRecord unknown;
    RecordIndex rows;
    for (std::size_t i = begin; i != end; ++i) {
      if (member_of((*this)[i], member) != member_of(unknown, member)) rows.push_back(record[i]);
    }
    return rows;
  }

  constexpr void mark(FindingKind kind, std::uint32_t member) { report.mark(kind, record[member]); }
  /// Marks a group, and reports it as a case that begins with its lowest member.
  constexpr void found(FindingKind kind, Severity severity, Group group, const auto&... pieces) {
    std::uint32_t least = group[0];
    for (const std::uint32_t member : group) {
      mark(kind, member);
      if (member < least) least = member;
    }
    report.found(kind, severity, least, pieces...);
  }
  constexpr void found(FindingKind kind, Severity severity, std::uint32_t member,
                       const auto&... pieces) {
    found(kind, severity, Group(&member, 1), pieces...);
  }
  /// find_exceptions() of the members [begin, end) that tell the value.
  constexpr void find_differences(FindingKind kind, Severity severity, std::string_view what,
                                  auto member, std::size_t begin, std::size_t end) {
    find_exceptions(report, kind, severity, begin, records_with(member, begin, end), what, member);
  }
};

/// "the machine of 3 ranks, the CPUs of 16 ranks".
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

/// The machine is the boot id. A record without one is on the machine of its host's name, if all
/// others with that name are on one machine. If they are on several, its machine is not known.
constexpr void tell_machines_apart(JobMembers& members) {
  members.host.resize(members.size());
  members.key.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const JobRecord& record = members[i];
    if (record.boot != 0) members.key[i] = {MachineKey::Kind::boot, record.boot};
    if (record.host.empty()) continue;
    members.host[i] = machine_identity(record.host);
    members.by_host.push_back(static_cast<std::uint32_t>(i));
  }
  sort_by(members.by_host, by(members, members.job, members.host, &JobRecord::boot));
  for_each_equal(members.by_host, by(members, members.job, members.host), [&](Group group) {
    // Those without a boot id come first.
    std::size_t known = 0;
    while (known != group.size() && members[group[known]].boot == 0) ++known;
    MachineKey key;
    if (known == group.size()) {
      key = {MachineKey::Kind::host, members.host[group[0]]};
    } else if (members[group[known]].boot == members[group.back()].boot) {
      key = {MachineKey::Kind::boot, members[group[known]].boot};
    }
    for (const std::uint32_t member : group.first(known)) members.key[member] = key;
  });
}

/// Numbers machines and nodes. A node is what the launcher calls one, on one machine. Without a
/// node rank, it is a host name on one machine.
constexpr void number_nodes(JobMembers& members) {
  const std::size_t size = members.size();
  members.machine.resize(size);
  members.node.resize(size);
  members.has_names.resize(size);
  const auto host = [&](std::uint32_t m) {
    return members[m].node_rank >= 0 ? 0 : members.host[m];
  };
  const auto by_machine = by(members, members.job, members.key);
  const auto in_machine = by(members, &JobRecord::node_rank, host);
  members.by_node = sorted_by(size, by(members, members.job, members.key, &JobRecord::node_rank,
                                       host, &JobRecord::local_rank));
  std::uint32_t machine = 0;
  std::uint32_t node = 0;
  for_each_equal(members.by_node, by_machine, [&](Group on_machine) {
    const bool is_known = members.key[on_machine[0]].kind != MachineKey::Kind::none;
    for_each_equal(on_machine, in_machine, [&](Group on_node) {
      for (const std::uint32_t here : on_node) {
        const bool is_named = is_known && members.host[here] != 0;
        if (members.have_other_names(on_machine[0], here)) members.has_names[machine] = true;
        members.machine[here] = is_known ? machine : JobMembers::none;
        members.node[here] = is_named || members[here].node_rank >= 0 ? node : JobMembers::none;
      }
      ++node;
    });
    ++machine;
  });
  members.for_each_job([&](std::size_t begin, std::size_t end) {
    JobFacts& job = members.jobs[members.job[begin]];
    job.has_nodes = job.is_whole;
    for (std::size_t i = begin; i != end; ++i) {
      job.has_nodes = job.has_nodes && members.node[i] != JobMembers::none &&
                      members.key[i].kind == members.key[begin].kind &&
                      (members[i].node_rank >= 0) == (members[begin].node_rank >= 0);
    }
  });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_JOB_GROUPS_HPP
