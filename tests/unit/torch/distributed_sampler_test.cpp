// SPDX-License-Identifier: MIT
//
// Red here means that a rank would read other samples than it does under PyTorch. The recorded
// files come from a real PyTorch (golden/record_torch.py).
#include <rankmap/torch/distributed_sampler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "golden/torch_rows.hpp"
#include "support/kept_lists.hpp"

namespace {

using golden::seed_of;
using rankmap::DistributedSampler;
using rankmap::Errc;
using rankmap::SamplerAlgorithm;
using rankmap::SamplerState;
using rankmap::TorchAlgorithm;
using rankmap::TorchSeed;
using rankmap_test::List;
using rankmap_test::list;
using rankmap_test::takes_kept_lists_only;

// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_lists_only<std::uint32_t>(
    RANKMAP_CALL(std::declval<DistributedSampler&>().share(RANKMAP_LIST))));

int small(const std::string& text) { return static_cast<int>(std::stol(text)); }

TEST(DistributedSampler, equals_the_golden_file) {
  for (const auto& row : golden::rows("torch_distributed_sampler.tsv")) {
    const DistributedSampler sampler(
        golden::number(row[0]), small(row[1]), small(row[2]),
        {.shuffle = row[3] == "1", .seed = seed_of(row[4]), .drop_last = row[5] == "1"});
    const List samples = list(sampler.epoch(seed_of(row[6])));
    EXPECT_EQ(samples.size(), golden::number(row[7]));
    EXPECT_EQ(sampler.size(), samples.size());
    EXPECT_EQ(golden::fnv1a64(samples), row[8])
        << row[0] << " samples, rank " << row[2] << " of " << row[1] << ", seed " << row[4];
    if (samples.empty()) continue;
    EXPECT_EQ(samples.front(), golden::number(row[9]));
    EXPECT_EQ(samples.back(), golden::number(row[10]));
  }
}

TEST(DistributedSampler, equals_pytorch_on_every_rank) {
  for (const auto& row : golden::rows("torch_distributed_lists.tsv")) {
    const int world = small(row[1]);
    const auto ranks = golden::split(row[6], ';');
    ASSERT_EQ(ranks.size(), static_cast<std::size_t>(world));
    std::vector<std::uint32_t> memory(golden::number(row[0]));
    for (int rank = 0; rank != world; ++rank) {
      const DistributedSampler sampler(
          memory.size(), world, rank,
          {.shuffle = row[2] == "1", .seed = seed_of(row[3]), .drop_last = row[4] == "1"});
      const List expected = golden::numbers(ranks[static_cast<std::size_t>(rank)]);
      const TorchSeed epoch = seed_of(row[5]);
      ASSERT_EQ(list(sampler.epoch(epoch)), expected)
          << row[0] << " samples, rank " << rank << " of " << world << ", seed " << row[3]
          << ", epoch " << row[5];
      ASSERT_EQ(list(sampler.share(*sampler.permutation(epoch, memory))), expected);
      // Any sample by itself.
      for (std::size_t k = expected.size(); k-- != 0;) {
        ASSERT_EQ(sampler.epoch(epoch)[k], expected[k]);
      }
    }
  }
}

TEST(DistributedSampler, has_pytorchs_sizes) {
  for (const auto& row : golden::rows("torch_distributed_sizes.tsv")) {
    for (int rank = 0; rank != small(row[1]); ++rank) {
      const DistributedSampler sampler(golden::number(row[0]), small(row[1]), rank,
                                       {.drop_last = row[2] == "1"});
      ASSERT_EQ(sampler.size(), golden::number(row[3])) << row[0] << " on " << row[1];
      ASSERT_EQ(sampler.total_size(), golden::number(row[4])) << row[0] << " on " << row[1];
    }
  }
}

