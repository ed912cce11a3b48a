# SPDX-License-Identifier: MIT
#
# Builds the unit tests of the project SOURCE for Windows in the fresh folder BUILD, and runs them by Wine. Its folder of settings is
# below BUILD, too.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(x86_64-w64-mingw32-g++-posix)
find_program(wine NAMES wine64 PATHS /usr/lib/wine NO_CACHE)
if(NOT wine)
  skip("not installed: wine64")
endif()
set(googletest /usr/src/googletest)
if(NOT EXISTS "${googletest}")
  skip("not installed: the sources of GoogleTest (package googletest)")
endif()

file(REMOVE_RECURSE "${BUILD}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}"
  --toolchain "${CMAKE_CURRENT_LIST_DIR}/windows_toolchain.cmake" -D RANKMAP_BUILD_EXAMPLES=OFF
  -D FETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER -D "FETCHCONTENT_SOURCE_DIR_GOOGLETEST=${googletest}")
run("${CMAKE_COMMAND}" --build "${BUILD}" --target rankmap_unit_tests)

set(ENV{WINEPREFIX} "${BUILD}/wine")
set(ENV{WINEDEBUG} -all)
file(GLOB_RECURSE programs "${BUILD}/rankmap_test_*.exe")
set(count 0)
foreach(program IN LISTS programs)
  run("${wine}" "${program}" --gtest_brief=1)
  string(REGEX MATCH "\\[  PASSED  \\] ([0-9]+) test" passed "${printed}")
  if(NOT passed)
    message(FATAL_ERROR "${program} does not say how many tests passed:\n${printed}")
  endif()
  math(EXPR count "${count} + ${CMAKE_MATCH_1}")
endforeach()
list(LENGTH programs programs)
message("${count} tests in ${programs} programs passed")
if(count LESS 1300)
  message(FATAL_ERROR "some tests were not built")
endif()
