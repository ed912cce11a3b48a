// SPDX-License-Identifier: MIT
//
// The functions of rankmap.h. One file of a program includes it, by defining RANKMAP_IMPLEMENTATION
// before it includes rankmap.h.
#ifndef RANKMAP_C_HPP
#define RANKMAP_C_HPP

#include <rankmap/c/detail/device_face.hpp>
#include <rankmap/c/detail/error_face.hpp>
#include <rankmap/c/detail/process_face.hpp>
#include <rankmap/c/detail/sampler_face.hpp>

#endif  // RANKMAP_C_HPP
