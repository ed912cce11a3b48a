// SPDX-License-Identifier: MIT
#include "commands.hpp"
#include "picture.hpp"
#include "read_table.hpp"

#include <rankmap/job.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace program {
namespace {

using rankmap::Findings;
using rankmap::JobTable;
using rankmap::Severity;

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

bool has_domains(const JobTable& job) {
  const rankmap::JobRows rows = job.rows();
  for (const rankmap::JobRecord& record : rows) {
    if (!record.domain.empty()) return true;
  }
  return false;
}

int table(const Arguments& arguments) {
  const bool as_json = arguments.has("--json");
  const bool as_picture = arguments.has("--svg") || arguments.has("--html");
  if (as_json && as_picture) return unusable("--json and a picture: expected one of them");
  const std::string_view fail_on = arguments.value("--fail-on").value_or("error");
  if (fail_on != "error" && fail_on != "warning") {
    return unusable("--fail-on", fail_on, "error or warning");
  }
  const auto together = read_count(arguments.value("--in-domain").value_or("0"), "--in-domain", 0,
                                   std::numeric_limits<int>::max());
  if (!together) return not_usable;
  const auto sharing = read_count(arguments.value("--sharing").value_or("0"), "--sharing", 0,
                                  std::numeric_limits<int>::max());
  if (!sharing) return not_usable;
  if (arguments.has("--svg") && arguments.value("--svg") == arguments.value("--html")) {
    complain("--svg and --html: expected two files, found " + in_quotes(*arguments.value("--svg")) +
             " twice");
    return not_usable;
  }
  const std::string path = arguments.words().empty() ? "-" : arguments.words()[0];
  const std::optional<JobTable> job = read_table(path, "table");
  if (!job) {
    if (as_picture && arguments.words().empty()) {
      complain("--svg and --html name the picture; the file of the lines comes after it");
    }
    return not_usable;
  }
  if (*together > 1 && !has_domains(*job)) {
    inform("--in-domain: no process says in which rack, block or switch it is");
  }
  const Findings findings = job->findings({.wants_block_order = arguments.has("--block-order"),
                                           .ranks_in_domain = static_cast<int>(*together),
                                           .sharing = static_cast<int>(*sharing)});
  const int code =
      findings.count(fail_on == "error" ? Severity::error : Severity::warning) == 0 ? good : faulty;
  std::string text;
  const auto out = [&text](std::string_view piece) { text += piece; };
  if (as_picture) {
    const auto picture = draw_job(*job, findings);
    if (!picture) return unusable("no rank to draw, or more than 1,048,576 of them");
    write_text(*job, findings, out, {.only_marked = arguments.has("--only-bad")});
    const auto svg = arguments.value("--svg");
    const auto html = arguments.value("--html");
    const bool is_saved = (!svg || save_picture(std::string(*svg), *picture)) &&
                          (!html || save_picture(std::string(*html), html_page(*picture, text)));
    return is_saved ? code : not_usable;
  }
  if (as_json) {
    write_json(*job, findings, out);
    text += '\n';
  } else {
    write_text(*job, findings, out,
               {.width = columns_of_terminal(), .only_marked = arguments.has("--only-bad")});
    if (wants_colours()) text = coloured(text);
  }
  print(text);
  return code;
}

}  // namespace

Command table_command() {
  return {
      "table",
      "[FILE]",
      "Who is where in a job and what is wrong with it, from the lines of `rankmap report`.",
      "Reads them from FILE or standard input, with any prefixes and between other output.\n"
      "Colours are for terminals; NO_COLOR=1 turns them off.\n"
      "Exit code: 0 without errors, 1 with, 2 if there is nothing to read.",
      "mpirun -n 8 --tag-output rankmap report | rankmap table",
      {{"--json", "", "for programs"},
       {"--fail-on", "SEVERITY", "error (the default) or warning: what makes the exit code 1"},
       {"--only-bad", "", "leave out nodes on which nothing is wrong"},
       {"--svg", "FILE", "a picture instead: nodes, ranks, devices, and what is wrong in red"},
       {"--html", "FILE", "the same with the text of the table, as one page"},
       {"--block-order", "", "note ranks of a node that do not follow each other"},
       {"--in-domain", "RANKS", "warn of groups of as many ranks that leave their rack"},
       {"--sharing", "RANKS", "more ranks than these on a device that they share are an error"}},
      1,
      table};
}

}  // namespace program
