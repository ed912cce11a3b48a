// SPDX-License-Identifier: MIT
#include "support/list.hpp"

#include <rankmap/sampler/strided_indices.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <ranges>

namespace {

using rankmap::StridedIndices;
using rankmap_test::List;
using rankmap_test::list;

// Without arguments: none.
static_assert(StridedIndices().empty() && StridedIndices().real_size() == 0);
static_assert(std::ranges::random_access_range<StridedIndices>);
static_assert(std::ranges::sized_range<StridedIndices>);

constexpr bool it_steps_back(StridedIndices::iterator from, StridedIndices::iterator to) {
  return (from -= 1) == to;
}
constexpr bool order_of_iterators_holds() {
  const StridedIndices indices(0, 2, 3, 10);
  const auto first = indices.begin();
  const auto same = first;
  const auto second = first + 1;
  return first < second && !(second < first) && !(first < same) && second > first &&
         !(first > second) && !(first > same) && first <= second && first <= same &&
         it_steps_back(second, first) && !(second <= first) && second >= first && first >= same &&
         !(first >= second);
}
static_assert(order_of_iterators_holds());

TEST(StridedIndices, slices_stay_inside) {
  const StridedIndices indices(10, 1, 3, 4);
  EXPECT_EQ(list(indices.slice(1, 2)), (List{4, 7}));
  EXPECT_EQ(list(indices.slice(3, 9)), (List{0}));
  EXPECT_TRUE(indices.slice(4, 1).empty());
  EXPECT_TRUE(indices.slice(UINT64_MAX, UINT64_MAX).empty());
  EXPECT_EQ(list(indices.slice(0, UINT64_MAX)), list(indices));
  EXPECT_TRUE(StridedIndices().empty());
}

/// Against the definition, one index after another, in every small progression.
TEST(StridedIndices, wrap_at_the_end_of_the_data_set) {
  for (std::uint64_t size = 1; size != 9; ++size) {
    for (std::uint64_t first = 0; first != 12; ++first) {
      for (std::uint64_t stride = 1; stride != 6; ++stride) {
        const StridedIndices indices(size, first, stride, 7);
        EXPECT_EQ(indices.first(), first);
        EXPECT_EQ(indices.stride(), stride);
        std::uint64_t real = 0;
        for (std::uint64_t k = 0; k != 7; ++k) {
          const std::uint64_t unwrapped = first + k * stride;
          EXPECT_EQ(indices[k], unwrapped % size);
          EXPECT_EQ(indices.is_padding(k), unwrapped >= size);
          real += unwrapped < size;
        }
        EXPECT_EQ(indices.real_size(), real) << size << ", " << first << ", " << stride;
      }
    }
  }
}

}  // namespace
