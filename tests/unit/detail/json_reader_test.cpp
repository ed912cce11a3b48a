// SPDX-License-Identifier: MIT
#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/parse_number.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::detail::Json;
using rankmap::detail::JsonItems;
using rankmap::detail::JsonKind;
using rankmap::detail::JsonLimits;

constexpr std::string_view good_texts[] = {
    "null",
    "true",
    "false",
    "0",
    "-0",
    "12",
    "-1.5",
    "1e5",
    "1E+5",
    "0.25e-3",
    "\"\"",
    "\"a\"",
    " [ ] ",
    "{}",
    "\t\r\n[1,2]\n",
    "[[],[[]],{}]",
    "{\"a\":1}",
    "{ \"a\" : { \"b\" : [ ] } , \"c\":null }",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
    "\"\xc3\xa9\"",
    "[1,\"]\",{\"}\":\"{\"}]",
    "\"\\u00Af\\u00fA\"",
};
constexpr bool is_good(std::string_view text) { return Json::parse(text, "text").has_value(); }
static_assert(std::ranges::all_of(good_texts, is_good));

constexpr rankmap::detail::NumberState state_of(std::string_view text) {
  return rankmap::detail::parse_number(text).state;
}
static_assert(state_of("-10") == rankmap::detail::NumberState::negative);
static_assert(state_of("-90") == rankmap::detail::NumberState::negative);
static_assert(state_of("-1/") == rankmap::detail::NumberState::malformed);
static_assert(state_of("-1:") == rankmap::detail::NumberState::malformed);
static_assert(state_of("-") == rankmap::detail::NumberState::malformed);
static_assert(state_of("") == rankmap::detail::NumberState::empty);
static_assert(state_of("18446744073709551616") == rankmap::detail::NumberState::too_large);

struct Bad {
  std::string_view text;
  std::int64_t position;
};
constexpr Bad bad_texts[] = {
    {"", 0},         {" ", 1},          {"nul", 0},
    {"True", 0},     {"+1", 0},         {"01", 0},
    {"-", 0},        {"1.", 2},         {".5", 0},
    {"1e", 2},       {"1e+", 3},        {"0x1", 1},
    {"NaN", 0},      {"'a'", 0},        {"\"a", 2},
    {"\"\\", 2},     {"\"\\x\"", 2},    {"\"\\u12g4\"", 2},
    {"\"\\u12", 2},  {"\"a\nb\"", 2},   {"[", 1},
    {"[1", 2},       {"[1,", 3},        {"[1,]", 3},
    {"[,1]", 1},     {"[1 2]", 3},      {"]", 0},
    {"{", 1},        {"{\"a\"", 4},     {"{\"a\":", 5},
    {"{\"a\":1", 6}, {"{\"a\":1,}", 7}, {"{a:1}", 1},
    {"{1:2}", 1},    {"{\"a\" 1}", 5},  {"{\"a\",1}", 4},
    {"1 2", 2},      {"[]]", 2},        {"{}x", 2},
    {"// no\n1", 0}, {"[1}", 2},        {"\xef\xbb\xbf[]", 0},
};
constexpr bool is_bad(const Bad& row) {
  const auto json = Json::parse(row.text, "text");
  return !json && json.error().code == Errc::bad_json && json.error().position == row.position;
}
static_assert(std::ranges::all_of(bad_texts, is_bad));

TEST(Json, accepts_all_of_the_grammar) {
  for (const std::string_view text : good_texts) EXPECT_TRUE(is_good(text)) << text;
}

TEST(Json, errors_have_the_byte_of_the_fault) {
  for (const Bad& row : bad_texts) {
    const auto json = Json::parse(row.text, "TF_CONFIG");
    ASSERT_FALSE(json) << row.text;
    EXPECT_EQ(json.error().code, Errc::bad_json) << row.text;
    EXPECT_EQ(json.error().position, row.position) << row.text;
    EXPECT_EQ(json.error().subject, "TF_CONFIG");
  }
}

