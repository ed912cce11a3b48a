// SPDX-License-Identifier: MIT
//
// A step of Slurm that a process of another launcher started, with nothing else to ask: two facts
// in the variables prove it, and each of them has a neighbour that proves nothing.
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/identity/identity.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::Identity;
using rankmap::Launcher;
using rankmap::MapEnvironment;
using rankmap::ProofKind;

/// Rank 1 of 3, on the second of two nodes.
constexpr std::string_view step =
    "SLURM_JOB_ID=7\nSLURM_STEP_ID=4\nSLURM_PROCID=1\nSLURM_LOCALID=0\nSLURM_NODEID=1\n"
    "SLURM_GTIDS=1,2\nSLURM_STEP_NUM_TASKS=3\nSLURM_STEP_NUM_NODES=2\n"
    "SLURM_STEP_TASKS_PER_NODE=1,2\nSLURM_STEP_NODELIST=n1,n2\nSLURM_JOB_NODELIST=n1,n2\n"
    "SLURMD_NODENAME=n2\nSLURM_SUBMIT_HOST=login\nSLURM_UMASK=0022\n";
constexpr std::string_view by_open_mpi =
    "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_LOCAL_RANK=0\n"
    "OMPI_COMM_WORLD_LOCAL_SIZE=1\n";
constexpr std::string_view by_hydra =
    "PMI_RANK=0\nPMI_SIZE=2\nMPI_LOCALRANKID=0\nMPI_LOCALNRANKS=1\n";

struct Step {
  const char* name;
  std::string_view outer;
  std::string_view more;
  bool is_proved;
};
constexpr Step steps[] = {
    {"the id of the job is of this step", by_open_mpi,
     "PMIX_NAMESPACE=slurm.pmix.7.4\nPMIX_RANK=1\n", true},
    {"the id of the job is of mpirun", by_open_mpi, "PMIX_NAMESPACE=1234\nPMIX_RANK=0\n", false},
    {"mpirun runs where the job was submitted, and the step has no node", by_open_mpi,
     "PMIX_NAMESPACE=1234\nPMIX_RANK=0\nPMIX_HOSTNAME=login\n", true},
    {"the same, with its domain", by_open_mpi, "PMIX_HOSTNAME=login.example\n", true},
    {"mpirun runs on a node of the step", by_open_mpi, "PMIX_HOSTNAME=n1\n", false},
    {"mpirun runs on some other host", by_open_mpi, "PMIX_HOSTNAME=n3\n", false},
    {"Hydra runs where the job was submitted", by_hydra, "PMI_HOSTNAME=login\n", true},
    {"Hydra runs on a node of the step", by_hydra, "PMI_HOSTNAME=n1\n", false},
    {"a third launcher left a part", by_hydra, "PMI_HOSTNAME=login\nMLX_RANK=0\n", false},
};

TEST(StepProof, is_by_variables_and_of_two_launchers_alone) {
  for (const Step& step_case : steps) {
    std::string text(step);
    text.append(step_case.outer).append(step_case.more);
    const auto found = Identity::from_environment(MapEnvironment(text));
    ASSERT_EQ(found.has_value(), step_case.is_proved) << step_case.name;
    if (!found) {
      EXPECT_EQ(found.error().code, Errc::ambiguous) << step_case.name;
      continue;
    }
    EXPECT_EQ(found->launcher(), Launcher::slurm) << step_case.name;
    EXPECT_EQ(found->rank(), 1) << step_case.name;
    EXPECT_EQ(found->proof().kind, ProofKind::step) << step_case.name;
    EXPECT_EQ(found->proof().launcher, Launcher::slurm) << step_case.name;
  }
}

}  // namespace
