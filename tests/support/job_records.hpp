// SPDX-License-Identifier: MIT
//
// Records of made-up processes, for the tests of job/.
#ifndef RANKMAP_TESTS_SUPPORT_JOB_RECORDS_HPP
#define RANKMAP_TESTS_SUPPORT_JOB_RECORDS_HPP

#include <rankmap/device/cpu_affinity.hpp>
#include <rankmap/device/device_request.hpp>
#include <rankmap/job/facts.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace rankmap_test {

/// A record in which every field is known: a rank of a Slurm step of four on two nodes.
constexpr rankmap::JobRecord full_record(int rank = 2) {
  const auto topology =
      rankmap::Topology::from_config({.rank = rank,
                                      .hosts = "n[1-2]",
                                      .tasks_per_node = "2(x2)",
                                      .distribution = rankmap::Distribution::block});
  rankmap::ProcessFacts process;
  process.boot_id = rank < 2 ? "3f1c9a52-7d2e-4b8a-9c41-0a5be6d7f218\n" : "another";
  process.machine_id = "0123456789abcdef0123456789abcdef\n";
  process.pid = 4711 + rank;
  process.pid_namespace = 4026531836U;
  const int first = 4 * (rank % 2);
  for (int cpu = first; cpu != first + 4; ++cpu) process.cpus.insert(cpu);
  process.available_cpus = 8;
  process.threads = 4;
  process.numa_nodes = 1;
  process.cores = 2;
  process.sibling_cpus.insert(first + 8);
  process.domain = "b1";
  process.nic = "mlx5_1";
  process.nic_numa_node = 0;
  rankmap::Device device;
  device.kind = rankmap::DeviceKind::cuda;
  device.index = rankmap::VisibleIndex(rank % 2);
  device.count = 1;
  rankmap::DeviceFacts facts;
  facts.device = &device;
  facts.visible_count = 2;
  facts.physical = rank % 2;
  facts.numa_node = 0;
  const auto uuid =
      rankmap::StaticString<47>("GPU-9E8D35E3-0000-0000-0000-00000000000").append_number(rank);
  facts.uuid = uuid;
  facts.pci = rank % 2 == 0 ? "00000000:0B:00.0" : "0000:0c:00.0";
  rankmap::JobRecord record = describe(*topology, process, facts);
  record.launcher = "slurm";
  record.job = "4711.0";
  record.restart_count = 0;
  return record;
}

/// The line that the process of a record prints, without its newline.
inline std::string line_of(const rankmap::JobRecord& record) {
  std::string text;
  write_json(record, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_JOB_RECORDS_HPP
