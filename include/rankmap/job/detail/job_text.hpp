// SPDX-License-Identifier: MIT
// Writes the table of a job: nodes that look alike once, then the findings. One file, since one
// class chooses the nodes, measures the columns and writes the lines, each step by what the step
// before found.
#ifndef RANKMAP_JOB_DETAIL_JOB_TEXT_HPP
#define RANKMAP_JOB_DETAIL_JOB_TEXT_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/node_shapes.hpp>
#include <rankmap/job/detail/number_runs.hpp>
#include <rankmap/job/detail/record_order.hpp>
#include <rankmap/job/detail/short_forms.hpp>
#include <rankmap/job/detail/text_columns.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

template <class Out>
class JobText {
 public:
  /// `options`: of write_text().
  constexpr JobText(const JobTable& table, const Findings& findings, Out& out, const auto& options)
      : rows_(table.rows()),
        nodes_(rows_, findings),
        findings_(findings),
        out_(out),
        width_(static_cast<std::size_t>(options.width < 64 ? 64 : options.width)),
        max_rows_(static_cast<std::size_t>(options.max_rows < 1 ? 1 : options.max_rows)),
        only_marked_(options.only_marked),
        chosen_(nodes_.size()) {
    for (const JobRecord& record : rows_) {
      is_domain_known_ = is_domain_known_ || !record.domain.empty();
      is_nic_known_ = is_nic_known_ || !record.nic.empty();
      are_cores_known_ = are_cores_known_ || record.cores > 0;
      are_numbers_other_ = are_numbers_other_ || (record.device.physical >= 0 &&
                                                  record.device.physical != record.device.index);
    }
  }

  constexpr void write() {
    const bool has_verdict = write_verdict(choose_nodes());
    if (rows_.empty() && !findings_.empty()) put("no process is known to be a rank\n");
    for_each_run(
        0, nodes_.size(), [this](std::size_t i, std::size_t k) { return job_of(i) == job_of(k); },
        [this](std::size_t begin, std::size_t end) { write_job(begin, end); });
    if (left_out_ != 0) {
      put("\n", left_out_,
          left_out_ == 1 ? " more node is not shown\n" : " more nodes are not shown\n");
    }
    write_findings(has_verdict ? 1 : 0);
  }

 private:
  // The columns of the table.
  enum Cell { domain, host, rank, local, device, number, address, nic, cpus, cores, numa, columns };
  using Table = TextColumns<columns>;
  static constexpr typename Table::Column titles[columns] = {
      {"domain", false, 8}, {"host", false, 8}, {"rank", true, 7},  {"local", true},
      {"device", false},    {"number", true},   {"address", false}, {"NIC", false, 6},
      {"CPUs", false, 8},   {"cores", true},    {"NUMA", false, 4}};

  constexpr void put(const auto&... pieces) { out_(concat(pieces...).view()); }
  constexpr std::string_view job_of(std::size_t node) const {
    return rows_[nodes_[node].first].job;
  }

  // ---- which nodes are shown -------------------------------------------------------------------

