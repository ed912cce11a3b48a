# SPDX-License-Identifier: MIT
#
# Runs PROGRAM (a path, or a list that begins with an emulator) as a single process without any
# launcher's variables, and compares what it prints with the file EXPECTED, where there is one.
execute_process(COMMAND "${CMAKE_COMMAND}" -E environment OUTPUT_VARIABLE environment)
string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*=" names "${environment}")
foreach(name IN LISTS names)
  string(REPLACE "=" "" name "${name}")
  if(NOT name MATCHES "^(PATH|SYSTEMROOT|LD_.*|DYLD_.*|[A-Z]*SAN_OPTIONS)$")
    unset(ENV{${name}})
  endif()
endforeach()

execute_process(COMMAND ${PROGRAM}
  OUTPUT_VARIABLE printed ERROR_VARIABLE complaints RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the program ended with ${code}: ${complaints}")
endif()
if(EXISTS "${EXPECTED}")
  file(READ "${EXPECTED}" expected)
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "expected was\n${expected}\nbut the program prints\n${printed}")
  endif()
endif()
