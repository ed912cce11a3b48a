// SPDX-License-Identifier: MIT
#include <rankmap/draw/shards.hpp>
#include <rankmap/sampler/block_shuffle.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/mixture.hpp>
#include <rankmap/sampler/sampler.hpp>

#include "support/reversed_order.hpp"
#include "support/svg.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::DrawShardsOptions;
using rankmap::Epoch;
using rankmap::Remainder;
using rankmap::Sampler;
using rankmap::Sequential;
using rankmap::Shard;
using rankmap::ShardOptions;
using rankmap::ShardOrder;
using rankmap_test::SvgReader;
using rankmap_test::SvgText;

std::string drawn(std::uint64_t size, int world, const ShardOptions& options = {},
                  const DrawShardsOptions& how = {}) {
  std::string text;
  draw_shards(
      Epoch(Shard(size, 0, world, options), Sequential(size)),
      [&](std::string_view piece) { text += piece; }, how);
  return text;
}

constexpr ShardOrder orders[] = {ShardOrder::strided, ShardOrder::blocked};
constexpr Remainder remainders[] = {Remainder::pad, Remainder::drop, Remainder::uneven};

// The texts in one line of a picture, from left to right as they are written.
std::vector<std::string> line_below(const SvgReader& picture, const SvgText& heading, double by) {
  std::vector<std::string> out;
  for (const SvgText& text : picture.texts()) {
    if (text.bottom == heading.bottom + by) out.push_back(text.text);
  }
  return out;
}
const SvgText& text_called(const SvgReader& picture, std::string_view text) {
  for (const SvgText& one : picture.texts()) {
    if (one.text == text) return one;
  }
  return picture.texts().front();
}

/// Each share of every small world, read off the picture.
TEST(DrawShards, shows_what_each_shard_holds) {
  for (const ShardOrder order : orders) {
    for (const Remainder remainder : remainders) {
      for (std::uint64_t size = 0; size != 10; ++size) {
        for (int world = 1; world != 5; ++world) {
          for (std::uint64_t consumed = 0; consumed <= size; ++consumed) {
            const ShardOptions options{order, remainder, consumed};
            const SvgReader picture(drawn(size, world, options, {.max_ranks = 6}));
            ASSERT_EQ(picture.fault(), "");
            for (int rank = 0; rank != world; ++rank) {
              const std::string label = "rank " + std::to_string(rank);
              std::vector<std::string> expected;
              for (const std::uint64_t place : Shard(size, rank, world, options)) {
                expected.push_back(std::to_string(place));
              }
              ASSERT_EQ(line_below(picture, text_called(picture, label), -1), expected)
                  << size << " on " << world << ", " << label;
            }
            const std::uint64_t used = consumed;
            ASSERT_EQ(picture.count_text("used"), static_cast<int>(used));
            const std::uint64_t end = consumed + Shard(size, 0, world, options).total_size();
            ASSERT_EQ(picture.count_text("none"), end < size ? static_cast<int>(size - end) : 0);
          }
        }
      }
    }
  }
}

TEST(DrawShards, shows_the_rank_of_every_sample_in_the_strip) {
  for (const ShardOrder order : orders) {
    const ShardOptions options{order, Remainder::pad, 3};
    const SvgReader picture(drawn(17, 4, options));
    const SvgText heading = text_called(picture, "the order of the epoch: sample, rank");
    std::vector<std::string> samples;
    std::vector<std::string> ranks;
    for (std::uint64_t place = 0; place != 19; ++place) {
      samples.push_back(std::to_string(place % 17));
      std::string owner = place < 3 ? "used" : "nobody";
      for (int rank = 0; rank != 4; ++rank) {
        const Shard shard(17, rank, 4, options);
        for (std::uint64_t k = 0; k != shard.size(); ++k) {
          const std::uint64_t unwrapped = shard[k] + (shard.is_padding(k) ? 17 : 0);
          if (unwrapped == place) owner = "r" + std::to_string(rank);
        }
      }
      ranks.push_back(owner);
    }
    EXPECT_EQ(line_below(picture, heading, 29), samples);
    EXPECT_EQ(line_below(picture, heading, 43), ranks);
  }
}

TEST(DrawShards, of_a_sampler_shows_its_samples) {
  for (const bool shuffle : {true, false}) {
    const Sampler sampler(23, 2, 3, {.seed = 7, .shuffle = shuffle});
    std::string text;
    draw_shards(sampler.epoch(5, 6), [&](std::string_view piece) { text += piece; });
    const SvgReader picture(text);
    EXPECT_EQ(picture.fault(), "");
    std::vector<std::string> expected;
    for (const std::uint64_t sample : sampler.epoch(5, 6)) {
      expected.push_back(std::to_string(sample));
    }
    EXPECT_EQ(line_below(picture, text_called(picture, "rank 2"), -1), expected);
  }
}

