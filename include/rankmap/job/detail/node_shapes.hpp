// SPDX-License-Identifier: MIT
// The nodes of a table by what they look like: nodes that look alike are shown once.
#ifndef RANKMAP_JOB_DETAIL_NODE_SHAPES_HPP
#define RANKMAP_JOB_DETAIL_NODE_SHAPES_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// Whether a line of the table shows the same of both, but for hosts and ranks.
constexpr bool has_same_cells(const JobRecord& a, const JobRecord& b) {
  return a.device.is_known == b.device.is_known && a.device.kind == b.device.kind &&
         a.device.index == b.device.index && a.device.physical == b.device.physical &&
         a.device.count == b.device.count && a.device.pci == b.device.pci && a.cpus == b.cpus &&
         a.cpu_count == b.cpu_count && a.cpu_digest == b.cpu_digest &&
         a.numa_nodes == b.numa_nodes && a.cores == b.cores && a.nic == b.nic &&
         a.domain == b.domain;
}

/// Records with one host, machine and node of one job.
struct NodeRows {
  std::size_t begin = 0;  ///< in NodeShapes::by_node
  std::size_t end = 0;
  std::uint32_t first = 0;  ///< the row that comes first
  std::size_t like = 0;     ///< the first node that looks the same, which may be itself
  std::size_t alike = 0;    ///< if it is that first one: how many look the same
  bool is_marked = false;   ///< has a warning or an error
};

/// The rows of a table, which must outlive it, by nodes.
class NodeShapes {
 public:
  constexpr NodeShapes(const JobRows& rows, const Findings& findings)
      : rows_(rows), marks_(rows.size(), ' ') {
    mark_rows(findings);
    group_rows();
    compare_nodes();
  }

  /// By their first rows.
  constexpr std::size_t size() const { return nodes_.size(); }
  constexpr const NodeRows& operator[](std::size_t i) const { return nodes_[i]; }
  /// The row at a place of a node, from its `begin` to its `end`: by local rank.
  constexpr const JobRecord& row(std::size_t place) const { return rows_[by_node_[place]]; }
  /// ' ', '*' for a warning, '!' for an error.
  constexpr char mark(std::size_t place) const { return marks_[by_node_[place]]; }

 private:
  constexpr void mark_rows(const Findings& findings) {
    // A finding has ranks and no job, which is not enough where several jobs have these ranks.
    if (findings.find(FindingKind::several_jobs) != nullptr) return;
    for (const Finding& finding : findings) {
      if (finding.severity == Severity::note) continue;
      const char mark = finding.severity == Severity::error ? '!' : '*';
      const bool is_of_lone = finding.kind == FindingKind::lone_process;
      for (std::size_t i = 0; i < marks_.size(); ++i) {
        if (is_of_lone && rows_[i].world_size != 1) continue;  // rank 0 of a job of many
        // Errors come first.
        if (marks_[i] == ' ' && finding.ranks.contains(rows_[i].rank)) marks_[i] = mark;
      }
    }
  }

  constexpr void group_rows() {
    by_node_ =
        sorted_by(rows_.size(), by(rows_, &JobRecord::job, &JobRecord::boot, &JobRecord::host,
                                   &JobRecord::node_rank, &JobRecord::local_rank));
    const auto by_node =
        by(rows_, &JobRecord::job, &JobRecord::boot, &JobRecord::host, &JobRecord::node_rank);
    for_each_equal(by_node_, by_node, [&](Group group) {
      NodeRows node;
      node.begin = static_cast<std::size_t>(group.data() - by_node_.data());
      node.end = node.begin + group.size();
      node.first = group[0];
      for (const std::uint32_t row : group) {
        if (row < node.first) node.first = row;
        node.is_marked = node.is_marked || marks_[row] != ' ';
      }
      nodes_.push_back(node);
    });
    merge_sort(nodes_, [](const NodeRows& a, const NodeRows& b) { return a.first < b.first; });
  }

  /// Whether both show the same, but for names, with ranks counted from the first of each node.
  constexpr bool is_alike(const NodeRows& a, const NodeRows& b) const {
    if (a.end - a.begin != b.end - b.begin) return false;
    if (rows_[a.first].job != rows_[b.first].job) return false;
    for (std::size_t i = a.begin, k = b.begin; i != a.end; ++i, ++k) {
      const JobRecord& one = row(i);
      const JobRecord& two = row(k);
      if (one.rank - rows_[a.first].rank != two.rank - rows_[b.first].rank) return false;
      if (one.local_rank != two.local_rank || !has_same_cells(one, two)) return false;
      if (one.sibling_cpus != two.sibling_cpus || mark(i) != mark(k)) return false;
    }
    return true;
  }

  /// A hash of a part of what is_alike() compares.
  constexpr std::uint64_t look_of(const NodeRows& node) const {
    std::uint64_t look = fnv_word(fnv_start, machine_identity(rows_[node.first].job));
    for (std::size_t i = node.begin; i != node.end; ++i) {
      const JobRecord& here = row(i);
      look = fnv_step(look, static_cast<std::uint64_t>(here.rank - rows_[node.first].rank));
      look = fnv_step(look, machine_identity(here.cpus));
      look = fnv_step(look, static_cast<std::uint64_t>(here.device.index) + 1);
      look = fnv_step(look, static_cast<std::uint64_t>(mark(i)));
      look ^= look >> 31U;
    }
    return hash_text({}, look);
  }

  constexpr void compare_nodes() {
    RankHashTable looks(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto is_like = [&](int other) { return is_alike(nodes_[to_size(other)], nodes_[n]); };
      nodes_[n].like = to_size(looks.insert(static_cast<int>(n), look_of(nodes_[n]), is_like));
      ++nodes_[nodes_[n].like].alike;
    }
  }

  const JobRows& rows_;
  SmallVector<char, 16> marks_;  // by row
  RecordIndex by_node_;
  SmallVector<NodeRows, 4> nodes_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_NODE_SHAPES_HPP
