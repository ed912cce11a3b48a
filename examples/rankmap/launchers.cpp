// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/environment.hpp>
#include <rankmap/launcher.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace program {
namespace {

// Lines as they were declared, without what stands behind the last word.
std::string trimmed_lines(std::string_view lines) {
  const std::size_t end = lines.find_last_not_of(" \n");
  return std::string(lines.substr(0, end + 1)) + '\n';
}

int launchers(const Arguments& arguments) {
  const rankmap::ProcessEnvironment environment;
  const rankmap::EnvironmentViewOf variables(environment);
  rankmap::KnownLaunchers known;
  const auto declared = declare_launchers(known, {}, variables);
  if (!declared) {
    complain(declared.error());
    return faulty;
  }
  std::string text;
  for (const std::string& word : arguments.words()) {
    const auto launcher = known.parse(word);
    if (!launcher || *launcher <= rankmap::Launcher::config) {
      return unusable("\"" + word + "\" is no launcher that is known; `rankmap launchers` has all");
    }
    for (std::size_t place = 0; place != known.size(); ++place) {
      if (known.launcher_at(place) == *launcher) text += trimmed_lines(known.lines_at(place));
    }
  }
  for (std::size_t place = 0; arguments.words().empty() && place != known.size(); ++place) {
    text += trimmed_lines(known.lines_at(place));
  }
  print(text);
  return good;
}

}  // namespace

Command launchers_command() {
  return {"launchers",
          "[NAME...]",
          "The launchers that are known, as they are declared, in the order of their records.",
          "RANKMAP_LAUNCHERS names a file of launchers of your own, in the same form.",
          "RANKMAP_LAUNCHERS=/etc/rankmap rankmap launchers acme",
          {},
          100,
          launchers};
}

}  // namespace program
