// SPDX-License-Identifier: MIT
#include "read_table.hpp"

#include "arguments.hpp"

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
  bool finish() { return read_line(rest_); }
  JobTable& table() { return table_; }

 private:
  // A second's worth of lines: whoever waits sees that it goes on.
  bool read_line(std::string_view line) {
    if (++lines_ % 200'000 == 0) complain("read " + std::to_string(lines_) + " lines");
    return table_.read_line(line);
  }

  JobTable table_;
  std::string rest_;
  std::size_t lines_ = 0;
};

}  // namespace

std::optional<JobTable> read_table(const std::string& path, std::string_view command,
                                   bool as_json) {
  std::FILE* const file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    complain("cannot read " + path + ": " + std::strerror(errno), as_json);
    return std::nullopt;
  }
  if (is_terminal(file)) {
    complain("reads the lines of `rankmap report` from this terminal, up to Ctrl-D; see rankmap " +
             std::string(command) + " --help");
  }
  Reader reader;
  char bytes[1 << 16];
  bool fits = true;
  for (std::size_t size = 0; fits && (size = std::fread(bytes, 1, sizeof bytes, file)) != 0;) {
    fits = reader.read({bytes, size});
  }
  fits = fits && reader.finish();
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  JobTable& table = reader.table();
  const auto& unread = table.unread();
  if (!fits) {
    complain("more records than a table takes; read the output of one job at a time", as_json);
  } else if (failed) {
    complain("cannot read the input", as_json);
  } else if (!table.empty() || !table.refusals().empty()) {
    return std::move(table);
  } else if (unread.other_schemas != 0) {
    complain("only records of schema " + std::to_string(unread.highest_schema) +
                 " found; read them with the version of rankmap that wrote them",
             as_json);
  } else {
    std::string what = "no record found";
    if (unread.pieces != 0) {
      what += ", and " + std::to_string(unread.pieces) + " pieces of torn ones";
    }
    complain(what + "; run `rankmap report` in every process", as_json);
  }
  return std::nullopt;
}

}  // namespace program