// Of the program's own, be it there as a whole or made as it is read.
template <class Order>
void expect_its_samples_of_rank_2(Order order, Order same) {
  std::string text;
  draw_shards(Epoch(Shard(23, 0, 3, {.consumed = 6}), std::move(order)),
              [&](std::string_view piece) { text += piece; });
  const SvgReader picture(text);
  EXPECT_EQ(picture.fault(), "");
  std::vector<std::string> expected;
  for (const std::uint64_t sample : Epoch(Shard(23, 2, 3, {.consumed = 6}), std::move(same))) {
    expected.push_back(std::to_string(sample));
  }
  EXPECT_EQ(line_below(picture, text_called(picture, "rank 2"), -1), expected);
}

TEST(DrawShards, of_any_order_shows_its_samples) {
  using rankmap_test::LazilyReversed;
  expect_its_samples_of_rank_2(rankmap_test::Reversed(23), rankmap_test::Reversed(23));
  expect_its_samples_of_rank_2(LazilyReversed(23, 1), LazilyReversed(23, 1));
}

// An order of the program's own that has groups, and one that has windows as well.
struct InPairs : rankmap_test::Reversed {
  using Reversed::Reversed;
  constexpr std::uint64_t group_of(std::uint64_t sample) const { return sample / 2; }
};
struct InWindows : InPairs {
  using InPairs::InPairs;
  constexpr std::uint64_t window_of(std::uint64_t place) const { return place / 5; }
};

template <class Order>
SvgReader grouped(const Order& order, std::uint64_t size) {
  std::string text;
  draw_shards(Epoch(Shard(size, 0, 3, {.consumed = 2}), order),
              [&](std::string_view piece) { text += piece; });
  return SvgReader(text);
}

TEST(DrawShards, shows_the_groups_and_windows_of_any_order) {
  std::vector<std::string> groups;
  std::vector<std::string> windows;
  for (std::uint64_t place = 0; place != 14; ++place) {  // 13 samples and one of padding
    groups.push_back(std::to_string((12 - place % 13) / 2));
    windows.push_back("w" + std::to_string(place % 13 / 5));
  }
  const SvgReader pairs = grouped(InPairs(13), 13);
  EXPECT_EQ(pairs.fault(), "");
  EXPECT_EQ(line_below(pairs, text_called(pairs, "what it is of: group"), 29), groups);
  const SvgReader both = grouped(InWindows(13), 13);
  EXPECT_EQ(both.fault(), "");
  EXPECT_EQ(line_below(both, text_called(both, "what it is of: group, window"), 29), groups);
  EXPECT_EQ(line_below(both, text_called(both, "what it is of: group, window"), 43), windows);
  EXPECT_EQ(grouped(rankmap_test::Reversed(13), 13).count_text("what it is of: group"), 0);
}

TEST(DrawShards, shows_blocks_and_sets) {
  const std::string_view heading = "what it is of: group, window";
  const rankmap::BlockShuffle blocks(14, 3, 2, 42);
  const std::uint64_t weights[] = {2, 1};
  const std::uint64_t sizes[] = {9, 5};
  const rankmap::Mixture mixture(weights, sizes, 3, 42);
  const auto sets = mixture.order(rankmap::MixtureStop::first_exhausted);
  std::vector<std::string> of_blocks;
  std::vector<std::string> of_sets;
  for (const std::uint64_t sample : blocks) of_blocks.push_back(std::to_string(sample / 3));
  for (const std::uint64_t sample : sets) of_sets.push_back(sample < 9 ? "0" : "1");
  for (std::size_t at = 0; of_sets.size() % 3 != 2; ++at)
    of_sets.push_back(of_sets[at]);  // padding
  const SvgReader of_block_shuffle = grouped(blocks, 14);
  EXPECT_EQ(line_below(of_block_shuffle, text_called(of_block_shuffle, heading), 29), of_blocks);
  const SvgReader of_mixture = grouped(sets, sets.size());
  EXPECT_EQ(line_below(of_mixture, text_called(of_mixture, heading), 29), of_sets);
}

