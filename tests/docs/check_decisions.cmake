# SPDX-License-Identifier: MIT
#
# What every page of docs/decisions has in common: each entry says its context, the decision, and what
# was weighed or what decided, in this order; and the entry page of the folder links to the page.
# PLANT adds text to the page, so that the check itself is checked.
function(rankmap_check_decisions page name)
  file(READ "${ROOT}/${page}" text)
  string(APPEND text "${PLANT}")
  file(READ "${ROOT}/docs/decisions/README.md" entry_page)
  string(FIND "${entry_page}" "](${name}.md)" place)
  if(place EQUAL -1)
    message(SEND_ERROR "${page}: docs/decisions/README.md has no link to it")
  endif()

  string(REGEX REPLACE "[][;]" "" text "\n${text}")  # brackets and semicolons would break the list
  string(REPLACE "\n## " ";" entries "${text}")
  list(POP_FRONT entries head)
  if(NOT entries)
    message(SEND_ERROR "${page}: no entry")
  endif()
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "^[^\n]*" heading "${entry}")
    string(REGEX MATCHALL "\n- \\*\\*[^*\n]+\\*\\*:" labels "${entry}")
    string(REGEX REPLACE "\n- \\*\\*|\\*\\*:" "" labels "${labels}")
    list(JOIN labels ", " labels)
    if(NOT labels MATCHES "^Context, Decision(, Also weighed)?(, Decided by)?$" OR labels STREQUAL "Context, Decision")
      message(SEND_ERROR "${page}: \"${heading}\" says ${labels}; expected Context, Decision, and Also weighed or Decided by or both")
    endif()
  endforeach()
endfunction()
