# SPDX-License-Identifier: MIT
#
# A Meson project in the fresh folder BUILD that has of rankmap what the recipes of a release in FILES give it: the wrap, which
# fetches the archive, and its overlay. VERSION is asked for.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(meson)
file(REMOVE_RECURSE "${BUILD}")
file(ARCHIVE_EXTRACT INPUT "${FILES}/rankmap-${VERSION}-recipes.tar.gz" DESTINATION "${BUILD}")
file(RENAME "${BUILD}/rankmap-${VERSION}-recipes/meson/subprojects" "${BUILD}/subprojects")
configure_file("${CMAKE_CURRENT_LIST_DIR}/meson/meson.build" "${BUILD}/meson.build" @ONLY)
file(COPY "${CMAKE_CURRENT_LIST_DIR}/alone.cpp" DESTINATION "${BUILD}")
set(ENV{CXX} "${COMPILER}")
run(meson setup "${BUILD}/build" "${BUILD}")
run(meson compile -C "${BUILD}/build")
run_alone("" "${BUILD}/build/consumer" "${CMAKE_CURRENT_LIST_DIR}/alone.txt")
