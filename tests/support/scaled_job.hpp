// SPDX-License-Identifier: MIT
//
// Jobs that differ in their size alone: 8 ranks on a node, 18 nodes in a block, and a node left out
// between two blocks. What each process of such a job is told, and what all of them tell.
#ifndef RANKMAP_TESTS_SUPPORT_SCALED_JOB_HPP
#define RANKMAP_TESTS_SUPPORT_SCALED_JOB_HPP

#include "simulated_step.hpp"

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/gather_domains.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/job/record_bytes.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/detail/host_record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankmap_test {

struct ScaledJob {
  static constexpr int per_node = 8;
  static constexpr int per_block = 18;

  int ranks;  ///< a multiple of 8

  int nodes() const { return ranks / per_node; }
  int blocks() const { return (nodes() + per_block - 1) / per_block; }
  static int block_of(int node) { return node / per_block; }
  /// The rank that is measured: any one but the first and the last.
  int me() const { return ranks / 3; }

  static std::string name(const char* form, int number) {
    char text[16];
    std::snprintf(text, sizeof text, form, number);
    return text;
  }
  static std::string host(int node) { return name("n%06d", node + block_of(node)); }
  static std::string block(int number) { return name("b%06d", number); }
  /// `000000-000017`: the numbers in the names of the nodes of a block.
  std::string numbers(int of_block) const {
    const int first = of_block * per_block;
    const int last = std::min(first + per_block, nodes()) - 1;
    return name("%06d", first + of_block) + "-" + name("%06d", last + of_block);
  }

  std::vector<std::string> hosts() const {
    std::vector<std::string> out;
    for (int node = 0; node != nodes(); ++node) out.push_back(host(node));
    return out;
  }
  std::string host_list() const {
    std::string out = "n[";
    for (int i = 0; i != blocks(); ++i) out += (i == 0 ? "" : ",") + numbers(i);
    return out + "]";
  }
  /// A line of an Open MPI hostfile for each node.
  std::string host_file() const {
    std::string out;
    for (int node = 0; node != nodes(); ++node) out += host(node) + " slots=8\n";
    return out;
  }
  /// A tree of three levels as topology.conf has it: blocks, 32 of them below a switch, and all.
  std::string switches() const {
    std::string out;
    std::string top = "SwitchName=top Switches=";
    for (int i = 0; i != blocks(); ++i) {
      out += "SwitchName=" + block(i) + " Nodes=n[" + numbers(i) + "]\n";
    }
    for (int first = 0; first < blocks(); first += 32) {
      const int last = std::min(first + 32, blocks()) - 1;
      const std::string pod = name("p%06d", first / 32);
      out += "SwitchName=" + pod + " Switches=b[" + name("%06d", first) + "-" + name("%06d", last) +
             "]\n";
      top += (first == 0 ? "" : ",") + pod;
    }
    return out + top + "\n";
  }

  /// 8 ranks on a node, or 4 to 12; `plane` as in SimulatedStep.
  SimulatedStep step(bool even, int plane) const {
    return {host_list(), hosts(), task_counts(nodes(), even), plane};
  }
  /// The node of each rank, in an order without a rule.
  std::vector<int> shuffled_nodes() const {
    std::vector<int> out;
    for (int rank = 0; rank != ranks; ++rank) out.push_back(rank / per_node);
    std::shuffle(out.begin(), out.end(), std::mt19937(17));
    return out;
  }

  rankmap::DomainPath path_of(int node) const {
    const int of_block = block_of(node);
    return rankmap::DomainPath::from_labels({"top", name("p%06d", of_block / 32), block(of_block)})
        .value();
  }
  rankmap::JobRecord record_of(int rank) const {
    const int node = rank / per_node;
    const int local = rank % per_node;
    rankmap::JobRecord record;
    record.rank = rank;
    record.world_size = ranks;
    record.local_rank = local;
    record.local_world_size = per_node;
    record.node_rank = node;
    record.node_count = nodes();
    record.launcher = "slurm";
    record.job = "4711.0";
    record.host = std::string_view(host(node));
    record.domain = std::string_view(block(block_of(node)));
    record.boot = 1000U + static_cast<unsigned>(node);
    record.pid_namespace = 4026531836U;
    record.pid = 100 + local;
    record.device.is_known = true;
    record.device.index = local;
    record.device.count = 1;
    record.device.visible_count = per_node;
    record.device.uuid = std::string_view("GPU-" + name("%08d", rank));
    record.threads = 4;
    record.layout = 7;
    record.hosts = 8;
    return record;
  }

  /// What an all-gather brings: `bytes` sealed bytes of each rank, written by `write`.
  template <class Write>
  std::vector<std::byte> gathered(std::size_t bytes, const Write& write) const {
    std::vector<std::byte> out(bytes * static_cast<std::size_t>(ranks));
    for (int rank = 0; rank != ranks; ++rank) {
      const auto record = std::span(out).subspan(bytes * static_cast<std::size_t>(rank), bytes);
      write(rank, record);
      rankmap::detail::toggle_mark(record);
    }
    return out;
  }
  std::vector<std::byte> gathered_hosts() const {
    std::string own;
    return gathered(rankmap::detail::HostRecord::bytes, [&](int rank, std::span<std::byte> out) {
      own = host(rank / per_node);
      rankmap::detail::HostRecord record;
      record.rank = rank;
      record.world_size = ranks;
      record.name = own;
      record.write(out);
    });
  }
  std::vector<std::byte> gathered_domains() const {
    using rankmap::detail::layout_step;
    std::uint64_t digest = layout_step(rankmap::detail::fnv_start, nodes());
    for (int rank = 0; rank != ranks; ++rank) digest = layout_step(digest, rank / per_node);
    return gathered(rankmap::detail::DomainRecord::bytes, [&](int rank, std::span<std::byte> out) {
      rankmap::detail::DomainRecord record;
      record.rank = rank;
      record.world_size = ranks;
      record.layout = digest;
      record.path = path_of(rank / per_node);
      record.write(out);
    });
  }
  std::vector<std::byte> gathered_records() const {
    return gathered(rankmap::JobRecord::bytes, [&](int rank, std::span<std::byte> out) {
      write_record(record_of(rank), out.first<rankmap::JobRecord::bytes>());
    });
  }
};

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_SCALED_JOB_HPP
