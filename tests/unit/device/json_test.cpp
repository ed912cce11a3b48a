// SPDX-License-Identifier: MIT
#include <rankmap/detail/json_reader.hpp>
#include <rankmap/device/json.hpp>
#include <rankmap/device/select_device.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::Device;
using rankmap::DeviceBasis;
using rankmap::DeviceKind;
using rankmap::DeviceRequest;
using rankmap::Isolation;
using rankmap::LocalRank;
using rankmap::Result;
using rankmap::detail::Json;

static_assert(name(DeviceBasis::local_rank) == "local rank");
static_assert(name(DeviceBasis::no_device) == "no device");

std::string written(const DeviceRequest& request, const Result<Device>& device) {
  std::string text;
  write_json(request, device, [&](std::string_view piece) { text += piece; });
  return text;
}

DeviceRequest third_of_four(int visible_count) {
  DeviceRequest request;
  request.kind = DeviceKind::rocm;
  request.local_rank = LocalRank(2);
  request.local_world_size = 4;
  request.visible_count = visible_count;
  request.isolation = {Isolation::shared, "no visibility variable is set"};
  request.local_rank_source = "LOCAL_RANK";
  return request;
}

// Red means that programs which read the keys break: raise device_json_schema, or put them back.
TEST(DeviceJson, of_a_device_has_the_request_and_the_answer) {
  const DeviceRequest request = third_of_four(8);
  EXPECT_EQ(written(request, select_device(request)),
            R"({"schema":1,"kind":"rocm","local_rank":2,"local_world_size":4,"launched":true,)"
            R"("local_rank_source":"LOCAL_RANK","visible_count":8,)"
            R"("isolation_evidence":"no visibility variable is set",)"
            R"("device":{"name":"rocm:2","torch_name":"cuda:2","kind":"rocm","index":2,"count":1,)"
            R"("policy":"strict","basis":"local rank",)"
            R"("reason":"the visible device at the local rank"},"error":null})");
}

TEST(DeviceJson, of_an_error_has_its_message_and_no_device) {
  const DeviceRequest request = third_of_four(2);
  const auto device = select_device(request);
  ASSERT_FALSE(device);
  const std::string text = written(request, device);
  const auto json = Json::parse(text, "json");
  ASSERT_TRUE(json) << text;
  EXPECT_EQ(json->member("device")->raw(), "null");
  EXPECT_TRUE(json->member("error")->equals(message(device.error()).view())) << text;
}

TEST(DeviceJson, has_null_for_what_is_not_known) {
  DeviceRequest request;
  request.kind = DeviceKind::cpu;
  const std::string text = written(request, select_device(request));
  const auto json = Json::parse(text, "json");
  ASSERT_TRUE(json) << text;
  for (const char* const key : {"local_world_size", "local_rank_source", "isolation_evidence"}) {
    EXPECT_EQ(json->member(key)->raw(), "null") << key;
  }
  EXPECT_EQ(json->member("device")->member("basis")->raw(), "\"requested\"");
}

TEST(DeviceJson, is_valid_with_any_text_of_a_policy) {
  const DeviceRequest request = third_of_four(4);
  for (int byte = 1; byte != 256; ++byte) {
    Device device;
    device.policy = std::string_view(std::string(23, static_cast<char>(byte)));
    device.reason = std::string_view(std::string(159, static_cast<char>(byte)));
    const std::string text = written(request, device);
    ASSERT_TRUE(Json::parse(text, "json")) << text;
    ASSERT_LT(text.size(), 8192U);
    for (const char c : text) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
  }
}

}  // namespace
