// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/job.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace program {
namespace {

using rankmap::Findings;
using rankmap::JobTable;
using rankmap::Severity;

// Reads records out of output that comes bit by bit, and of which a line may have any length.
class Reader {
 public:
  // False if there are too many records.
  bool read(std::string_view bytes) {
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      if (!table_.read_line(std::string_view(rest_).substr(begin, end - begin))) return false;
    }
    rest_.erase(0, begin);
    if (rest_.size() < std::size_t{1} << 16U) return true;
    // A long line is cut before the record that may begin at its end.
    constexpr std::string_view marker = "{\"rankmap_";
    const std::size_t tail = rest_.size() - rankmap::Refusal::bytes;
    const std::size_t found = rest_.find(marker, tail);
    const std::size_t cut = found == std::string::npos ? rest_.size() - 2 * marker.size() : found;
    if (!table_.read_line(std::string_view(rest_).substr(0, cut))) return false;
    rest_.erase(0, cut);
    return true;
  }
  bool finish() { return table_.read_line(rest_); }
  const JobTable& table() const { return table_; }

 private:
  JobTable table_;
  std::string rest_;
};

// Colours on a terminal, unless somebody does not want them: no-color.org.
bool wants_colours() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
  };
  return is_terminal(stdout) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

// The same text, with colours for severities and for the marks of the ranks that they are about.
std::string coloured(std::string_view text) {
  struct Colour {
    std::string_view beginning;
    std::string_view code;
  };
  constexpr Colour colours[] = {{"error", "1;31"}, {"warning", "1;33"}, {"note", "1;36"},
                                {"!", "1;31"},     {"*", "1;33"},       {"nothing wrong", "1;32"}};
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    std::size_t done = 0;
    for (const Colour& colour : colours) {
      if (line.substr(0, colour.beginning.size()) != colour.beginning) continue;
      done = colour.beginning.size();
      out.append("\033[").append(colour.code).append("m").append(colour.beginning);
      out.append("\033[0m");
      break;
    }
    out += line.substr(done);
    text.remove_prefix(line.size());
  }
  return out;
}

int columns_of_terminal() {
  const char* const columns = std::getenv("COLUMNS");
  const int width = columns == nullptr ? 0 : std::atoi(columns);
  return width < 1 ? 80 : width;
}

int table(const Arguments& arguments) {
  const bool as_json = arguments.has("--json");
  const std::string_view fail_on = arguments.value("--fail-on").value_or("error");
  if (fail_on != "error" && fail_on != "warning") {
    complain("--fail-on: expected error or warning", as_json);
    return not_usable;
  }
  const auto together = read_count(arguments.value("--in-domain").value_or("0"), "--in-domain", 0,
                                   std::numeric_limits<int>::max());
  if (!together) return not_usable;
  std::FILE* file = stdin;
  const bool is_file = !arguments.words().empty() && arguments.words()[0] != "-";
  if (is_file) file = std::fopen(arguments.words()[0].c_str(), "rb");
  if (file == nullptr) {
    complain("cannot read " + arguments.words()[0] + ": " + std::strerror(errno), as_json);
    return not_usable;
  }
  if (is_terminal(file)) {
    complain(
        "reads the lines of `rankmap report` from this terminal, up to Ctrl-D; see rankmap table "
        "--help");
  }
  Reader reader;
  char bytes[1 << 16];
  bool fits = true;
  for (std::size_t size = 0; fits && (size = std::fread(bytes, 1, sizeof bytes, file)) != 0;) {
    fits = reader.read({bytes, size});
  }
  fits = fits && reader.finish();
  const bool failed = std::ferror(file) != 0;
  if (is_file) std::fclose(file);
  const bool is_empty = reader.table().empty() && reader.table().refusals().empty();
  if (!fits || failed || is_empty) {
    const auto& unread = reader.table().unread();
    if (!fits) {
      complain("more records than a table takes; read the output of one job at a time", as_json);
    } else if (failed) {
      complain("cannot read the input", as_json);
    } else if (unread.other_schemas != 0) {
      complain("only records of schema " + std::to_string(unread.highest_schema) +
                   " found; read them with the version of rankmap that wrote them",
               as_json);
    } else {
      std::string what = "no record found";
      if (unread.pieces != 0)
        what += ", and " + std::to_string(unread.pieces) + " pieces of torn ones";
      complain(what + "; run `rankmap report` in every process", as_json);
    }
    return not_usable;
  }
  const Findings findings =
      reader.table().findings({.wants_block_order = arguments.has("--block-order"),
                               .ranks_in_domain = static_cast<int>(*together)});
  std::string text;
  const auto out = [&text](std::string_view piece) { text += piece; };
  if (as_json) {
    write_json(reader.table(), findings, out);
    text += '\n';
  } else {
    write_text(reader.table(), findings, out,
               {.width = columns_of_terminal(), .only_marked = arguments.has("--only-bad")});
    if (wants_colours()) text = coloured(text);
  }
  print(text);
  return findings.count(fail_on == "error" ? Severity::error : Severity::warning) == 0 ? good
                                                                                       : faulty;
}

}  // namespace

Command table_command() {
  return {"table",
          "[FILE]",
          "Who is where in a job and what is wrong with it, from the lines of `rankmap report`.",
          "Reads them from FILE or standard input, with any prefixes and between other output.\n"
          "Colours are for terminals; NO_COLOR=1 turns them off.\n"
          "Exit code: 0 without errors, 1 with, 2 if there is nothing to read.",
          "mpirun -n 8 --tag-output rankmap report | rankmap table",
          {{"--json", "", "for programs"},
           {"--fail-on", "SEVERITY", "error (the default) or warning: what makes the exit code 1"},
           {"--only-bad", "", "leave out nodes on which nothing is wrong"},
           {"--block-order", "", "note ranks of a node that do not follow each other"},
           {"--in-domain", "RANKS", "warn of groups of as many ranks that leave their rack"}},
          1,
          table};
}

}  // namespace program
