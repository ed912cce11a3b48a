# SPDX-License-Identifier: MIT
#
# Builds the program rankmap by TREE's preset `program` in the folder BUILD, installs it, and runs what was installed: one
# static file, and only if it is asked for.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(readelf)
file(REMOVE_RECURSE "${BUILD}")
foreach(wanted IN ITEMS OFF ON)
  run("${CMAKE_COMMAND}" --preset program -S "${TREE}" -B "${BUILD}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DRANKMAP_INSTALL_PROGRAM=${wanted}")
  if(wanted)
    run("${CMAKE_COMMAND}" --build "${BUILD}" --target rankmap_program)
  endif()
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${BUILD}/${wanted}")
endforeach()
if(EXISTS "${BUILD}/OFF/bin" OR NOT EXISTS "${BUILD}/OFF/include/rankmap/rankmap.hpp")
  message(SEND_ERROR "the program is installed though nobody asked for it, or the headers are not")
endif()
set(program "${BUILD}/ON/bin/rankmap")
run(readelf --program-headers "${program}")
if(printed MATCHES "INTERP")
  message(SEND_ERROR "the program needs other files: it is not static")
endif()
run("${program}" hosts "n[1-2]" --fold)
if(NOT printed STREQUAL "n[1-2]\n")
  message(SEND_ERROR "the program prints ${printed}")
endif()
