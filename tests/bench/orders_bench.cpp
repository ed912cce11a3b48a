// SPDX-License-Identifier: MIT
//
// Samplers by weight, by length and by cost, each next to the plain way to the same kind of answer:
// a list that is made whole, or the standard library's own.
//
//     orders_bench [samples = 1000000] [rounds = 5]
#include <rankmap/sampler/balance.hpp>
#include <rankmap/sampler/endless_order.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/repeat_factor.hpp>
#include <rankmap/sampler/token_batches.hpp>
#include <rankmap/sampler/weighted_draws.hpp>
#include <rankmap/sampler/weighted_order.hpp>
#include <rankmap/torch/length_grouped_sampler.hpp>
#include <rankmap/torch/weighted_random_sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "table.hpp"

namespace {

// Lengths as those of texts: most are short, a few are very long.
std::vector<std::uint64_t> long_tailed(std::uint64_t n) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> length(6, 1);
  std::vector<std::uint64_t> all(n);
  for (std::uint64_t& one : all) one = 1 + static_cast<std::uint64_t>(length(random));
  return all;
}

template <class Order>
std::function<void()> read(Order& order, std::uint64_t count) {
  return [&order, count] {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i != count; ++i) sum += order[i];
    bench::keep(sum);
  };
}

void draws(const std::vector<std::uint64_t>& weights, int rounds) {
  const std::uint64_t n = weights.size();
  std::vector<rankmap::AliasColumn> columns(n);
  const auto table = rankmap::AliasTable::make(weights, columns).value();
  const rankmap::WeightedDraws ours(table, n, 1);
  std::discrete_distribution<std::uint64_t> theirs(weights.begin(), weights.end());
  std::mt19937_64 random(1);
  bench::compare("draws by weight, with replacement, per draw", static_cast<double>(n), rounds,
                 {{"std::discrete_distribution",
                   [&] {
                     std::uint64_t sum = 0;
                     for (std::uint64_t i = 0; i != n; ++i) sum += theirs(random);
                     bench::keep(sum);
                   }},
                  {"WeightedDraws", read(ours, n)}});

  const std::vector<double> real(weights.begin(), weights.end());
  const rankmap::WeightedRandomSampler torch(real, n);
  std::vector<double> scratch(n);
  std::vector<std::uint64_t> samples(n);
  bench::compare("the same in PyTorch's order, made whole, per draw", static_cast<double>(n),
                 rounds,
                 {{"a sum for each sample, searched for each draw",
                   [&] {
                     std::partial_sum(real.begin(), real.end(), scratch.begin());
                     std::uniform_real_distribution<double> uniform(0, scratch.back());
                     for (std::uint64_t& sample : samples) {
                       sample = static_cast<std::uint64_t>(
                           std::upper_bound(scratch.begin(), scratch.end(), uniform(random)) -
                           scratch.begin());
                     }
                     bench::keep(samples[7]);
                   }},
                  {"WeightedRandomSampler", [&] {
                     rankmap::TorchGenerator generator(0);
                     bench::keep(torch.pass(generator, scratch, samples).value()[7]);
                   }}});
}

void order_by_weight(const std::vector<std::uint64_t>& weights, int rounds) {
  const std::uint64_t n = weights.size();
  std::vector<std::uint64_t> samples(n);
  std::vector<std::uint64_t> scratch(n);
  std::mt19937_64 random(1);
  std::vector<std::pair<double, std::uint64_t>> keys(n);
  bench::compare(
      "all samples by weight, without replacement, per sample", static_cast<double>(n), rounds,
      {{"random keys in floating point, sorted",
        [&] {
          std::exponential_distribution<double> wait(1);
          for (std::uint64_t i = 0; i != n; ++i)
            keys[i] = {wait(random) / static_cast<double>(weights[i]), i};
          std::sort(keys.begin(), keys.end());
          bench::keep(keys[7].second);
        }},
       {"WeightedOrder", [&] {
          bench::keep(rankmap::WeightedOrder::make(weights, samples, scratch, 0).value()[7]);
        }}});
}

void repeats(std::uint64_t n, int rounds) {
  std::vector<std::uint64_t> factors(n);  // in 16ths: from 1 to 4
  for (std::uint64_t i = 0; i != n; ++i) factors[i] = 16 + i % 49;
  std::vector<std::uint64_t> sums(n);
  const auto weights = rankmap::CumulativeWeights::make(factors, sums).value();
  const rankmap::RepeatFactorOrder ours(weights, weights.sum() / 16, 1, 0);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> list;
  bench::compare(
      "an epoch with rare samples repeated, per sample", static_cast<double>(ours.size()), rounds,
      {{"a list with the repeats, shuffled",
        [&] {
          list.clear();
          for (std::uint64_t i = 0; i != n; ++i) {
            list.insert(list.end(), factors[i] / 16 + (random() % 16 < factors[i] % 16 ? 1U : 0U),
                        i);
          }
          std::shuffle(list.begin(), list.end(), random);
          bench::keep(list[7]);
        }},
       {"RepeatFactorOrder", read(ours, ours.size())}});
}

