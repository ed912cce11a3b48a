// SPDX-License-Identifier: MIT
//
// What stands behind the name of the program: a command, its options and other words.
#ifndef RANKMAP_EXAMPLES_RANKMAP_ARGUMENTS_HPP
#define RANKMAP_EXAMPLES_RANKMAP_ARGUMENTS_HPP

#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace program {

// Exit codes.
inline constexpr int good = 0;
inline constexpr int faulty = 1;      // an error was found, in a job or in this process
inline constexpr int not_usable = 2;  // wrong words on the command line, or nothing to read

struct Option {
  std::string_view name;   // "--json"
  std::string_view value;  // what follows it: "FILE"; empty: nothing
  std::string_view help;
};

class Arguments {
 public:
  bool has(std::string_view option) const { return options_.count(std::string(option)) != 0; }
  std::optional<std::string_view> value(std::string_view option) const;
  const std::vector<std::string>& words() const { return words_; }
  // --help or -h was among the options.
  bool wants_help() const { return wants_help_; }

 private:
  friend std::optional<Arguments> read_arguments(const struct Command&, int, char**);
  std::map<std::string, std::string> options_;
  std::vector<std::string> words_;
  bool wants_help_ = false;
};

struct Command {
  std::string_view name;
  std::string_view words;    // what follows the options: "[FILE]"
  std::string_view title;    // what it does, in a few words
  std::string_view summary;  // the same at length; may be empty
  std::string_view example;
  std::vector<Option> options;
  std::size_t max_words;
  int (*run)(const Arguments&);
  std::string_view if_refused = {};  // goes to standard output where its options are wrong
  bool runs_program = false;         // its first word is a program, and the rest is that program's
};

// The options and words of a command. Nothing, with a message on standard error, for an option that
// it does not have, a value that is missing, or too many words.
std::optional<Arguments> read_arguments(const Command& command, int count, char** texts);

void print_help(const Command& command);

// The one of `names` that looks most like `text`, if it looks like it at all.
std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names);

// A whole number of decimal digits; nothing for any other text, with a message that names `what`.
std::optional<std::int64_t> read_count(std::string_view text, std::string_view what,
                                       std::int64_t least, std::int64_t most);

// In quotes, with `before` and two hexadecimal digits for what is not printable ASCII.
std::string in_quotes(std::string_view text, std::string_view before = "\\x");

// Prints `rankmap: message` to standard error, or, with --json, an object with the message. Returns
// what an optional is that has none.
std::nullopt_t complain(std::string_view message);
std::nullopt_t complain(const rankmap::Error& error);
// `what="text": expected ...`
std::nullopt_t complain(std::string_view what, std::string_view text, std::string_view expected);
// A complaint, and the exit code for words that are not usable.
int unusable(const auto&... what) {
  complain(what...);
  return not_usable;
}
// The same as complain, about what is no error, and about what is no fault at all.
void warn(std::string_view message);
void inform(std::string_view message);

// Writes a text to standard output, at once.
void print(std::string_view text);
// Whether all of it got there: a disk may be full.
bool was_printed();
// Whether people look at it as it comes.
bool is_terminal(std::FILE* file);

// Writes a text to a file; false, with a message, if that fails.
bool save(const std::string& path, std::string_view text);
// The same; "-" is standard output.
bool save_picture(const std::string& path, std::string_view text);

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_ARGUMENTS_HPP
