// SPDX-License-Identifier: MIT
//
// Red here means that the order of every shuffled PyTorch sampler has changed: runs that are
// resumed would see other samples. The recorded files come from a real PyTorch (record_torch.py).
#include <rankmap/torch/randperm.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "golden/torch_rows.hpp"

namespace {

using golden::List;
using golden::seed_of;
using rankmap::randperm;
using rankmap::TorchAlgorithm;
using rankmap::TorchGenerator;
using rankmap::TorchPermutation;
using rankmap::TorchSeed;
using rankmap::detail::Mt19937;

constexpr auto classic = TorchAlgorithm::up_to_2_5;

List permutation(TorchSeed seed, std::uint64_t n) {
  List out(n);
  randperm(seed, out);
  return out;
}

TEST(randperm, equals_pytorch_in_full) {
  for (const auto& row : golden::rows("torch_randperm.tsv")) {
    EXPECT_EQ(permutation(seed_of(row[0]), golden::number(row[1])), golden::numbers(row[2]))
        << "seed " << row[0] << ", n " << row[1];
  }
}

// Recorded sizes around those of the engine, and of each way to shuffle.
void expect_digest(const std::vector<std::string>& row, const List& p) {
  const std::uint64_t n = p.size();
  EXPECT_EQ(List(p.begin(), p.begin() + 8), golden::numbers(row[2])) << "seed " << row[0];
  EXPECT_EQ(List(p.end() - 8, p.end()), golden::numbers(row[3])) << "seed " << row[0];
  EXPECT_EQ(golden::mixed_sum(n, [&](std::uint64_t i) { return p[i]; }), row[4])
      << "seed " << row[0] << ", n " << n;
}

TEST(randperm, equals_pytorch_around_sizes_of_engine_and_cache) {
  for (const auto& row : golden::rows("torch_randperm_digest.tsv")) {
    const std::uint64_t n = golden::number(row[1]);
    if (n > 2'000'000 && row[0] != "42") continue;  // once is enough for the largest
    std::vector<std::uint32_t> narrow(n);
    randperm(seed_of(row[0]), narrow);
    expect_digest(row, List(narrow.begin(), narrow.end()));
    if (n <= 2'000'000) expect_digest(row, permutation(seed_of(row[0]), n));
  }
}

// The forward Fisher-Yates shuffle as it is written down.
void shuffle_plainly(Mt19937& engine, std::vector<std::uint32_t>& values) {
  std::iota(values.begin(), values.end(), 0U);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    std::swap(values[i], values[i + engine.next() % (values.size() - i)]);
  }
}

TEST(randperm, is_the_same_in_cache_with_prefetch_and_by_blocks) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 623U, 625U, 626U, 1249U, 131071U, 131072U, 131073U,
                                262144U, 262145U, 700000U, 1310721U, 3000000U}) {
    for (const std::uint32_t seed : {0U, 9U}) {
      std::vector<std::uint32_t> expected(n);
      Mt19937 reference(seed);
      shuffle_plainly(reference, expected);
      std::vector<std::uint32_t> values(n);
      Mt19937 engine(seed);
      rankmap::detail::shuffle_by_steps<false>(engine, values.data(), n);
      ASSERT_EQ(values, expected) << n;
      ASSERT_EQ(engine, reference) << n;
      engine = Mt19937(seed);
      rankmap::detail::shuffle_by_steps<true>(engine, values.data(), n);
      ASSERT_EQ(values, expected) << n;
      ASSERT_EQ(engine, reference) << n;
      engine = Mt19937(seed);
      rankmap::detail::Buffer<std::uint32_t> queues;
      rankmap::detail::shuffle(engine, values.data(), n, false, queues);  // the way that it chooses
      ASSERT_EQ(values, expected) << n;
      ASSERT_EQ(engine, reference) << n;
      if (n == 0) continue;
      engine = Mt19937(seed);
      ASSERT_TRUE(rankmap::detail::BlockedShuffle::run(engine, values.data(), n, queues));
      ASSERT_EQ(values, expected) << n;
      ASSERT_EQ(engine, reference) << n;
    }
  }
}