void endless(std::uint64_t n, int rounds) {
  const rankmap::Permutation permutation(n, 1, 0);
  rankmap::EndlessOrder epochs(
      [n](std::uint64_t epoch) { return rankmap::Permutation(n, 1, epoch); });
  bench::compare(
      "epochs after one another, per sample", static_cast<double>(n), rounds,
      {{"Permutation, one epoch", read(permutation, n)}, {"EndlessOrder", read(epochs, n)}});
}

// The plain way to balance: the longest first, each to the part that has least.
std::uint64_t longest_first(const std::vector<std::uint64_t>& costs, int parts) {
  std::vector<std::uint64_t> sorted = costs;
  std::sort(sorted.begin(), sorted.end(), std::greater<>{});
  using Part = std::pair<std::uint64_t, int>;
  std::priority_queue<Part, std::vector<Part>, std::greater<>> least;
  for (int part = 0; part != parts; ++part) least.push({0, part});
  std::uint64_t heaviest = 0;
  for (const std::uint64_t cost : sorted) {
    const Part part = least.top();
    least.pop();
    heaviest = std::max(heaviest, part.first + cost);
    least.push({part.first + cost, part.second});
  }
  return heaviest;
}

void cost(const std::vector<std::uint64_t>& lengths, int parts, int rounds) {
  const std::uint64_t n = lengths.size();
  std::vector<std::uint32_t> part_of(n);
  std::uint64_t ours = 0;
  std::uint64_t equal = 0;
  std::uint64_t plain = 0;
  bench::compare(
      std::to_string(n) + " costs over " + std::to_string(parts) + " parts, per sample",
      static_cast<double>(n), rounds,
      {{"longest first, by a heap", [&] { plain = longest_first(lengths, parts); }},
       {"balance, any counts",
        [&] { ours = rankmap::balance(lengths, parts, part_of, {rankmap::Counts::free}).value(); }},
       {"balance, even counts", [&] {
          equal = rankmap::balance(lengths, parts, part_of, {rankmap::Counts::even}).value();
        }}});
  bench::note("heaviest: longest first, any counts, even counts",
              std::to_string(plain) + ", " + std::to_string(ours) + ", " + std::to_string(equal));
}

void lengths(const std::vector<std::uint64_t>& wide, int rounds) {
  const std::uint64_t n = wide.size();
  const std::vector<std::uint32_t> all(wide.begin(), wide.end());
  const auto sampler = rankmap::LengthGroupedSampler::make(all, 8).value();
  std::vector<std::uint32_t> samples(n);
  std::vector<std::uint32_t> scratch(sampler.run());
  const rankmap::Permutation order(n, 1);
  std::vector<std::uint64_t> borders(n + 2);
  std::mt19937 random(1);
  bench::compare(
      "batches of similar length, made whole, per sample", static_cast<double>(n), rounds,
      {{"shuffled, and sorted in runs",
        [&] {
          std::iota(samples.begin(), samples.end(), 0U);
          std::shuffle(samples.begin(), samples.end(), random);
          for (std::uint64_t first = 0; first < n; first += sampler.run()) {
            std::sort(
                samples.begin() + static_cast<std::ptrdiff_t>(first),
                samples.begin() + static_cast<std::ptrdiff_t>(std::min(n, first + sampler.run())),
                [&](std::uint32_t a, std::uint32_t b) { return all[a] > all[b]; });
          }
          bench::keep(samples[7]);
        }},
       {"LengthGroupedSampler",
        [&] { bench::keep(sampler.epoch(0, 1, samples, scratch).value()[7]); }},
       {"TokenBatches of a Permutation", [&] {
          const auto batches =
              rankmap::TokenBatches::make(order, all, {.tokens = 65536, .ranks = 8}, borders);
          bench::keep(batches.value().steps());
        }}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::vector<std::uint64_t> costs = long_tailed(n);
  draws(costs, rounds);
  order_by_weight(costs, rounds);
  repeats(n, rounds);
  endless(n, rounds);
  cost(costs, 1024, rounds);
  lengths(costs, rounds);
  return 0;
}
