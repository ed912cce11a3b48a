// SPDX-License-Identifier: MIT
// The list of this process's variables, which the C library keeps. No header of C++ declares it.
#ifndef RANKMAP_ENVIRONMENT_DETAIL_VARIABLE_LIST_HPP
#define RANKMAP_ENVIRONMENT_DETAIL_VARIABLE_LIST_HPP

#include <rankmap/version.hpp>

#include <cstdlib>

namespace rankmap::inline v0::detail {

#if defined(_WIN32)

inline constexpr bool can_list_variables = true;
inline char** variable_list() { return _environ; }

#elif defined(__APPLE__)

inline constexpr bool can_list_variables = true;
extern "C" char*** _NSGetEnviron();  // a shared library of macOS has no `environ`
inline char** variable_list() { return *_NSGetEnviron(); }

#elif defined(__ELF__) && defined(__GNUC__)

inline constexpr bool can_list_variables = true;
// POSIX has programs declare `environ` themselves, and they do so in several ways that contradict
// each other. Another name for it contradicts none of them.
extern "C" char** rankmap_environ __asm__("environ");
inline char** variable_list() {
  // The compiler takes the names for two variables: this makes writes to the other one visible.
  __asm__ volatile("" ::: "memory");
  return rankmap_environ;
}

#else

inline constexpr bool can_list_variables = false;
inline char** variable_list() { return nullptr; }

#endif

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_ENVIRONMENT_DETAIL_VARIABLE_LIST_HPP
