// SPDX-License-Identifier: MIT
//
// The switches or blocks of a whole cluster, as Slurm's topology.conf and `scontrol show topology`
// list them: the path of every host, from one text.
#ifndef RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
#define RANKMAP_DOMAIN_SLURM_SWITCHES_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/detail/read_switches.hpp>
#include <rankmap/domain/detail/switch_table.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

/// The domains of a cluster by the names of its hosts.
class SlurmSwitches {
 public:
  /// No switches: every host is unknown.
  constexpr SlurmSwitches() = default;

  /// Reads a text of lines such as `SwitchName=s4 Switches=s[0-3]`, `SwitchName=s0 Nodes=n[0-7]`
  /// or `BlockName=b1 Nodes=n[0-31]`. Other keys of these lines, such as LinkSpeed, are not used,
  /// nor are lines that begin with BlockSizes, BlockLevels or AggregatedBlock.
  ///
  /// A switch may be below several others. `subject` names the text in errors.
  ///
  /// Errors, with byte positions: bad_file for any other line, for a switch that is listed twice,
  /// is below itself or is named and not there, and for switches and blocks in one text;
  /// bad_host_list for a list that cannot be read; limit_exceeded for more than 8 levels, 65,536
  /// switches or 2^20 connections of switches. O(bytes log bytes), and a copy of the text.
  static constexpr Result<SlurmSwitches> parse(std::string_view text,
                                               std::string_view subject = "topology.conf") {
    SlurmSwitches out;
    out.text_ = SmallString(text);
    Result<detail::SwitchTable> table = detail::read_switches(out.text_, subject);
    if (!table) return table.error();
    out.table_ = *std::move(table);
    return out;
  }

  /// The number of levels: 1 for blocks, 0 where nothing is listed.
  constexpr int level_count() const { return table_.levels; }

  /// The path of a host, the same as its SLURM_TOPOLOGY_ADDR gives. A host that is not listed has
  /// the empty path. A level at which it has no switch has the label of the level below, and
  /// several switches of one level are one label, folded in the order of the text: `s[4-7]`.
  ///
  /// Errors: those of DomainPath::with. O(bytes of the text + connections of switches).
  constexpr Result<DomainPath> path_of(std::string_view host) const {
    detail::SmallVector<bool, 64> above;  // of each switch: whether it is above the host
    above.resize(table_.switches.size());
    SmallString labels[DomainPath::max_levels];
    for (int level = 0; level != table_.levels; ++level) {
      HostListBuilder list;
      int count = 0;
      std::string_view only;
      for (std::size_t i = 0; i != table_.switches.size(); ++i) {
        const detail::SwitchRow& row = table_.switches[i];
        if (row.level != level || !is_above(row, above, host)) continue;
        above[i] = true;
        only = row.name.in(text_);
        list.add(only);
        ++count;
      }
      const Result<HostList> several = list.finish();
      if (!several) return several.error();
      labels[level] = count < 2 ? SmallString(only) : several->str();
    }
    DomainPath out;
    std::string_view below;
    for (int level = 0; level != table_.levels; ++level) {
      if (labels[level].empty()) labels[level] = SmallString(below);
      below = labels[level];
    }
    for (int level = table_.levels; level-- != 0 && !labels[level].empty();) {
      const Result<DomainPath> longer = out.with(labels[level], "switches of a host");
      if (!longer) return longer;
      out = *longer;
    }
    return out;
  }

 private:
  constexpr bool is_above(const detail::SwitchRow& row, const detail::SmallVector<bool, 64>& above,
                          std::string_view host) const {
    if (row.level == 0) {
      const auto nodes = HostListView::parse(row.nodes.in(text_), detail::switch_list_limits);
      return nodes && nodes->find(host);
    }
    for (std::size_t i = row.first_child; i != row.first_child + row.children; ++i) {
      if (above[table_.children[i]]) return true;
    }
    return false;
  }

  SmallString text_;
  detail::SwitchTable table_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
