# SPDX-License-Identifier: MIT
#
#   cmake -D COMPILER=g++ -D "SOURCES=a.cpp;b.cpp" -D PROGRAM=out/name [-D "FLAGS=-O2;-m32"]
#         [-D EXPECTED=file] [-D LOCALE=de_DE] [-D RUNNER=qemu-s390x] -P build_and_run.cmake
#
# Compiles and links SOURCES against the headers of this tree, runs the PROGRAM, by RUNNER if one is
# given, and compares what it prints with EXPECTED. LOCALE is made beside PROGRAM, so that it need
# not be installed, and its name is passed to the program.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../consumers/tools.cmake")
skip_without(${RUNNER})
find_compiler("${COMPILER}")
execute_process(
  COMMAND "${command}" -std=c++20 "-I${CMAKE_CURRENT_LIST_DIR}/../../include" ${flags} ${FLAGS} ${SOURCES}
    -o "${PROGRAM}"
  RESULT_VARIABLE code ERROR_VARIABLE complaints)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${COMPILER} ${FLAGS} ended with ${code}:\n${complaints}")
endif()

set(arguments "")
if(LOCALE)
  set(locales "${PROGRAM}.locales")
  set(arguments ${LOCALE}.UTF-8)
  file(MAKE_DIRECTORY "${locales}")
  execute_process(COMMAND localedef -i ${LOCALE} -f UTF-8 "${locales}/${arguments}"
    RESULT_VARIABLE code ERROR_VARIABLE complaints)
  if(NOT code EQUAL 0)
    skip("no locale ${LOCALE} could be made (package locales): ${complaints}")
  endif()
  set(ENV{LOCPATH} "${locales}")
endif()

execute_process(COMMAND ${RUNNER} "${PROGRAM}" ${arguments}
  OUTPUT_VARIABLE printed ERROR_VARIABLE complaints RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the program ended with ${code}: ${complaints}")
endif()
if(EXPECTED)
  file(READ "${EXPECTED}" expected)
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "expected\n${expected}\nbut the program prints\n${printed}")
  endif()
endif()
