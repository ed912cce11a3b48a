# SPDX-License-Identifier: MIT
#
# Compiles SOURCES with COMPILER and FLAGS, without any build system, and runs the program, by RUNNER where its
# processor is not ours. It must print EXPECTED. Where COMPLAINT is given, that has to be the compiler's first error
# instead. Where LOCALE is given, it runs once more in that one: it is made, since it need not be installed, and its name is passed to the
# program.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(${NEEDS} ${RUNNER})
find_compiler("${COMPILER}")
if(NOT DEFINED STANDARD)
  set(STANDARD 20)
endif()
if(NOT DEFINED WARNINGS)
  set(WARNINGS -Wall -Wextra -Werror)
endif()

file(REMOVE_RECURSE "${BUILD}")
file(MAKE_DIRECTORY "${BUILD}")
set(compile "${command}" -std=c++${STANDARD} ${flags} ${FLAGS} ${WARNINGS} "-I${INCLUDE}" ${SOURCES} -o "${BUILD}/program")
if(COMPLAINT)
  execute_process(COMMAND ${compile} OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE code)
  string(REGEX MATCH "error:[^\n]*" first "${printed}")
  string(FIND "${first}" "${COMPLAINT}" place)
  if(code EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "expected the error\n${COMPLAINT}\nbut the compiler says first\n${first}")
  endif()
else()
  run(${compile})
  set(program "${BUILD}/program")
  run_alone("${RUNNER}" "${program}" "${EXPECTED}")
  if(LOCALE)
    set(locales "${BUILD}/locales")
    file(MAKE_DIRECTORY "${locales}")
    execute_process(COMMAND localedef -i ${LOCALE} -f UTF-8 "${locales}/${LOCALE}.UTF-8"
      RESULT_VARIABLE code ERROR_VARIABLE complaints)
    if(NOT code EQUAL 0)
      skip("no locale ${LOCALE} could be made (package locales): ${complaints}")
    endif()
    list(PREPEND program "${CMAKE_COMMAND}" -E env "LOCPATH=${locales}")
    list(APPEND program ${LOCALE}.UTF-8)
    run_alone("${RUNNER}" "${program}" "${EXPECTED}")
  endif()
endif()