TEST(DistributedSampler, equals_pytorch_on_a_large_data_set) {
  for (const auto& row : golden::rows("torch_distributed_large.tsv")) {
    const DistributedSampler sampler(golden::number(row[0]), small(row[1]), small(row[2]),
                                     {.seed = seed_of(row[3]), .drop_last = row[5] == "1"});
    const List samples = list(sampler.epoch(seed_of(row[4])));
    EXPECT_EQ(List(samples.begin(), samples.begin() + 16), golden::numbers(row[6]));
    EXPECT_EQ(List(samples.end() - 4, samples.end()), golden::numbers(row[7]));
    EXPECT_EQ(golden::fnv1a64(samples), row[8]);
  }
}

TEST(DistributedSampler, fails_where_pytorch_raises) {
  for (const auto& row : golden::rows("torch_errors.tsv")) {
    const auto sampler = DistributedSampler::make(golden::number(row[1]), small(row[2]),
                                                  small(row[3]), {.seed = seed_of(row[4])});
    if (row[0] == "rank") {
      ASSERT_EQ(row[6], "ValueError");
      ASSERT_FALSE(sampler);
      EXPECT_EQ(sampler.error().code, Errc::out_of_range);
      continue;
    }
    ASSERT_TRUE(sampler);
    const auto epoch = sampler->try_epoch(seed_of(row[5]));
    EXPECT_EQ(epoch.has_value(), row[6] == "none") << row[4] << " + " << row[5];
    if (!epoch) {
      EXPECT_EQ(epoch.error().code, Errc::out_of_range);
    }
  }
}

TEST(DistributedSampler, names_the_argument_that_is_out_of_range) {
  EXPECT_EQ(message(DistributedSampler::make(10, 2, 2).error()).view(),
            "rank=\"2\": expected a rank in [0, 2); pass the global rank, counted from 0");
  EXPECT_EQ(message(DistributedSampler::make(10, 0, 0).error()).view(),
            "num_replicas=\"0\": expected at least 1; pass the number of all ranks");
  EXPECT_EQ(DistributedSampler::make(UINT64_MAX, 1, 0).error().subject.view(), "dataset_size");
  std::vector<std::uint32_t> memory(9);
  EXPECT_EQ(message(DistributedSampler(10, 2, 0).permutation(0, memory).error()).view(),
            "out.size()=\"9\": expected 10 elements, one for each sample; pass a span of "
            "dataset_size() elements");
  constexpr std::uint64_t large = std::uint64_t{1} << 32U;
  EXPECT_EQ(message(DistributedSampler(large, 2, 0).permutation(0, memory).error()).view(),
            "dataset_size=\"4294967296\": expected fewer than 2^32 samples for one array; read "
            "epoch(), which has no such limit");
  EXPECT_EQ(DistributedSampler(large - 1, 2, 0).permutation(0, memory).error().subject.view(),
            "out.size()");
  EXPECT_EQ(
      message(DistributedSampler(10, 2, 0).try_epoch(0, 11).error()).view(),
      "consumed=\"11\": expected at most the data set's 10 samples; start the next epoch with 0");
  EXPECT_TRUE(DistributedSampler::make(rankmap::largest_dataset, 1, 0));
  EXPECT_FALSE(DistributedSampler::make(rankmap::largest_dataset + 1, 1, 0));
  // Without a shuffle PyTorch ignores seed and epoch.
  EXPECT_TRUE(DistributedSampler(10, 2, 0, {.shuffle = false, .seed = -1}).try_epoch(INT64_MIN));
#if defined(__cpp_exceptions)
  EXPECT_THROW(DistributedSampler(10, 2, 2), rankmap::Exception);
  EXPECT_THROW(DistributedSampler(10, 2, 0, {.seed = UINT64_MAX}).epoch(1), rankmap::Exception);
#endif
}

