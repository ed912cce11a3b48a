// SPDX-License-Identifier: MIT
// Which leaf switches list each host of a job.
#ifndef RANKMAP_DOMAIN_DETAIL_LISTED_HOSTS_HPP
#define RANKMAP_DOMAIN_DETAIL_LISTED_HOSTS_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/rank_hash_table.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/domain/detail/switch_climb.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A switch that lists a host.
struct SwitchLink {
  std::uint32_t of_switch = 0;
  std::int32_t before = -1;  ///< the one before it in the text, by its place in the list of these
};

/// The hosts of a job by name, and for each the switches that list it: a chain, the last switch
/// first.
class ListedHosts {
 public:
  static constexpr std::size_t max_hosts = std::size_t{1} << 24U;  // see Domains
  static constexpr std::size_t max_links = std::size_t{1} << 22U;

  static constexpr Result<ListedHosts> make(const HostList& hosts) {
    if (hosts.size() >= max_hosts) {
      return error_at(Errc::limit_exceeded, "hosts", concat(hosts.size()), "fewer than 2^24 hosts",
                      "pass the hosts of one job");
    }
    return ListedHosts(hosts);
  }

  /// Adds the hosts that a switch lists. Switches come in ascending order.
  constexpr Optional<Error> add(const HostList& nodes, std::uint32_t of_switch) {
    // The shorter way: each host that is listed, or each host of the job in the text of the list. A
    // host that is listed takes about as long as some 32 bytes of text.
    if (nodes.size() / (nodes.text().size() / 32 + 1) <= first_.size()) {
      for (const HostName& host : nodes) {
        const int found = by_name_.find(hash_text(host, 0), [&](int other) {
          return name(static_cast<std::size_t>(other)) == host.view();
        });
        if (found >= 0 && !add(static_cast<std::size_t>(found), of_switch)) return too_many();
      }
      return {};
    }
    for (std::size_t i = 0; i != first_.size(); ++i) {
      if (is_first(i) && nodes.find(name(i)) && !add(i, of_switch)) return too_many();
    }
    return {};
  }

  /// The domains of the hosts. Each chain is climbed from once.
  constexpr Result<Domains> domains(SwitchClimb climb) const {
    SmallVector<DomainPath, 4> paths(first_.size());
    RankHashTable by_chain(first_.size());
    for (std::size_t i = 0; i != first_.size(); ++i) {
      if (!is_first(i)) {
        paths[i] = paths[static_cast<std::size_t>(first_[i])];
        continue;
      }
      std::uint64_t hash = fnv_start;
      for (std::int32_t at = last_[i]; at >= 0; at = link(at).before) {
        hash = fnv_step(hash, link(at).of_switch);
      }
      const int like = by_chain.insert(static_cast<int>(i), hash_text({}, hash), [&](int other) {
        return same_chain(last_[i], last_[static_cast<std::size_t>(other)]);
      });
      if (static_cast<std::size_t>(like) != i) {
        paths[i] = paths[static_cast<std::size_t>(like)];
        continue;
      }
      for (std::int32_t at = last_[i]; at >= 0; at = link(at).before) climb.add(link(at).of_switch);
      const Result<DomainPath> path = climb.finish();
      if (!path) return path.error();
      paths[i] = *path;
    }
    return Domains::from_paths(paths);
  }

 private:
  constexpr explicit ListedHosts(const HostList& hosts)
      : by_name_(hosts.size()), ends_(hosts.size()), first_(hosts.size()), last_(hosts.size(), -1) {
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

  constexpr std::string_view name(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {names_.data() + begin, ends_[i] - begin};
  }
  constexpr bool is_first(std::size_t i) const { return first_[i] == static_cast<int>(i); }
  constexpr const SwitchLink& link(std::int32_t at) const {
    return links_[static_cast<std::size_t>(at)];
  }
  constexpr bool same_chain(std::int32_t a, std::int32_t b) const {
    while (a >= 0 && b >= 0 && link(a).of_switch == link(b).of_switch) {
      a = link(a).before;
      b = link(b).before;
    }
    return a < 0 && b < 0;
  }
  // False where there is no room.
  constexpr bool add(std::size_t host, std::uint32_t of_switch) {
    std::int32_t& last = last_[host];
    if (last >= 0 && link(last).of_switch == of_switch) return true;  // listed twice there
    if (links_.size() == max_links) return false;
    links_.push_back({of_switch, last});
    last = static_cast<std::int32_t>(links_.size() - 1);
    return true;
  }

  RANKMAP_RARE static constexpr Error too_many() {
    return error_at(Errc::limit_exceeded, "topology.conf", "",
                    "the hosts of the job at most 2^22 times below its lowest switches",
                    "pass the part that the job needs");
  }

  RankHashTable by_name_;
  SmallVector<char, 64> names_;        // one after the other
  SmallVector<std::size_t, 4> ends_;   // of each in `names_`
  SmallVector<int, 4> first_;          // the first host of the same name
  SmallVector<std::int32_t, 4> last_;  // of each host its chain in `links_`; -1: no switch
  SmallVector<SwitchLink, 4> links_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_LISTED_HOSTS_HPP
