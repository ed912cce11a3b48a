// SPDX-License-Identifier: MIT
//
// Who is this process, and what is wrong with this job? One program to copy to a cluster:
//
//     rankmap                                 this process
//     srun rankmap report | rankmap table     all processes of a job, and its faults
//     srun rankmap exec -- PROGRAM            a program that knows another launcher
#include "arguments.hpp"
#include "commands.hpp"

#include <rankmap/version.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

const std::vector<program::Command>& commands() {
  static const std::vector<program::Command> list = {
      program::whoami_command(), program::report_command(),    program::table_command(),
      program::diff_command(),   program::explain_command(),   program::exec_command(),
      program::env_command(),    program::launchers_command(), program::hosts_command(),
      program::mesh_command(),   program::shard_command()};
  return list;
}

void print_overview() {
  std::string text = "usage: rankmap [command] [options]\n\n";
  for (const program::Command& command : commands()) {
    std::string line = "  " + std::string(command.name);
    line.resize(12, ' ');
    text += line + std::string(command.title) + '\n';
  }
  text +=
      "\nWithout a command: whoami. `rankmap command --help` has options and an example;\n"
      "`rankmap --version` says the version.\n"
      "\nexample:\n  srun rankmap report | rankmap table\n";
  program::print(text);
}

int run(int count, char** texts) {
  const std::string_view first = count > 1 ? texts[1] : "";
  if (first == "--help" || first == "-h" || (first == "help" && count == 2)) {
    print_overview();
    return program::good;
  }
  if (first == "--version") {
    program::print("rankmap " + std::to_string(rankmap::version.major_number) + '.' +
                   std::to_string(rankmap::version.minor_number) + '.' +
                   std::to_string(rankmap::version.patch_number) + '\n');
    return program::good;
  }
  const bool is_named = !first.empty() && first.front() != '-';
  const bool wants_help = first == "help";  // of the command that follows
  const std::string_view wanted = wants_help ? texts[2] : is_named ? first : "whoami";
  const int behind = is_named ? 2 : 1;
  std::vector<std::string_view> names;
  for (const program::Command& command : commands()) {
    names.push_back(command.name);
    if (command.name != wanted) continue;
    std::optional<program::Arguments> arguments;
    if (!wants_help) {
      arguments = program::read_arguments(command, count - behind, texts + behind);
      if (!arguments) return program::not_usable;
    }
    if (wants_help || arguments->wants_help()) {
      program::print_help(command);
      return program::good;
    }
    return command.run(*arguments);
  }
  const std::string_view best = program::nearest(wanted, names);
  return program::unusable("unknown command \"" + std::string(wanted) + "\"" +
                           (best.empty() ? "" : "; did you mean " + std::string(best) + '?') +
                           "; see rankmap --help");
}

}  // namespace

int main(int count, char** texts) {
  const int code = run(count, texts);
  if (program::was_printed()) return code;
  return program::unusable("cannot write the output");
}
