// SPDX-License-Identifier: MIT
//
// Red here means that a run would read other sets than it does under Megatron-LM. The recorded
// files come from its own functions, at the commit that it names.
#include <rankmap/orders/megatron_blend.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "golden/rows.hpp"
#include "support/kept_lists.hpp"

namespace {

using golden::List;
using rankmap::MegatronBlend;
using rankmap::MegatronExhaustiveBlend;
using rankmap::MegatronTurn;

// At compile time as well.
constexpr MegatronTurn turn(int place) {
  const double weights[] = {0.7, 0.2, 0.1};
  std::uint64_t drawn[3] = {9, 9, 9};
  MegatronBlend blend = *MegatronBlend::make(weights, drawn);
  MegatronTurn out;
  for (int i = 0; i <= place; ++i) out = blend.next();
  return out;
}
static_assert(turn(0) == MegatronTurn{0, 0});
static_assert(turn(1) == MegatronTurn{1, 0});

std::vector<double> weights_of(const std::string& text) {
  std::vector<double> out;
  for (const std::string& field : golden::split(text, ',')) {
    out.push_back(std::strtod(field.c_str(), nullptr));  // hexadecimal: no digit is lost
  }
  return out;
}

struct Turns {
  List sets;
  List samples;
};
template <class Blend>
Turns read(Blend& blend, std::uint64_t places) {
  Turns out;
  for (std::uint64_t i = 0; i != places; ++i) {
    EXPECT_EQ(blend.place(), i);
    const MegatronTurn turn = blend.next();
    out.sets.push_back(turn.set);
    out.samples.push_back(turn.sample);
  }
  return out;
}

TEST(MegatronBlend, has_the_turns_of_megatron) {
  for (const auto& row : golden::rows("megatron_blend.tsv")) {
    const std::vector<double> weights = weights_of(row[0]);
    List drawn(weights.size(), 7);
    MegatronBlend blend = *MegatronBlend::make(weights, drawn);
    const Turns turns = read(blend, golden::number(row[1]));
    EXPECT_EQ(turns.sets, golden::numbers(row[2])) << row[0];
    EXPECT_EQ(turns.samples, golden::numbers(row[3])) << row[0];
  }
}

TEST(MegatronBlend, has_the_turns_of_megatron_far_on) {
  for (const auto& row : golden::rows("megatron_blend_digest.tsv")) {
    const std::vector<double> weights = weights_of(row[0]);
    List drawn(weights.size());
    MegatronBlend blend = *MegatronBlend::make(weights, drawn);
    const Turns turns = read(blend, golden::number(row[1]));
    EXPECT_EQ(golden::fnv1a64(turns.sets), row[2]) << row[0];
    EXPECT_EQ(golden::fnv1a64(turns.samples), row[3]) << row[0];
  }
}

TEST(MegatronExhaustiveBlend, has_the_turns_of_megatron) {
  for (const auto& row : golden::rows("megatron_exhaustive.tsv")) {
    const List sizes = golden::numbers(row[0]);
    List drawn(sizes.size(), 7);
    MegatronExhaustiveBlend blend = *MegatronExhaustiveBlend::make(sizes, drawn);
    const Turns turns = read(blend, blend.size());
    EXPECT_EQ(turns.sets, golden::numbers(row[1])) << row[0];
    EXPECT_EQ(turns.samples, golden::numbers(row[2])) << row[0];
    EXPECT_EQ(drawn, sizes) << "each sample once";
  }
}

template <class Made>
std::string text(const Made& made) {
  return made ? std::string() : std::string(message(made.error()).c_str());
}

TEST(MegatronBlend, says_which_weight_is_none) {
  List drawn(2);
  const std::vector<double> none;
  const std::vector<double> one = {1.0};
  const std::vector<double> negative = {1.0, -0.5};
  const std::vector<double> not_a_number = {std::numeric_limits<double>::quiet_NaN(), 0.5};
  const std::vector<double> endless = {0.5, std::numeric_limits<double>::infinity()};
  const std::vector<double> huge = {0.5, 1e302};  // a finite number
  const std::vector<double> many(32767, 1.0);
  EXPECT_EQ(text(MegatronBlend::make(none, drawn)),
            "weights.size()=\"0\": expected 1 to 32766 sets, as in Megatron-LM; pass a number for "
            "each set");
  EXPECT_EQ(text(MegatronBlend::make(many, drawn)),
            "weights.size()=\"32767\": expected 1 to 32766 sets, as in Megatron-LM; pass a number "
            "for each set");
  EXPECT_EQ(text(MegatronBlend::make(one, drawn)),
            "drawn.size()=\"2\": expected 1 elements, one for each set; pass a span of that many");
  EXPECT_EQ(
      text(MegatronBlend::make(negative, drawn)),
      "weights[1]=\"negative\": expected a number in [0, 2^1000]; divide the weights by their "
      "sum");
  EXPECT_EQ(
      text(MegatronBlend::make(not_a_number, drawn)),
      "weights[0]=\"no number up to 2^1000\": expected a number in [0, 2^1000]; divide the weights "
      "by their "
      "sum");
  EXPECT_EQ(
      text(MegatronBlend::make(endless, drawn)),
      "weights[1]=\"no number up to 2^1000\": expected a number in [0, 2^1000]; divide the weights "
      "by their "
      "sum");
  EXPECT_EQ(text(MegatronBlend::make(huge, drawn)), text(MegatronBlend::make(endless, drawn)));
}

TEST(MegatronExhaustiveBlend, says_which_size_is_none) {
  List drawn(2);
  const List empty = {3, 0};
  const List huge = {(std::uint64_t{1} << 53U) - 1, 1};
  EXPECT_EQ(text(MegatronExhaustiveBlend::make(empty, drawn)),
            "sizes[1]=\"0\": expected at least 1 sample, and fewer than 2^53 in all; leave empty "
            "sets out");
  EXPECT_EQ(text(MegatronExhaustiveBlend::make(huge, drawn)),
            "sizes[1]=\"1\": expected at least 1 sample, and fewer than 2^53 in all; leave empty "
            "sets out");
}

}  // namespace
