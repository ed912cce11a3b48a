// SPDX-License-Identifier: MIT
//
// rankmap's side of torch_peers.py: seconds of processor time for the same three things.
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/randperm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "table.hpp"

namespace {

double median_of(int rounds, const std::function<void()>& body) {
  std::vector<double> times;
  for (int round = 0; round != rounds; ++round) times.push_back(bench::seconds(body));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const rankmap::DistributedSampler sampler(n, 8, 3, {.seed = 7});
  const double whole = median_of(rounds, [n] {
    const std::unique_ptr<std::uint64_t[]> out(new std::uint64_t[n]);
    rankmap::randperm(7, {out.get(), static_cast<std::size_t>(n)});
    bench::keep(out[n / 2]);
  });
  const double narrow = median_of(rounds, [n] {
    const std::unique_ptr<std::uint32_t[]> out(new std::uint32_t[n]);
    rankmap::randperm(7, {out.get(), static_cast<std::size_t>(n)});
    bench::keep(out[n / 2]);
  });
  const double first = median_of(rounds, [&sampler] { bench::keep(*sampler.epoch(0).begin()); });
  const double epoch = median_of(rounds, [&sampler] {
    std::uint64_t sum = 0;
    for (const std::uint64_t index : sampler.epoch(0)) sum += index;
    bench::keep(sum);
  });
  const auto d = static_cast<double>(n);
  std::printf("randperm %.6e\nwide %.6e\nfirst %.6e\nepoch %.6e\n", narrow / d, whole / d, first,
              epoch / (d / 8));
  return 0;
}
