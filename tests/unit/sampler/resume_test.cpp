// SPDX-License-Identifier: MIT
#include "support/reversed_order.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using rankmap::Errc;
using rankmap::Permutation;
using rankmap::resume_at;
using rankmap::SamplerAlgorithm;
using rankmap::SamplerState;
using rankmap::Sequential;
using rankmap::state_of;
using rankmap_test::Reversed;

static_assert(state_of(Permutation(10, 1, 2, 5)).value() ==
              SamplerState{1, 2, 10, 0, SamplerAlgorithm::feistel_1, 5});
static_assert(resume_at({1, 2, 10, 4}, Permutation(10, 1, 2)).value() == 4);

std::string reason(const SamplerState& saved, const auto& order) {
  const auto consumed = resume_at(saved, order);
  return consumed ? "none" : std::string(message(consumed.error()).view());
}

TEST(resume_at, accepts_the_state_of_the_same_order) {
  for (const std::uint64_t consumed : {0U, 3U, 10U}) {
    EXPECT_EQ(*resume_at({1, 2, 10, consumed}, Permutation(10, 1, 2)), consumed);
  }
  const auto saved = rankmap::Epoch(rankmap::Shard(10, 0, 3), Reversed(10, 2)).state_after(1);
  EXPECT_EQ(*resume_at(*saved, Reversed(10, 2)), 3U);
}

TEST(resume_at, names_what_differs_from_the_order) {
  const SamplerState state{1, 2, 10, 3};
  EXPECT_EQ(reason(state, Reversed(10, 2)),
            "SamplerState::algorithm=\"feistel-1\": expected this sampler's, reversed-1; resume "
            "with the sampler that saved it");
  EXPECT_EQ(reason(state, Permutation(11, 1, 2)),
            "SamplerState::size=\"10\": expected 11 samples; resume on the same data with the same "
            "seed");
  EXPECT_EQ(reason(state, Permutation(10, 1, 2, 5)),
            "SamplerState::digest=\"0\": expected 5 as in this order; resume in the order that was "
            "saved");
  EXPECT_EQ(reason(state, Permutation(10, 4, 2)),
            "SamplerState::seed=\"1\": expected 4 as this sampler's seed; resume on the same data "
            "with the same seed");
  EXPECT_EQ(reason(state, Permutation(10, 1, 3)),
            "SamplerState::epoch=\"2\": expected 3 as in this order; pass the order of the epoch "
            "that was saved");
  EXPECT_EQ(reason({1, 2, 10, 11}, Permutation(10, 1, 2)),
            "SamplerState::consumed=\"11\": expected 10 samples at most; resume on the same data "
            "with the same seed");
}

TEST(resume_at, compares_no_seed_of_a_sequential_order) {
  const SamplerState state{1, 2, 10, 4, SamplerAlgorithm::sequential};
  EXPECT_EQ(*resume_at(state, Sequential(10, 7, 2)), 4U);
  EXPECT_EQ(resume_at(state, Sequential(10, 1, 3)).error().subject.view(), "SamplerState::epoch");
}

struct BadlyNamed : Reversed {
  using Reversed::Reversed;
  rankmap::SavedOrder saved_as() const { return {"No Name", 0, 0}; }
};

TEST(NamedOrder, fails_to_be_saved_under_an_invalid_name) {
  constexpr auto expected =
      "name of an order=\"No Name\": expected 1 to 27 characters of a-z, 0-9, \".\" and \"-\"; "
      ""
      "choose such a SavedOrder::name";
  const rankmap::Epoch epoch(rankmap::Shard(10, 0, 3), BadlyNamed(10));
  EXPECT_EQ(message(epoch.state_after(1).error()).view(), expected);
  EXPECT_EQ(message(state_of(BadlyNamed(10)).error()).view(), expected);
  EXPECT_EQ(reason({}, BadlyNamed(10)), expected);
}

struct Unsavable : Reversed {
  using Reversed::Reversed;
  rankmap::Result<rankmap::SavedOrder> saved_as() const {
    return rankmap::detail::error_missing(Errc::bad_sampler, "weights", "whole numbers", "round");
  }
};

TEST(NamedOrder, passes_on_the_error_of_its_saved_as) {
  EXPECT_EQ(state_of(Unsavable(10)).error().subject.view(), "weights");
  EXPECT_EQ(resume_at({}, Unsavable(10)).error().subject.view(), "weights");
}

}  // namespace
