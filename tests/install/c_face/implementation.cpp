// SPDX-License-Identifier: MIT
//
// The one C++20 file of a program that uses rankmap.h.
#include <rankmap/rankmap.h>  // as other headers of a program may have before
#define RANKMAP_IMPLEMENTATION
#include <rankmap/rankmap.h>
