// SPDX-License-Identifier: MIT
// The switches or blocks of a whole cluster, as Slurm's topology.conf and `scontrol show topology`
// list them: the path of every host, from one text.
#ifndef RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
#define RANKMAP_DOMAIN_SLURM_SWITCHES_HPP

#include <rankmap/domain/detail/listed_hosts.hpp>
#include <rankmap/domain/detail/read_switches.hpp>
#include <rankmap/domain/detail/switch_climb.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
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
    Result<detail::SwitchTable> table = detail::SwitchReader(out.text_, subject).read();
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
  /// Errors: those of DomainPath::with. O(bytes of the text + connections of switches): for the
  /// hosts of a whole job ask domains_of.
  constexpr Result<DomainPath> path_of(std::string_view host) const {
    detail::SwitchClimb climb(table_, text_);
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      if (table_.switches[i].level != 0) continue;
      const auto nodes = HostListView::parse(nodes_of(i), detail::switch_list_limits);
      if (nodes && nodes->find(host)) climb.add(static_cast<std::uint32_t>(i));
    }
    return climb.finish();
  }

  /// The domains of nodes with these hosts, in this order: Domains::from_paths of the path of each.
  ///
  /// Errors: those of path_of and of Domains::from_paths; limit_exceeded where the text lists these
  /// hosts more than 2^22 times. The text is read once, and paths are made once for all hosts that
  /// the same switches list: O(bytes of the text + hosts that it lists + hosts), and for each of
  /// these paths the connections of its switches. About 300 bytes a host while it runs.
  constexpr Result<Domains> domains_of(const HostList& hosts) const {
    Result<detail::ListedHosts> listed = detail::ListedHosts::make(hosts);
    if (!listed) return listed.error();
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      if (table_.switches[i].level != 0) continue;
      const auto nodes = HostList::parse(nodes_of(i), detail::switch_list_limits);
      if (!nodes) continue;
      if (const auto error = listed->add(*nodes, static_cast<std::uint32_t>(i))) return *error;
    }
    return listed->domains(detail::SwitchClimb(table_, text_));
  }

 private:
  constexpr std::string_view nodes_of(std::size_t i) const {
    return table_.switches[i].nodes.in(text_);
  }

  SmallString text_;
  detail::SwitchTable table_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
