// SPDX-License-Identifier: MIT
#include <rankmap/layout/place.hpp>

#include <gtest/gtest.h>

namespace {

using rankmap::Place;

static_assert(Place() == Place{0, 0});

TEST(Place, differs_by_node_or_by_local_rank) {
  EXPECT_EQ((Place{2, 1}), (Place{2, 1}));
  EXPECT_NE((Place{2, 1}), (Place{1, 1}));
  EXPECT_NE((Place{2, 1}), (Place{2, 2}));
}

}  // namespace
