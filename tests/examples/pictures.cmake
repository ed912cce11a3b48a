# SPDX-License-Identifier: MIT
#
# Draws the pictures of the documentation again, by PROGRAM with ARGUMENTS into FOLDER, and compares them byte for byte with those
# in PICTURES.
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} "${FOLDER}" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB kept RELATIVE "${PICTURES}" "${PICTURES}/*")
list(FILTER kept EXCLUDE REGEX "^logo")  # those are drawn by hand
file(GLOB drawn RELATIVE "${FOLDER}" "${FOLDER}/*")
if(NOT kept STREQUAL drawn)
  message(FATAL_ERROR "${PICTURES} has ${kept}, but ${PROGRAM} makes ${drawn}")
endif()
foreach(picture IN LISTS kept)
  file(READ "${PICTURES}/${picture}" expected HEX)
  file(READ "${FOLDER}/${picture}" found HEX)
  if(NOT found STREQUAL expected)
    message(SEND_ERROR "${PICTURES}/${picture} is not what ${PROGRAM} makes: look at the new one in ${FOLDER}, then draw them again")
  endif()
endforeach()
