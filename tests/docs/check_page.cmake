# SPDX-License-Identifier: MIT
#
# What a page says without a compiler noticing: its links lead somewhere, the presets in its
# commands exist, and each line of a ```c++ block stands in the header of the page's name.
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/blocks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/check_reference.cmake")
file(READ "${ROOT}/${PAGE}" rest)
get_filename_component(folder "${ROOT}/${PAGE}" DIRECTORY)
get_filename_component(noun "${PAGE}" NAME_WE)

if(rest MATCHES "\n[ \t>]+```")
  message(SEND_ERROR "${PAGE}: a code block has to begin at the start of a line")
endif()

file(READ "${ROOT}/CMakePresets.json" presets)
string(REGEX MATCHALL "--preset[ =][a-z-]+" used "${rest}")
foreach(preset IN LISTS used)
  string(REGEX REPLACE "--preset[ =]" "" preset "${preset}")
  if(NOT presets MATCHES "\"name\": \"${preset}\"")
    message(SEND_ERROR "${PAGE}: there is no preset ${preset}")
  endif()
endforeach()

# Links to other places of the tree, checked in the prose only.
set(prose "${rest}")
set(header "")
if(EXISTS "${ROOT}/include/rankmap/${noun}.hpp")
  file(READ "${ROOT}/include/rankmap/${noun}.hpp" header)
  string(REGEX REPLACE "[ \t\n]+" "" header "${header}")
endif()
rankmap_next_block(rest)
while(found)
  string(REPLACE "```${language}\n${body}```" "" prose "${prose}")
  if(language STREQUAL "c++")
    while(NOT body STREQUAL "")
      string(FIND "${body}" "\n" end)
      string(SUBSTRING "${body}" 0 ${end} line)
      math(EXPR end "${end} + 1")
      string(SUBSTRING "${body}" ${end} -1 body)
      string(REGEX REPLACE "[ \t]*//.*" "" line "${line}")
      string(REGEX REPLACE "[ \t\n]+|;$" "" bare "${line}")
      string(FIND "${header}" "${bare}" place)
      if(place EQUAL -1)
        message(SEND_ERROR "${PAGE}: the header has no ${line}")
      endif()
    endwhile()
  endif()
  rankmap_next_block(rest)
endwhile()

string(REGEX REPLACE "`[^`\n]*`" "" prose "${prose}")  # code is no link
string(REGEX REPLACE "[][]" "|" prose "${prose}")  # square brackets would hold list items together
string(REGEX MATCHALL "\\|\\([^)#: ]+" links "${prose}")
foreach(link IN LISTS links)
  string(REGEX REPLACE "^\\|\\(" "" link "${link}")
  if(NOT EXISTS "${folder}/${link}")
    message(SEND_ERROR "${PAGE}: the link to ${link} leads nowhere")
  endif()
endforeach()

if(PAGE MATCHES "^docs/reference/")
  rankmap_check_reference("${PAGE}" "${noun}")
endif()
