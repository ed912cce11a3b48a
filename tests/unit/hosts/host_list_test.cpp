// SPDX-License-Identifier: MIT
#include <rankmap/hosts/host_list.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::HostList;
using rankmap::HostListBuilder;
using rankmap::HostListLimits;
using rankmap::HostName;
using rankmap::message;

// What Slurm 22.05.8 prints for `scontrol show hostnames TEXT`, names joined by blanks. Red means
// that rankmap would put ranks on other hosts than Slurm does.
struct Expansion {
  std::string_view text;
  std::string_view names;
};
constexpr Expansion expansions[] = {
    {"", ""},
    {",,, \t\n", ""},
    {"node[1-3]", "node1 node2 node3"},
    {"node[08-12]", "node08 node09 node10 node11 node12"},
    {"n[009-010]", "n009 n010"},
    {"n[9-10]", "n9 n10"},
    {"n[098-102]", "n098 n099 n100 n101 n102"},
    {"node[8-012]", "node8 node9 node10 node11 node12"},
    {"n[0001-1]", "n0001"},
    {"n[007-7]", "n007"},
    {"n[7-07]", "n7"},
    {"n[00-00]", "n00"},
    {"10.0.0.[1-3]", "10.0.0.1 10.0.0.2 10.0.0.3"},
    {"[1-3]", "1 2 3"},
    {"rack[0-1]_b[0-1]", "rack0_b0 rack0_b1 rack1_b0 rack1_b1"},
    {"r[0-1]n[0-2]", "r0n0 r0n1 r0n2 r1n0 r1n1 r1n2"},
    {"n[1-2][3-4]", "n13 n14 n23 n24"},
    {"a[2,0-1]b[0-1]", "a2b0 a2b1 a0b0 a0b1 a1b0 a1b1"},
    // with three brackets the middle one is outermost
    {"a[0-1]b[0-1]c[0-1]", "a0b0c0 a0b0c1 a1b0c0 a1b0c1 a0b1c0 a0b1c1 a1b1c0 a1b1c1"},
    {"a[0-1]b[0-2]c[0-1]",
     "a0b0c0 a0b0c1 a1b0c0 a1b0c1 a0b1c0 a0b1c1 a1b1c0 a1b1c1 a0b2c0 a0b2c1 a1b2c0 a1b2c1"},
    {"a[0-1]b[0-1]c[0-1]d[0-1]",
     "a0b0c0d0 a0b0c0d1 a1b0c0d0 a1b0c0d1 a0b1c0d0 a0b1c0d1 a1b1c0d0 a1b1c0d1 "
     "a0b0c1d0 a0b0c1d1 a1b0c1d0 a1b0c1d1 a0b1c1d0 a0b1c1d1 a1b1c1d0 a1b1c1d1"},
    {"linux[1,2],linux[2,5],foo", "linux1 linux2 linux2 linux5 foo"},
    {"n[1-2,1]", "n1 n2 n1"},
    {"a,,b", "a b"},
    {",a", "a"},
    {"a,b  c", "a b c"},
    {"a b\tc\nd", "a b c d"},
    {"n[5-]", "n5"},
    {"n[5-,7]", "n5 n7"},
    {"n[5-]m[1-2]", "n5m1 n5m2"},
    {"a[1],[2]", "a1 2"},
    {"n1]", "n1]"},
    {"n(1)", "n(1)"},
    {"n[18446744073709551615]", "n18446744073709551615"},
    {"n[00000000000000000000000000000001-2]",
     "n00000000000000000000000000000001 n00000000000000000000000000000002"},
};
// The suffixes that Slurm reads from 23.02.5 on.
constexpr Expansion suffix_expansions[] = {
    {"n[1-2]-ib", "n1-ib n2-ib"},
    {"a[0-1]x,b", "a0x a1x b"},
    {"a[0-1]b[2]c.local", "a0b2c.local a1b2c.local"},
    {"a[0-1]b[0-1]c[0-1]d", "a0b0c0d a0b0c1d a1b0c0d a1b0c1d a0b1c0d a0b1c1d a1b1c0d a1b1c1d"},
};

