# SPDX-License-Identifier: MIT
#
# Everything that tells a version tells that of the header: the installed packages in PREFIX, the changelog's newest entry, and
# the tag of the commit, if it has one. A tagged version is a released one.
cmake_minimum_required(VERSION 3.25)
file(READ "${PREFIX}/share/cmake/rankmap/rankmap-config-version.cmake" package)
file(READ "${PREFIX}/share/pkgconfig/rankmap.pc" pkg_config)
file(STRINGS "${TREE}/CHANGELOG.md" entries REGEX "^## ")
list(POP_FRONT entries newest)
if(NOT package MATCHES "PACKAGE_VERSION \"([0-9.]+)\"" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "the CMake package is not ${VERSION} but ${CMAKE_MATCH_1}")
endif()
if(NOT pkg_config MATCHES "Version: ([^\n]*)" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "rankmap.pc is not ${VERSION} but ${CMAKE_MATCH_1}")
endif()
if(NOT newest MATCHES "^## ([0-9.]+) [(]([a-z0-9-]+)[)]$" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "the newest entry of CHANGELOG.md is not \"## ${VERSION} (date)\" but \"${newest}\"")
endif()
set(date "${CMAKE_MATCH_2}")

execute_process(COMMAND git -C "${TREE}" tag --points-at HEAD
  OUTPUT_VARIABLE tags ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" tags "${tags}")
foreach(tag IN LISTS tags)
  if(tag MATCHES "^v[0-9]" AND NOT tag STREQUAL "v${VERSION}")
    message(SEND_ERROR "the commit has the tag ${tag}, but is ${VERSION}")
  elseif(tag STREQUAL "v${VERSION}" AND NOT date MATCHES "^[0-9]+-[0-9]+-[0-9]+$")
    message(SEND_ERROR "the commit has the tag ${tag}, but CHANGELOG.md calls it ${date}")
  endif()
endforeach()
