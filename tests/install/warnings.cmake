# SPDX-License-Identifier: MIT
#
# Nobody who includes rankmap is warned of it: each program of README.md and each example, compiled by COMPILER with warnings
# as errors and without SYSTEM at each of LEVELS, and the header of each folder. With WHOLE each public header alone, and all of it
# also without exceptions and RTTI.
# What a compiler warns of depends on what it inlines, so that each program is compiled by itself.
#
#   cmake [-D WHOLE=ON] -D COMPILER=g++-14 -P tests/install/warnings.cmake
#
# With MPI the examples that need it are compiled, and nothing else. The one with libtorch takes a minute a level: with more
# warnings than here it is built for its own tests.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../docs/blocks.cmake")
find_compiler("${COMPILER}")
cmake_path(SET tree NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
if(NOT DEFINED LEVELS)
  set(LEVELS -O0 -O2 -O3)
  if(COMPILER MATCHES "clang" AND NOT WHOLE)
    set(LEVELS -O0)  # its warnings come from the front end, which is the same at each level
  endif()
endif()
if(NOT DEFINED BUILD)
  set(BUILD "${tree}/build/warnings/${COMPILER}")
endif()
set(compile "${command}" ${flags} -std=c++20 -Wall -Wextra -Werror "-I${tree}/include" -S -o /dev/null)

file(GLOB programs "${tree}/examples/*.cpp")
if(MPI)
  skip_without(mpicxx.openmpi)
  list(FILTER programs INCLUDE REGEX "/mpi_[a-z]+[.]cpp$")
  execute_process(COMMAND mpicxx.openmpi --showme:incdirs
    OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(folders UNIX_COMMAND "${folders}")
  list(TRANSFORM folders PREPEND -isystem)
  list(APPEND compile ${folders} -DOMPI_SKIP_MPICXX)
  set(headers "")
else()
  list(FILTER programs EXCLUDE REGEX "/mpi_[a-z]+[.]cpp$")
  list(LENGTH programs examples)
  set(glob GLOB)
  if(WHOLE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} headers RELATIVE "${tree}/include" "${tree}/include/rankmap/*.hpp")
  list(FILTER headers EXCLUDE REGEX "/detail/")
  file(READ "${tree}/README.md" rest)
  rankmap_next_block(rest)
  while(found)
    if(language STREQUAL "cpp")
      rankmap_program_of(body)
      list(LENGTH programs number)
      list(APPEND programs "${BUILD}/readme_${number}.cpp")
      file(WRITE "${BUILD}/readme_${number}.cpp" "${body}")
    endif()
    rankmap_next_block(rest)
  endwhile()
  list(LENGTH programs count)
  if(examples EQUAL 0 OR count EQUAL examples OR NOT headers)
    message(FATAL_ERROR "no example, no program of README.md or no header was found")
  endif()
endif()

# Shows the complaint and goes on, so that one run shows all of them.
function(compile)
  execute_process(COMMAND ${compile} ${ARGV} ERROR_VARIABLE complaint RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " what)
    message(SEND_ERROR "${COMPILER} ${what}\n${complaint}")
  endif()
endfunction()

# A constant takes at most half of the steps that MSVC makes by default, as clang counts them.
set(steps "")
if(COMPILER MATCHES "clang")
  set(steps -fconstexpr-steps=50000)
endif()
set(ways "")
if(WHOLE)
  set(ways "-fno-exceptions -fno-rtti")
endif()
foreach(way IN LISTS ways ITEMS "")
  separate_arguments(way)
  foreach(header IN LISTS headers)
    compile(${way} ${steps} -include "${header}" -x c++ /dev/null)
  endforeach()
  foreach(level IN LISTS LEVELS)
    foreach(program IN LISTS programs)
      compile(${way} ${level} "${program}")
    endforeach()
  endforeach()
endforeach()
