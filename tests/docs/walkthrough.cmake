# SPDX-License-Identifier: MIT
#
#   cmake -D ROOT=. -D PAGE=docs/how-to/c.md -D WORK=build/c [-D NEEDS=gfortran] -P walkthrough.cmake
#
# Does what a page says, in an empty folder: a block whose first line is a comment with the name of a file is that file, the commands of
# each `sh` block are run, and a `text` block behind one is what they print. `rankmap` is this tree.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/blocks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../install/tools.cmake")
skip_without(${NEEDS})

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(REAL_PATH "${ROOT}" tree)
file(CREATE_LINK "${tree}" "${WORK}/rankmap" SYMBOLIC)
file(READ "${ROOT}/${PAGE}" rest)
set(runs 0)
set(printed "")
rankmap_next_block(rest)
while(found)
  if(language STREQUAL "sh")
    file(WRITE "${WORK}/commands" "set -e\n${body}")
    # No launcher of whoever runs the tests.
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env --unset=RANK --unset=WORLD_SIZE --unset=LOCAL_RANK --unset=SLURM_PROCID
        --unset=OMPI_COMM_WORLD_RANK --unset=PMI_RANK --unset=PMIX_RANK --unset=CUDA_VISIBLE_DEVICES sh commands
      WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE printed ERROR_VARIABLE complaints RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "${PAGE}: the commands\n${body}ended with ${code}:\n${printed}${complaints}")
    endif()
    if(NOT complaints STREQUAL "")
      message(FATAL_ERROR "${PAGE}: the commands\n${body}complain:\n${complaints}")
    endif()
    math(EXPR runs "${runs} + 1")
  elseif(language STREQUAL "text")
    if(NOT printed STREQUAL body)
      message(FATAL_ERROR "${PAGE}: expected\n${body}but the commands print\n${printed}")
    endif()
  elseif(body MATCHES "^(//|#|!) ([A-Za-z_.0-9]+)\n")
    file(WRITE "${WORK}/${CMAKE_MATCH_2}" "${body}")
  else()
    message(FATAL_ERROR "${PAGE}: the first line of a block is no comment with the name of a file:\n${body}")
  endif()
  rankmap_next_block(rest)
endwhile()
if(runs EQUAL 0)
  message(FATAL_ERROR "${PAGE} has no commands")
endif()
message("${runs} blocks of commands did what ${PAGE} says")
