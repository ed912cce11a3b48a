# SPDX-License-Identifier: MIT
#
# After include(CPM.cmake). Links as rankmap::rankmap.
CPMAddPackage(NAME rankmap VERSION 0.1.0 SYSTEM YES
  URL https://example.org/rankmap-0.1.0.tar.gz  # where you keep it
  URL_HASH SHA256=0000000000000000000000000000000000000000000000000000000000000000)
