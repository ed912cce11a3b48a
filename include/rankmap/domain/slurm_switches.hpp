// SPDX-License-Identifier: MIT
// The switches or blocks of a whole cluster, as Slurm's topology.conf and `scontrol show topology`
// list them: the path of every host, from one text.
#ifndef RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
#define RANKMAP_DOMAIN_SLURM_SWITCHES_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/detail/read_switches.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {

/// Collects the switches above a host: first those that list it, then all above these. One climb
/// after the other costs no more than the switches that it meets.
class SwitchClimb {
 public:
  /// Views the table.
  constexpr explicit SwitchClimb(const SwitchTable& table)
      : table_(table), is_met_(table.switches.size()) {}

  /// Adds a switch, if it is not there.
  constexpr void add(std::uint32_t i) {
    if (is_met_[i]) return;
    is_met_[i] = true;
    met_.push_back(i);
  }

  /// The path below the switches that were added. Forgets them.
  constexpr Result<DomainPath> finish() {
    for (std::size_t k = 0; k < met_.size(); ++k) {
      const SwitchRow& row = table_.switches[met_[k]];
      for (std::uint32_t at = row.parents; at != SwitchLink::none; at = table_.parents[at].before) {
        add(table_.parents[at].of_switch);
      }
    }
    merge_sort(met_, [this](std::uint32_t a, std::uint32_t b) {
      const int level_a = table_.switches[a].level;
      const int level_b = table_.switches[b].level;
      return level_a != level_b ? level_a < level_b : a < b;
    });
    const Result<DomainPath> out = path();
    for (std::size_t k = 0; k < met_.size(); ++k) is_met_[met_[k]] = false;
    met_.clear();
    return out;
  }

 private:
  // Of switches by level, and in the order of the text in each.
  constexpr Result<DomainPath> path() const {
    SmallString labels[DomainPath::max_levels];
    std::size_t k = 0;
    for (int level = 0; level != table_.levels; ++level) {
      HostListBuilder list;
      const std::size_t first = k;
      for (; k < met_.size() && table_.switches[met_[k]].level == level; ++k) {
        list.add(table_.name(met_[k]));
      }
      if (k == first) {
        if (level != 0) labels[level] = labels[level - 1];
        continue;
      }
      const Result<HostList> several = list.finish();
      if (!several) return several.error();
      labels[level] = k - first == 1 ? SmallString(table_.name(met_[first])) : several->str();
    }
    Result<DomainPath> out = DomainPath();
    for (int level = table_.levels; level-- != 0 && !labels[level].empty();) {
      out = out->with(labels[level], "switches of a host");
      if (!out) break;
    }
    return out;
  }

  const SwitchTable& table_;
  SmallVector<bool, 64> is_met_;
  Indices met_;
};

/// The hosts of a job by name, and for each the switches that list it: a chain of links, one for
/// all hosts that the same switches list.
class ListedHosts {
 public:
  static constexpr std::size_t max_listed = std::size_t{1} << 22U;
  static constexpr std::string_view few =
      "the hosts of the job at most 2^22 times below its lowest switches";
  static constexpr std::size_t max_compared = std::size_t{1} << 25U;

  constexpr explicit ListedHosts(const HostList& hosts)
      : by_name_(hosts.size()),
        ends_(hosts.size()),
        first_(hosts.size()),
        last_(hosts.size(), SwitchLink::none) {
    std::size_t i = 0;
    for (const HostName& host : hosts) {
      names_.append(host.view().data(), host.size());
      ends_[i] = names_.size();
      first_[i] = by_name_.insert(static_cast<int>(i), hash_text(host, 0), [&](int other) {
        return name(static_cast<std::size_t>(other)) == host.view();
      });
      ++i;
    }
  }

  /// Counts the comparisons that a list takes. All lists are counted before one is added, so that
  /// too many of them take no time.
  constexpr Optional<Error> count(const HostListView& nodes) {
    compared_ +=
        is_walked(nodes) ? nodes.size() : first_.size() * cost_of_host(nodes);  // at most its size
    if (compared_ > max_compared) {
      return too_many("lists that need at most 2^25 comparisons with the hosts of the job");
    }
    return {};
  }

  /// Adds the hosts that a switch lists. Switches come in ascending order.
  constexpr Optional<Error> add(const HostList& nodes, std::uint32_t of_switch) {
    if (is_walked(nodes.view())) {
      for (const HostName& host : nodes) {
        const int found = by_name_.find(hash_text(host, 0), [&](int other) {
          return name(static_cast<std::size_t>(other)) == host.view();
        });
        if (found >= 0 && !add(static_cast<std::size_t>(found), of_switch)) return too_many(few);
      }
      return {};
    }
    for (std::size_t i = 0; i != first_.size(); ++i) {
      if (is_first(i) && nodes.find(name(i)) && !add(i, of_switch)) return too_many(few);
    }
    return {};
  }

