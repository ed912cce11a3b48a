// SPDX-License-Identifier: MIT
// What the samplers need to know of a process. It is a requirement and not a type, so that
// arithmetic includes nothing that reads an environment.
#ifndef RANKMAP_SAMPLER_HAS_RANK_HPP
#define RANKMAP_SAMPLER_HAS_RANK_HPP

#include <rankmap/version.hpp>

#include <type_traits>

namespace rankmap::inline v0 {

/// A type with a rank and a world size, integers of any width, such as `rankmap::Topology`.
template <class T>
concept HasRank = requires(const T& who) {
  requires std::is_integral_v<std::remove_cvref_t<decltype(who.rank())>>;
  requires std::is_integral_v<std::remove_cvref_t<decltype(who.world_size())>>;
};

/// A type that has both as int, so that no number has to be checked.
template <class T>
concept HasIntRank = requires(const T& who) {
  requires std::is_same_v<int, std::remove_cvref_t<decltype(who.rank())>>;
  requires std::is_same_v<int, std::remove_cvref_t<decltype(who.world_size())>>;
};

/// A type that also has a local rank, and says whether the process is part of a distributed job.
template <class T>
concept HasLocalRank = HasRank<T> && requires(const T& who) {
  requires std::is_integral_v<std::remove_cvref_t<decltype(who.local_rank())>>;
  static_cast<bool>(who.is_distributed());
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_HAS_RANK_HPP
