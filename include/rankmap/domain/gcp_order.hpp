// SPDX-License-Identifier: MIT
// The order that OLMo-core gives hosts on Google Cloud, for jobs that move from there.
#ifndef RANKMAP_DOMAIN_GCP_ORDER_HPP
#define RANKMAP_DOMAIN_GCP_ORDER_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/node_order.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// OLMo-core's `reorder_ranks_in_gcp`: blocks, subblocks and hosts by name, but those of rank 0
/// first. A block may be split where names of subblocks repeat, and b10 comes before b2; a new job
/// does better with order_by_domain.
///
/// `host_of`: the path block/subblock/host of each rank, as parse_physical_host() reads it. Errors:
/// missing for an empty path; inconsistent where two ranks have the same path.
/// O(ranks log ranks) comparisons. Golden-tested.
constexpr Result<NodeOrder> order_ranks_in_gcp(std::span<const DomainPath> host_of) {
  for (std::size_t i = 0; i < host_of.size(); ++i) {
    if (host_of[i].is_known()) continue;
    return detail::error_missing(Errc::missing, detail::concat("host of rank ", i),
                                 "/block/subblock/host", "pass the physical_host of every rank");
  }
  const detail::Indices ranks =
      detail::sorted_indices(host_of.size(), [&](std::uint32_t a, std::uint32_t b) {
        for (int level = 0; level != 3; ++level) {
          const std::string_view mine = host_of[0].label(level);
          const bool other_a = host_of[a].label(level) != mine;
          const bool other_b = host_of[b].label(level) != mine;
          if (other_a != other_b) return other_b;
        }
        for (int level = 0; level != 3; ++level) {
          const int order = host_of[a].label(level).compare(host_of[b].label(level));
          if (order != 0) return order < 0;
        }
        return false;
      });
  detail::SmallVector<int, 16> old_of(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    old_of[i] = static_cast<int>(ranks[i]);
    if (i == 0 || !same_labels(host_of[ranks[i - 1]], host_of[ranks[i]])) continue;
    return detail::error_at(
        Errc::inconsistent, detail::concat("hosts of ranks ", ranks[i - 1], " and ", ranks[i]),
        to_string(host_of[ranks[i]]), "another host for each rank", "pass one rank a host");
  }
  return NodeOrder::from_old(old_of);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_GCP_ORDER_HPP