TEST(DistributedSampler, resumes_where_it_stopped_in_another_world) {
  for (const std::uint64_t size : {1U, 7U, 64U, 101U}) {
    for (int before = 1; before <= 5; ++before) {
      const DistributedSampler any(size, before, 0);
      for (std::uint64_t k = 0; k <= any.size(); ++k) {
        const std::uint64_t consumed = any.consumed_after(k);
        for (int after = 1; after <= 5; ++after) {
          std::vector<int> seen(size);
          const auto read = [&seen](auto epoch, std::uint64_t count) {
            for (std::uint64_t i = 0; i != count; ++i) {
              if (!epoch.is_padding(i)) ++seen[epoch[i]];
            }
          };
          for (int rank = 0; rank != before; ++rank) {
            read(DistributedSampler(size, before, rank, {.seed = 4}).epoch(2), k);
          }
          for (int rank = 0; rank != after; ++rank) {
            auto rest = DistributedSampler(size, after, rank, {.seed = 4}).epoch(2, consumed);
            const std::uint64_t count = rest.size();
            read(std::move(rest), count);
          }
          ASSERT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }))
              << size << " samples, " << before << " to " << after << " ranks after " << k;
        }
      }
    }
  }
}

// Stopped many times and resumed in another world, from nothing but one line of text.
TEST(DistributedSampler, resumes_the_same_order_from_saved_text) {
  for (const bool shuffle : {true, false}) {
    for (const TorchAlgorithm algorithm : {TorchAlgorithm::up_to_2_5, TorchAlgorithm::from_2_6}) {
      const DistributedSampler::Options options{
          .shuffle = shuffle, .seed = 11, .algorithm = algorithm};
      const int worlds[] = {3, 5, 1, 8, 2};
      SamplerState state = *DistributedSampler(101, 1, 0, options).epoch(4).state_after(0);
      EXPECT_EQ(state.algorithm, !shuffle ? SamplerAlgorithm::sequential
                                 : algorithm == TorchAlgorithm::up_to_2_5
                                     ? SamplerAlgorithm::torch_classic
                                     : SamplerAlgorithm::torch_26);
      List order;
      for (std::size_t stop = 0; state.epoch == 4; ++stop) {
        const int world = worlds[stop % 5];
        std::vector<List> parts(static_cast<std::size_t>(world));
        SamplerState next;
        for (int rank = 0; rank != world; ++rank) {
          auto epoch = DistributedSampler(101, world, rank, options)
                           .resume(*rankmap::parse_sampler_state(to_string(state)))
                           .value();
          List& part = parts[static_cast<std::size_t>(rank)];
          for (std::uint64_t k = 0; k != epoch.size() && k != 7; ++k) {
            if (!epoch.is_padding(k)) part.push_back(epoch[k]);
          }
          next = *epoch.state_after(7);
        }
        for (std::size_t k = 0; k != 7; ++k) {
          for (const List& part : parts) {
            if (k < part.size()) order.push_back(part[k]);
          }
        }
        ASSERT_NE(next, state);
        state = next;
      }
      EXPECT_EQ(state.epoch, 5U);
      EXPECT_EQ(state.consumed, 0U);
      EXPECT_EQ(order, list(DistributedSampler(101, 1, 0, options).epoch(4)));
    }
  }
}

TEST(DistributedSampler, saves_the_end_of_an_epoch_as_the_next_start) {
  for (const bool drop_last : {true, false}) {
    const DistributedSampler sampler(10, 3, 0, {.drop_last = drop_last});
    const auto epoch = sampler.epoch(6);
    EXPECT_EQ(*epoch.state_after(sampler.size()),
              (SamplerState{0, 7, 10, 0, SamplerAlgorithm::torch_26}));
    EXPECT_EQ(*epoch.state_after(2), (SamplerState{0, 6, 10, 6, SamplerAlgorithm::torch_26}));
  }
}

