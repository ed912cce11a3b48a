// SPDX-License-Identifier: MIT
//
// A job that looks at itself before it begins: every process gathers the records of all, rank 0
// prints the table where something is wrong, and a fault ends the job.
#include <rankmap/job.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/topology.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

// What a program has to add: whether the job may go on. The same on every process.
bool examine_job(const rankmap::Result<rankmap::Topology>& topology,
                 const rankmap::ProcessFacts& process) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto all_gather = [](std::span<const std::byte> mine, std::span<std::byte> all) {
    const int bytes = static_cast<int>(mine.size());
    return MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE,
                         MPI_COMM_WORLD) == MPI_SUCCESS;
  };
  // What cannot be resolved must not keep others waiting in the collective: an empty record says
  // "rank 0 of 1", and stands out.
  if (!topology) std::fprintf(stderr, "%s\n", report(topology.error()).c_str());
  const auto mine = topology ? describe(*topology, process) : rankmap::JobRecord();
  const auto table = rankmap::gather_job(mine, size, all_gather);
  if (!table) {
    if (rank == 0) std::fprintf(stderr, "%s\n", report(table.error()).c_str());
    return false;
  }
  // The launcher of another MPI: then each process is a job of its own to this MPI.
  if (topology && topology->world_size() > 1 && size == 1) {
    std::fprintf(stderr,
                 "rank %d of %d by %s, but rank %d of %d by MPI: start it with the launcher of the "
                 "MPI that it was built with\n",
                 topology->rank(), topology->world_size(),
                 std::string(topology->launcher_name()).c_str(), rank, size);
    return false;
  }
  const rankmap::Findings findings = table->findings();
  if (rank == 0 && findings.count(rankmap::Severity::warning) != 0) {
    write_text(*table, findings,
               [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stderr); });
  }
  return topology && findings.count(rankmap::Severity::error) == 0;
}

int main(int argc, char** argv) {
  // First of all: what MPI or a runtime does to the CPUs of this process comes later.
  const rankmap::ProcessFacts process = rankmap::probe_process();
  // And MPI may set variables of its own.
  const auto topology = rankmap::Topology::from_environment();
  MPI_Init(&argc, &argv);
  const bool may_go_on = examine_job(topology, process);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (may_go_on && rank == 0) std::printf("the job begins\n");
  MPI_Finalize();
  return may_go_on ? 0 : 1;
}
