// SPDX-License-Identifier: MIT
//
// Variables of this process.
#ifndef RANKMAP_TESTS_SUPPORT_VARIABLE_HPP
#define RANKMAP_TESTS_SUPPORT_VARIABLE_HPP

#include <gtest/gtest.h>

#include <cstdlib>

namespace rankmap_test {

/// Windows has no empty variables: an empty text takes a variable away there.
#if defined(_WIN32)
inline constexpr bool has_empty_variables = false;
inline void set_variable(const char* name, const char* text) {
  ASSERT_EQ(_putenv_s(name, text), 0) << name;
}
inline void unset_variable(const char* name) { set_variable(name, ""); }
#else
inline constexpr bool has_empty_variables = true;
inline void set_variable(const char* name, const char* text) {
  ASSERT_EQ(setenv(name, text, 1), 0) << name;
}
inline void unset_variable(const char* name) { ASSERT_EQ(unsetenv(name), 0) << name; }
#endif

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_VARIABLE_HPP
