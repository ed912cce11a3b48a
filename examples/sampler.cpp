// SPDX-License-Identifier: MIT
//
// Two nodes with two processes each train for three epochs; half way through the second one they
// are stopped, and three processes go on. Every sample is read exactly once in every epoch.
//
// All processes run here, one after another; each computes its samples from nothing but its rank,
// the size of the world and, after the restart, one line of saved text.
#include <rankmap/sampler/sampler.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t dataset_size = 1003;
constexpr std::uint64_t batch_size = 8;

// Reads `steps` batches of what is left of an epoch, on every rank of a world, and counts how often
// each sample came. Returns what every rank would write into its checkpoint.
rankmap::SamplerState train(int world_size, const rankmap::SamplerState& from, std::uint64_t steps,
                            std::vector<int>& times_read) {
  rankmap::SamplerState saved;
  for (int rank = 0; rank != world_size; ++rank) {
    const rankmap::Sampler sampler(dataset_size, rank, world_size, {.seed = 42});
    const auto epoch = sampler.resume(from).value();
    std::uint64_t k = 0;
    for (; k != epoch.size() && k != steps * batch_size; ++k) {
      // A padded sample keeps the ranks in step, but it is somebody else's.
      if (!epoch.is_padding(k)) ++times_read[epoch[k]];
    }
    saved = epoch.state_after(k).value();
  }
  return saved;
}

bool every_sample_once(const std::vector<int>& times_read) {
  for (const int times : times_read) {
    if (times != 1) return false;
  }
  return true;
}

}  // namespace

int main() {
  constexpr std::uint64_t all = UINT64_MAX / batch_size;  // as many steps as there are
  rankmap::SamplerState state{.seed = 42, .epoch = 0, .size = dataset_size};
  bool right = true;

  std::vector<int> epoch0(dataset_size);
  state = train(4, state, all, epoch0);
  std::printf("epoch 0 on 4 ranks: %s\n",
              every_sample_once(epoch0) ? "every sample once" : "WRONG");
  right = right && every_sample_once(epoch0);

  std::vector<int> epoch1(dataset_size);
  state = train(4, state, 16, epoch1);
  const std::string checkpoint(to_string(state).view());
  std::printf("epoch 1 stopped after 16 steps: %s\n", checkpoint.c_str());

  state = train(3, rankmap::parse_sampler_state(checkpoint).value(), all, epoch1);
  std::printf("epoch 1 finished on 3 ranks: %s\n",
              every_sample_once(epoch1) ? "every sample once" : "WRONG");
  right = right && every_sample_once(epoch1);

  std::vector<int> epoch2(dataset_size);
  state = train(3, state, all, epoch2);
  std::printf("epoch 2 on 3 ranks: %s\n",
              every_sample_once(epoch2) ? "every sample once" : "WRONG");
  right = right && every_sample_once(epoch2);
  std::printf("next: %s\n", to_string(state).c_str());
  return right ? 0 : 1;
}
