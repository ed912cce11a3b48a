// SPDX-License-Identifier: MIT
//
// The line of a record: an object with a marker at its front and a checksum at its end, so that it
// is found in any output, and a torn or merged line is never taken for a record.
#ifndef RANKMAP_JOB_DETAIL_RECORD_LINE_HPP
#define RANKMAP_JOB_DETAIL_RECORD_LINE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/job/detail/record_cpus.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

inline constexpr std::string_view record_marker = "{\"rankmap_job\":";
inline constexpr std::string_view record_check = ",\"check\":\"";
/// The digits of the checksum, and what is behind them.
inline constexpr std::size_t check_digits = 8;
inline constexpr std::string_view record_end = "\"}";

/// Without its newline.
using RecordLine = StaticString<JobRecord::bytes - 1>;

constexpr std::uint32_t checksum(std::string_view text) {
  std::uint64_t digest = fnv_start;
  for (const char c : text) digest = fnv_step(digest, static_cast<unsigned char>(c));
  return short_digest(digest);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_JOB_DETAIL_RECORD_LINE_HPP
