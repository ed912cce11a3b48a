// SPDX-License-Identifier: MIT
//
// Tables whose rows are checked by the compiler as well as at run time.
#ifndef RANKMAP_TESTS_CONSTANT_ROWS_HPP
#define RANKMAP_TESTS_CONSTANT_ROWS_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

namespace rankmap_test {

/// The compiler checks one row of so many. All of them take it minutes and two gigabytes, for
/// functions that the few reach as well; at run time each row has its turn. With
/// RANKMAP_TEST_EVERY_ROW, which the preset `clang` sets, the compiler checks all.
#ifdef RANKMAP_TEST_EVERY_ROW
inline constexpr std::size_t constant_row_step = 1;
#else
inline constexpr std::size_t constant_row_step = 5;
#endif

/// Whether `holds(i)` is true of the rows that are checked here: i is a std::integral_constant.
/// Each row is a constant evaluation of its own where `holds` reads a variable template, since
/// compilers limit the steps of one.
template <std::size_t Count, std::size_t Step = constant_row_step, class Holds>
constexpr bool constant_rows_hold(Holds holds) {
  return [holds]<std::size_t... I>(std::index_sequence<I...>) {
    return (holds(std::integral_constant<std::size_t, I * Step>()) && ...);
  }
  (std::make_index_sequence<(Count + Step - 1) / Step>());
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_CONSTANT_ROWS_HPP
