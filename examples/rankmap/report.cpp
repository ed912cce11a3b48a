// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "needed_libraries.hpp"
#include "self.hpp"

#include <rankmap/job.hpp>
#include <rankmap/probe.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace program {
namespace {

int report(const Arguments& arguments) {
  std::string library;
  std::string collectives;
  if (!arguments.words().empty()) {
    const std::string& name = arguments.words()[0];
    const std::string path = find_program(name);
    const auto libraries = needed_libraries(path);
    if (!libraries) return unusable("cannot read the program " + in_quotes(name));
    const auto files = library_files(path);
    library = versioned_name(files, mpi_library(*libraries));
    collectives = collectives_library(files);
  }
  const auto self = find_self(library, collectives);
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
      "[-- PROGRAM [ARGUMENTS]]",
      "One line of JSON with all that this process can say of itself.",
      "It has at most 768 bytes. `rankmap table` reads the lines of all processes.\n"
      "Of a PROGRAM, which is not started, the MPI that its file names is told: another one's\n"
      "launcher is a fault. Also the versions of MPI, NCCL and RCCL that the files' names have.\n"
      "A process that cannot tell its rank prints why, to standard error, too, and ends with 1.",
      "srun rankmap report | rankmap table",
      {},
      std::numeric_limits<std::size_t>::max(),
      report,
      {},
      true};
}

}  // namespace program
