// SPDX-License-Identifier: MIT
#include <rankmap/device/visibility.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace {

using rankmap::ParseStop;
using rankmap::Visibility;
using rankmap::VisibilityLayer;

constexpr VisibilityLayer layer(ParseStop stop, int count, std::size_t position,
                                std::size_t length) {
  VisibilityLayer result;
  result.variable = "CUDA_VISIBLE_DEVICES";
  result.set = true;
  result.state = Visibility::list;
  result.stop = stop;
  result.count = count;
  result.position = position;
  result.length = length;
  return result;
}

TEST(VisibilityLayer, is_read_whole_up_to_a_comma_after_the_last_entry) {
  static_assert(VisibilityLayer().read_whole());
  EXPECT_TRUE(layer(ParseStop::end, 2, 3, 3).read_whole());
  EXPECT_TRUE(layer(ParseStop::empty_entry, 2, 4, 4).read_whole());
  EXPECT_FALSE(layer(ParseStop::empty_entry, 2, 4, 6).read_whole());
  EXPECT_FALSE(layer(ParseStop::empty_entry, 0, 0, 0).read_whole());
  EXPECT_FALSE(layer(ParseStop::bad_entry, 2, 4, 4).read_whole());
}

TEST(VisibilityLayer, has_a_text_for_every_state) {
  constexpr std::string_view states[] = {"all devices", "all devices", "no device",
                                         "1 entry",     "rejected",    "unknown"};
  for (std::size_t i = 0; i != std::size(states); ++i) {
    VisibilityLayer shown = layer(ParseStop::end, 1, 0, 0);
    shown.state = static_cast<Visibility>(i);
    rankmap::StaticString<200> out;
    rankmap::detail::append_layer(out, shown);
    EXPECT_EQ(out.view().substr(23), states[i]);
  }
  EXPECT_EQ(static_cast<std::size_t>(Visibility::unknown) + 1, std::size(states));
}

TEST(ParseStop, has_a_text_for_every_reason) {
  constexpr std::string_view reasons[] = {"read to the end",
                                          "not an entry that this variable accepts",
                                          "an empty entry",
                                          "a device named twice",
                                          "not above the previous entry",
                                          "no device has this number",
                                          "no device has this name",
                                          "several devices have names that begin with this",
                                          "a process sees only one MIG instance",
                                          "more entries than devices",
                                          "longer than rankmap can store",
                                          "the meaning of an empty text is not documented",
                                          "needs ZE_FLAT_DEVICE_HIERARCHY to be read"};
  for (std::size_t i = 0; i != std::size(reasons); ++i) {
    EXPECT_EQ(rankmap::detail::stop_reason(static_cast<ParseStop>(i)), reasons[i]);
  }
  EXPECT_EQ(static_cast<std::size_t>(ParseStop::hierarchy_unknown) + 1, std::size(reasons));
}

}  // namespace
