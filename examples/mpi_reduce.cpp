// SPDX-License-Identifier: MIT
//
// An all-reduce in two levels: the processes of a node reduce to their leader, the leaders reduce
// among themselves, and each hands the sum back to its node. So every node sends over the network
// once, however many processes it runs, and however unlike the nodes are.
//
// rankmap says who shares a node and who leads; the groups become MPI's communicators. The result
// is compared with MPI_Allreduce.
#include "mpi_topology.hpp"

#include <rankmap/rankmap.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Values = std::vector<std::int64_t>;  // whole numbers: their sum has no rounding to differ in

// A communicator of any of rankmap's ranges of ranks; its members call this, and nobody else has
// to. Rank k of the communicator is element k of the range.
template <class Ranks>
MPI_Comm communicator_of(const Ranks& ranks) {
  const std::vector<int> list(ranks.begin(), ranks.end());
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(list.size()), list.data(), &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return made;
}

class HierarchicalSum {
 public:
  HierarchicalSum(const rankmap::Layout& layout, int rank)
      : node_(communicator_of(layout.node_group_of(rank))) {
    if (layout.is_leader(rank)) leaders_ = communicator_of(layout.leaders());
  }
  HierarchicalSum(const HierarchicalSum&) = delete;
  HierarchicalSum& operator=(const HierarchicalSum&) = delete;
  ~HierarchicalSum() {
    MPI_Comm_free(&node_);
    if (is_leader()) MPI_Comm_free(&leaders_);
  }

  // Every process of the world calls it; the sum replaces the values everywhere.
  void operator()(Values& values) const {
    const int count = static_cast<int>(values.size());
    // In place at the leader, local rank 0; the others only send.
    MPI_Reduce(is_leader() ? MPI_IN_PLACE : values.data(), values.data(), count, MPI_INT64_T,
               MPI_SUM, 0, node_);
    if (is_leader()) {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, MPI_SUM, leaders_);
    }
    MPI_Bcast(values.data(), count, MPI_INT64_T, 0, node_);
  }

 private:
  bool is_leader() const { return leaders_ != MPI_COMM_NULL; }

  MPI_Comm node_;
  MPI_Comm leaders_ = MPI_COMM_NULL;
};

// What each process contributes: different everywhere.
Values values_of(int rank, std::size_t count) {
  Values values(count);
  for (std::size_t i = 0; i != count; ++i) {
    values[i] = (rank + 1) * 1'000'003LL * static_cast<std::int64_t>(i + 1);
  }
  return values;
}

bool equals_mpi(const HierarchicalSum& sum, int rank, std::size_t count) {
  Values ours = values_of(rank, count);
  Values theirs = ours;
  sum(ours);
  MPI_Allreduce(MPI_IN_PLACE, theirs.data(), static_cast<int>(count), MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  return ours == theirs;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto me = topology_of_world();
  if (!me) {
    std::fprintf(stderr, "%s\n", report(me.error()).c_str());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
  }

  const auto& layout = *me->layout();
  bool equal = true;
  {
    const HierarchicalSum sum(layout, me->rank());
    for (const std::size_t count : {0U, 1U, 1000U, 100'000U}) {
      equal = equals_mpi(sum, me->rank(), count) && equal;
    }
  }
  std::printf("rank %d: node %d, local rank %d of %d, leaders %d: %s\n", me->rank(),
              *me->node_rank(), me->local_rank(), *me->local_world_size(), layout.rail_size(0),
              equal ? "equals MPI_Allreduce" : "DIFFERS FROM MPI_Allreduce");
  MPI_Finalize();
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
