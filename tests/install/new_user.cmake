# SPDX-License-Identifier: MIT
#
# Somebody with an empty folder and the README of TREE: its program and its lines for FetchContent, with this repository
# for the example's. Built in BUILD with warnings as errors, it has to find the ranks of two processes of each MPI.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../docs/blocks.cmake")
skip_without(mpirun.openmpi mpiexec.hydra)
find_compiler("${COMPILER}")
find_repository("${TREE}" "${BUILD}-repository")

file(READ "${TREE}/README.md" rest)
rankmap_next_block(rest)
while(found)
  if(language STREQUAL "cpp" AND NOT program)
    set(program "${body}")
  elseif(language STREQUAL "cmake" AND body MATCHES "FetchContent")
    set(lines "${body}")
  endif()
  rankmap_next_block(rest)
endwhile()
set(placeholder "0000000000000000000000000000000000000000")
foreach(example IN ITEMS "https://example.org/rankmap.git" "${placeholder}")
  if(NOT lines MATCHES "GIT_[A-Z]+ ${example}")
    message(FATAL_ERROR "README.md: FetchContent without ${example}:\n${lines}")
  endif()
endforeach()
string(REPLACE "https://example.org/rankmap.git" "\"${repository}\"" lines "${lines}")
string(REPLACE "${placeholder}" "${commit}" lines "${lines}")

file(REMOVE_RECURSE "${BUILD}")
file(WRITE "${BUILD}/train.cpp" "${program}")
file(WRITE "${BUILD}/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.25)\nproject(train LANGUAGES CXX)\n${lines}"
  "target_compile_options(train PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)\n")
run("${CMAKE_COMMAND}" -S "${BUILD}" -B "${BUILD}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${command}")
run("${CMAKE_COMMAND}" --build "${BUILD}/build")

set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
foreach(launcher IN ITEMS "mpirun.openmpi;--oversubscribe" "mpiexec.hydra")
  run(${launcher} -n 2 "${BUILD}/build/train")
  foreach(expected IN ITEMS "rank 0 of 2, local rank 0, [a-z0-9:]+, samples 0 2 4 6\n" "rank 1 of 2, local rank 1, [a-z0-9:]+, samples 1 3 5 7\n")
    if(NOT printed MATCHES "${expected}")
      message(FATAL_ERROR "${launcher}: expected ${expected} in\n${printed}")
    endif()
  endforeach()
endforeach()
