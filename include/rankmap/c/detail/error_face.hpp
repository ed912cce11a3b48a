// SPDX-License-Identifier: MIT
// The errors of rankmap.h: codes that keep their numbers, whatever order Errc has.
#ifndef RANKMAP_C_DETAIL_ERROR_FACE_HPP
#define RANKMAP_C_DETAIL_ERROR_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

struct ErrorNumber {
  Errc code;
  int number;
};
inline constexpr ErrorNumber error_numbers[] = {
    {Errc::not_a_number, RANKMAP_NOT_A_NUMBER},
    {Errc::number_too_large, RANKMAP_NUMBER_TOO_LARGE},
    {Errc::out_of_range, RANKMAP_OUT_OF_RANGE},
    {Errc::missing, RANKMAP_MISSING},
    {Errc::inconsistent, RANKMAP_INCONSISTENT},
    {Errc::conflict, RANKMAP_CONFLICT},
    {Errc::ambiguous, RANKMAP_AMBIGUOUS},
    {Errc::unknown_launcher, RANKMAP_UNKNOWN_LAUNCHER},
    {Errc::bad_host_list, RANKMAP_BAD_HOST_LIST},
    {Errc::bad_task_counts, RANKMAP_BAD_TASK_COUNTS},
    {Errc::bad_endpoint, RANKMAP_BAD_ENDPOINT},
    {Errc::bad_json, RANKMAP_BAD_JSON},
    {Errc::bad_file, RANKMAP_BAD_FILE},
    {Errc::limit_exceeded, RANKMAP_LIMIT_EXCEEDED},
    {Errc::bad_layout, RANKMAP_BAD_LAYOUT},
    {Errc::duplicate_place, RANKMAP_DUPLICATE_PLACE},
    {Errc::gather_failed, RANKMAP_GATHER_FAILED},
    {Errc::no_device, RANKMAP_NO_DEVICE},
    {Errc::not_enough_devices, RANKMAP_NOT_ENOUGH_DEVICES},
    {Errc::bad_device_list, RANKMAP_BAD_DEVICE_LIST},
    {Errc::bad_axis, RANKMAP_BAD_AXIS},
    {Errc::bad_domain, RANKMAP_BAD_DOMAIN},
    {Errc::not_enough_nodes, RANKMAP_NOT_ENOUGH_NODES},
    {Errc::bad_sampler, RANKMAP_BAD_SAMPLER},
    {Errc::bad_launcher, RANKMAP_BAD_LAUNCHER},
};

constexpr int c_code(Errc code) {
  for (const ErrorNumber& row : error_numbers) {
    if (row.code == code) return row.number;
  }
  return RANKMAP_INCONSISTENT;
}

/// Hands a code and its text to the caller, as far as his struct takes them, and returns the code.
inline int tell(rankmap_error* to, int code, std::string_view text) {
  constexpr int before_text = offsetof(rankmap_error, text);
  if (to == nullptr || to->struct_size < before_text) return code;
  to->code = code;
  if (to->struct_size == before_text) return code;
  const auto capacity = static_cast<std::size_t>(to->struct_size - before_text);
  copy_text(text, to->text, capacity < sizeof to->text ? capacity : sizeof to->text);
  return code;
}
inline int fail(rankmap_error* to, const Error& error) {
  return tell(to, c_code(error.code), message(error));
}

}  // namespace rankmap::inline v0::detail

extern "C" {

RANKMAP_API const char* rankmap_error_name(int code) {
  if (code == RANKMAP_OK) return "ok";
  for (const rankmap::detail::ErrorNumber& row : rankmap::detail::error_numbers) {
    if (row.number == code) return rankmap::name(row.code).data();  // of a literal
  }
  return "unknown";
}

RANKMAP_API const char* rankmap_version(void) {
  static constexpr auto text = rankmap::detail::concat<31>(
      RANKMAP_VERSION_MAJOR, ".", RANKMAP_VERSION_MINOR, ".", RANKMAP_VERSION_PATCH);
  return text.c_str();
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_ERROR_FACE_HPP
