// SPDX-License-Identifier: MIT
// What is read from any source of hosts: the hosts in order, their slots, the host of this process.
#ifndef RANKMAP_HOSTS_HOST_TABLE_HPP
#define RANKMAP_HOSTS_HOST_TABLE_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rankmap::inline v0 {

/// The hosts of a job as a scheduler, a launcher or a file lists them. Slots are places for
/// processes: a launcher may start fewer or more. Made by parse_hosts and read_hosts.
class HostTable {
 public:
  /// The hosts, in the order of the source.
  constexpr const HostList& hosts() const& RANKMAP_LIFETIMEBOUND { return hosts_; }
  constexpr HostList hosts() && { return static_cast<HostList&&>(hosts_); }
  constexpr std::size_t size() const { return hosts_.size(); }
  /// The slots of host `i`, 0 or more, if the source gives them. Precondition: i < size().
  constexpr std::optional<int> slots(std::size_t i) const {
    if (slots_.empty() || slots_[i] < 0) return std::nullopt;
    return slots_[i];
  }
  /// The sum of all slots, if the source gives those of every host. O(size()).
  constexpr std::optional<std::int64_t> total_slots() const {
    if (slots_.empty()) return std::nullopt;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i != slots_.size(); ++i) {
      if (slots_[i] < 0) return std::nullopt;
      sum += slots_[i];
    }
    return sum;
  }
  /// The index of the host of this process, if the source gives it.
  constexpr std::optional<std::size_t> own_index() const { return own_index_; }
  /// For each rank the index of its host, if the source lists ranks; else empty.
  /// Layout::from_nodes takes it.
  constexpr std::span<const int> node_of_rank() const RANKMAP_LIFETIMEBOUND {
    return node_of_rank_;
  }
  /// For each rank the number of its device, if the source lists them; else empty.
  constexpr std::span<const int> device_of_rank() const RANKMAP_LIFETIMEBOUND {
    return device_of_rank_;
  }

 private:
  friend class detail::HostTableBuilder;
  HostList hosts_;
  detail::SmallVector<int, 8> slots_;  // -1: not given; empty: the source gives none
  detail::SmallVector<int, 8> node_of_rank_;
  detail::SmallVector<int, 8> device_of_rank_;
  std::optional<std::size_t> own_index_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_HOSTS_HOST_TABLE_HPP
