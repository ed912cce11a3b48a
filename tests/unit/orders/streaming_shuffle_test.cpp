// SPDX-License-Identifier: MIT
//
// Red here means that a run would see other samples than it does under MosaicML's Streaming. The
// recorded file comes from its own functions, at the commit that it names.
#include <rankmap/orders/streaming_shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "golden/rows.hpp"

namespace {

using golden::List;
using rankmap::streaming_py1e;
using rankmap::streaming_py1s;
using rankmap::StreamingPlace;
using rankmap::StreamingShuffleOptions;
using rankmap::StreamingSpan;

// At compile time as well.
constexpr bool shuffles_in_a_constant_expression() {
  const std::uint64_t sizes[] = {3, 2};
  std::uint64_t out[5] = {};
  StreamingSpan spans[5];
  StreamingPlace places[10];
  return *streaming_py1s(sizes, {.canonical_nodes = 2}, out, spans) == 5 &&
         *streaming_py1e(sizes, {.canonical_nodes = 2}, out, spans, places) == 5;
}
static_assert(shuffles_in_a_constant_expression());

TEST(streaming_shuffle, is_that_of_streaming) {
  int py1s = 0;
  int py1e = 0;
  for (const auto& row : golden::rows("streaming_shuffle.tsv")) {
    const List sizes = golden::numbers(row[1]);
    const StreamingShuffleOptions options = {.canonical_nodes = golden::number(row[2]),
                                             .seed = golden::number(row[3]),
                                             .epoch = golden::number(row[4]),
                                             .block_size = golden::number(row[5])};
    std::uint64_t samples = 0;
    for (const std::uint64_t size : sizes) samples += size;
    List out(samples);
    std::vector<StreamingSpan> spans(
        rankmap::streaming_spans(sizes.size(), options.canonical_nodes));
    std::vector<StreamingPlace> places(2 * samples);
    const auto made = row[0] == "py1s" ? streaming_py1s(sizes, options, out, spans)
                                       : streaming_py1e(sizes, options, out, spans, places);
    ASSERT_TRUE(made) << message(made.error()).c_str();
    EXPECT_EQ(*made, samples);
    const List first(out.begin(),
                     out.begin() + static_cast<int>(std::min<std::size_t>(out.size(), 8)));
    EXPECT_EQ(first, golden::numbers(row[6])) << row[0] << " of " << row[1];
    EXPECT_EQ(golden::fnv1a64(out), row[7])
        << row[0] << " of " << row[1] << ", " << row[2] << " nodes, seed " << row[3] << ", epoch "
        << row[4] << ", block " << row[5];
    ++(row[0] == "py1s" ? py1s : py1e);
    std::sort(out.begin(), out.end());
    for (std::uint64_t i = 0; i != samples; ++i) ASSERT_EQ(out[i], i) << "each sample once";
  }
  EXPECT_GT(py1s, 300);
  EXPECT_GT(py1e, 1000);
}

TEST(streaming_shuffle, says_what_it_cannot_shuffle) {
  const List sizes = {3, 2};
  List out(5);
  std::vector<StreamingSpan> spans(20);
  std::vector<StreamingPlace> places(10);
  const auto text = [](const auto& made) {
    return made ? std::string() : std::string(message(made.error()).c_str());
  };
  const auto both = [&](const StreamingShuffleOptions& options) {
    const std::string py1s = text(streaming_py1s(sizes, options, out, spans));
    EXPECT_EQ(text(streaming_py1e(sizes, options, out, spans, places)), py1s);
    return py1s;
  };
  EXPECT_EQ(both({.canonical_nodes = 0}),
            "canonical_nodes=\"0\": expected 1 to 2^32 - 1 nodes; pass num_canonical_nodes");
  EXPECT_EQ(
      both({.canonical_nodes = 10}),
      "spans.size()=\"20\": expected at least 21 spans; pass streaming_spans(shards, nodes) of "
      "them")
      << "and not that there are fewer samples";
  EXPECT_EQ(both({.seed = UINT64_MAX, .epoch = 1}),
            "seed=\"18446744073709551615\": expected a sum with the epoch below 2^64; choose a "
            "smaller seed");
  EXPECT_EQ(text(streaming_py1e(sizes, {.canonical_nodes = 6}, out, spans, places)),
            "canonical_nodes=\"6\": expected at most 5, a sample for each; pass fewer nodes");
  EXPECT_EQ(text(streaming_py1e(sizes, {.block_size = 0}, out, spans, places)),
            "block_size=\"0\": expected 1 to 2^40 samples; pass shuffle_block_size");
  EXPECT_EQ(text(streaming_py1e(sizes, {}, out, spans, std::span(places).first(9))),
            "places.size()=\"9\": expected at least 10 places; pass two for each sample");
  EXPECT_EQ(text(streaming_py1s(sizes, {}, std::span(out).first(4), spans)),
            "out.size()=\"4\": expected 5 elements, one for each sample; pass a span of that many");
  const List huge = {1, std::uint64_t{1} << 62U};
  EXPECT_EQ(text(streaming_py1s(huge, {.canonical_nodes = 2}, out, spans)),
            "shard_sizes[1]=\"4611686018427387904\": expected samples whose sum times the nodes is "
            "below 2^63; pass the numbers of samples");
}

}  // namespace
