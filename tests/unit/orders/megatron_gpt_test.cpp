// SPDX-License-Identifier: MIT
//
// Red here means that a run would read other tokens than it does under Megatron-LM. The recorded
// file comes from its own functions, at the commit that it names.
#include <rankmap/orders/megatron_gpt.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "golden/rows.hpp"

namespace {

using golden::List;
using rankmap::MegatronGpt;
using rankmap::MegatronGptOptions;
using rankmap::MegatronGptStart;
using Numbers = std::vector<std::uint32_t>;

Numbers narrow(const std::string& text) {
  Numbers out;
  for (const std::uint64_t number : golden::numbers(text)) {
    out.push_back(static_cast<std::uint32_t>(number));
  }
  return out;
}
std::string message_of(const auto& made) {
  return made ? std::string() : std::string(message(made.error()).c_str());
}

// At compile time as well.
constexpr bool builds_in_a_constant_expression() {
  const std::uint32_t lengths[] = {5, 3, 4};
  const std::uint32_t documents[] = {0, 1, 2};
  const MegatronGpt gpt = *MegatronGpt::make(lengths, documents, {.sequence_length = 4});
  std::uint32_t document_index[3] = {};
  MegatronGptStart sample_index[3] = {};
  std::uint32_t shuffle_index[2] = {};
  return gpt.size() == 2 && *gpt.build(document_index, sample_index, shuffle_index) == 2;
}
static_assert(builds_in_a_constant_expression());

TEST(MegatronGpt, builds_the_indices_of_megatron) {
  int separate = 0;
  int short_ends = 0;
  for (const auto& row : golden::rows("megatron_gpt.tsv")) {
    const Numbers lengths = narrow(row[0]);
    const Numbers documents = narrow(row[1]);
    const auto made = MegatronGpt::make(lengths, documents,
                                        {.sequence_length = golden::number(row[2]),
                                         .samples = golden::number(row[3]),
                                         .seed = static_cast<std::uint32_t>(golden::number(row[4])),
                                         .add_extra_token = row[5] == "1",
                                         .drop_last_partial = row[6] == "1"});
    ASSERT_TRUE(made) << message_of(made);
    Numbers document_index(made->document_index_size());
    std::vector<MegatronGptStart> sample_index(made->size() + 1);
    Numbers shuffle_index(made->size());
    const auto built = made->build(document_index, sample_index, shuffle_index);
    ASSERT_TRUE(built) << message_of(built);
    EXPECT_EQ(document_index, narrow(row[7])) << row[0];
    Numbers places;
    Numbers offsets;
    for (const MegatronGptStart& start : sample_index) {
      places.push_back(start.place);
      offsets.push_back(start.offset);
    }
    EXPECT_EQ(places, narrow(row[8])) << row[0];
    EXPECT_EQ(offsets, narrow(row[9])) << row[0];
    EXPECT_EQ(shuffle_index, narrow(row[10])) << row[0];
    EXPECT_EQ(made->document_index_size(), made->epochs() * documents.size());
    if (made->separates_last_epoch()) ++separate;
    if (row[6] == "0") ++short_ends;
  }
  EXPECT_GT(separate, 5);
  EXPECT_GT(short_ends, 5);
}

TEST(MegatronGpt, says_what_it_cannot_build) {
  const Numbers lengths = {5, 3, 0};
  const Numbers documents = {0, 1};
  const auto made = [&](const MegatronGptOptions& options) {
    return message_of(MegatronGpt::make(lengths, documents, options));
  };
  EXPECT_EQ(made({}),
            "sequence_length=\"0\": expected 2 to 2^31 - 2 tokens; pass the tokens of a sample");
  EXPECT_EQ(made({.sequence_length = (1U << 31U) - 1}),
            "sequence_length=\"2147483647\": expected 2 to 2^31 - 2 tokens; pass the tokens of a "
            "sample");
  EXPECT_EQ(made({.sequence_length = 4, .samples = std::uint64_t{1} << 32U}),
            "samples=\"4294967296\": expected fewer than 2^32 samples; ask for fewer");
  EXPECT_EQ(made({.sequence_length = 4, .samples = UINT32_MAX}),
            "documents times epochs=\"4294967296\": expected fewer than 2^31; ask for fewer "
            "samples");
  const Numbers beyond = {1, 3};
  EXPECT_EQ(message_of(MegatronGpt::make(lengths, beyond, {.sequence_length = 4})),
            "documents[1]=\"3\": expected a document in [0, 3); pass numbers of documents that "
            "have a length");
  const Numbers nothing = {2};
  EXPECT_EQ(message_of(MegatronGpt::make(lengths, nothing, {.sequence_length = 4})),
            "tokens of all documents=\"0\": expected at least 2; pass more documents");
  const Numbers too_long = {1U << 31U};
  const Numbers first = {0};
  EXPECT_EQ(message_of(MegatronGpt::make(too_long, first, {.sequence_length = 4})),
            "lengths[0]=\"2147483648\": expected fewer than 2^31 tokens; split the document");
  // In single precision 2^25 + 6 is 2^25 + 8, and Megatron-LM's own assertion stops it.
  const Numbers large = {(1U << 25U) + 6};
  const MegatronGptOptions short_end = {
      .sequence_length = 2, .add_extra_token = false, .drop_last_partial = false};
  EXPECT_EQ(message_of(MegatronGpt::make(large, first, short_end)),
            "samples in single precision=\"16777220\": expected at most 16777219, those that there "
            "are; set drop_last_partial, without which Megatron-LM stops here");
  const Numbers fitting = {(1U << 25U) + 8};
  EXPECT_EQ(message_of(MegatronGpt::make(fitting, first, short_end)), "");
}

TEST(MegatronGpt, says_which_span_has_another_size) {
  const Numbers lengths = {5, 3, 4};
  const Numbers documents = {0, 1, 2};
  const MegatronGpt gpt = *MegatronGpt::make(lengths, documents, {.sequence_length = 4});
  Numbers three(3);
  Numbers two(2);
  std::vector<MegatronGptStart> starts(3);
  EXPECT_EQ(message_of(gpt.build(two, starts, two)),
            "document_index.size()=\"2\": expected 3 elements; pass a span of that many");
  EXPECT_EQ(message_of(gpt.build(three, std::span(starts).first(2), two)),
            "sample_index.size()=\"2\": expected 3 elements; pass a span of that many");
  EXPECT_EQ(message_of(gpt.build(three, starts, three)),
            "shuffle_index.size()=\"3\": expected 2 elements; pass a span of that many");
}

}  // namespace
