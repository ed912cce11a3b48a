// SPDX-License-Identifier: MIT
//
// Variables in the text of /proc/PID/environ.
#include <rankmap/environment/detail/start_search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::StartQuestion;
using rankmap::detail::longest_start;
using rankmap::detail::search_start;
using rankmap::detail::StartSearch;
using std::string_view_literals::operator""sv;

constexpr std::optional<bool> unknown = std::nullopt;

struct Case {
  std::string_view file;
  std::string_view name;
  std::string_view text;
  std::optional<bool> same;
};
constexpr Case cases[] = {
    {"RANK=3\0SIZE=8\0"sv, "RANK", "3", true},
    {"RANK=3\0SIZE=8\0"sv, "SIZE", "8", true},
    {"RANK=3\0SIZE=8\0"sv, "RANK", "4", false},
    {"RANK=3\0SIZE=8\0"sv, "RANK", "33", false},
    {"RANK=33\0SIZE=8\0"sv, "RANK", "3", false},
    {"RANK=3\0SIZE=8\0"sv, "RANK", "", false},
    {"RANK=\0SIZE=8\0"sv, "RANK", "", true},
    {"RANK=\0SIZE=8\0"sv, "RANK", "3", false},
    {"RANK=3\0SIZE=8\0"sv, "HOST", "", false},
    // names that begin or end as another one
    {"RANKS=3\0RAN=3\0RANK=4\0"sv, "RANK", "4", true},
    {"RANKS=3\0RAN=3\0"sv, "RANK", "3", false},
    {"PMI_RANK=3\0"sv, "RANK", "3", false},
    {"PMI_RANK=RANK=3\0"sv, "RANK", "3", false},
    // texts that look like entries
    {"A=RANK=3\0RANK=A=4\0"sv, "RANK", "A=4", true},
    {"A=b=c\0"sv, "A", "b=c", true},
    {"A==\0"sv, "A", "=", true},
    {"A=one\ntwo\0"sv, "A", "one\ntwo", true},
    {"=C:=C:\\\0RANK=3\0"sv, "RANK", "3", true},
    {"A=\0A=B=c\0"sv, "A=B", "c", false},  // no name has a '='
    // of two entries of one name the first one counts, as for getenv
    {"RANK=3\0RANK=4\0"sv, "RANK", "3", true},
    {"RANK=3\0RANK=4\0"sv, "RANK", "4", false},
    // the last entry without its NUL
    {"SIZE=8\0RANK=3"sv, "RANK", "3", true},
    {"SIZE=8\0RANK=3"sv, "RANK", "33", false},
    {"SIZE=8\0RANK="sv, "RANK", "", true},
    {"SIZE=8\0RANK"sv, "RANK", "", unknown},
    // wiped, and overwritten by a title
    {""sv, "RANK", "3", unknown},
    {"\0"sv, "RANK", "3", unknown},
    {"\0\0\0\0"sv, "RANK", "3", unknown},
    {"slurmstepd: [7.1]\0\0\0\0"sv, "RANK", "3", unknown},
    {"slurmstepd: [7.1]"sv, "RANK", "3", unknown},
    {"title\0RANK=3\0SIZE=8\0"sv, "RANK", "3", unknown},  // it may have been PMI_RANK=3
    {"title\0RANK=3\0SIZE=8\0"sv, "SIZE", "8", unknown},
    {"sshd: user=me\0\0\0RANK=3\0"sv, "RANK", "3", unknown},
    {"RANK=3\0\0SIZE=8\0"sv, "RANK", "3", true},
    {"RANK=3\0\0SIZE=8\0"sv, "SIZE", "8", unknown},
};

/// The file in pieces of `size` bytes.
constexpr std::optional<bool> searched(const Case& row, std::size_t size) {
  StartQuestion question{row.name, row.text, {}};
  StartSearch search({&question, 1});
  for (std::size_t at = 0; at < row.file.size(); at += size) search.add(row.file.substr(at, size));
  search.end();
  return question.is_same;
}
constexpr bool holds_in_pieces_of(std::size_t size) {
  return std::ranges::all_of(cases,
                             [=](const Case& row) { return searched(row, size) == row.same; });
}
static_assert(holds_in_pieces_of(1000) && holds_in_pieces_of(1) && holds_in_pieces_of(7));

TEST(StartSearch, does_not_depend_on_where_the_pieces_end) {
  for (const Case& row : cases) {
    for (std::size_t size = 1; size <= 40; ++size) {
      EXPECT_EQ(searched(row, size), row.same)
          << testing::PrintToString(row.file) << ", pieces of " << size;
    }
  }
}

