// SPDX-License-Identifier: MIT
//
// Pinned values define the order: red means that every resumed run would read another one, so a new
// algorithm needs a new name. All small sets of files are compared with lists of their samples.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/file_order.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using rankmap::FileOptions;
using rankmap::FileOrder;
using rankmap::FileRun;
using rankmap::Permutation;
using rankmap_test::List;
using rankmap_test::takes_kept_memory_only;

static_assert(rankmap::InvertibleOrder<FileOrder> && rankmap::NamedOrder<FileOrder>);
static_assert(rankmap::GroupedOrder<FileOrder> && rankmap::WindowedOrder<FileOrder>);
static_assert(FileOrder().size() == 0 && FileOrder().file_count() == 0);
// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_memory_only<std::uint64_t>(RANKMAP_CALL(FileOrder::make({},
                                                                                 RANKMAP_LIST))));

struct PinnedOrder {
  std::array<std::uint64_t, 5> sizes;
  FileOptions options;
  std::uint64_t samples[12];
};
constexpr PinnedOrder pinned[] = {
    {{3, 0, 4, 1, 4}, {.shuffle = false}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
    {{3, 0, 4, 1, 4}, {.seed = 42}, {7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6}},
    {{3, 0, 4, 1, 4}, {.seed = 42, .epoch = 1}, {3, 4, 5, 6, 7, 0, 1, 2, 8, 9, 10, 11}},
    {{3, 0, 4, 1, 4}, {.seed = 42, .window = 5}, {9, 8, 11, 10, 7, 2, 4, 0, 1, 3, 6, 5}},
    {{0, 12, 0, 0, 0},
     {.seed = 7, .shuffle = false, .window = 100},
     {3, 5, 6, 0, 4, 7, 9, 1, 8, 10, 2, 11}},
};
constexpr bool holds(const PinnedOrder& c) {
  std::array<std::uint64_t, FileOrder::memory_for(5)> memory = {};
  const FileOrder order = FileOrder::make(c.sizes, memory, c.options).value();
  std::uint64_t filled[12] = {};
  order.fill(0, filled, 12);
  for (std::uint64_t place = 0; place != 12; ++place) {
    if (order[place] != c.samples[place] || order.index_of(c.samples[place]) != place) return false;
    if (filled[place] != c.samples[place]) return false;
  }
  return order.size() == 12;
}
static_assert(std::ranges::all_of(pinned, holds));

TEST(FileOrder, never_changes_under_its_name) {
  for (const PinnedOrder& c : pinned) EXPECT_TRUE(holds(c));
}

// The definition, with lists: the files in the order of one permutation, one after another, and
// the places of each window in the order of another one.
List model(const List& sizes, const FileOptions& options) {
  List files(sizes.size());
  const Permutation shuffle(sizes.size(), options.seed, options.epoch, 1);
  for (std::uint64_t i = 0; i != files.size(); ++i) files[i] = options.shuffle ? shuffle[i] : i;
  List in_order;
  for (const std::uint64_t file : files) {
    std::uint64_t begin = 0;
    for (std::uint64_t f = 0; f != file; ++f) begin += sizes[f];
    for (std::uint64_t i = 0; i != sizes[file]; ++i) in_order.push_back(begin + i);
  }
  List out;
  for (std::uint64_t first = 0, w = 0; first < in_order.size(); first += options.window, ++w) {
    const std::uint64_t size = std::min<std::uint64_t>(options.window, in_order.size() - first);
    if (options.window == 1) {
      out.push_back(in_order[first]);
      continue;
    }
    for (const std::uint64_t i : Permutation(size, options.seed, options.epoch, 2 + w)) {
      out.push_back(in_order[first + i]);
    }
  }
  return out;
}

void expect_model(const List& sizes, const FileOptions& options) {
  List memory(FileOrder::memory_for(sizes.size()));
  const FileOrder order = FileOrder::make(sizes, memory, options).value();
  const List expected = model(sizes, options);
  ASSERT_EQ(order.size(), expected.size());
  ASSERT_EQ(order.file_count(), sizes.size());
  for (std::uint64_t place = 0; place != expected.size(); ++place) {
    const std::uint64_t sample = expected[place];
    ASSERT_EQ(order[place], sample) << place;
    ASSERT_EQ(order.index_of(sample), place);
    ASSERT_EQ(order.window_of(place), place / options.window);
    const FileRun run = order.run_of(sample);
    std::uint64_t begin = 0;
    for (std::uint64_t f = 0; f != run.file; ++f) begin += sizes[f];
    ASSERT_EQ(begin + run.first, sample);
    ASSERT_LT(run.first, sizes[run.file]);
    ASSERT_EQ(order.group_of(sample), run.file);
  }
  for (std::uint64_t stride = 1; stride <= 4; ++stride) {
    for (std::uint64_t first = 0; first < expected.size(); ++first) {
      List out((expected.size() - first - 1) / stride + 1);
      order.fill(first, out.data(), out.size(), stride);
      for (std::uint64_t k = 0; k != out.size(); ++k) {
        ASSERT_EQ(out[k], expected[first + k * stride]) << "stride " << stride;
      }
    }
  }
  // Runs: the same samples, and never two of them that could be one.
  for (std::uint64_t first = 0; first <= expected.size(); ++first) {
    List out;
    std::vector<FileRun> runs;
    order.each_run(first, expected.size() - first + first % 3, [&](const FileRun& run) {
      ASSERT_NE(run.count, 0U);
      std::uint64_t begin = 0;
      for (std::uint64_t f = 0; f != run.file; ++f) begin += sizes[f];
      for (std::uint64_t i = 0; i != run.count; ++i) out.push_back(begin + run.first + i);
      if (options.window == 1 && !runs.empty()) {
        ASSERT_NE(runs.back().file, run.file);
      }
      runs.push_back(run);
    });
    ASSERT_EQ(out, List(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end()));
  }
}

TEST(FileOrder, is_that_of_lists_for_all_small_files) {
  for (std::uint64_t files = 0; files <= 5; ++files) {
    List sizes(files);
    std::uint64_t seed = 0;
    do {
      ++seed;
      for (const std::uint64_t window : {1U, 2U, 5U, 100U}) {
        expect_model(sizes, {.seed = seed, .shuffle = seed % 5 != 0, .window = window});
      }
      for (std::uint64_t& size : sizes) {  // the next list of sizes from 0 to 3
        if (++size != 4) break;
        size = 0;
      }
    } while (std::ranges::any_of(sizes, [](std::uint64_t size) { return size != 0; }));
  }
}

// Windows of 1,024 samples and more are networks, below they are stored.
TEST(FileOrder, is_that_of_lists_for_large_windows) {
  const List sizes = {700, 0, 1, 2000, 3, 900};
  for (const std::uint64_t window : {1023U, 1024U, 1500U, 4000U}) {
    List memory(FileOrder::memory_for(sizes.size()));
    const FileOptions options{.seed = 3, .epoch = 2, .window = window};
    const FileOrder order = FileOrder::make(sizes, memory, options).value();
    const List expected = model(sizes, options);
    List out(order.size());
    order.fill(0, out.data(), out.size());
    EXPECT_EQ(out, expected);
    for (std::uint64_t place = 0; place < order.size(); place += 7) {
      ASSERT_EQ(order[place], expected[place]);
      ASSERT_EQ(order.index_of(expected[place]), place);
    }
  }
}

TEST(FileOrder, takes_as_many_samples_as_there_can_be) {
  const List sizes = {rankmap::largest_dataset - 1, 0, 1};
  List memory(FileOrder::memory_for(3));
  for (const std::uint64_t window : {std::uint64_t{1}, std::uint64_t{1} << 40U, UINT64_MAX}) {
    const FileOrder order = FileOrder::make(sizes, memory, {.seed = 1, .window = window}).value();
    EXPECT_EQ(order.size(), rankmap::largest_dataset);
    for (const std::uint64_t place : {std::uint64_t{0}, order.size() / 3, order.size() - 1}) {
      EXPECT_LT(order[place], order.size());
      EXPECT_EQ(order.index_of(order[place]), place);
    }
  }
}

TEST(FileOrder, is_saved_with_its_sizes_and_window) {
  const auto digest = [](const List& sizes, const FileOptions& options) {
    List memory(FileOrder::memory_for(sizes.size()));
    return FileOrder::make(sizes, memory, options)->saved_as().digest;
  };
  const std::uint64_t base = digest({3, 1}, {});
  EXPECT_EQ(base, digest({3, 1}, {.seed = 9, .epoch = 3}));
  EXPECT_NE(base, digest({1, 3}, {}));
  EXPECT_NE(base, digest({3, 1, 0}, {}));
  EXPECT_NE(base, digest({3, 1}, {.window = 2}));
  EXPECT_NE(base, digest({3, 1}, {.shuffle = false}));

  const List sizes = {3, 1};
  List memory(FileOrder::memory_for(2));
  const FileOrder order = FileOrder::make(sizes, memory, {.seed = 42, .epoch = 3}).value();
  const rankmap::Epoch epoch(rankmap::Shard(4, 0, 2), order);
  const rankmap::SamplerState state = epoch.state_after(1).value();
  EXPECT_EQ(name(state.algorithm), "files-1");
  EXPECT_EQ(resume_at(state, order).value(), 2U);
}

TEST(FileOrder, names_what_is_wrong) {
  const auto reason = [](const List& sizes, std::size_t memory, const FileOptions& options = {}) {
    List words(memory);
    const auto order = FileOrder::make(sizes, words, options);
    return order ? std::string("none") : std::string(message(order.error()).view());
  };
  EXPECT_EQ(reason({1, 2}, 6), "none");
  EXPECT_EQ(reason({}, 2), "none");
  EXPECT_EQ(reason({1, 2}, 5),
            "memory.size()=\"5\": expected at least 6 elements, two a file and two more; pass a "
            "span of FileOrder::memory_for(sizes.size()) elements");
  EXPECT_EQ(reason({1, 2}, 6, {.window = 0}),
            "FileOptions::window=\"0\": expected at least 1 sample; pass 1 to read files in order");
  EXPECT_EQ(reason({1, rankmap::largest_dataset}, 6),
            "sizes[1]=\"9223372036854775807\": expected sizes with a sum below 2^63; pass the "
            "number of samples of each file");
}

}  // namespace