  /// Chooses as many nodes as have room: the first of nodes that look alike, and marked nodes
  /// before others. Returns how many lines they take, without titles.
  constexpr std::size_t choose_nodes() {
    std::size_t left = max_rows_;
    for (const bool marked : {true, false}) {
      for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (nodes_[n].like != n || nodes_[n].is_marked != marked) continue;
        std::size_t lines = nodes_[n].alike > 1 ? 1 : 0;
        for_each_line(nodes_[n], [&lines](std::size_t, std::size_t) { ++lines; });
        // One at least, even if it is cut.
        chosen_[n] = (lines <= left || left == max_rows_) && (marked || !only_marked_);
        if (chosen_[n]) {
          left -= lines < left ? lines : left;
        } else {
          left_out_ += nodes_[n].alike;
        }
      }
    }
    return max_rows_ - left;
  }
  /// Visits the runs of a node's rows that share a line: equal rows, and rows that differ only in
  /// ranks that follow each other.
  constexpr void for_each_line(const NodeRows& node, const auto& visit) const {
    for_each_run(
        node.begin, node.end,
        [this](std::size_t i, std::size_t k) {
          const JobRecord& a = nodes_.row(i);
          const JobRecord& b = nodes_.row(k);
          const bool is_next = b.rank == a.rank + 1 && (b.local_rank == a.local_rank + 1 ||
                                                        (a.local_rank < 0 && b.local_rank < 0));
          const bool is_same = b.rank == a.rank && b.local_rank == a.local_rank;
          return (is_next || is_same) && has_same_cells(a, b) && nodes_.mark(i) == nodes_.mark(k);
        },
        visit);
  }
  // ---- the table -------------------------------------------------------------------------------

  constexpr void write_job(std::size_t begin, std::size_t end) {
    std::size_t shown = begin;
    while (shown != end && !chosen_[shown]) ++shown;
    if (shown == end) return;
    if (!is_first_) put("\n");
    is_first_ = false;
    write_header(begin, end);
    put("\n");
    Table table(titles);
    for (std::size_t n = shown; n != end; ++n) {
      if (!chosen_[n]) continue;
      add_node(table, n);
      if (nodes_[n].alike > 1) add_alike(table, n, end);
    }
    table.write(out_, width_);
  }

  /// "16 processes on 2 nodes; world size 16; launcher slurm; job 4711.0".
  constexpr void write_header(std::size_t begin, std::size_t end) {
    const JobRecord& first = rows_[nodes_[begin].first];
    std::size_t processes = 0;
    bool is_one_size = true;
    bool is_one_launcher = true;
    for (std::size_t i = nodes_[begin].first; i < rows_.size() && rows_[i].job == first.job; ++i) {
      is_one_size = is_one_size && rows_[i].world_size == first.world_size;
      is_one_launcher = is_one_launcher && rows_[i].launcher == first.launcher;
      ++processes;
    }
    Message line;
    append_all(line, counted(processes, "process"), " on ", counted(end - begin, "node"),
               when(is_one_size, "; world size ", first.world_size),
               is_one_size ? "" : "; several world sizes",
               is_one_launcher ? "" : "; several launchers",
               when(is_one_launcher && !first.launcher.empty(), "; launcher ", first.launcher),
               when(!first.job.empty(), "; job ", first.job));
    write_wrapped(out_, line, "", width_);
  }

  constexpr void add_node(Table& table, std::size_t n) const {
    std::size_t lines = 0;
    for_each_line(nodes_[n], [&](std::size_t begin, std::size_t end) {
      if (++lines > max_rows_) return;  // a node with more lines than there is room for
      const bool is_first = lines == 1;
      typename Table::Line line;
      line.mark = nodes_.mark(begin);
      const JobRecord& first = nodes_.row(begin);
      const JobRecord& last = nodes_.row(end - 1);
      if (is_first) line.cells[host] = text_or_unknown(first.host);
      if (is_first && is_domain_known_) line.cells[domain] = text_or_unknown(first.domain);
      append_range(line.cells[rank], first.rank, last.rank);
      append_range(line.cells[local], first.local_rank, last.local_rank);
      fill_device(line, first.device);
      if (is_nic_known_) line.cells[nic] = text_or_unknown(first.nic);
      if (are_cores_known_) append_range(line.cells[cores], first.cores, first.cores);
      line.cells[cpus] = text_or_unknown(cpus_text(first));
      line.cells[numa] = text_or_unknown(fold_nodes(first.numa_nodes));
      table.add(line);
    });
    if (lines <= max_rows_) return;
    typename Table::Line line;
    line.cells[device].append("and ").append_number(lines - max_rows_).append(" more");
    table.add(line);
  }
  static constexpr std::string_view text_or_unknown(std::string_view text) {
    return text.empty() ? std::string_view("?") : text;
  }
  static constexpr void append_range(TextCell& cell, int first, int last) {
    if (first >= 0) return append_run(cell, NumberRun{first, last, 1});
    cell.append('?');
  }
  constexpr void fill_device(typename Table::Line& line, const RecordedDevice& recorded) const {
    TextCell& cell = line.cells[device];
    if (!recorded.is_known) {
      cell = "?";
      return;
    }
    cell = name(recorded.kind);
    if (recorded.kind == DeviceKind::cpu) return;
    const int others = recorded.count > 1 ? recorded.count - 1 : 0;
    const int most = INT32_MAX - (recorded.index > 0 ? recorded.index : 0);
    append_range(cell.append(':'), recorded.index,
                 recorded.index + (others < most ? others : most));
    if (are_numbers_other_) append_range(line.cells[number], recorded.physical, recorded.physical);
    line.cells[address] = text_or_unknown(recorded.pci);
  }
  /// Adds one line for all later nodes that look like node `like`.
  constexpr void add_alike(Table& table, std::size_t like, std::size_t end) const {
    HostListBuilder hosts;
    RecordIndex ranks;
    for (std::size_t n = like + 1; n != end; ++n) {
      if (nodes_[n].like != like) continue;
      hosts.add(rows_[nodes_[n].first].host);
      for (std::size_t i = nodes_[n].begin; i != nodes_[n].end; ++i) {
        ranks.push_back(static_cast<std::uint32_t>(nodes_.row(i).rank));
      }
    }
    typename Table::Line line;
    line.mark = nodes_[like].is_marked ? nodes_.mark(nodes_[like].begin) : ' ';
    const auto folded = hosts.finish();
    if (folded) {
      line.cells[host] = cut_to(folded->text());
    } else {
      line.cells[host].append_number(nodes_[like].alike - 1).append(" nodes");
    }
    line.cells[rank] = cut_to(to_string(rank_list(std::move(ranks))));
    line.cells[device] = "as above";
    table.add(line);
  }

  // ---- findings --------------------------------------------------------------------------------

  constexpr void write_finding(const Finding& finding) {
    write_wrapped(out_, headline(finding), "", width_);
    write_wrapped(out_, finding.evidence, "  ", width_);
    write_wrapped(out_, remedy(finding.kind), "  ", width_);
  }

  /// Above a table that may fill a screen, writes the worst finding and how many more there are.
  /// Returns whether it does.
  constexpr bool write_verdict(std::size_t lines) {
    const std::size_t wrong = findings_.count(Severity::warning);
    if (lines < 20 || wrong == 0) return false;
    write_finding(findings_[0]);
    if (wrong != 1) put("and ", wrong - 1, " more below the table\n");
    put("\n");
    return true;
  }

  constexpr void write_findings(std::size_t first) {
    for (std::size_t i = first; i != findings_.size(); ++i) {
      put("\n");
      write_finding(findings_[i]);
    }
    if (findings_.empty()) put("\nnothing wrong was found\n");
    if (findings_.unknown_facts().empty()) return;
    StaticString<511> line("unknown, so not checked: ");
    put("\n");
    write_wrapped(out_, line.append(findings_.unknown_facts()), "", width_);
  }

  const JobRows rows_;
  const NodeShapes nodes_;
  const Findings& findings_;
  Out& out_;
  std::size_t width_;
  std::size_t max_rows_;
  bool only_marked_;
  SmallVector<bool, 4> chosen_;
  std::size_t left_out_ = 0;
  bool is_first_ = true;
  // Of any process: a column in which nothing is known is left out.
  bool is_domain_known_ = false;
  bool is_nic_known_ = false;
  bool are_cores_known_ = false;
  bool are_numbers_other_ = false;  // a variable hides devices or reorders them
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_JOB_TEXT_HPP
