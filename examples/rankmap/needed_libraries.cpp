// SPDX-License-Identifier: MIT
//
// Source: System V ABI, chapters 4 and 5 (ELF header, program header, dynamic section); ld.so(8),
// option --list, which musl's loader has, too.
#include "needed_libraries.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
#endif

namespace program {
namespace {

// Pieces of a file that may say anything of itself: what is not there reads as nothing.
class File {
 public:
  explicit File(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {}
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return file_ != nullptr; }

  // At most `size` bytes, and 1 MiB.
  std::string read(std::uint64_t offset, std::uint64_t size) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    if (offset > std::uint64_t{INT32_MAX} ||
        std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0) {
      return {};
    }
    std::string bytes(static_cast<std::size_t>(size < most ? size : most), '\0');
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file_));
    return bytes;
  }

 private:
  std::FILE* file_;
};

// Numbers of the class (32 or 64 bits) and the byte order of the file.
struct Format {
  bool is_wide;
  bool is_big;

  std::size_t word() const { return is_wide ? 8 : 4; }
  // 0 where the bytes end before it.
  std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) const {
    if (at > bytes.size() || size > bytes.size() - at) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i != size; ++i) {
      const std::size_t place = is_big ? at + i : at + size - 1 - i;
      value = value << 8U | static_cast<unsigned char>(bytes[place]);
    }
    return value;
  }
};

struct Segment {
  std::uint64_t type;
  std::uint64_t offset;
  std::uint64_t address;
  std::uint64_t size;
};

std::vector<Segment> read_segments(const File& file, const Format& format,
                                   std::string_view header) {
  const bool wide = format.is_wide;
  const std::uint64_t offset = format.number(header, wide ? 32 : 28, format.word());
  const auto size = static_cast<std::size_t>(format.number(header, wide ? 54 : 42, 2));
  const auto count = static_cast<std::size_t>(format.number(header, wide ? 56 : 44, 2));
  if (size < (wide ? 56U : 32U)) return {};
  const std::string table = file.read(offset, std::uint64_t{size} * count);
  std::vector<Segment> out;
  for (std::size_t at = 0; table.size() - at >= size; at += size) {
    out.push_back({format.number(table, at, 4),
                   format.number(table, at + (wide ? 8 : 4), format.word()),
                   format.number(table, at + (wide ? 16 : 8), format.word()),
                   format.number(table, at + (wide ? 32 : 16), format.word())});
  }
  return out;
}

constexpr std::string_view magic =
    "\x7f"
    "ELF";

struct Image {
  Format format;
  std::vector<Segment> segments;
};

// Nothing if the file is no ELF file.
std::optional<Image> read_image(const File& file) {
  const std::string header = file.is_open() ? file.read(0, 64) : std::string();
  if (header.size() < 52 || header.substr(0, 4) != magic) return std::nullopt;
  const Format format = {header[4] == 2, header[5] == 2};
  return Image{format, read_segments(file, format, header)};
}

// The program that the file names to load it; empty if it needs none.
std::string loader_of(const std::string& path) {
  const File file(path);
  const auto image = read_image(file);
  if (!image) return {};
  for (const Segment& segment : image->segments) {
    if (segment.type != 3 || segment.size > 4096) continue;
    const std::string name = file.read(segment.offset, segment.size);
    return name.substr(0, name.find('\0'));
  }
  return {};
}

// What a program prints, up to 1 MiB; nothing if it cannot be run or fails.
std::string output_of(const std::vector<std::string>& words) {
  std::string out;
#if defined(__unix__) || defined(__APPLE__)
  int ends[2];
  if (pipe(ends) != 0) return out;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) {
    char bytes[4096];
    ssize_t size = 0;
    while (out.size() < (std::size_t{1} << 20U) &&
           (size = read(ends[0], bytes, sizeof bytes)) > 0) {
      out.append(bytes, static_cast<std::size_t>(size));
    }
  }
  close(ends[0]);  // a child that goes on writing ends with this
  int status = 0;
  if (error == 0 && (waitpid(child, &status, 0) != child || status != 0)) out.clear();
#else
  (void)words;
#endif
  return out;
}

// Where the links end; empty if nothing is there.
std::string real_path(const std::string& path) {
  std::string out;
#if defined(__unix__) || defined(__APPLE__)
  if (char* const found = realpath(path.c_str(), nullptr)) {
    out = found;
    std::free(found);
  }
#else
  (void)path;
#endif
  return out;
}

