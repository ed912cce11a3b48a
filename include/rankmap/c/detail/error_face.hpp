// SPDX-License-Identifier: MIT
// The errors of rankmap.h: codes that keep their numbers, whatever order Errc has.
#ifndef RANKMAP_C_DETAIL_ERROR_FACE_HPP
#define RANKMAP_C_DETAIL_ERROR_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

constexpr int c_code(Errc code) {
  switch (code) {
    case Errc::not_a_number:
      return RANKMAP_NOT_A_NUMBER;
    case Errc::number_too_large:
      return RANKMAP_NUMBER_TOO_LARGE;
    case Errc::out_of_range:
      return RANKMAP_OUT_OF_RANGE;
    case Errc::missing:
      return RANKMAP_MISSING;
    case Errc::inconsistent:
      return RANKMAP_INCONSISTENT;
    case Errc::conflict:
      return RANKMAP_CONFLICT;
    case Errc::ambiguous:
      return RANKMAP_AMBIGUOUS;
    case Errc::unknown_launcher:
      return RANKMAP_UNKNOWN_LAUNCHER;
    case Errc::bad_host_list:
      return RANKMAP_BAD_HOST_LIST;
    case Errc::bad_task_counts:
      return RANKMAP_BAD_TASK_COUNTS;
    case Errc::bad_endpoint:
      return RANKMAP_BAD_ENDPOINT;
    case Errc::bad_json:
      return RANKMAP_BAD_JSON;
    case Errc::bad_file:
      return RANKMAP_BAD_FILE;
    case Errc::limit_exceeded:
      return RANKMAP_LIMIT_EXCEEDED;
    case Errc::bad_layout:
      return RANKMAP_BAD_LAYOUT;
    case Errc::duplicate_place:
      return RANKMAP_DUPLICATE_PLACE;
    case Errc::gather_failed:
      return RANKMAP_GATHER_FAILED;
    case Errc::no_device:
      return RANKMAP_NO_DEVICE;
    case Errc::not_enough_devices:
      return RANKMAP_NOT_ENOUGH_DEVICES;
    case Errc::bad_device_list:
      return RANKMAP_BAD_DEVICE_LIST;
    case Errc::bad_axis:
      return RANKMAP_BAD_AXIS;
    case Errc::bad_domain:
      return RANKMAP_BAD_DOMAIN;
    case Errc::not_enough_nodes:
      return RANKMAP_NOT_ENOUGH_NODES;
    case Errc::bad_sampler:
      return RANKMAP_BAD_SAMPLER;
    case Errc::bad_launcher:
      return RANKMAP_BAD_LAUNCHER;
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
  // In the order of their numbers.
  static constexpr const char* names[] = {"ok",
                                          "not_a_number",
                                          "number_too_large",
                                          "out_of_range",
                                          "missing",
                                          "inconsistent",
                                          "conflict",
                                          "ambiguous",
                                          "unknown_launcher",
                                          "bad_host_list",
                                          "bad_task_counts",
                                          "bad_endpoint",
                                          "bad_json",
                                          "bad_file",
                                          "limit_exceeded",
                                          "bad_layout",
                                          "duplicate_place",
                                          "gather_failed",
                                          "no_device",
                                          "not_enough_devices",
                                          "bad_device_list",
                                          "bad_axis",
                                          "bad_domain",
                                          "not_enough_nodes",
                                          "bad_sampler",
                                          "bad_launcher"};
  constexpr int count = static_cast<int>(sizeof names / sizeof names[0]);
  return code >= 0 && code < count ? names[code] : "unknown";
}

RANKMAP_API const char* rankmap_version(void) {
#define RANKMAP_TEXT_OF(number) #number
#define RANKMAP_VERSION_TEXT(a, b, c) \
  RANKMAP_TEXT_OF(a) "." RANKMAP_TEXT_OF(b) "." RANKMAP_TEXT_OF(c)
  return RANKMAP_VERSION_TEXT(RANKMAP_VERSION_MAJOR, RANKMAP_VERSION_MINOR, RANKMAP_VERSION_PATCH);
#undef RANKMAP_VERSION_TEXT
#undef RANKMAP_TEXT_OF
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_ERROR_FACE_HPP
