# SPDX-License-Identifier: MIT
#
# Warnings are errors for those who work on rankmap, in every preset of TREE but those for users (`for_users`), and for
# nobody else: neither those presets nor somebody's project that builds the examples, both in the folder BUILD.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")

set(for_users demo program release)
file(READ "${TREE}/CMakePresets.json" json)
string(JSON last LENGTH "${json}" configurePresets)
math(EXPR last "${last} - 1")
foreach(i RANGE ${last})
  string(JSON preset GET "${json}" configurePresets ${i} name)
  string(JSON hidden ERROR_VARIABLE shown GET "${json}" configurePresets ${i} hidden)
  if(NOT shown)
    continue()
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" --preset ${preset} -N WORKING_DIRECTORY "${TREE}"
    OUTPUT_VARIABLE variables COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${variables}" "CMAKE_COMPILE_WARNING_AS_ERROR=\"ON\"" place)
  if(preset IN_LIST for_users AND NOT place EQUAL -1)
    message(SEND_ERROR "preset ${preset}: a warning is an error")
  elseif(NOT preset IN_LIST for_users AND place EQUAL -1)
    message(SEND_ERROR "preset ${preset}: a warning is no error")
  endif()
endforeach()

file(REMOVE_RECURSE "${BUILD}")
file(WRITE "${BUILD}/project/CMakeLists.txt"
  "cmake_minimum_required(VERSION 3.25)\nproject(trainer LANGUAGES CXX)\nadd_subdirectory(\"${TREE}\" rankmap)\n")
foreach(kind IN ITEMS demo project)
  set(source -S "${BUILD}/project" -DRANKMAP_BUILD_EXAMPLES=ON)
  if(kind STREQUAL "demo")
    set(source --preset demo -S "${TREE}")
  endif()
  run("${CMAKE_COMMAND}" ${source} -B "${BUILD}/${kind}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  file(READ "${BUILD}/${kind}/build/compile_commands.json" commands)
  if(NOT commands MATCHES "whoami.cpp" OR NOT commands MATCHES "-Wextra")
    message(SEND_ERROR "${kind}: no example is built, or none with warnings")
  endif()
  if(commands MATCHES "-Werror")
    message(SEND_ERROR "${kind}: a warning is an error")
  endif()
endforeach()
