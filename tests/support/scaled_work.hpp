// SPDX-License-Identifier: MIT
//
// What one process of a large job does, piece by piece: a table for whoever measures it.
#ifndef RANKMAP_TESTS_SUPPORT_SCALED_WORK_HPP
#define RANKMAP_TESTS_SUPPORT_SCALED_WORK_HPP

#include "scaled_job.hpp"

#include <rankmap/domain/domains.hpp>
#include <rankmap/domain/gather_domains.hpp>
#include <rankmap/domain/node_order.hpp>
#include <rankmap/domain/repair.hpp>
#include <rankmap/domain/segments.hpp>
#include <rankmap/domain/slurm_switches.hpp>
#include <rankmap/hosts/host_formats.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/job/gather_job.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/text.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/topology/gather_hosts.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankmap_test {

/// What a process keeps of its work, whatever it is.
using Kept = std::shared_ptr<const void>;

template <class T>
Kept keep(T&& value) {
  return std::make_shared<std::remove_cvref_t<T>>(std::forward<T>(value));
}

/// One row: what is done, and what it may take.
struct ScaledWork {
  const char* name;
  int held;  ///< bytes a rank that a process may keep
  int peak;  ///< bytes a rank that it may take while it works, those included
  /// Makes what the process is given, and returns what it does with it.
  std::function<std::function<Kept()>(const ScaledJob&)> prepare;
};

inline std::ostream& operator<<(std::ostream& out, const ScaledWork& work) {
  return out << work.name;
}

/// An all-gather that has all bytes already.
inline auto gather_of(const std::vector<std::byte>& bytes) {
  return [&bytes](std::span<const std::byte>, std::span<std::byte> all) {
    if (all.size() != bytes.size()) return false;
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return true;
  };
}

inline std::function<Kept()> resolve(const ScaledJob& job, bool even, int plane) {
  return [env = job.step(even, plane).environment_of(job.me())] {
    return keep(rankmap::Topology::from_environment(env).value());
  };
}
inline std::function<Kept()> layout(const ScaledJob& job, bool even,
                                    rankmap::Distribution distribution) {
  return [counts = job.step(even, 0).tasks_per_node(), distribution] {
    return keep(rankmap::Layout::from_counts(counts, distribution).value());
  };
}
inline rankmap::Mesh mesh_of(const ScaledJob& job) {
  return rankmap::Mesh::make({{"pp", 5}, {"dp", rankmap::Mesh::inferred}, {"tp", 8}}, job.ranks)
      .value();
}
inline rankmap::Domains domains_of(const ScaledJob& job) {
  std::vector<rankmap::DomainPath> paths;
  for (int node = 0; node != job.nodes(); ++node) paths.push_back(job.path_of(node));
  return rankmap::Domains::from_paths(paths).value();
}
inline constexpr int samples_a_rank = 1000;

