// SPDX-License-Identifier: MIT
//
// The recorded processes that get an error instead of the truth. The test of the recordings
// compares them with these rows, and fails for a better answer as for a worse one: a row has to be
// removed as soon as it is no longer true.
#ifndef RANKMAP_TESTS_NOT_RIGHT_HPP
#define RANKMAP_TESTS_NOT_RIGHT_HPP

#include <rankmap/identity/config.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>

#include <string_view>

namespace rankmap_test {

/// What the caller of a refused process adds: the launcher to use, and numbers that it knows.
struct Help {
  rankmap::Launcher launcher = rankmap::Launcher::none;  ///< none: not stated
  bool rank = false;
  bool world_size = false;
  bool local = false;  ///< local rank and local size
};
namespace help {
inline constexpr Help world_size = {.world_size = true};
inline constexpr Help all_numbers = {.rank = true, .world_size = true, .local = true};
inline constexpr Help local_numbers = {.local = true};
inline constexpr Help all_but_rank = {.world_size = true, .local = true};
inline constexpr Help pmix = {
    .launcher = rankmap::Launcher::pmix, .world_size = true, .local = true};
inline constexpr Help hydra = {.launcher = rankmap::Launcher::hydra};
inline constexpr Help open_mpi = {.launcher = rankmap::Launcher::open_mpi};
}  // namespace help

/// Processes that get an error, since their variables do not decide.
struct Refused {
  std::string_view recording;
  int first;  ///< rank
  int last;   ///< rank
  rankmap::Errc code;
  Help help;  ///< with this the answer is the truth
  std::string_view why;
};

namespace reasons {
inline constexpr std::string_view slots_of_nodes =
    "a node of HTCondor is a slot; which slots share a machine is in no variable";
inline constexpr std::string_view no_size = "mpiexec -pmi-port: the world size is at a server";
inline constexpr std::string_view mpirun_and_mpiexec =
    "mpirun -n 1 that starts mpiexec -n 3 leaves what mpiexec that starts mpirun leaves";
inline constexpr std::string_view torchrun_and_mpirun =
    "torchrun that starts mpirun leaves what mpirun that starts torchrun leaves";
inline constexpr std::string_view pmix_alone =
    "prterun without a personality: only the rank is in a variable";
inline constexpr std::string_view qrsh =
    "qrsh -inherit: a task of Grid Engine has no rank in its environment";
inline constexpr std::string_view no_step =
    "nothing is left of the step; SLURM_NTASKS may be the job's, as in slurm2411-sbatch-mpich42";
}  // namespace reasons

inline constexpr Refused refused[] = {
    {"condor239-parallel", 0, 2, rankmap::Errc::ambiguous, help::all_numbers,
     reasons::slots_of_nodes},
    {"condor239-parallel-one", 0, 4, rankmap::Errc::missing, help::local_numbers,
     reasons::slots_of_nodes},
    {"mpich-pmi-port", 0, 4, rankmap::Errc::missing, help::world_size, reasons::no_size},
    {"mpich42-in-ompi5", 0, 2, rankmap::Errc::ambiguous, help::hydra, reasons::mpirun_and_mpiexec},
    {"mpich42-pmi-port", 0, 4, rankmap::Errc::missing, help::world_size, reasons::no_size},
    {"ompi5-in-mpich42", 0, 2, rankmap::Errc::ambiguous, help::open_mpi,
     reasons::mpirun_and_mpiexec},
    {"ompi5-prterun-plain", 0, 2, rankmap::Errc::missing, help::all_but_rank, reasons::pmix_alone},
    {"sge819-qrsh", 0, 3, rankmap::Errc::missing, help::all_numbers, reasons::qrsh},
    {"slurm2411-partial-env", 0, 2, rankmap::Errc::missing, help::all_numbers, reasons::no_step},
    {"slurm2411-prterun-by-node", 0, 3, rankmap::Errc::ambiguous, help::pmix, reasons::pmix_alone},
    {"torchrun-then-ompi", 0, 2, rankmap::Errc::ambiguous, help::open_mpi,
     reasons::torchrun_and_mpirun},
    {"torchrun26-then-ompi5", 0, 2, rankmap::Errc::ambiguous, help::open_mpi,
     reasons::torchrun_and_mpirun},
};

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_NOT_RIGHT_HPP
