// SPDX-License-Identifier: MIT
#include "support/kept_lists.hpp"

#include <rankmap/sampler/weighted_shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using rankmap::BatchShard;
using rankmap::ProportionalSplit;
using rankmap::Remainder;
using rankmap::weighted_batches;
using rankmap::weighted_shard;
using rankmap_test::takes_kept_lists_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(
    takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(ProportionalSplit::make(7, RANKMAP_LIST))));
static_assert(takes_kept_lists_only<std::uint64_t>(RANKMAP_CALL(ProportionalSplit(7,
                                                                                  RANKMAP_LIST))));

using List = std::vector<std::uint64_t>;

struct WeightCase {
  std::uint64_t total;
  std::uint64_t weights[4];
  std::uint64_t sizes[4];
};
constexpr WeightCase weight_cases[] = {
    {100, {1, 1, 1, 1}, {25, 25, 25, 25}},
    {10, {1, 1, 1, 1}, {3, 3, 2, 2}},  // equal fractions go to the lower index
    {10, {6, 6, 2, 1}, {4, 4, 1, 1}},  // 4, 4, 1.33, 0.67
    {10, {0, 0, 1, 0}, {0, 0, 10, 0}},
    {7, {3, 0, 2, 2}, {3, 0, 2, 2}},
    {1, {1, 1, 1, 2}, {0, 0, 0, 1}},
    {0, {1, 2, 3, 4}, {0, 0, 0, 0}},
    {100, {1, 2, 3, 1}, {14, 29, 43, 14}},  // 14.29 28.57 42.86 14.29
    {std::uint64_t{1} << 62U,
     {1, 1, 1, 0},
     {1537228672809129302U, 1537228672809129301U, 1537228672809129301U, 0}},
    {1000,
     {std::uint64_t{1} << 60U, std::uint64_t{1} << 61U, std::uint64_t{1} << 60U, 0},
     {250, 500, 250, 0}},
};
constexpr bool holds(const WeightCase& c) {
  const ProportionalSplit parts(c.total, c.weights);
  std::uint64_t sizes[4] = {};
  parts.sizes(sizes);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i != 4; ++i) {
    if (sizes[i] != c.sizes[i]) return false;
    if (parts[i] != ProportionalSplit::Part{before, c.sizes[i]}) return false;
    before += c.sizes[i];
  }
  return before == c.total;
}
static_assert(std::ranges::all_of(weight_cases, holds));

// The compiler's own numbers of 128 bits.
__extension__ typedef unsigned __int128 Whole;  // NOLINT: an alias cannot be an extension

TEST(Weights, divide_products_of_two_words_exactly) {
  std::uint64_t state = 1;
  const auto word = [&state](unsigned bits) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state ^ (state >> 29U)) >> (64U - bits);
  };
  for (int i = 0; i != 20000; ++i) {
    const std::uint64_t divisor = word(1U + static_cast<unsigned>(i) % 63U) | 1U;
    const std::uint64_t a = word(64);
    const std::uint64_t b = word(63) % (divisor + 1);
    const auto result = rankmap::detail::divide_product(a, b, divisor);
    const Whole product = Whole{a} * b;
    for (const auto& wide :
         {rankmap::detail::multiply_wide(a, b), rankmap::detail::multiply_by_halves(a, b)}) {
      ASSERT_EQ(wide.high, static_cast<std::uint64_t>(product >> 64U)) << a << ' ' << b;
      ASSERT_EQ(wide.low, static_cast<std::uint64_t>(product)) << a << ' ' << b;
    }
    ASSERT_EQ(result.quotient, static_cast<std::uint64_t>(product / divisor))
        << a << ' ' << b << ' ' << divisor;
    ASSERT_EQ(result.remainder, static_cast<std::uint64_t>(product % divisor))
        << a << ' ' << b << ' ' << divisor;
  }
}

TEST(ProportionalSplit, gives_the_largest_remainders_one_more) {
  for (const WeightCase& c : weight_cases) EXPECT_TRUE(holds(c)) << c.total;
}

