// SPDX-License-Identifier: MIT
// Which device is mine where each process sees a list of its own: from the lists of all processes
// of the node, by one all-gather, an assignment that gives no two of them the same.
#ifndef RANKMAP_DEVICE_DEVICE_OFFERS_HPP
#define RANKMAP_DEVICE_DEVICE_OFFERS_HPP

#include <rankmap/all_gather.hpp>
#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/check_rank.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/device/detail/least_sum.hpp>
#include <rankmap/device/detail/policy_rules.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// What one process sees: the devices by which it is known on the whole node, in visible order, and
/// what each costs it. Trivially copyable.
struct DeviceOffer {
  static constexpr int capacity = 48;     ///< devices of one process, and processes of one node
  static constexpr int max_cost = 65535;  ///< for example a NUMA distance, 10 to 255
  [[deprecated("use max_cost")]] static constexpr int most_cost = max_cost;
  static constexpr std::size_t bytes = 512;

  std::uint64_t node = 0;  ///< such as machine_identity(boot id): equal on one node alone
  int local_rank = 0;
  int size = 0;
  std::uint64_t ids[static_cast<std::size_t>(capacity)] = {};  ///< never 0
  int costs[static_cast<std::size_t>(capacity)] = {};

  /// Appends the next visible device. `name`: what no other device of the node is called, in the
  /// same spelling on every process: a UUID, or a PCI address with the number of the partition.
  /// Never an index: with device cgroups every process counts from 0. False if it is empty, if
  /// `cost` is not in [0, max_cost], or with `capacity` devices. O(length).
  constexpr bool add(std::string_view name, int cost = 0) {
    if (name.empty() || cost < 0 || cost > max_cost || size == capacity) return false;
    const std::uint64_t hash = detail::hash_text(name, 0);
    ids[size] = hash == 0 ? 1 : hash;
    costs[size++] = cost;
    return true;
  }
};

namespace detail {

inline constexpr std::uint32_t offer_mark = 0x52'4d'44'31;  // sent as "1DMR", unlike a domain's

constexpr void write_offer(const DeviceOffer& offer, std::span<std::byte> out) {
  ByteWriter to(out);
  to.number(offer_mark, 4);
  to.number(offer.node, 8);
  to.integer(offer.local_rank);
  to.integer(offer.size);
  for (int i = 0; i != offer.size; ++i) {
    to.number(offer.ids[i], 8);
    to.number(static_cast<std::uint64_t>(offer.costs[i]), 2);
  }
  to.fill();
}

constexpr bool has_valid_size(const DeviceOffer& offer) {
  return offer.local_rank >= 0 && offer.size >= 0 && offer.size <= DeviceOffer::capacity;
}

/// As add() makes it: its members can be set directly, and a cost is sent in two bytes.
constexpr bool is_valid(const DeviceOffer& offer) {
  if (!has_valid_size(offer)) return false;
  for (int i = 0; i != offer.size; ++i) {
    const bool has_cost = offer.costs[i] >= 0 && offer.costs[i] <= DeviceOffer::max_cost;
    if (!has_cost || offer.ids[i] == 0) return false;
  }
  return true;
}

constexpr std::optional<DeviceOffer> read_offer(std::span<const std::byte> in) {
  ByteReader from(in);
  DeviceOffer offer;
  if (from.number(4) != offer_mark) return std::nullopt;
  offer.node = from.number(8);
  offer.local_rank = from.integer();
  offer.size = from.integer();
  if (!has_valid_size(offer)) return std::nullopt;
  for (int i = 0; i != offer.size; ++i) {
    offer.ids[i] = from.number(8);
    offer.costs[i] = static_cast<int>(from.number(2));
  }
  return from.ends() && is_valid(offer) ? std::optional<DeviceOffer>(offer) : std::nullopt;
}

}  // namespace detail

