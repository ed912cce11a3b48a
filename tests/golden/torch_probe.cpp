// SPDX-License-Identifier: MIT
//
// rankmap's side of compare_torch.py: reads what to draw, a line each, and prints for each line how
// many samples that are, their digest and the generator's next draw modulo 2^32 - 1, or "error".
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/random_sampler.hpp>
#include <rankmap/torch/weighted_random_sampler.hpp>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace rankmap;

/// mixed_sum of record_torch.py, one value after another.
class Digest {
 public:
  void add(std::uint64_t value) {
    std::uint64_t x = (value + 1) * 0x9e3779b97f4a7c15U;
    x ^= x >> 29U;
    sum_ += x * (2 * count_ + 1);
    ++count_;
  }
  template <class Samples>
  void add_all(Samples&& samples) {
    for (std::uint64_t i = 0; i != samples.size(); ++i) add(samples[i]);
  }
  void print(std::optional<std::uint32_t> next) const {
    std::printf("%" PRIu64 " %016" PRIx64 " %" PRIu32 "\n", count_, sum_,
                next.value_or(0) % 0xffffffffU);
  }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
};

/// The words of a line, in their order.
class Words {
 public:
  explicit Words(const std::string& line) : line_(line) {}
  std::string text() {
    std::string word;
    line_ >> word;
    return word;
  }
  std::uint64_t number() { return std::stoull(text()); }
  int integer() { return std::stoi(text()); }
  bool flag() { return number() != 0; }
  TorchSeed seed() {
    const std::string word = text();
    if (word[0] == '-') return static_cast<std::int64_t>(std::stoll(word));
    return std::stoull(word);
  }

 private:
  std::istringstream line_;
};

void error() { std::puts("error"); }

void permutation(Words words, TorchAlgorithm algorithm) {
  TorchGenerator generator(words.seed());
  std::vector<std::uint32_t> out(words.number());
  randperm(generator, out, algorithm);
  Digest digest;
  digest.add_all(out);
  digest.print(generator.random());
}

/// Passes with a generator, or those after torch.manual_seed.
void random(Words words, TorchAlgorithm algorithm, bool is_global) {
  RandomSamplerOptions options{.seed = words.seed(), .algorithm = algorithm};
  const std::uint64_t size = words.number();
  options.replacement = words.flag();
  const std::uint64_t wanted = words.number();
  if (wanted != 0) options.num_samples = wanted;
  const std::uint64_t passes = words.number();
  const auto sampler = RandomSampler::make(size, options);
  if (!sampler) return error();
  Digest digest;
  TorchGenerator generator(options.seed);
  for (std::uint64_t pass = 0; pass != passes; ++pass) {
    digest.add_all(is_global ? sampler->epoch(pass) : sampler->pass(generator));
  }
  if (is_global) generator.discard(2 * passes);
  digest.print(generator.random());
}

void distributed(Words words, TorchAlgorithm algorithm) {
  DistributedSamplerOptions options{.algorithm = algorithm};
  const std::uint64_t size = words.number();
  const int world = words.integer();
  const int rank = words.integer();
  options.shuffle = words.flag();
  options.seed = words.seed();
  options.drop_last = words.flag();
  const TorchSeed epoch = words.seed();
  const auto sampler = DistributedSampler::make(size, world, rank, options);
  if (!sampler) return error();
  auto samples = sampler->try_epoch(epoch);
  if (!samples) return error();
  Digest digest;
  digest.add_all(*samples);
  digest.print(std::nullopt);
}

/// Weights made of whole numbers, so that both sides have the same to the last bit.
std::vector<double> weights(std::uint64_t size, std::uint64_t factor, std::uint64_t values,
                            std::uint64_t exponents) {
  std::vector<double> out(size);
  for (std::uint64_t i = 0; i != size; ++i) {
    const std::uint64_t x = factor * i % 2147483647;
    out[i] = std::ldexp(static_cast<double>(x % values),
                        static_cast<int>(x / values % exponents) - static_cast<int>(exponents / 2));
  }
  return out;
}

void weighted(Words words, TorchMultinomial algorithm) {
  WeightedRandomSamplerOptions options{.algorithm = algorithm};
  TorchGenerator generator(words.seed());
  options.replacement = words.flag();
  const std::uint64_t wanted = words.number();
  const std::uint64_t size = words.number();
  const std::uint64_t factor = words.number();
  const std::uint64_t values = words.number();
  const std::vector<double> all = weights(size, factor, values, words.number());
  const auto sampler = WeightedRandomSampler::make(all, wanted, options);
  if (!sampler) return error();
  std::vector<double> scratch(size);
  std::vector<std::uint64_t> out(wanted);
  Digest digest;
  for (int pass = 0; pass != 2; ++pass) digest.add_all(*sampler->pass(generator, scratch, out));
  digest.print(generator.random());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: torch_probe MAJOR MINOR\n", stderr);
    return 2;
  }
  const int version = 100 * std::stoi(argv[1]) + std::stoi(argv[2]);
  const auto algorithm = version < 206 ? TorchAlgorithm::up_to_2_5 : TorchAlgorithm::from_2_6;
  const auto multinomial = version < 200 ? TorchMultinomial::as_1_13 : TorchMultinomial::as_2_6;
  for (std::string line; std::getline(std::cin, line);) {
    Words words(line);
    const std::string what = words.text();
    if (what == "randperm") permutation(std::move(words), algorithm);
    if (what == "random") random(std::move(words), algorithm, false);
    if (what == "global") random(std::move(words), algorithm, true);
    if (what == "distributed") distributed(std::move(words), algorithm);
    if (what == "weighted") weighted(std::move(words), multinomial);
  }
  return 0;
}
