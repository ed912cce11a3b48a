# SPDX-License-Identifier: MIT
#
# What the scripts of the package tests share.
cmake_minimum_required(VERSION 3.25)

# Ends the test: CTest counts it as skipped, or as failed where RANKMAP_NO_SKIP is set.
macro(skip reason)
  if(DEFINED ENV{RANKMAP_NO_SKIP})
    message(FATAL_ERROR "not skipped: ${reason}")
  endif()
  message("SKIPPED: ${reason}")
  return()
endmacro()

# Ends the test so where one of these commands is not installed.
macro(skip_without)
  foreach(needed IN ITEMS ${ARGN})
    find_program(found_${needed} ${needed} NO_CACHE)
    if(NOT found_${needed})
      skip("not installed: ${needed}")
    endif()
  endforeach()
endmacro()

# Runs a command, shows what it printed, and ends the test where it fails: run(COMMAND...). Sets `printed`.
function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message("${command}\nended with ${code}:\n${out}")
    message(FATAL_ERROR "a command failed")
  endif()
  set(printed "${out}" PARENT_SCOPE)
endfunction()

# A compiler is a command and what has to go with it: a flag, or libc++ where it uses that: "clang++-19 libc++". Sets
# `command` and `flags`; ends the test as skipped where it is not installed.
macro(find_compiler compiler)
  string(REPLACE " " ";" words "${compiler}")
  list(POP_FRONT words name)
  set(flags "${words}")
  find_program(command "${name}" NO_CACHE)
  if(NOT command)
    skip("not installed: ${name}")
  endif()
  if("libc++" IN_LIST flags)
    list(TRANSFORM flags REPLACE "^libc[+][+]$" -stdlib=libc++)
    execute_process(COMMAND "${command}" ${flags} -E -x c++ -include version /dev/null
      OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
      skip("not installed: libc++ for ${name}")
    endif()
  endif()
endmacro()

# Runs a program as a single process, by `runner` where its processor is not ours, and compares what it prints.
function(run_alone runner program expected)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -D "PROGRAM=${runner};${program}" -D "EXPECTED=${expected}"
      -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../docs/run_program.cmake"
    RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${program} is wrong")
  endif()
endfunction()

# The repository and commit to fetch rankmap from: the tree's own checkout, or one made of its files in `place` where the
# tree is none. Sets `repository` and `commit`.
macro(find_repository tree place)
  skip_without(git)
  # Whoever owns the tree, it is the one that is tested.
  file(WRITE "${place}.gitconfig" "[safe]\n\tdirectory = *\n")
  set(ENV{GIT_CONFIG_GLOBAL} "${place}.gitconfig")
  file(REAL_PATH "${tree}" repository)
  execute_process(COMMAND git -C "${tree}" rev-parse --show-toplevel HEAD
    OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" found "${found}")
  list(POP_FRONT found top commit)
  if(NOT top STREQUAL repository OR NOT commit)
    message("${tree} is no git checkout: its files make one")
    set(repository "${place}")
    file(REMOVE_RECURSE "${place}")
    set(git git --git-dir "${place}" --work-tree "${tree}" -c user.name=rankmap -c user.email=nobody@localhost)
    run(${git} init --quiet)
    run(${git} add --all)
    run(${git} commit --quiet --message "The tree")
    execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endmacro()