TEST(DistributedSampler, rejects_the_state_of_other_data) {
  const DistributedSampler sampler(10, 2, 0, {.seed = 1});
  const auto subject = [&](SamplerState state) {
    const auto epoch = sampler.resume(state);
    return epoch ? std::string("none") : std::string(epoch.error().subject.view());
  };
  EXPECT_EQ(subject({1, 0, 10, 4, SamplerAlgorithm::torch_26}), "none");
  EXPECT_EQ(subject({2, 0, 10, 4, SamplerAlgorithm::torch_26}), "SamplerState::seed");
  EXPECT_EQ(subject({1, 0, 11, 4, SamplerAlgorithm::torch_26}), "SamplerState::size");
  EXPECT_EQ(subject({1, 0, 10, 11, SamplerAlgorithm::torch_26}), "SamplerState::consumed");
  EXPECT_EQ(subject({1, 0, 10, 4, SamplerAlgorithm::torch_classic}), "SamplerState::algorithm");
  EXPECT_EQ(subject({1, UINT64_MAX, 10, 4, SamplerAlgorithm::torch_26}), "seed + epoch");
}

TEST(DistributedSampler, resumes_without_a_shuffle_under_any_seed) {
  auto rest = DistributedSampler(10, 2, 0, {.shuffle = false, .seed = 1})
                  .resume({2, 0, 10, 4, SamplerAlgorithm::sequential});
  ASSERT_TRUE(rest);
  EXPECT_EQ(list(*rest), (List{4, 6, 8}));
}

TEST(DistributedSampler, reads_one_shared_array_from_any_place_on) {
  std::vector<std::uint32_t> memory(101);
  for (int rank = 0; rank != 3; ++rank) {
    const DistributedSampler sampler(101, 3, rank, {.seed = 5});
    const auto rest = sampler.share(*sampler.permutation(2, memory), 37);
    auto expected = sampler.epoch(2, 37);
    EXPECT_EQ(list(rest), list(expected));
    EXPECT_FALSE(rest.empty());
    for (std::uint64_t k = 0; k <= rest.size(); ++k) {
      EXPECT_EQ(sampler.consumed_after(k, 37),
                expected.state_after(k)->epoch == 2 ? expected.state_after(k)->consumed : 101);
    }
    for (std::uint64_t k = 0; k != rest.size(); ++k) {
      EXPECT_EQ(rest.is_padding(k), expected.is_padding(k));
    }
    // 64 samples are left for 22 a rank.
    EXPECT_EQ(rest.is_padding(21), rank != 0);
  }
}

TEST(DistributedSampler, has_a_fingerprint_of_drop_last) {
  const SamplerState state;
  const DistributedSampler padding(10, 3, 1);
  const DistributedSampler dropping(10, 3, 1, {.drop_last = true});
  EXPECT_NE(fingerprint(state, padding.epoch(0).share()),
            fingerprint(state, dropping.epoch(0).share()));
}

TEST(DistributedSampler, rejects_state_after_at_the_end_of_the_last_epoch) {
  const auto last = DistributedSampler(10, 3, 0).epoch(UINT64_MAX);
  EXPECT_EQ(last.state_after(3)->epoch, UINT64_MAX);
  EXPECT_EQ(last.state_after(4).error().subject.view(), "epoch");
}

TEST(DistributedSampler, rejects_state_after_with_a_negative_seed_or_epoch) {
  const auto saved = DistributedSampler(10, 2, 0, {.seed = -3}).epoch(1).state_after(1);
  EXPECT_EQ(message(saved.error()).view(),
            "seed or epoch=\"-3\": expected a number from 0 on, since saved state has no sign; "
            "choose a seed from 0 on");
  EXPECT_FALSE(DistributedSampler(10, 2, 0, {.seed = 3}).epoch(-1).state_after(1));
}

