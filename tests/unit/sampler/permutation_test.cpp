// SPDX-License-Identifier: MIT
//
// Two kinds of tests. Pinned values define the permutation: red means that every resumed run would
// read another order, so a new algorithm needs a new name. Statistics over thousands of seeds show
// how good it is; all seeds are fixed, so a test that passes once always passes.
#include <rankmap/sampler/permutation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <ranges>
#include <vector>

namespace {

using rankmap::Permutation;
using List = std::vector<std::uint64_t>;

struct PinnedCase {
  std::uint64_t size, seed, epoch, stream;
  std::uint64_t elements[4];  // places 0, 1, size / 2, size - 1
};
constexpr PinnedCase pinned[] = {
    {2U, 0U, 0U, 0U, {1U, 0U, 0U, 0U}},
    {10U, 42U, 0U, 0U, {6U, 3U, 9U, 2U}},
    {10U, 42U, 1U, 0U, {0U, 4U, 1U, 9U}},
    {10U, 43U, 0U, 0U, {6U, 5U, 0U, 2U}},
    {10U, 42U, 0U, 1U, {6U, 5U, 9U, 8U}},
    {1000U, 1U, 2U, 0U, {255U, 88U, 333U, 223U}},
    {1000U, 2U, 1U, 0U, {884U, 854U, 303U, 876U}},
    {1023U,
     18446744073709551615U,
     18446744073709551615U,
     18446744073709551615U,
     {550U, 384U, 532U, 209U}},
    {1024U, 0U, 0U, 0U, {362U, 162U, 997U, 1010U}},
    {1025U, 0U, 0U, 0U, {199U, 632U, 630U, 893U}},
    {50000U, 42U, 3U, 0U, {8477U, 19873U, 14527U, 11370U}},
    {65537U, 7U, 0U, 0U, {30337U, 28262U, 35779U, 54628U}},
    {1000000U, 42U, 0U, 0U, {965742U, 974916U, 146637U, 51609U}},
    {1000000U, 42U, 1U, 0U, {908955U, 488031U, 845192U, 829944U}},
    {1073741829U, 1U, 0U, 0U, {932178851U, 992845576U, 1037054501U, 962481572U}},
    {1000000000000U, 5U, 9U, 2U, {323532090947U, 808829170641U, 344671485010U, 63498617648U}},
    {4611686018427387905U,
     0U,
     0U,
     0U,
     {1419576136693871355U, 3027075743639424417U, 4466309003356172887U, 3520013274143686979U}},
    {9223372036854775807U,
     1U,
     1U,
     1U,
     {5517291357313493833U, 1012455132576795455U, 4266327153351109249U, 2379008568008137892U}},
    {9223372036854775808U,
     1U,
     1U,
     1U,
     {5517291357313493833U, 1012455132576795455U, 6236328058070322900U, 6817563860697252860U}},
};
constexpr bool holds(const PinnedCase& c) {
  const Permutation p(c.size, c.seed, c.epoch, c.stream);
  const std::uint64_t places[] = {0, 1, c.size / 2, c.size - 1};
  for (int k = 0; k != 4; ++k) {
    if (p[places[k]] != c.elements[k]) return false;
    if (p.index_of(c.elements[k]) != places[k]) return false;
  }
  return true;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(Permutation, never_changes_under_its_name) {
  for (const PinnedCase& c : pinned) {
    EXPECT_TRUE(holds(c)) << c.size << ", seed " << c.seed << ", epoch " << c.epoch;
  }
}

void expect_bijection(const Permutation& p) {
  std::vector<bool> seen(p.size());
  List filled(p.size());
  p.fill(0, filled);
  for (std::uint64_t i = 0; i != p.size(); ++i) {
    const std::uint64_t value = p[i];
    ASSERT_LT(value, p.size());
    ASSERT_FALSE(seen[value]) << value << " twice of " << p.size();
    seen[value] = true;
    ASSERT_EQ(filled[i], value) << "fill differs at " << i << " of " << p.size();
    if (p.size() < 300 || i % 17 == 0) {
      ASSERT_EQ(p.index_of(value), i) << p.size();
    }
  }
}

TEST(Permutation, holds_every_element_once_at_every_size) {
  for (std::uint64_t size = 0; size <= 300; ++size) expect_bijection(Permutation(size, 7, size));
  for (std::uint64_t size = 301; size <= 5000; size += size < 1000 || size > 1100 ? 61 : 1) {
    expect_bijection(Permutation(size, 8, size));
  }
}

TEST(Permutation, holds_every_element_once_at_sizes_that_break_others) {
  for (const std::uint64_t size :
       {65535U, 65536U, 65537U, 262143U, 262144U, 262145U, 1048575U, 1048576U, 1048577U}) {
    expect_bijection(Permutation(size, 3, 1));
  }
}

TEST(Permutation, is_invertible_at_sizes_up_to_2_to_the_63) {
  for (unsigned bits = 10; bits <= 63; ++bits) {
    for (const std::uint64_t size : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits,
                                     (std::uint64_t{1} << bits) + 1}) {
      if (size > std::uint64_t{1} << 63U) continue;
      const Permutation p(size, bits);
      const Permutation lookup(size, 1000 + bits);
      for (std::uint64_t k = 0; k != 200; ++k) {
        const std::uint64_t i = lookup[k];
        ASSERT_LT(p[i], size);
        ASSERT_EQ(p.index_of(p[i]), i) << size;
        ASSERT_EQ(p[p.index_of(i)], i) << size;
      }
      ASSERT_LT(p[size - 1], size);
    }
  }
}

TEST(Permutation, fills_any_progression) {
  for (const std::uint64_t size : {100U, 1024U, 5000U, 70001U}) {
    const Permutation p(size, 5);
    for (const std::uint64_t stride : {1U, 2U, 3U, 64U, 1000U}) {
      for (const std::uint64_t count : {0U, 1U, 127U, 128U, 129U, 400U}) {
        for (const std::uint64_t first : {0U, 1U, 77U}) {
          if (first + count * stride > size) continue;
          List out(count + 1, 12345);
          p.fill(first, out.data(), count, stride);
          for (std::uint64_t k = 0; k != count; ++k) ASSERT_EQ(out[k], p[first + k * stride]);
          ASSERT_EQ(out[count], 12345U) << "wrote beyond the end";
        }
      }
    }
  }
  std::array<std::uint64_t, 5> five{};
  Permutation(5000, 5).fill(10, five);
  EXPECT_EQ(five[4], Permutation(5000, 5)[14]);
}

constexpr std::uint64_t last_of_a_bulk_read(std::uint64_t count) {
  std::uint64_t out[100] = {};
  Permutation(2000, 7).fill(0, out, count);
  return out[count - 1];
}
static_assert(last_of_a_bulk_read(100) == Permutation(2000, 7)[99]);

TEST(Permutation, maps_any_places) {
  for (const std::uint64_t size : {100U, 1025U, 70001U}) {
    const Permutation p(size, 5);
    const Permutation some(size, 6);
    for (const std::uint64_t count : {0U, 1U, 100U, 128U, 300U}) {
      List places(count + 1, 12345);
      for (std::uint64_t k = 0; k != count; ++k) places[k] = some[k * 7 % size];
      p.map(places.data(), count);
      for (std::uint64_t k = 0; k != count; ++k) ASSERT_EQ(places[k], p[some[k * 7 % size]]);
      ASSERT_EQ(places[count], 12345U) << "wrote beyond the end";
    }
  }
}

TEST(Permutation, is_a_random_access_range) {
  static_assert(std::ranges::random_access_range<Permutation>);
  static_assert(std::ranges::sized_range<Permutation>);
  List values;
  for (const std::uint64_t value : Permutation(10, 1)) values.push_back(value);
  std::ranges::sort(values);
  EXPECT_EQ(values, (List{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(Permutation().empty());
  EXPECT_EQ(Permutation(2000, 1), Permutation(2000, 1));
  EXPECT_FALSE(Permutation(2000, 1) == Permutation(2000, 2));
}

// The distance of a chi-square statistic from its expectation, in standard deviations.
double deviation(double chi_square, double freedom) {
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(Permutation, gives_every_order_of_a_few_elements_equally_often) {
  for (const std::uint64_t size : {3U, 4U, 5U, 6U}) {
    std::map<List, double> counts;
    constexpr int seeds = 120'000;
    for (std::uint64_t seed = 0; seed != seeds; ++seed) {
      // Every key component in turn, so that none of them counts less than the others.
      const Permutation p(size, seed % 50, seed / 50 % 50, seed / 2500);
      List order(size);
      p.fill(0, order);
      ++counts[order];
    }
    double orders = 1;
    for (std::uint64_t k = 2; k <= size; ++k) orders *= static_cast<double>(k);
    ASSERT_EQ(static_cast<double>(counts.size()), orders) << "an order that never occurs";
    double chi_square = 0;
    for (const auto& [order, count] : counts) {
      const double expected = seeds / orders;
      chi_square += (count - expected) * (count - expected) / expected;
    }
    EXPECT_LT(std::abs(deviation(chi_square, orders - 1)), 4) << size << " elements";
  }
}

// A batch, such as the first places of a permutation, has to look like a draw from all elements.
// `place(k)` is the place of its k-th element.
template <class Place>
void expect_fair_batches(std::uint64_t size, Place place) {
  constexpr int batch = 64;
  constexpr int bins = 64;
  constexpr std::uint64_t seeds = 4000;
  double even = 0;
  double upper = 0;
  double mean = 0;
  std::vector<double> differences(bins);
  std::vector<double> expected(bins);
  const double n = static_cast<double>(size);
  const double p_even = static_cast<double>((size + 1) / 2) / n;
  const double p_upper = static_cast<double>(size - size / 2) / n;
  const auto bin = [&](std::uint64_t x) {
    return static_cast<std::size_t>(static_cast<double>(x) / n * bins);
  };
  for (std::uint64_t seed = 0; seed != seeds; ++seed) {
    const Permutation p(size, seed / 8, seed % 8);
    double evens = 0;
    double uppers = 0;
    double sum = 0;
    std::uint64_t before = 0;
    for (int k = 0; k != batch; ++k) {
      const std::uint64_t x = p[place(static_cast<std::uint64_t>(k))];
      evens += x % 2 == 0;
      uppers += x >= size / 2;
      sum += static_cast<double>(x) - (n - 1) / 2;
      if (k != 0) ++differences[bin(x >= before ? x - before : x + (size - before))];
      before = x;
    }
    even += (evens - batch * p_even) * (evens - batch * p_even);
    upper += (uppers - batch * p_upper) * (uppers - batch * p_upper);
    mean += sum / batch * (sum / batch);
  }
  const double without_replacement = (n - batch) / (n - 1);
  even /= seeds * batch * p_even * (1 - p_even) * without_replacement;
  upper /= seeds * batch * p_upper * (1 - p_upper) * without_replacement;
  mean /= seeds * (n * n - 1) / 12 / batch * without_replacement;
  // Variances of an ideal shuffle are 1, known to about sqrt(2 / seeds).
  const double limit = 4.5 * std::sqrt(2.0 / seeds);
  EXPECT_NEAR(even, 1, limit) << "parity, size " << size;
  EXPECT_NEAR(upper, 1, limit) << "halves, size " << size;
  EXPECT_NEAR(mean, 1, limit) << "mean, size " << size;
  double chi_square = 0;
  if (size < 100'000) {
    for (std::uint64_t d = 1; d != size; ++d) expected[bin(d)] += 1 / (n - 1);
  } else {
    std::ranges::fill(expected, 1.0 / bins);
  }
  for (std::size_t k = 0; k != bins; ++k) {
    const double e = expected[k] * static_cast<double>(seeds) * (batch - 1);
    chi_square += (differences[k] - e) * (differences[k] - e) / e;
  }
  EXPECT_LT(std::abs(deviation(chi_square, bins - 1)), 4.5) << "differences, size " << size;
}

constexpr std::uint64_t statistic_sizes[] = {200,
                                             1000,
                                             1023,
                                             1024,
                                             1025,
                                             1537,
                                             2047,
                                             4097,
                                             65535,
                                             65536,
                                             65537,
                                             1'000'001,
                                             (1U << 20U) - 1,
                                             1U << 20U,
                                             (1U << 20U) + 1,
                                             (std::uint64_t{1} << 30U) + 5,
                                             1'000'000'000'000,
                                             (std::uint64_t{1} << 53U) - 111,
                                             std::uint64_t{1} << 62U,
                                             (std::uint64_t{1} << 63U) - 1};

TEST(Permutation, gives_fair_batches_at_the_start) {
  for (const std::uint64_t size : statistic_sizes) {
    expect_fair_batches(size, [](std::uint64_t k) { return k; });
  }
}

TEST(Permutation, gives_fair_batches_in_the_middle) {
  for (const std::uint64_t size : statistic_sizes) {
    expect_fair_batches(size, [&](std::uint64_t k) { return size / 3 + k; });
  }
}

// What one rank of many reads: places that differ by the world size, or by a whole row.
TEST(Permutation, gives_fair_batches_to_a_rank_of_many) {
  for (const std::uint64_t size : statistic_sizes) {
    if (size < 65535) continue;
    expect_fair_batches(size, [](std::uint64_t k) { return 5 + k * 1000; });
    unsigned bits = 0;
    while ((size - 1) >> bits != 0) ++bits;
    const std::uint64_t row = std::uint64_t{1} << bits / 2;
    expect_fair_batches(size, [&](std::uint64_t k) { return k * row; });
  }
}

bool is_even(const Permutation& p) {
  std::vector<bool> seen(p.size());
  bool even = true;
  for (std::uint64_t start = 0; start != p.size(); ++start) {
    if (seen[start]) continue;
    std::uint64_t length = 0;
    for (std::uint64_t at = start; !seen[at]; at = p[at]) {
      seen[at] = true;
      ++length;
    }
    if (length % 2 == 0) even = !even;
  }
  return even;
}

// A Feistel network with two halves of even size, or two of odd size, makes even permutations
// alone. Half of all orders could then never occur.
TEST(Permutation, is_even_and_odd_equally_often) {
  for (const std::uint64_t size : {2U, 7U, 256U, 1000U, 1024U, 1025U, 1089U, 2048U, 4096U, 4097U}) {
    int even = 0;
    constexpr int seeds = 400;
    for (std::uint64_t seed = 0; seed != seeds; ++seed) even += is_even(Permutation(size, seed));
    EXPECT_NEAR(even, seeds / 2, 4.5 * 10) << size;
  }
}

// The elements at two places together: the weakness of networks with few rounds.
TEST(Permutation, gives_every_pair_equally_often) {
  for (const std::uint64_t size : {24U, 1024U, 1025U}) {
    constexpr std::uint64_t cells = 24;  // the elements in as many bins, or one by one
    for (const std::uint64_t other : {std::uint64_t{1}, size / 2, size - 1}) {
      std::vector<double> counts(cells * cells);
      constexpr std::uint64_t seeds = 60'000;
      for (std::uint64_t seed = 0; seed != seeds; ++seed) {
        const Permutation p(size, seed);
        ++counts[p[0] * cells / size * cells + p[other] * cells / size];
      }
      std::vector<double> width(cells);
      for (std::uint64_t x = 0; x != size; ++x) ++width[x * cells / size];
      const double n = static_cast<double>(size);
      double chi_square = 0;
      double freedom = -1;
      for (std::size_t a = 0; a != cells; ++a) {
        for (std::size_t b = 0; b != cells; ++b) {
          const double pairs = width[a] * (a == b ? width[b] - 1 : width[b]);
          if (pairs == 0) continue;
          const double e = static_cast<double>(seeds) * pairs / (n * (n - 1));
          const double count = counts[a * cells + b];
          chi_square += (count - e) * (count - e) / e;
          ++freedom;
        }
      }
      EXPECT_LT(std::abs(deviation(chi_square, freedom)), 4.5) << size << ", places 0, " << other;
    }
  }
}

// Permutations of neighbouring seeds, epochs and streams agree in no more places than by chance.
TEST(Permutation, is_unrelated_to_neighbouring_seeds_and_epochs) {
  for (const std::uint64_t size : {500U, 1'000'000U}) {
    const auto agreements = [&](const Permutation& a, const Permutation& b) {
      int same = 0;
      for (std::uint64_t i = 0; i != 500; ++i) same += a[i] == b[i];
      return same;
    };
    int total = 0;
    for (std::uint64_t s = 0; s != 100; ++s) {
      const Permutation p(size, s, 1);
      total += agreements(p, Permutation(size, s + 1, 1));
      total += agreements(p, Permutation(size, s, 2));
      total += agreements(p, Permutation(size, s + 1, 0));
      total += agreements(p, Permutation(size, s, 1, 1));
      total += agreements(p, Permutation(size, s, 0, 1));
      EXPECT_FALSE(s != 1 && p == Permutation(size, 1, s));
    }
    // 500 pairs, each with 500 / size agreements a place on average (one for the small size).
    const double expected = 500.0 * 500.0 / static_cast<double>(size);
    EXPECT_NEAR(total, expected, 5 * std::sqrt(expected) + 5) << size;
  }
}

}  // namespace
