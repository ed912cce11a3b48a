// SPDX-License-Identifier: MIT
// Where the processes are: which machines and nodes they share, and with whom their places.
#ifndef RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
#define RANKMAP_JOB_DETAIL_FIND_PLACES_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

class PlaceRules {
 public:
  constexpr PlaceRules(const JobMembers& members, const MachineKeys& keys, FindingReport& report)
      : members_(members), keys_(keys), report_(report) {
    has_names_.resize(members.size());
  }

  constexpr void find() {
    find_name_clashes();
    find_nodes_on_two_machines();
    members_.for_each_group(members_.machine, [this](std::size_t begin, std::size_t end) {
      find_in_machine(begin, end);
    });
    members_.for_each_group(members_.node, [this](std::size_t begin, std::size_t end) {
      find_place_conflicts(begin, end);
    });
  }
  /// Whether hosts of several names are this machine.
  constexpr bool has_names(std::uint32_t machine) const { return has_names_[machine]; }

 private:
  constexpr std::uint32_t by_node(std::size_t i) const { return members_.by_node[i]; }
  constexpr void mark(FindingKind kind, std::uint32_t member) {
    report_.mark(kind, members_.record[member]);
  }

  constexpr void find_name_clashes() {
    const RecordIndex& by_host = keys_.by_host;
    for_each_stretch(
        by_host.size(),
        [&](std::size_t i, std::size_t k) {
          return members_.job[by_host[i]] == members_.job[by_host[k]] &&
                 keys_.host[by_host[i]] == keys_.host[by_host[k]];
        },
        [&](std::size_t begin, std::size_t end) {
          std::size_t first = begin;
          while (first != end && members_[by_host[first]].boot == 0) ++first;
          if (first == end) return;
          std::size_t other = first;
          while (other != end && members_[by_host[other]].boot == members_[by_host[first]].boot) {
            ++other;
          }
          if (other == end) return;
          std::uint32_t least = by_host[first];
          for (std::size_t i = first; i != end; ++i) {
            mark(FindingKind::host_name_clash, by_host[i]);
            if (by_host[i] < least) least = by_host[i];
          }
          // One rank on each of two machines, the lower one first.
          std::uint32_t a = by_host[first];
          std::uint32_t b = by_host[other];
          if (b < a) {
            a = by_host[other];
            b = by_host[first];
          }
          report_.found(FindingKind::host_name_clash, Severity::warning, least, [&](Message& out) {
            append_host(out, members_[a]);
            out.append(" is the name of two machines: ranks ");
            out.append_number(members_[a].rank).append(" and ");
            out.append_number(members_[b].rank).append(" have other boot ids");
          });
        });
  }

  constexpr void find_nodes_on_two_machines() {
    RecordIndex order;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].node_rank < 0 || members_.machine[i] == JobMembers::none) continue;
      order.push_back(static_cast<std::uint32_t>(i));
    }
    sort_by(order, [&](std::uint32_t a, std::uint32_t b) {
      if (const int by_job = compare(members_.job[a], members_.job[b])) return by_job;
      return compare(members_[a].node_rank, members_[b].node_rank);
    });
    for_each_stretch(
        order.size(),
        [&](std::size_t i, std::size_t k) {
          return members_.job[order[i]] == members_.job[order[k]] &&
                 members_[order[i]].node_rank == members_[order[k]].node_rank;
        },
        [&](std::size_t begin, std::size_t end) {
          // A machine by its boot id and one by its name may be the same.
          const MachineKey& key = keys_.machine[order[begin]];
          std::size_t other = begin;
          while (other != end && (keys_.machine[order[other]].kind != key.kind ||
                                  keys_.machine[order[other]] == key)) {
            ++other;
          }
          if (other == end) return;
          for (std::size_t i = begin; i != end; ++i) {
            mark(FindingKind::place_conflict, order[i]);
          }
          report_.found(FindingKind::place_conflict, Severity::error, order[begin],
                        [&](Message& out) {
                          out.append("node ").append_number(members_[order[begin]].node_rank);
                          out.append(" is on two machines: ");
                          append_rank(out, members_[order[begin]]);
                          out.append(", ");
                          append_rank(out, members_[order[other]]);
                        });
        });
  }

  /// Names and nodes of one machine.
  constexpr void find_in_machine(std::size_t begin, std::size_t end) {
    const std::uint32_t first = by_node(begin);
    std::uint32_t least = first;
    std::uint32_t renamed = first;
    std::uint32_t split = first;
    for (std::size_t i = begin; i != end; ++i) {
      const std::uint32_t here = by_node(i);
      if (here < least) least = here;
      const bool has_other_name =
          keys_.host[here] != 0 && keys_.host[first] != 0 && keys_.host[here] != keys_.host[first];
      if (has_other_name && renamed == first) renamed = here;
      const bool is_other_node = members_[here].node_rank >= 0 && members_[first].node_rank >= 0 &&
                                 members_[here].node_rank != members_[first].node_rank;
      if (is_other_node && !has_other_name && split == first) split = here;
    }
    has_names_[members_.machine[first]] = renamed != first;
    if (renamed != first) {
      for (std::size_t i = begin; i != end; ++i) mark(FindingKind::containers, by_node(i));
      report_.found(FindingKind::containers, Severity::note, least, [&](Message& out) {
        append_rank(out, members_[first]);
        out.append(" and ");
        append_rank(out, members_[renamed]);
        out.append(" are on one machine");
      });
    }
    if (split != first) {
      for (std::size_t i = begin; i != end; ++i) mark(FindingKind::split_machine, by_node(i));
      report_.found(FindingKind::split_machine, Severity::note, least, [&](Message& out) {
        append_host(out, members_[first]);
        out.append(" is node ").append_number(members_[first].node_rank).append(" of rank ");
        out.append_number(members_[first].rank).append(" and node ");
        out.append_number(members_[split].node_rank).append(" of rank ");
        out.append_number(members_[split].rank);
      });
    }
  }

  /// Local ranks and namespaces of one node. Its members come by local rank.
  constexpr void find_place_conflicts(std::size_t begin, std::size_t end) {
    std::uint32_t apart = by_node(begin);
    for (std::size_t i = begin; i != end; ++i) {
      const JobRecord& here = members_[by_node(i)];
      const JobRecord& first = members_[by_node(begin)];
      if (here.pid_namespace != 0 && first.pid_namespace != 0 && here.host == first.host &&
          here.pid_namespace != first.pid_namespace) {
        apart = by_node(i);
      }
      if (i == begin || here.local_rank < 0) continue;
      const JobRecord& before = members_[by_node(i - 1)];
      if (before.local_rank != here.local_rank) continue;
      mark(FindingKind::place_conflict, by_node(i - 1));
      mark(FindingKind::place_conflict, by_node(i));
      report_.found(FindingKind::place_conflict, Severity::error, by_node(i - 1),
                    [&](Message& out) {
                      append_ranks(out, before, here);
                      out.append(" are both local rank ").append_number(here.local_rank);
                    });
    }
    if (apart == by_node(begin)) return;
    for (std::size_t i = begin; i != end; ++i) mark(FindingKind::containers, by_node(i));
    report_.found(FindingKind::containers, Severity::note, by_node(begin), [&](Message& out) {
      append_ranks(out, members_[by_node(begin)], members_[apart]);
      out.append(" have different PID namespaces");
    });
  }

  const JobMembers& members_;
  const MachineKeys& keys_;
  FindingReport& report_;
  SmallVector<bool, 8> has_names_;  // by machine: whether it has several
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_PLACES_HPP
