// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/topology.hpp>

#include <string_view>

namespace program {
namespace {

int run_explain(const Arguments&) {
  const auto topology = rankmap::Topology::from_environment();
  if (!topology) {
    complain(topology.error());
    return faulty;
  }
  print(explain(*topology).view());
  return good;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "",
          "Every value that is known of this process, and where it comes from.",
          "",
          "mpirun -n 4 rankmap explain",
          {},
          0,
          run_explain};
}

}  // namespace program
