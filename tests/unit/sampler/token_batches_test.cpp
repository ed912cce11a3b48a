// SPDX-License-Identifier: MIT
//
// Borders are compared with those that fairseq's batch_by_size_vec makes, restated line by line.
#include "support/kept_lists.hpp"
#include "support/list.hpp"
#include "support/reversed_order.hpp"

#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/sampler/token_batches.hpp>
#include <rankmap/torch/length_grouped_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using rankmap::Permutation;
using rankmap::Sequential;
using rankmap::TokenBatches;
using rankmap::TokenLimits;
using rankmap_test::List;
using rankmap_test::list;
using Lengths = std::vector<std::uint32_t>;
using rankmap_test::takes_kept_memory_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_memory_only<std::uint64_t>(
    RANKMAP_CALL(TokenBatches::make(Sequential(2), {}, TokenLimits{}, RANKMAP_LIST))));

constexpr std::uint64_t batches_in_constant() {
  constexpr std::array<std::uint32_t, 4> lengths = {3, 3, 5, 1};
  std::array<std::uint64_t, 5> borders = {};
  return TokenBatches::make(Sequential(4), lengths, {.tokens = 6}, borders)->size();
}
static_assert(batches_in_constant() == 3);
static_assert(TokenBatches().size() == 0 && TokenBatches().steps() == 0);

template <class Order>
TokenBatches cut(const Order& order, const Lengths& lengths, const TokenLimits& limits,
                 List& borders, std::uint64_t consumed = 0) {
  borders.assign(order.size() + static_cast<unsigned>(limits.ranks), 0);
  return TokenBatches::make(order, lengths, limits, borders, consumed).value();
}
List borders_of(const Lengths& lengths, const TokenLimits& limits) {
  List borders;
  const TokenBatches batches = cut(Sequential(lengths.size()), lengths, limits, borders);
  borders.resize(batches.size() + 1);
  return borders;
}

const Lengths sorted = {1, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8, 9, 9, 10, 11, 12};

