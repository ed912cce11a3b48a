// SPDX-License-Identifier: MIT
//
// What it costs to find out who one is: Topology::from_environment beside the bare getenv calls
// that it makes, and what it asks of the heap.
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/topology/topology.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/heap.hpp"
#include "table.hpp"

namespace {

using rankmap_test::heap::allocations;

using Variables = std::vector<std::pair<const char*, const char*>>;

void resolve(const std::string& launcher, const Variables& variables) {
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  std::vector<std::string> names;
  bench::keep(rankmap::Topology::from_environment([&](std::string_view name)
                                                      -> std::optional<std::string_view> {
                names.emplace_back(name);
                return rankmap::ProcessEnvironment()(name);
              }).has_value());
  constexpr int repeats = 200;
  bench::compare(
      "who am I: " + launcher + ", " + std::to_string(names.size()) + " look-ups", repeats, 31,
      {{"bare getenv of the same names",
        [&] {
          for (int i = 0; i != repeats; ++i) {
            for (const std::string& name : names) {
              bench::keep(std::getenv(name.c_str()) != nullptr);
            }
          }
        }},
       {"Topology::from_environment", [] {
          for (int i = 0; i != repeats; ++i) {
            bench::keep(static_cast<std::uint64_t>(rankmap::Topology::from_environment()->rank()));
          }
        }}});
  const std::uint64_t before = allocations;
  bench::keep(static_cast<std::uint64_t>(rankmap::Topology::from_environment()->rank()));
  bench::note("allocations", std::to_string(allocations - before));
  for (const auto& [name, value] : variables) unsetenv(name);
}

/// The same in a child of a process with this name, as a launcher's worker is.
void resolve_below(const char* starter, const std::string& launcher, const Variables& variables) {
  std::fflush(stdout);
  if (fork() == 0) {
    prctl(PR_SET_NAME, starter);
    if (fork() == 0) {
      resolve(launcher, variables);
      std::fflush(stdout);
      _exit(0);
    }
    wait(nullptr);
    _exit(0);
  }
  wait(nullptr);
}

}  // namespace

int main() {
  for (int i = 0; i != 40; ++i) {  // a shell's usual load of variables
    setenv(("SOME_OTHER_VARIABLE_" + std::to_string(i)).c_str(), "with a text of some length", 1);
  }
  resolve("no launcher", {});
  resolve("a script's RANK, WORLD_SIZE and LOCAL_RANK",
          {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}});
  resolve_below("torchrun", "torchrun",
                {{"TORCHELASTIC_RUN_ID", "fd72ce5f-3419-485b-84b8-881f320f1f0d"},
                 {"RANK", "3"},
                 {"WORLD_SIZE", "4"},
                 {"LOCAL_RANK", "1"},
                 {"LOCAL_WORLD_SIZE", "2"},
                 {"GROUP_RANK", "1"},
                 {"GROUP_WORLD_SIZE", "2"},
                 {"MASTER_ADDR", "node01"},
                 {"MASTER_PORT", "29500"}});
  resolve_below("slurmstepd", "srun",
                {{"SLURM_PROCID", "3"},
                 {"SLURM_LOCALID", "1"},
                 {"SLURM_NODEID", "1"},
                 {"SLURM_GTIDS", "2,3"},
                 {"SLURM_STEP_NUM_TASKS", "4"},
                 {"SLURM_STEP_NUM_NODES", "2"},
                 {"SLURM_STEP_NODELIST", "node[01-02]"},
                 {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                 {"SLURMD_NODENAME", "node02"},
                 {"SLURM_JOB_ID", "9"},
                 {"SLURM_STEP_ID", "0"},
                 {"SLURM_JOB_NODELIST", "node[01-02]"}});
  return 0;
}
