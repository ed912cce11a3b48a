// SPDX-License-Identifier: MIT
// All of environment/: the variables of a process, its own or any others.
#ifndef RANKMAP_ENVIRONMENT_HPP
#define RANKMAP_ENVIRONMENT_HPP

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/environment_view.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/environment/process_environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>

#endif  // RANKMAP_ENVIRONMENT_HPP
