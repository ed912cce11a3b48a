// SPDX-License-Identifier: MIT
#include <rankmap/mesh/dims_create.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Dims;
using rankmap::dims_create;
using rankmap::Errc;

// Each divisor once, also the root of a square.
static_assert(rankmap::detail::Divisors(36).count == 9 &&
              rankmap::detail::Divisors(72).count == 12);

struct Row {
  int ranks;
  Dims two;
  Dims three;
  Dims four;
};

// What MPICH 4.0.2 answers; Open MPI 4.1.4 says the same but for 72 in two dimensions. Red: a
// program that moves here from MPI gets another grid.
constexpr Row table[] = {
    {1, {1, 1}, {1, 1, 1}, {1, 1, 1, 1}},
    {12, {4, 3}, {3, 2, 2}, {3, 2, 2, 1}},
    {16, {4, 4}, {4, 2, 2}, {2, 2, 2, 2}},
    {24, {6, 4}, {4, 3, 2}, {3, 2, 2, 2}},
    {25, {5, 5}, {5, 5, 1}, {5, 5, 1, 1}},
    {27, {9, 3}, {3, 3, 3}, {3, 3, 3, 1}},
    {30, {6, 5}, {5, 3, 2}, {5, 3, 2, 1}},
    {36, {6, 6}, {4, 3, 3}, {3, 3, 2, 2}},
    {48, {8, 6}, {4, 4, 3}, {4, 3, 2, 2}},
    {60, {10, 6}, {5, 4, 3}, {5, 3, 2, 2}},
    {72, {9, 8}, {6, 4, 3}, {4, 3, 3, 2}},
    {96, {12, 8}, {6, 4, 4}, {4, 4, 3, 2}},
    {100, {10, 10}, {5, 5, 4}, {5, 5, 2, 2}},
    {120, {12, 10}, {6, 5, 4}, {5, 4, 3, 2}},
    {128, {16, 8}, {8, 4, 4}, {4, 4, 4, 2}},
    {144, {12, 12}, {6, 6, 4}, {4, 4, 3, 3}},
    {360, {20, 18}, {10, 6, 6}, {6, 5, 4, 3}},
    {361, {19, 19}, {19, 19, 1}, {19, 19, 1, 1}},
    {512, {32, 16}, {8, 8, 8}, {8, 4, 4, 4}},
    {1000, {40, 25}, {10, 10, 10}, {8, 5, 5, 5}},
    {1000000, {1000, 1000}, {100, 100, 100}, {40, 40, 25, 25}},
    {1048576, {1024, 1024}, {128, 128, 64}, {32, 32, 32, 32}},
    {999983, {999983, 1}, {999983, 1, 1}, {999983, 1, 1, 1}},
};

constexpr bool is_answered(const Row& row) {
  return *dims_create<2>(row.ranks) == row.two && *dims_create<3>(row.ranks) == row.three &&
         *dims_create<4>(row.ranks) == row.four;
}
static_assert(std::ranges::all_of(table, [](const Row& row) {
  return row.ranks >= 100000 || is_answered(row);  // the rest is long for a compiler
}));
static_assert(*dims_create<2>(1048576) == Dims{1024, 1024});

TEST(DimsCreate, has_the_sizes_of_the_table) {
  for (const Row& row : table) EXPECT_TRUE(is_answered(row)) << row.ranks;
}

// The answers of Open MPI, which multiplies prime factors into the smallest entry, are not the
// optimum.
TEST(DimsCreate, is_more_even_than_open_mpi) {
  struct Pair {
    int ranks;
    Dims best;
  };
  const Pair pairs[] = {
      {72, {9, 8}},     {180, {15, 12}},  {240, {16, 15}},  {288, {18, 16}},
      {336, {21, 16}},  {420, {21, 20}},  {450, {25, 18}},  {504, {24, 21}},
      {540, {27, 20}},  {600, {25, 24}},  {675, {27, 25}},  {432, {9, 8, 6}},
      {504, {9, 8, 7}}, {576, {9, 8, 8}}, {648, {9, 9, 8}}, {720, {10, 9, 8}},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(*dims_create(pair.ranks, Dims::to_find(pair.best.size())), pair.best) << pair.ranks;
  }
}

// Every way to write a number of ranks with factors that do not increase, the best by the rule
// kept.
struct BruteForce {
  std::vector<int> divisors;
  std::vector<int> trial;
  std::vector<int> best;

  explicit BruteForce(int ranks) {
    for (int factor = 1; factor <= ranks; ++factor) {
      if (ranks % factor == 0) divisors.push_back(factor);
    }
  }
  bool is_better() const {
    const int spread = trial.front() - trial.back();
    const int best_spread = best.front() - best.back();
    if (spread != best_spread) return spread < best_spread;
    if (trial.back() != best.back()) return trial.back() > best.back();
    return trial < best;
  }
  void search(int ranks, std::size_t left, int high) {
    if (left == 1) {
      if (ranks > high) return;
      trial.push_back(ranks);
      if (best.empty() || is_better()) best = trial;
      trial.pop_back();
      return;
    }
    for (const int factor : divisors) {
      if (factor > high || factor > ranks) break;
      if (ranks % factor != 0) continue;
      trial.push_back(factor);
      search(ranks / factor, left - 1, factor);
      trial.pop_back();
    }
  }
};

