// SPDX-License-Identifier: MIT
//
// All of rankmap.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/environment.hpp>
#include <rankmap/host_sources.hpp>
#include <rankmap/hostlist.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#endif  // RANKMAP_RANKMAP_HPP
