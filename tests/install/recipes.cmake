# SPDX-License-Identifier: MIT
#
# The package recipes of TREE agree with it.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(python3)
run(python3 "${CMAKE_CURRENT_LIST_DIR}/recipes.py" "${TREE}")
message(STATUS "${printed}")
