// SPDX-License-Identifier: MIT
//
// Jobs in which nothing is wrong, of which every process tells everything: what a test changes in
// them is all that can be found.
#ifndef RANKMAP_TESTS_SUPPORT_PLANTED_JOB_HPP
#define RANKMAP_TESTS_SUPPORT_PLANTED_JOB_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_kind.hpp>
#include <rankmap/job/finding.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/job_table.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankmap_test {

using Job = std::vector<rankmap::JobRecord>;

inline void set_cpus(rankmap::JobRecord& record, std::string_view list) {
  const auto cpus = rankmap::parse_cpu_list(list);
  ASSERT_TRUE(cpus) << list;
  record.cpus = rankmap::detail::fold_cpus(*cpus);
  record.cpu_count = cpus->empty() ? -1 : cpus->size();
  record.cpu_digest = 0;
  if (record.cpus.empty() && !cpus->empty()) record.cpu_digest = rankmap::detail::digest_of(*cpus);
}

/// Nodes n0, n1, ... with so many ranks each, in block order. Each rank has a device and four CPUs
/// of its own, on NUMA node 0 or 1. The addresses of devices are the same on all nodes.
inline Job healthy_job(const std::vector<int>& counts) {
  Job job;
  int world_size = 0;
  for (const int count : counts) world_size += count;
  for (std::size_t node = 0; node != counts.size(); ++node) {
    for (int local = 0; local != counts[node]; ++local) {
      const int rank = static_cast<int>(job.size());
      rankmap::JobRecord record;
      record.rank = rank;
      record.world_size = world_size;
      record.local_rank = local;
      record.local_world_size = counts[node];
      record.node_rank = static_cast<int>(node);
      record.node_count = static_cast<int>(counts.size());
      record.restart_count = 0;
      record.launcher = "slurm";
      record.job = "4711.0";
      record.host = std::string_view("n" + std::to_string(node));
      record.boot = 1000 + node;
      record.pid_namespace = 4026531836U;
      record.pid = 100 + local;
      record.device.is_known = true;
      record.device.kind = rankmap::DeviceKind::cuda;
      record.device.index = local;
      record.device.count = 1;
      record.device.visible_count = counts[node];
      record.device.physical = local;
      record.device.numa_node = local % 2;
      record.device.uuid = std::string_view("GPU-" + std::to_string(1000 + rank));
      record.device.pci = std::string_view("0000:0" + std::to_string(local) + ":00.0");
      set_cpus(record, std::to_string(4 * local) + "-" + std::to_string(4 * local + 3));
      record.available_cpus = 4 * counts[node];
      record.threads = 4;
      record.numa_nodes = std::uint64_t{1} << (local % 2);
      record.layout = 7;
      record.hosts = 8;
      job.push_back(record);
    }
  }
  return job;
}

inline rankmap::JobTable table_of(const Job& job) {
  rankmap::JobTable table;
  for (const rankmap::JobRecord& record : job) EXPECT_TRUE(table.add(record)) << record.rank;
  return table;
}

/// "error same_rank 3; note containers 0-1".
inline std::string summary(const rankmap::Findings& findings) {
  std::string out;
  for (const rankmap::Finding& finding : findings) {
    if (!out.empty()) out += "; ";
    out += name(finding.severity);
    out += ' ';
    out += name(finding.kind);
    if (finding.ranks.empty()) continue;
    out += ' ';
    out += to_string(finding.ranks).view();
  }
  return out;
}
inline std::string summary(const Job& job, const rankmap::FindingOptions& options = {}) {
  return summary(table_of(job).findings(options));
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_PLANTED_JOB_HPP
