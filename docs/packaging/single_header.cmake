# SPDX-License-Identifier: MIT
#
#   cmake -D TREE=. -D VERSION=0.1.0 -D OUTPUT=rankmap.hpp -P single_header.cmake
#
# Writes all headers of TREE as one: each after those that it includes and once, with what they include of the standard
# library on top. An include below a condition stays where it is.
cmake_minimum_required(VERSION 3.25)

# Appends a header to `body`, those that it includes first.
function(append_header name)
  get_property(done GLOBAL PROPERTY done)
  if(name IN_LIST done)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY done "${name}")
  file(READ "${TREE}/include/${name}" text)
  string(REGEX MATCHALL "\n#include <rankmap/[^>]+>" own "${text}")
  foreach(include IN LISTS own)
    string(REGEX REPLACE ".*<(.*)>" "\\1" include "${include}")
    append_header("${include}")
  endforeach()

  set(before "")
  while(NOT text STREQUAL before)  # each round takes the next line below a condition
    set(before "${text}")
    string(REGEX REPLACE "(\n#[ ]*(if|elif|else|  include)[^\n]*\n)#include" "\\1#  include" text "${text}")
  endwhile()
  string(REGEX MATCHALL "\n#include <[a-z_.]+>" standard "${text}")
  set_property(GLOBAL APPEND PROPERTY standard ${standard})
  string(REGEX REPLACE "\n#include <[^\n]*" "" text "${text}")
  string(REGEX REPLACE "^// SPDX[^\n]*\n(//\n)?" "" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY body "\n// ---- ${name}\n${text}")
endfunction()

# Without the C functions, which are for one file of a program, and without std::format, which costs more than all the rest.
append_header(rankmap/rankmap.hpp)
file(GLOB_RECURSE public RELATIVE "${TREE}/include" "${TREE}/include/rankmap/*.hpp")
list(FILTER public EXCLUDE REGEX "/detail/|^rankmap/(c|format)[.]hpp$")
foreach(header IN LISTS public)
  append_header("${header}")
endforeach()
get_property(body GLOBAL PROPERTY body)
get_property(standard GLOBAL PROPERTY standard)
list(SORT standard)
list(REMOVE_DUPLICATES standard)
list(JOIN standard "" standard)
if(body MATCHES "#[ ]*include [<\"](rankmap/[^\n]*)")
  message(FATAL_ERROR "an include of rankmap is left: ${CMAKE_MATCH_1}")
endif()

# Only the tree's own repository knows its commit, and not one that it is a part of.
set(commit "no git checkout")
file(REAL_PATH "${TREE}" tree)
execute_process(COMMAND git -C "${TREE}" rev-parse --show-toplevel HEAD
  OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(found MATCHES "^(.*)\n([0-9a-f]+)$" AND CMAKE_MATCH_1 STREQUAL tree)
  set(commit "commit ${CMAKE_MATCH_2}")
  execute_process(COMMAND git -C "${TREE}" status --porcelain -- include
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit " with changes")
  endif()
endif()

file(READ "${TREE}/LICENSE" licence)
string(STRIP "${licence}" licence)
string(REPLACE "\n" "\n// " licence "// ${licence}")
string(REPLACE "// \n" "//\n" licence "${licence}")
file(WRITE "${OUTPUT}.new"
  "// rankmap ${VERSION} in one file, ${commit}\n"
  "// SPDX-License-Identifier: MIT\n//\n${licence}\n${standard}\n${body}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
