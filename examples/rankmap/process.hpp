// SPDX-License-Identifier: MIT
//
// What is known of this process: a whole topology, or, where a program needs less than that, those
// numbers that are certain.
#ifndef RANKMAP_EXAMPLES_RANKMAP_PROCESS_HPP
#define RANKMAP_EXAMPLES_RANKMAP_PROCESS_HPP

#include <rankmap/identity.hpp>
#include <rankmap/topology.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace program {

class Process {
 public:
  // By the environment. An error where `need` is not known.
  static rankmap::Result<Process> find(rankmap::Need need) {
    Process out;
    auto whole = rankmap::Topology::from_environment();
    if (whole) {
      out.topology_ = *whole;
      return out;
    }
    if (need == rankmap::Need::all) return whole.error();
    const auto numbers = rankmap::Identity::from_environment(need);
    if (!numbers) return numbers.error();
    out.identity_ = *numbers;
    return out;
  }

  const std::optional<rankmap::Topology>& topology() const { return topology_; }
  // -1: it is the only one of its job.
  std::optional<int> local_rank() const {
    return topology_ ? topology_->local_rank() : identity_->local_rank();
  }
  std::optional<int> rank() const { return topology_ ? topology_->rank() : identity_->rank(); }
  std::optional<int> world_size() const {
    return topology_ ? topology_->world_size() : identity_->world_size();
  }
  std::optional<int> local_world_size() const {
    return topology_ ? topology_->local_world_size() : identity_->local_world_size();
  }
  std::optional<int> node_rank() const {
    return topology_ ? topology_->node_rank() : identity_->node_rank();
  }
  std::optional<int> node_count() const {
    return topology_ ? topology_->node_count() : identity_->node_count();
  }
  rankmap::Launcher launcher() const {
    return topology_ ? topology_->launcher() : identity_->launcher();
  }
  std::string launcher_name() const {
    return std::string(topology_ ? topology_->launcher_name() : identity_->launcher_name());
  }

  auto warnings() const { return topology_ ? topology_->warnings() : identity_->warnings(); }

  // The records that are not believed, and the names of their launchers.
  auto other_records() const {
    return topology_ ? topology_->other_records() : identity_->other_records();
  }
  std::string_view launcher_name(rankmap::Launcher launcher) const {
    return topology_ ? topology_->launcher_name(launcher) : identity_->launcher_name(launcher);
  }

 private:
  std::optional<rankmap::Topology> topology_;
  std::optional<rankmap::Identity> identity_;
};

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_PROCESS_HPP