// At the edges of each quotient, where an estimate fails first.
TEST(ShuffleDistances, are_exact_remainders) {
  using rankmap::detail::ShuffleDistances;
  constexpr std::uint32_t batch = ShuffleDistances::batch;
  std::mt19937 random(5);
  for (const std::uint64_t range :
       {ShuffleDistances::smallest_shared, ShuffleDistances::smallest_shared + 1,
        std::uint64_t{3'000'017}, std::uint64_t{1} << 24U, std::uint64_t{100'000'000},
        std::uint64_t{1} << 30U, ShuffleDistances::largest_shared - 1}) {
    for (int round = 0; round != 200; ++round) {
      std::vector<std::uint32_t> draws(batch);
      for (std::uint32_t k = 0; k != batch; ++k) {
        const std::uint64_t divisor = range - k;
        const std::uint64_t largest = 0xffffffffU / divisor;
        const std::uint64_t quotient = round == 0 ? largest : random() % (largest + 1);
        const std::uint64_t edge = quotient * divisor + random() % 3 - 1;  // wraps below 0
        draws[k] = round % 3 == 2 ? static_cast<std::uint32_t>(random())
                                  : static_cast<std::uint32_t>(edge);
      }
      std::vector<std::uint32_t> distances = draws;
      ShuffleDistances::share_reciprocal(distances.data(), static_cast<std::uint32_t>(range));
      for (std::uint32_t k = 0; k != batch; ++k) {
        ASSERT_EQ(distances[k], draws[k] % (range - k))
            << draws[k] << " by " << range << " - " << k;
      }
    }
  }
}

// Short batches, small and large ranges, ranges beyond 32 bits.
TEST(ShuffleDistances, equal_the_definition) {
  using rankmap::detail::ShuffleDistances;
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{625},
        ShuffleDistances::smallest_shared + 5000, ShuffleDistances::largest_shared + 5000,
        (std::uint64_t{1} << 33U) + 5}) {
    Mt19937 engine(3);
    std::mt19937 standard(3);
    ShuffleDistances draws(engine, size);
    std::uint32_t distances[ShuffleDistances::batch];
    std::uint64_t left = size;
    for (int round = 0; round != 20; ++round) {
      const std::uint32_t count = draws.next(distances);
      for (std::uint32_t k = 0; k != count; ++k, --left) {
        ASSERT_EQ(distances[k], standard() % left) << size;
      }
      ASSERT_TRUE(count == ShuffleDistances::batch || left < 2) << size;
    }
  }
}

TEST(randperm, leaves_the_generator_where_pytorch_does) {
  for (const auto& row : golden::rows("torch_randperm_after.tsv")) {
    const std::uint64_t n = golden::number(row[1]);
    TorchGenerator generator(seed_of(row[0]));
    List out(n);
    randperm(generator, out);
    EXPECT_EQ(generator.random() % 0xffffffffU, golden::number(row[2])) << "n " << n;
    TorchGenerator skipped(seed_of(row[0]));
    skipped.discard(rankmap::randperm_draws(n));
    EXPECT_EQ(skipped.random() % 0xffffffffU, golden::number(row[2])) << "n " << n;
  }
}

// The definition of the algorithm of large sizes, forced at small ones.
List inside_out(std::uint64_t seed, std::uint64_t n) {
  std::mt19937 engine(static_cast<std::uint32_t>(seed));
  List a(n);
  for (std::uint64_t i = 0; i != n; ++i) {
    const std::uint64_t high = engine();
    const std::uint64_t draw = high << 32U | engine();
    const std::uint64_t z = draw % (i + 1);
    a[i] = a[z];
    a[z] = i;
  }
  return a;
}

TEST(randperm, follows_the_definition_inside_out) {
  // the largest is fetched ahead
  for (const std::uint64_t n : {0U, 1U, 2U, 5U, 63U, 64U, 65U, 1000U, (1U << 20U) + 1}) {
    for (const std::uint32_t seed : {0U, 7U}) {
      Mt19937 engine(seed);
      List out(n);
      rankmap::detail::Buffer<std::uint32_t> queues;
      rankmap::detail::shuffle(engine, out.data(), n, true, queues);
      EXPECT_EQ(out, inside_out(seed, n));
      Mt19937 skipped(seed);
      skipped.discard(2 * n);
      EXPECT_EQ(engine, skipped);
      if (n == 0) continue;
      rankmap::detail::LazyShuffle<std::uint32_t> lazy(Mt19937(seed), n, true);
      for (std::uint64_t i = 0; i != n; ++i) ASSERT_EQ(lazy.at(i), out[i]);
    }
  }
}

