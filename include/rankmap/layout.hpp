// SPDX-License-Identifier: MIT
// All of layout/: which rank is on which node, and back.
#ifndef RANKMAP_LAYOUT_HPP
#define RANKMAP_LAYOUT_HPP

#include <rankmap/layout/distribution.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/layout/place.hpp>
#include <rankmap/layout/rank_range.hpp>

#endif  // RANKMAP_LAYOUT_HPP