// Rows from fairseq's own loop (3d262bb2); behind the last border it drops what is no multiple.
TEST(TokenBatches, equal_fairseq) {
  EXPECT_EQ(borders_of(sorted, {.tokens = 24}), (List{0, 6, 9, 11, 13, 15, 16}));
  EXPECT_EQ(borders_of(sorted, {.tokens = 24, .multiple = 2}), (List{0, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(borders_of(sorted, {.tokens = 24, .samples = 3}), (List{0, 3, 6, 9, 11, 13, 15, 16}));
  EXPECT_EQ(borders_of(sorted, {.tokens = 40, .multiple = 4}), (List{0, 8, 12, 15, 16}));
  EXPECT_EQ(borders_of(sorted, {.samples = 5, .multiple = 2}), (List{0, 4, 8, 12, 16}));
  EXPECT_EQ(borders_of(Lengths(17, 3), {.tokens = 1000, .multiple = 8}), (List{0, 16, 17}));
}

// fairseq/data/data_utils_fast.pyx: batch_by_size_vec.
List restated(const Lengths& tokens, const TokenLimits& limits) {
  const std::uint64_t size = tokens.size();
  List ends(size + 1);
  std::uint64_t count = 0, start = 0, tail_longest = 0, batch_longest = 0;
  for (std::uint64_t pos = 0; pos != size; ++pos) {
    tail_longest = std::max<std::uint64_t>(tail_longest, tokens[pos]);
    const std::uint64_t new_end = pos + 1;
    std::uint64_t new_longest = std::max(batch_longest, tail_longest);
    const std::uint64_t samples = new_end - start;
    const bool overflow = (limits.samples != 0 && samples > limits.samples) ||
                          (limits.tokens != 0 && samples * new_longest > limits.tokens);
    const bool matches = samples < limits.multiple || samples % limits.multiple == 0;
    if (overflow) {
      if (limits.tokens != 0 && tail_longest * (new_end - ends[count]) > limits.tokens) {
        ends[++count] = pos;
        tail_longest = tokens[pos];
      }
      start = ends[count++];
      new_longest = tail_longest;
    }
    if (overflow || matches) {
      ends[count] = new_end;
      batch_longest = new_longest;
      tail_longest = 0;
    }
  }
  List out = {0};
  for (std::uint64_t i = 0; i <= count && size != 0; ++i) out.push_back(ends[i]);
  if (out.back() != size) out.push_back(size);
  return out;
}

Lengths random_lengths(std::uint64_t size, std::uint64_t seed, std::uint32_t most) {
  Lengths out(size);
  const Permutation drawn(1000, seed);
  for (std::uint64_t i = 0; i != size; ++i) {
    out[i] = static_cast<std::uint32_t>(drawn[i]) % (most + 1);
  }
  return out;
}

TEST(TokenBatches, equal_a_restatement_of_fairseq) {
  for (std::uint64_t size = 0; size != 60; ++size) {
    for (const bool ascending : {false, true}) {
      Lengths lengths = random_lengths(size, size, 20);
      if (ascending) std::ranges::sort(lengths);
      for (const std::uint64_t tokens : {0U, 20U, 33U, 64U, 1000U}) {
        for (const std::uint64_t samples : {0U, 1U, 3U, 10U}) {
          if (tokens == 0 && samples == 0) continue;
          for (const std::uint64_t multiple : {1U, 2U, 4U, 7U}) {
            const TokenLimits limits{.tokens = tokens, .samples = samples, .multiple = multiple};
            ASSERT_EQ(borders_of(lengths, limits), restated(lengths, limits))
                << size << ", " << tokens << ", " << samples << ", " << multiple;
          }
        }
      }
    }
  }
}

// Every place once, no limit exceeded, and as many batches on every rank.
TEST(TokenBatches, give_every_rank_as_many_steps) {
  for (std::uint64_t size = 0; size != 40; ++size) {
    const Lengths lengths = random_lengths(size, size + 7, 9);
    const Permutation order(size, 3);
    for (int ranks = 1; ranks != 8; ++ranks) {
      for (const std::uint64_t multiple : {1U, 4U}) {
        const TokenLimits limits{.tokens = 18, .samples = 8, .multiple = multiple, .ranks = ranks};
        List borders;
        const TokenBatches batches = cut(order, lengths, limits, borders);
        const auto world = static_cast<std::uint64_t>(ranks);
        ASSERT_EQ(batches.size(), batches.steps() * world);
        List all;
        std::uint64_t empty = 0;
        for (std::uint64_t step = 0; step != batches.steps(); ++step) {
          ASSERT_EQ(batches.consumed_after(step), all.size());
          for (int rank = 0; rank != ranks; ++rank) {
            const rankmap::StridedIndices batch = batches.batch(step, rank);
            std::uint64_t longest = 0;
            for (const std::uint64_t place : batch) {
              all.push_back(place);
              longest = std::max<std::uint64_t>(longest, lengths[order[place]]);
            }
            ASSERT_LE(longest * batch.size(), limits.tokens);
            ASSERT_LE(batch.size(), limits.samples);
            if (batch.empty()) ++empty;
            ASSERT_FALSE(batch.empty() && step + 1 != batches.steps());
          }
        }
        for (std::uint64_t place = 0; place != size; ++place) ASSERT_EQ(all.at(place), place);
        ASSERT_EQ(all.size(), size);
        if (size % world == 0) {
          ASSERT_EQ(empty, 0U) << size << " on " << ranks;
        }
      }
    }
  }
}

TEST(TokenBatches, halve_the_last_batches_for_all_ranks) {
  EXPECT_EQ(borders_of(sorted, {.tokens = 24, .ranks = 4}),
            (List{0, 6, 9, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(borders_of(sorted, {.tokens = 48, .multiple = 4, .ranks = 6}),
            (List{0, 4, 8, 10, 12, 14, 16}));
  EXPECT_EQ(borders_of({5, 5, 5}, {.tokens = 5, .ranks = 2}), (List{0, 1, 2, 3, 3}));
  EXPECT_EQ(borders_of({5}, {.tokens = 5, .ranks = 3}), (List{0, 1, 1, 1}));
}

// Stopped after each step, and cut again for another number of ranks: every place once.
TEST(TokenBatches, go_on_in_another_world) {
  const Lengths lengths = random_lengths(50, 1, 9);
  const Permutation order(50, 42, 3);
  List borders;
  const TokenLimits limits{.tokens = 30, .ranks = 4};
  const TokenBatches before = cut(order, lengths, limits, borders);
  for (std::uint64_t step = 0; step <= before.steps(); ++step) {
    const rankmap::SamplerState state = before.state_after(order, step).value();
    if (step == before.steps()) {
      EXPECT_EQ(state.epoch, 4U);
      EXPECT_EQ(state.consumed, 0U);
      break;
    }
    const std::uint64_t consumed = resume_at(state, order).value();
    ASSERT_EQ(consumed, before.consumed_after(step));
    List again;
    const TokenBatches after = cut(order, lengths, {.tokens = 30, .ranks = 3}, again, consumed);
    EXPECT_EQ(after[0].first(), consumed);
    EXPECT_EQ(after.consumed_after(after.steps()), 50U);
    if (step + 2 < before.steps()) {
      EXPECT_EQ(after[0], before.batch(step, 0)) << "the cut is the same";
    }
  }
  EXPECT_FALSE(before.state_after(Permutation(50, 42, UINT64_MAX), before.steps()));
}

TEST(TokenBatches, of_nothing_that_is_left_have_used_everything) {
  for (const int ranks : {1, 3}) {
    List borders;
    const Lengths lengths(50, 3);
    for (const std::uint64_t size : {0U, 50U}) {
      borders.resize(60);
      const auto rest = TokenBatches::make(Sequential(size), lengths, {.tokens = 9, .ranks = ranks},
                                           borders, size)
                            .value();
      EXPECT_EQ(rest.steps(), 0U);
      EXPECT_EQ(rest.consumed_after(rest.steps()), size);
    }
  }
}

// As the definition says, whatever the multiple is: beyond the batch it changes nothing.
TEST(TokenBatches, halve_by_multiples_of_any_size) {
  const Lengths lengths(9, 1);
  for (const std::uint64_t multiple : {std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{9},
                                       std::uint64_t{1} << 63U, UINT64_MAX - 3, UINT64_MAX}) {
    List borders(20);
    const auto batches =
        TokenBatches::make(Sequential(9), lengths,
                           {.tokens = 9, .samples = 9, .multiple = multiple, .ranks = 2}, borders)
            .value();
    ASSERT_EQ(batches.size(), 2U) << multiple;
    const std::uint64_t first = multiple == 4 ? 8 : 5;
    EXPECT_EQ(batches[0].size(), first) << multiple;
    EXPECT_EQ(batches[1].size(), 9 - first) << multiple;
  }
}

TEST(TokenBatches, of_grouped_lengths_waste_little) {
  Lengths lengths(2000);
  for (std::uint32_t i = 0; i != 2000; ++i) lengths[i] = 1 + i * 7919U % 512;
  const auto sampler = rankmap::LengthGroupedSampler::make(lengths, 16).value();
  Lengths out(2000);
  Lengths scratch(sampler.run());
  const auto order = sampler.epoch(0, 0, out, scratch).value();
  List borders;
  const TokenBatches batches = cut(order, lengths, {.tokens = 4096, .ranks = 4}, borders);
  std::uint64_t padded = 0;
  std::uint64_t real = 0;
  for (std::uint64_t b = 0; b != batches.size(); ++b) {
    std::uint64_t longest = 0;
    for (const std::uint64_t place : batches[b]) {
      longest = std::max<std::uint64_t>(longest, lengths[order[place]]);
      real += lengths[order[place]];
    }
    padded += longest * batches[b].size();
  }
  EXPECT_LT(padded, real + real / 20);
}

TEST(TokenBatches, name_what_does_not_fit) {
  const Lengths lengths = {3, 9, 4};
  const auto reason = [&](const TokenLimits& limits, std::size_t size, std::uint64_t consumed = 0) {
    List borders(size);
    const auto made = TokenBatches::make(Sequential(3), lengths, limits, borders, consumed);
    return made ? std::string("none") : std::string(message(made.error()).view());
  };
  EXPECT_EQ(reason({.tokens = 9}, 4), "none");
  EXPECT_EQ(reason({}, 4),
            "TokenLimits::tokens=\"0\": expected a limit for tokens, for samples, or both; pass "
            "the tokens that fit in memory");
  EXPECT_EQ(reason({.tokens = 9, .multiple = 0}, 4),
            "TokenLimits::multiple=\"0\": expected at least 1; leave it out");
  EXPECT_EQ(reason({.tokens = 9, .ranks = 0}, 4),
            "TokenLimits::ranks=\"0\": expected at least 1; pass the number of ranks");
  EXPECT_EQ(reason({.tokens = 8}, 4),
            "lengths[1]=\"9\": expected at most the limit of 8 tokens; cut the sample, leave it "
            "out or raise the limit");
  EXPECT_EQ(reason({.tokens = 9}, 4, 4),
            "consumed=\"4\": expected at most the order's 3 places; start the next epoch with 0");
  EXPECT_EQ(reason({.tokens = 9}, 3),
            "borders.size()=\"3\": expected at least 4 elements, one more than batches; pass a "
            "span of order.size() + ranks elements");
  EXPECT_EQ(reason({.tokens = 9, .ranks = 2}, 4),
            "borders.size()=\"4\": expected at least 5 elements, one more than batches; pass a "
            "span of order.size() + ranks elements");
  EXPECT_EQ(reason({.tokens = 9}, 0, 3), "none");
}

}  // namespace
