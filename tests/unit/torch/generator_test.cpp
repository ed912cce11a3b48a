// SPDX-License-Identifier: MIT
//
// The recorded files come from a real PyTorch (golden/record_torch.py).
#include <rankmap/torch/generator.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "golden/torch_rows.hpp"

namespace {

using golden::List;
using golden::seed_of;
using rankmap::TorchGenerator;
using rankmap::TorchSeed;
using rankmap::detail::Mt19937;

TEST(Mt19937, equals_the_standard_library) {
  for (const std::uint32_t seed : {0U, 1U, 5489U, 4294967295U}) {
    Mt19937 engine(seed);
    std::mt19937 standard(seed);
    std::vector<std::uint32_t> batch(700);
    for (const std::uint32_t count : {1U, 623U, 624U, 700U, 0U, 5U, 624U}) {
      engine.fill(batch.data(), count);
      for (std::uint32_t k = 0; k != count; ++k) ASSERT_EQ(batch[k], standard());
      ASSERT_EQ(engine.next(), standard());
    }
    for (const std::uint64_t count : {0U, 1U, 623U, 624U, 625U, 1248U, 10000U}) {
      engine.discard(count);
      standard.discard(count);
      ASSERT_EQ(engine.next(), standard()) << "after skipping " << count;
    }
  }
}

constexpr std::uint32_t ten_thousandth() {
  Mt19937 engine(5489);
  engine.discard(9999);
  return engine.next();
}
static_assert(ten_thousandth() == 4123659995U);  // the value that the C++ standard demands

TEST(TorchGenerator, draws_what_pytorch_draws) {
  for (const auto& row : golden::rows("torch_engine.tsv")) {
    TorchGenerator generator(seed_of(row[1]));
    const List values = golden::numbers(row[2]);
    if (row[0] == "draws64_signed") {
      for (const std::uint64_t value : values) EXPECT_EQ(generator.random64(), value) << row[1];
      continue;
    }
    std::vector<std::uint32_t> draws;
    for (int i = 0; i != 1250; ++i) draws.push_back(generator.random());
    const std::size_t at[] = {0, 1, 2, 3, 4, 5, 6, 7, 623, 624, 625, 626, 1247, 1248, 1249};
    ASSERT_EQ(values.size(), std::size(at));
    for (std::size_t i = 0; i != values.size(); ++i) {
      EXPECT_EQ(draws[at[i]] % 0xffffffffU, values[i]) << "seed " << row[1] << ", draw " << at[i];
    }
  }
}

TEST(TorchSeed, keeps_the_low_32_bits) {
  EXPECT_EQ(TorchGenerator(42), TorchGenerator((std::uint64_t{1} << 32U) + 42));
  EXPECT_EQ(TorchGenerator(42), TorchGenerator((std::uint64_t{1} << 63U) + 42));
  EXPECT_EQ(TorchGenerator(-1), TorchGenerator(0xffffffffU));
  EXPECT_FALSE(TorchGenerator(42) == TorchGenerator(43));
}

TEST(TorchSeed, adds_as_whole_numbers) {
  constexpr std::int64_t least = (std::numeric_limits<std::int64_t>::min)();
  constexpr std::uint64_t most = UINT64_MAX;
  EXPECT_EQ(*TorchSeed::sum(3, 4), TorchSeed(7));
  EXPECT_EQ(*TorchSeed::sum(3, -4), TorchSeed(-1));
  EXPECT_EQ(*TorchSeed::sum(-3, 4), TorchSeed(1));
  EXPECT_EQ(*TorchSeed::sum(-3, 3), TorchSeed(0));
  EXPECT_EQ(*TorchSeed::sum(-3, -4), TorchSeed(-7));
  EXPECT_EQ(*TorchSeed::sum(most, 0), TorchSeed(most));
  EXPECT_EQ(*TorchSeed::sum(most, least), TorchSeed(INT64_MAX));
  EXPECT_EQ(*TorchSeed::sum(least, 0), TorchSeed(least));
  EXPECT_EQ(*TorchSeed::sum(least + 1, -1), TorchSeed(least));
  EXPECT_EQ(*TorchSeed::sum(std::uint64_t{1} << 63U, INT64_MAX), TorchSeed(most));
  EXPECT_FALSE(TorchSeed::sum(most, 1));
  EXPECT_FALSE(TorchSeed::sum(most, most));
  EXPECT_FALSE(TorchSeed::sum(least, -1));
  EXPECT_FALSE(TorchSeed::sum(least, least));
  EXPECT_EQ(message(TorchSeed::sum(most, 1).error()).view(),
            "seed + epoch=\"18446744073709551615 + 1\": expected a sum in [-2^63, 2^64), as in "
            "PyTorch; choose a seed nearer to 0");
  EXPECT_EQ(TorchSeed::sum(least, -2).error().found.view(), "-9223372036854775808 + -2");
}

}  // namespace
