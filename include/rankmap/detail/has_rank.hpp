// SPDX-License-Identifier: MIT
//
// What the samplers want to know of a process. Written as a requirement rather than as a type, so
// that arithmetic never includes what reads an environment.
#ifndef RANKMAP_DETAIL_HAS_RANK_HPP
#define RANKMAP_DETAIL_HAS_RANK_HPP

#include <rankmap/version.hpp>

namespace rankmap::inline v0::detail {

/// Anything with a rank in a world; `rankmap::Topology` is the usual one.
template <class T>
concept HasRank = requires(const T& who) {
  static_cast<int>(who.rank());
  static_cast<int>(who.world_size());
};

/// One that also says whether it is part of a distributed job at all, and its place on its node.
template <class T>
concept HasLocalRank = HasRank<T> && requires(const T& who) {
  static_cast<int>(who.local_rank());
  static_cast<bool>(who.is_distributed());
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_HAS_RANK_HPP
