// SPDX-License-Identifier: MIT
//
// Red here means that a run would see other samples than it does under NumPy. The recorded files
// come from a real NumPy (golden/record_numpy.py).
#include <rankmap/orders/numpy_random.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "golden/numpy_rows.hpp"

namespace {

using golden::List;
using rankmap::NumpyGenerator;
using rankmap::NumpyRandomState;

// At compile time as well.
template <class Generator>
constexpr std::uint64_t first_of_ten(int seed) {
  std::uint32_t out[10] = {};
  Generator(seed).permutation(std::span(out));
  return out[0];
}
static_assert(first_of_ten<NumpyRandomState>(42) == 8);
static_assert(first_of_ten<NumpyGenerator>(42) == 5);

// NumPy has no draw of 64 bits of a RandomState alone, and none of a double that fits the table.
template <class Generator>
List draws(Generator& generator, const std::string& what) {
  List out;
  if (what == "random32") {
    for (int i = 0; i != 8; ++i) out.push_back(generator.random32());
  } else if (what == "random64") {
    for (int i = 0; i != 4; ++i) out.push_back(generator.random64());
  } else if (what == "random") {
    if constexpr (requires { generator.random(); }) {
      static_cast<void>(generator.random32());
      for (int i = 0; i != 3; ++i) {
        out.push_back(static_cast<std::uint64_t>(generator.random() * 0x1p53));
      }
      out.push_back(generator.random32());
    }
  } else {
    const std::uint64_t largest = golden::number(what.substr(what.find(' ') + 1));
    for (int i = 0; i != 9; ++i) out.push_back(generator.up_to(largest));
    out.push_back(generator.random32());
  }
  return out;
}

TEST(numpy_random, draws_what_numpy_draws) {
  for (const auto& row : golden::rows("numpy_draws.tsv")) {
    golden::with_numpy(row[0], row[1], [&](auto& generator) {
      EXPECT_EQ(draws(generator, row[2]), golden::numbers(row[3]))
          << row[0] << ", seed " << row[1] << ", " << row[2];
    });
  }
}

TEST(numpy_random, permutes_as_numpy_does_and_leaves_the_generator_there) {
  std::size_t vectors = 0;
  for (const auto& row : golden::rows("numpy_permutation.tsv")) {
    const List expected = golden::numbers(row[3]);
    ASSERT_EQ(expected.size(), golden::number(row[2]));
    golden::with_numpy(row[0], row[1], [&](auto& generator) {
      auto narrow_generator = generator;
      List out(expected.size());
      generator.permutation(out);
      EXPECT_EQ(out, expected) << row[0] << ", seed " << row[1];
      EXPECT_EQ(generator.random32(), golden::number(row[4])) << row[0] << ", n " << row[2];
      std::vector<std::uint32_t> narrow(expected.size());
      narrow_generator.permutation(narrow);
      EXPECT_EQ(List(narrow.begin(), narrow.end()), expected);
    });
    ++vectors;
  }
  EXPECT_GE(vectors, 300U);
}

TEST(numpy_random, permutes_as_numpy_does_up_to_ten_million) {
  std::uint64_t largest = 0;
  for (const auto& row : golden::rows("numpy_permutation_digest.tsv")) {
    const std::uint64_t n = golden::number(row[2]);
    if (n > largest) largest = n;
    golden::with_numpy(row[0], row[1], [&](auto& generator) {
      std::vector<std::uint32_t> p(n);
      generator.permutation(p);
      EXPECT_EQ(List(p.begin(), p.begin() + 8), golden::numbers(row[3])) << row[0] << ", n " << n;
      EXPECT_EQ(List(p.end() - 8, p.end()), golden::numbers(row[4])) << row[0] << ", n " << n;
      EXPECT_EQ(golden::mixed_sum(n, [&](std::uint64_t i) { return std::uint64_t{p[i]}; }), row[5])
          << row[0] << ", seed " << row[1] << ", n " << n;
      EXPECT_EQ(generator.random32(), golden::number(row[6])) << row[0] << ", n " << n;
    });
  }
  EXPECT_EQ(largest, 10'000'000U);
}

TEST(numpy_random, shuffles_lists_and_arrays_in_place) {
  for (const auto& row : golden::rows("numpy_shuffle.tsv")) {
    golden::with_numpy(row[0], row[1], [&](auto& generator) {
      std::vector<int> values;
      for (int i = 0; i != static_cast<int>(golden::number(row[2])); ++i) values.push_back(100 + i);
      generator.shuffle(std::span(values));
      generator.shuffle(std::span(values));
      EXPECT_EQ(List(values.begin(), values.end()), golden::numbers(row[3])) << row[0];
    });
  }
}

// A list of one number is that number, as in NumPy; a 0 behind it is another seed.
TEST(NumpyGenerator, takes_a_list_of_seeds) {
  const std::uint64_t one[] = {42};
  const std::uint64_t two[] = {42, 0, 0, 0, 0};
  EXPECT_EQ(NumpyGenerator(std::span<const std::uint64_t>(one)).random64(),
            NumpyGenerator(42).random64());
  EXPECT_NE(NumpyGenerator(std::span<const std::uint64_t>(two)).random64(),
            NumpyGenerator(42).random64());
}

TEST(numpy_random, refuses_the_seeds_that_numpy_refuses) {
  EXPECT_TRUE(NumpyRandomState::make(UINT32_MAX));
  EXPECT_TRUE(NumpyGenerator::make(UINT64_MAX));
  const auto text = [](const auto& made) { return std::string(message(made.error()).c_str()); };
  EXPECT_EQ(text(NumpyRandomState::make(-1)),
            "seed=\"-1\": expected a whole number in [0, 2^32); choose a seed that NumPy takes as "
            "well");
  EXPECT_EQ(text(NumpyRandomState::make(std::uint64_t{1} << 32U)),
            "seed=\"4294967296\": expected a whole number in [0, 2^32); choose a seed that NumPy "
            "takes as well");
  EXPECT_EQ(text(NumpyGenerator::make(-7)),
            "seed=\"-7\": expected a whole number from 0 on; choose a seed that NumPy takes as "
            "well");
#if defined(__cpp_exceptions)
  EXPECT_ANY_THROW(NumpyRandomState(-1));
  EXPECT_ANY_THROW(NumpyGenerator(-1));
#endif
}

}  // namespace