TEST(randperm, changes_at_the_threshold_for_from_2_6_alone) {
  using rankmap::detail::is_inside_out;
  static_assert(rankmap::inside_out_from == 0xffffffffU / 20);
  EXPECT_FALSE(is_inside_out(214'748'363, TorchAlgorithm::from_2_6));
  EXPECT_TRUE(is_inside_out(214'748'364, TorchAlgorithm::from_2_6));
  EXPECT_FALSE(is_inside_out(214'748'364, classic));
  EXPECT_EQ(rankmap::randperm_draws(214'748'363), 214'748'362U);
  EXPECT_EQ(rankmap::randperm_draws(214'748'364), 429'496'728U);
  EXPECT_EQ(rankmap::randperm_draws(214'748'364, classic), 214'748'363U);
}

// PyTorch 1.13 has up_to_2_5 alone, at every size.
TEST(TorchPermutation, makes_the_head_of_a_large_permutation_alone) {
  for (const auto& row : golden::rows("torch_randperm_large.tsv")) {
    TorchPermutation p(seed_of(row[0]), golden::number(row[1]), classic);
    const List first = golden::numbers(row[3]);
    for (std::size_t i = 0; i != first.size(); ++i) EXPECT_EQ(p[i], first[i]) << row[1];
    EXPECT_EQ(golden::mixed_sum(1000, [&](std::uint64_t i) { return p[i]; }), row[2]) << row[1];
    EXPECT_LE(p.bytes(), 1000U * 64) << "more memory than for the head";
  }
}

TEST(TorchPermutation, equals_the_whole_at_places_in_any_order) {
  for (const std::uint64_t n : {1U, 2U, 10U, 4096U, 4097U, 10007U, 200000U}) {
    const List whole = permutation(3, n);
    TorchPermutation forward(3, n);
    for (std::uint64_t i = 0; i != n; ++i) ASSERT_EQ(forward[i], whole[i]) << n;
    TorchPermutation jumping(3, n);
    for (std::uint64_t i = 0; i < n; i += 1 + n / 100) {
      const std::uint64_t place = i * 7919 % (n / 40 + 1);
      ASSERT_EQ(jumping[place], whole[place]) << n;
    }
    TorchPermutation last(3, n);
    ASSERT_EQ(last[n - 1], whole[n - 1]);
    ASSERT_EQ(last[0], whole[0]);
    TorchPermutation moved = std::move(last);
    ASSERT_EQ(moved[n / 2], whole[n / 2]);
  }
}

