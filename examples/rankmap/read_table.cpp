// SPDX-License-Identifier: MIT
#include "read_table.hpp"

#include "arguments.hpp"
#include "slow_input.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

namespace program {
namespace {

using rankmap::JobTable;

// Reads records out of output that comes bit by bit, and of which a line may have any length.
class Reader {
 public:
  // False if there are too many records.
  bool read(std::string_view bytes) {
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      if (!read_line(std::string_view(rest_).substr(begin, end - begin))) return false;
    }
    rest_.erase(0, begin);
    if (rest_.size() < std::size_t{1} << 16U) return true;
    // A long line is cut before the record that may begin at its end.
    constexpr std::string_view marker = "{\"rankmap_";
    const std::size_t tail = rest_.size() - rankmap::Refusal::bytes;
    const std::size_t found = rest_.find(marker, tail);
    const std::size_t cut = found == std::string::npos ? rest_.size() - 2 * marker.size() : found;
    if (!read_line(std::string_view(rest_).substr(0, cut))) return false;
    rest_.erase(0, cut);
    return true;
  }
  bool finish() { return rest_.empty() || read_line(rest_); }
  // "read 12 lines"
  std::string progress() const {
    return "read " + std::to_string(lines_) + (lines_ == 1 ? " line" : " lines");
  }
  std::size_t lines() const { return lines_; }
  JobTable& table() { return table_; }

 private:
  bool read_line(std::string_view line) {
    ++lines_;
    return table_.read_line(line);
  }

  JobTable table_;
  std::string rest_;
  std::size_t lines_ = 0;
};

}  // namespace

std::optional<JobTable> read_table(const std::string& path, std::string_view command) {
  std::FILE* const file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  const auto refuse = [&](int reason) {
    complain("cannot read " + (path == "-" ? "the input" : in_quotes(path)) + ": " +
             std::strerror(reason));
  };
  if (file == nullptr) {
    refuse(errno);
    return std::nullopt;
  }
  if (is_terminal(file)) {
    inform("reads the lines of `rankmap report` from this terminal, up to Ctrl-D; see rankmap " +
           std::string(command) + " --help");
  }
  Reader reader;
  // Whoever types knows what is waited for.
  const auto say = [&, is_quiet = is_terminal(file)](bool is_waiting) {
    if (is_quiet) return;
    inform(reader.progress() + (is_waiting ? ", and waits for more" : ""));
  };
  SlowInput input(file);
  char bytes[1 << 16];
  bool fits = true;
  for (std::size_t size = 0; fits && (size = input.read(bytes, sizeof bytes, say)) != 0;) {
    fits = reader.read({bytes, size});
  }
  fits = fits && reader.finish();
  const int failed = input.failed();
  if (file != stdin) std::fclose(file);
  JobTable& table = reader.table();
  const auto& unread = table.unread();
  if (!fits) {
    complain("more records than a table takes; read the output of one job at a time");
  } else if (failed != 0) {
    refuse(failed);
  } else if (!table.empty() || !table.refusals().empty()) {
    // To compare as many takes a second, too.
    constexpr std::size_t many = 200'000;
    if (reader.lines() >= many) {
      inform(reader.progress() + ", and compares what they say");
    }
    return std::move(table);
  } else if (unread.other_schemas != 0) {
    complain("only records of schema " + std::to_string(unread.highest_schema) +
             " found; read them with the version of rankmap that wrote them");
  } else {
    std::string what = "no record found";
    if (command == "diff") what += " in " + (path == "-" ? "the input" : in_quotes(path));
    if (unread.pieces != 0) {
      what += ", and " + std::to_string(unread.pieces);
      what += unread.pieces == 1 ? " piece of a torn one" : " pieces of torn ones";
    }
    complain(what + "; run `rankmap report` in every process");
  }
  return std::nullopt;
}

}  // namespace program
