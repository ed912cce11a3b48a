// SPDX-License-Identifier: MIT
#include "support/reversed_order.hpp"

#include <rankmap/sampler/block_shuffle.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/torch/distributed_sampler.hpp>
#include <rankmap/torch/random_sampler.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace {

using rankmap::FixedOrder;
using rankmap::InvertibleOrder;
using rankmap::ListedOrder;
using rankmap::NamedOrder;
using rankmap::SampleOrder;
using rankmap::Sequential;
using rankmap_test::LazilyReversed;
using rankmap_test::Reversed;

// A bit for each concept that an order meets.
template <class Order>
constexpr int abilities =
    SampleOrder<Order> + 2 * FixedOrder<Order> + 4 * InvertibleOrder<Order> + 8 * NamedOrder<Order>;
static_assert(abilities<Sequential> == 15);
static_assert(abilities<rankmap::Permutation> == 15);
static_assert(abilities<rankmap::SamplerOrder> == 15);
static_assert(abilities<Reversed> == 15);
static_assert(abilities<rankmap::TorchOrder> == 9);
static_assert(abilities<LazilyReversed> == 9);
static_assert(abilities<ListedOrder<std::uint32_t>> == 3);
static_assert(abilities<rankmap::RandomDraws> == 1);
static_assert(abilities<rankmap::TorchPermutation> == 1);
static_assert(rankmap::GroupedOrder<rankmap::BlockShuffle> &&
              rankmap::WindowedOrder<rankmap::BlockShuffle>);
static_assert(!rankmap::GroupedOrder<Sequential> && !rankmap::WindowedOrder<Sequential>);

struct Narrow {
  std::uint32_t size() const { return 1; }
  std::uint64_t operator[](std::uint64_t) const { return 0; }
};
struct NeverEmpty {
  explicit NeverEmpty(int) {}
  std::uint64_t size() const { return 1; }
  std::uint64_t operator[](std::uint64_t) const { return 0; }
};
static_assert(abilities<int> == 0 && abilities<Narrow> == 0 && abilities<NeverEmpty> == 0);
static_assert(abilities<std::vector<int>> == 0);

TEST(Sequential, is_the_order_of_the_data_set) {
  constexpr Sequential order(10, 42, 3);
  static_assert(order.size() == 10 && order[7] == 7 && order.index_of(7) == 7);
  EXPECT_EQ(std::string_view(order.saved_as().name), "sequential");
  EXPECT_EQ(order.saved_as().seed, 42U);
  EXPECT_EQ(order.saved_as().epoch, 3U);
  EXPECT_EQ(order.saved_as().digest, 0U);
  static_assert(Sequential().size() == 0);
  static_assert(Sequential().saved_as().seed == 0 && Sequential().saved_as().epoch == 0);
}

TEST(ListedOrder, reads_the_samples_in_memory) {
  static constexpr std::uint32_t narrow[] = {2, 0, 1};
  static constexpr std::uint64_t wide[] = {UINT64_MAX, 5};
  constexpr ListedOrder order(narrow, 3);
  static_assert(order.size() == 3 && order[0] == 2 && order[1] == 0 && order[2] == 1);
  EXPECT_EQ(ListedOrder(wide, 2)[0], UINT64_MAX);
  static_assert(ListedOrder<std::uint16_t>().size() == 0);
}

TEST(Permutation, is_saved_with_seed_epoch_and_stream) {
  const auto saved = rankmap::Permutation(10, 42, 3, 5).saved_as();
  EXPECT_EQ(std::string_view(saved.name), "feistel-1");
  EXPECT_EQ(saved.seed, 42U);
  EXPECT_EQ(saved.epoch, 3U);
  EXPECT_EQ(saved.digest, 5U);
}

}  // namespace
