// SPDX-License-Identifier: MIT
//
// The rows here come from detectron2's own classes (02b5c4e2, PyTorch 1.13), those of the recorded
// file from a restatement in Python around the real torch; another one by lists covers the rest.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/detectron2_samplers.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/randperm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "golden/torch_rows.hpp"

namespace {

using rankmap::Detectron2Options;
using rankmap::Epoch;
using rankmap::RepeatFactorStream;
using rankmap::Shard;
using rankmap::TorchGenerator;
using rankmap::TrainingStream;
using rankmap_test::List;
using Factors = std::vector<float>;
using Memory = std::vector<std::uint32_t>;
using rankmap_test::takes_kept_lists_only;
using rankmap_test::takes_kept_memory_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_lists_only<float>(RANKMAP_CALL(RepeatFactorStream::make(RANKMAP_LIST,
                                                                                 {}))));
static_assert(takes_kept_lists_only<float>(RANKMAP_CALL(RepeatFactorStream::make(RANKMAP_LIST, {},
                                                                                 {}))));
static_assert(takes_kept_memory_only<std::uint32_t>(
    RANKMAP_CALL(RepeatFactorStream::make({}, RANKMAP_LIST))));

static_assert(rankmap::NamedOrder<TrainingStream> && !rankmap::FixedOrder<TrainingStream>);
static_assert(rankmap::NamedOrder<RepeatFactorStream>);

template <class Stream>
List head(Stream&& stream, std::uint64_t count) {
  List out;
  for (std::uint64_t place = 0; place != count; ++place) out.push_back(stream[place]);
  return out;
}

TEST(TrainingStream, equals_detectron2) {
  EXPECT_EQ(head(TrainingStream::make(5, {.seed = 0}).value(), 15),
            (List{4, 0, 1, 3, 2, 3, 4, 0, 1, 2, 2, 4, 1, 3, 0}));
  EXPECT_EQ(head(TrainingStream::make(10, {.seed = 7}).value(), 20),
            (List{5, 0, 3, 4, 1, 7, 9, 6, 8, 2, 1, 8, 9, 5, 7, 4, 0, 3, 6, 2}));
  EXPECT_EQ(head(TrainingStream::make(3, {.shuffle = false}).value(), 7),
            (List{0, 1, 2, 0, 1, 2, 0}));
}

const Factors factors = {1.0F, 1.5F, 2.25F, 3.0F};

RepeatFactorStream repeated(Memory& memory, const Factors& of, const Detectron2Options& options) {
  memory.resize(RepeatFactorStream::largest_pass(of).value());
  return RepeatFactorStream::make(of, memory, options).value();
}

TEST(RepeatFactorStream, equals_detectron2) {
  Memory memory;
  EXPECT_EQ(RepeatFactorStream::largest_pass(factors).value(), 9U);
  EXPECT_EQ(head(repeated(memory, factors, {.seed = 0}), 25),
            (List{2, 0, 1, 3, 3, 2, 3, 2, 1, 1, 2, 2, 3, 0, 3, 3, 2, 1, 1, 0, 2, 2, 3, 3, 3}));
  EXPECT_EQ(head(repeated(memory, factors, {.seed = 42}), 14),
            (List{3, 3, 2, 2, 3, 1, 0, 1, 3, 2, 3, 3, 0, 2}));
}

// golden/record_torch.py: detectron2's loops around the real torch.
TEST(Detectron2Samplers, equal_the_recordings) {
  for (const auto& row : golden::rows("torch_detectron2.tsv")) {
    const Detectron2Options options{.shuffle = row[2] == "1", .seed = golden::seed_of(row[3])};
    const List expected = golden::numbers(row[4]);
    if (row[0] == "training") {
      ASSERT_EQ(
          head(TrainingStream::make(golden::number(row[1]), options).value(), expected.size()),
          expected)
          << row[1] << ", seed " << row[3];
      continue;
    }
    Factors of;
    for (const std::string& text : golden::split(row[1], ',')) of.push_back(std::stof(text));
    Memory memory;
    ASSERT_EQ(head(repeated(memory, of, options), expected.size()), expected)
        << row[1] << ", seed " << row[3];
  }
}

