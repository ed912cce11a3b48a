# SPDX-License-Identifier: MIT
#
# Configures, builds and runs the project SOURCE in the fresh folder BUILD, with COMPILER and OPTIONS, and
# installs it into INSTALL below that where it is given. TARGET is built, or all. PROGRAMS must print "rank 0 of 1". TREE is
# given to a project that fetches rankmap from a repository.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(${NEEDS})
find_compiler("${COMPILER}")
list(JOIN flags " " flags)

if(TREE)
  find_repository("${TREE}" "${BUILD}-repository")
  list(APPEND OPTIONS "-DRANKMAP_REPOSITORY=${repository}" "-DRANKMAP_COMMIT=${commit}")
endif()

file(REMOVE_RECURSE "${BUILD}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}" -Werror=dev
  "-DCMAKE_CXX_COMPILER=${command}" "-DCMAKE_CXX_FLAGS=${flags}" ${OPTIONS})
if(NOT TARGET)
  set(TARGET all)
endif()
run("${CMAKE_COMMAND}" --build "${BUILD}" --target ${TARGET})
foreach(program IN LISTS PROGRAMS)
  run_alone("" "${BUILD}/${program}" "${CMAKE_CURRENT_LIST_DIR}/alone.txt")
endforeach()
if(INSTALL)
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${BUILD}/${INSTALL}")
endif()