/// Gathers all offers. Writes those of this node to `out`, by local rank, and returns their number.
///
/// `mine`: of this process. `world_size`: how many processes take part in the collective.
/// `all_gather`: see AllGather; it sends DeviceOffer::bytes, 512 bytes on every rank, and is called
/// exactly once on each. Errors: out_of_range (`world_size` below 1), gather_failed (the collective
/// failed, or some rank sent no offer, or one that add() does not make), limit_exceeded (more on
/// this node than `out` holds), inconsistent (two processes of a node have one local rank).
/// O(world_size).
template <AllGather Gather>
Result<int> gather_device_offers(const DeviceOffer& mine, int world_size,
                                 std::span<DeviceOffer> out, Gather&& all_gather) {
  if (const auto error = detail::check_world_size(world_size)) return *error;
  std::byte sent[DeviceOffer::bytes] = {};  // zeros are no offer on any rank
  if (detail::is_valid(mine)) detail::write_offer(mine, sent);
  detail::GatheredBytes<DeviceOffer::bytes> all(world_size);
  if (const auto error = all.gather(sent, all_gather)) return *error;
  int size = 0;
  for (int rank = 0; rank != world_size; ++rank) {
    const std::optional<DeviceOffer> offer = detail::read_offer(all.record(rank));
    if (!offer) {
      return detail::error_at(
          Errc::gather_failed, detail::concat("record of rank ", rank), "no offer",
          "a device offer of the same version of rankmap, as add() makes it",
          "start one program on all ranks; in the program, make each offer by add()");
    }
    if (offer->node != mine.node) continue;
    if (static_cast<std::size_t>(size) == out.size()) {
      return detail::error_at(Errc::limit_exceeded, "processes of this node",
                              detail::concat("more than ", size),
                              detail::concat("at most ", size, ", the size of the caller's list"),
                              "pass a longer list; `node` must differ between nodes");
    }
    const int at = detail::insert_sorted(
        out.data(), size++, *offer,
        [](const DeviceOffer& a, const DeviceOffer& b) { return a.local_rank < b.local_rank; });
    if (at > 0 && out[static_cast<std::size_t>(at - 1)].local_rank == offer->local_rank) {
      return detail::error_at(
          Errc::inconsistent, "local rank", detail::concat(offer->local_rank, " twice"),
          "one process of each local rank on a node", "pass a `node` that differs between nodes");
    }
  }
  if (const auto error = all.check_own(mine.local_rank, sent)) return *error;
  return size;
}

namespace device_policy {

/// One device for each process, no two the same, with the least sum of costs: for lists that differ
/// between processes, as --gpu-bind=closest gives them.
///
/// `offers`: of all processes of the node, in order of local rank, equal on each of them, from
/// gather_device_offers. `sharing`: how many processes may have one device. Every process computes
/// the same assignment; of those of least sum the lowest ranks have the lowest devices, in the
/// order in which the offers name them. Errors: inconsistent (the offers are not those of this
/// node's processes, or this process offers another number than is visible), not_enough_devices (no
/// assignment exists), limit_exceeded (more than 48 processes, or devices times `sharing`),
/// out_of_range, no_device. O(size cubed); no allocation.
struct disjoint {
  std::span<const DeviceOffer> offers = {};
  int sharing = 1;

