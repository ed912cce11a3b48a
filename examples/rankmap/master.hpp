// SPDX-License-Identifier: MIT
//
// Where the processes of a job meet: the host of rank 0 and a port, the same on every rank, or an
// error.
#ifndef RANKMAP_EXAMPLES_RANKMAP_MASTER_HPP
#define RANKMAP_EXAMPLES_RANKMAP_MASTER_HPP

#include "arguments.hpp"
#include "process.hpp"

#include <optional>
#include <string>

namespace program {

struct Master {
  std::string address;
  int port = 0;
};

// By --master, by --master-file, by the environment, or by what is known of the job.
std::optional<Master> find_master(const Process& process, const Arguments& arguments, bool is_torch,
                                  int& code);

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_MASTER_HPP
