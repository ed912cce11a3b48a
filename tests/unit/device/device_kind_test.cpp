// SPDX-License-Identifier: MIT
#include <rankmap/device/device_kind.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using rankmap::device_kind;
using rankmap::DeviceKind;

constexpr bool every_name_leads_back() {
  for (int i = 0; i <= static_cast<int>(DeviceKind::tpu); ++i) {
    const auto kind = static_cast<DeviceKind>(i);
    if (device_kind(rankmap::name(kind)) != kind) return false;
  }
  return true;
}
static_assert(every_name_leads_back());

TEST(DeviceKind, has_a_row_for_every_kind) {
  EXPECT_TRUE(every_name_leads_back());
  EXPECT_EQ(std::size(rankmap::detail::device_kinds),
            std::size_t{1} + static_cast<std::size_t>(DeviceKind::tpu));
}

TEST(DeviceKind, has_the_names_that_torch_uses) {
  EXPECT_EQ(rankmap::torch_name(DeviceKind::cuda), "cuda");
  EXPECT_EQ(rankmap::torch_name(DeviceKind::rocm), "cuda");
  EXPECT_EQ(rankmap::torch_name(DeviceKind::npu), "npu");
  EXPECT_EQ(rankmap::torch_name(DeviceKind::tpu), "xla");
}

TEST(DeviceKind, rejects_any_other_text) {
  for (const char* text : {"", "CUDA", "cuda ", "gpu", "cuda:0"}) {
    EXPECT_EQ(device_kind(text), std::nullopt) << text;
  }
  EXPECT_EQ(device_kind(std::string(1'000'000, 'c')), std::nullopt);
}

TEST(DeviceKind, is_named_cpu_for_a_number_that_is_no_kind) {
  EXPECT_EQ(rankmap::name(static_cast<DeviceKind>(200)), "cpu");
}

}  // namespace
