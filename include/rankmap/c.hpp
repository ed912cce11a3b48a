// SPDX-License-Identifier: MIT
// The functions of rankmap.h. One file of a program includes it, by defining RANKMAP_IMPLEMENTATION
// before it includes rankmap.h; and RANKMAP_IMPLEMENTATION_JOB, if the program shows whole jobs.
#ifndef RANKMAP_C_HPP
#define RANKMAP_C_HPP

#include <rankmap/c/detail/device_face.hpp>
#include <rankmap/c/detail/process_face.hpp>
#include <rankmap/c/detail/sampler_face.hpp>
#include <rankmap/c/detail/structs.hpp>
#if defined(RANKMAP_IMPLEMENTATION_JOB)
#include <rankmap/c/detail/job_face.hpp>
#endif

#endif  // RANKMAP_C_HPP