TEST(ProportionalSplit, rejects_weights_that_are_no_shares) {
  const auto reason = [](const List& weights) {
    const auto parts = ProportionalSplit::make(10, weights);
    return parts ? "none" : std::string(message(parts.error()).view());
  };
  EXPECT_EQ(reason({0, 1}), "none");
  EXPECT_EQ(reason({0, 0}),
            "weights=\"\": expected a weight above 0; pass a whole number for each rank");
  EXPECT_EQ(reason({}),
            "weights=\"\": expected a weight above 0; pass a whole number for each rank");
  EXPECT_EQ(
      reason({rankmap::largest_dataset, 1}),
      "weights[1]=\"1\": expected weights with a sum below 2^63; divide the weights by a number");
  EXPECT_EQ(
      reason({3, UINT64_MAX}),
      "weights[1]=\"18446744073709551615\": expected weights with a sum below 2^63; divide the "
      "weights by a number");
  const List zeros(2);
  EXPECT_THROW(weighted_shard(10, 0, zeros), rankmap::Exception);
  EXPECT_THROW(weighted_batches(10, 4, 0, zeros), rankmap::Exception);
}

// The textbook procedure, with a sort.
List by_sorting(std::uint64_t total, const List& weights) {
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  List sizes;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t left = total;
  for (const std::uint64_t weight : weights) {
    sizes.push_back(total * weight / sum);
    left -= sizes.back();
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return total * weights[a] % sum > total * weights[b] % sum;
  });
  for (std::size_t i = 0; i != left; ++i) ++sizes[order[i]];
  return sizes;
}

TEST(ProportionalSplit, equals_the_textbook_procedure) {
  std::uint64_t state = 1;
  const auto next = [&state](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (int round = 0; round != 3000; ++round) {
    List weights(1 + next(20));
    const std::uint64_t largest = 1 + next(round % 2 == 0 ? 4 : 1000);
    for (std::uint64_t& weight : weights) weight = next(largest + 1);
    weights[next(weights.size())] += 1;
    const std::uint64_t total = next(round % 3 == 0 ? 30 : 1'000'000);
    List sizes(weights.size());
    ProportionalSplit(total, weights).sizes(sizes);
    ASSERT_EQ(sizes, by_sorting(total, weights)) << "round " << round;
  }
}

TEST(weighted_shard, covers_every_index_once) {
  const List weights = {5, 0, 3, 8, 1};
  for (std::uint64_t size = 0; size <= 40; ++size) {
    for (std::uint64_t consumed = 0; consumed <= size; ++consumed) {
      std::uint64_t next = consumed;
      for (int rank = 0; rank != 5; ++rank) {
        for (const std::uint64_t p : weighted_shard(size, rank, weights, consumed)) {
          ASSERT_EQ(p, next++);
        }
      }
      ASSERT_EQ(next, size);
    }
  }
}

TEST(weighted_batches, takes_equal_steps_and_covers_every_index_once) {
  const List weights = {5, 0, 3, 8, 1};
  for (std::uint64_t size = 0; size <= 60; ++size) {
    for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
      for (const std::uint64_t consumed : {std::uint64_t{0}, size / 3, size}) {
        std::vector<int> seen(size);
        const std::uint64_t steps =
            weighted_batches(size, 17, 0, weights, {remainder, consumed}).steps();
        std::uint64_t count = 0;
        for (int rank = 0; rank != 5; ++rank) {
          const BatchShard shard = weighted_batches(size, 17, rank, weights, {remainder, consumed});
          ASSERT_EQ(shard.steps(), steps);
          ASSERT_EQ(shard.batch_size(), weights[static_cast<std::size_t>(rank)]);
          count += shard.size();
          for (std::uint64_t k = 0; k != shard.size(); ++k) {
            if (!shard.is_padding(k)) ++seen[shard[k]];
          }
        }
        const std::uint64_t left = size - consumed;
        const std::uint64_t used = remainder == Remainder::drop ? left / 17 * 17 : left;
        for (std::uint64_t p = 0; p != size; ++p) {
          ASSERT_EQ(seen[p], p >= consumed && p < consumed + used ? 1 : 0);
        }
        ASSERT_EQ(count, remainder == Remainder::pad ? (left + 16) / 17 * 17 : used);
      }
    }
  }
}

TEST(weighted_batches, refuses_a_rank_without_a_weight) {
#if defined(__cpp_exceptions)
  const std::uint64_t weights[] = {3, 1};
  const auto failure = [](const auto& make) {
    try {
      return std::to_string(make().size());
    } catch (const rankmap::Exception& exception) {
      return std::string(exception.what());
    }
  };
  const std::string expected =
      ": expected a rank in [0, 2), which has a weight; pass a weight for each rank";
  EXPECT_EQ(failure([&] { return rankmap::weighted_shard(10, 2, weights); }),
            "rank=\"2\"" + expected);
  EXPECT_EQ(failure([&] { return rankmap::weighted_batches(10, 4, -1, weights); }),
            "rank=\"-1\"" + expected);
#endif
}

}  // namespace
