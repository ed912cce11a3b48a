// SPDX-License-Identifier: MIT
// Which groups of ranks are in several domains, such as racks, though each should be in one.
#ifndef RANKMAP_JOB_DETAIL_FIND_DOMAINS_HPP
#define RANKMAP_JOB_DETAIL_FIND_DOMAINS_HPP

#include <rankmap/job/detail/finding_report.hpp>
#include <rankmap/job/detail/job_groups.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// `ranks_in_domain`: see FindingOptions. A rank whose domain is not known is in none of them.
constexpr void find_split_groups(const JobMembers& members, int ranks_in_domain,
                                 FindingReport& report) {
  if (ranks_in_domain < 2) return;
  const auto group_of = [&](std::size_t i) { return members[i].rank / ranks_in_domain; };
  for_each_stretch(
      members.size(),
      [&](std::size_t i, std::size_t k) {
        return members.job[i] == members.job[k] && group_of(i) == group_of(k);
      },
      [&](std::size_t begin, std::size_t end) {
        std::size_t first = begin;
        while (first != end && members[first].domain.empty()) ++first;
        std::size_t other = first;
        while (other != end &&
               (members[other].domain.empty() || members[other].domain == members[first].domain)) {
          ++other;
        }
        if (other == end) return;
        for (std::size_t i = begin; i != end; ++i) {
          report.mark(FindingKind::leaves_domain, members.record[i]);
        }
        const int low = group_of(begin) * ranks_in_domain;
        const int left = members[begin].world_size - low;
        report.found(FindingKind::leaves_domain, Severity::warning, begin, "ranks ", low, " to ",
                     low + (left < ranks_in_domain ? left : ranks_in_domain) - 1,
                     " should be in one domain: ", rank_text(members[first]), " is in ",
                     escaped_text(members[first].domain), ", ", rank_text(members[other]), " in ",
                     escaped_text(members[other].domain));
      });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_FIND_DOMAINS_HPP