constexpr bool is_unset(std::string_view file, std::string_view name) {
  StartQuestion question{name, "3", {}};
  StartSearch search({&question, 1});
  search.add(file);
  search.end();
  return question.is_unset;
}
static_assert(is_unset("SIZE=8\0"sv, "RANK") && is_unset("PMI_RANK=3\0"sv, "RANK"));
static_assert(!is_unset("RANK=3\0"sv, "RANK") && !is_unset("RANK=4\0"sv, "RANK"));
static_assert(!is_unset("RANK=\0"sv, "RANK"));
static_assert(!is_unset(""sv, "RANK") && !is_unset("title\0SIZE=8\0"sv, "RANK"));  // unknown

/// Reads a text as a file.
class Pieces {
 public:
  explicit Pieces(std::string_view rest) : rest_(rest) {}
  std::optional<std::string_view> operator()(char* buffer, std::size_t size) {
    const std::string_view piece = rest_.substr(0, size);
    std::copy(piece.begin(), piece.end(), buffer);
    rest_.remove_prefix(piece.size());
    ++reads;
    return std::string_view(buffer, piece.size());
  }
  int reads = 0;

 private:
  std::string_view rest_;
};

/// The same with a search of its own, of a file that `read` reads.
template <class Read>
std::optional<bool> found(Read&& read, std::string_view name, std::string_view text) {
  StartQuestion question{name, text, {}};
  search_start(read, {&question, 1});
  return question.is_same;
}

// All rows with one file are asked together, and those with other files for nothing.
TEST(StartSearch, answers_several_questions_as_it_does_each) {
  for (const Case& row : cases) {
    std::vector<StartQuestion> questions;
    std::vector<std::optional<bool>> expected;
    for (const Case& other : cases) {
      const bool is_asked = std::ranges::any_of(
          questions, [&](const StartQuestion& asked) { return asked.variable == other.name; });
      if (is_asked || other.file != row.file) continue;
      questions.push_back({other.name, other.text, {}});
      expected.push_back(other.same);
    }
    for (std::size_t size = 1; size <= 8; ++size) {
      for (StartQuestion& question : questions) question.is_same = {};
      StartSearch search({questions.data(), questions.size()});
      for (std::size_t at = 0; at < row.file.size(); at += size) {
        search.add(row.file.substr(at, size));
      }
      search.end();
      for (std::size_t i = 0; i != questions.size(); ++i) {
        EXPECT_EQ(questions[i].is_same, expected[i])
            << testing::PrintToString(row.file) << ' ' << questions[i].variable << ' ' << size;
      }
    }
  }
}

TEST(StartSearch, finds_variables_across_the_borders_of_its_buffer) {
  for (std::size_t before = 4070; before <= 4100; ++before) {
    std::string file = "A=" + std::string(before, 'x');
    file += '\0';
    file += "RANK=12345";
    file += '\0';
    EXPECT_EQ(found(Pieces(file), "RANK", "12345"), true) << before;
    EXPECT_EQ(found(Pieces(file), "RANK", "12346"), false) << before;
    EXPECT_EQ(found(Pieces(file), "SIZE", "1"), false) << before;
  }
}

TEST(StartSearch, reads_no_more_than_it_needs) {
  std::string file = "RANK=3";
  file += '\0';
  file += "A=" + std::string(100000, 'x');
  Pieces pieces(file);
  EXPECT_EQ(found(pieces, "RANK", "3"), true);
  EXPECT_EQ(pieces.reads, 1);
}

TEST(StartSearch, gives_up_on_two_mebibytes) {
  const std::string_view end("\0RANK=3\0", 8);
  std::string file = "A=" + std::string(longest_start - 2 - end.size() - 1, 'x');
  file += end;
  ASSERT_EQ(file.size(), longest_start - 1);
  EXPECT_EQ(found(Pieces(file), "RANK", "3"), true);
  EXPECT_EQ(found(Pieces(file), "SIZE", "8"), false);
  file += 'B';
  file += "=longer";
  Pieces longer(file);
  EXPECT_EQ(found(longer, "SIZE", "8"), std::nullopt);
  EXPECT_EQ(longer.reads, 512);
}

TEST(StartSearch, knows_nothing_after_an_error) {
  int reads = 0;
  const auto read = [&](char*, std::size_t size) -> std::optional<std::string_view> {
    static const std::string text = "A=" + std::string(4094, 'x');
    if (++reads == 2) return std::nullopt;
    return std::string_view(text).substr(0, size);
  };
  EXPECT_EQ(found(read, "RANK", "3"), std::nullopt);
  EXPECT_EQ(reads, 2);
}

}  // namespace
