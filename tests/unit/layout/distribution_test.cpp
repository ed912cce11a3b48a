// SPDX-License-Identifier: MIT
#include <rankmap/layout/distribution.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace {

using rankmap::Distribution;
using rankmap::DistributionKind;
using rankmap::Errc;
using rankmap::message;

static_assert(Distribution() == Distribution::block);
static_assert(*Distribution::parse("cyclic") == Distribution::cyclic);
static_assert(*Distribution::parse("block:cyclic:fcyclic") == Distribution::block);
static_assert(*Distribution::parse("block,pack") == Distribution::block);
static_assert(*Distribution::parse("cyclic:block,nopack") == Distribution::cyclic);
static_assert(*Distribution::parse("arbitrary") == Distribution::arbitrary);
static_assert(*Distribution::parse("plane", "4") == Distribution::plane(4));
static_assert(*Distribution::parse("plane=2") == Distribution::plane(2));
static_assert(*Distribution::parse("plane=2147483647") == Distribution::plane(2147483647));
static_assert(*Distribution::parse("plane=2", "4") == Distribution::plane(2));
static_assert(*Distribution::parse("block:*:*") == Distribution::block);
static_assert(*Distribution::parse("cyclic", "nonsense") == Distribution::cyclic);

TEST(Distribution, rejects_what_slurm_does_not_write) {
  for (const std::string_view text :
       {"", "Block", "unknown", "blocks", "block:", "block:plane", "block:block:block:block",
        "block,", "block,tight", "block,pack,loose", "plane", "plane=", "plane=0", "plane=x",
        "plane=2147483648", " block", ":block", "*"}) {
    const auto distribution = Distribution::parse(text);
    ASSERT_FALSE(distribution) << text;
    EXPECT_EQ(distribution.error().code, Errc::bad_layout) << text;
  }
  EXPECT_EQ(message(Distribution::parse("plane", std::nullopt, "SLURM_DISTRIBUTION",
                                        "SLURM_DIST_PLANESIZE")
                        .error())
                .view(),
            "SLURM_DIST_PLANESIZE is not set: expected the plane size of distribution plane; set "
            "it; in the program, pass Config::distribution");
  EXPECT_EQ(Distribution::parse("block:cyclic:odd").error().position, 13);
  EXPECT_EQ(Distribution::parse("plane", "0", "a", "b").error().subject, "b");
}

TEST(Distribution, has_a_name_for_each_kind) {
  EXPECT_EQ(name(DistributionKind::block), "block");
  EXPECT_EQ(name(Distribution::cyclic.kind), "cyclic");
  EXPECT_EQ(name(Distribution::plane(2).kind), "plane");
  EXPECT_EQ(name(Distribution::arbitrary.kind), "arbitrary");
}

TEST(Distribution, names_what_was_expected_and_where) {
  struct Row {
    std::string_view text;
    std::string_view message;
  };
  const Row table[] = {
      {"unknown",
       "distribution=\"unknown\" at byte 0: expected block, cyclic, plane or arbitrary; unset it; "
       "in the program, pass Config::distribution"},
      {"block,tight",
       "distribution=\"block,tight\" at byte 6: expected pack or nopack after ','; unset it; in "
       "the program, pass Config::distribution"},
      {"block:block:block:block",
       "distribution=\"block:block:block:block\" at byte 18: expected up to two of block, cyclic "
       "and fcyclic after ':'; unset it; in the program, pass Config::distribution"},
      {"plane=0",
       "distribution=\"0\": expected a plane size in [1, 2147483648); unset it; in the program, "
       "pass Config::distribution"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(message(Distribution::parse(row.text).error()).view(), row.message);
  }
}

}  // namespace
