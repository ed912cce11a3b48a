// SPDX-License-Identifier: MIT
//
// Red here means that a single process would read other samples than it does under PyTorch. The
// recorded files come from a real PyTorch (golden/record_torch.py).
#include <rankmap/torch/random_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "golden/torch_rows.hpp"

namespace {

using golden::seed_of;
using rankmap::RandomSampler;
using rankmap::SequentialSampler;
using rankmap::TorchGenerator;
using rankmap::TorchSeed;
using rankmap_test::List;
using rankmap_test::list;

TEST(RandomSampler, equals_pytorch_with_and_without_a_generator) {
  for (const auto& row : golden::rows("torch_samplers.tsv")) {
    const std::uint64_t n = golden::number(row[1]);
    const TorchSeed seed = seed_of(row[2]);
    const std::uint64_t passes = golden::number(row[5]);
    const bool loader = row[0].rfind("loader", 0) == 0;
    const RandomSampler sampler(n, {.replacement = row[3] == "1",
                                    .num_samples = golden::number(row[4]),
                                    .seed = seed,
                                    .data_loader = loader});
    TorchGenerator generator(seed);
    List samples;
    if (row[0] == "subset") {  // a SubsetRandomSampler is its indices in the order of a randperm
      List order(n);
      randperm(generator, order);
      for (const std::uint64_t i : order) samples.push_back(List{5, 7, 11, 13}[i]);
    }
    for (std::uint64_t pass = 0; pass != passes && row[0] != "subset"; ++pass) {
      if (loader) generator.discard(2);  // the base seed of the workers
      const bool given = row[0] == "given_generator" || row[0] == "loader_generator";
      const List made = given ? list(sampler.pass(generator)) : list(sampler.epoch(pass));
      if (!given) generator.discard(2);  // the seed of the pass
      samples.insert(samples.end(), made.begin(), made.end());
      ASSERT_EQ(made.size(), sampler.size());
    }
    EXPECT_EQ(samples, golden::numbers(row[6])) << row[0] << ", num_samples " << row[4];
    EXPECT_EQ(generator.random() % 0xffffffffU, golden::number(row[7])) << row[0];
  }
}

TEST(RandomSampler, fails_where_pytorch_raises) {
  EXPECT_FALSE(RandomSampler::make(0));
  EXPECT_FALSE(RandomSampler::make(10, {.num_samples = 0}));
  EXPECT_FALSE(RandomSampler::make(0, {.num_samples = 5}));
  EXPECT_EQ(message(RandomSampler::make(10, {.num_samples = 0}).error()).view(),
            "num_samples=\"0\": expected at least 1 sample and fewer than 2^63; pass the number of "
            "samples");
  EXPECT_EQ(RandomSampler(10).size(), 10U);
}

TEST(RandomSampler, rejects_2_to_the_63_samples_and_more) {
  const auto subject = [](std::uint64_t size, const RandomSampler::Options& options = {}) {
    const auto sampler = RandomSampler::make(size, options);
    return sampler ? std::string("none") : std::string(sampler.error().subject.view());
  };
  constexpr std::uint64_t most = rankmap::largest_dataset;
  EXPECT_EQ(subject(most), "none");
  EXPECT_EQ(subject(most + 1), "num_samples");
  EXPECT_EQ(subject(most + 1, {.num_samples = 5}), "dataset_size");
  EXPECT_EQ(subject(5, {.num_samples = most}), "none");
  EXPECT_EQ(subject(5, {.num_samples = most + 1}), "num_samples");
}

TEST(RandomSampler, draws_two_words_per_sample_from_2_to_the_32_on) {
  constexpr std::uint64_t large = std::uint64_t{1} << 32U;
  for (const std::uint64_t size : {large - 1, large, 2 * large - 1}) {
    std::mt19937 standard(7);
    List expected;
    for (int k = 0; k != 3; ++k) {
      const std::uint64_t high = size < large ? 0 : standard();
      expected.push_back((high << 32U | standard()) % size);
    }
    TorchGenerator generator{TorchSeed(7)};
    EXPECT_EQ(list(RandomSampler(size, {.replacement = true, .num_samples = 3}).pass(generator)),
              expected)
        << size;
  }
}

TEST(RandomSampler, advances_the_generator_by_its_draws) {
  constexpr std::uint64_t large = std::uint64_t{1} << 32U;
  for (const std::uint64_t size : {large - 1, large, 2 * large - 1}) {
    TorchGenerator used{TorchSeed(7)};
    TorchGenerator expected{TorchSeed(7)};
    (void)RandomSampler(size, {.replacement = true, .num_samples = 3}).pass(used);
    expected.discard(size < large ? 3 : 6);
    EXPECT_EQ(used.random(), expected.random()) << size;
  }
}

TEST(SequentialSampler, reads_the_samples_in_order) {
  EXPECT_EQ(list(SequentialSampler(4).epoch(9)), (List{0, 1, 2, 3}));
  EXPECT_TRUE(SequentialSampler(0).epoch().empty());
  EXPECT_EQ(SequentialSampler(4).size(), 4U);
}

TEST(RandomSampler, reads_a_pass_again_from_its_start) {
  for (const bool replacement : {false, true}) {
    auto pass = RandomSampler(5, {.replacement = replacement, .num_samples = 13}).epoch(2);
    const List once = list(pass);
    EXPECT_EQ(list(pass), once);
    for (std::uint64_t k = once.size(); k-- != 0;) EXPECT_EQ(pass[k], once[k]) << k;
  }
}

TEST(RandomSampler, gives_a_pass_that_is_empty_once_moved_from) {
  auto from = RandomSampler(10).epoch(0);
  const std::uint64_t last = from[9];
  auto into = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): tested here
  EXPECT_EQ(from.size(), 0U);
  EXPECT_TRUE(list(from).empty());
  EXPECT_EQ(into[9], last);
}

TEST(RandomSampler, gives_a_range) {
  using Pass = rankmap::Epoch<rankmap::StridedIndices, rankmap::RandomDraws>;
  static_assert(std::is_same_v<decltype(RandomSampler(1).epoch(0)), Pass>);
  static_assert(std::ranges::input_range<Pass> && std::ranges::sized_range<Pass>);
}

}  // namespace