constexpr bool expands_to(const HostList& list, std::string_view names) {
  std::size_t index = 0;
  while (!names.empty()) {
    std::size_t end = 0;
    while (end != names.size() && names[end] != ' ') ++end;
    const std::string_view name = names.substr(0, end);
    if (index >= list.size() || list[index] != name) return false;
    const auto found = list.find(name);
    if (!found || *found > index || list[*found] != name) return false;
    ++index;
    names.remove_prefix(end == names.size() ? end : end + 1);
  }
  return index == list.size();
}
template <std::size_t Count>
constexpr bool all_expand(const Expansion (&table)[Count]) {
  for (const Expansion& row : table) {
    const auto list = HostList::parse(row.text);
    if (!list || !expands_to(*list, row.names)) return false;
  }
  return true;
}
static_assert(all_expand(expansions));
static_assert(all_expand(suffix_expansions));

// The list of a temporary result is kept by the loop; iterators of a temporary do not compile.
template <class List>
concept CanBegin = requires(List&& list) {
  static_cast<List&&>(list).begin();
};
static_assert(CanBegin<rankmap::HostList&> && CanBegin<const rankmap::HostList&> &&
              !CanBegin<rankmap::HostList>);

// A copy may run out of memory; a move cannot.
static_assert(!std::is_nothrow_copy_assignable_v<rankmap::HostList>);
static_assert(std::is_nothrow_move_assignable_v<rankmap::HostList>);

TEST(HostList, is_read_from_a_temporary_result) {
  std::string names;
  for (const auto& host : rankmap::HostList::parse("node[08-11]-with-a-long-name").value()) {
    names += std::string(host.view()) + ' ';
  }
  EXPECT_EQ(names,
            "node08-with-a-long-name node09-with-a-long-name node10-with-a-long-name "
            "node11-with-a-long-name ");
}

TEST(HostList, has_a_text_that_prints) {
  std::ostringstream out;
  out << HostList::parse("n1,n2")->str() << ';' << HostList().str();
  EXPECT_EQ(out.str(), "n[1-2];");
}

TEST(HostList, expands_as_slurm_does) {
  for (const Expansion& row : expansions) {
    const auto list = HostList::parse(row.text);
    ASSERT_TRUE(list) << row.text;
    EXPECT_TRUE(expands_to(*list, row.names)) << row.text;
  }
}

TEST(HostList, expands_suffixes_as_newer_slurm_does) {
  for (const Expansion& row : suffix_expansions) {
    const auto list = HostList::parse(row.text);
    ASSERT_TRUE(list) << row.text;
    EXPECT_TRUE(expands_to(*list, row.names)) << row.text;
  }
}

// ---- errors ----

struct Malformed {
  std::string_view text;
  Errc code;
  std::int64_t position;
};
constexpr Malformed malformed[] = {
    {"n[1-3", Errc::bad_host_list, 5},
    {"n[1", Errc::bad_host_list, 3},
    {"n[1-", Errc::bad_host_list, 4},
    {"n[", Errc::bad_host_list, 2},
    {"n[1-2],n[3", Errc::bad_host_list, 10},
    {"n[3-1]", Errc::bad_host_list, 2},
    {"n[--1]", Errc::bad_host_list, 2},
    {"n[-1]", Errc::bad_host_list, 2},
    {"n[]", Errc::bad_host_list, 2},
    {"n[1,,2]", Errc::bad_host_list, 4},
    {"n[,1]", Errc::bad_host_list, 2},
    {"n[1,]", Errc::bad_host_list, 4},
    {"n[0x1-2]", Errc::bad_host_list, 3},
    {"n[1x2]", Errc::bad_host_list, 3},
    {"n[0-3:2]", Errc::bad_host_list, 5},
    {"n[1-2-3]", Errc::bad_host_list, 5},
    {"n[[1-2]]", Errc::bad_host_list, 2},
    {"n[1[2]]", Errc::bad_host_list, 3},
    {"n[1-2]]", Errc::bad_host_list, 6},
    {"n]1[2]", Errc::bad_host_list, 1},
    {"n[ 1-2]", Errc::bad_host_list, 2},
    {"n[1 ]", Errc::bad_host_list, 3},
    {"n[1- 2]", Errc::bad_host_list, 4},
    {"n[+1-2]", Errc::bad_host_list, 2},
    {"n[a-b]", Errc::bad_host_list, 2},
    {"a\x01", Errc::bad_host_list, 1},
    {"a\rb", Errc::bad_host_list, 1},
    {"b,a\x7f", Errc::bad_host_list, 3},
    {std::string_view("a\0b", 3), Errc::bad_host_list, 1},
    {"n[18446744073709551616]", Errc::bad_host_list, 2},
    {"n[1-99999999999999999999]", Errc::bad_host_list, 4},
    {"n[0-9999999999]", Errc::limit_exceeded, 2},
    {"n[0-18446744073709551615]", Errc::limit_exceeded, 2},
    {"n[1-600000,1-600000]", Errc::limit_exceeded, 11},
    {"n[1-600000],m[1-600000]", Errc::limit_exceeded, 12},
    {"[0-9999][0-9999][0-9999]", Errc::limit_exceeded, 8},
    {"a[0-999999]b[0-999999]c[0-999999]d[0-999999]", Errc::limit_exceeded, 12},
};
constexpr bool all_malformed_fail() {
  for (const Malformed& row : malformed) {
    const auto list = HostList::parse(row.text);
    if (list || list.error().code != row.code || list.error().position != row.position) {
      return false;
    }
  }
  return true;
}
static_assert(all_malformed_fail());

