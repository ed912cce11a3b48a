# SPDX-License-Identifier: MIT
#
# Makes the release of TREE by its preset in a clean clone below BUILD, and leaves its files in BUILD/files, with recipes that fetch
# them from there. A clone in another place, with other times and rights, has to give the same bytes. The program takes half a
# minute, so it is built once: one file of it is compiled in both places, with all the paths that a debugger asks for.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/tools.cmake")
skip_without(readelf gzip)
find_repository("${TREE}" "${BUILD}-repository")
file(REMOVE_RECURSE "${BUILD}")
set(one "${BUILD}/one")
set(other "${BUILD}/another/place")
set(files "${BUILD}/files")
set(url "file://${files}")
function(expect_same a b)
  file(SHA256 "${a}" sum_a)
  file(SHA256 "${b}" sum_b)
  if(NOT sum_a STREQUAL sum_b)
    message(SEND_ERROR "these differ: ${a} ${b}")
  endif()
endfunction()

# ---- By the preset; the program is installed only if it is asked for
run(git clone --quiet "${repository}" "${one}")
run(git -C "${one}" checkout --quiet "${commit}")
foreach(wanted IN ITEMS OFF ON)
  run("${CMAKE_COMMAND}" --preset release -S "${one}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DRANKMAP_RELEASE_URL=${url}" "-DRANKMAP_INSTALL_PROGRAM=${wanted}")
  if(wanted)
    run("${CMAKE_COMMAND}" -E chdir "${one}" "${CMAKE_COMMAND}" --build --preset release)
  endif()
  run("${CMAKE_COMMAND}" --install "${one}/build/release" --prefix "${BUILD}/${wanted}")
endforeach()
if(EXISTS "${BUILD}/OFF/bin" OR NOT EXISTS "${BUILD}/OFF/include/rankmap/rankmap.hpp")
  message(SEND_ERROR "the program is installed though nobody asked for it, or the headers are not")
endif()
file(RENAME "${one}/build/release/rankmap-${VERSION}" "${files}")
file(GLOB found RELATIVE "${files}" "${files}/*")
list(REMOVE_ITEM found SHA256SUMS rankmap.hpp rankmap-${VERSION}.tar.gz rankmap-${VERSION}-changes.md rankmap-${VERSION}-recipes.tar.gz)
if(NOT found MATCHES "^rankmap-${VERSION}-[a-z]+-[a-z0-9_]+$")
  message(FATAL_ERROR "besides what every release has, expected the program, found ${found}")
endif()
set(program "${files}/${found}")
expect_same("${program}" "${BUILD}/ON/bin/rankmap")
run("${CMAKE_COMMAND}" -E chdir "${files}" sha256sum --check --strict SHA256SUMS)
run(readelf --program-headers --notes "${program}")
if(printed MATCHES "INTERP|Build ID")
  message(SEND_ERROR "the program needs other files or names its build: ${CMAKE_MATCH_0}")
endif()
run("${program}" hosts "n[1-2]" --fold)
if(NOT printed STREQUAL "n[1-2]\n")
  message(SEND_ERROR "the program prints ${printed}")
endif()

# ---- The archive has what is committed, and nothing else
run(git -C "${one}" ls-files)
string(REGEX REPLACE "([^\n]+\n)" "rankmap-${VERSION}/\\1" committed "${printed}")
run(tar --list --file "${files}/rankmap-${VERSION}.tar.gz")
if(NOT printed STREQUAL committed)
  message(SEND_ERROR "the archive has other files than the commit:\n${printed}")
endif()

# ---- In another place, by somebody else
run(sh -c "umask 077 && exec git clone --quiet '${repository}' '${other}'")
run(git -C "${other}" checkout --quiet "${commit}")
run(find "${other}" -path "${other}/.git" -prune -o -type f -exec touch -d 2001-02-03 {} +)
execute_process(COMMAND chown -R 65534:65534 "${other}" ERROR_QUIET)  # as far as this is root
set(ENV{TZ} Asia/Tokyo)
function(release tree output)
  run("${CMAKE_COMMAND}" -D "TREE=${tree}" -D "VERSION=${VERSION}" -D "OUTPUT=${output}" -D "URL=${url}" ${ARGN}
    -P "${tree}/docs/packaging/release.cmake")
endfunction()
string(REPLACE "rankmap-${VERSION}-" "" system "${found}")
release("${other}" "${BUILD}/other_files" -D "PROGRAM=${program}" -D "SYSTEM=${system}")
file(GLOB found RELATIVE "${files}" "${files}/*")
foreach(name IN LISTS found)
  expect_same("${files}/${name}" "${BUILD}/other_files/${name}")
endforeach()

set(object examples/rankmap/CMakeFiles/rankmap_program.dir/main.cpp.o)
foreach(place IN ITEMS "${one}" "${other}")
  run("${CMAKE_COMMAND}" --preset release -S "${place}" -B "${place}/build/debug" -G Ninja "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCMAKE_BUILD_TYPE=Debug)
  run("${CMAKE_COMMAND}" --build "${place}/build/debug" --target "${object}")
endforeach()
expect_same("${one}/build/debug/${object}" "${other}/build/debug/${object}")

# ---- Without git, from what was unpacked: the same archive again
run("${CMAKE_COMMAND}" -E chdir "${BUILD}" tar --extract --file "${files}/rankmap-${VERSION}.tar.gz")
file(WRITE "${BUILD}/rankmap-${VERSION}/build/made" "")
release("${BUILD}/rankmap-${VERSION}" "${BUILD}/again")
foreach(name IN ITEMS rankmap-${VERSION}.tar.gz rankmap-${VERSION}-recipes.tar.gz rankmap-${VERSION}-changes.md)
  expect_same("${files}/${name}" "${BUILD}/again/${name}")
endforeach()

# ---- What is not committed is not released
file(WRITE "${other}/include/rankmap/mine.hpp" "")
execute_process(COMMAND "${CMAKE_COMMAND}" -D "TREE=${other}" -D "VERSION=${VERSION}" -D "OUTPUT=${BUILD}/refused"
    -P "${other}/docs/packaging/release.cmake"
  ERROR_VARIABLE complaint RESULT_VARIABLE code)
if(code EQUAL 0 OR NOT complaint MATCHES "include/rankmap/mine.hpp")
  message(SEND_ERROR "expected to hear of mine.hpp: ${complaint}")
endif()
