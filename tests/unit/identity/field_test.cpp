// SPDX-License-Identifier: MIT
#include <rankmap/identity/field.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string_view>

namespace {

using rankmap::TopologyField;

static_assert(name(TopologyField::rank) == "rank");
static_assert(name(TopologyField::restart_count) == "restart_count");

TEST(TopologyField, names_are_distinct) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i != rankmap::field_count; ++i) {
    EXPECT_TRUE(names.insert(name(static_cast<TopologyField>(i))).second) << i;
  }
}

}  // namespace
