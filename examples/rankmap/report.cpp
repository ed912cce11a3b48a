// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "self.hpp"

#include <rankmap/job.hpp>

#include <string>
#include <string_view>

namespace program {
namespace {

int report(const Arguments&) {
  const auto self = find_self();
  if (!self) {
    complain(self.error());
    return faulty;
  }
  std::string line;
  write_json(self->record, [&](std::string_view piece) { line += piece; });
  print(line + '\n');  // one write, so that it stays whole
  return good;
}

}  // namespace

Command report_command() {
  return {"report",
          "",
          "One line of JSON with all that this process can say of itself.",
          "It has at most 512 bytes. `rankmap table` reads the lines of all processes.",
          "srun rankmap report | rankmap table",
          {},
          0,
          report};
}

}  // namespace program
