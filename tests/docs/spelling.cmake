# SPDX-License-Identifier: MIT
#
#   cmake -D ROOT=. -D WORK=build/spelling [-D PLANT="a mispelling"] -P tests/docs/spelling.cmake
#
# Each word of the pages is in the dictionary of American English or in words.txt, from beside this file; and each word of that list is
# on a page. Code, the targets of links and names with digits or underscores are no words. PLANT adds text to README.md, so that the
# check itself is checked.
include("${CMAKE_CURRENT_LIST_DIR}/blocks.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../install/tools.cmake")
skip_without(hunspell)
set(dictionary -d en_US -i UTF-8)

# Sets `prose` to the words of a page.
function(rankmap_prose_of page)
  file(READ "${ROOT}/${page}" rest)
  string(APPEND rest "\n")
  set(prose "${rest}")
  rankmap_next_block(rest)
  while(found)
    string(REPLACE "```${language}\n${body}```" "" prose "${prose}")
    rankmap_next_block(rest)
  endwhile()
  string(REGEX REPLACE "\n    [^\n]*" "" prose "${prose}")      # drawings
  string(REGEX REPLACE "`[^`]*`" "" prose "${prose}")           # code
  string(REGEX REPLACE "[]][(][^)]*[)]" " " prose "${prose}")   # targets of links
  string(REGEX REPLACE "<!-- run: [^\n]*" "" prose "${prose}")  # the name of a test
  string(REGEX REPLACE "https?://[^ \n)]*" "" prose "${prose}")
  string(REGEX REPLACE "[A-Za-z0-9_.:-]*[0-9_][A-Za-z0-9_.:-]*" "" prose "${prose}")
  string(REGEX REPLACE "'s?([^A-Za-z])" "\\1" prose "${prose}")
  set(prose "${prose}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE pages RELATIVE "${ROOT}" "${ROOT}/docs/*.md" "${ROOT}/examples/*.md")
list(APPEND pages README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md)
file(REMOVE_RECURSE "${WORK}")
set(files "")
foreach(page IN LISTS pages)
  rankmap_prose_of("${page}")
  if(page STREQUAL "README.md")
    string(APPEND prose "${PLANT}\n")
  endif()
  file(WRITE "${WORK}/${page}" "${prose}")
  list(APPEND files "${WORK}/${page}")
endforeach()

execute_process(COMMAND "${found_hunspell}" ${dictionary} -l ${files}
  OUTPUT_VARIABLE unknown ERROR_VARIABLE complaint RESULT_VARIABLE code)
if(complaint MATCHES "Can't open affix or dictionary files")
  skip("not installed: the dictionary en_US (Debian: hunspell-en-us)")
elseif(NOT code EQUAL 0)
  message(FATAL_ERROR "hunspell ended with ${code}: ${complaint}")
endif()
string(REGEX MATCHALL "[^\n]+" unknown "${unknown}")
list(REMOVE_DUPLICATES unknown)

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/words.txt" words)
set(used "")
foreach(line IN LISTS unknown)
  string(REGEX MATCH "^(.*): ([^ ]+)$" all "${line}")
  set(word "${CMAKE_MATCH_2}")
  file(RELATIVE_PATH page "${WORK}" "${CMAKE_MATCH_1}")
  string(TOLOWER "${word}" lower)
  if(word IN_LIST words)
    list(APPEND used "${word}")
  elseif(lower IN_LIST words)
    list(APPEND used "${lower}")
  else()
    message(SEND_ERROR "${page}: \"${word}\": correct it, or add it to tests/docs/words.txt")
  endif()
endforeach()
list(REMOVE_ITEM words ${used})
if(words)
  list(JOIN words ", " words)
  message(SEND_ERROR "tests/docs/words.txt: no page has ${words}")
endif()
