// SPDX-License-Identifier: MIT
//
// The recorded files come from a real PyTorch (golden/record_torch.py).
#include <rankmap/topology/topology.hpp>
#include <rankmap/torch/train_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "golden/torch_rows.hpp"

namespace {

using rankmap::DistributedSampler;
using rankmap::TorchAlgorithm;
using rankmap::TrainSampler;
using rankmap_test::List;
using rankmap_test::list;

struct Process {
  int rank_, world_, local_rank_;
  int rank() const { return rank_; }
  int world_size() const { return world_; }
  int local_rank() const { return local_rank_; }
  bool is_distributed() const { return local_rank_ != -1; }
};

// Numbers of 64 bits, as some MPI may have.
struct WideProcess {
  std::uint64_t rank() const { return 1; }
  std::uint64_t world_size() const { return 2; }
  std::uint32_t local_rank() const { return UINT32_MAX; }
  bool is_distributed() const { return true; }
};

struct Numbered {
  int rank() const { return 0; }
  int world_size() const { return 1; }
};
static_assert(std::is_constructible_v<TrainSampler, std::uint64_t, Process>);
static_assert(!std::is_constructible_v<TrainSampler, std::uint64_t, Numbered>);

TEST(TrainSampler, chooses_as_the_historic_script_does) {
  const TrainSampler alone(37, Process{0, 1, -1});
  ASSERT_TRUE(alone.random());
  EXPECT_FALSE(alone.distributed());
  const TrainSampler third(37, Process{2, 4, 0});
  ASSERT_TRUE(third.distributed());
  EXPECT_FALSE(third.random());
  EXPECT_EQ(third.size(), 10U);

  const auto collect = [](const TrainSampler& sampler, std::uint64_t epoch) {
    List out;
    sampler.epoch(epoch, [&out](std::uint64_t sample) { out.push_back(sample); });
    return out;
  };
  // The three epochs of a shuffling loader after manual_seed(0), recorded.
  for (const auto& row : golden::rows("torch_samplers.tsv")) {
    if (row[0] != "loader_global") continue;
    List three;
    for (std::uint64_t epoch = 0; epoch != 3; ++epoch) {
      const List one = collect(alone, epoch);
      three.insert(three.end(), one.begin(), one.end());
    }
    EXPECT_EQ(three, golden::numbers(row[6]));
  }
  EXPECT_EQ(collect(third, 5), list(DistributedSampler(37, 4, 2).epoch(5)));

  const TrainSampler::Options options{.seed = 3,
                                      .distributed_seed = 5,
                                      .data_loader = false,
                                      .algorithm = TorchAlgorithm::up_to_2_5};
  const TrainSampler seeded(37, Process{2, 4, 0}, options);
  EXPECT_EQ(collect(seeded, 1), list(DistributedSampler(37, 4, 2, {.seed = 5}).epoch(1)));
  EXPECT_EQ(seeded.distributed()->options().algorithm, TorchAlgorithm::up_to_2_5);
  const TrainSampler plain(37, Process{0, 1, -1}, options);
  EXPECT_EQ(collect(plain, 1), list(rankmap::RandomSampler(37, {.seed = 3}).epoch(1)));
}

TEST(TrainSampler, is_distributed_for_a_single_launched_process) {
  const auto is_random = [](std::string_view variables) {
    const auto who =
        rankmap::Topology::from_environment(rankmap::RecordedEnvironment(variables, '|')).value();
    const rankmap::TrainSampler sampler(37, who);
    EXPECT_NE(sampler.random().has_value(), sampler.distributed().has_value());
    return sampler.random().has_value();
  };
  EXPECT_TRUE(is_random(""));
  EXPECT_TRUE(is_random("LOCAL_RANK=-1"));
  EXPECT_FALSE(
      is_random("TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1"));
  EXPECT_FALSE(
      is_random("TORCHELASTIC_RUN_ID=j|RANK=3|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2"));
}

TEST(TrainSampler, fails_where_no_int_holds_the_local_rank) {
#if defined(__cpp_exceptions)
  EXPECT_THROW(TrainSampler(10, WideProcess{}), rankmap::Exception);  // not taken for -1
#endif
}

}  // namespace
