// SPDX-License-Identifier: MIT
//
// What the environment tells about how a launcher handed devices to the processes of a node, as
// data: one row per piece of evidence, the strongest first; the first that holds decides.
#ifndef RANKMAP_DEVICE_DETAIL_ISOLATION_TABLE_HPP
#define RANKMAP_DEVICE_DETAIL_ISOLATION_TABLE_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// How the devices that this process sees relate to those of its neighbours on the node.
enum class Isolation : std::uint8_t {
  unknown,  ///< nothing tells
  own,      ///< the launcher gave each process devices of its own
  bound,    ///< the launcher chose devices for each process; two processes may have the same
  shared,   ///< all processes of the node see the same devices
};

namespace detail {

/// The name of the launcher whose tasks are the processes themselves where Slurm's variables are
/// about them, and of those that leave it open: their variables may have been set by hand in a
/// task.
inline constexpr std::string_view slurm_launcher = "srun";
inline constexpr std::string_view open_launchers[] = {"",          "none", "config",
                                                      "torch env", "pmi",  "pmix"};

enum class Proof : std::uint8_t {
  is_set,             ///< the variable is set
  mentions,           ///< its text holds `text`
  binds,              ///< what it says of GPUs, beside other resources, holds `text`
  asks,               ///< it asks for one or more, of the resource `text` where that is not empty
  more_than_visible,  ///< it is a number above that of the visible devices
};

struct IsolationRow {
  std::string_view variable;
  Proof proof;
  std::string_view text;
  Isolation says;
  bool slurm;  ///< counts only where the local processes are Slurm's own tasks
};

/// Empty means unset: an empty variable proves nothing.
inline constexpr IsolationRow isolation_rows[] = {
    // An agent that starts workers itself gives all of them its own environment, whatever a
    // scheduler outside it did to the agent.
    {"TORCHELASTIC_RUN_ID", Proof::is_set, "", Isolation::shared, false},
    // mpirun and mpiexec may bind devices or not, and do not say so; what an outer Slurm says is
    // about their daemons.
    {"OMPI_COMM_WORLD_LOCAL_RANK", Proof::is_set, "", Isolation::unknown, false},
    {"MPI_LOCALRANKID", Proof::is_set, "", Isolation::unknown, false},
    // Slurm: the binding itself, as slurmd names it or as the user asked for it ...
    {"SLURMD_TRES_BIND", Proof::binds, "per_task", Isolation::own, true},
    {"SLURMD_TRES_BIND", Proof::binds, "none", Isolation::shared, true},
    {"SLURMD_TRES_BIND", Proof::binds, "", Isolation::bound, true},
    {"SLURM_GPU_BIND", Proof::mentions, "per_task", Isolation::own, true},
    {"SLURM_GPU_BIND", Proof::mentions, "none", Isolation::shared, true},
    {"SLURM_GPU_BIND", Proof::is_set, "", Isolation::bound, true},
    // ... and the requests that imply one.
    {"SLURM_TRES_PER_TASK", Proof::asks, "gres/gpu", Isolation::own, true},
    {"SLURM_GPUS_PER_TASK", Proof::asks, "", Isolation::own, true},
    {"SLURM_NTASKS_PER_GPU", Proof::asks, "", Isolation::bound, true},
    {"SLURM_GPUS_ON_NODE", Proof::more_than_visible, "", Isolation::bound, true},
};

}  // namespace detail
}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_DETAIL_ISOLATION_TABLE_HPP
