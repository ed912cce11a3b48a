# SPDX-License-Identifier: MIT
#
# The pages of TREE make a site, in SITE, without a broken link or anchor; and where a copy of them has some, or a page that no
# menu leads to, or a picture from elsewhere, each of these is named.
include("${CMAKE_CURRENT_LIST_DIR}/../install/tools.cmake")
skip_without(mkdocs)
set(ENV{PYTHONDONTWRITEBYTECODE} 1)

function(build tree)
  execute_process(COMMAND "${found_mkdocs}" build --strict -f "${tree}/docs/site/mkdocs.yml" -d "${SITE}"
    OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE code)
  set(out "${out}" PARENT_SCOPE)
  set(code "${code}" PARENT_SCOPE)
endfunction()

build("${TREE}")
if(out MATCHES "Unrecognised theme name: 'material'")
  skip("not installed: Material for MkDocs (Debian: mkdocs-material)")
elseif(NOT code EQUAL 0)
  message(FATAL_ERROR "mkdocs ended with ${code}:\n${out}")
endif()
foreach(file IN ITEMS index.html docs/reference/sampler/epoch.html docs/pictures/mesh.svg examples/whoami.cpp.html
    search/search_index.json)
  if(NOT EXISTS "${SITE}/${file}")
    message(SEND_ERROR "the site has no ${file}")
  endif()
endforeach()

# The menu has the questions that the pages of the reference answer.
file(READ "${SITE}/docs/reference/sampler/epoch.html" text)
if(NOT text MATCHES "shard: Which positions of the data set are mine[?]")
  message(SEND_ERROR "the menu does not say what docs/reference/sampler/shard.html answers")
endif()

# Each header has an address, also those that share a page: that one leads to the page. tree.py looks whether it is there.
file(GLOB_RECURSE headers RELATIVE "${TREE}/include/rankmap" "${TREE}/include/rankmap/*/*.hpp")
list(FILTER headers EXCLUDE REGEX "(^|/)detail/")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "[.]hpp$" "" name "${header}")
  if(NOT EXISTS "${SITE}/docs/reference/${name}.html")
    message(SEND_ERROR "the site has no docs/reference/${name}.html")
  elseif(NOT EXISTS "${TREE}/docs/reference/${name}.md")
    file(READ "${SITE}/docs/reference/${name}.html" text)
    if(NOT text MATCHES "http-equiv=\"refresh\" content=\"0; url=[a-z0-9_]+[.]html#[a-z0-9_]+hpp\"")
      message(SEND_ERROR "docs/reference/${name}.html leads nowhere: ${text}")
    endif()
  endif()
endforeach()

# MkDocs has lunr.py with it, the library that its search runs in the browser.
execute_process(COMMAND /usr/bin/python3 -B "${CMAKE_CURRENT_LIST_DIR}/search.py" "${SITE}" OUTPUT_VARIABLE found RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(SEND_ERROR "the search:\n${found}")
endif()

set(copy "${SITE}-planted")
file(REMOVE_RECURSE "${copy}")
file(COPY "${TREE}/docs" "${TREE}/examples" "${TREE}/README.md" "${TREE}/CONTRIBUTING.md" "${TREE}/CHANGELOG.md" "${TREE}/SECURITY.md"
  DESTINATION "${copy}")
file(COPY "${TREE}/tests/install" "${TREE}/tests/libtorch" DESTINATION "${copy}/tests")
file(APPEND "${copy}/docs/tutorial.md"
  "\n[a](nowhere.md) [b](concepts.md#nowhere) [c](nowhere/) ![d](https://example.org/picture.svg)\n")
file(WRITE "${copy}/docs/how-to/planted.md" "# Planted\n")
build("${copy}")
if(code EQUAL 0)
  message(SEND_ERROR "mkdocs built a site with planted mistakes")
endif()
foreach(complaint IN ITEMS
    "the link to nowhere.md leads nowhere"
    "the link to concepts.html#nowhere leads to no heading"
    "the link to nowhere/ leads nowhere"
    "docs/tutorial.html loads https://example.org/picture.svg"
    "docs/how-to/planted.md is not in the nav")
  string(FIND "${out}" "${complaint}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "expected the complaint: ${complaint}; in\n${out}")
  endif()
endforeach()
