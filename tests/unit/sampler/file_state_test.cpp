// SPDX-License-Identifier: MIT
#include <rankmap/sampler/file_shard.hpp>
#include <rankmap/sampler/file_state.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler_state.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using rankmap::FileShard;
using rankmap::FileState;
using rankmap::parse_file_state;
using rankmap::Permutation;

// After 3 of 1,000 samples on each of 4 ranks, then 5 on each of 6.
constexpr FileState two_legs() {
  const Permutation order(1000, 42, 3);
  const FileState one = FileShard::make(order, 0, 4)->state_after(3).value();
  return FileShard::resume(order, 0, 6, one)->state_after(5).value();
}
static_assert(two_legs().leg_count == 2 && two_legs().order.consumed == 42);
static_assert(two_legs().legs[1] == rankmap::FileLeg{6, 5});
// A name for the text: g++ 12 does not search in that of a temporary when it compiles.
constexpr rankmap::FileStateText two_legs_text = to_string(two_legs());
static_assert(parse_file_state(two_legs_text).value() == two_legs());

std::string line(const FileState& state) { return std::string(to_string(state).view()); }
// The line with the legs that stand behind it.
std::string with_legs(std::string_view legs) {
  return std::string(to_string(two_legs().order).view()) + " legs=" + std::string(legs);
}

TEST(FileState, is_a_line_with_its_legs) {
  EXPECT_EQ(line(two_legs()), with_legs("4x3,6x5"));
  EXPECT_EQ(parse_file_state(with_legs("4x3,6x5")).value(), two_legs());
  // At the start of an epoch the line is that of the order.
  const Permutation order(1000, 42, 3);
  const FileState start = FileShard::make(order, 0, 4)->state_after(0).value();
  EXPECT_EQ(line(start), std::string(to_string(state_of(order).value()).view()));
  EXPECT_EQ(parse_file_state(line(start)).value(), start);
}

TEST(FileState, has_room_for_the_longest_text) {
  FileState state;
  state.order = {UINT64_MAX,
                 UINT64_MAX,
                 UINT64_MAX,
                 UINT64_MAX,
                 rankmap::SamplerAlgorithm::named("abcdefghijklmnopqrstuvwxyz-").value(),
                 UINT64_MAX};
  state.leg_count = FileState::max_legs;
  for (rankmap::FileLeg& leg : state.legs) leg = {INT32_MAX, rankmap::largest_dataset};
  EXPECT_FALSE(to_string(state).cut());
  EXPECT_EQ(to_string(state).view().substr(to_string(state).size() - 30),
            "2147483647x9223372036854775807");
}

TEST(FileState, names_what_it_cannot_read) {
  const auto reason = [](std::string_view text) {
    const auto state = parse_file_state(text);
    return state ? std::string("none") : std::string(message(state.error()).view());
  };
  EXPECT_EQ(reason(with_legs("4x3,6x5")), "none");
  struct Row {
    std::string legs;
    int byte;
    std::string expected;
  };
  const Row rows[] = {
      {"", 5, "a number of ranks from 1 on"},
      {"0x3", 5, "a number of ranks from 1 on"},
      {"-4x3", 5, "a number of ranks from 1 on"},
      {"2147483648x3", 5, "a number of ranks from 1 on"},
      {"18446744073709551620x3", 5, "a number of ranks from 1 on"},
      {"4", 6, "an \"x\" behind the ranks"},
      {"4y3", 6, "an \"x\" behind the ranks"},
      {"4x", 7, "the samples of a rank, from 1 on"},
      {"4x03", 7, "the samples of a rank, from 1 on"},
      {"4x18446744073709551616", 7, "the samples of a rank, from 1 on"},
      {"4x3 ", 8, "a \",\" or the end of the text"},
      {"4x3,", 9, "a number of ranks from 1 on"},
      {"4x3,6x5,", 13, "a number of ranks from 1 on"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(reason(with_legs(row.legs)), "legs of a sampler state=\"legs=" + row.legs +
                                               "\" at byte " + std::to_string(row.byte) +
                                               ": expected " + row.expected +
                                               "; pass a text that to_string made");
  }
  EXPECT_EQ(reason(with_legs("4x300")),
            "FileState::legs[0].taken=\"300\": expected 1 to 250 samples a rank, of the 1000 left; "
            "pass a state that state_after made");
  EXPECT_EQ(reason(with_legs("4x3,6x200")),
            "FileState::legs[1].taken=\"200\": expected 1 to 164 samples a rank, of the 988 left; "
            "pass a state that state_after made");
  EXPECT_EQ(reason(with_legs("4x3")),
            "FileState::order.consumed=\"42\": expected 12 samples, the sum over the legs; pass a "
            "state that state_after made");
  EXPECT_EQ(reason(std::string(to_string(two_legs().order).view())),
            "FileState::order.consumed=\"42\": expected 0 samples, the sum over the legs; pass a "
            "state that state_after made");
  std::string many = "1x1";
  for (std::size_t i = 0; i != FileState::max_legs; ++i) many += ",1x1";
  EXPECT_NE(reason(with_legs(many)).find("expected at most 64 legs"), std::string::npos);
  EXPECT_FALSE(parse_file_state("x legs=4x3"));
  EXPECT_EQ(parse_file_state(with_legs("4x3,6x5") + "\r\n").value(), two_legs());
  EXPECT_FALSE(parse_file_state(with_legs("4x3,6x5") + "\n\n"));
  std::string inside = with_legs("4x3,6x5");
  inside.insert(inside.find(" legs="), "\n");
  EXPECT_FALSE(parse_file_state(inside));
  EXPECT_FALSE(parse_file_state(""));
}

TEST(FileState, is_refused_as_a_state_of_other_shares_with_the_function_that_reads_it) {
  const std::string text = line(two_legs());
  const rankmap::Error error = rankmap::parse_sampler_state(text).error();
  EXPECT_EQ(error.remedy, "read the state of a FileShard by parse_file_state");
  EXPECT_EQ(error.position, static_cast<std::int64_t>(text.find(" check=")));
  EXPECT_TRUE(parse_file_state(text));
  const std::string cut = text.substr(0, text.find(" check="));
  EXPECT_EQ(rankmap::parse_sampler_state(cut).error().remedy,
            "go back to the checkpoint before: this one was changed or cut");
}

// Whatever is cut off or changed in the numbers of the legs is refused when it is read, or when it
// is resumed, since the legs are part of the digest.
TEST(FileState, is_refused_where_a_digit_of_the_legs_changed) {
  const Permutation order(1000, 42, 3);
  const std::string whole = line(two_legs());
  const std::size_t legs = whole.find(" legs=");
  std::size_t tried = 0;
  for (std::size_t at = legs; at != whole.size(); ++at) {
    for (const char c : std::string_view("0123456789x, ")) {
      std::string changed = whole;
      if (changed[at] == c) continue;
      changed[at] = c;
      const auto state = parse_file_state(changed);
      EXPECT_FALSE(state && FileShard::resume(order, 0, 2, *state)) << changed;
      ++tried;
    }
    const auto cut = parse_file_state(std::string_view(whole).substr(0, at));
    EXPECT_FALSE(cut && FileShard::resume(order, 0, 2, *cut)) << at;
  }
  EXPECT_EQ(tried, 161U);
  EXPECT_TRUE(FileShard::resume(order, 0, 2, parse_file_state(whole).value()));
}

}  // namespace
