// SPDX-License-Identifier: MIT
//
// What a topology costs: Topology::from_environment beside the bare getenv calls that it makes, in
// one run. Prints medians; the ratio is the figure that means something elsewhere.
#include <rankmap/environment.hpp>
#include <rankmap/topology.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

template <class Work>
double median_ns(const Work& work) {
  constexpr int repeats = 200;
  std::vector<double> runs;
  for (int run = 0; run != 31; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i != repeats; ++i) work();
    const auto stop = std::chrono::steady_clock::now();
    runs.push_back(std::chrono::duration<double, std::nano>(stop - start).count() / repeats);
  }
  std::nth_element(runs.begin(), runs.begin() + 15, runs.end());
  return runs[15];
}

void compare(const char* title) {
  std::vector<std::string> names;
  (void)rankmap::Topology::from_environment(
      [&](std::string_view name) -> std::optional<std::string_view> {
        names.emplace_back(name);
        return rankmap::ProcessEnvironment()(name);
      });
  long sink = 0;
  const double bare = median_ns([&] {
    for (const std::string& name : names) sink += std::getenv(name.c_str()) != nullptr;
  });
  const double whole = median_ns([&] { sink += rankmap::Topology::from_environment()->rank(); });
  std::printf("%-12s %3zu look-ups: bare getenv %6.0f ns, topology %6.0f ns, ratio %.2f (%ld)\n",
              title, names.size(), bare, whole, whole / bare, sink % 2);
}

}  // namespace

int main() {
  for (int i = 0; i != 40; ++i) {  // a shell's usual load of variables
    setenv(("SOME_OTHER_VARIABLE_" + std::to_string(i)).c_str(), "with a text of some length", 1);
  }
  compare("nothing");
  const char* const torchrun[][2] = {
      {"TORCHELASTIC_RUN_ID", "fd72ce5f-3419-485b-84b8-881f320f1f0d"},
      {"RANK", "3"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"GROUP_RANK", "1"},
      {"GROUP_WORLD_SIZE", "2"},
      {"MASTER_ADDR", "node01"},
      {"MASTER_PORT", "29500"}};
  for (const auto& variable : torchrun) setenv(variable[0], variable[1], 1);
  compare("torchrun");
  for (const auto& variable : torchrun) unsetenv(variable[0]);
  const char* const slurm[][2] = {{"SLURM_PROCID", "3"},
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
                                  {"SLURM_JOB_NODELIST", "node[01-02]"}};
  for (const auto& variable : slurm) setenv(variable[0], variable[1], 1);
  compare("srun");
  return 0;
}
