// SPDX-License-Identifier: MIT
// What the caller's collective has to be.
#ifndef RANKMAP_ALL_GATHER_HPP
#define RANKMAP_ALL_GATHER_HPP

#include <rankmap/version.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace rankmap::inline v0 {

/// The caller's collective. `all_gather(mine, all)` sends `mine`, which has the same number of
/// bytes on every rank, a power of two, and fills `all` with the bytes of every rank in rank order.
/// It returns nothing, or true if it succeeded. An int is not accepted: MPI's 0 for success would
/// count as failure.
template <class T>
concept AllGather = requires(T& all_gather, std::span<const std::byte> mine,
                             std::span<std::byte> all) {
  {all_gather(mine, all)};
}
&&(std::is_void_v<std::invoke_result_t<T&, std::span<const std::byte>, std::span<std::byte>>> ||
   std::same_as<std::invoke_result_t<T&, std::span<const std::byte>, std::span<std::byte>>, bool>);

}  // namespace rankmap::inline v0

#endif  // RANKMAP_ALL_GATHER_HPP