TEST(HostList, errors_have_the_byte_of_the_fault) {
  for (const Malformed& row : malformed) {
    const auto list = HostList::parse(row.text, {}, "SLURM_STEP_NODELIST");
    ASSERT_FALSE(list) << row.text;
    EXPECT_EQ(list.error().code, row.code) << row.text;
    EXPECT_EQ(list.error().position, row.position) << row.text;
    EXPECT_EQ(list.error().subject, "SLURM_STEP_NODELIST");
  }
  EXPECT_EQ(message(HostList::parse("n[1-3").error()).view(),
            "host list=\"n[1-3\" at byte 5: expected ']' after the ranges; write a list such as "
            "node[01-12,15],login1");
  EXPECT_EQ(message(HostList::parse("n[0-9999999999]").error()).view(),
            "host list=\"n[0-9999999999]\" at byte 2: expected at most 1000000 hosts in all; raise "
            "HostListLimits::max_hosts if the list is right");
}

TEST(HostList, keeps_to_its_limits) {
  const HostListLimits three{3, 255};
  EXPECT_TRUE(HostList::parse("n[1-3]", three));
  EXPECT_TRUE(HostList::parse("a,b,c", three));
  EXPECT_EQ(HostList::parse("n[1-4]", three).error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse("a,b,c,d", three).error().position, 6);
  EXPECT_EQ(HostList::parse("a[1-2]b[1-2]", three).error().position, 7);
  EXPECT_EQ(HostList::parse("a", HostListLimits{0, 255}).error().code, Errc::limit_exceeded);
  EXPECT_TRUE(HostList::parse("", HostListLimits{0, 255}));
  const HostListLimits short_names{1000, 4};
  EXPECT_TRUE(HostList::parse("n[1-999]", short_names));
  EXPECT_EQ(HostList::parse("n[1-1000]", HostListLimits{5000, 4}).error().code,
            Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse("ab,abcde", short_names).error().position, 3);
  // a million by default, and more on demand
  EXPECT_EQ(HostList::parse("n[000001-1000000]")->size(), 1'000'000U);
  EXPECT_FALSE(HostList::parse("n[0000000-1000000]"));
  const auto all = HostList::parse("n[0-4294967295]m[0-3]", HostListLimits{std::size_t{1} << 40U});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), std::size_t{1} << 34U);
  EXPECT_EQ((*all)[(std::size_t{1} << 34U) - 1], "n4294967295m3");
  EXPECT_EQ(*all->find("n4294967295m0"), (std::size_t{1} << 34U) - 4);
}

constexpr bool finds_the_longest_name_of_a_product() {
  char text[263] = {'a', '[', '1', '-', '2', ']'};
  char name[255] = {'a', '2'};
  for (std::size_t i = 0; i != 252; ++i) text[6 + i] = name[2 + i] = 'x';
  for (std::size_t i = 0; i != 5; ++i) text[258 + i] = "[3-4]"[i];
  name[254] = '3';
  const auto list = HostList::parse({text, sizeof text});
  return list && list->find({name, sizeof name}) == 2U;
}

