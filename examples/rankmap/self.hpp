// SPDX-License-Identifier: MIT
//
// What this process can find out about itself without a vendor's runtime.
#ifndef RANKMAP_EXAMPLES_RANKMAP_SELF_HPP
#define RANKMAP_EXAMPLES_RANKMAP_SELF_HPP

#include <rankmap/job.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/topology.hpp>

#include <string>

namespace program {

struct Self {
  rankmap::Topology topology;
  rankmap::JobRecord record;
};

// From the environment and the kernel's files.
// `library`: the MPI that the program to come names, `collectives`: its NCCL or RCCL, if they are
// known.
rankmap::Result<Self> find_self(const std::string& library = {},
                                const std::string& collectives = {});

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_SELF_HPP
