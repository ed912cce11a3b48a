// SPDX-License-Identifier: MIT
#include <rankmap/device/mps.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using rankmap::message;
using rankmap::mps_memory_limit;
using rankmap::MpsSettings;
using rankmap::read_mps;
using rankmap::RecordedEnvironment;

struct Row {
  std::string_view environment;
  bool is_set;
  int percentage;  ///< -1: not set
  int priority;    ///< -1: not set
  bool limits_memory;
};
#define SHARE "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="
#define LIMIT "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="
constexpr Row rows[] = {
    {"", false, -1, -1, false},
    {"CUDA_VISIBLE_DEVICES=0", false, -1, -1, false},
    {"CUDA_MPS_LOG_DIRECTORY=/run/log", false, -1, -1, false},  // the daemon's
    {"CUDA_MPS_PIPE_DIRECTORY=/run/mps", true, -1, -1, false},
    {"CUDA_MPS_PIPE_DIRECTORY=", false, -1, -1, false},
    {SHARE "100", true, 100, -1, false},
    {SHARE "1", true, 1, -1, false},
    {SHARE "33.3", true, 34, -1, false},
    {SHARE "33.0", true, 33, -1, false},
    {SHARE "0.5", true, 1, -1, false},
    {SHARE, false, -1, -1, false},
    {"CUDA_MPS_CLIENT_PRIORITY=0", true, -1, 0, false},
    {"CUDA_MPS_CLIENT_PRIORITY=1", true, -1, 1, false},
    {LIMIT "0=1G", true, -1, -1, true},
    {LIMIT "0=1G,1=512MB", true, -1, -1, true},
    {"CUDA_MPS_PIPE_DIRECTORY=/a|" SHARE "50|CUDA_MPS_CLIENT_PRIORITY=1|" LIMIT "0=2g", true, 50, 1,
     true},
};
constexpr bool holds(const Row& row) {
  const auto found = read_mps(RecordedEnvironment(row.environment, '|'));
  return found && found->is_set() == row.is_set &&
         found->percentage.value_or(-1) == row.percentage &&
         found->priority.value_or(-1) == row.priority && found->limits_memory == row.limits_memory;
}
static_assert(std::ranges::all_of(rows, holds));

TEST(Mps, is_read_from_the_variables_of_its_clients) {
  for (const Row& row : rows) EXPECT_TRUE(holds(row)) << row.environment;
}

TEST(Mps, names_the_variable_that_is_wrong) {
  for (const std::string text : {"0", "0.0", "100.5", "101", "-1", "50%", "half", ".5", "1e1",
                                 "50.x", "99999999999999999999"}) {
    const std::string environment = SHARE + text;
    const auto found = read_mps(RecordedEnvironment(environment, '|'));
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(message(found.error()).view(),
              "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=\"" + text +
                  "\": expected a percentage above 0, at most 100; correct or unset it");
  }
  EXPECT_EQ(
      message(read_mps(RecordedEnvironment("CUDA_MPS_CLIENT_PRIORITY=2", '|')).error()).view(),
      "CUDA_MPS_CLIENT_PRIORITY=\"2\": expected 0 or 1; correct or unset it");
  for (const std::string_view text : {"1G", "0=", "0=1", "0=G", "=1G", "0=0G", "0=1T", "x=1G",
                                      "0=1G,", "0=99999999999999G", "99999999999=1G", "0=1GBB"}) {
    const std::string environment = LIMIT + std::string(text);
    EXPECT_FALSE(read_mps(RecordedEnvironment(environment, '|'))) << text;
    EXPECT_FALSE(mps_memory_limit(RecordedEnvironment(environment, '|'), 0)) << text;
  }
  EXPECT_EQ(
      message(read_mps(RecordedEnvironment(LIMIT "0=1G,1=2", '|')).error()).view(),
      "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=\"0=1G,1=2\" at byte 5: expected DEVICE=LIMIT in each "
      "entry, as in 0=1G,1=512M; correct or unset it");
}

TEST(Mps, limits_memory_by_device) {
  constexpr std::string_view environment = LIMIT "0=1G, 1=512M,3=2gb,3=1mb";
  const auto limit = [&](int device) {
    return mps_memory_limit(RecordedEnvironment(environment, '|'), device).value();
  };
  EXPECT_EQ(limit(0), std::uint64_t{1} << 30);
  EXPECT_EQ(limit(1), std::uint64_t{512} << 20);
  EXPECT_FALSE(limit(2));
  EXPECT_EQ(limit(3), std::uint64_t{1} << 20);
  EXPECT_FALSE(mps_memory_limit(RecordedEnvironment("", '|'), 0).value());
}

TEST(Mps, stays_bounded_with_any_text) {
  const std::string huge(1'000'000, '\x1b');
  for (const std::string variable :
       {"CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_CLIENT_PRIORITY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
        "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"}) {
    const std::string environment = variable + "=" + huge;
    const auto found = read_mps(RecordedEnvironment(environment, '|'));
    if (found) continue;  // the directory, which is cut
    const auto text = message(found.error());
    for (const char c : text.view()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e);
  }
}

}  // namespace
