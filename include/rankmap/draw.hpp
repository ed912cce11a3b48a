// SPDX-License-Identifier: MIT
// All of draw/: nodes, meshes and samples as SVG pictures.
#ifndef RANKMAP_DRAW_HPP
#define RANKMAP_DRAW_HPP

#include <rankmap/draw/mesh.hpp>
#include <rankmap/draw/nodes.hpp>
#include <rankmap/draw/shards.hpp>

#endif  // RANKMAP_DRAW_HPP
