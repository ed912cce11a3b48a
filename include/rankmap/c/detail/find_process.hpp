// SPDX-License-Identifier: MIT
// The one place where the C face asks who a process is.
#ifndef RANKMAP_C_DETAIL_FIND_PROCESS_HPP
#define RANKMAP_C_DETAIL_FIND_PROCESS_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/config.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/result.hpp>

namespace rankmap::inline v0::detail {

/// The numbers and the launcher of a process; its host stays empty. `warning`: for the first
/// one, if there is any; or nullptr.
RANKMAP_RARE inline Result<rankmap_process> process_of(const Result<Identity>& found,
                                                       Message* warning) {
  if (!found) return found.error();
  if (warning != nullptr && !found->warnings().empty()) *warning = message(found->warnings()[0]);
  rankmap_process out = RANKMAP_PROCESS_INIT;
  out.rank = found->rank().value_or(-1);
  out.world_size = found->world_size().value_or(-1);
  // "Not distributed" is the only process of its job here: in C -1 is not known.
  out.local_rank = found->local_rank() == -1 ? 0 : found->local_rank().value_or(-1);
  out.local_world_size = found->local_world_size().value_or(-1);
  out.node_rank = found->node_rank().value_or(-1);
  out.node_count = found->node_count().value_or(-1);
  copy_text(found->launcher_name(), out.launcher);
  return out;
}
template <Environment Env>
Result<rankmap_process> find_process(const Env& environment, Need need, const Config& config = {},
                                     Message* warning = nullptr) {
  return process_of(Identity::from_environment(environment, need, config), warning);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_C_DETAIL_FIND_PROCESS_HPP