  constexpr Result<Device> operator()(const DeviceRequest& request) const {
    if (const auto error = detail::check_request(request)) return *error;
    if (sharing < 1) return detail::bad_sharing("device_policy::disjoint::sharing", sharing);
    if (const auto error = check_offers(request)) return *error;
    const int processes = static_cast<int>(offers.size());
    DeviceOffer all;  // their devices, each once
    for (const DeviceOffer& offer : offers) {
      for (int i = 0; i != offer.size; ++i) {
        if (index_in(all, offer.ids[i]) >= 0) continue;
        if (all.size == capacity / sharing) return too_many(all.size + 1, "devices");
        all.ids[all.size++] = offer.ids[i];
      }
    }
    const int slots = all.size * sharing;
    const auto cost = [&](int row, int column) {
      if (row >= processes) return 0;
      const DeviceOffer& offer = offers[static_cast<std::size_t>(row)];
      const int at = column < slots ? index_in(offer, all.ids[column / sharing]) : -1;
      return at < 0 ? forbidden : offer.costs[at];
    };
    const detail::LeastSum<capacity> assignment(slots < processes ? processes : slots, cost);
    for (int row = 0; row != processes; ++row) {
      if (cost(row, assignment.column(row)) == forbidden) return not_enough(all.size);
    }
    const int rank = request.local_index();
    const std::uint64_t mine = all.ids[assignment.column(rank) / sharing];
    return detail::make_device(
        request, "disjoint", index_in(offers[static_cast<std::size_t>(rank)], mine), 1,
        sharing == 1 ? DeviceBasis::isolated : DeviceBasis::policy,
        sharing == 1 ? detail::concat("no other process has this device (the lists of all ",
                                      processes, " local processes)")
                     : detail::concat("at most ", sharing, " of ", processes,
                                      " local processes have this device (the lists of all)"));
  }

 private:
  static constexpr int capacity = DeviceOffer::capacity;
  static constexpr int forbidden = 1 << 24;

  static constexpr int index_in(const DeviceOffer& offer, std::uint64_t id) {
    for (int i = 0; i != offer.size; ++i) {
      if (offer.ids[i] == id) return i;
    }
    return -1;
  }
  RANKMAP_RARE static constexpr Error too_many(int found, std::string_view of_what) {
    return detail::error_at(Errc::limit_exceeded, "device_policy::disjoint::offers",
                            detail::concat(found, " ", of_what),
                            detail::concat("at most ", capacity, " of a node, times `sharing`"),
                            "bind by the launcher");
  }
  constexpr detail::Optional<Error> check_offers(const DeviceRequest& request) const {
    if (offers.size() > static_cast<std::size_t>(capacity)) {
      return too_many(capacity + 1, "processes or more");
    }
    const auto inconsistent = [](std::string_view found, std::string_view expected,
                                 std::string_view remedy =
                                     "gather an offer from each process of the node") {
      return detail::error_at(Errc::inconsistent, "device_policy::disjoint::offers", found,
                              expected, remedy);
    };
    const std::optional<int> size = request.local_size();
    const auto rank = static_cast<std::size_t>(request.local_index());
    if (size ? offers.size() != static_cast<std::size_t>(*size) : offers.size() <= rank) {
      return inconsistent(
          detail::concat(std::uint64_t{offers.size()}, " offers"),
          size ? detail::concat(*size, ", one for each local process")
               : detail::concat("more than ", request.local_index(), ", the local rank"));
    }
    for (std::size_t i = 0; i != offers.size(); ++i) {
      const bool is_here = offers[i].local_rank == static_cast<int>(i);
      if (is_here && detail::is_valid(offers[i])) continue;
      const StaticString<159> found = detail::concat("local rank ", offers[i].local_rank);
      if (is_here && detail::has_valid_size(offers[i])) {
        return inconsistent(found,
                            detail::concat("names that are not 0 and costs in [0, ",
                                           DeviceOffer::max_cost, "] for each device"),
                            "make it by add()");
      }
      return inconsistent(found, detail::concat("local rank ", std::uint64_t{i}, " at this place"));
    }
    if (offers[rank].size != request.visible_count) {
      return inconsistent(detail::concat(offers[rank].size, " devices"),
                          detail::concat(request.visible_count, ", as many as are visible"));
    }
    return {};
  }
  RANKMAP_RARE constexpr Error not_enough(int devices) const {
    return detail::error_at(
        Errc::not_enough_devices, "visible devices of the node", detail::concat(devices),
        detail::concat("one for each of ", std::uint64_t{offers.size()},
                       " local processes among those that it sees, ", sharing,
                       sharing == 1 ? " process on each" : " processes on each"),
        "show them more devices, or start fewer processes; in the program, raise `sharing`");
  }
};

}  // namespace device_policy

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DEVICE_OFFERS_HPP
