// SPDX-License-Identifier: MIT
// What all faces share: structs that cross from C to C++, and the numbers and names of errors. Each
// struct says how large it is, so that the two sides may be of different versions.
#ifndef RANKMAP_C_DETAIL_STRUCTS_HPP
#define RANKMAP_C_DETAIL_STRUCTS_HPP

#include <rankmap/rankmap.h>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The name of a struct, and its size in the first version of rankmap.h. No program has a smaller
/// one: members are added behind the last one, and none is taken away.
struct StructKind {
  std::string_view name;
  int first_size;
};
constexpr StructKind struct_kind(const rankmap_process*) { return {"rankmap_process", 308}; }
constexpr StructKind struct_kind(const rankmap_device*) { return {"rankmap_device", 196}; }
constexpr StructKind struct_kind(const rankmap_sampler*) { return {"rankmap_sampler", 56}; }

/// The error of an argument that is null.
inline Error null_argument(std::string_view name) {
  return error_missing(Errc::missing, name, "no null pointer", "pass an address");
}

RANKMAP_RARE inline Optional<Error> check_size(int size, const StructKind& kind) {
  constexpr int most = 1 << 16;  // a larger one is memory that was never set
  if (size >= kind.first_size && size <= most) return {};
  return out_of_range(concat(kind.name, ".struct_size"), size,
                      concat("a size from ", kind.first_size, " to ", most),
                      concat("set it to sizeof(", kind.name, "), as its INIT does"));
}

/// The error of a struct that is null, or whose size is impossible.
Optional<Error> check_struct(const auto* given) {
  const StructKind kind = struct_kind(given);
  return given == nullptr ? null_argument(kind.name) : check_size(given->struct_size, kind);
}

/// Copies the members that both sides know. Those that the program alone knows stay as they are.
template <class Struct>
void copy_struct(const Struct& from, Struct* to) {
  const int size = to->struct_size;
  const auto known = static_cast<std::size_t>(size) < sizeof(Struct)
                         ? static_cast<std::size_t>(size)
                         : sizeof(Struct);
  std::memcpy(static_cast<void*>(to), &from, known);
  to->struct_size = size;
}

/// Copies a text, as far as it fits, with a zero byte behind it.
inline void copy_text(std::string_view from, char* to, std::size_t capacity) {
  const std::size_t size = from.size() < capacity ? from.size() : capacity - 1;
  for (std::size_t i = 0; i != size; ++i) to[i] = from[i];
  to[size] = '\0';
}
template <std::size_t Capacity>
void copy_text(std::string_view from, char (&to)[Capacity]) {
  copy_text(from, to, Capacity);
}

/// The text in an array that the caller filled: all of it, if no zero byte ends it.
template <std::size_t Capacity>
std::string_view text_in(const char (&from)[Capacity]) {
  const std::string_view all(from, Capacity);
  return all.substr(0, all.find('\0'));
}

/// The numbers of C are those of Errc plus 1. A new code goes to the end of both lists.
constexpr int c_code(Errc code) { return static_cast<int>(code) + 1; }
static_assert(c_code(Errc::not_a_number) == RANKMAP_NOT_A_NUMBER &&
              c_code(Errc::bad_launcher) == RANKMAP_BAD_LAUNCHER);

/// Hands a code and its text to the caller, as far as the struct takes them, and returns the code.
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

#endif  // RANKMAP_C_DETAIL_STRUCTS_HPP
