// SPDX-License-Identifier: MIT
//
// The libraries that a program names in its ELF file.
#ifndef RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP
#define RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP

#include <optional>
#include <string>
#include <vector>

namespace program {

// The file that a shell would start for this name; empty if there is none.
std::string find_program(const std::string& name);

// The names in the file's dynamic section, as "libmpi.so.40": at most 1024, and none of a file that
// is static, a script, or damaged. Nothing if it cannot be read.
std::optional<std::vector<std::string>> needed_libraries(const std::string& path);

// The MPI among them; empty: none.
std::string mpi_library(const std::vector<std::string>& libraries);

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_NEEDED_LIBRARIES_HPP