TEST(Json, keeps_to_its_limits) {
  const std::string deep = std::string(32, '[') + std::string(32, ']');
  EXPECT_TRUE(Json::parse(deep, "text"));
  const auto deeper = Json::parse("[" + deep + "]", "text");
  ASSERT_FALSE(deeper);
  EXPECT_EQ(deeper.error().code, Errc::limit_exceeded);
  EXPECT_EQ(deeper.error().position, 32);
  for (const char open : {'[', '{', '"', '1', ' '}) {
    EXPECT_FALSE(Json::parse(std::string(10'000'000, open), "text").has_value() && open != '1');
  }
  EXPECT_EQ(Json::parse(std::string(10'000'000, '['), "text").error().position, 32);
  EXPECT_EQ(Json::parse("[1,2]", "text", JsonLimits{4, 32}).error().code, Errc::limit_exceeded);
  EXPECT_TRUE(Json::parse("[1,2]", "text", JsonLimits{5, 1}));
  EXPECT_FALSE(Json::parse("[[1]]", "text", JsonLimits{100, 1}));
  EXPECT_TRUE(Json::parse("[[],[],[],[]]", "text", JsonLimits{100, 2})) << "side by side";
}

TEST(Json, finds_members_and_elements) {
  constexpr std::string_view text =
      R"({"a":[1,{"a":2},"]"], "b" : "x\"y", "c":{"d":true}, "b2":null, "n":-3})";
  constexpr Json json = *Json::parse(text, "text");
  static_assert(json.is(JsonKind::object));
  static_assert(json.member("c")->member("d")->raw() == "true");
  static_assert(json.member("b")->string<8>()->view() == "x\"y");
  static_assert(json.member("b2")->is(JsonKind::null));
  static_assert(!json.member("d") && !json.member("a")->member("a"));
  static_assert(!json.member("n")->integer());
  std::string seen;
  for (JsonItems items = json.member("a")->elements(); items.next();) {
    seen += std::string(items.value().raw()) + ";";
  }
  EXPECT_EQ(seen, "1;{\"a\":2};\"]\";");
  seen.clear();
  for (JsonItems items = json.members(); items.next();) {
    seen += std::string(items.name().raw()) + std::string(items.value().raw()) + ";";
  }
  EXPECT_EQ(seen, R"("a"[1,{"a":2},"]"];"b""x\"y";"c"{"d":true};"b2"null;"n"-3;)");
  EXPECT_FALSE(json.elements().next()) << "an object has no elements";
  EXPECT_FALSE(json.member("a")->members().next()) << "an array has no members";
  EXPECT_FALSE(json.member("n")->elements().next());
  EXPECT_FALSE(json.member("b")->members().next());
}

TEST(Json, returns_no_member_that_occurs_twice) {
  EXPECT_FALSE(Json::parse(R"({"a":1,"\u0061":1})", "text")->member("a"));
  EXPECT_TRUE(Json::parse(R"({"a":1,"b":1,"b":2})", "text")->member("a"));
}

TEST(Json, finds_the_second_place_of_a_name) {
  const auto repeat = [](std::string_view text) {
    const auto again = Json::parse(text, "text")->repeat({"a", "b"});
    return again ? static_cast<int>(*again) : -1;
  };
  EXPECT_EQ(repeat(R"({"a":1,"b":1,"c":{"a":1}})"), -1);
  EXPECT_EQ(repeat(R"({"c":1,"c":1,"a":1})"), -1);
  EXPECT_EQ(repeat(R"(["a","a"])"), -1);
  EXPECT_EQ(repeat(R"({"a":1,"b":1,"\u0062":1,"b":1})"), 13);
  EXPECT_EQ(repeat(R"({"b":1,"a":1,"b":1,"a":1})"), 13);
}

