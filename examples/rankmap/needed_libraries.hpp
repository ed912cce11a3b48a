// SPDX-License-Identifier: MIT
//
// The libraries that a program names in its ELF file, and the files that they are.
#ifndef RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP
#define RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP

#include <optional>
#include <string>
#include <vector>

namespace program {

// The file that a shell would start for this name; empty if there is none. `may_run`: whether one
// in PATH that it may not start is passed over.
std::string find_program(const std::string& name, bool may_run = true);

// The names in the file's dynamic section, as "libmpi.so.40": at most 1024, and none of a file that
// is static, a script, or damaged. Nothing if it cannot be read.
std::optional<std::vector<std::string>> needed_libraries(const std::string& path);

// The MPI among them; empty: none.
std::string mpi_library(const std::vector<std::string>& libraries);

// The file of a library: "libmpi.so.40" and "/usr/lib/libmpi.so.40.30.4", where links end.
struct LibraryFile {
  std::string library;
  std::string path;
};

// The files that the loader would take for a program, and for its libraries. The loader that the
// program's file names is asked, as ldd does; it starts nothing. None of a file that is static or a
// script, and of another system's.
std::vector<LibraryFile> library_files(const std::string& path);

// The name of the file of `library`, which has the version behind it; else the name itself.
std::string versioned_name(const std::vector<LibraryFile>& files, const std::string& library);

// The same of NCCL or RCCL among them; empty: none, or a file without a version in its name.
std::string collectives_library(const std::vector<LibraryFile>& files);

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP
