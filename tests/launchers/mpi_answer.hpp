// SPDX-License-Identifier: MIT
//
// MPI's own answers to who a process is: what the library's are held against.
#ifndef RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP
#define RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <vector>

/// Of a process that has started MPI. Local rank and size count the processes that have its
/// processor's name, in the order of their ranks: MPICH 5 says of every process that it shares
/// memory with none.
struct MpiAnswer {
  int rank = 0;
  int size = 0;
  int local_rank = 0;
  int local_size = 0;
  char name[MPI_MAX_PROCESSOR_NAME] = {};

  MpiAnswer() {
    int length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    constexpr int width = MPI_MAX_PROCESSOR_NAME;
    std::vector<char> names(static_cast<std::size_t>(size) * width);
    MPI_Allgather(name, width, MPI_CHAR, names.data(), width, MPI_CHAR, MPI_COMM_WORLD);
    for (int other = 0; other != size; ++other) {
      if (std::strcmp(names.data() + static_cast<std::size_t>(other) * width, name) == 0) {
        local_size += 1;
        local_rank += other < rank ? 1 : 0;
      }
    }
  }
};

#endif  // RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP
