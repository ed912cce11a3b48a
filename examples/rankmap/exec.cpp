// SPDX-License-Identifier: MIT
//
// exec and env: a program that knows one launcher, under every launcher.
#include "commands.hpp"
#include "launch_variables.hpp"
#include "needed_libraries.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace program {
namespace {

// What a shell takes for this text and nothing else.
std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

std::string json_text(std::string_view text) { return in_quotes(text, "\\u00"); }

std::string json_list(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) {
    if (out.size() != 1) out += ',';
    out += json_text(name);
  }
  return out + ']';
}

// A shell takes `eval "$(rankmap env)"` for a success if there is nothing to evaluate.
constexpr std::string_view failing_line = "false\n";

int env(const Arguments& arguments) {
  int code = good;
  const auto variables = launch_variables(arguments, code);
  if (!variables) {
    if (!arguments.has("--json")) print(failing_line);
    return code;
  }
  std::string text;
  if (arguments.has("--json")) {
    for (const LaunchVariables::Variable& each : variables->made) {
      if (!text.empty()) text += ',';
      text += json_text(each.name) + ':' + json_text(each.text);
    }
    text = "{\"set\":{" + text + "},\"unknown\":" + json_list(variables->unknown) +
           ",\"others\":" + json_list(variables->others) + "}\n";
  } else {
    for (const std::string& name : variables->others) text += "unset " + name + '\n';
    for (const std::string& name : variables->unknown) text += "unset " + name + '\n';
    for (const LaunchVariables::Variable& each : variables->made) {
      text += "export " + each.name + '=' + shell_text(each.text) + '\n';
    }
  }
  print(text);
  return good;
}

#if defined(__unix__) || defined(__APPLE__)
/// Why execvp could not run it, and what to do: scripts are given by their bare name, too.
std::string why_not_run(const std::string& program, int reason) {
  const std::string file = find_program(program, false);
  if (file.empty() && program.find('/') == std::string::npos) {
    std::string out = "it is in no folder of PATH; ";
    if (find_program("./" + program).empty()) return out + "correct the name, or pass its path";
    return out + "pass ./" + program + ", or what reads it in front, as in: python3 " + program;
  }
  const std::string in_front = ", or pass what reads it in front, as in: python3 " + file;
  if (!file.empty() && reason == ENOENT) {
    return "the first line or the loader of " + file +
           " names a file that is not here; correct it" + in_front;
  }
  if (!file.empty() && reason == EACCES) {
    return std::strerror(reason) + ("; chmod +x " + file) + in_front;
  }
  return std::strerror(reason);
}
#endif

int exec([[maybe_unused]] const Arguments& arguments) {
#if defined(__unix__) || defined(__APPLE__)
  if (arguments.words().empty()) {
    return unusable("a program is missing: rankmap exec [options] -- PROGRAM [ARGUMENT...]");
  }
  int code = good;
  const auto variables = launch_variables(arguments, code);
  if (!variables) return code;
  for (const std::string& name : variables->others) unsetenv(name.c_str());
  for (const std::string& name : variables->unknown) unsetenv(name.c_str());
  for (const LaunchVariables::Variable& each : variables->made) {
    unsetenv(each.name.c_str());  // all of that name, of which setenv would leave a second one
    if (setenv(each.name.c_str(), each.text.c_str(), 1) == 0) continue;
    complain("cannot set " + each.name + ": " + std::strerror(errno));
    return faulty;
  }
  std::vector<char*> words;
  for (const std::string& word : arguments.words())
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int reason = errno;
  complain("cannot run " + arguments.words()[0] + ": " + why_not_run(arguments.words()[0], reason));
  return reason == ENOENT ? 127 : 126;  // as env and the shells have it
#else
  return unusable("exec is for Unix; on this system `rankmap env --json` has the variables");
#endif
}

}  // namespace

Command exec_command() {
  return {"exec",
          "-- PROGRAM [ARGUMENT...]",
          "Becomes a program that gets the variables it expects, whatever launcher started it.",
          "What is not known is not set: --need says what has to be.",
          "srun rankmap exec -- python3 train.py",
          launch_options(),
          std::numeric_limits<std::size_t>::max(),
          exec,
          {},
          true};
}

Command env_command() {
  std::vector<Option> options = launch_options();
  options.push_back({"--json", "", "as an object of JSON, for programs"});
  return {"env",
          "",
          "The variables that exec would set, as lines for a shell.",
          "",
          "eval \"$(rankmap env --as plain)\"",
          options,
          0,
          env,
          failing_line};
}

}  // namespace program