TEST(Json, decodes_strings) {
  const auto decoded = [](std::string_view text) {
    const auto out = Json::parse(text, "text")->string<16>();
    return out ? std::string(out->view()) : std::string("none");
  };
  EXPECT_EQ(decoded(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(decoded(R"("\u0041\u00e9\u20ac\ud83d\ude00")"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(decoded(R"("\u00AF\uABCD\uFFFD")"), "\xc2\xaf\xea\xaf\x8d\xef\xbf\xbd");
  EXPECT_EQ(decoded(R"("\u007f\u0080\u07ff\u0800")"), "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80");
  EXPECT_EQ(decoded(R"("\ud800\udc00\udbff\udfff")"), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
  EXPECT_EQ(decoded(R"("\ud83d")"), "none");
  EXPECT_EQ(decoded(R"("\ud83dxude00")"), "none");
  EXPECT_EQ(decoded(R"("\ud83d\\de00")"), "none");
  EXPECT_EQ(decoded(R"("\ud83d\ue000")"), "none");
  EXPECT_EQ(decoded(R"("\ude00\ud83d")"), "none");
  EXPECT_EQ(decoded(R"("\ud83d\u0041")"), "none");
  EXPECT_EQ(decoded(R"("0123456789abcdef")"), "0123456789abcdef");
  EXPECT_EQ(decoded(R"("0123456789abcdefg")"), "none");
  EXPECT_EQ(decoded("12"), "none");
  // the room ends in front of what an escape stands for, or within it
  for (const std::string escape : {"\\n", "\\u0041", "\\u00e9", "\\u20ac", "\\ud83d\\ude00"}) {
    const std::string character = decoded("\"" + escape + "\"");
    const std::string fits(16 - character.size(), 'x');
    EXPECT_EQ(decoded("\"" + fits + escape + "\""), fits + character) << escape;
    for (std::size_t more = 1; more <= character.size(); ++more) {
      EXPECT_EQ(decoded("\"" + fits + std::string(more, 'x') + escape + "\""), "none") << escape;
    }
  }
}

TEST(Json, compares_decoded_strings) {
  struct Row {
    std::string_view text, wanted;
    bool equal;
  };
  for (const Row& row : {
           Row{R"("a\u00e9")", "a\xc3\xa9", true},
           Row{R"("\u0061")", "a", true},
           Row{R"("\u0061")", "b", false},
           Row{R"("\u00e9")", "\xc3", false},      // ends within the character
           Row{R"("\u00e9")", "\xc2\xa9", false},  // parts at its head
           Row{R"("\u20ac")", "\xe2\x82", false},
           Row{R"("\ud83d\ude00")", "\xf0\x9f\x98\x80", true},
           Row{R"("\n")", "\n", true},
           Row{R"("\n")", "n", false},
           Row{R"("\/")", "\\", false},
           Row{R"("a")", "ab", false},
           Row{R"("ab")", "a", false},
           Row{R"("\ud83d")", "", false},
           Row{"1", "1", false},
       }) {
    EXPECT_EQ(Json::parse(row.text, "text")->equals(row.wanted), row.equal) << row.text;
  }
}

TEST(Json, reads_whole_numbers_bare_or_quoted) {
  const auto number = [](std::string_view text) {
    const auto found = Json::parse(text, "text")->integer();
    return found ? std::optional(found.value) : std::nullopt;
  };
  EXPECT_EQ(number("0"), 0U);
  EXPECT_EQ(number("\"17\""), 17U);
  EXPECT_EQ(number("18446744073709551615"), UINT64_MAX);
  for (const std::string_view text : {"18446744073709551616", "-1", "1.0", "1e2", "\"\"", "\" 1\"",
                                      "\"1x\"", "true", "null", "[1]", "{}"}) {
    EXPECT_EQ(number(text), std::nullopt) << text;
  }
}

// Whatever the bytes: an error, or a value whose every part can be visited.
int visit_all(Json json) {
  int visits = 1;
  (void)json.string<64>();
  (void)json.integer();
  (void)json.member("a");
  EXPECT_FALSE(json.raw().empty());
  for (JsonItems items = json.elements(); items.next();) visits += visit_all(items.value());
  for (JsonItems items = json.members(); items.next();) {
    visits += visit_all(items.name()) + visit_all(items.value());
  }
  return visits;
}

TEST(Json, is_read_up_to_64_MiB) {
  std::string text(std::size_t{64} << 20U, ' ');
  text[0] = '1';
  EXPECT_TRUE(Json::parse(text, "text"));
  text += ' ';
  EXPECT_FALSE(Json::parse(text, "text"));
}

TEST(Json, damaged_texts_do_no_harm) {
  std::mt19937 random(3);
  int valid = 0;
  for (int round = 0; round != 30'000; ++round) {
    std::string text = R"({"a":["x\u0041",1.5e3,{"b":null}],"c":"\\","d":[[],true]})";
    constexpr std::string_view alphabet = "{}[]\",:\\u01e-. ntf";
    for (std::size_t changes = 1 + random() % 3; changes != 0; --changes) {
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    }
    text.resize(text.size() - random() % 2);
    const auto json = Json::parse(text, "text");
    if (json) valid += visit_all(*json) != 0 ? 1 : 0;
  }
  EXPECT_GT(valid, 100);
}

}  // namespace