// The seed has the bits of -3, but its epochs overflow where those of -3 do not.
TEST(DistributedSampler, rejects_the_state_of_a_large_seed_under_a_negative_one) {
  const std::uint64_t large = std::uint64_t{0} - 3;
  const SamplerState saved =
      DistributedSampler(10, 2, 0, {.seed = large}).epoch(1).state_after(1).value();
  EXPECT_EQ(saved.seed, large);
  EXPECT_TRUE(DistributedSampler(10, 2, 0, {.seed = large}).resume(saved));
  EXPECT_EQ(DistributedSampler(10, 2, 0, {.seed = -3}).resume(saved).error().subject.view(),
            "seed or epoch");
}

TEST(DistributedSampler, makes_only_the_head_that_is_read) {
  // A hundred million samples; the whole would take 400 MB and, in this build, a minute.
  auto epoch = DistributedSampler(100'000'000, 8, 3, {.seed = 7}).epoch(0);
  EXPECT_EQ(epoch.size(), 12'500'000U);
  EXPECT_EQ(*epoch.begin(), 69975328U);  // place 3 of the recorded permutation
}

TEST(DistributedSampler, gives_epochs_that_are_empty_once_moved_from) {
  auto from = DistributedSampler(1000, 1, 0).epoch(0);
  const std::uint64_t last = from[999];
  auto into = std::move(from);
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): tested here
  EXPECT_EQ(from.size(), 0U);
  EXPECT_TRUE(list(from).empty());
  EXPECT_EQ(into.size(), 1000U);
  EXPECT_EQ(into[999], last);
}

TEST(DistributedSampler, gives_ranges) {
  using Lazy = rankmap::Epoch<rankmap::Shard, rankmap::TorchOrder>;
  static_assert(std::is_same_v<decltype(DistributedSampler(1, 1, 0).epoch(0)), Lazy>);
  static_assert(std::ranges::input_range<Lazy> && std::ranges::sized_range<Lazy>);
  static_assert(!std::ranges::forward_range<Lazy>);
  using Shared = decltype(DistributedSampler(1, 1, 0).share({}));
  static_assert(std::ranges::random_access_range<Shared>);
  static_assert(DistributedSampler(10, 3, 1).size() == 4);
  auto epoch = DistributedSampler(10, 3, 1).epoch(0);
  auto it = epoch.begin();
  EXPECT_EQ(epoch.end() - it, 4);
  ++it;
  EXPECT_EQ(epoch.end() - it, 3);
  EXPECT_EQ(it - epoch.end(), -3);
}

struct Process {
  int rank_, world_;
  int rank() const { return rank_; }
  int world_size() const { return world_; }
};

// Numbers of 64 bits, as some MPI may have.
struct WideProcess {
  std::uint64_t rank() const { return 1; }
  std::uint64_t world_size() const { return 2; }
};