std::string first_difference(int last, std::size_t count) {
  for (int ranks = 1; ranks <= last; ++ranks) {
    BruteForce brute(ranks);
    brute.search(ranks, count, ranks);
    const auto dims = dims_create(ranks, Dims::to_find(count));
    if (!dims || std::vector<int>(dims->begin(), dims->end()) != brute.best) {
      return std::to_string(ranks);
    }
  }
  return "";
}

TEST(DimsCreate, equals_brute_force) {
  for (std::size_t count = 1; count <= 8; ++count) {
    EXPECT_EQ(first_difference(4096, count), "") << count << " dimensions";
  }
}

// All answers of MPICH 4.0.2 for 1 to 4096 ranks in 2 to 5 dimensions, folded into one number.
TEST(DimsCreate, equals_mpich_up_to_4096_ranks) {
  std::uint64_t fold = 0;
  for (std::size_t count = 2; count <= 5; ++count) {
    for (int ranks = 1; ranks <= 4096; ++ranks) {
      const auto dims = dims_create(ranks, Dims::to_find(count));
      ASSERT_TRUE(dims);
      for (const int size : *dims) {
        fold = fold * std::uint64_t{1099511628211} + static_cast<std::uint64_t>(size);
      }
    }
  }
  EXPECT_EQ(fold, std::uint64_t{9848007084356161771U});
}

TEST(DimsCreate, keeps_given_sizes) {
  EXPECT_EQ(*dims_create(6, {0, 3, 0}), (Dims{2, 3, 1}));
  EXPECT_EQ(*dims_create(72, {0, 0, 2}), (Dims{6, 6, 2}));
  EXPECT_EQ(*dims_create(8, {2, 4}), (Dims{2, 4}));
  EXPECT_EQ(*dims_create(1, {}), Dims{});
}

// Dims keeps the number of entries even if it has no room for all, so that dims_create can reject
// it.
constexpr std::ptrdiff_t held(const Dims& dims) { return dims.end() - dims.begin(); }
static_assert(Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}.size() == 9);
static_assert(held({1, 2, 3, 4, 5, 6, 7, 8, 9}) == 8 && held({1, 2, 3, 4, 5, 6, 7, 8}) == 8);
static_assert(held(Dims::to_find(100)) == 8 && held(Dims::to_find(SIZE_MAX)) == 8);
static_assert(held(Dims::to_find(7)) == 7 && held({}) == 0);
static_assert(Dims{1, 2, 3, 4, 5, 6, 7, 8, 9} != Dims{1, 2, 3, 4, 5, 6, 7, 8});

TEST(DimsCreate, reads_no_entry_that_dims_does_not_hold) {
  for (const Dims& dims : {Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}, Dims::to_find(100)}) {
    EXPECT_EQ(std::vector<int>(dims.begin(), dims.end()).size(), 8U);
    EXPECT_EQ(dims_create(1, dims).error().code, Errc::limit_exceeded);
  }
}

struct Mistake {
  int ranks;
  Dims dims;
  Errc code;
  std::string_view message;
};

TEST(DimsCreate, names_the_wrong_entry) {
  const Mistake mistakes[] = {
      {7,
       {0, 3, 0},
       Errc::bad_axis,
       "dims[1]=\"3\": expected given sizes whose product divides 7, and it is 3 so far; change "
       "it, "
       "or pass 0 to compute it"},
      {8,
       {-1, 0},
       Errc::out_of_range,
       "dims[0]=\"-1\": expected 0 or a size of at least 1; pass 0 to compute it"},
      {8,
       {2, 2},  // MPICH takes it
       Errc::bad_axis,
       "dims=\"4\": expected sizes whose product is 8; pass 0 for at least one of them"},
      {8,
       {},
       Errc::bad_axis,
       "dims=\"1\": expected sizes whose product is 8; pass 0 for at least one of them"},
      {0,
       {0, 0},
       Errc::out_of_range,
       "ranks=\"0\": expected at least one rank; pass the number of ranks to arrange"},
      {8,
       {0, 0, 0, 0, 0, 0, 0, 0, 0},
       Errc::limit_exceeded,
       "dims=\"9\": expected at most 8 dimensions; leave out dimensions of size 1"},
      {INT_MAX,
       {INT_MAX, INT_MAX, 0},
       Errc::bad_axis,
       "dims[1]=\"2147483647\": expected given sizes whose product divides 2147483647, and it is "
       "4611686014132420609 so far; change it, or pass 0 to compute it"},
  };
  for (const Mistake& row : mistakes) {
    const auto dims = dims_create(row.ranks, row.dims);
    ASSERT_FALSE(dims) << row.message;
    EXPECT_EQ(dims.error().code, row.code);
    EXPECT_EQ(message(dims.error()), row.message);
  }
}

// The numbers with the most divisors, the largest prime and what lies around.
TEST(DimsCreate, takes_any_number_of_ranks) {
  for (const int ranks : {2095133040, 1396755360, INT_MAX, INT_MAX - 1, 1 << 30, 46340 * 46340,
                          2147395599, 2147117569}) {
    for (std::size_t count = 1; count <= 8; ++count) {
      const auto dims = dims_create(ranks, Dims::to_find(count));
      ASSERT_TRUE(dims);
      std::int64_t product = 1;
      for (std::size_t i = 0; i != count; ++i) {
        product *= (*dims)[i];
        if (i != 0) {
          EXPECT_GE((*dims)[i - 1], (*dims)[i]);
        }
      }
      EXPECT_EQ(product, ranks);
    }
  }
  EXPECT_EQ(*dims_create<2>(46340 * 46340), (Dims{46340, 46340}));
}

}  // namespace