  /// The domains of the hosts. Each chain is climbed from once.
  constexpr Result<Domains> domains(SwitchClimb climb) const {
    SmallVector<DomainPath, 4> paths(first_.size());
    SmallVector<int, 4> first_of(links_.size() + 1, -1);  // of each chain the first host
    for (std::size_t i = 0; i != first_.size(); ++i) {
      const std::uint32_t last = last_[static_cast<std::size_t>(first_[i])];
      int& first = first_of[last + 1];
      if (first >= 0) {
        paths[i] = paths[static_cast<std::size_t>(first)];
        continue;
      }
      first = static_cast<int>(i);
      for (std::uint32_t at = last; at != SwitchLink::none; at = links_[at].before) {
        climb.add(links_[at].of_switch);
      }
      const Result<DomainPath> path = climb.finish();
      if (!path) return path.error();
      paths[i] = *path;
    }
    return Domains::from_paths(paths);
  }

 private:
  constexpr std::string_view name(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {names_.data() + begin, ends_[i] - begin};
  }
  // The shorter way: each host of the list, or each host of the job in its text, of which some 32
  // bytes take about as long as a host.
  static constexpr std::size_t cost_of_host(const HostListView& nodes) {
    return nodes.text().size() / 32 + 1;
  }
  constexpr bool is_walked(const HostListView& nodes) const {
    return nodes.size() / cost_of_host(nodes) <= first_.size();
  }
  constexpr bool is_first(std::size_t i) const { return first_[i] == static_cast<int>(i); }
  // False where there is no room. Hosts of one chain get one link behind it.
  constexpr bool add(std::size_t host, std::uint32_t of_switch) {
    const std::uint32_t last = last_[host];
    if (last != SwitchLink::none && links_[last].of_switch == of_switch) return true;  // twice
    if (listed_++ == max_listed) return false;
    std::uint32_t& next = next_[last + 1];
    if (next == SwitchLink::none || links_[next].of_switch != of_switch) {
      next = static_cast<std::uint32_t>(links_.size());
      links_.push_back({of_switch, last});
      next_.push_back(SwitchLink::none);
    }
    last_[host] = next_[last + 1];
    return true;
  }

  RANKMAP_RARE static constexpr Error too_many(std::string_view expected) {
    return error_at(Errc::limit_exceeded, "topology.conf", "", expected,
                    "pass the part that the job needs");
  }

  RankHashTable by_name_;
  SmallVector<char, 64> names_;         // one after the other
  SmallVector<std::size_t, 4> ends_;    // of each in `names_`
  SmallVector<int, 4> first_;           // the first host of the same name
  SmallVector<std::uint32_t, 4> last_;  // of each host its chain in `links_`
  SmallVector<SwitchLink, 4> links_;
  // The newest link behind each: that of link i at place i + 1, that of none at 0.
  SmallVector<std::uint32_t, 4> next_{1, SwitchLink::none};
  std::size_t listed_ = 0;  // how often hosts are listed
  std::size_t compared_ = 0;
};

}  // namespace detail

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
    Result<detail::SwitchTable> table = detail::SwitchReader(text, subject).read();
    if (!table) return table.error();
    SlurmSwitches out;
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
    detail::SwitchClimb climb(table_);
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      if (table_.switches[i].level != 0) continue;
      const auto nodes = HostListView::parse(table_.nodes(i), detail::switch_list_limits);
      if (nodes && nodes->find(host)) climb.add(static_cast<std::uint32_t>(i));
    }
    return climb.finish();
  }

  /// The domains of nodes with these hosts, in this order: Domains::from_paths of the path of each.
  ///
  /// Errors: those of path_of and of Domains::from_paths; limit_exceeded where the text lists these
  /// hosts more than 2^22 times, or takes more than 2^25 comparisons of hosts, which is known
  /// before the first one. Paths are made once for all hosts that the same switches list: O(bytes
  /// of the text + hosts that it lists + hosts), and for each path the connections of its switches.
  /// About 300 bytes a host while it runs.
  constexpr Result<Domains> domains_of(const HostList& hosts) const {
    if (hosts.size() >= std::size_t{1} << 24U) {  // as Domains
      return detail::error_at(Errc::limit_exceeded, "hosts", detail::concat(hosts.size()),
                              "fewer than 2^24 hosts", "pass the hosts of one job");
    }
    detail::ListedHosts listed(hosts);
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      if (table_.switches[i].level != 0) continue;
      const auto nodes = HostListView::parse(table_.nodes(i), detail::switch_list_limits);
      if (!nodes) continue;
      if (const auto error = listed.count(*nodes)) return *error;
    }
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      if (table_.switches[i].level != 0) continue;
      const auto nodes = HostList::parse(table_.nodes(i), detail::switch_list_limits);
      if (!nodes) continue;
      if (const auto error = listed.add(*nodes, static_cast<std::uint32_t>(i))) return *error;
    }
    return listed.domains(detail::SwitchClimb(table_));
  }

 private:
  detail::SwitchTable table_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_SLURM_SWITCHES_HPP
