// SPDX-License-Identifier: MIT
//
// The one place where the C face asks who a process is.
#ifndef RANKMAP_C_DETAIL_FIND_PROCESS_HPP
#define RANKMAP_C_DETAIL_FIND_PROCESS_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

namespace rankmap::inline v0::detail {

/// The numbers and the launcher of a process; its host stays empty.
template <Environment Env>
Result<rankmap_process> find_process(const Env& environment, int need, const Config& config = {}) {
  rankmap_process out = RANKMAP_PROCESS_INIT;
  const Result<Topology> found = Topology::from_environment(environment, config);
  if (!found && need == RANKMAP_NEED_HINT) return out;
  if (!found) return found.error();
  out.rank = found->rank();
  out.world_size = found->world_size();
  // -1, "not distributed", is the only process of its job here: in C -1 is not known.
  out.local_rank = found->local_rank() < 0 ? 0 : found->local_rank();
  out.local_world_size = found->local_world_size().value_or(-1);
  out.node_rank = found->node_rank().value_or(-1);
  out.node_count = found->node_count().value_or(-1);
  copy_text(name(found->launcher()), out.launcher);
  if (need == RANKMAP_NEED_ALL && out.local_world_size < 0) {
    return error_missing(Errc::missing, "local world size", "the number of processes on this node",
                         "set LOCAL_WORLD_SIZE; in the program, need less than RANKMAP_NEED_ALL");
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_C_DETAIL_FIND_PROCESS_HPP
