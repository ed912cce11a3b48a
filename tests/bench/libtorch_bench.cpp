// SPDX-License-Identifier: MIT
//
// The samplers of rankmap beside libtorch's own, which is a list of a rank's indices shuffled by
// std::shuffle: to the first index of an epoch, through a whole epoch, and the bytes that a rank
// keeps.
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <torch/data/samplers/distributed.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "table.hpp"

namespace {

using torch::data::samplers::DistributedRandomSampler;

constexpr int world = 8;
constexpr int rank = 3;
constexpr std::size_t batch = 256;

std::uint64_t through(DistributedRandomSampler& sampler) {
  std::uint64_t sum = 0;
  while (const auto indices = sampler.next(batch)) {
    for (const std::size_t index : *indices) sum += index;
  }
  return sum;
}

template <class Epoch>
std::uint64_t through(Epoch&& epoch) {
  std::uint64_t sum = 0;
  for (const std::uint64_t index : epoch) sum += index;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::string about = std::to_string(n) + " samples, a rank of 8";
  const rankmap::DistributedSampler torch_order(n, world, rank, {.seed = 7});
  const rankmap::Sampler sampler(n, rank, world, {.seed = 7});
  DistributedRandomSampler theirs(n, world, rank);
  std::size_t epoch = 0;
  bench::compare("first index of an epoch, " + about, 1, rounds,
                 {{"libtorch DistributedRandomSampler",
                   [&] {
                     theirs.set_epoch(++epoch);
                     theirs.reset();
                     bench::keep(theirs.next(1)->front());
                   }},
                  {"DistributedSampler (PyTorch's order)",
                   [&] { bench::keep(*torch_order.epoch(epoch).begin()); }},
                  {"Sampler", [&] { bench::keep(sampler.epoch(epoch)[0]); }}});
  bench::compare("a whole epoch, " + about + ", per index", static_cast<double>(n / world), rounds,
                 {{"libtorch DistributedRandomSampler",
                   [&] {
                     theirs.set_epoch(++epoch);
                     theirs.reset();
                     bench::keep(through(theirs));
                   }},
                  {"DistributedSampler (PyTorch's order)",
                   [&] { bench::keep(through(torch_order.epoch(epoch))); }},
                  {"Sampler", [&] { bench::keep(through(sampler.epoch(epoch))); }}});
  bench::note("bytes a rank: libtorch, at least (8 a sample)", std::to_string(8 * n));
  bench::note("bytes a rank: DistributedSampler, while it is read", std::to_string(4 * n));
  bench::note("bytes a rank: Sampler", std::to_string(sizeof(rankmap::Sampler)));
  return 0;
}
