# SPDX-License-Identifier: MIT
#
# Compiles after_a_call.cpp with COMPILER, which is g++, into BUILD: no `after_...` may be called from .text.unlikely, where g++ keeps what
# it takes for cold. PLANT: one of them that is cold, and has to be noticed.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../tools.cmake")
skip_without(objdump)
set(source "${CMAKE_CURRENT_LIST_DIR}/after_a_call.cpp")
file(MAKE_DIRECTORY "${BUILD}")
set(object "${BUILD}/after_a_call.o")

# Sets `after` to the names that are called from a section of the object.
function(find_after section)
  run(objdump -r -C -j ${section} "${object}")
  string(REGEX MATCHALL "after_[a-z_]+\\(" after "${printed}")
  list(TRANSFORM after REPLACE "\\(" "")
  list(REMOVE_DUPLICATES after)
  set(after "${after}" PARENT_SCOPE)
endfunction()

foreach(level IN ITEMS -O2 -O3)
  run("${COMPILER}" -std=c++20 ${level} -Wall -Wextra -Werror "-I${INCLUDE}" ${PLANT} -c "${source}" -o "${object}")
  find_after(.text)
  list(LENGTH after count)
  if(count LESS 30)
    message(FATAL_ERROR "only ${count} calls are in .text at ${level}: ${after}")
  endif()
  find_after(.text.unlikely)
  if(after)
    message(FATAL_ERROR "cold at ${level}, as the calls before them: ${after}")
  endif()
endforeach()
