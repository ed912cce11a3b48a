# SPDX-License-Identifier: MIT
#
# Takes Markdown apart: the one thing that all checks of the pages have in common. Texts stay whole
# strings and never become CMake lists, so that `;` and `[` in a program are what they are.

# Cuts the next fenced block off the variable named `text_variable`. Sets `found`, `language` (the word
# after the opening fence) and `body` (its lines, each with its newline).
function(rankmap_next_block text_variable)
  set(text "\n${${text_variable}}")
  set(found FALSE)
  set(language "")
  set(body "")
  string(FIND "${text}" "\n```" begin)
  if(NOT begin EQUAL -1)
    math(EXPR begin "${begin} + 4")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n" line_end)
    string(FIND "${text}" "\n```" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "a code block that begins ${text} has no end")
    endif()
    string(SUBSTRING "${text}" 0 ${line_end} language)
    math(EXPR body_begin "${line_end} + 1")
    math(EXPR body_size "${end} - ${line_end}")
    string(SUBSTRING "${text}" ${body_begin} ${body_size} body)
    math(EXPR end "${end} + 4")
    string(SUBSTRING "${text}" ${end} -1 text)
    string(FIND "${text}" "\n" line_end)
    string(SUBSTRING "${text}" ${line_end} -1 text)
    set(found TRUE)
  endif()
  set(found ${found} PARENT_SCOPE)
  set(language "${language}" PARENT_SCOPE)
  set(body "${body}" PARENT_SCOPE)
  set(${text_variable} "${text}" PARENT_SCOPE)
endfunction()
