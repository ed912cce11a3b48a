// SPDX-License-Identifier: MIT
#include <rankmap/device/thread_count.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using rankmap::Errc;
using rankmap::message;
using rankmap::thread_count;
using rankmap::ThreadLimits;

struct Row {
  ThreadLimits limits;
  int expected;
};
constexpr Row rows[] = {
    {{.cpus = 8}, 8},
    {{.cpus = 96, .cpu_sharers = 8}, 12},
    {{.cpus = 7, .cpu_sharers = 8}, 1},
    {{.cpus = 96, .quota_thousandths = 4000}, 4},
    {{.cpus = 96, .quota_thousandths = 2500}, 2},
    {{.cpus = 96, .quota_thousandths = 500}, 1},
    {{.cpus = 96, .quota_thousandths = 0}, 1},
    {{.cpus = 96, .cpu_sharers = 8, .quota_thousandths = 16000, .quota_sharers = 8}, 2},
    {{.cpus = 12, .cpu_sharers = 1, .quota_thousandths = 64000, .quota_sharers = 8}, 8},
    {{.cpus = 4, .cpu_sharers = 1, .quota_thousandths = 64000, .quota_sharers = 8}, 4},
    {{.cpus = 4, .quota_thousandths = INT64_MAX}, 4},
};
constexpr bool rows_hold() {
  for (const Row& row : rows) {
    const auto found = thread_count(row.limits);
    if (!found || *found != row.expected) return false;
  }
  return true;
}
static_assert(rows_hold());

TEST(ThreadCount, is_the_share_of_cpus_or_quota) { EXPECT_TRUE(rows_hold()); }

TEST(ThreadCount, names_the_number_that_is_wrong) {
  constexpr std::string_view remedy =
      "; pass what the kernel's files show, and count this process as a sharer";
  const auto text = [](const ThreadLimits& limits) {
    return std::string(message(thread_count(limits).error()));
  };
  EXPECT_EQ(text({}), "ThreadLimits::cpus=\"0\": expected 1 or more" + std::string(remedy));
  EXPECT_EQ(text({.cpus = 1, .cpu_sharers = 0}),
            "ThreadLimits::cpu_sharers=\"0\": expected 1 or more" + std::string(remedy));
  EXPECT_EQ(text({.cpus = 1, .quota_thousandths = -1}),
            "ThreadLimits::quota_thousandths=\"-1\": expected 0 or more" + std::string(remedy));
  EXPECT_EQ(text({.cpus = 1, .quota_sharers = -3}),
            "ThreadLimits::quota_sharers=\"-3\": expected 1 or more" + std::string(remedy));
  EXPECT_EQ(thread_count({}).error().code, Errc::out_of_range);
}

}  // namespace
