# SPDX-License-Identifier: MIT
#
#   cmake -D TREE=. -D VERSION=0.1.0 -D OUTPUT=folder [-D PROGRAM=rankmap -D SYSTEM=linux-x86_64] [-D URL=https://...] -P release.cmake
#
# Writes the files of a release into the fresh folder OUTPUT: the tree as an archive, the single header, the PROGRAM, the part of the
# changelog, the package recipes, and the checksums of all of them. The recipes fetch the archive from below URL, with its checksum.
# A commit always gives the same bytes: neither the clock, nor the user, nor the place of TREE gets into them. Needs GNU tar and gzip.
cmake_minimum_required(VERSION 3.25)
file(REAL_PATH "${TREE}" TREE)
file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}")
file(REAL_PATH "${OUTPUT}" OUTPUT)
set(name "rankmap-${VERSION}")
if(NOT URL)
  set(URL "https://example.org")
endif()

# ---- The part of the changelog, and the date in it, which is that of all files; zip knows none before 1980
file(READ "${TREE}/CHANGELOG.md" changes)
string(FIND "${changes}" "\n## ${VERSION} (" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "CHANGELOG.md: expected an entry \"## ${VERSION} (date)\", the version of version.hpp; write one")
endif()
math(EXPR begin "${begin} + 1")
string(SUBSTRING "${changes}" ${begin} -1 changes)
string(FIND "${changes}" "\n## " end)
string(SUBSTRING "${changes}" 0 ${end} changes)
string(STRIP "${changes}" changes)
file(WRITE "${OUTPUT}/${name}-changes.md" "${changes}\n")
set(date 1980-01-01)
if(changes MATCHES "^## [^\n]*[(]([0-9]+-[0-9]+-[0-9]+)[)]\n")
  set(date "${CMAKE_MATCH_1}")
endif()

# ---- The archives
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY "${OUTPUT}" OUTPUT_VARIABLE printed ERROR_VARIABLE complaint RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${printed}${complaint}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

# Packs the files that the text `list` names, one a line, from `folder` into OUTPUT/`archive`.tar.gz, below a folder `archive`.
unset(ENV{TAR_OPTIONS})
unset(ENV{GZIP})
function(pack archive folder list)
  file(WRITE "${OUTPUT}/list" "${list}")
  run(tar --create --file "${archive}.tar" --directory "${folder}" --format=ustar "--mtime=${date} 00:00:00Z"
    --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --hard-dereference --no-recursion
    "--transform=s,^,${archive}/," --verbatim-files-from --files-from "${OUTPUT}/list")
  run(gzip --best --no-name "${archive}.tar")
  file(REMOVE "${OUTPUT}/list")
endfunction()

if(EXISTS "${TREE}/.git")
  run(git -C "${TREE}" status --porcelain)
  if(printed)
    message(FATAL_ERROR "a release has what is committed, and this tree has changes:\n${printed}commit them, or release a clean clone")
  endif()
  run(git -C "${TREE}" -c core.quotePath=false ls-files)
else()
  # The unpacked archive: all but what .gitignore names.
  file(GLOB_RECURSE files RELATIVE "${TREE}" "${TREE}/*")
  list(FILTER files EXCLUDE REGEX
    "^build/|^CMakeUserPresets[.]json$|(^|/)compile_commands[.]json$|(^|/)[.]cache/|(^|/)__pycache__/")
  list(SORT files)
  list(JOIN files "\n" printed)
  string(APPEND printed "\n")
endif()
pack("${name}" "${TREE}" "${printed}")

# ---- The single header and the program
run("${CMAKE_COMMAND}" -D "TREE=${TREE}" -D "VERSION=${VERSION}" -D "OUTPUT=${OUTPUT}/rankmap.hpp"
  -P "${CMAKE_CURRENT_LIST_DIR}/single_header.cmake")
if(PROGRAM)
  file(COPY_FILE "${PROGRAM}" "${OUTPUT}/${name}-${SYSTEM}")
endif()

# ---- The recipes, with the archive's checksums in the place of zeros
function(base64 hex result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(REGEX MATCHALL "......" groups "${hex}00")
  set(text "")
  foreach(group IN LISTS groups)
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR digit "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 digit)
      string(APPEND text "${digit}")
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" text "${text}")  # 32 bytes and the zero that makes them groups of three
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
file(SHA256 "${OUTPUT}/${name}.tar.gz" sha256)
file(SHA512 "${OUTPUT}/${name}.tar.gz" sha512)
base64("${sha256}" integrity)
string(REPEAT 0 64 no_sha256)
string(REPEAT 0 128 no_sha512)
base64("${no_sha256}" no_integrity)

set(recipes "${OUTPUT}/${name}-recipes")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/recipes/" DESTINATION "${recipes}")
file(GLOB_RECURSE files RELATIVE "${recipes}" "${recipes}/*")
list(SORT files)
foreach(file IN LISTS files)
  file(READ "${recipes}/${file}" text)
  string(REPLACE "https://example.org/rankmap-" "${URL}/rankmap-" text "${text}")
  string(REPLACE "${no_sha512}" "${sha512}" text "${text}")
  string(REPLACE "${no_sha256}" "${sha256}" text "${text}")
  string(REPLACE "${no_integrity}" "${integrity}" text "${text}")
  file(WRITE "${recipes}/${file}" "${text}")
endforeach()
list(JOIN files "\n" files)
pack("${name}-recipes" "${recipes}" "${files}\n")
file(REMOVE_RECURSE "${recipes}")

# ---- The checksums
file(GLOB files RELATIVE "${OUTPUT}" "${OUTPUT}/*")
list(SORT files)
set(sums "")
foreach(file IN LISTS files)
  file(SHA256 "${OUTPUT}/${file}" sum)
  string(APPEND sums "${sum}  ${file}\n")
endforeach()
file(WRITE "${OUTPUT}/SHA256SUMS" "${sums}")
message(STATUS "${OUTPUT}:\n${sums}")
