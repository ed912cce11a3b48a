// SPDX-License-Identifier: MIT
//
// MPI's own answers to who a process is: what the library's are held against.
#ifndef RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP
#define RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP

#include <mpi.h>

/// Of a process that has started MPI. Local rank and size are those of the split into ranks that
/// can share memory.
struct MpiAnswer {
  int rank = 0;
  int size = 0;
  int local_rank = 0;
  int local_size = 0;
  char name[MPI_MAX_PROCESSOR_NAME] = {};

  MpiAnswer() {
    int length = 0;
    MPI_Comm node;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Comm_size(node, &local_size);
    MPI_Comm_free(&node);
    MPI_Get_processor_name(name, &length);
  }
};

#endif  // RANKMAP_TESTS_LAUNCHERS_MPI_ANSWER_HPP
