# SPDX-License-Identifier: MIT
#
# The pages of SITE are as wide as the screen, in a browser that works in FOLDER.
include("${CMAKE_CURRENT_LIST_DIR}/../install/tools.cmake")
skip_without(chromium python3)
if(NOT EXISTS "${SITE}/index.html")
  skip("no site: docs/site makes it")
endif()
run("${found_python3}" -B "${CMAKE_CURRENT_LIST_DIR}/page_widths.py" "${SITE}" "${FOLDER}" "${found_chromium}")
