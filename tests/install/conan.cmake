# SPDX-License-Identifier: MIT
#
# Makes the Conan package by the recipe of a release in FILES, in a Conan home of its own below BUILD; its test_package has to find
# itself alone.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(conan)
file(REMOVE_RECURSE "${BUILD}")
file(ARCHIVE_EXTRACT INPUT "${FILES}/rankmap-${VERSION}-recipes.tar.gz" DESTINATION "${BUILD}")
set(ENV{CONAN_HOME} "${BUILD}/home")
set(ENV{CXX} "${COMPILER}")
run(conan profile detect)
run(conan create "${BUILD}/rankmap-${VERSION}-recipes/conan" --settings compiler.cppstd=20)
if(NOT printed MATCHES "\nrank 0 of 1\n")
  message(FATAL_ERROR "expected rank 0 of 1:\n${printed}")
endif()
