// SPDX-License-Identifier: MIT
// How records compare: which are equal in some members, which are of one process, and their order,
// by job, then by rank. So no result depends on the order in which records arrive.
#ifndef RANKMAP_JOB_DETAIL_RECORD_ORDER_HPP
#define RANKMAP_JOB_DETAIL_RECORD_ORDER_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/rank_list.hpp>
#include <rankmap/job/record_bytes.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// Positions in a list of records.
using RecordIndex = Indices;

/// -1, 0 or 1, as a is before b, equal or after it.
template <class T>
constexpr int compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

/// A key of by() as a function of the place.
template <class Records, class Key>
constexpr auto key_of(const Records& records, const Key& key) {
  if constexpr (std::is_member_object_pointer_v<Key>) {
    return [&records, key ](std::uint32_t place) -> const auto& {
      return member_of(records[place], key);
    };
  } else if constexpr (requires { key.size(); }) {
    return [&key](std::uint32_t place) { return key[place]; };
  } else {
    return key;
  }
}
/// Compares places by the first of these keys that differs: below 0 where `a` comes first. A key is
/// a list with an element a place, a member of the record there, or a function of the place.
constexpr auto by(const auto& records, const auto&... keys) {
  return [... key = key_of(records, keys)](std::uint32_t a, std::uint32_t b) {
    int order = 0;
    (void)((order = compare(key(a), key(b)), order != 0) || ...);
    return order;
  };
}

/// The order of two records by their bytes, so that only equal records are equal.
constexpr int compare_bytes(const JobRecord& a, const JobRecord& b) {
  if (a == b) return 0;
  std::byte bytes_of_a[JobRecord::bytes] = {};
  std::byte bytes_of_b[JobRecord::bytes] = {};
  write_record(a, bytes_of_a);
  write_record(b, bytes_of_b);
  std::size_t same = 0;
  while (bytes_of_a[same] == bytes_of_b[same]) ++same;
  return compare(bytes_of_a[same], bytes_of_b[same]);
}

constexpr void sort_by(RecordIndex& order, const auto& compared) {
  merge_sort(order, [&](std::uint32_t a, std::uint32_t b) { return compared(a, b) < 0; });
}
/// All places below `size`, in order.
constexpr RecordIndex sorted_by(std::size_t size, const auto& compared) {
  return sorted_indices(size, [&](std::uint32_t a, std::uint32_t b) { return compared(a, b) < 0; });
}

/// Calls `visit(begin, end)` for each longest run of places in which `is_same(place - 1, place)`.
constexpr void for_each_run(std::size_t begin, std::size_t end, const auto& is_same,
                            const auto& visit) {
  while (begin < end) {
    std::size_t next = begin + 1;
    while (next < end && is_same(next - 1, next)) ++next;
    visit(begin, next);
    begin = next;
  }
}

/// Some places of a list.
using Group = std::span<const std::uint32_t>;

/// Calls `visit(Group)` for each longest run of `order` whose places are equal by `compared`.
constexpr void for_each_equal(Group order, const auto& compared, const auto& visit) {
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && compared(order[end - 1], order[end]) == 0) ++end;
    visit(order.subspan(begin, end - begin));
  }
}
/// The same after sorting.
constexpr void for_each_sorted(RecordIndex& order, const auto& compared, const auto& visit) {
  sort_by(order, compared);
  for_each_equal(order, compared, visit);
}
/// The same for the groups of two and more.
constexpr void for_each_shared(RecordIndex& order, const auto& compared, const auto& visit) {
  for_each_sorted(order, compared, [&](Group group) {
    if (group.size() > 1) visit(group);
  });
}

/// Keeps the first of each run of for_each_equal().
constexpr void keep_first(RecordIndex& order, const auto& compared) {
  std::size_t kept = 0;
  for_each_equal(order, compared, [&](Group group) { order[kept++] = group[0]; });
  order.resize(kept);
}

constexpr bool all_of(const auto& range, const auto& is_so) {
  for (const auto& item : range) {
    if (!is_so(item)) return false;
  }
  return true;
}

enum class SameProcess : std::uint8_t { yes, no, not_known };

constexpr SameProcess same_process(const JobRecord& a, const JobRecord& b) {
  const bool boots_known = a.boot != 0 && b.boot != 0;
  if (boots_known && a.boot != b.boot) return SameProcess::no;
  const bool hosts_known = !a.host.empty() && !b.host.empty();
  // Containers of one machine have names of their own, but a process has one name.
  if (hosts_known && a.host != b.host) return SameProcess::no;
  const bool spaces_known = a.pid_namespace != 0 && b.pid_namespace != 0;
  if (spaces_known && a.pid_namespace != b.pid_namespace) return SameProcess::no;
  if (a.pid < 0 || b.pid < 0) return SameProcess::not_known;
  if (a.pid != b.pid) return SameProcess::no;
  return boots_known || hosts_known ? SameProcess::yes : SameProcess::not_known;
}

/// Whether two processes claim the same node, on two machines or in two containers of one.
constexpr bool is_one_node_twice(const JobRecord& a, const JobRecord& b) {
  const bool are_machines = a.boot != 0 && b.boot != 0 && a.boot != b.boot;
  const bool are_hosts = !a.host.empty() && !b.host.empty() && a.host != b.host;
  return (are_machines || are_hosts) && a.node_rank >= 0 && a.node_rank == b.node_rank;
}

/// The positions of the records in their order. If merged, only the first of equal ones.
constexpr RecordIndex records_in_order(std::span<const JobRecord> records, bool is_merged) {
  const std::size_t size = records.size();
  SmallVector<std::uint64_t, 16> jobs(size);  // hashes: most records are of one job
  for (std::size_t i = 0; i < size; ++i) jobs[i] = machine_identity(records[i].job);
  const auto by_process =
      by(records, &JobRecord::rank, &JobRecord::world_size, &JobRecord::restart_count,
         &JobRecord::host, &JobRecord::boot, &JobRecord::pid_namespace, &JobRecord::pid);
  const auto compared = [&](std::uint32_t a, std::uint32_t b) {
    if (jobs[a] != jobs[b]) return compare(records[a].job, records[b].job);
    const int order = by_process(a, b);
    return order != 0 ? order : compare_bytes(records[a], records[b]);
  };
  RecordIndex order = sorted_by(size, compared);
  if (is_merged) keep_first(order, compared);
  return order;
}

/// The list of these ranks, which may come in any order and repeat.
constexpr RankList rank_list(RecordIndex ranks) {
  RankList out;
  for_each_sorted(ranks, compare<std::uint32_t>,
                  [&](Group same) { out.add(static_cast<int>(same[0])); });
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_ORDER_HPP
