// SPDX-License-Identifier: MIT
//
// Red here means that a process would read other samples than it does under PyTorch. The recorded
// file comes from PyTorch 1.13 (golden/record_torch.py), the other rows from 1.13 and 2.6.
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/torch/weighted_random_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
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

// Recorded from PyTorch 1.13: its own generator over three epochs, and a DataLoader's.
TEST(WeightedRandomSampler, equals_each_epoch_of_pytorch) {
  std::size_t rows = 0;
  for (const auto& row : golden::rows("torch_weighted_epochs.tsv")) {
    Weights weights;
    for (const std::string& text : golden::split(row[1], ',')) {
      weights.push_back(std::strtod(text.c_str(), nullptr));
    }
    const std::uint64_t size = golden::number(row[4]);
    const WeightedRandomSampler sampler(weights, size,
                                        {.replacement = row[3] == "1",
                                         .algorithm = TorchMultinomial::as_1_13,
                                         .seed = seed_of(row[2]),
                                         .data_loader = row[0] == "loader"});
    const List expected = golden::numbers(row[5]);
    ASSERT_EQ(expected.size(), 3 * size);
    for (const std::uint64_t epoch : {2U, 0U, 1U}) {
      Weights scratch(weights.size());
      List out(size);
      const auto order = sampler.epoch(epoch, scratch, out).value();
      for (std::uint64_t place = 0; place != size; ++place) {
        ASSERT_EQ(order[place], expected[epoch * size + place])
            << row[0] << ", seed " << row[2] << ", epoch " << epoch;
      }
    }
    ++rows;
  }
  EXPECT_EQ(rows, 60U);
}

// Stopped after any number of samples, and gone on in any world: what comes next is what an epoch
// without a stop has there.
TEST(WeightedRandomSampler, goes_on_at_any_place_of_an_epoch) {
  const Weights weights = {0.1, 0.9, 0.4, 0.7, 3.0, 0.6};
  for (const bool replacement : {true, false}) {
    const std::uint64_t size = replacement ? 23 : 6;
    const WeightedRandomSampler sampler(
        weights, size, {.replacement = replacement, .seed = 42, .data_loader = true});
    Weights scratch(6);
    List out(size);
    const auto whole = sampler.epoch(3, scratch, out).value();
    for (int world = 1; world <= 4; ++world) {
      const rankmap::Epoch epoch(
          rankmap::Shard(size, 0, world, {.remainder = rankmap::Remainder::uneven}), whole);
      for (std::uint64_t step = 0; step != epoch.steps(1); ++step) {
        const auto text = to_string(epoch.state_after(step).value());
        const auto state = rankmap::parse_sampler_state(text).value();
        List again(size);
        const auto order = sampler.epoch(state.epoch, scratch, again).value();
        const std::uint64_t consumed = resume_at(state, order).value();
        ASSERT_EQ(consumed, std::min(size, step * static_cast<std::uint64_t>(world)));
        for (int rank = 0; rank != 3; ++rank) {
          const rankmap::Epoch rest(
              rankmap::Shard(size, rank, 3,
                             {.remainder = rankmap::Remainder::uneven, .consumed = consumed}),
              order);
          for (std::uint64_t k = 0; k != rest.size(); ++k) {
            ASSERT_EQ(rest[k], out[consumed + static_cast<std::uint64_t>(rank) + 3 * k]);
          }
        }
      }
      // The end is the start of the next epoch.
      const auto state = epoch.state_after(epoch.steps(1)).value();
      EXPECT_EQ(state.epoch, 4U);
      List next(size);
      EXPECT_EQ(resume_at(state, sampler.epoch(4, scratch, next).value()).value(), 0U);
      EXPECT_NE(next, out);
    }
  }
}

TEST(WeightedRandomSampler, is_saved_with_weights_and_options) {
  const Weights weights = {1, 2, 3};
  const auto saved = [](const Weights& of, std::uint64_t size,
                        const WeightedRandomSampler::Options& options) {
    Weights scratch(of.size());
    List out(size);
    return WeightedRandomSampler(of, size, options).epoch(2, scratch, out)->saved_as().value();
  };
  const rankmap::SavedOrder base = saved(weights, 2, {.seed = 42});
  EXPECT_STREQ(base.name, "torch-multinomial");
  EXPECT_EQ(base.seed, 42U);
  EXPECT_EQ(base.epoch, 2U);
  EXPECT_EQ(base.digest, saved(weights, 2, {.algorithm = TorchMultinomial::as_1_13}).digest)
      << "both draw alike";
  EXPECT_NE(base.digest, saved({1, 2, 4}, 2, {}).digest);
  EXPECT_NE(base.digest, saved({1, 2, 3, 0}, 2, {}).digest);
  EXPECT_NE(base.digest, saved(weights, 2, {.replacement = false}).digest);
  EXPECT_NE(base.digest, saved(weights, 2, {.data_loader = true}).digest);
  EXPECT_NE(saved(weights, 1, {}).digest,
            saved(weights, 1, {.algorithm = TorchMultinomial::as_1_13}).digest);
  Weights scratch(3);
  List out(2);
  const auto negative = WeightedRandomSampler(weights, 2, {.seed = -7}).epoch(0, scratch, out);
  EXPECT_EQ(message(negative->saved_as().error()).view(),
            "seed=\"-7\": expected a number from 0 on, since saved state has no sign; choose a "
            "seed from 0 on");
  EXPECT_FALSE(WeightedRandomSampler(weights, 3).epoch(0, scratch, out));
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

TEST(WeightedRandomSampler, says_that_memory_has_another_size_before_it_looks_for_an_epoch) {
  const std::vector<double> weights = {1.0, 2.0};
  std::vector<double> scratch(2);
  std::vector<std::uint64_t> out(1);
  const rankmap::WeightedRandomSampler sampler(weights, std::uint64_t{1} << 40U);
  const auto order = sampler.epoch(1'000'000, scratch, out);  // decades of draws
  EXPECT_EQ(message(order.error()).view(),
            "out.size()=\"1\": expected 1099511627776 elements; pass a span of this size");
}

// Its quotient may be 0, like that of a weight of 0, and no order of the two is specified.
TEST(WeightedRandomSampler, takes_no_weight_that_may_come_behind_one_of_0) {
  constexpr double least = 0x1p-1016;
  const auto expected = [](std::string_view subject) {
    return std::string(subject) +
           "=\"above 0 and below 2^-1016\": expected 0, or a number whose part of a draw is not "
           "rounded to 0; multiply the weights by a number";
  };
  EXPECT_EQ(reason({0.1, 0, 0, 5e-324, 1e-300}, 3, false), expected("weights[3]"));
  EXPECT_EQ(reason({0, least / 2}, 1), expected("weights[1]"))
      << "a single draw is made like one without replacement";
  EXPECT_EQ(reason({0, least / 2}, 2), "none");
  EXPECT_EQ(reason({0, least}, 1, false), "none");
  // The largest exponential of all.
  EXPECT_GE(least / -std::log1p(-(1 - 0x1p-53)), std::numeric_limits<double>::min());
}

}  // namespace
