// SPDX-License-Identifier: MIT
//
// What the samplers want to know of a process. Written as a requirement rather than as a type, so
// that arithmetic never includes what reads an environment.
#ifndef RANKMAP_SAMPLER_HAS_RANK_HPP
#define RANKMAP_SAMPLER_HAS_RANK_HPP

#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace rankmap::inline v0 {

namespace detail {

template <class T>
concept Integral = std::is_integral_v<std::remove_cvref_t<T>>;

/// `number` of whatever width. Fails as Result::value() does where it is no int.
template <class Integer>
constexpr int as_int(std::string_view subject, Integer number) {
  if (!std::in_range<int>(number)) {
    throw_error(error_at(Errc::out_of_range, subject, concat<24>(number).view(),
                         "a number that an int holds", "pass the number that the launcher gave"));
  }
  return static_cast<int>(number);
}

}  // namespace detail

/// Anything with a rank in a world; `rankmap::Topology` is the usual one.
template <class T>
concept HasRank = requires(const T& who) {
  { who.rank() } -> detail::Integral;
  { who.world_size() } -> detail::Integral;
};

/// One that also says whether it is part of a distributed job at all, and its place on its node.
template <class T>
concept HasLocalRank = HasRank<T> && requires(const T& who) {
  { who.local_rank() } -> detail::Integral;
  static_cast<bool>(who.is_distributed());
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_HAS_RANK_HPP
