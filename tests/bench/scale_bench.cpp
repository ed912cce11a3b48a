// SPDX-License-Identifier: MIT
//
// What a job of 2^20 tasks on 131,072 nodes costs one of them: to find out about it from its Slurm
// environment, to keep it, and to ask. Beside it the least that any reader has to do: read every
// byte of that environment once.
#include "../support/large_machine.hpp"

#include <rankmap/topology/topology.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string_view>
#include <vector>

namespace {

using rankmap::MapEnvironment;
using rankmap::Topology;

constexpr std::string_view names[] = {"SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST",
                                      "SLURM_JOB_NODELIST", "SLURM_GTIDS"};

volatile std::uint64_t sink;

// Nanoseconds, the median of nine runs.
template <class Work>
double time_of(const Work& work) {
  std::vector<double> times(9);
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    sink = work();
    time =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

std::uint64_t read_once(const MapEnvironment& env) {
  std::uint64_t sum = 0;
  for (const std::string_view name : names) {
    const std::string_view text = *env(name);
    for (const char c : text) sum = sum * 31 + static_cast<unsigned char>(c);
  }
  return sum;
}

void measure(const rankmap_test::LargeStep& which) {
  const rankmap_test::SimulatedStep step = rankmap_test::step_of(which);
  const int rank = step.world_size() / 3;
  const MapEnvironment env = step.environment_of(rank);
  std::size_t bytes = 0;
  for (const std::string_view name : names) bytes += env(name)->size();

  const auto me = Topology::from_environment(env).value();
  const double resolve = time_of([&] {
    return static_cast<std::uint64_t>(Topology::from_environment(env)->node_rank().value());
  });
  const double reading = time_of([&] { return read_once(env); });

  constexpr std::size_t count = 20'000;
  std::mt19937 random(1);
  std::vector<int> ranks(count);
  for (int& other : ranks) {
    other = static_cast<int>(random() % static_cast<unsigned>(step.world_size()));
  }
  const auto& layout = *me.layout();
  const auto each = [&](const auto& query) {
    return time_of([&] {
             std::uint64_t sum = 0;
             for (const int other : ranks) sum += static_cast<std::uint64_t>(query(other));
             return sum;
           }) /
           count;
  };
  const double place = each([&](int other) { return layout.place_of(other).node; });
  const double back =
      each([&](int other) { return layout.rank_of(other % layout.node_count(), 0); });
  std::printf("%-24s %9zu %12.1f %8.1f x %10zu %10.0f %10.0f\n", which.name, bytes, resolve / 1000,
              resolve / reading, layout.bytes(), place, back);
}

}  // namespace

int main() {
  std::printf("2^20 tasks on 131,072 nodes\n%-24s %9s %12s %10s %10s %10s %10s\n", "step",
              "text, B", "resolve, us", "to reading", "layout, B", "place, ns", "rank, ns");
  for (const rankmap_test::LargeStep& which : rankmap_test::large_steps) measure(which);
  return 0;
}
