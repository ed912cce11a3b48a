// SPDX-License-Identifier: MIT
//
// Red here means that a process would read other samples than under transformers. The rows come
// from its get_length_grouped_indices (commit c21f3d1c) on PyTorch; random cases are compared with
// a restatement of it.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/torch/length_grouped_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "golden/torch_rows.hpp"

namespace {

using rankmap::Epoch;
using rankmap::LengthGroupedSampler;
using rankmap::Remainder;
using rankmap::Shard;
using rankmap::TorchGenerator;
using rankmap_test::List;
using rankmap_test::list;
using Lengths = std::vector<std::uint32_t>;
using rankmap_test::takes_kept_lists_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_lists_only<std::uint32_t>(
    RANKMAP_CALL(LengthGroupedSampler::make(RANKMAP_LIST, 8))));
static_assert(takes_kept_lists_only<std::uint32_t>(
    RANKMAP_CALL(LengthGroupedSampler::make(RANKMAP_LIST, 8, 2))));
static_assert(takes_kept_lists_only<std::uint32_t>(
    RANKMAP_CALL(rankmap::LengthGroupedOrder(RANKMAP_LIST, {}))));

const Lengths lengths = {5, 1, 9, 3, 7, 2, 8, 4, 6, 10, 12, 11, 3, 3, 5, 9};

Lengths grouped(const Lengths& of, std::uint64_t batch, rankmap::TorchSeed seed,
                std::uint64_t multiple = 0) {
  const auto sampler = LengthGroupedSampler::make(of, batch, multiple).value();
  Lengths out(of.size());
  Lengths scratch(sampler.run());
  TorchGenerator generator(seed);
  EXPECT_EQ(sampler.pass(generator, out, scratch).value().size(), of.size());
  return out;
}

TEST(LengthGroupedSampler, equals_transformers_number_for_number) {
  struct Row {
    std::size_t n;
    std::uint64_t batch;
    int seed;
    Lengths samples;
  };
  const Row rows[] = {{16, 2, 0, {10, 9, 6, 12, 11, 8, 13, 5, 2, 15, 14, 0, 4, 7, 3, 1}},
                      {16, 4, 0, {10, 9, 6, 12, 11, 8, 13, 5, 2, 15, 14, 0, 4, 7, 3, 1}},
                      {16, 2, 1, {10, 6, 4, 5, 11, 2, 7, 12, 9, 8, 0, 1, 15, 14, 3, 13}},
                      {10, 3, 42, {9, 6, 1, 4, 8, 5, 2, 0, 3, 7}},
                      {5, 8, 0, {2, 4, 0, 3, 1}},
                      {1, 2, 0, {0}},
                      {0, 2, 0, {}}};
  for (const Row& row : rows) {
    const Lengths head(lengths.begin(), lengths.begin() + static_cast<long>(row.n));
    EXPECT_EQ(grouped(head, row.batch, row.seed), row.samples) << row.n << ", " << row.batch;
  }
  EXPECT_EQ(grouped(Lengths(9, 7), 1, 0), (Lengths{8, 0, 2, 3, 7, 1, 4, 5, 6}))
      << "randperm itself";
}

// golden/record_torch.py: transformers' function, restated around the real torch.
TEST(LengthGroupedSampler, equals_the_recordings) {
  for (const auto& row : golden::rows("torch_length_groups.tsv")) {
    Lengths of;
    for (const std::uint64_t length : golden::numbers(row[0])) {
      of.push_back(static_cast<std::uint32_t>(length));
    }
    Lengths expected;
    for (const std::uint64_t sample : golden::numbers(row[3])) {
      expected.push_back(static_cast<std::uint32_t>(sample));
    }
    ASSERT_EQ(grouped(of, golden::number(row[1]), std::stoi(row[2])), expected)
        << row[0] << ", batch " << row[1] << ", seed " << row[2];
  }
}

// get_length_grouped_indices with lists.
Lengths restated(const Lengths& of, std::uint64_t batch, int seed) {
  std::uint64_t multiple = std::min<std::uint64_t>(of.size() / (batch * 4), 50);
  if (multiple == 0) multiple = 1;
  Lengths indices(of.size());
  TorchGenerator generator(seed);
  randperm(generator, indices);
  std::vector<Lengths> runs;
  for (std::size_t at = 0; at < indices.size(); at += multiple * batch) {
    runs.emplace_back(
        indices.begin() + static_cast<long>(at),
        indices.begin() + static_cast<long>(std::min(at + multiple * batch, indices.size())));
    std::stable_sort(runs.back().begin(), runs.back().end(),
                     [&](std::uint32_t a, std::uint32_t b) { return of[a] > of[b]; });
  }
  const auto longest =
      std::max_element(runs.begin(), runs.end(),
                       [&](const Lengths& a, const Lengths& b) { return of[a[0]] < of[b[0]]; });
  std::swap(runs[0][0], (*longest)[0]);
  Lengths out;
  for (const Lengths& run : runs) out.insert(out.end(), run.begin(), run.end());
  return out;
}

