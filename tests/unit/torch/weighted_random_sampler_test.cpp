// SPDX-License-Identifier: MIT
//
// Red here means that a process would read other samples than it does under PyTorch. The recorded
// file comes from PyTorch 1.13 (golden/record_torch.py), the other rows from 1.13 and 2.6.
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/torch/weighted_random_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "golden/torch_rows.hpp"
#include "support/kept_lists.hpp"

namespace {

using golden::seed_of;
using rankmap::TorchGenerator;
using rankmap::TorchMultinomial;
using rankmap::TorchSeed;
using rankmap::WeightedRandomSampler;
using rankmap_test::List;
using Weights = std::vector<double>;
using rankmap_test::takes_kept_lists_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_lists_only<double>(RANKMAP_CALL(WeightedRandomSampler::make(RANKMAP_LIST,
                                                                                     3))));
static_assert(takes_kept_lists_only<double>(RANKMAP_CALL(WeightedRandomSampler(RANKMAP_LIST, 3))));
static_assert(takes_kept_lists_only<double>(RANKMAP_CALL(WeightedRandomSampler(RANKMAP_LIST, 3,
                                                                               {}))));

List pass(const WeightedRandomSampler& sampler, TorchGenerator& generator, std::size_t weights) {
  Weights scratch(weights);
  List out(sampler.size());
  const auto order = sampler.pass(generator, scratch, out).value();
  EXPECT_EQ(order.size(), out.size());
  EXPECT_EQ(order[out.size() - 1], out.back());
  return out;
}

TEST(WeightedRandomSampler, equals_pytorch_1_13_number_for_number) {
  for (const auto& row : golden::rows("torch_weighted.tsv")) {
    Weights weights;
    for (const std::string& text : golden::split(row[0], ',')) {
      weights.push_back(std::strtod(text.c_str(), nullptr));
    }
    const WeightedRandomSampler sampler(
        weights, golden::number(row[3]),
        {.replacement = row[2] == "1", .algorithm = TorchMultinomial::as_1_13});
    TorchGenerator generator(seed_of(row[1]));
    List samples = pass(sampler, generator, weights.size());
    const List more = pass(sampler, generator, weights.size());
    samples.insert(samples.end(), more.begin(), more.end());
    ASSERT_EQ(samples, golden::numbers(row[4])) << row[0] << ", seed " << row[1];
    ASSERT_EQ(generator.random() % 0xffffffffU, golden::number(row[5])) << row[0];
  }
}

TEST(WeightedRandomSampler, equals_pytorch_2_6_number_for_number) {
  const Weights six = {0.1, 0.9, 0.4, 0.7, 3.0, 0.6};
  const Weights ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  struct Row {
    const Weights& weights;
    TorchSeed seed;
    bool replacement;
    List samples;
  };
  const Row rows[] = {{six, 0, true, {5, 4, 4, 5, 4, 4, 2, 3, 4, 3, 4, 2}},
                      {six, 0, false, {4, 1, 2, 5, 3, 0}},
                      {six, 0, true, {4}},
                      {six, 42, true, {1, 1, 1, 1, 4, 4, 5, 5, 1, 1, 1, 4}},
                      {six, 42, false, {1, 3, 4, 2, 0, 5}},
                      {six, 42, true, {1}},
                      {ten, 0, true, {9, 8, 6, 9, 7, 8, 3, 5, 7, 5}},
                      {ten, 0, false, {6, 9, 7, 8, 2, 4, 5, 1, 3, 0}},
                      {ten, 0, false, {6, 9, 7, 8}},
                      {ten, 1, true, {2, 4, 4, 3, 7, 3, 6, 8, 7, 6}},
                      {ten, 1, false, {5, 3, 0, 9, 6, 2, 8, 1, 7, 4}},
                      {ten, 1, false, {5, 3, 0, 9}}};
  for (const Row& row : rows) {
    TorchGenerator generator(row.seed);
    EXPECT_EQ(pass(WeightedRandomSampler(row.weights, row.samples.size(),
                                         {.replacement = row.replacement}),
                   generator, row.weights.size()),
              row.samples);
  }
  TorchGenerator generator(0);
  EXPECT_EQ(
      pass(WeightedRandomSampler(six, 1, {.algorithm = TorchMultinomial::as_1_13}), generator, 6),
      (List{5}));
}

TEST(WeightedRandomSampler, is_dealt_out_to_ranks) {
  const Weights weights = {0.1, 0.9, 0.4, 0.7, 3.0, 0.6};
  Weights scratch(6);
  List out(12);
  TorchGenerator generator(0);
  const auto order = WeightedRandomSampler(weights, 12).pass(generator, scratch, out).value();
  EXPECT_EQ(rankmap_test::list(rankmap::Epoch(rankmap::Shard(12, 1, 3), order)),
            (List{4, 4, 3, 4}));
}

std::string reason(const Weights& weights, std::uint64_t num_samples, bool replacement = true) {
  const auto sampler =
      WeightedRandomSampler::make(weights, num_samples, {.replacement = replacement});
  return sampler ? "none" : std::string(message(sampler.error()).view());
}

TEST(WeightedRandomSampler, fails_where_pytorch_raises) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reason({0, 1}, 1000), "none");
  EXPECT_EQ(reason({0, 1}, 1, false), "none");
  EXPECT_EQ(reason({1, 2}, 0),
            "num_samples=\"0\": expected at least 1 sample; pass the number of samples");
  EXPECT_EQ(reason({0, 1}, 2, false),
            "num_samples=\"2\": expected at most 1, the weights above 0, without replacement; draw "
            "fewer samples, or draw with replacement");
  EXPECT_EQ(reason({0, 0}, 1),
            "weights=\"a sum of 0\": expected a finite sum above 0; pass a weight above 0");
  EXPECT_EQ(reason({}, 1),
            "weights=\"a sum of 0\": expected a finite sum above 0; pass a weight above 0");
  EXPECT_EQ(reason({1e308, 1e308}, 1),
            "weights=\"an infinite sum\": expected a finite sum above 0; pass a weight above 0");
  EXPECT_EQ(reason({1, -1}, 1),
            "weights[1]=\"a negative number\": expected a finite number from 0 on; correct the "
            "weight");
  for (const double bad : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(reason({bad, 1}, 1),
              "weights[0]=\"not a finite number\": expected a finite number from 0 on; correct the "
              "weight");
  }
  const Weights many((std::size_t{1} << 24U) + 1, 1);
  EXPECT_TRUE(WeightedRandomSampler::make(std::span(many).first(many.size() - 1), 1));
  EXPECT_EQ(reason(many, 1),
            "weights.size()=\"16777217\": expected at most 2^24 weights, as in PyTorch; use "
            "WeightedDraws");
  const Weights weights = {1, 2};
  Weights scratch(2);
  List out(3);
  TorchGenerator generator(0);
  const WeightedRandomSampler sampler(weights, 3);
  EXPECT_EQ(message(sampler.pass(generator, std::span(scratch).first(1), out).error()).view(),
            "scratch.size()=\"1\": expected 2 elements; pass a span of this size");
  EXPECT_EQ(message(sampler.pass(generator, scratch, std::span(out).first(2)).error()).view(),
            "out.size()=\"2\": expected 3 elements; pass a span of this size");
}

}  // namespace
