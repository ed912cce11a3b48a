// SPDX-License-Identifier: MIT
//
// What the samplers cost: shares, the shuffle with random access, and PyTorch's order beside the
// plain loop that makes it.
//
//     samplers_bench [elements of the large data set = 100000000] [rounds = 5]
#include <rankmap/sampler/block_shuffle.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/torch/detail/blocked_fisher_yates.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/random_sampler.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "table.hpp"

namespace {

// What PyTorch's CPU kernel does, as plainly as it does it: 64-bit elements, 64-bit remainders.
void plain_loop(std::int64_t* a, std::uint64_t n, std::uint32_t seed) {
  for (std::uint64_t i = 0; i != n; ++i) a[i] = static_cast<std::int64_t>(i);
  std::mt19937 engine(seed);
  for (std::uint64_t i = 0; i + 1 < n; ++i) std::swap(a[i], a[i + engine() % (n - i)]);
}

void full_pass(std::uint64_t n, int rounds) {
  char title[96];
  std::snprintf(title, sizeof title, "full pass, %llu elements, per element",
                static_cast<unsigned long long>(n));
  std::vector<std::int64_t> wide(n);
  std::vector<std::uint32_t> narrow(n);
  bench::compare(title, static_cast<double>(n), rounds,
                 {{"plain loop, memory of its own",
                   [n] {
                     std::unique_ptr<std::int64_t[]> a(new std::int64_t[n]);
                     plain_loop(a.get(), n, 7);
                     bench::keep(static_cast<std::uint64_t>(a[n - 1]));
                   }},
                  {"randperm, memory of its own",
                   [n] {
                     std::unique_ptr<std::uint32_t[]> a(new std::uint32_t[n]);
                     rankmap::randperm(7, {a.get(), static_cast<std::size_t>(n)},
                                       rankmap::TorchAlgorithm::up_to_2_5);
                     bench::keep(a[n - 1]);
                   }},
                  {"TorchPermutation, made whole", [n] {
                     rankmap::TorchPermutation a(7, n, rankmap::TorchAlgorithm::up_to_2_5);
                     bench::keep(a[n - 1]);
                   }}});
  const rankmap::DistributedSampler sampler(n, 1, 0, {.seed = 7});
  std::vector<std::uint64_t> samples(n);
  auto epoch = sampler.epoch(0);
  epoch.fill(0, samples);
  std::snprintf(title, sizeof title, "the same in memory used before, per element");
  bench::compare(title, static_cast<double>(n), rounds,
                 {{"plain loop, memory used before", [&] { plain_loop(wide.data(), n, 7); }},
                  {"randperm, memory used before",
                   [&] { rankmap::randperm(7, narrow, rankmap::TorchAlgorithm::up_to_2_5); }},
                  {"epoch after epoch, read in bulk",
                   [&] {
                     epoch = sampler.epoch(1, 0, std::move(epoch));
                     epoch.fill(0, samples);
                   }},
                  {"  with prefetch alone", [&] {
                     rankmap::detail::Mt19937 engine(7);
                     rankmap::detail::shuffle_by_steps<true>(engine, narrow.data(), n);
                   }}});
  for (std::uint64_t i = 0; i != n; ++i) {
    if (static_cast<std::uint64_t>(wide[i]) != narrow[i]) {
      std::printf("  DIFFERENT at %llu\n", static_cast<unsigned long long>(i));
      std::exit(1);
    }
  }
}

void first_index(std::uint64_t n, int rounds) {
  constexpr int times = 1000;
  const rankmap::DistributedSampler torch(n, 8, 3, {.seed = 7});
  const rankmap::Sampler sampler(n, 3, 8, {.seed = 7});
  bench::compare("first index of a rank, per index", times, rounds,
                 {{"DistributedSampler (PyTorch's order)",
                   [&] {
                     for (int k = 0; k != times; ++k) bench::keep(*torch.epoch(k).begin());
                   }},
                  {"Sampler", [&] {
                     for (std::uint64_t k = 0; k != times; ++k) bench::keep(sampler.epoch(k)[0]);
                   }}});
  auto epoch = torch.epoch(0);
  bench::compare("the next 1000 of a rank, PyTorch's order, per index", 1000, 1,
                 {{"DistributedSampler", [&] {
                     for (std::uint64_t k = 0; k != 1000; ++k) bench::keep(epoch[k]);
                   }}});
}

void shard(std::uint64_t n, int rounds) {
  constexpr int world = 64;
  constexpr std::uint64_t count = 1U << 16U;
  const rankmap::Shard strided(n, 5, world);
  const rankmap::Shard blocked(n, 5, world, {.order = rankmap::ShardOrder::blocked});
  std::vector<std::uint64_t> list(count);
  for (std::uint64_t k = 0; k != count; ++k) list[k] = strided[k];
  const auto each = [](const auto& share) {
    return [&share] {
      std::uint64_t sum = 0;
      for (std::uint64_t k = 0; k != count; ++k) sum += share[k * 7919 % count];
      bench::keep(sum);
    };
  };
  bench::compare("a position of a share, at random", count, rounds * 3,
                 {{"list of positions", each(list)},
                  {"Shard, strided", each(strided)},
                  {"Shard, blocked", each(blocked)}});
  bench::compare("a share set up, of 64", 1000, rounds * 3,
                 {{"Shard", [n] {
                     for (int k = 0; k != 1000; ++k) {
                       bench::keep(rankmap::Shard(n, k % world, world).size());
                     }
                   }}});
}

// splitmix64's finaliser: the yardstick of a shuffled index.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

void permutation(std::uint64_t n, int rounds) {
  constexpr std::uint64_t count = 1U << 16U;
  const rankmap::Permutation p(n, 1);
  const rankmap::Permutation places(n, 2);
  std::vector<std::uint64_t> where(count);
  for (std::uint64_t k = 0; k != count; ++k) where[k] = places[k % n];
  std::vector<std::uint64_t> out(count);
  char title[96];
  std::snprintf(title, sizeof title, "Permutation(%llu), per index",
                static_cast<unsigned long long>(n));
  bench::compare(title, count, rounds * 3,
                 {{"at random",
                   [&] {
                     for (const std::uint64_t i : where) bench::keep(p[i]);
                   }},
                  {"in bulk",
                   [&] {
                     for (std::uint64_t k = 0; k < count; k += n) {
                       p.fill(0, out.data() + k, (std::min)(n, count - k));
                     }
                     bench::keep(out[7]);
                   }},
                  {"inverse, at random",
                   [&] {
                     for (const std::uint64_t i : where) bench::keep(p.index_of(i));
                   }},
                  {"six mixes in a row, at random", [&] {
                     for (std::uint64_t i : where) {
                       for (int mixes = 0; mixes != 6; ++mixes) i = mixed(i);
                       bench::keep(i);
                     }
                   }}});
}

void block_shuffle(std::uint64_t n, std::uint64_t block, std::uint64_t window_blocks, int rounds) {
  constexpr std::uint64_t count = 1U << 16U;
  const rankmap::Permutation full(n, 1);
  const rankmap::BlockShuffle blocks(n, block, window_blocks, 1);
  const rankmap::Permutation places(n, 2);
  std::vector<std::uint64_t> where(count);
  for (std::uint64_t k = 0; k != count; ++k) where[k] = places[k % n];
  std::vector<std::uint64_t> out(count);
  const auto in_bulk = [&](const auto& order) {
    return [&] {
      order.fill(0, out.data(), count);
      bench::keep(out[7]);
    };
  };
  const auto at_random = [&](const auto& order) {
    return [&] {
      for (const std::uint64_t place : where) bench::keep(order[place]);
    };
  };
  const std::string of = std::to_string(n) + " samples, blocks of " + std::to_string(block) +
                         ", windows of " + std::to_string(window_blocks);
  bench::compare(of + ", in bulk, per sample", count, rounds,
                 {{"Permutation", in_bulk(full)}, {"BlockShuffle", in_bulk(blocks)}});
  bench::compare("... at random, per sample", count, rounds,
                 {{"Permutation", at_random(full)}, {"BlockShuffle", at_random(blocks)}});
}

void mixture(std::uint64_t block, int rounds) {
  constexpr std::uint64_t count = 1U << 16U;
  const std::vector<std::uint64_t> weights = {5, 3, 2};
  const std::vector<std::uint64_t> sizes = {1'000'000, 2'000'000, 500'000};
  const auto order =
      rankmap::Mixture(weights, sizes, block, 1).order(rankmap::MixtureStop::endless);
  const rankmap::Permutation full(1'000'000, 1);
  std::vector<std::uint64_t> out(count);
  bench::compare("three sets in blocks of " + std::to_string(block) + ", in bulk, per sample",
                 count, rounds,
                 {{"Permutation",
                   [&] {
                     full.fill(0, out.data(), count);
                     bench::keep(out[7]);
                   }},
                  {"Mixture", [&] {
                     order.fill(0, out.data(), count);
                     bench::keep(out[7]);
                   }}});
  constexpr std::uint64_t few = 1U << 12U;
  bench::compare("... at random, per sample", few, rounds,
                 {{"Permutation",
                   [&] {
                     for (std::uint64_t k = 0; k != few; ++k) bench::keep(full[k * 211]);
                   }},
                  {"Mixture", [&] {
                     for (std::uint64_t k = 0; k != few; ++k) bench::keep(order[k * 211]);
                   }}});
}

// What an epoch adds to the shard and the order that it is made of.
void epoch(std::uint64_t n, int rounds) {
  constexpr std::uint64_t count = 1U << 16U;
  const rankmap::Shard shard(n, 3, 8);
  const rankmap::Permutation permutation(n, 7, 0);
  const auto shuffled = rankmap::Sampler(n, 3, 8, {.seed = 7}).epoch(0);
  const auto plain = rankmap::Sampler(n, 3, 8, {.shuffle = false}).epoch(0);
  std::vector<std::uint64_t> out(count);
  const auto by_number = [](auto& of) {
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k != count; ++k) sum += of[k];
    bench::keep(sum);
  };
  const auto by_iterator = [](auto& of) {
    std::uint64_t sum = 0;
    std::uint64_t k = 0;
    for (auto it = of.begin(); k != count; ++it, ++k) sum += *it;
    bench::keep(sum);
  };
  bench::compare("an epoch read, per sample", count, rounds * 3,
                 {{"Permutation at a Shard's positions, by hand",
                   [&] {
                     std::uint64_t sum = 0;
                     for (std::uint64_t k = 0; k != count; ++k) sum += permutation[shard[k]];
                     bench::keep(sum);
                   }},
                  {"Sampler, by number", [&] { by_number(shuffled); }},
                  {"Sampler, by iterator", [&] { by_iterator(shuffled); }},
                  {"Sampler, in bulk",
                   [&] {
                     shuffled.fill(0, out);
                     bench::keep(out[7]);
                   }},
                  {"Shard, by number", [&] { by_number(shard); }},
                  {"Sampler without a shuffle, by number", [&] { by_number(plain); }},
                  {"Sampler without a shuffle, by iterator", [&] { by_iterator(plain); }}});

  constexpr std::uint64_t small = 8 * count;
  const rankmap::DistributedSampler torch(small, 8, 3, {.seed = 7});
  const rankmap::Shard of_small(small, 3, 8);
  rankmap::TorchPermutation order(7, small);
  auto lazy = torch.epoch(0);
  std::vector<std::uint32_t> memory(small);
  const auto shared = torch.share(torch.permutation(0, memory).value());
  bench::keep(order[small - 1] + lazy[count - 1]);  // made whole
  bench::compare("the same in PyTorch's order once it is made, per sample", count, rounds * 3,
                 {{"TorchPermutation at a Shard's positions, by hand",
                   [&] {
                     std::uint64_t sum = 0;
                     for (std::uint64_t k = 0; k != count; ++k) sum += order[of_small[k]];
                     bench::keep(sum);
                   }},
                  {"DistributedSampler, by number", [&] { by_number(lazy); }},
                  {"DistributedSampler, by iterator", [&] { by_iterator(lazy); }},
                  {"one array for a node, by number", [&] { by_number(shared); }},
                  {"one array for a node, by iterator", [&] { by_iterator(shared); }}});
  auto drawn = rankmap::RandomSampler(small, {.replacement = true}).epoch(0);
  bench::compare("the same with replacement, per sample", count, rounds,
                 {{"RandomSampler", [&] { by_iterator(drawn); }}});
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  shard(n, rounds);
  epoch(n, rounds);
  first_index(n, rounds);
  bench::note("bytes a rank: DistributedSampler, Sampler, Permutation",
              std::to_string(sizeof(rankmap::DistributedSampler)) + ", " +
                  std::to_string(sizeof(rankmap::Sampler)) + ", " +
                  std::to_string(sizeof(rankmap::Permutation)) +
                  "; a list: " + std::to_string(8 * n));
  for (const std::uint64_t size :
       {std::uint64_t{100}, std::uint64_t{1000}, std::uint64_t{1024}, std::uint64_t{4097},
        std::uint64_t{1'000'000}, std::uint64_t{1} << 30U, (std::uint64_t{1} << 30U) + 5,
        std::uint64_t{1'000'000'000'000}}) {
    permutation(size, rounds);
  }
  block_shuffle(1'000'000, 256, 512, rounds);
  block_shuffle(n, 1000, 16, rounds);
  mixture(1000, rounds);
  mixture(10'000, rounds);
  for (std::uint64_t size = 100'000; size < n; size *= 10) full_pass(size, rounds);
  full_pass(n, rounds);
  return 0;
}
