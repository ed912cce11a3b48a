# SPDX-License-Identifier: MIT
#
#   cmake -D PROGRAM=build/examples/rankmap_example_whoami -P whoami.cmake
#
# Runs the example whoami with each of its options, and where the process cannot be resolved.
cmake_policy(VERSION 3.25)

# No launcher of whoever runs the tests, but what `environment` sets.
function(rankmap_expect code to_output to_error)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=RANK --unset=WORLD_SIZE --unset=LOCAL_RANK ${environment} "${PROGRAM}" ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result STREQUAL code OR NOT output MATCHES "^${to_output}$" OR NOT error MATCHES "^${to_error}$")
    message(SEND_ERROR "whoami ${ARGN}: exit code ${result}, expected ${code}; output\n${output}\nerrors\n${error}")
  endif()
endfunction()

set(usage "usage: whoami .--json.\n")
rankmap_expect(0 "${usage}" "" --help)
rankmap_expect(2 "" "${usage}" --x)
rankmap_expect(2 "" "${usage}" --json --json)
rankmap_expect(2 "" "${usage}" --json --help)

set(environment RANK=1 WORLD_SIZE=2 LOCAL_RANK=1)
rankmap_expect(0 "launcher          torch_env\nrank              1 .*" "")
rankmap_expect(0 "{\"schema\":1,\"launcher\":\"torch_env\".*}\n" "" --json)

set(environment "RANK=a\"b" WORLD_SIZE=2 LOCAL_RANK=1)
rankmap_expect(1 "" "rankmap: RANK=\"a.\"b\": expected a decimal number .*\n")
rankmap_expect(1 "" "{\"error\":\"RANK=..a....b..: expected a decimal number .*\"}\n" --json)
