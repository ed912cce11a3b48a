// SPDX-License-Identifier: MIT
// Small files and directory names, by C: <filesystem> takes half a second and needs exceptions.
#ifndef RANKMAP_PROBE_DETAIL_PROBE_FILES_HPP
#define RANKMAP_PROBE_DETAIL_PROBE_FILES_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#if __has_include(<dirent.h>)
#include <dirent.h>
#endif

namespace rankmap::inline v0::detail {

using ProbePath = StaticString<511>;

ProbePath probe_path(const auto&... pieces) { return concat<511>(pieces...); }

/// The file, or null if it cannot be opened. MSVC warns about fopen and has its own function.
inline std::FILE* open_to_read(const ProbePath& path) {
  if (path.cut()) return nullptr;
#if defined(_MSC_VER)
  std::FILE* file = nullptr;
  return fopen_s(&file, path.c_str(), "rb") == 0 ? file : nullptr;
#else
  return std::fopen(path.c_str(), "rb");
#endif
}

/// A file in memory, up to 16 KiB: the files of /proc and /sys are shorter.
class SmallFile {
 public:
  explicit SmallFile(const ProbePath& path) {
    std::FILE* const file = open_to_read(path);
    if (file == nullptr) return;
    size_ = std::fread(bytes_, 1, sizeof bytes_, file);
    read_ = std::ferror(file) == 0;
    std::fclose(file);
  }
  bool was_read() const { return read_; }
  /// Whether nothing can be missing at the end.
  bool whole() const { return read_ && size_ != sizeof bytes_; }
  /// The content without the blanks and line ends around it.
  std::string_view text() const {
    return read_ ? trimmed(std::string_view(bytes_, size_)) : std::string_view();
  }
  /// The text after `key` and `mark` (or a blank) on its line, trimmed; empty if there is none.
  std::string_view value_of(std::string_view key, char mark = ':') const {
    for (ListEntries lines(text(), '\n'); lines.next();) {
      if (!lines.text().starts_with(key)) continue;
      const std::string_view rest = lines.text().substr(key.size());
      if (rest.empty() || (rest.front() != mark && !is_blank(rest.front()))) continue;
      return trimmed(rest.substr(1));
    }
    return {};
  }

 private:
  char bytes_[16384] = {};
  std::size_t size_ = 0;
  bool read_ = false;
};

/// Calls `visit(name)` for the names in a directory, in no order, 65536 at most.
void for_each_name([[maybe_unused]] const ProbePath& directory, [[maybe_unused]] auto&& visit) {
#if __has_include(<dirent.h>)
  DIR* const handle = directory.cut() ? nullptr : opendir(directory.c_str());
  if (handle == nullptr) return;
  for (int count = 0; count != 65536; ++count) {
    const dirent* const entry = readdir(handle);
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") visit(name);
  }
  closedir(handle);
#endif
}

bool any_name(const ProbePath& directory, const auto& is_so) {
  bool found = false;
  for_each_name(directory, [&](std::string_view name) { found = found || is_so(name); });
  return found;
}
inline bool has_name(const ProbePath& directory, std::string_view wanted) {
  return any_name(directory, [&](std::string_view name) { return name == wanted; });
}

/// A decimal number as it is printed, so not "07"; -1 for any other text.
constexpr int plain_number(std::string_view text) {
  const Number number = parse_number(text);
  const bool padded = text.size() > 1 && text.front() == '0';
  return number && !padded && number.value <= INT32_MAX ? static_cast<int>(number.value) : -1;
}

/// The number in "nvidia12" for the prefix "nvidia", or -1 for any other name.
constexpr int number_behind(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix ? plain_number(name.substr(prefix.size())) : -1;
}

inline int read_numa_node(const ProbePath& path) {
  const int node = plain_number(SmallFile(path).text());
  return node < 65536 ? node : -1;
}

inline bool has_numbered(const ProbePath& directory, std::string_view prefix) {
  return any_name(directory,
                  [&](std::string_view name) { return number_behind(name, prefix) >= 0; });
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_PROBE_DETAIL_PROBE_FILES_HPP
