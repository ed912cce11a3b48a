// SPDX-License-Identifier: MIT
// How many ranks each node has and in which order, and whether all agree on that.
#ifndef RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP
#define RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP

#include <rankmap/job/detail/find_places.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/record_values.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

class LayoutRules {
 public:
  constexpr LayoutRules(const JobMembers& members, const PlaceRules& places, FindingReport& report)
      : members_(members), places_(places), report_(report) {}

  constexpr void find(const FindingOptions& options) {
    members_.for_each_group(members_.node, [this](std::size_t begin, std::size_t end) {
      find_wrong_sizes(begin, end);
    });
    members_.for_each_job([&](std::size_t begin, std::size_t end) {
      if (members_.is_one_size[members_.job[begin]]) find_disagreement(begin, end);
      if (can_count(begin)) find_uneven_nodes(begin, end);
    });
    if (options.wants_block_order) find_disorder();
  }

 private:
  constexpr std::uint32_t by_node(std::size_t i) const { return members_.by_node[i]; }
  constexpr void mark(FindingKind kind, std::uint32_t member) {
    report_.mark(kind, members_.record[member]);
  }

  /// Whether the ranks of a node can be counted, in the job of this member.
  constexpr bool can_count(std::size_t member) const {
    const std::uint32_t job = members_.job[member];
    return members_.is_whole[job] && members_.is_located[job];
  }

  /// The local sizes of one node against its members; where not all of these are known, against
  /// each other.
  constexpr void find_wrong_sizes(std::size_t begin, std::size_t end) {
    const std::uint32_t first = by_node(begin);
    if (!members_.is_one_size[members_.job[first]]) return;
    // Containers with names of their own may part what the launcher calls one node.
    const bool is_counted = can_count(first) && (members_[first].node_rank >= 0 ||
                                                 !places_.has_names(members_.machine[first]));
    std::uint32_t told = first;  // who says what the others should say
    int expected = is_counted ? static_cast<int>(end - begin) : -1;
    for (std::size_t i = begin; i != end; ++i) {
      const JobRecord& here = members_[by_node(i)];
      if (here.local_world_size < 0) continue;
      if (expected < 0) {
        told = by_node(i);
        expected = here.local_world_size;
      }
      if (here.local_world_size == expected) continue;
      mark(FindingKind::layout_differs, by_node(i));
      const auto against = [&](Message& out) {
        if (is_counted) {
          out.append("but it has ");
        } else {
          append_rank(out, members_[told]);
          out.append(" says ");
        }
      };
      report_.found(FindingKind::layout_differs, Severity::error, by_node(i), rank_text(here),
                    " says that its node has ", counted(here.local_world_size, "rank"), ", ",
                    against, expected);
    }
  }

  /// `value`: 0 if a record does not know it.
  template <class Value>
  constexpr void find_exceptions(std::size_t begin, std::size_t end, const Value& value,
                                 std::string_view what) {
    RecordIndex known;
    for (std::size_t i = begin; i != end; ++i) {
      if (value(members_[i]) != 0) known.push_back(members_.record[i]);
    }
    if (known.empty()) return;
    const std::size_t most = sort_by_frequency(known, members_.records, value);
    if (most == known.size()) return;
    std::uint32_t first = known[most];
    for (std::size_t i = most; i < known.size(); ++i) {
      report_.mark(FindingKind::layout_differs, known[i]);
      if (members_.records[known[i]].rank < members_.records[first].rank) first = known[i];
    }
    report_.found(FindingKind::layout_differs, Severity::error, begin,
                  rank_text(members_.records[first]), " has ", what, " rank ",
                  members_.records[known[0]].rank, ", with which ", most - 1, " agree");
  }

  /// What all ranks of a job should agree on.
  constexpr void find_disagreement(std::size_t begin, std::size_t end) {
    const auto layout = [](const JobRecord& r) { return std::uint64_t{r.layout}; };
    const auto hosts = [](const JobRecord& r) { return std::uint64_t{r.hosts}; };
    const auto nodes = [](const JobRecord& r) {
      return r.node_count < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(r.node_count);
    };
    find_exceptions(begin, end, layout, "another layout than");
    find_exceptions(begin, end, hosts, "another list of hosts than");
    find_exceptions(begin, end, nodes, "another number of nodes than");
  }

  constexpr void find_uneven_nodes(std::size_t job_begin, std::size_t job_end) {
    std::size_t least = members_.size();
    std::size_t most = 0;
    std::uint32_t smallest = 0;
    std::uint32_t largest = 0;
    std::size_t nodes = 0;
    // A job's members are at the same places in by_node.
    for_each_stretch(
        job_end - job_begin,
        [&](std::size_t i, std::size_t k) {
          return members_.node[by_node(job_begin + i)] == members_.node[by_node(job_begin + k)];
        },
        [&](std::size_t begin, std::size_t end) {
          ++nodes;
          std::uint32_t first = by_node(job_begin + begin);
          for (std::size_t i = begin; i != end; ++i) {
            if (by_node(job_begin + i) < first) first = by_node(job_begin + i);
          }
          if (end - begin < least || (end - begin == least && first < smallest)) {
            least = end - begin;
            smallest = first;
          }
          if (end - begin > most || (end - begin == most && first < largest)) {
            most = end - begin;
            largest = first;
          }
        });
    if (least == most) return;
    mark(FindingKind::uneven_nodes, smallest);
    mark(FindingKind::uneven_nodes, largest);
    report_.found(FindingKind::uneven_nodes, Severity::note, job_begin, nodes, " nodes have ",
                  least, " to ", most, " ranks: that of ", rank_text(members_[smallest]), " has ",
                  least, ", that of ", rank_text(members_[largest]), " has ", most);
  }

  constexpr void find_disorder() {
    RecordIndex behind_last;  // by node: the place behind its last rank so far; 0: none
    behind_last.resize(members_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::uint32_t node = members_.node[i];
      if (node == JobMembers::none || !members_.is_whole[members_.job[i]]) continue;
      const std::uint32_t behind = behind_last[node];
      behind_last[node] = static_cast<std::uint32_t>(i) + 1;
      if (behind == 0 || behind == i) continue;
      mark(FindingKind::out_of_order, static_cast<std::uint32_t>(i));
      report_.found(FindingKind::out_of_order, Severity::note, i, rank_text(members_[i - 1]),
                    " is between ", ranks_text(members_[behind - 1], members_[i]));
    }
  }

  const JobMembers& members_;
  const PlaceRules& places_;
  FindingReport& report_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_LAYOUTS_HPP
