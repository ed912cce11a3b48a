// SPDX-License-Identifier: MIT
// What was found in the output of a job that looks like records and is none.
#ifndef RANKMAP_JOB_UNREAD_LINES_HPP
#define RANKMAP_JOB_UNREAD_LINES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// Counts what could not be read, and keeps the first of it to be shown.
struct UnreadLines {
  static constexpr std::size_t max_samples = 3;
  [[deprecated("use max_samples")]] static constexpr std::size_t most_samples = max_samples;

  std::int64_t pieces = 0;         ///< of torn or merged records; a record may be several
  std::int64_t other_schemas = 0;  ///< records that another version of rankmap wrote
  int highest_schema = 0;          ///< of those

  /// The beginnings of the first pieces, escaped: printable ASCII. The span views this object.
  constexpr std::span<const StaticString<79>> samples() const RANKMAP_LIFETIMEBOUND {
    return {samples_, pieces < 3 ? static_cast<std::size_t>(pieces) : max_samples};
  }

  /// Counts one more piece, which begins with `text`.
  constexpr void add_piece(std::string_view text) {
    if (pieces < static_cast<std::int64_t>(max_samples)) {
      detail::append_escaped(samples_[static_cast<std::size_t>(pieces)], text, 40);
    }
    ++pieces;
  }
  /// Counts a record of a schema that is not known here.
  constexpr void add_schema(int schema) {
    ++other_schemas;
    if (schema > highest_schema) highest_schema = schema;
  }

 private:
  StaticString<79> samples_[max_samples] = {};
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_JOB_UNREAD_LINES_HPP