TEST(DrawShards, stays_in_its_frame_without_overlaps_in_any_world) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{123'456},
        std::uint64_t{123'456'789'012}, rankmap::largest_dataset}) {
    for (const int world : {1, 7, 300, 2'147'483'647}) {
      for (const std::uint64_t consumed :
           {std::uint64_t{0}, std::uint64_t{3}, size / 2, size - size / 1000, size}) {
        for (const ShardOrder order : orders) {
          for (const Remainder remainder : remainders) {
            for (const int limit : {0, 12, 40}) {
              const ShardOptions options{order, remainder, consumed < size ? consumed : size};
              const std::string text = drawn(size, world, options, {limit, limit / 3});
              const SvgReader picture(text);
              ASSERT_EQ(picture.fault(), "") << size << " on " << world << " after " << consumed;
              ASSERT_LE(picture.width(), 1565);
              ASSERT_LT(text.size(), 60'000U);
            }
          }
        }
      }
    }
  }
}

TEST(DrawShards, shows_4096_ranks_at_most) {
  const auto rows = [](int limit) {
    return drawn(10, INT_MAX, {}, DrawShardsOptions{.max_ranks = limit});
  };
  const std::string most = rows(INT_MAX);
  EXPECT_NE(most.find(">... 2,147,479,552 more ranks<"), std::string::npos);
  EXPECT_NE(most.find("height=\"127192\""), std::string::npos) << most.substr(0, 160);
  EXPECT_EQ(most, rows(4096));
  EXPECT_EQ(rows(INT_MIN), rows(3));
}

TEST(DrawShards, draws_unknown_orders_and_remainders) {
  const ShardOptions nameless{static_cast<ShardOrder>(7), static_cast<Remainder>(7)};
  EXPECT_EQ(SvgReader(drawn(10, 3, nameless)).fault(), "");
}

/// Whatever is left out, the numbers say how much: cells and numbers together are the whole.
TEST(DrawShards, counts_every_place_that_it_leaves_out) {
  for (const std::uint64_t size : {24U, 25U, 60U, 1003U}) {
    for (const int world : {3, 8, 40}) {
      for (std::uint64_t consumed = 0; consumed <= size; consumed += consumed < 28 ? 1 : 41) {
        const ShardOptions options{ShardOrder::strided, Remainder::pad, consumed};
        const SvgReader picture(drawn(size, world, options));
        const SvgText heading = text_called(picture, "the order of the epoch: sample, rank");
        const auto upper = line_below(picture, heading, 29);
        const auto lower = line_below(picture, heading, 43);
        ASSERT_EQ(upper.size(), lower.size());
        ASSERT_LE(upper.size(), 24U);
        std::uint64_t places = 0;
        for (std::size_t i = 0; i != upper.size(); ++i) {
          places += lower[i] == "more" ? std::stoull(upper[i]) : 1;
        }
        const std::uint64_t end = consumed + Shard(size, 0, world, options).total_size();
        ASSERT_EQ(places, end > size ? end : size) << size << " on " << world << " " << consumed;
        // The focus is shown: the first sample that is still to be read, and what was last used.
        if (consumed == size) continue;
        ASSERT_EQ(picture.count_text("used") == 0, consumed == 0);
        ASSERT_GE(picture.count_text("r0"), 1);
      }
    }
  }
}

/// Of long lists as many places as fit in the widest picture: room is left for two gaps at most,
/// which are not needed where a list is shown from its beginning to its end.
TEST(DrawShards, fills_the_width_with_places) {
  for (std::uint64_t size = 100'000; size < 10'000'000'000; size *= 10) {
    for (const int world : {2, 20, 500}) {
      const SvgReader picture(drawn(size, world, {}, {.max_cells = INT_MAX}));
      const SvgText strip = text_called(picture, "the order of the epoch: sample, rank");
      const SvgText row = text_called(picture, "rank 0");
      for (const double bottom : {strip.bottom + 29, row.bottom - 1}) {
        std::vector<double> middles;
        for (const SvgText& text : picture.texts()) {
          if (text.bottom == bottom) middles.push_back((text.left + text.right) / 2);
        }
        ASSERT_GT(middles.size(), 2U);
        const double pitch = middles[1] - middles[0];
        const double end = middles.back() + (pitch - 4) / 2;
        EXPECT_LE(end, 980) << size << " on " << world;
        EXPECT_GT(end + 3 * pitch, 980) << size << " on " << world;
      }
    }
  }
}

TEST(DrawShards, explains_only_the_marks_that_occur) {
  const SvgReader plain(drawn(20, 4));
  EXPECT_EQ(plain.count_text("0 used already") + plain.count_text("0 of padding, read again") +
                plain.count_text("0 read by nobody"),
            0);
  EXPECT_EQ(SvgReader(drawn(20, 4, {.consumed = 4})).count_text("4 used already"), 1);
  EXPECT_EQ(SvgReader(drawn(21, 4)).count_text("3 of padding, read again"), 1);
  EXPECT_EQ(SvgReader(drawn(21, 4, {.remainder = Remainder::drop})).count_text("1 read by nobody"),
            1);
}

constexpr std::size_t length_of_a_picture() {
  std::size_t length = 0;
  draw_shards(Epoch(Shard(10, 0, 3), Sequential(10)),
              [&](std::string_view piece) { length += piece.size(); });
  return length;
}
static_assert(length_of_a_picture() > 2000);

}  // namespace