TEST(HostList, holds_names_of_255_bytes_and_no_more) {
  const std::string longest(255, 'x');
  ASSERT_TRUE(HostList::parse(longest));
  EXPECT_EQ((*HostList::parse(longest))[0], longest);
  EXPECT_EQ(HostList::parse("a[1-2]" + std::string(252, 'x') + "[3-4]")
                ->find("a2" + std::string(252, 'x') + "3"),
            2U);
  static_assert(finds_the_longest_name_of_a_product());
  EXPECT_EQ(HostList::parse(longest + "y").error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse(longest + "y", HostListLimits{10, 1000}).error().code,
            Errc::limit_exceeded);
  EXPECT_TRUE(HostList::parse(std::string(252, 'x') + "[1-999]"));
  EXPECT_FALSE(HostList::parse(std::string(252, 'x') + "[1-1000]"));
  EXPECT_TRUE(HostList::parse("[" + std::string(254, '0') + "1]"));
  EXPECT_FALSE(HostList::parse("[" + std::string(255, '0') + "1]"));
}

TEST(HostList, reads_ten_hostile_megabytes_in_linear_time) {
  constexpr std::size_t size = 10'000'000;
  std::string commas;
  while (commas.size() < size) commas += "a,";
  const HostListLimits many{size, 255};
  EXPECT_EQ(HostList::parse(std::string(size, '[')).error().position, 1);
  EXPECT_EQ(HostList::parse(commas).error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse(commas, many)->size(), size / 2);
  EXPECT_EQ(HostList::parse(commas, many)->str(), commas.substr(0, size - 1));
  EXPECT_EQ(HostList::parse(std::string(size, ','))->size(), 0U);
  EXPECT_EQ(HostList::parse(std::string(size, 'a')).error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse("[" + std::string(size, '1') + "]").error().code, Errc::bad_host_list);
  EXPECT_EQ(HostList::parse("n[" + std::string(size, '0') + "]").error().code,
            Errc::limit_exceeded);
  std::string ones = "n[1";
  while (ones.size() < size) ones += ",1";
  EXPECT_EQ(HostList::parse(ones + "]").error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::parse(ones).error().code, Errc::limit_exceeded);
  ones.resize(2'000'001);
  const auto list = HostList::parse(ones + "]", many);
  ASSERT_TRUE(list);
  EXPECT_EQ((*list)[list->size() - 1], "n1");
  std::size_t hosts = 0;
  for (const HostName& host : *list) hosts += host == "n1" ? 1U : 0U;
  EXPECT_EQ(hosts, list->size());
  std::string brackets;
  while (brackets.size() < size) brackets += "[1]";
  EXPECT_EQ(HostList::parse(brackets).error().code, Errc::limit_exceeded);  // the name's length
}

// ---- queries ----

