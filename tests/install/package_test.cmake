# SPDX-License-Identifier: MIT
#
# rankmap_add_package_test(NAME SCRIPT VARIABLE=VALUE...): a test that runs SCRIPT.cmake, from beside this file, with these
# variables. The elements of a list stand with $<SEMICOLON> between them.
function(rankmap_add_package_test name script)
  list(TRANSFORM ARGN PREPEND -D)
  add_test(NAME "package/${name}"
    COMMAND "${CMAKE_COMMAND}" ${ARGN} -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script}.cmake")
  set_tests_properties("package/${name}" PROPERTIES
    LABELS package TIMEOUT 900 SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()
