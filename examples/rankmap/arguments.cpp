// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace program {
namespace {

// How many letters have to be changed, added or taken away.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k != row.size(); ++k) row[k] = k;
  for (std::size_t i = 0; i != a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k != b.size(); ++k) {
      const std::size_t changed = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({changed, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Whether programs read the messages: before the words are read, as they may be wrong.
bool wants_json(const Command& command, int count, char** texts) {
  const bool has_json = std::any_of(command.options.begin(), command.options.end(),
                                    [](const Option& each) { return each.name == "--json"; });
  for (int i = 0; has_json && i != count && std::string_view(texts[i]) != "--"; ++i) {
    if (std::string_view(texts[i]) == "--json") return true;
  }
  return false;
}

// Whether programs read the messages of this run.
bool messages_are_json = false;

// Printable ASCII as it is, and any other byte as `before` and two hexadecimal digits.
void append_printable(std::string& out, char c, std::string_view before) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte <= 0x7e) {
    out += c;
  } else {
    out += before;
    out += hex[byte >> 4U];
    out += hex[byte & 15U];
  }
}

// An argument may have a terminal's commands in it.
std::string for_terminal(std::string_view message) {
  std::string out;
  for (const char c : message) append_printable(out, c, "\\x");
  return out;
}

void write_message(std::string_view kind, std::string_view before, std::string_view message) {
  const std::string text =
      messages_are_json ? "{\"" + std::string(kind) + "\":" + in_quotes(message, "\\u00") + "}\n"
                        : "rankmap: " + std::string(before) + for_terminal(message) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

std::string in_quotes(std::string_view text, std::string_view before) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    append_printable(out, c, before);
  }
  return out + '"';
}

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& names) {
  // That both are options makes them no more alike.
  const auto bare = [](std::string_view name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  std::string_view best;
  std::size_t least = bare(text).size() / 2 + 1;
  for (const std::string_view name : names) {
    const std::size_t changes = distance(bare(text), bare(name));
    if (changes >= least) continue;
    least = changes;
    best = name;
  }
  return best;
}

std::optional<std::string_view> Arguments::value(std::string_view option) const {
  const auto found = options_.find(std::string(option));
  if (found == options_.end()) return std::nullopt;
  return found->second;
}

std::optional<Arguments> read_arguments(const Command& command, int count, char** texts) {
  Arguments out;
  messages_are_json = wants_json(command, count, texts);
  const auto refuse = [&](const std::string& message) -> std::optional<Arguments> {
    complain(message + "; see rankmap " + std::string(command.name) + " --help");
    if (!messages_are_json) print(command.if_refused);
    return std::nullopt;
  };
  bool only_words = false;
  for (int i = 0; i != count; ++i) {
    const std::string_view text = texts[i];
    if (only_words || text.size() < 2 || text.front() != '-') {
      out.words_.emplace_back(text);
      only_words = only_words || command.runs_program;
      continue;
    }
    if (text == "--") {
      only_words = true;
      continue;
    }
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (name == "--help" || name == "-h") {
      if (name != text) return refuse(std::string(name) + " takes no value");
      out.wants_help_ = true;
      return out;
    }
    const auto option = std::find_if(command.options.begin(), command.options.end(),
                                     [&](const Option& each) { return each.name == name; });
    if (option == command.options.end()) {
      std::vector<std::string_view> names = {"--help"};
      for (const Option& each : command.options) names.push_back(each.name);
      const bool is_of_env = command.runs_program && name == "--json";
      const std::string_view best = is_of_env ? "rankmap env --json" : nearest(name, names);
      return refuse("unknown option " + in_quotes(name) +
                    (best.empty() ? "" : "; did you mean " + std::string(best) + '?'));
    }
    std::string value;
    if (option->value.empty()) {
      if (equals != std::string_view::npos) {
        return refuse(std::string(name) + " takes no value");
      }
    } else if (equals != std::string_view::npos) {
      value = text.substr(equals + 1);
    } else if (i + 1 != count) {
      value = texts[++i];
    } else {
      return refuse(std::string(name) + " needs " + std::string(option->value));
    }
    if (!out.options_.emplace(name, value).second) {
      return refuse(std::string(name) + " is given twice");
    }
  }
  if (out.words_.size() > command.max_words) {
    return refuse("unexpected " + in_quotes(out.words_[command.max_words]));
  }
  return out;
}

void print_help(const Command& command) {
  std::string text = "usage: rankmap " + std::string(command.name);
  if (!command.options.empty()) text += " [options]";
  if (!command.words.empty()) text += ' ' + std::string(command.words);
  text += "\n\n" + std::string(command.title) + "\n";
  if (!command.summary.empty()) text += std::string(command.summary) + "\n";
  text += "\n";
  for (const Option& option : command.options) {
    std::string left = "  " + std::string(option.name);
    if (!option.value.empty()) left += ' ' + std::string(option.value);
    left.resize(std::max<std::size_t>(left.size() + 2, 24), ' ');
    text += left + std::string(option.help) + '\n';
  }
  if (!command.options.empty()) text += '\n';
  text += "example:\n  " + std::string(command.example) + '\n';
  print(text);
}

std::optional<std::int64_t> read_count(std::string_view text, std::string_view what,
                                       std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end && value >= least && value <= most) return value;
  return complain(what, text,
                  "a number from " + std::to_string(least) + " to " + std::to_string(most));
}

std::nullopt_t complain(std::string_view message) {
  write_message("error", "", message);
  return std::nullopt;
}

std::nullopt_t complain(const rankmap::Error& error) { return complain(message(error).view()); }

std::nullopt_t complain(std::string_view what, std::string_view text, std::string_view expected) {
  return complain(std::string(what) + '=' + in_quotes(text) + ": expected " +
                  std::string(expected));
}

void warn(std::string_view message) { write_message("warning", "warning: ", message); }

void inform(std::string_view message) { write_message("note", "", message); }

void print(std::string_view text) {
  if (!text.empty()) std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

bool was_printed() { return std::ferror(stdout) == 0; }

bool is_terminal([[maybe_unused]] std::FILE* file) {
#if defined(__unix__) || defined(__APPLE__)
  return isatty(fileno(file)) == 1;
#else
  return false;
#endif
}

bool save_picture(const std::string& path, std::string_view text) {
  if (path != "-") return save(path, text);
  print(text);
  return true;  // main() asks whether it was
}

bool save(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && std::fclose(file) == 0 && written) return true;
  const int reason = errno;
  complain("cannot write " + in_quotes(path) + ": " + std::strerror(reason));
  return false;
}

}  // namespace program
