// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include "support/listed.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::FixedEnvironment;
using rankmap::RecordedEnvironment;
using rankmap_test::listed;

static_assert(rankmap::Environment<FixedEnvironment<3>>);
static_assert(rankmap::Environment<RecordedEnvironment>);
static_assert(!rankmap::Environment<int>);

// What a look-up returns: a text that someone else holds, and no pointer that may be null.
template <class T>
using Returns = T (*)(std::string_view);
using rankmap::Environment;
static_assert(Environment<Returns<std::string_view>>);
static_assert(Environment<Returns<std::optional<std::string_view>>>);
static_assert(Environment<Returns<std::nullopt_t>>);
static_assert(Environment<Returns<const std::string&>>);
static_assert(Environment<Returns<std::optional<std::string>&>>);
static_assert(!Environment<Returns<std::string>>);
static_assert(!Environment<Returns<std::string&&>>);
static_assert(!Environment<Returns<std::optional<std::string>>>);
static_assert(!Environment<Returns<char*>>);
static_assert(!Environment<Returns<const char*&>>);
static_assert(!Environment<Returns<rankmap::StaticString<8>>>);
static_assert(!Environment<Returns<std::optional<rankmap::StaticString<8>>>>);

// What is viewed must be kept by someone: a temporary with a text of its own does not compile.
template <class Text>
concept TakenAsName = requires(Text text) {
  FixedEnvironment({{"SIZE", "2"}, {static_cast<Text>(text), "3"}});
};
template <class Text>
concept TakenAsValue = requires(Text text) {
  FixedEnvironment({{"RANK", static_cast<Text>(text)}});
};
template <class Text>
concept TakenAsRecord = requires(Text text) {
  RecordedEnvironment(static_cast<Text>(text));
  RecordedEnvironment(static_cast<Text>(text), '|');
};
template <class Text>
concept TakenByAll = TakenAsName<Text> && TakenAsValue<Text> && TakenAsRecord<Text>;
template <class Text>
concept TakenByNone = !TakenAsName<Text> && !TakenAsValue<Text> && !TakenAsRecord<Text>;
static_assert(TakenByAll<const char (&)[2]>);
static_assert(TakenByAll<const char*>);
static_assert(TakenByAll<char*>);
static_assert(TakenByAll<std::string_view>);
static_assert(TakenByAll<const std::string_view>);
static_assert(TakenByAll<std::string_view&>);
static_assert(TakenByAll<std::string&>);
static_assert(TakenByAll<const std::string&>);
static_assert(TakenByAll<rankmap::StaticString<8>&>);
static_assert(TakenByNone<std::string>);
static_assert(TakenByNone<const std::string>);
static_assert(TakenByNone<std::string&&>);
static_assert(TakenByNone<rankmap::StaticString<8>>);

constexpr FixedEnvironment fixed({{"RANK", "3"}, {"EMPTY", ""}, {"RANK", "4"}});
static_assert(fixed("RANK") == "3");
static_assert(fixed("EMPTY") == "");
static_assert(!fixed("UNSET"));
static_assert(!FixedEnvironment()("RANK"));

constexpr RecordedEnvironment recorded("RANK=3\nEMPTY=\nRANKS=9\nno variable\nPATH=a=b\nLAST=1");
static_assert(recorded("RANK") == "3");
static_assert(recorded("EMPTY") == "");
static_assert(recorded("PATH") == "a=b");
static_assert(recorded("LAST") == "1");
static_assert(!recorded("RAN"));
static_assert(!recorded("no variable"));
static_assert(!recorded("UNSET"));
static_assert(!RecordedEnvironment("")("A"));

TEST(Environment, unset_is_not_empty) {
  EXPECT_EQ(fixed("EMPTY"), std::optional<std::string_view>(""));
  EXPECT_EQ(fixed("UNSET"), std::nullopt);
}

TEST(Environment, recorded_values_may_hold_newlines) {
  const RecordedEnvironment zeros(std::string_view("IPS=1.2.3.4\n5.6.7.8\0RANK=1\0", 28), '\0');
  EXPECT_EQ(zeros("IPS"), std::optional<std::string_view>("1.2.3.4\n5.6.7.8"));
  EXPECT_EQ(zeros("RANK"), std::optional<std::string_view>("1"));
}

// ---- what is listed

TEST(Environment, lists_what_a_look_up_finds) {
  static_assert(listed(fixed) == "RANK=3;EMPTY=;");
  static_assert(listed(FixedEnvironment()) == "");
  static_assert(listed(recorded) == "RANK=3;EMPTY=;RANKS=9;PATH=a=b;LAST=1;");
  constexpr RecordedEnvironment twice("RANK=3\nSIZE=8\nRANK=3\nRANK=4\n=C:=C:\\\n\nSIZE\n");
  static_assert(listed(twice) == "RANK=3;SIZE=8;=C:=C:\\;");
  const RecordedEnvironment zeros(std::string_view("IPS=1\n2\0RANK=1", 14), '\0');
  EXPECT_EQ(listed(zeros).view(), "IPS=1\n2;RANK=1;");
  EXPECT_EQ(listed(RecordedEnvironment("")).view(), "");
  constexpr FixedEnvironment same({{"RANK", "3"}, {"RANK", "3"}, {"SIZE", "3"}});
  EXPECT_EQ(listed(same).view(), "RANK=3;SIZE=3;");
}

TEST(Environment, can_be_any_callable) {
  const std::string prefix = "MY_";
  const auto lambda = [&](std::string_view name) -> std::optional<std::string_view> {
    if (prefix + std::string(name) == "MY_RANK") return "5";
    return std::nullopt;
  };
  static_assert(rankmap::Environment<decltype(lambda)>);
  EXPECT_EQ(lambda("RANK"), std::optional<std::string_view>("5"));
}

}  // namespace