// RepeatFactorTrainingSampler._infinite_indices with lists.
List restated(const Factors& of, const Detectron2Options& options, std::size_t count) {
  TorchGenerator generator(options.seed);
  List out;
  while (out.size() < count) {
    Memory indices;
    std::vector<float> rands(of.size());
    for (float& rand : rands) {
      rand = static_cast<float>(generator.random() % 16'777'216U) / 16'777'216.0F;
    }
    for (std::size_t i = 0; i != of.size(); ++i) {
      const float whole = std::trunc(of[i]);
      const float times = whole + (rands[i] < of[i] - whole ? 1.0F : 0.0F);
      indices.insert(indices.end(), static_cast<std::size_t>(times), static_cast<std::uint32_t>(i));
    }
    Memory order(indices.size());
    if (options.shuffle) {
      randperm(generator, order);
    } else {
      for (std::size_t i = 0; i != order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    }
    for (const std::uint32_t place : order) out.push_back(indices[place]);
  }
  out.resize(count);
  return out;
}

TEST(RepeatFactorStream, equals_lists_of_its_passes) {
  for (std::size_t size = 1; size != 40; ++size) {
    Factors of(size);
    for (std::size_t i = 0; i != size; ++i) of[i] = static_cast<float>(i * 37 % 11) / 4.0F;
    of[0] = 0.3F;
    for (const bool shuffle : {true, false}) {
      const Detectron2Options options{.shuffle = shuffle, .seed = static_cast<int>(size)};
      Memory memory;
      RepeatFactorStream stream = repeated(memory, of, options);
      const List expected = restated(of, options, 200);
      ASSERT_EQ(head(stream, 200), expected);
      for (std::size_t place = 200; place-- != 0;) ASSERT_EQ(stream[place], expected[place]);
      ASSERT_EQ(stream[150], expected[150]) << "seek";
    }
  }
}

// Ranks take every world-th place, across the passes; a restart goes on in any world.
template <class Make>
void expect_streams_resume(const Make& make) {
  auto all = make();
  for (int world = 1; world <= 4; ++world) {
    const auto ranks = static_cast<std::uint64_t>(world);
    const auto state = Epoch(Shard(all.size(), 0, 3), make()).state_after(5).value();
    const std::string text(to_string(state).view());
    const auto consumed = resume_at(rankmap::parse_sampler_state(text).value(), make()).value();
    ASSERT_EQ(consumed, 15U);
    for (int rank = 0; rank != world; ++rank) {
      Epoch rest(Shard(all.size(), rank, world, {.consumed = consumed}), make());
      for (std::uint64_t k = 0; k != 20; ++k) {
        ASSERT_EQ(rest[k], all[15 + k * ranks + static_cast<std::uint64_t>(rank)]);
      }
    }
  }
}

TEST(TrainingStream, resumes_in_any_world) {
  expect_streams_resume([] { return TrainingStream::make(7, {.seed = 5}).value(); });
  const auto state = state_of(TrainingStream::make(7, {.seed = 5}).value()).value();
  EXPECT_EQ(name(state.algorithm), "torch-training");
  EXPECT_FALSE(resume_at(state, TrainingStream::make(8, {.seed = 5}).value()));
  EXPECT_FALSE(resume_at(state, TrainingStream::make(7, {.seed = 6}).value()));
  EXPECT_FALSE(resume_at(state, TrainingStream::make(7, {.shuffle = false, .seed = 5}).value()));
  EXPECT_EQ(message(state_of(TrainingStream::make(7, {.seed = -5}).value()).error()).view(),
            "seed=\"-5\": expected a number from 0 on, since saved state has no sign; choose a "
            "seed from 0 on");
}

TEST(RepeatFactorStream, resumes_in_any_world) {
  std::vector<Memory> memories;
  memories.reserve(100);
  expect_streams_resume([&] { return repeated(memories.emplace_back(), factors, {.seed = 5}); });
  Memory memory;
  const auto state = state_of(repeated(memory, factors, {.seed = 5})).value();
  EXPECT_EQ(name(state.algorithm), "torch-repeat-factor");
  const Factors other = {1.0F, 1.5F, 2.0F, 3.0F};
  EXPECT_FALSE(resume_at(state, repeated(memory, other, {.seed = 5})));
}

TEST(Detectron2Samplers, are_empty_once_moved_from) {
  TrainingStream stream = TrainingStream::make(7).value();
  const TrainingStream moved = std::move(stream);
  EXPECT_EQ(stream.size(), 0U);  // NOLINT(bugprone-use-after-move): tested here
  EXPECT_EQ(moved.size(), rankmap::largest_dataset);
  EXPECT_EQ(RepeatFactorStream().size(), 0U);
}

TEST(Detectron2Samplers, reject_what_has_no_samples) {
  EXPECT_EQ(message(TrainingStream::make(0).error()).view(),
            "dataset_size=\"0\": expected at least 1 sample and fewer than 2^63; pass the number "
            "of samples");
  const auto reason = [](const Factors& of) {
    return message(RepeatFactorStream::largest_pass(of).error());
  };
  EXPECT_EQ(reason({0.0F}).view(),
            "factors=\"\": expected a factor above 0; pass 1 for a sample that is not repeated");
  EXPECT_EQ(reason({1.0F, -0.5F}).view(),
            "factors[1]=\"a negative number\": expected a number in [0, 2^32); correct the factor");
  EXPECT_EQ(reason({std::numeric_limits<float>::quiet_NaN()}).view(),
            "factors[0]=\"not a number below 2^32\": expected a number in [0, 2^32); correct the "
            "factor");
  EXPECT_EQ(reason({4e9F, 4e9F}).view(),
            "factors[1]=\"a sum of 2^32 or more\": expected passes of fewer than 2^32 samples; "
            "divide the factors by a number");
  Memory memory(8);
  EXPECT_EQ(message(RepeatFactorStream::make(factors, memory).error()).view(),
            "memory.size()=\"8\": expected at least 9 elements; pass a span of largest_pass() "
            "elements");
}

}  // namespace
