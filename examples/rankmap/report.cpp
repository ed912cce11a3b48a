// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "self.hpp"

#include <rankmap/job.hpp>
#include <rankmap/probe.hpp>

#include <string>
#include <string_view>

namespace program {
namespace {

int report(const Arguments&) {
  const auto self = find_self();
  std::string line;
  const auto append = [&line](std::string_view piece) { line += piece; };
  if (self) {
    write_json(self->record, append);
  } else {
    write_json(describe(self.error(), rankmap::probe_process()), append);
    complain(self.error());
  }
  print(line + '\n');  // one write, so that it stays whole
  return self ? good : faulty;
}

}  // namespace

Command report_command() {
  return {
      "report",
      "",
      "One line of JSON with all that this process can say of itself.",
      "It has at most 512 bytes. `rankmap table` reads the lines of all processes.\n"
      "A process that cannot tell its rank prints why, to standard error, too, and ends with 1.",
      "srun rankmap report | rankmap table",
      {},
      0,
      report};
}

}  // namespace program