inline std::vector<ScaledWork> scaled_work() {
  using namespace rankmap;
  constexpr int level = 2;  // that of the blocks
  constexpr int most = 64;
  const auto everyone = Layout::block;
  std::vector<ScaledWork> rows = {
      {"resolve, 8 ranks a node, block", most, most,
       [](const ScaledJob& job) { return resolve(job, true, 0); }},
      {"resolve, 8 ranks a node, cyclic", most, most,
       [](const ScaledJob& job) { return resolve(job, true, 1); }},
      {"resolve, 4 to 12 ranks a node, block", most, most,
       [](const ScaledJob& job) { return resolve(job, false, 0); }},
      {"resolve, 4 to 12 ranks a node, cyclic", most, most,
       [](const ScaledJob& job) { return resolve(job, false, 1); }},
      {"layout, even", most, most,
       [](const ScaledJob& job) { return layout(job, true, Distribution::block); }},
      {"layout, uneven, cyclic", most, most,
       [](const ScaledJob& job) { return layout(job, false, Distribution::cyclic); }},
      {"layout, arbitrary", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [nodes = job.shuffled_nodes()] { return keep(Layout::from_nodes(nodes).value()); };
       }},
      {"layout, arbitrary: the place of each rank", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [all = Layout::from_nodes(job.shuffled_nodes()).value()] {
           std::int64_t sum = 0;
           for (int rank = 0; rank != all.world_size(); ++rank) sum += all.place_of(rank).local;
           return keep(sum);
         };
       }},
      {"hosts: a list, and each name", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [text = job.host_list()] {
           HostList list = HostList::parse(text).value();
           std::size_t sum = 0;
           for (const HostName& name : list) sum += name.view().size();
           return keep(std::pair(std::move(list), sum));
         };
       }},
      {"hosts: a list folded from names", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [names = job.hosts()] { return keep(HostList::from_names(names).value()); };
       }},
      {"hosts: a table from a hostfile", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [text = job.host_file()] {
           return keep(parse_hosts(HostFormat::open_mpi_file, text).value());
         };
       }},
      {"gather_hosts", most, 256 + most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [job, bytes = job.gathered_hosts()] {
           const std::string host = ScaledJob::host(job.me() / ScaledJob::per_node);
           return keep(gather_hosts(job.me(), job.ranks, host, gather_of(bytes)).value());
         };
       }},
      {"gather_domains", most, 256 + most,
       [everyone](const ScaledJob& job) -> std::function<Kept()> {
         return [job, everyone, bytes = job.gathered_domains()] {
           const auto path = job.path_of(job.me() / ScaledJob::per_node);
           return keep(gather_domains(everyone(job.nodes(), ScaledJob::per_node), job.me(), path,
                                      gather_of(bytes))
                           .value());
         };
       }},
      {"domains of all hosts from topology.conf", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [text = job.switches(), hosts = HostList::parse(job.host_list()).value()] {
           return keep(SlurmSwitches::parse(text)->domains_of(hosts).value());
         };
       }},
      {"domains: the layout of a level", most, most,
       [everyone](const ScaledJob& job) -> std::function<Kept()> {
         return [all = domains_of(job), ranks = everyone(job.nodes(), ScaledJob::per_node)] {
           return keep(all.layout(level, ranks).value());
         };
       }},
      {"domains: an order of nodes and ranks", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [all = domains_of(job), ranks = Layout::cyclic(job.nodes(), ScaledJob::per_node)] {
           return keep(order_ranks(order_by_domain(all), ranks).value());
         };
       }},
      {"domains: segments and a repair", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [all = domains_of(job), wanted = job.nodes() * 8 / 9 / 16 * 16] {
           const Segments chosen = choose_segments(all, level, wanted, 16).value();
           const int failed[] = {chosen.nodes()[chosen.nodes().size() / 2]};
           return keep(repair(all, level, chosen.nodes(), failed, chosen.spares(), 1).value());
         };
       }},
      {"job table: gathered", 752, 1520,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [job, bytes = job.gathered_records()] {
           return keep(gather_job(job.record_of(job.me()), gather_of(bytes)).value());
         };
       }},
      {"job table: findings and text", most, 128,
       [](const ScaledJob& job) -> std::function<Kept()> {
         JobTable table = JobTable::of_processes();
         for (int rank = 0; rank != job.ranks; ++rank) (void)table.add(job.record_of(rank));
         return [table = std::make_shared<const JobTable>(std::move(table))] {
           std::size_t size = 0;
           write_text(*table, [&size](std::string_view piece) { size += piece.size(); });
           return keep(size);
         };
       }},
      {"job record: describe()", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         const auto env = job.step(true, 0).environment_of(job.me());
         return [me = Topology::from_environment(env).value()] { return keep(describe(me)); };
       }},
      {"mesh: made, and all groups of this rank", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [job] {
           const Mesh mesh = mesh_of(job);
           std::int64_t sum = 0;
           for (const char* const axes : {"pp", "dp", "tp", "pp-dp", "dp-tp"}) {
             for (const int rank : mesh.group(axes, job.me())) sum += rank;
           }
           return keep(std::pair(mesh, sum));
         };
       }},
      {"mesh: all groups of one axis", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [mesh = mesh_of(job)] {
           std::int64_t sum = 0;
           for (const auto group : mesh.groups("tp")) {
             for (const int rank : group) sum += rank;
           }
           return keep(sum);
         };
       }},
      {"sampler: a shard of 1,000 a rank", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [job] {
           const auto size = std::uint64_t{samples_a_rank} * static_cast<unsigned>(job.ranks);
           const Shard shard(size, job.me(), job.ranks);
           std::uint64_t sum = 0;
           for (const std::uint64_t position : shard) sum += position;
           return keep(std::pair(shard, sum));
         };
       }},
      {"sampler: a shuffled epoch of 1,000 a rank", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         return [job] {
           const auto size = std::uint64_t{samples_a_rank} * static_cast<unsigned>(job.ranks);
           const Sampler sampler(size, job.me(), job.ranks, {.seed = 7});
           std::uint64_t sum = 0;
           for (const std::uint64_t sample : sampler.epoch(3)) sum += sample;
           return keep(std::pair(sampler, sum));
         };
       }},
      {"sampler: resumed with other ranks, 1,000", most, most,
       [](const ScaledJob& job) -> std::function<Kept()> {
         const auto size = std::uint64_t{samples_a_rank} * static_cast<unsigned>(job.ranks);
         const Sampler before(size, 0, job.ranks * 2, {.seed = 7});
         return [job, size, saved = before.epoch(3).state_after(100).value()] {
           const Sampler sampler(size, job.me(), job.ranks, {.seed = 7});
           const auto rest = sampler.resume(saved).value();
           std::uint64_t sum = 0;
           for (const std::uint64_t sample : rest) sum += sample;
           return keep(std::pair(rest, sum));
         };
       }},
  };
  return rows;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_SCALED_WORK_HPP
