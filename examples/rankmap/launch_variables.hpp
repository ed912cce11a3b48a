// SPDX-License-Identifier: MIT
//
// The variables that a program expects of its launcher, made from what is known of this process.
#ifndef RANKMAP_EXAMPLES_RANKMAP_LAUNCH_VARIABLES_HPP
#define RANKMAP_EXAMPLES_RANKMAP_LAUNCH_VARIABLES_HPP

#include "arguments.hpp"

#include <optional>
#include <string>
#include <vector>

namespace program {

struct LaunchVariables {
  struct Variable {
    std::string name;
    std::string text;
  };
  std::vector<Variable> made;
  /// Names that the program would read, and of which nothing is known: what they have is another's.
  std::vector<std::string> unknown;
  /// Names of records that contradict the one that was believed.
  std::vector<std::string> others;
};

// What --as, --device, --master, --master-file, --need and --unset-others ask for. Nothing, with a
// message, where something is needed and not known; `code` is then the exit code.
std::optional<LaunchVariables> launch_variables(const Arguments& arguments, int& code);

// The options that it reads.
std::vector<Option> launch_options();

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_LAUNCH_VARIABLES_HPP
