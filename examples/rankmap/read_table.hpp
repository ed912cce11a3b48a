// SPDX-License-Identifier: MIT
//
// Reads the lines of `rankmap report`, from a file or standard input.
#ifndef RANKMAP_EXAMPLES_RANKMAP_READ_TABLE_HPP
#define RANKMAP_EXAMPLES_RANKMAP_READ_TABLE_HPP

#include <rankmap/job.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace program {

// `path`: "-" is standard input. Nothing, with a message, if there is nothing to read. How many
// lines were read is said on standard error where that takes longer than a second.
std::optional<rankmap::JobTable> read_table(const std::string& path, std::string_view command);

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_READ_TABLE_HPP