TEST(TorchPermutation, takes_4_bytes_an_element_below_2_to_the_32) {
  TorchPermutation whole(3, 200'000);
  (void)whole[199'999];
  EXPECT_EQ(whole.bytes(), 800'000U);
  // as many elements at the head of both
  TorchPermutation below(TorchSeed(7), (std::uint64_t{1} << 32U) - 1, classic);
  TorchPermutation from(TorchSeed(7), std::uint64_t{1} << 32U, classic);
  EXPECT_LT(below[0], below.size());
  EXPECT_LT(from[0], from.size());
  EXPECT_EQ(from.bytes(), 2 * below.bytes());
}

TEST(TorchPermutation, is_empty_once_moved_from) {
  const auto expect_empty = [](const TorchPermutation& p) {
    EXPECT_EQ(p.size(), 0U);
    EXPECT_EQ(p.bytes(), 0U);
  };
  for (const std::uint64_t size : {std::uint64_t{100'000}, std::uint64_t{1} << 33U}) {
    TorchPermutation from(2, size, classic);
    const std::uint64_t first = from[0];
    TorchPermutation into = std::move(from);
    expect_empty(from);  // NOLINT(bugprone-use-after-move): tested here
    TorchPermutation other(1, 10);
    EXPECT_LT(other[0], 10U);
    other = std::move(into);
    expect_empty(into);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(other.size(), size);
    EXPECT_EQ(other[0], first);
    into = TorchPermutation(1, 10);
    EXPECT_EQ(into[0], permutation(1, 10)[0]);
  }
}

TEST(TorchPermutation, uses_the_memory_of_another) {
  constexpr std::uint64_t n = 20'000;
  TorchPermutation p(1, n);
  for (int seed = 2; seed != 5; ++seed) {
    static_cast<void>(p[n - 1]);
    TorchPermutation next(seed, n, TorchAlgorithm::from_2_6, std::move(p));
    EXPECT_EQ(p.size(), 0U);  // NOLINT(bugprone-use-after-move): tested here
    EXPECT_EQ(next.bytes(), 4 * n) << "kept";
    const List whole = permutation(seed, n);
    List out(n / 100);
    next.fill(3, out.data(), out.size(), 2);  // the head alone, with its table
    for (std::size_t k = 0; k != out.size(); ++k) ASSERT_EQ(out[k], whole[3 + 2 * k]);
    out.resize(n / 7);
    next.fill(1, out.data(), out.size(), 7);
    for (std::size_t k = 0; k != out.size(); ++k) ASSERT_EQ(out[k], whole[1 + 7 * k]);
    next.fill(0, out.data(), 0);
    p = std::move(next);
  }
  // from 32 to 64 bits and back the memory is of no use
  TorchPermutation wide(1, std::uint64_t{1} << 33U, classic, std::move(p));
  EXPECT_EQ(wide[0], TorchPermutation(1, std::uint64_t{1} << 33U, classic)[0]);
  EXPECT_EQ(p.bytes(), 0U);  // NOLINT(bugprone-use-after-move)
  const TorchPermutation narrow(1, n, classic, std::move(wide));
  EXPECT_EQ(narrow.bytes(), 0U);
}

// Of a block, and with memory that is too small, large enough, and larger.
TEST(BlockedShuffle, is_the_same_in_memory_that_was_used) {
  rankmap::detail::Buffer<std::uint32_t> memory;
  std::uint64_t kept = 0;
  for (const std::uint64_t n : {131'073U, 700'000U, 262'144U}) {
    std::vector<std::uint32_t> expected(n);
    Mt19937 reference(4);
    shuffle_plainly(reference, expected);
    std::vector<std::uint32_t> values(n);
    Mt19937 engine(4);
    ASSERT_TRUE(rankmap::detail::BlockedShuffle::run(engine, values.data(), n, memory));
    ASSERT_EQ(values, expected) << n;
    EXPECT_GE(memory.size(), kept);
    kept = memory.size();
  }
}

TEST(Buffer, is_empty_where_no_memory_can_hold_it) {
  const rankmap::detail::Buffer<std::uint32_t> quiet(UINT64_MAX, std::nothrow);
  EXPECT_EQ(quiet.data(), nullptr);
  EXPECT_EQ(quiet.size(), 0U);
#if defined(__cpp_exceptions)
  EXPECT_THROW(rankmap::detail::Buffer<std::uint32_t>{UINT64_MAX}, std::bad_alloc);
#endif
}

TEST(TorchPermutation, keeps_displaced_places_when_its_table_grows) {
  constexpr std::uint64_t n = 8192;
  std::vector<std::uint32_t> whole(n);
  for (int seed = 0; seed != 400; ++seed) {
    randperm(seed, whole);
    TorchPermutation head(seed, n);
    for (std::uint64_t i = 0; i != n / 32; ++i) ASSERT_EQ(head[i], whole[i]) << seed;
    EXPECT_LT(head.bytes(), 4 * n) << "not the head any more";
  }
}

TEST(TorchPermutation, works_beyond_32_bits) {
  // The definition, with a map of the displaced places.
  const std::uint64_t n = (std::uint64_t{1} << 33U) + 1;
  std::mt19937 engine(11);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> displaced;
  const auto at = [&](std::uint64_t place) -> std::uint64_t& {
    for (auto& [key, value] : displaced) {
      if (key == place) return value;
    }
    return displaced.emplace_back(place, place).second;
  };
  TorchPermutation p(11, n, classic);
  for (std::uint64_t i = 0; i != 200; ++i) {
    const std::uint64_t target = i + engine() % (n - i);
    const std::uint64_t own = at(i);
    const std::uint64_t far = at(target);
    at(target) = own;
    at(i) = far;
    ASSERT_EQ(p[i], far) << i;
  }
}

}  // namespace
