// SPDX-License-Identifier: MIT
#include "support/device_files.hpp"

#include <rankmap/device/thread_count.hpp>
#include <rankmap/probe/cpu_quota.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::CpuQuota;
using rankmap::probe_cpu_quota;
using rankmap_test::Machine;

/// The lines of /proc/self/cgroup, files below /sys/fs/cgroup, and the least quota.
struct Quota {
  std::string_view lines;
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<std::int64_t> thousandths;
  std::string_view cgroup;
};
const Quota quotas[] = {
    // version 2: a container's own folder, a job's, and the least of several
    {"0::/\n", {{"/cpu.max", "250000 100000\n"}}, 2500, "/"},
    {"0::/kubepods/pod7/c1\n", {{"/cpu.max", "400000 100000\n"}}, 4000, "/"},
    {"0::/a/b\n",
     {{"/a/b/cpu.max", "max 100000\n"}, {"/a/cpu.max", "800000 100000\n"}},
     8000,
     "/a"},
    {"0::/a/b\n",
     {{"/a/b/cpu.max", "50000 100000\n"}, {"/a/cpu.max", "800000 100000\n"}},
     500,
     "/a/b"},
    {"0::/a/b\n",
     {{"/a/b/cpu.max", "900000 100000\n"}, {"/a/cpu.max", "800000 100000\n"}},
     8000,
     "/a"},
    {"0::/a..b/..c\n", {{"/a..b/..c/cpu.max", "150000 100000\n"}}, 1500, "/a..b/..c"},
    {"1:name=systemd:/\n0::/a\n", {{"/unified/a/cpu.max", "100000 50000\n"}}, 2000, "/a"},
    // version 1
    {"3:cpu,cpuacct:/docker/7\n",
     {{"/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"},
      {"/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     1500,
     "/"},
    {"3:cpu:/slurm/job_7\n",
     {{"/cpu/slurm/job_7/cpu.cfs_quota_us", "300000\n"},
      {"/cpu/slurm/job_7/cpu.cfs_period_us", "100000\n"}},
     3000,
     "/slurm/job_7"},
    // none
    {"0::/\n", {{"/cpu.max", "max 100000\n"}}, std::nullopt, ""},
    {"3:cpu:/\n",
     {{"/cpu/cpu.cfs_quota_us", "-1\n"}, {"/cpu/cpu.cfs_period_us", "100000\n"}},
     std::nullopt,
     ""},
    {"3:cpuset:/\n",
     {{"/cpu/cpu.cfs_quota_us", "100000\n"}, {"/cpu/cpu.cfs_period_us", "100000\n"}},
     std::nullopt,
     ""},
    {"0::/../x\n", {{"/cpu.max", "100000 100000\n"}}, std::nullopt, ""},
    {"0::/x/..\n", {{"/cpu.max", "100000 100000\n"}}, std::nullopt, ""},
    {"", {{"/cpu.max", "100000 100000\n"}}, std::nullopt, ""},
    {"0::/\n", {{"/cpu.max", "100000 0\n"}}, std::nullopt, ""},
    {"0::/\n", {{"/cpu.max", "100000\n"}}, std::nullopt, ""},
    {"0::/\n", {{"/cpu.max", "x 100000\n"}}, std::nullopt, ""},
    {"0::/\n", {{"/cpu.max", "18446744073709551615 1\n"}}, std::nullopt, ""},
    {"0::/\n", {{"/cpu.max", "18446744073709551 1\n"}}, std::nullopt, ""},
};

TEST(ProbeCpuQuota, is_the_least_of_all_around_this_process) {
  for (const Quota& row : quotas) {
    Machine machine;
    machine.file("/proc/self/cgroup", std::string(row.lines));
    for (const auto& [path, text] : row.files) machine.file("/sys/fs/cgroup" + path, text);
    const CpuQuota quota = probe_cpu_quota(machine.options());
    EXPECT_EQ(quota.thousandths, row.thousandths) << row.lines;
    EXPECT_EQ(quota.cgroup.view(), row.cgroup) << row.lines;
  }
}

// The least one may be that of the cgroup whose path is too long to be looked at.
TEST(ProbeCpuQuota, is_not_known_of_a_path_that_is_too_long) {
  for (const std::size_t size : {100U, 600U}) {
    Machine machine;
    machine.file("/proc/self/cgroup", "0::/a/" + std::string(size, 'b') + "\n")
        .file("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    EXPECT_EQ(probe_cpu_quota(machine.options()).thousandths.has_value(), size == 100U) << size;
  }
}

TEST(ProbeCpuQuota, survives_any_file) {
  Machine machine;
  machine.file("/proc/self/cgroup", "4:cpu:/a\n0::/a//b/\n")
      .file("/sys/fs/cgroup/a/cpu.max", "250000 100000\n")
      .file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n")
      .file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(probe_cpu_quota(machine.options()).thousandths, 2500);
  machine.with_each_entry_spoiled([&](const std::string& what) {
    const CpuQuota quota = probe_cpu_quota(machine.options());
    EXPECT_TRUE(!quota.thousandths || *quota.thousandths >= 0) << what;
  });
  EXPECT_FALSE(probe_cpu_quota({.root = std::string(600, '/')}).thousandths);
}

// A pod of 2.5 CPUs on a node of 192, with two workers.
TEST(ProbeCpuQuota, bounds_the_threads_of_the_processes_that_share_it) {
  Machine machine;
  machine.file("/proc/self/cgroup", "0::/\n").file("/sys/fs/cgroup/cpu.max", "2500000 1000000\n");
  const auto threads =
      rankmap::thread_count({.cpus = 192,
                             .cpu_sharers = 2,
                             .quota_thousandths = probe_cpu_quota(machine.options()).thousandths,
                             .quota_sharers = 2});
  ASSERT_TRUE(threads);
  EXPECT_EQ(*threads, 1);
}

}  // namespace
