// SPDX-License-Identifier: MIT
//
// Red here means that samples are lost or read twice. Shares are compared with lists: the places
// that are left, cut into one run a rank.
#include "support/list.hpp"

#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/file_order.hpp>
#include <rankmap/sampler/file_shard.hpp>
#include <rankmap/sampler/file_state.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using rankmap::FileOrder;
using rankmap::FileRun;
using rankmap::FileShard;
using rankmap::FileState;
using rankmap::Permutation;
using rankmap::Remainder;
using rankmap::Sequential;
using rankmap_test::List;
using rankmap_test::list;

constexpr Remainder remainders[] = {Remainder::pad, Remainder::drop, Remainder::uneven};

// The places that are left, cut into one run a rank; the first ones have one more.
std::vector<List> runs_of(const List& left, int world) {
  const auto ranks = static_cast<std::size_t>(world);
  std::vector<List> runs(ranks);
  std::size_t next = 0;
  for (std::size_t rank = 0; rank != ranks; ++rank) {
    const std::size_t size = left.size() / ranks + (rank < left.size() % ranks ? 1 : 0);
    for (std::size_t i = 0; i != size; ++i) runs[rank].push_back(left[next++]);
  }
  return runs;
}

struct Checked {
  std::uint64_t shares = 0;
  std::uint64_t padding = 0;
  std::uint64_t resumed = 0;
};