// One epoch after another in the same memory: of a whole, a head, nothing, another size.
TEST(DistributedSampler, reads_an_epoch_in_the_memory_of_another) {
  for (const bool shuffle : {true, false}) {
    for (const int world : {1, 3}) {
      const DistributedSampler sampler(10'000, world, world - 1, {.shuffle = shuffle, .seed = 5});
      const DistributedSampler other(world == 1 ? 20'000U : 300U, 2, 0, {.seed = 9});
      auto epoch = sampler.epoch(0);
      for (int e = 1; e != 7; ++e) {
        if (e % 3 == 1) {
          EXPECT_EQ(list(epoch), list(sampler.epoch(e - 1)));
        } else if (e % 3 == 2) {
          EXPECT_EQ(epoch[7], sampler.epoch(e - 1)[7]);
        }
        if (e == 4) {  // the memory has been another data set's in between
          auto in_between = other.epoch(1, 0, std::move(epoch));
          EXPECT_EQ(epoch.size(), 0U);  // NOLINT(bugprone-use-after-move): tested here
          EXPECT_EQ(list(in_between), list(other.epoch(1)));
          epoch = std::move(in_between);
        }
        epoch = sampler.epoch(e, 40, std::move(epoch));
        ASSERT_EQ(list(epoch), list(sampler.epoch(e, 40))) << e;
        epoch = sampler.epoch(e, 0, std::move(epoch));
      }
    }
  }
}

TEST(DistributedSampler, keeps_the_memory_of_an_epoch_where_the_next_one_fails) {
  const DistributedSampler sampler(10, 1, 0, {.seed = UINT64_MAX});
  auto epoch = sampler.epoch(0);
  const List samples = list(sampler.epoch(0));
  EXPECT_EQ(sampler.try_epoch(1, 0, std::move(epoch)).error().code, Errc::out_of_range);
  EXPECT_EQ(sampler.try_epoch(0, 11, std::move(epoch)).error().code, Errc::out_of_range);
  EXPECT_EQ(list(epoch), samples);  // NOLINT(bugprone-use-after-move): it was not moved
}

TEST(DistributedSampler, fills_what_it_has_one_by_one) {
  for (const std::uint64_t size : {0U, 1U, 10U, 11U, 4'096U, 4'099U, 200'003U}) {
    for (const bool shuffle : {true, false}) {
      for (const bool drop_last : {false, true}) {
        for (const std::uint64_t consumed : {std::uint64_t{0}, size / 3, size}) {
          const DistributedSampler sampler(size, 4, 3,
                                           {.shuffle = shuffle, .seed = 2, .drop_last = drop_last});
          const List one_by_one = list(sampler.epoch(1, consumed));
          for (const std::uint64_t from : {std::uint64_t{0}, one_by_one.size() / 2}) {
            auto epoch = sampler.epoch(1, consumed);
            List samples(one_by_one.size() - from);
            epoch.fill(from, samples);  // with the padding
            ASSERT_EQ(samples, List(one_by_one.begin() + static_cast<std::ptrdiff_t>(from),
                                    one_by_one.end()))
                << size;
            List head(samples.size() / 64);
            auto lazy = sampler.epoch(1, consumed);
            lazy.fill(from, head);
            ASSERT_EQ(head, List(samples.begin(),
                                 samples.begin() + static_cast<std::ptrdiff_t>(head.size())));
          }
        }
      }
    }
  }
}

struct Numbered {
  int rank() const { return 0; }
  int world_size() const { return 1; }
};
static_assert(std::is_constructible_v<DistributedSampler, std::uint64_t, Numbered>);

TEST(DistributedSampler, reads_rank_and_world_size_from_a_process) {
  const DistributedSampler sampler(10, Process{2, 3}, {.shuffle = false});
  EXPECT_EQ(sampler.rank(), 2);
  EXPECT_EQ(sampler.num_replicas(), 3);
  EXPECT_EQ(list(sampler.epoch(0)), (List{2, 5, 8, 1}));
  EXPECT_EQ(DistributedSampler(10, WideProcess{}).rank(), 1);
}

TEST(Batches, are_those_of_pytorchs_loader) {
  for (const auto& row : golden::rows("torch_batches.tsv")) {
    const std::uint64_t batch_size = golden::number(row[3]);
    auto epoch = DistributedSampler(golden::number(row[0]), small(row[1]), small(row[2]),
                                    {.shuffle = row[1] != "1"})
                     .epoch(0);
    const rankmap::Shard shard(golden::number(row[0]), small(row[2]), small(row[1]));
    const std::uint64_t steps = shard.steps(batch_size, row[4] == "1");
    std::string batches;
    for (std::uint64_t step = 0; step != steps; ++step) {
      if (step != 0) batches += ';';
      const std::uint64_t count = shard.batch(step, batch_size).size();
      for (std::uint64_t k = 0; k != count; ++k) {
        if (k != 0) batches += ',';
        batches += std::to_string(epoch[step * batch_size + k]);
      }
    }
    EXPECT_EQ(batches, row[5]) << "rank " << row[2] << " of " << row[1];
  }
}

}  // namespace
