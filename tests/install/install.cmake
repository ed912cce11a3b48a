# SPDX-License-Identifier: MIT
#
# Installs the library from TREE and moves it to PREFIX afterwards: what works from there knows no path of the build.
# OPTIONS go to CMake.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
file(REMOVE_RECURSE "${PREFIX}" "${PREFIX}-build" "${PREFIX}-before")
run("${CMAKE_COMMAND}" -S "${TREE}" -B "${PREFIX}-build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_INSTALL_PREFIX=${PREFIX}-before" -DRANKMAP_BUILD_TESTS=OFF -DRANKMAP_BUILD_EXAMPLES=OFF ${OPTIONS})
run("${CMAKE_COMMAND}" --install "${PREFIX}-build")
file(RENAME "${PREFIX}-before" "${PREFIX}")
file(REMOVE_RECURSE "${PREFIX}-build")
