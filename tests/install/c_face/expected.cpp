// SPDX-License-Identifier: MIT
//
// What answers.c prints, as C++ says it.
#include <rankmap/identity/identity.hpp>
#include <rankmap/sampler/sampler.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern char** environ;

namespace {

void print_process(const char* file) {
  static std::vector<std::string> lines;
  static std::vector<char*> variables;
  lines.clear();
  variables.clear();
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (std::string& line : lines) variables.push_back(line.data());
  variables.push_back(nullptr);
  environ = variables.data();
  const auto me = rankmap::Identity::from_environment(rankmap::Need::local);
  if (!me) {
    std::printf("%s\n", message(me.error()).c_str());
    return;
  }
  std::printf("%d of %d, local %d of %d, node %d of %d, by %s\n", me->rank().value_or(-1),
              me->world_size().value_or(-1),
              me->local_rank() == -1 ? 0 : me->local_rank().value_or(-1),
              me->local_world_size().value_or(-1), me->node_rank().value_or(-1),
              me->node_count().value_or(-1), std::string(name(me->launcher())).c_str());
}

void print_samples(bool shuffle) {
  const rankmap::SamplerOptions options = {.seed = 42, .shuffle = shuffle};
  for (int rank = 0; rank != 3; ++rank) {
    for (const auto sample : rankmap::Sampler(10, rank, 3, options).epoch(0)) {
      std::printf("%d ", static_cast<int>(sample));
    }
  }
  const auto epoch = rankmap::Sampler(10, 0, 3, options).epoch(0);
  std::printf("7: %d\n%s\n", epoch.owner_of(7).rank,
              to_string(epoch.state_after(2).value()).c_str());
}

}  // namespace

int main(int count, char** files) {
  for (int i = 1; i < count; ++i) print_process(files[i]);
  print_samples(false);
  print_samples(true);
  std::printf("%d.%d.%d\n", rankmap::version.major_number, rankmap::version.minor_number,
              rankmap::version.patch_number);
}
