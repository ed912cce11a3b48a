# SPDX-License-Identifier: MIT
#
#   cmake -D COMPILER=g++ -D INCLUDE=include -D BUILD=build -P object_budget.cmake
#
# What a program takes that calls one function, text and data of its object at -O2, compared with the rows of
# object_budget.txt. The bytes are those of one compiler on one processor, which the first row names: there they are exact,
# and a program that takes 2 % more, or less, than its row says fails until the row is changed on purpose.
cmake_policy(VERSION 3.25)
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/object_budget.txt" rows REGEX "^[^#]")
file(MAKE_DIRECTORY "${BUILD}")
set(faults "")
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^([a-z_/]+\\.hpp) +([0-9]+) +(.+)$")
    message(FATAL_ERROR "object_budget.txt: no row: ${row}")
  endif()
  set(header "${CMAKE_MATCH_1}")
  set(budget "${CMAKE_MATCH_2}")
  file(WRITE "${BUILD}/program.cpp" "#include <rankmap/${header}>\nint main() { return ${CMAKE_MATCH_3}; }\n")
  execute_process(COMMAND "${COMPILER}" -std=c++20 -O2 "-I${INCLUDE}" -c "${BUILD}/program.cpp" -o "${BUILD}/program.o"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND size "${BUILD}/program.o" OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
  if(NOT sizes MATCHES "\n *([0-9]+)[ \t]+([0-9]+)")
    message(FATAL_ERROR "size printed ${sizes}")
  endif()
  math(EXPR bytes "${CMAKE_MATCH_1} + ${CMAKE_MATCH_2}")
  message("${header}: ${bytes} of ${budget} bytes")
  math(EXPR most "${budget} + ${budget} / 50")
  math(EXPR least "${budget} - ${budget} / 50")
  if(bytes GREATER most OR bytes LESS least)
    list(APPEND faults "${header} takes ${bytes} bytes, its row says ${budget}")
  endif()
endforeach()
if(faults)
  list(JOIN faults "\n  " text)
  message(FATAL_ERROR "object_budget.txt:\n  ${text}\n"
    "  Make it lighter if you can; else write what it takes into the row.\n")
endif()