// Whether it is a file, and no folder or pipe; `may_run`: that a shell would run, too.
bool is_file(const std::string& path, [[maybe_unused]] bool may_run) {
#if defined(__unix__) || defined(__APPLE__)
  struct stat what = {};
  return stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode) &&
         (!may_run || access(path.c_str(), X_OK) == 0);
#else
  return File(path).is_open();
#endif
}

}  // namespace

std::string find_program(const std::string& name, bool may_run) {
  if (name.find('/') != std::string::npos) return is_file(name, false) ? name : std::string();
  const char* const variable = std::getenv("PATH");
  const std::string folders = std::string(variable == nullptr ? "/bin:/usr/bin" : variable) + ':';
  std::size_t begin = 0;
  for (std::size_t end; (end = folders.find(':', begin)) != std::string::npos; begin = end + 1) {
    const std::string folder = end == begin ? "." : folders.substr(begin, end - begin);
    if (is_file(folder + '/' + name, may_run)) return folder + '/' + name;
  }
  return {};
}

std::optional<std::vector<std::string>> needed_libraries(const std::string& path) {
  const File file(path);
  if (!file.is_open()) return std::nullopt;
  std::vector<std::string> out;
  const auto image = read_image(file);
  if (!image) return out;
  const auto& [format, segments] = *image;
  std::string dynamic;
  for (const Segment& segment : segments) {
    if (segment.type == 2) dynamic = file.read(segment.offset, segment.size);
  }
  // Pairs of a tag and a value: 1 is a name, as its place in the table of texts; 5 is that table,
  // by its address in memory; 0 is the end.
  std::vector<std::uint64_t> names;
  std::uint64_t address = 0;
  const std::size_t word = format.word();
  for (std::size_t at = 0; dynamic.size() - at >= 2 * word && names.size() != 1024;
       at += 2 * word) {
    const std::uint64_t tag = format.number(dynamic, at, word);
    const std::uint64_t value = format.number(dynamic, at + word, word);
    if (tag == 0) break;
    if (tag == 1) names.push_back(value);
    if (tag == 5) address = value;
  }
  for (const Segment& segment : segments) {
    if (segment.type != 1 || address < segment.address ||
        address - segment.address >= segment.size) {
      continue;
    }
    const std::uint64_t offset = segment.offset + (address - segment.address);
    for (const std::uint64_t name : names) {
      if (name > INT32_MAX || offset > INT32_MAX) continue;
      const std::string text = file.read(offset + name, 256);
      const std::size_t end = text.find('\0');
      if (end != std::string::npos && end != 0) out.push_back(text.substr(0, end));
    }
    break;
  }
  return out;
}

std::string mpi_library(const std::vector<std::string>& libraries) {
  for (const std::string& library : libraries) {
    for (const char* const name :
         {"libmpi.so.", "libmpich.so.", "libmpi_cray.so.", "libmpi_abi.so."}) {
      if (library.find(name) == 0) return library;
    }
  }
  return {};
}

std::vector<LibraryFile> library_files(const std::string& path) {
  const std::string loader = loader_of(path);
  if (loader.empty()) return {};
  // A line each: "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f0a1c000000)"
  const std::string output = output_of({loader, "--list", path});
  std::vector<LibraryFile> out;
  std::string_view rest = output;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() == rest.size() ? line.size() : line.size() + 1);
    const std::size_t arrow = line.find(" => ");
    const std::size_t address = line.rfind(" (0x");
    const std::size_t start = line.find_first_not_of(" \t");
    if (arrow == line.npos || address == line.npos || start >= arrow || address < arrow + 4) {
      continue;
    }
    const std::string file = real_path(std::string(line.substr(arrow + 4, address - arrow - 4)));
    if (!file.empty()) out.push_back({std::string(line.substr(start, arrow - start)), file});
  }
  return out;
}

std::string versioned_name(const std::vector<LibraryFile>& files, const std::string& library) {
  for (const LibraryFile& file : files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (file.library == library && name.find(library + '.') == 0) return name;
  }
  return library;
}

std::string collectives_library(const std::vector<LibraryFile>& files) {
  for (const LibraryFile& file : files) {
    if (file.library.find("libnccl.so.") != 0 && file.library.find("librccl.so.") != 0) continue;
    const std::string name = versioned_name(files, file.library);
    if (name != file.library) return name;
  }
  return {};
}

}  // namespace program
