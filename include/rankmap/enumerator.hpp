// SPDX-License-Identifier: MIT
// Enumerators as words: each public enumeration has a `name`, and what has one can be printed.
#ifndef RANKMAP_ENUMERATOR_HPP
#define RANKMAP_ENUMERATOR_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <type_traits>

namespace rankmap::inline v0 {

namespace detail {

/// The name of an enumerator that counts from 0, in a list that has a NUL behind each name; "?" for
/// a number that is none. One literal: an array of names would be addresses to relocate.
template <std::size_t N, class Enum>
constexpr const char* enumerator(const char (&names)[N], Enum value) {
  std::size_t at = 0;
  for (auto before = static_cast<std::size_t>(value); before != 0; --before) {
    while (names[at] != '\0') ++at;
    if (++at == N) return "?";
  }
  return names + at;
}

}  // namespace detail

/// Prints an enumerator of rankmap by its name to a std::ostream, and so in GoogleTest's output.
template <class Stream, class Enum>
requires std::is_enum_v<Enum> && requires(Stream& out, Enum value) {
  typename Stream::char_type;
  out << name(value);
}
Stream& operator<<(Stream& out, Enum value) {
  out << name(value);
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ENUMERATOR_HPP
