// SPDX-License-Identifier: MIT
//
// rankmap's samplers inside libtorch's loader, each beside libtorch's own DistributedRandomSampler,
// whose faults are asserted too: where a test here is red because libtorch became right, the
// comparison in loader_sampler.hpp has to be corrected, and nothing else.
#include <loader_sampler.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <gtest/gtest.h>
#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/samplers/distributed.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "../support/list.hpp"

namespace {

using rankmap::DistributedSampler;
using rankmap_test::List;
using rankmap_test::list;
using torch::data::samplers::DistributedRandomSampler;

/// A data set whose batches are the indices that were asked for.
class Indices : public torch::data::datasets::BatchDataset<Indices, List> {
 public:
  explicit Indices(std::size_t size) : size_(size) {}
  List get_batch(torch::ArrayRef<std::size_t> request) override {
    return {request.begin(), request.end()};
  }
  torch::optional<std::size_t> size() const override { return size_; }

 private:
  std::size_t size_;
};

template <class Sampler>
auto loader_of(std::size_t size, const Sampler& sampler, std::size_t workers = 0) {
  return torch::data::make_data_loader(
      Indices(size), sampler, torch::data::DataLoaderOptions().batch_size(4).workers(workers));
}

template <class Loader>
List pass(Loader& loader) {
  List out;
  for (const List& batch : loader) out.insert(out.end(), batch.begin(), batch.end());
  return out;
}

/// All that a sampler gives from where it is.
template <class Sampler>
List rest(Sampler& sampler) {
  List out;
  while (const auto batch = sampler.next(4)) out.insert(out.end(), batch->begin(), batch->end());
  return out;
}

TEST(LoaderSampler, gives_the_loader_pytorchs_order) {
  for (const std::size_t workers : {0U, 2U}) {
    for (int rank = 0; rank != 3; ++rank) {
      const DistributedSampler order(101, 3, rank, {.seed = 5});
      LoaderSampler sampler(order);
      const auto loader = loader_of(101, sampler, workers);
      EXPECT_EQ(pass(*loader), list(order.epoch(0)));
      EXPECT_EQ(pass(*loader), list(order.epoch(0))) << "a second pass";
    }
  }
}

TEST(LoaderSampler, gives_the_loader_rankmaps_own_order) {
  const rankmap::Sampler order(101, 1, 3, {.seed = 5});
  LoaderSampler sampler(order);
  const auto loader = loader_of(101, sampler);
  sampler.set_epoch(2);
  EXPECT_EQ(pass(*loader), list(order.epoch(2)));
}

TEST(LoaderSampler, takes_the_epoch_though_the_loader_has_a_copy) {
  const DistributedSampler order(40, 2, 0);
  LoaderSampler sampler(order);
  const auto loader = loader_of(40, sampler);
  sampler.set_epoch(1);
  EXPECT_EQ(pass(*loader), list(order.epoch(1)));
  sampler.set_epoch(7);
  EXPECT_EQ(pass(*loader), list(order.epoch(7)));

  DistributedRandomSampler own(40, 2, 0);
  const auto own_loader = loader_of(40, own);
  const List first = pass(*own_loader);
  own.set_epoch(1);
  EXPECT_EQ(pass(*own_loader), first) << "libtorch loses set_epoch";
}

TEST(LoaderSampler, visits_the_tail_of_the_data_set) {
  // 11 samples on 4 ranks, and no sample twice: 3 are left out, which ones changes with the epoch.
  std::set<std::uint64_t> seen;
  std::set<std::uint64_t> seen_by_libtorch;
  for (std::uint64_t epoch = 0; epoch != 50; ++epoch) {
    for (int rank = 0; rank != 4; ++rank) {
      LoaderSampler sampler(DistributedSampler(11, 4, rank, {.drop_last = true}));
      sampler.set_epoch(epoch);
      const List mine = rest(sampler);
      EXPECT_EQ(mine.size(), 2U);
      seen.insert(mine.begin(), mine.end());

      DistributedRandomSampler own(11, 4, static_cast<std::size_t>(rank), false);
      own.set_epoch(epoch);
      own.reset();
      const List other = rest(own);
      seen_by_libtorch.insert(other.begin(), other.end());
    }
  }
  EXPECT_EQ(seen.size(), 11U);
  EXPECT_EQ(*seen_by_libtorch.rbegin(), 7U) << "libtorch never visits the last three";
}

TEST(LoaderSampler, stays_inside_a_data_set_of_fewer_samples_than_ranks) {
  std::uint64_t largest = 0;
  std::uint64_t largest_of_libtorch = 0;
  for (int rank = 0; rank != 9; ++rank) {
    LoaderSampler sampler(DistributedSampler(3, 9, rank));
    const List mine = rest(sampler);
    ASSERT_EQ(mine.size(), 1U);
    largest = std::max(largest, mine.front());

    DistributedRandomSampler own(3, 9, static_cast<std::size_t>(rank));
    own.reset();
    for (const std::uint64_t index : rest(own)) {
      largest_of_libtorch = std::max(largest_of_libtorch, index);
    }
  }
  EXPECT_EQ(largest, 2U);
  EXPECT_GE(largest_of_libtorch, 3U) << "libtorch reads behind the end";
}

TEST(LoaderSampler, refuses_a_rank_outside_the_world) {
  EXPECT_THROW(LoaderSampler(DistributedSampler(10, 2, 5)), rankmap::Exception);
  DistributedRandomSampler own(40, 2, 5);
  own.reset();
  EXPECT_NO_THROW((void)own.next(4)) << "libtorch takes it";
}

/// `from` saved, and loaded into `to`.
template <class Sampler>
void carry_over(const Sampler& from, Sampler& to) {
  std::stringstream stream;
  torch::serialize::OutputArchive out;
  from.save(out);
  out.save_to(stream);
  torch::serialize::InputArchive in;
  in.load_from(stream);
  to.load(in);
}

TEST(LoaderSampler, goes_on_from_any_ranks_archive_under_another_world) {
  // Two ranks read 8 samples each of epoch 3; three go on from what rank 0 saved.
  std::vector<int> seen(41);
  std::vector<LoaderSampler<DistributedSampler>> before;
  for (int rank = 0; rank != 2; ++rank) {
    before.emplace_back(DistributedSampler(41, 2, rank, {.seed = 1}));
    before.back().set_epoch(3);
    for (int i = 0; i != 2; ++i) {
      const auto batch = before.back().next(4);
      for (const std::size_t sample : *batch) ++seen[sample];
    }
  }
  for (int rank = 0; rank != 3; ++rank) {
    LoaderSampler after(DistributedSampler(41, 3, rank, {.seed = 1}));
    carry_over(before[0], after);
    for (std::uint64_t k = 0; k != after.epoch().size(); ++k) {
      const auto batch = after.next(1);
      if (!after.epoch().is_padding(k)) ++seen[batch->front()];
    }
  }
  EXPECT_EQ(seen, std::vector<int>(41, 1));

  // libtorch: rank 1 of 2, at the place of rank 0, reads the rest of that block and its own.
  DistributedRandomSampler rank0(40, 2, 0);
  DistributedRandomSampler rank1(40, 2, 1);
  rank0.reset();
  rank1.reset();
  (void)rank0.next(8);
  carry_over(rank0, rank1);
  EXPECT_EQ(rest(rank1).size(), 32U) << "libtorch's state is that of one rank";
}

TEST(LoaderSampler, resumes_inside_an_epoch_and_begins_the_next_one_whole) {
  const DistributedSampler order(40, 2, 1, {.seed = 1});
  LoaderSampler sampler(order);
  const auto loader = loader_of(40, sampler);
  const auto state = order.epoch(2).state_after(8).value();
  sampler.resume(state);
  EXPECT_EQ(pass(*loader), list(order.epoch(2, 16)));
  const auto next = sampler.epoch().state_after(sampler.epoch().size()).value();
  EXPECT_EQ(next.epoch, 3U);
  sampler.resume(next);
  EXPECT_EQ(pass(*loader), list(order.epoch(3)));
}

TEST(LoaderSampler, refuses_data_of_another_size) {
  LoaderSampler sampler(DistributedSampler(10, 2, 0));
  EXPECT_NO_THROW(sampler.reset(10));
  EXPECT_THROW(sampler.reset(11), c10::Error);
}

}  // namespace
