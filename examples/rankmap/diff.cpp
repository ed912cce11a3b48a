// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "read_table.hpp"

#include <rankmap/job.hpp>

#include <optional>
#include <string>

namespace program {
namespace {

using rankmap::JobChange;
using rankmap::JobTable;

int diff(const Arguments& arguments) {
  if (arguments.words().size() != 2) {
    return unusable("diff: expected two files, BEFORE and NOW; see rankmap diff --help");
  }
  const std::optional<JobTable> before = read_table(arguments.words()[0], "diff");
  if (!before) return not_usable;
  const std::optional<JobTable> now = read_table(arguments.words()[1], "diff");
  if (!now) return not_usable;
  std::string text;
  bool is_worse = false;
  for_each_change(*before, *now, [&](const JobChange& change) {
    is_worse = is_worse || change.what == "new error";
    text += change.what;
    if (!change.ranks.empty()) {
      text += change.ranks.size() == 1 ? ", rank " : ", ranks ";
      text += to_string(change.ranks).view();
    }
    text += "\n  ";
    text += change.evidence.view();
    text += '\n';
  });
  print(text.empty() ? "nothing changed\n" : text);
  return is_worse ? faulty : good;
}

}  // namespace

Command diff_command() {
  return {"diff",
          "BEFORE NOW",
          "What changed between two runs of a job, from the lines of `rankmap report` of both.",
          "Faults that are new or gone, ranks that only one run has, and what is other of a rank:\n"
          "host, device, CPUs, NIC, driver and the like, with the first rank as an example.\n"
          "Exit code: 0 without new errors, 1 with, 2 if there is nothing to read.",
          "srun rankmap report > today; rankmap diff yesterday today",
          {},
          2,
          diff};
}

}  // namespace program