// All ranks of one world against the lists, and the ends of the runs as what is left after each
// step, to be read by each number of ranks in turn, `depth` times.
template <class Order>
void expect_lists(const Order& order, const FileState* state, const List& left, int world,
                  Remainder remainder, int max_ranks, int depth, Checked& checked) {
  const std::vector<List> runs = runs_of(left, world);
  const std::size_t least = left.size() / static_cast<std::size_t>(world);
  std::vector<FileShard> shards;
  for (int rank = 0; rank != world; ++rank) {
    const auto made = state == nullptr ? FileShard::make(order, rank, world, remainder)
                                       : FileShard::resume(order, rank, world, *state, remainder);
    ASSERT_TRUE(made) << message(made.error());
    const FileShard& shard = *made;
    List expected = runs[static_cast<std::size_t>(rank)];
    if (remainder == Remainder::drop) expected.resize(least);
    ASSERT_EQ(shard.real_size(), expected.size());
    if (remainder == Remainder::pad && left.size() % static_cast<std::size_t>(world) != 0 &&
        expected.size() == least) {
      expected.push_back(expected.empty() ? left.front() : expected.back());
      ++checked.padding;
    }
    ASSERT_EQ(list(rankmap::Epoch(shard, Sequential(order.size()))), expected);
    ASSERT_EQ(shard.size(), expected.size());
    ASSERT_EQ(shard.empty(), expected.empty());
    for (std::uint64_t k = 0; k != shard.real_size(); ++k) {
      ASSERT_FALSE(shard.is_padding(k));
      ASSERT_EQ(shard.owner_of(expected[k]), (rankmap::ShardIndex{rank, k}));
    }
    ASSERT_EQ(shard.remaining(), left.size());
    shards.push_back(shard);
    ++checked.shares;
  }
  // Nobody owns what was read before, or is dropped.
  std::size_t owned = 0;
  for (std::uint64_t place = 0; place != order.size() + 2; ++place) {
    owned += shards.front().owner_of(place).rank >= 0 ? 1U : 0U;
  }
  ASSERT_EQ(owned,
            remainder == Remainder::drop ? least * static_cast<std::size_t>(world) : left.size());
  // As many steps on each rank, whatever the batch.
  for (std::uint64_t batch = 1; batch != 4; ++batch) {
    std::uint64_t longest = 0;
    std::uint64_t full = UINT64_MAX;
    for (const FileShard& shard : shards) {
      longest = std::max(longest, (shard.size() + batch - 1) / batch);
      full = std::min(full, shard.size() / batch);
    }
    for (const FileShard& shard : shards) {
      ASSERT_EQ(shard.steps(batch), longest);
      ASSERT_EQ(shard.steps(batch, true), full);
    }
  }
  // Each step is a place to stop. Ranks save the same, and every rank count goes on from there.
  const std::uint64_t steps = shards.front().steps(1);
  for (std::uint64_t k = 0; k <= steps; ++k) {
    const FileState saved = shards.front().state_after(k).value();
    for (const FileShard& shard : shards) ASSERT_EQ(shard.state_after(k).value(), saved);
    ASSERT_EQ(parse_file_state(to_string(saved)).value(), saved);
    if (k == steps) {
      FileState next;
      next.order = state_of(order).value();
      ++next.order.epoch;
      ASSERT_EQ(saved, next);
      continue;
    }
    if (depth == 0) continue;
    List rest;
    for (const List& run : runs) {
      rest.insert(rest.end(), run.begin() + static_cast<std::ptrdiff_t>(k), run.end());
    }
    ASSERT_EQ(saved.order.consumed + rest.size(), order.size());
    for (int next = 1; next <= max_ranks; ++next) {
      ++checked.resumed;
      expect_lists(order, &saved, rest, next, remainder, max_ranks, depth - 1, checked);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

List all_places(std::uint64_t size) {
  List out(size);
  for (std::uint64_t place = 0; place != size; ++place) out[place] = place;
  return out;
}

// Shares depend on the number of places alone: 0 to 20 of them are all sets of up to 5 files with
// up to 4 samples each.
TEST(FileShard, reads_every_sample_once_in_all_small_worlds) {
  Checked checked;
  for (std::uint64_t size = 0; size <= 20; ++size) {
    for (int world = 1; world <= 4; ++world) {
      for (const Remainder remainder : remainders) {
        expect_lists(Permutation(size, 42, 3), nullptr, all_places(size), world, remainder, 4, 1,
                     checked);
        ASSERT_FALSE(HasFatalFailure()) << size << " on " << world;
      }
    }
  }
  EXPECT_GT(checked.resumed, 4000U);
  EXPECT_GT(checked.padding, 1000U);
}

TEST(FileShard, goes_on_three_times_in_one_epoch) {
  Checked checked;
  for (std::uint64_t size = 0; size <= 9; ++size) {
    for (int world = 1; world <= 4; ++world) {
      for (const Remainder remainder : remainders) {
        expect_lists(Permutation(size, 1), nullptr, all_places(size), world, remainder, 4, 3,
                     checked);
        ASSERT_FALSE(HasFatalFailure()) << size << " on " << world;
      }
    }
  }
  EXPECT_GT(checked.resumed, 20000U);
}

// The samples of files, in runs: all of them once over an epoch that is stopped after each of its
// steps and goes on with another number of ranks, for all sets of up to 5 files of up to 4 samples.
TEST(FileShard, reads_every_sample_of_all_small_files_once) {
  std::uint64_t epochs = 0;
  for (std::uint64_t files = 0; files <= 5; ++files) {
    List sizes(files);
    std::uint64_t number = 0;
    do {
      ++number;
      List memory(FileOrder::memory_for(files));
      const FileOrder order =
          FileOrder::make(sizes, memory, {.seed = number, .window = number % 3 == 0 ? 3U : 1U})
              .value();
      List begins(files);
      for (std::uint64_t f = 1; f < files; ++f) begins[f] = begins[f - 1] + sizes[f - 1];
      const auto read = [&](const FileShard& shard, std::uint64_t count, List& times) {
        std::uint64_t opened = 0;
        std::uint64_t k = 0;
        std::uint64_t last_file = UINT64_MAX;
        shard.each_run(order, 0, count, [&](const FileRun& run) {
          for (std::uint64_t i = 0; i != run.count; ++i, ++k) {
            const std::uint64_t sample = begins[run.file] + run.first + i;
            ASSERT_EQ(sample, order[shard[k]]);
            if (!shard.is_padding(k)) ++times[sample];
          }
          opened += run.file != last_file ? 1U : 0U;
          last_file = run.file;
        });
        EXPECT_EQ(k, std::min(count, shard.size()));
        return opened;
      };
      for (int world = 1; world <= 4; ++world) {
        const std::uint64_t steps = FileShard::make(order, 0, world)->steps(1);
        for (std::uint64_t stop = 0; stop <= steps; ++stop) {
          List head(order.size());
          std::uint64_t opened = 0;
          for (int rank = 0; rank != world; ++rank) {
            opened += read(FileShard::make(order, rank, world).value(), stop, head);
          }
          if (stop == steps && order.options().window == 1 && !head.empty()) {
            const auto used = static_cast<std::uint64_t>(
                std::ranges::count_if(sizes, [](std::uint64_t size) { return size != 0; }));
            // A rank without a sample of its own is padded with the first one.
            const std::uint64_t alone = order.size() < static_cast<std::uint64_t>(world)
                                            ? static_cast<std::uint64_t>(world) - order.size()
                                            : 0;
            EXPECT_LE(opened, used + static_cast<std::uint64_t>(world) - 1 + alone);
          }
          const FileState state = FileShard::make(order, 0, world)->state_after(stop).value();
          if (stop == steps) {
            EXPECT_EQ(head, List(head.size(), 1));
            continue;
          }
          for (int next = 1; next <= 4; ++next) {
            List times = head;
            for (int rank = 0; rank != next; ++rank) {
              read(FileShard::resume(order, rank, next, state).value(), UINT64_MAX, times);
            }
            ASSERT_EQ(times, List(times.size(), 1)) << world << " to " << next << " after " << stop;
            ++epochs;
          }
        }
      }
      for (std::uint64_t& size : sizes) {  // the next list of sizes from 0 to 4
        if (++size != 5) break;
        size = 0;
      }
    } while (std::ranges::any_of(sizes, [](std::uint64_t size) { return size != 0; }));
  }
  EXPECT_EQ(epochs, 324208U);
}

constexpr bool is_constant() {
  std::array<std::uint64_t, FileOrder::memory_for(3)> memory = {};
  const std::array<std::uint64_t, 3> sizes = {5, 2, 4};
  const FileOrder order = FileOrder::make(sizes, memory, {.shuffle = false}).value();
  const FileShard shard = FileShard::make(order, 1, 2).value();
  std::uint64_t files = 0;
  shard.each_run(order, 0, shard.size(),
                 [&](const FileRun& run) { files = files * 10 + run.file; });
  const FileState state = shard.state_after(4).value();
  const FileShard after = FileShard::resume(order, 2, 3, state).value();
  return shard.size() == 6 && shard[0] == 6 && shard.is_padding(5) && files == 122 &&
         state.order.consumed == 8 && after[0] == 10 && after.remaining() == 3;
}
static_assert(is_constant());
static_assert(FileShard().size() == 0 && FileShard().empty() && FileShard().world_size() == 1);

struct Member {
  long rank() const { return 2; }
  long world_size() const { return 3; }
};

TEST(FileShard, takes_rank_and_world_size_of_one_who_has_them) {
  const Permutation order(10, 1);
  const FileShard shard = FileShard::make(order, Member(), Remainder::drop).value();
  EXPECT_EQ(shard.rank(), 2);
  EXPECT_EQ(shard.world_size(), 3);
  EXPECT_EQ(shard.size(), 3U);
  EXPECT_EQ(FileShard::resume(order, Member(), shard.state_after(1).value())->remaining(), 7U);
}

// One leg for any number of stops with the same number of ranks.
TEST(FileShard, has_a_leg_for_each_change_of_ranks) {
  const Permutation order(1000, 1);
  FileState state = FileShard::make(order, 0, 3)->state_after(0).value();
  EXPECT_EQ(state.leg_count, 0U);
  for (int i = 0; i != 100; ++i) {
    state = FileShard::resume(order, 1, 3, state)->state_after(2).value();
  }
  EXPECT_EQ(state.leg_count, 1U);
  EXPECT_EQ(state, FileShard::make(order, 0, 3)->state_after(200).value());

  state = FileShard::make(order, 0, 3)->state_after(0).value();
  for (int i = 0; i != 64; ++i) {
    state = FileShard::resume(order, 0, 1 + i % 2, state)->state_after(1).value();
  }
  EXPECT_EQ(state.leg_count, 64U);
  EXPECT_EQ(parse_file_state(to_string(state)).value(), state);
  EXPECT_TRUE(FileShard::resume(order, 0, 2, state)->state_after(1));
  EXPECT_EQ(message(FileShard::resume(order, 0, 1, state).error()).view(),
            "world_size=\"1\": expected 2 ranks, as in the last of 64 legs of this epoch; go on "
            "with as many ranks, or start the next epoch");
}

TEST(FileShard, names_what_is_wrong) {
  const Permutation order(10, 1);
  const auto reason = [](const auto& shard) {
    return shard ? std::string("none") : std::string(message(shard.error()).view());
  };
  EXPECT_EQ(reason(FileShard::make(order, 3, 3)),
            "rank=\"3\": expected a rank in [0, 3); pass the global rank, counted from 0");
  EXPECT_EQ(reason(FileShard::make(order, 0, 0)),
            "world_size=\"0\": expected at least 1; pass the number of all ranks");
  const FileState good = FileShard::make(order, 0, 3)->state_after(2).value();
  const auto with = [&](auto change) {
    FileState state = good;
    change(state);
    return reason(FileShard::resume(order, 0, 2, state));
  };
  EXPECT_EQ(with([](FileState&) {}), "none");
  EXPECT_EQ(reason(FileShard::resume(Permutation(10, 2), 0, 2, good)),
            "SamplerState::seed=\"1\": expected 2 as this sampler's seed; resume on the same data "
            "with the same seed");
  EXPECT_NE(with([](FileState& state) { state.legs[0].taken = 1; }).find("SamplerState::digest="),
            std::string::npos);
  EXPECT_NE(with([](FileState& state) { state.leg_count = 0; }).find("SamplerState::digest="),
            std::string::npos);
  EXPECT_NE(with([](FileState& state) { state.leg_count = 65; }).find("SamplerState::digest="),
            std::string::npos);
  EXPECT_EQ(with([](FileState& state) { --state.order.consumed; }),
            "FileState::order.consumed=\"5\": expected 6 samples, the sum over the legs; pass a "
            "state that state_after made");
  const auto forged = [&](rankmap::FileLeg leg) {
    return with([&](FileState& state) {
      state.legs[0] = leg;
      state.order.digest =
          rankmap::detail::digest_of_legs(order.saved_as().digest, {state.legs, 1});
    });
  };
  EXPECT_EQ(forged({0, 2}),
            "FileState::legs[0].world_size=\"0\": expected at least 1; pass a state that "
            "state_after made");
  EXPECT_EQ(forged({3, 4}),
            "FileState::legs[0].taken=\"4\": expected 1 to 3 samples a rank, of the 10 left; pass "
            "a state that state_after made");
  const Permutation last(10, 1, UINT64_MAX);
  const FileShard shard = FileShard::make(last, 0, 3).value();
  EXPECT_TRUE(shard.state_after(3));
  EXPECT_EQ(message(shard.state_after(4).error()).view(),
            "epoch=\"18446744073709551615\": expected an epoch below 2^64 - 1, whose end is saved "
            "as the start of the next one; count epochs from 0");
}

// A count is no state of these shares, so an epoch over one has none.
template <class Epoch>
concept Saves = requires(const Epoch& epoch) {
  epoch.state_after(std::uint64_t{});
};
static_assert(Saves<rankmap::Epoch<rankmap::Shard, Permutation>>);
static_assert(Saves<rankmap::Epoch<rankmap::BatchShard, Permutation>>);
static_assert(!Saves<rankmap::Epoch<FileShard, Permutation>>);
static_assert(!Saves<rankmap::Epoch<rankmap::StridedIndices, Permutation>>);

// The digest of a state with legs is that of no order, so the state of an order does not fit it.
TEST(FileShard, is_not_resumed_as_the_prefix_of_an_order) {
  const Permutation order(10, 1);
  const FileState state = FileShard::make(order, 0, 3)->state_after(2).value();
  EXPECT_FALSE(resume_at(state.order, order));
  FileState prefix;
  prefix.order = rankmap::Epoch(rankmap::Shard(10, 0, 2), order).state_after(2).value();
  EXPECT_FALSE(FileShard::resume(order, 0, 2, prefix));
}

TEST(FileShard, works_on_as_many_places_as_there_can_be) {
  const Sequential order(rankmap::largest_dataset);
  FileState state = FileShard::make(order, 0, INT32_MAX)->state_after(1000).value();
  state = FileShard::resume(order, 0, 7, state)->state_after(1U << 30U).value();
  for (const int rank : {0, 1, 1000}) {
    const FileShard shard = FileShard::resume(order, rank, 1001, state).value();
    for (const std::uint64_t k : {std::uint64_t{0}, shard.size() / 2, shard.real_size() - 1}) {
      EXPECT_EQ(shard.owner_of(shard[k]), (rankmap::ShardIndex{rank, k}));
    }
  }
}

}  // namespace
