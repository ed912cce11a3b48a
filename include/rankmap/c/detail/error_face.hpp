// SPDX-License-Identifier: MIT
// The errors of rankmap.h: the number of a code, and its name.
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

/// The numbers of C are those of Errc, from 1 on: a code that comes later goes to the end of both.
constexpr int c_code(Errc code) { return static_cast<int>(code) + 1; }
static_assert(c_code(Errc::not_a_number) == RANKMAP_NOT_A_NUMBER &&
              c_code(Errc::bad_launcher) == RANKMAP_BAD_LAUNCHER);

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
  if (code < RANKMAP_OK || code > RANKMAP_BAD_LAUNCHER) return "unknown";
  return rankmap::name(static_cast<rankmap::Errc>(code - 1)).data();  // of a literal
}

RANKMAP_API const char* rankmap_version(void) {
  static constexpr auto text = rankmap::detail::concat<31>(
      RANKMAP_VERSION_MAJOR, ".", RANKMAP_VERSION_MINOR, ".", RANKMAP_VERSION_PATCH);
  return text.c_str();
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_ERROR_FACE_HPP
