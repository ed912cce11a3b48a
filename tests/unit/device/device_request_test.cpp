// SPDX-License-Identifier: MIT
#include <rankmap/device/device_request.hpp>
#include <rankmap/environment/map_environment.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <type_traits>

namespace {

using rankmap::Device;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::FixedEnvironment;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::Result;
using rankmap::visible_devices;
using rankmap::VisibleIndex;

static_assert(std::is_trivially_copyable_v<Device>);
static_assert(std::is_trivially_copyable_v<DeviceRequest>);

// ---- The request

struct Process {
  int local = 0;
  std::optional<int> size;
  bool distributed = true;
  constexpr int local_rank() const { return local; }
  constexpr std::optional<int> local_world_size() const { return size; }
  constexpr bool is_distributed() const { return distributed; }
};
static_assert(rankmap::LocalProcess<Process> && !rankmap::LocalProcess<int>);

// A request refers to the visible devices: temporary ones do not compile.
template <class Visible>
concept MakesRequest = requires(Visible&& visible, const rankmap::MapEnvironment& env) {
  device_request(Process(), DeviceKind::cuda, 2, env, static_cast<Visible&&>(visible));
};
static_assert(MakesRequest<rankmap::VisibleDevices&> &&
              MakesRequest<const rankmap::VisibleDevices&>);
static_assert(!MakesRequest<rankmap::VisibleDevices> &&
              !MakesRequest<const rankmap::VisibleDevices>);

TEST(DeviceRequest, is_filled_from_a_place_and_its_environment) {
  constexpr FixedEnvironment env({{"CUDA_VISIBLE_DEVICES", "4,5"}});
  constexpr auto visible = visible_devices(DeviceKind::cuda, env);
  const auto request = device_request(Process{1, 2, true}, DeviceKind::cuda, 2, env, visible);
  EXPECT_EQ(request.local_rank, LocalRank(1));
  EXPECT_EQ(request.local_world_size, 2);
  EXPECT_EQ(request.visible_count, 2);
  EXPECT_EQ(request.isolation.isolation, Isolation::unknown);
  EXPECT_EQ(request.visible, &visible);
  EXPECT_TRUE(request.launched);
}

TEST(DeviceRequest, puts_a_process_without_launcher_first_and_alone) {
  DeviceRequest request;
  request.local_rank = LocalRank(-1);
  EXPECT_EQ(request.local_size(), std::nullopt);
  EXPECT_EQ(request.local_index(), -1);
  request.launched = false;
  EXPECT_EQ(request.local_size(), 1);
  EXPECT_EQ(request.local_index(), 0);
}

TEST(DeviceRequest, is_launched_if_local_rank_is_set_to_a_rank) {
  const auto launched = [](std::string_view local_rank, bool set) {
    const auto env = [&](std::string_view name) -> std::optional<std::string_view> {
      if (set && name == "LOCAL_RANK") return local_rank;
      return std::nullopt;
    };
    const auto visible = visible_devices(DeviceKind::cuda, env);
    return device_request(Process{0, 1, false}, DeviceKind::cuda, 4, env, visible).launched;
  };
  EXPECT_TRUE(launched("0", true));
  EXPECT_FALSE(launched("-1", true));  // the historic value of a process without launcher
  EXPECT_FALSE(launched("", true));
  EXPECT_FALSE(launched("", false));
}

// ---- The answer

TEST(Device, has_its_own_name_and_that_of_torch) {
  Device device;
  EXPECT_EQ(to_string(device).view(), "cpu");
  EXPECT_EQ(to_torch_string(device).view(), "cpu");
  device.kind = DeviceKind::npu;
  device.index = VisibleIndex(1);
  EXPECT_EQ(to_string(device).view(), "npu:1");
  EXPECT_EQ(to_torch_string(device).view(), "npu:1");
  device.kind = DeviceKind::rocm;
  EXPECT_EQ(to_string(device).view(), "rocm:1");
  EXPECT_EQ(to_torch_string(device).view(), "cuda:1");
  device.kind = DeviceKind::hpu;
  EXPECT_EQ(to_torch_string(device).view(), "hpu");
}

TEST(DevicePolicy, is_any_callable_from_request_to_device) {
  const auto good = [](const DeviceRequest&) -> Result<Device> { return Device{}; };
  const auto plain = [](const DeviceRequest&) { return Device{}; };
  const auto number = [](const DeviceRequest&) { return 3; };
  static_assert(rankmap::DevicePolicy<decltype(good)>);
  static_assert(rankmap::DevicePolicy<decltype(plain)>);
  static_assert(!rankmap::DevicePolicy<decltype(number)>);
  static_assert(!rankmap::DevicePolicy<int>);
  static_assert(!rankmap::DevicePolicy<int (*)(int)>);
}

}  // namespace
