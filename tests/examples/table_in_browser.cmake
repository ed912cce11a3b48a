# SPDX-License-Identifier: MIT
#
# What a browser makes of the pictures that PROGRAM draws in FOLDER, where one is installed.
include("${CMAKE_CURRENT_LIST_DIR}/../install/tools.cmake")
skip_without(chromium python3)
file(REMOVE_RECURSE "${FOLDER}")
run("${found_python3}" -B "${CMAKE_CURRENT_LIST_DIR}/table_in_browser.py" "${PROGRAM}" "${FOLDER}" "${found_chromium}")
