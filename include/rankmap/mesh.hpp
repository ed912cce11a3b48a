// SPDX-License-Identifier: MIT
// All of mesh/: ranks along named axes: coordinates, groups, and meshes for the nodes they run on.
#ifndef RANKMAP_MESH_HPP
#define RANKMAP_MESH_HPP

#include <rankmap/mesh/axes.hpp>
#include <rankmap/mesh/dims_create.hpp>
#include <rankmap/mesh/hybrid_mesh.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/mesh/placement.hpp>

#endif  // RANKMAP_MESH_HPP
