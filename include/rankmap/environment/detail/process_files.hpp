// SPDX-License-Identifier: MIT
// The files of /proc that show a process. Elsewhere than on Linux none can be read.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_PROCESS_FILES_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_PROCESS_FILES_HPP

#include <rankmap/environment/detail/process_stat.hpp>
#include <rankmap/environment/detail/start_search.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// Stands for the pid of this process, whose files are in /proc/self.
inline constexpr int this_process = 0;

/// A file of a process, without a buffer of the C library.
class ProcessFile {
 public:
  RANKMAP_RARE ProcessFile([[maybe_unused]] int pid, [[maybe_unused]] std::string_view name) {
#if defined(__linux__)
    StaticString<39> path("/proc/");
    if (pid == this_process) {
      path.append("self");
    } else {
      path.append_number(pid);
    }
    file_ = std::fopen(path.append(name).c_str(), "re");  // closed where the program execs
    if (file_ != nullptr) std::setvbuf(file_, nullptr, _IONBF, 0);
#endif
  }
  ProcessFile(const ProcessFile&) = delete;
  ProcessFile& operator=(const ProcessFile&) = delete;
  ~ProcessFile() {
    if (file_ != nullptr) std::fclose(file_);
  }

  /// The next bytes, fewer than `size` at the end only; nothing if they cannot be read.
  std::optional<std::string_view> operator()(char* buffer, std::size_t size) {
    if (file_ == nullptr) return std::nullopt;
    const std::size_t count = std::fread(buffer, 1, size, file_);
    if (std::ferror(file_) != 0) return std::nullopt;
    return std::string_view(buffer, count);
  }

 private:
  std::FILE* file_ = nullptr;
};

RANKMAP_RARE inline std::optional<ProcessStat> read_process_stat(int pid) {
  char buffer[1024];  // several times the size of the fields that are read
  const auto line = ProcessFile(pid, "/stat")(buffer, sizeof buffer);
  return line ? parse_process_stat(*line) : std::nullopt;
}

/// Answers questions in one pass over the file, or none if it cannot be read, as another user's.
RANKMAP_RARE inline void ask_process(int pid, StartQuestions questions) {
  search_start(ProcessFile(pid, "/environ"), questions);
}

/// visit_start_names() of a process.
bool visit_names_of_process(int pid, auto&& visit) {
  return visit_start_names(ProcessFile(pid, "/environ"), visit);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_PROCESS_FILES_HPP
