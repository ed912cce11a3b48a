// SPDX-License-Identifier: MIT
//
// Pinned values define the order: red means that every resumed run would read another one, so a new
// algorithm needs a new name. All small worlds are compared with lists of blocks and windows.
#include "support/list.hpp"

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/block_shuffle.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/worker_shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <set>
#include <string>
#include <vector>

namespace {

using rankmap::BlockShuffle;
using rankmap::BlockWindow;
using rankmap::Epoch;
using rankmap::Permutation;
using rankmap::Shard;
using rankmap_test::List;
using rankmap_test::list;

struct PinnedOrder {
  std::uint64_t size, block, window_blocks, seed, epoch;
  std::uint64_t samples[20];
};
constexpr PinnedOrder pinned[] = {
    {16, 4, 2, 42, 0, {14, 13, 6, 7, 5, 12, 4, 15, 9, 8, 0, 1, 10, 11, 3, 2}},
    {16, 4, 2, 42, 1, {6, 8, 11, 7, 5, 9, 10, 4, 3, 15, 14, 0, 1, 2, 12, 13}},
    {18, 4, 2, 42, 0, {14, 13, 16, 15, 17, 12, 9, 8, 0, 1, 10, 11, 3, 2, 6, 7, 5, 4}},
    {20, 5, 4, 0, 0, {14, 4, 12, 17, 11, 9, 5, 6, 18, 19, 0, 8, 2, 13, 15, 1, 10, 7, 16, 3}},
    {12, 1, 3, 0, 0, {3, 11, 0, 9, 2, 5, 6, 10, 1, 8, 4, 7}},
};
constexpr bool holds(const PinnedOrder& c) {
  const BlockShuffle order(c.size, c.block, c.window_blocks, c.seed, c.epoch);
  for (std::uint64_t place = 0; place != c.size; ++place) {
    if (order[place] != c.samples[place] || order.index_of(c.samples[place]) != place) return false;
  }
  return order.size() == c.size;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(BlockShuffle, never_changes_under_its_name) {
  for (const PinnedOrder& c : pinned) EXPECT_TRUE(holds(c)) << c.size << ", " << c.block;
  const BlockShuffle large(1'000'000, 256, 512, 42);
  const std::uint64_t head[] = {966422, 207241, 330832, 590966, 469482, 95976, 952037, 642189};
  for (std::uint64_t place = 0; place != 8; ++place) EXPECT_EQ(large[place], head[place]);
  EXPECT_EQ(large.index_of(123456), 746175U);
  std::uint64_t digest = 1469598103934665603U;  // where the program began that computed it
  for (std::uint64_t place = 0; place < large.size(); place += 997) {
    digest = (digest ^ large[place]) * 0x100'0000'01b3U;
  }
  EXPECT_EQ(digest, 0x4cd3'419f'f923'e947U);
}

// The work does not depend on the number of samples, blocks or windows, or it would be no constant
// expression here: compilers count the steps of one.
constexpr bool round_trips(std::uint64_t size, std::uint64_t block, std::uint64_t window_blocks) {
  const BlockShuffle order(size, block, window_blocks, 7, 3);
  for (const std::uint64_t place : {std::uint64_t{0}, size / 3, size / 2 + 1, size - 1}) {
    const std::uint64_t sample = order[place];
    if (sample >= size || order.index_of(sample) != place) return false;
    if (order.blocks(place, 1).size() > window_blocks) return false;
  }
  return true;
}
static_assert(round_trips(std::uint64_t{1} << 62U, 1'000'003, 1U << 30U));
static_assert(round_trips(rankmap::largest_dataset, 3, std::uint64_t{1} << 40U));
static_assert(round_trips(rankmap::largest_dataset, rankmap::largest_dataset - 1, 1));
static_assert(round_trips(rankmap::largest_dataset, 1, UINT64_MAX));
static_assert(round_trips(rankmap::largest_dataset, UINT64_MAX, UINT64_MAX));
static_assert(round_trips(5000, 1000, 1) && round_trips(5001, 1000, 2));

// The definition, with lists: blocks in the order of one permutation, cut into windows, the samples
// of each in the order of another one.
struct Model {
  List order;
  std::vector<List> windows;  // of blocks
};
Model model(std::uint64_t size, std::uint64_t block, std::uint64_t window_blocks,
            std::uint64_t seed, std::uint64_t epoch) {
  Model out;
  const std::uint64_t blocks = (size + block - 1) / block;
  const Permutation of_blocks(blocks, seed, epoch, 1);
  for (std::uint64_t slot = 0; slot < blocks; slot += window_blocks) {
    List window;
    List samples;
    for (std::uint64_t s = slot; s != std::min(slot + window_blocks, blocks); ++s) {
      window.push_back(of_blocks[s]);
      for (std::uint64_t i = window.back() * block;
           i != std::min(size, (window.back() + 1) * block); ++i) {
        samples.push_back(i);
      }
    }
    for (const std::uint64_t i : Permutation(samples.size(), seed, epoch, 2 + out.windows.size())) {
      out.order.push_back(samples[i]);
    }
    out.windows.push_back(window);
  }
  return out;
}

// Every window by each of its names, and by `fill` in every stride.
void expect_model(const BlockShuffle& order, const Model& expected) {
  ASSERT_EQ(order.window_count(), expected.windows.size());
  const std::uint64_t step = order.size() < 100 ? 1 : 13;
  std::uint64_t next = 0;
  for (std::uint64_t w = 0; w != expected.windows.size(); ++w) {
    const BlockWindow window = order.window(w);
    ASSERT_EQ(window.first(), next);
    ASSERT_EQ(list(window.blocks()), expected.windows[w]);
    ASSERT_LE(window.blocks().size(), order.window_blocks());
    for (std::uint64_t i = 0; i < window.size(); i += step) {
      const std::uint64_t place = next + i;
      const std::uint64_t sample = expected.order[place];
      ASSERT_EQ(order[place], sample);
      ASSERT_EQ(window[i], sample);
      ASSERT_EQ(order.window_of(place), w);
      ASSERT_EQ(order.index_of(sample), place);
    }
    next += window.size();
    ASSERT_EQ(list(order.blocks(window.first(), window.size())), expected.windows[w]);
  }
  ASSERT_EQ(next, order.size());
  ASSERT_TRUE(order.blocks(order.size(), 0).empty());
  ASSERT_EQ(order.blocks(0, order.size()).size(), order.block_count());
  for (std::uint64_t stride = 1; stride <= 7; ++stride) {
    for (std::uint64_t first = 0; first < std::min(order.size(), stride); ++first) {
      List out((order.size() - first - 1) / stride + 1);
      order.fill(first, out.data(), out.size(), stride);
      for (std::uint64_t k = 0; k != out.size(); ++k) {
        ASSERT_EQ(out[k], expected.order[first + k * stride]) << "stride " << stride;
      }
    }
  }
}

TEST(BlockShuffle, equals_lists_of_blocks_in_all_small_worlds) {
  for (std::uint64_t size = 0; size != 60; ++size) {
    for (std::uint64_t block = 1; block != 9; ++block) {
      for (std::uint64_t window_blocks = 1; window_blocks != 6; ++window_blocks) {
        expect_model(BlockShuffle(size, block, window_blocks, 7, size),
                     model(size, block, window_blocks, 7, size));
        ASSERT_FALSE(HasFailure()) << size << " in blocks of " << block << ", " << window_blocks;
      }
    }
  }
}

// Windows on both sides of the stored shuffles, more of them than a chunk, and more blocks than are
// listed; the short block in the first window, in the middle and in the last one.
TEST(BlockShuffle, equals_lists_of_blocks_in_larger_worlds) {
  for (const std::uint64_t block : {1U, 16U, 300U}) {
    for (const std::uint64_t window_blocks : {1U, 4U, 64U, 2000U}) {
      for (std::uint64_t seed = 0; seed != 3; ++seed) {
        expect_model(BlockShuffle(5003, block, window_blocks, seed),
                     model(5003, block, window_blocks, seed, 0));
        ASSERT_FALSE(HasFailure()) << "blocks of " << block << ", " << window_blocks << " a window";
      }
    }
  }
}

TEST(BlockShuffle, fills_from_windows_of_any_width) {
  for (const std::uint64_t block : {std::uint64_t{1} << 20U, (std::uint64_t{1} << 31U) - 1,
                                    std::uint64_t{1} << 31U, std::uint64_t{1} << 40U}) {
    for (const std::uint64_t window_blocks : {1U, 7U, 3000U}) {
      const BlockShuffle order(rankmap::largest_dataset / 3, block, window_blocks, 5);
      const std::uint64_t first = order.window(1).first() - 100;
      List out(5000);
      order.fill(first, out.data(), out.size());
      for (std::uint64_t k = 0; k < out.size(); k += 7) ASSERT_EQ(out[k], order[first + k]);
    }
  }
}

TEST(BlockShuffle, leaves_blocks_whole_in_windows_of_one) {
  const List order = list(BlockShuffle(1000, 10, 1, 3));
  for (std::size_t at = 0; at != order.size(); at += 10) {
    for (std::size_t i = at; i != at + 10; ++i) ASSERT_EQ(order[i] / 10, order[at] / 10);
  }
}

TEST(BlockShuffle, takes_sizes_beyond_the_data_for_all_of_it) {
  const BlockShuffle all(100, 100, 1, 3);
  for (const BlockShuffle& same :
       {BlockShuffle(100, 200, 5, 3), BlockShuffle(100, UINT64_MAX, 9, 3)}) {
    EXPECT_EQ(list(same), list(all));
    EXPECT_EQ(same.saved_as().digest, all.saved_as().digest);
  }
  EXPECT_EQ(list(BlockShuffle(100, 7, UINT64_MAX, 3)), list(BlockShuffle(100, 7, 15, 3)));
}

// With drop-last the end of the order is lost. In some others it is always the short last block.
TEST(BlockShuffle, puts_the_short_block_anywhere) {
  std::set<std::uint64_t> places;
  for (std::uint64_t epoch = 0; epoch != 200; ++epoch) {
    const BlockShuffle order(93, 10, 1, 3, epoch);
    places.insert(order.index_of(90) / 10);
  }
  EXPECT_EQ(places.size(), 10U);
}

// A window and a range of blocks refer to the shuffle: that of a temporary does not compile.
template <class Order>
concept HasWindows = requires(Order&& order) {
  static_cast<Order&&>(order).window(0);
};
template <class Order>
concept HasBlocks = requires(Order&& order) {
  static_cast<Order&&>(order).blocks(0, 1);
};
static_assert(HasWindows<BlockShuffle&> && HasWindows<const BlockShuffle&>);
static_assert(HasBlocks<BlockShuffle&> && HasBlocks<const BlockShuffle&>);
static_assert(!HasWindows<BlockShuffle> && !HasBlocks<BlockShuffle>);

static_assert(rankmap::InvertibleOrder<BlockShuffle> && rankmap::NamedOrder<BlockShuffle>);
static_assert(std::ranges::random_access_range<BlockShuffle>);
static_assert(std::ranges::random_access_range<rankmap::BlockNumbers>);
static_assert(BlockShuffle().empty() && BlockShuffle(0, 4, 2, 1).window_count() == 0);

TEST(BlockShuffle, is_read_by_epochs_batches_and_workers) {
  const BlockShuffle order(100, 8, 3, 42, 1);
  const List all = list(order);
  const Epoch epoch(Shard(100, 1, 3), order);
  EXPECT_EQ(epoch.size(), 34U);
  List filled(epoch.size());
  epoch.fill(0, filled);
  EXPECT_EQ(filled, list(epoch));
  for (std::uint64_t k = 0; k != 33; ++k) EXPECT_EQ(epoch[k], all[1 + 3 * k]);
  EXPECT_EQ(epoch.owner_of(all[4]), (rankmap::ShardIndex{1, 1}));
  const rankmap::BatchShard batches(100, 8, 1, 3);
  EXPECT_EQ(Epoch(batches, order)[9], all[batches[9]]);
  EXPECT_EQ(rankmap::WorkerShard(epoch, 1, 2, 4)[0], epoch[4]);
}

TEST(BlockShuffle, resumes_each_sample_once_in_any_world) {
  for (std::uint64_t size = 1; size <= 40; ++size) {
    const BlockShuffle order(size, 4, 3, 9, 2);
    for (int world = 1; world <= 4; ++world) {
      const Epoch any(Shard(size, 0, world), order);
      for (std::uint64_t k = 0; k < any.steps(1); ++k) {
        const std::string text(to_string(any.state_after(k).value()).view());
        const auto state = rankmap::parse_sampler_state(text).value();
        const std::uint64_t used = resume_at(state, BlockShuffle(size, 4, 3, 9, 2)).value();
        std::set<std::uint64_t> seen;
        for (std::uint64_t place = 0; place != used; ++place) seen.insert(order[place]);
        for (int rank = 0; rank != 3; ++rank) {
          const Epoch rest(
              Shard(size, rank, 3, {.remainder = rankmap::Remainder::uneven, .consumed = used}),
              order);
          for (const std::uint64_t sample : rest) ASSERT_TRUE(seen.insert(sample).second);
        }
        ASSERT_EQ(seen.size(), size);
      }
    }
  }
}

TEST(BlockShuffle, does_not_resume_with_other_blocks) {
  const Epoch epoch(Shard(100, 0, 2), BlockShuffle(100, 8, 3, 42, 1));
  const rankmap::SamplerState state = epoch.state_after(10).value();
  EXPECT_EQ(to_string(state).view(),
            "rankmap-sampler-3 algorithm=block-feistel-1 seed=42 epoch=1 size=100 consumed=20 "
            "order=2237045480114057358 check=78ef2b9e8f54d703");
  const auto resumes = [&](const BlockShuffle& order) {
    return resume_at(state, order).has_value();
  };
  EXPECT_TRUE(resumes(BlockShuffle(100, 8, 3, 42, 1)));
  EXPECT_FALSE(resumes(BlockShuffle(100, 9, 3, 42, 1)));
  EXPECT_FALSE(resumes(BlockShuffle(100, 8, 4, 42, 1)));
  EXPECT_FALSE(resumes(BlockShuffle(100, 3, 8, 42, 1)));
  EXPECT_FALSE(resumes(BlockShuffle(100, 8, 3, 43, 1)));
  EXPECT_FALSE(resume_at(state, Permutation(100, 42, 1)).has_value());
}

// The mean over a batch of G samples of a feature that is constant on blocks, as the source of a
// document is: its variance beside that in a full shuffle is about 1 + (G - 1) / V, where V blocks
// make a window. Exactly: V of N blocks without replacement, then G of their samples.
TEST(BlockShuffle, mixes_batches_as_its_window_allows) {
  constexpr std::uint64_t blocks = 1024;
  constexpr std::uint64_t block = 16;
  constexpr std::uint64_t batch = 64;
  const Permutation halves(blocks, 99);
  List samples(blocks * block);
  for (const std::uint64_t window : {4U, 16U, 64U, 256U, 512U, 1024U}) {
    double variance = 0;
    constexpr std::uint64_t epochs = 40;
    for (std::uint64_t epoch = 0; epoch != epochs; ++epoch) {
      BlockShuffle(blocks * block, block, window, 1, epoch).fill(0, samples.data(), samples.size());
      for (std::size_t at = 0; at != samples.size(); at += batch) {
        double sum = 0;
        for (std::size_t i = at; i != at + batch; ++i) {
          sum += halves[samples[i] / block] < blocks / 2 ? 1 : -1;
        }
        variance += sum / batch * (sum / batch);
      }
    }
    const double ratio = variance / static_cast<double>(epochs * blocks * block / batch) * batch;
    const auto v = static_cast<double>(window);
    const double of_window = (1 - v / blocks) / v;
    const double of_batch = (1 - batch / (v * block)) * block * (v - 1) / (v * block - 1) / batch;
    const double expected = (of_window + of_batch) * batch * blocks / (blocks - 1);
    EXPECT_NEAR(ratio, expected, 0.05 * expected) << "windows of " << window;
    EXPECT_NEAR(ratio, 1 + (batch - 1) / v, 0.1 * expected) << "windows of " << window;
  }
}

std::string reason(const rankmap::Result<BlockShuffle>& order) {
  return order ? "none" : std::string(message(order.error()).view());
}

TEST(BlockShuffle, rejects_arguments_that_make_no_order) {
  EXPECT_EQ(reason(BlockShuffle::make(rankmap::largest_dataset, 1, 1, 0)), "none");
  EXPECT_EQ(reason(BlockShuffle::make(rankmap::largest_dataset + 1, 4, 2, 0)),
            "size=\"9223372036854775808\": expected fewer than 2^63 samples; pass the number of "
            "samples");
  EXPECT_EQ(reason(BlockShuffle::make(10, 0, 2, 0)),
            "block=\"0\": expected at least 1 sample; pass the samples of a file or row group");
  EXPECT_EQ(
      reason(BlockShuffle::make(10, 4, 0, 0)),
      "window_blocks=\"0\": expected at least 1 block; pass how many blocks a reader holds at a "
      "time");
  EXPECT_THROW(BlockShuffle(10, 0, 1, 0), rankmap::Exception);
}

}  // namespace
