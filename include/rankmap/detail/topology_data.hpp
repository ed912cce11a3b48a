// SPDX-License-Identifier: MIT
//
// What the resolver fills and a Topology shows.
#ifndef RANKMAP_DETAIL_TOPOLOGY_DATA_HPP
#define RANKMAP_DETAIL_TOPOLOGY_DATA_HPP

#include <rankmap/detail/draft.hpp>
#include <rankmap/detail/text.hpp>
#include <rankmap/hostlist.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/origin.hpp>
#include <rankmap/rendezvous.hpp>
#include <rankmap/version.hpp>

#include <optional>

namespace rankmap::inline v0::detail {

/// What a topology holds; Topology itself is the reading of it.
struct TopologyData {
  Draft draft;
  bool not_distributed = false;  ///< the historic local_rank == -1
  Launcher launcher = Launcher::none;
  Text<255> host;
  Text<255> job_id;
  Text<31> step_id;
  int restart_count = 0;
  HostList hosts;
  OptionalLayout layout;
  std::optional<Rendezvous> rendezvous;
  Origin origins[field_count];
  ShortList<OtherRecord, 12> others;
  ShortList<Doubt, 8> doubts;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TOPOLOGY_DATA_HPP
