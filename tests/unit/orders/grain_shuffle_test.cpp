// SPDX-License-Identifier: MIT
//
// Red here means that a run would see other samples than it does under Grain. The recorded file
// comes from Grain's own source, at the commit that it names.
#include <rankmap/orders/grain_shuffle.hpp>
#include <rankmap/sampler/epoch.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/rows.hpp"

namespace {

using golden::List;
using rankmap::GrainShuffle;

static_assert(rankmap::InvertibleOrder<GrainShuffle> && rankmap::NamedOrder<GrainShuffle>);
static_assert(GrainShuffle(100'003, 42)[GrainShuffle(100'003, 42).index_of(7)] == 7);

TEST(GrainShuffle, is_grains_order) {
  std::size_t vectors = 0;
  for (const auto& row : golden::rows("grain_shuffle.tsv")) {
    const std::uint64_t size = golden::number(row[0]);
    const auto seed = static_cast<std::uint32_t>(golden::number(row[1]));
    const GrainShuffle order(size, seed);
    const GrainShuffle later(size, seed - 3, 3);  // the seed of an epoch is a sum modulo 2^32
    const List places = golden::numbers(row[2]);
    List samples;
    for (const std::uint64_t place : places) {
      samples.push_back(order[place]);
      EXPECT_EQ(later[place], order[place]);
      EXPECT_EQ(order.index_of(order[place]), place) << size;
    }
    EXPECT_EQ(samples, golden::numbers(row[3])) << "size " << size << ", seed " << row[1];
    ++vectors;
  }
  EXPECT_GE(vectors, 700U);
}

// As Grain's own tests have it.
TEST(GrainShuffle, has_every_sample_once) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                   std::uint64_t{3}, std::uint64_t{46'205}, std::uint64_t{65'536},
                                   std::uint64_t{65'538}, std::uint64_t{131'073}}) {
    std::vector<bool> seen(size);
    const GrainShuffle order(size, 52);
    EXPECT_EQ(order.size(), size);
    EXPECT_EQ(order.empty(), size == 0);
    for (std::uint64_t place = 0; place != size; ++place) {
      const std::uint64_t sample = order[place];
      ASSERT_LT(sample, size);
      EXPECT_FALSE(seen[sample]) << size;
      seen[sample] = true;
    }
  }
}

TEST(GrainShuffle, refuses_where_grain_reads_a_sample_twice) {
  const auto text = [](std::uint64_t size) {
    const auto made = GrainShuffle::make(size, 1);
    return made ? std::string() : std::string(message(made.error()).c_str());
  };
  for (unsigned bits = 1; bits != 48; ++bits) {
    const std::uint64_t size = (std::uint64_t{1} << bits) + 1;
    EXPECT_EQ(text(size).empty(), bits < 16 || bits % 2 == 1) << bits;
    EXPECT_EQ(text(size - 1), "");
    EXPECT_EQ(text(size + 1), "");
  }
  EXPECT_EQ(text(65'537),
            "size=\"65537\": expected no 2^k + 1 with an even k, where Grain reads one sample "
            "twice; leave the last sample out, or take a Permutation");
  EXPECT_EQ(text(GrainShuffle::largest_size), "");
  EXPECT_EQ(text(GrainShuffle::largest_size + 1),
            "size=\"281474976710657\": expected at most 2^48 samples; pass the number of samples");
}

TEST(GrainShuffle, is_saved_by_seed_and_epoch) {
  const rankmap::SavedOrder saved = GrainShuffle(1000, 5, 7).saved_as();
  EXPECT_EQ(std::string_view(saved.name), "grain-shuffle");
  EXPECT_EQ(saved.seed, 5U);
  EXPECT_EQ(saved.epoch, 7U);
  EXPECT_EQ(saved.digest, 0U);
}

}  // namespace
