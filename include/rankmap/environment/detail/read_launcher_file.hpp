// SPDX-License-Identifier: MIT
// The file of launchers that RANKMAP_LAUNCHERS names. Its bytes never move: results view the names
// in them.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_READ_LAUNCHER_FILE_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_READ_LAUNCHER_FILE_HPP

#include <rankmap/environment/environment.hpp>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace rankmap::inline v0::detail {

/// The first bytes of a file, one more than all declarations may have. Read once.
class StoredFile {
 public:
  RANKMAP_RARE explicit StoredFile(const char* path) {
#if defined(__unix__) || defined(__APPLE__)
    // A pipe or a terminal could keep the process waiting for ever.
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return;
    struct stat kind = {};
    is_read_ = fstat(file, &kind) == 0 && S_ISREG(kind.st_mode);
    while (is_read_ && size_ != sizeof bytes_) {
      const auto count = ::read(file, bytes_ + size_, sizeof bytes_ - size_);
      if (count < 0) is_read_ = false;
      if (count <= 0) break;
      size_ += static_cast<std::size_t>(count);
    }
    close(file);
#else
    std::FILE* const file = std::fopen(path, "rb");
    if (file == nullptr) return;
    size_ = std::fread(bytes_, 1, sizeof bytes_, file);
    is_read_ = std::ferror(file) == 0;
    std::fclose(file);
#endif
  }
  std::optional<std::string_view> text() const {
    if (!is_read_) return std::nullopt;
    return std::string_view(bytes_, size_);
  }

 private:
  char bytes_[LauncherFile::max_bytes + 1] = {};
  std::size_t size_ = 0;
  bool is_read_ = false;
};

/// All calls return the file of the first call: a process has one.
RANKMAP_RARE inline LauncherFile stored_launcher_file(const char* path) {
  static const StoredFile file(path);
  return {true, file.text()};
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_READ_LAUNCHER_FILE_HPP
