// SPDX-License-Identifier: MIT
//
// All of rankmap.
#ifndef RANKMAP_RANKMAP_HPP
#define RANKMAP_RANKMAP_HPP

#include <rankmap/config.hpp>
#include <rankmap/dims_create.hpp>
#include <rankmap/environment.hpp>
#include <rankmap/explain.hpp>
#include <rankmap/hostlist.hpp>
#include <rankmap/launcher.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/mesh.hpp>
#include <rankmap/mesh_for_layout.hpp>
#include <rankmap/origin.hpp>
#include <rankmap/placement.hpp>
#include <rankmap/rendezvous.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology.hpp>
#include <rankmap/version.hpp>

#endif  // RANKMAP_RANKMAP_HPP