// 120 KB before the last bracket. Red as a test that takes minutes: they are read for every host.
TEST(HostList, reads_the_text_before_the_last_bracket_once) {
  const auto product = [](int firsts, int lasts) {
    std::string first;
    for (int i = 0; i != firsts; ++i)
      first += (i == 0 ? "" : ",") + std::string(116, '0') + std::to_string(1000 + 2 * i);
    std::string last;
    for (int i = 0; i != lasts; ++i) last += (i == 0 ? "" : ",") + std::to_string(2 * i);
    return HostList::parse("a[" + first + "]b[" + last + "]-x");
  };
  const auto list = product(1000, 200);
  std::size_t i = 0;
  const std::string zeros = "a" + std::string(116, '0');
  for (const HostName& host : *list) {
    ASSERT_EQ(host, zeros + std::to_string(1000 + 2 * (i / 200)) + "b" +
                        std::to_string(2 * (i % 200)) + "-x");
    ++i;
  }
  EXPECT_EQ(i, 200'000U);
  const auto short_list = product(100, 50);  // folding 200,000 names takes long without optimising
  EXPECT_EQ(*short_list, *HostList::from_names(*short_list));
}

// Brackets of many ranges before the last one. Red as a test that takes minutes: each turn of the
// last bracket reads all of them.
TEST(HostList, reads_on_in_the_brackets_before_the_last_one) {
  const auto numbers = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i != count; ++i) text += (i == 0 ? "[" : ",") + std::to_string(i);
    return text + "]";
  };
  for (const unsigned count : {40'000U, 60'000U}) {
    const auto list = HostList::parse(numbers(count) + "[0]");
    ASSERT_TRUE(list);
    std::size_t i = 0;
    for (const HostName& host : *list) ASSERT_EQ(host, std::to_string(i++) + "0");
    EXPECT_EQ(i, count);
  }
  // a long one behind short ones, and behind another long one; five of them, of which four are kept
  const auto walk = [](const HostList& list, const auto& name) {
    std::size_t i = 0;
    for (const HostName& host : list) {
      if (host != name(i)) return i;
      ++i;
    }
    return i;
  };
  const auto behind =
      *HostList::parse("a[0-1]b[" + std::string(60, '0') + "1]c" + numbers(40'000) + "d[7]");
  EXPECT_EQ(walk(behind,
                 [](std::size_t i) {
                   return "a" + std::to_string(i % 2) + "b" + std::string(60, '0') + "1c" +
                          std::to_string(i / 2) + "d7";
                 }),
            80'000U);
  const auto two = *HostList::parse("a" + numbers(300) + "b" + numbers(500) + "[3,5]x");
  EXPECT_EQ(walk(two,
                 [](std::size_t i) {
                   return "a" + std::to_string(i / 2 % 300) + "b" + std::to_string(i / 600) +
                          (i % 2 == 0 ? "3x" : "5x");
                 }),
            300'000U);
  const std::string wide = numbers(17);
  const auto five =
      *HostList::parse("a" + wide + wide + wide + wide + wide + "[2],b[1]c" + wide + "[5]",
                       HostListLimits{2'000'000, 255});
  const auto digits = [](std::size_t i) {
    if (i >= 1'419'857U) return "b1c" + std::to_string(i - 1'419'857U) + "5";
    std::string out = "a";
    for (int k = 0; k != 5; ++k, i /= 17) out += std::to_string(i % 17);
    return out + "2";
  };
  for (std::size_t i = 0; i < five.size(); i += 1'001) ASSERT_EQ(five[i], digits(i));
  auto at = five.begin();  // to and fro
  for (const unsigned i : {1'419'800U, 5'000U, 5'001U, 4'990U, 0U, 1'419'860U, 289U}) {
    at += static_cast<std::ptrdiff_t>(i) - (at - five.begin());
    EXPECT_EQ(*at, digits(i));
  }
}

TEST(HostList, finds_and_indexes_a_million_hosts_unexpanded) {
  constexpr auto list = *HostList::parse("login,n[000001-0999998],r[0]n[0]");
  static_assert(list.size() == 1'000'000);
  static_assert(list.bytes() == sizeof(HostList));
  static_assert(list[999'998] == "n999998" && list[1] == "n000001");
  static_assert(list.find("n999998") == 999'998U);
  static_assert(!list.find("n0999998") && !list.find("n000000") && !list.find("n1"));
  static_assert(list.find("r0n0") == 999'999U);
  static_assert(list.contains("login") && !list.contains("logi") && !list.contains("login1"));
  std::size_t index = 0;
  for (const HostName& host : list) {
    if (index % 9973 == 0) {
      ASSERT_EQ(list[index], host);
      ASSERT_EQ(list.find(host), index);
    }
    ++index;
  }
  EXPECT_EQ(index, list.size());
}

TEST(HostList, reads_no_range_in_a_plain_name) {
  static_assert((*HostList::parse("1-0"))[0] == "1-0");
  static_assert((*HostList::parse("2-1,1-0"))[1] == "1-0");
  const auto list = HostList::parse("1-0,9-8,n[2-3]").value();
  EXPECT_EQ(list.find("9-8"), 1U);
  EXPECT_EQ(list[0], "1-0");
  EXPECT_EQ(list[3], "n3");
}

TEST(HostList, finds_no_name_that_only_begins_like_a_host) {
  const auto list = HostList::parse("rack[1-2]n[1-2]-ib,long[1-2]-ib,x").value();
  for (const std::string_view name :
       {"", "r", "rack", "rack1", "rack1n", "rack1n1", "rack1n1-i", "rack1n1-ibx", "rack1m1-ib",
        "rack3n1-ib", "long", "long1", "long-ib", "long1-i", "longx-ib", "long1-ic", "lon1-ib"}) {
    EXPECT_EQ(list.find(name), std::nullopt) << name;
  }
  EXPECT_EQ(list.find(std::string(300, '1')), std::nullopt);
  EXPECT_EQ(list.find("rack" + std::string(300, '1')), std::nullopt);
  EXPECT_EQ(list.find("rack2n1-ib"), 2U);
  EXPECT_EQ(list.find("long2-ib"), 5U);
}

TEST(HostList, finds_the_first_of_several_readings) {
  // n111 is 1,11 and 11,1; n1111 is 11,11 alone
  constexpr auto list = *HostList::parse("n[1,11][1,11]");
  static_assert(list[1] == "n111" && list[2] == "n111");
  static_assert(list.find("n111") == 1U && list.find("n11") == 0U && list.find("n1111") == 3U);
  static_assert(!list.find("n1") && !list.find("n11111") && !list.find("n") && !list.find(""));
  constexpr auto repeated = *HostList::parse("a,n[1-2,1],a");
  static_assert(repeated.find("n1") == 1U && repeated.find("a") == 0U);
}

TEST(HostList, finds_what_a_scan_of_all_names_finds) {
  std::mt19937 random(11);
  for (int round = 0; round != 2000; ++round) {
    std::string text;
    const auto pick = [&random](std::string_view from) { return from[random() % from.size()]; };
    for (std::size_t pieces = 1 + random() % 4; pieces != 0; --pieces) {
      if (random() % 3 == 0) {
        text += pick("n1");
      } else {
        text += '[';
        for (std::size_t ranges = 1 + random() % 3; ranges != 0; --ranges) {
          const auto low = random() % 12;
          text += (random() % 3 == 0 ? "0" : "") + std::to_string(low);
          if (random() % 2 == 0) text += "-" + std::to_string(low + random() % 3);
          if (ranges != 1) text += ',';
        }
        text += ']';
      }
    }
    const auto list = HostList::parse(text);
    ASSERT_TRUE(list) << text;
    std::vector<std::string> names;
    for (const HostName& host : *list) names.emplace_back(host.view());
    ASSERT_EQ(names.size(), list->size());
    for (std::size_t i = 0; i != names.size(); ++i) {
      ASSERT_EQ((*list)[i], names[i]) << text;
      std::size_t first = 0;
      while (names[first] != names[i]) ++first;
      ASSERT_EQ(list->find(names[i]), first) << text << ' ' << names[i];
      std::string other = names[i];
      other[random() % other.size()] = pick("n012");
      bool there = false;
      for (const std::string& name : names) there = there || name == other;
      ASSERT_EQ(list->contains(other), there) << text << ' ' << other;
    }
  }
}

TEST(HostList, iterates_in_every_direction) {
  static_assert(std::random_access_iterator<HostList::iterator>);
  const auto list = HostList::parse("x,a[1-2]b[1,3-4],y,n[5,7]-ib").value();
  std::vector<std::string> names;
  for (std::size_t i = 0; i != list.size(); ++i) names.emplace_back(list[i].view());
  EXPECT_EQ(std::vector<std::string>(list.begin(), list.end()), names);
  const auto size = static_cast<std::ptrdiff_t>(list.size());
  EXPECT_EQ(list.end() - list.begin(), size);
  for (std::ptrdiff_t from = 0; from <= size; ++from) {
    for (std::ptrdiff_t to = 0; to != size; ++to) {
      HostList::iterator it = list.begin() + from;
      it += to - from;
      ASSERT_EQ(*it, names[static_cast<std::size_t>(to)]);
      ASSERT_EQ((list.begin() + from)[to - from], names[static_cast<std::size_t>(to)]);
      ASSERT_EQ(*(to + list.begin()), names[static_cast<std::size_t>(to)]);
    }
  }
  HostList::iterator it = list.end();
  for (std::size_t i = names.size(); i-- != 0;) ASSERT_EQ(*--it, names[i]);
  EXPECT_EQ(it, list.begin());
  EXPECT_LT(it, list.end());
  const HostList none;
  EXPECT_EQ(none.begin(), none.end());
}

TEST(HostList, owns_its_text) {
  std::string text = "node[001-128],a-name-that-is-long-enough-to-need-memory-of-its-own-somewhere";
  HostList list = *HostList::parse(text);
  text.assign(text.size(), '#');
  const HostList copy = list;
  const HostList moved = std::move(list);
  EXPECT_EQ(moved, copy);
  EXPECT_EQ(copy[127], "node128");
  EXPECT_GT(copy.bytes(), sizeof(HostList));
  list = *HostList::parse("a");
  EXPECT_EQ(list[0], "a");
  list = copy;
  EXPECT_EQ(list, copy);
  EXPECT_EQ(HostList::parse("n[1-64]")->bytes(), sizeof(HostList));
}

constexpr bool leaves_no_host_behind(std::string_view text) {
  HostList list = *HostList::parse(text);
  const HostList same = list;
  HostList& self = list;
  list = static_cast<HostList&&>(self);
  if (list != same) return false;
  HostList taken = static_cast<HostList&&>(list);
  if (taken != same || list.size() != 0 || !list.empty() || list != HostList()) return false;
  list = static_cast<HostList&&>(taken);
  return list == same && taken.size() == 0 && taken.begin() == taken.end() && taken.str().empty() &&
         !taken.find("n1");
}

TEST(HostList, is_empty_after_a_move) {
  static_assert(std::is_nothrow_move_constructible_v<HostList> &&
                std::is_nothrow_move_assignable_v<HostList>);
  static_assert(leaves_no_host_behind("n[1-3]"));
  EXPECT_TRUE(
      leaves_no_host_behind("n[1-3],a-name-that-is-long-enough-to-need-memory-of-its-own-ww"));
}

TEST(HostList, compares_hosts_however_they_are_written) {
  EXPECT_EQ(*HostList::parse("n1,n2,n3"), *HostList::parse(" n[1-2] n3 "));
  EXPECT_EQ(*HostList::parse("r[0-1]n[0-1]"), *HostList::parse("r0n[0-1],r1n[0-1]"));
  EXPECT_NE(*HostList::parse("n1,n2"), *HostList::parse("n2,n1"));
  EXPECT_NE(*HostList::parse("n1"), *HostList::parse("n1,n1"));
  EXPECT_NE(*HostList::parse("n1"), *HostList::parse("n01"));
}

// ---- folding ----

constexpr Expansion foldings[] = {
    // as `scontrol show hostlist` prints them
    {"n[1-3,10]", "n1 n2 n3 n10"},
    {"n[001-002,010,3]", "n001 n002 n010 n3"},
    {"n[3,1-2]", "n3 n1 n2"},
    {"n[1,1-2]", "n1 n1 n2"},
    {"n[9-11]", "n9 n10 n11"},
    {"n[09-11]", "n09 n10 n11"},
    {"n[009,10]", "n009 n10"},
    {"n[99-100,099,0100]", "n99 n100 n099 n0100"},
    {"a1b[1-2],a2b1", "a1b1 a1b2 a2b1"},
    {"[5-7]", "5 6 7"},
    {"a-[1-4]", "a-1 a-2 a-3 a-4"},
    {"x,y,x", "x y x"},
    {"n18446744073709551615", "n18446744073709551615"},
    {"n[18446744073709551615,00000000000000000000]", "n18446744073709551615 n00000000000000000000"},
    // with suffixes
    {"n[1-3]-ib", "n1-ib n2-ib n3-ib"},
    {"n[1-2]-ib,n[3-4]", "n1-ib n2-ib n3 n4"},
    {"ip-10-0-0-[1-2].ec2.internal", "ip-10-0-0-1.ec2.internal ip-10-0-0-2.ec2.internal"},
    {"gpu.node[1-2].local", "gpu.node1.local gpu.node2.local"},
    {"node[01-02].c2.local", "node01.c2.local node02.c2.local"},
    {"n1.c[1-2]", "n1.c1 n1.c2"},
    // what no bracket can hold
    {"n18446744073709551616,n18446744073709551617", "n18446744073709551616 n18446744073709551617"},
    {"n1],n2]", "n1] n2]"},
    {"", ""},
};
constexpr bool all_fold() {
  for (const Expansion& row : foldings) {
    HostListBuilder builder;
    std::string_view rest = row.names;
    while (!rest.empty()) {
      std::size_t end = 0;
      while (end != rest.size() && rest[end] != ' ') ++end;
      builder.add(rest.substr(0, end));
      rest.remove_prefix(end == rest.size() ? end : end + 1);
    }
    const auto list = builder.finish();
    if (!list || list->text() != row.text || list->str() != row.text) return false;
    if (!expands_to(*list, row.names)) return false;
    const auto read = HostList::parse(row.text);
    if (!read || read->size() != list->size() || read->str() != row.text) return false;
  }
  return true;
}
static_assert(all_fold());

TEST(HostList, folds_as_slurm_does) { EXPECT_TRUE(all_fold()); }

TEST(HostList, folds_to_text_that_parses_to_the_same_list) {
  std::mt19937 random(5);
  for (int round = 0; round != 3000; ++round) {
    std::vector<std::string> names(random() % 12);
    for (std::string& name : names) {
      constexpr std::string_view alphabet = "ab0019.-]";
      for (std::size_t length = 1 + random() % 5; length != 0; --length) {
        name += alphabet[random() % alphabet.size()];
      }
    }
    if (round % 2 == 0 && !names.empty()) {  // neighbours
      const auto first = random() % 120;
      for (std::size_t i = 0; i != names.size(); ++i) names[i] = "n" + std::to_string(first + i);
    }
    const auto list = HostList::from_names(names);
    ASSERT_TRUE(list);
    const auto read = HostList::parse(list->str());
    ASSERT_TRUE(read) << list->str().view();
    ASSERT_EQ(read->size(), names.size());
    std::size_t i = 0;
    for (const HostName& host : *read) ASSERT_EQ(host, names[i++]) << list->str().view();
    ASSERT_EQ(read->str(), list->str());
    ASSERT_EQ(*read, *list);
  }
}

TEST(HostList, folds_ranges_as_it_folds_names) {
  for (const std::string_view text :
       {"n[1-3]5", "rack[0-1][00-41]", "n[1-9,10-99,100]", "n[08-09,10-12]", "n[8-9],n[010-011]",
        "a[0-1]b[0-1]c[0-1]", "n[1-2]-ib[3-4]", "n[1-2].c[3-4].x", "[1-3],[4-5]", "n[5-,6-7]"}) {
    const auto list = HostList::parse(text);
    ASSERT_TRUE(list) << text;
    EXPECT_EQ(HostList::from_names(*list)->str(), list->str()) << text;
  }
}

TEST(HostList, folds_a_hundred_thousand_names) {
  std::vector<std::string> ordered;
  std::vector<std::string> mixed;
  for (int i = 0; i != 100'000; ++i) {
    ordered.push_back("node" + std::to_string(100'000 + i));
    mixed.push_back("rack" + std::to_string(i * 7919 % 1000) + "-n" + std::to_string(i % 17));
  }
  EXPECT_EQ(HostList::from_names(ordered)->str(), "node[100000-199999]");
  const auto list = HostList::from_names(mixed);
  ASSERT_TRUE(list);
  std::size_t i = 0;
  for (const HostName& host : *list) ASSERT_EQ(host, mixed[i++]);
}

TEST(HostList, rejects_names_that_a_list_cannot_hold) {
  for (const std::string_view name : {"", "a,b", "a b", "n[1]", "a\n", "a\x1f"}) {
    const std::string_view names[] = {"good", name, "later"};
    const auto list = HostList::from_names(names, {}, "host of rank 1");
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().code, Errc::bad_host_list);
    EXPECT_EQ(list.error().subject, "host of rank 1");
  }
  const std::string_view two[] = {"a", "b"};
  EXPECT_EQ(HostList::from_names(two, HostListLimits{1, 255}).error().code, Errc::limit_exceeded);
  EXPECT_EQ(HostList::from_names(two, HostListLimits{2, 0}).error().code, Errc::limit_exceeded);
  // no limit holds more than a name has room for
  const std::string longest(255, 'x');
  EXPECT_TRUE(HostListBuilder({10, 1000}).add(longest).finish());
  EXPECT_EQ(
      message(HostListBuilder({10, 1000}).add(longest + "y").finish().error()).view(),
      "host name=\"" + std::string(64, 'x') +
          "... (256 bytes)\" at byte 0: expected host names of at most 255 bytes; shorten the "
          "name that starts there");
  HostListBuilder builder;
  EXPECT_EQ(builder.add("n1").add("n2").finish()->str(), "n[1-2]");
  EXPECT_EQ(builder.add("m1").finish()->str(), "m1");  // it starts over
  EXPECT_FALSE(builder.add("n1").add("a b").add("n2").finish());
  EXPECT_EQ(builder.finish()->size(), 0U);
  EXPECT_EQ(builder.add("n7").finish()->str(), "n7");  // after an error, too
}

}  // namespace