TEST(LengthGroupedSampler, equals_lists_of_runs) {
  for (std::uint32_t size = 1; size < 400; size += 1 + size / 10) {
    for (const std::uint64_t batch : {1U, 2U, 7U, 32U, 1000U}) {
      Lengths of(size);
      for (std::uint32_t i = 0; i != size; ++i) of[i] = i * 7919U % (size % 3 == 0 ? 5 : 101);
      ASSERT_EQ(grouped(of, batch, static_cast<int>(size)),
                restated(of, batch, static_cast<int>(size)))
          << size << ", " << batch;
    }
  }
  EXPECT_EQ(grouped(lengths, UINT64_MAX, 0, UINT64_MAX), grouped(lengths, 16, 0));
}

TEST(LengthGroupedSampler, is_dealt_out_as_by_the_distributed_one) {
  const Lengths head(lengths.begin(), lengths.begin() + 10);
  const auto sampler = LengthGroupedSampler::make(head, 2).value();
  Lengths out(10);
  Lengths scratch(sampler.run());
  const auto order = sampler.epoch(0, 1, out, scratch).value();
  const auto of_rank = [&](int rank, Remainder remainder) {
    return list(Epoch(Shard(10, rank, 3, {.remainder = remainder}), order));
  };
  EXPECT_EQ(of_rank(0, Remainder::pad), (List{9, 1, 6, 7}));
  EXPECT_EQ(of_rank(1, Remainder::pad), (List{5, 8, 3, 9}));
  EXPECT_EQ(of_rank(2, Remainder::pad), (List{2, 0, 4, 5}));
  EXPECT_EQ(of_rank(0, Remainder::drop), (List{9, 1, 6}));
  EXPECT_EQ(of_rank(1, Remainder::drop), (List{5, 8, 3}));
  EXPECT_EQ(of_rank(2, Remainder::drop), (List{2, 0, 4}));
}

TEST(LengthGroupedSampler, resumes_with_the_same_lengths_alone) {
  const auto sampler = LengthGroupedSampler::make(lengths, 2).value();
  Lengths out(16);
  Lengths scratch(16);
  const auto order = sampler.epoch(5, 3, out, scratch).value();
  const auto state = Epoch(Shard(16, 0, 2), order).state_after(3).value();
  EXPECT_EQ(name(state.algorithm), "torch-length-groups");
  EXPECT_EQ(resume_at(state, order).value(), 6U);
  Lengths other = lengths;
  other[3] = 4;
  Lengths out2(16);
  const auto of_other = LengthGroupedSampler::make(other, 2).value().epoch(5, 3, out2, scratch);
  EXPECT_FALSE(resume_at(state, *of_other));
  const auto of_batch =
      LengthGroupedSampler::make(lengths, 3, 2).value().epoch(5, 3, out2, scratch);
  EXPECT_FALSE(resume_at(state, *of_batch));
  EXPECT_FALSE(
      resume_at(state, *sampler.epoch(5, 3, out2, scratch, rankmap::TorchAlgorithm::up_to_2_5)));
}

TEST(LengthGroupedSampler, rejects_arguments_that_do_not_fit) {
  EXPECT_EQ(message(LengthGroupedSampler::make(lengths, 0).error()).view(),
            "batch_size=\"0\": expected at least 1 sample; pass the samples of a batch");
  EXPECT_EQ(message(LengthGroupedSampler::make({lengths.data(), std::size_t{1} << 32U}, 2).error())
                .view(),
            "lengths.size()=\"4294967296\": expected fewer than 2^32 samples; group parts of them");
  const auto sampler = LengthGroupedSampler::make(lengths, 2).value();
  Lengths out(16);
  Lengths scratch(sampler.run());
  TorchGenerator generator(0);
  EXPECT_EQ(message(sampler.pass(generator, std::span(out).first(15), scratch).error()).view(),
            "out.size()=\"15\": expected 16 elements; pass a span of this size");
  EXPECT_EQ(message(sampler.pass(generator, out, std::span(scratch).first(1)).error()).view(),
            "scratch.size()=\"1\": expected at least 4 elements; pass a span of this size");
  EXPECT_EQ(message(sampler.epoch(-1, 0, out, scratch).error()).view(),
            "seed or epoch=\"-1\": expected a number from 0 on, since saved state has "
            "no sign; choose a seed from 0 on");
  EXPECT_FALSE(sampler.epoch(UINT64_MAX, 1, out, scratch));
  EXPECT_FALSE(sampler.epoch(0, 0, out, std::span(scratch).first(1)));
}

}  // namespace
