// SPDX-License-Identifier: MIT
//
// What refers to a list takes one that somebody keeps, and refuses a temporary when it is compiled:
//   static_assert(takes_kept_lists_only<float>(RANKMAP_CALL(Sampler::make(RANKMAP_LIST, 3))));
#pragma once

#include <array>
#include <span>
#include <type_traits>
#include <vector>

// A call with a list of any type; none where it does not compile.
#define RANKMAP_CALL(...) [](auto&& list) -> decltype(__VA_ARGS__) { return __VA_ARGS__; }
#define RANKMAP_LIST static_cast<decltype(list)>(list)

namespace rankmap_test {

/// Whether memory that is written to is taken where somebody keeps it, and only there.
template <class T, class Call>
constexpr bool takes_kept_memory_only(const Call&) {
  return std::is_invocable_v<Call, std::vector<T>&> && std::is_invocable_v<Call, std::span<T>> &&
         std::is_invocable_v<Call, std::array<T, 2>&> && std::is_invocable_v<Call, T(&)[2]> &&
         !std::is_invocable_v<Call, std::vector<T>> && !std::is_invocable_v<Call, std::array<T, 2>>;
}
/// The same of a list that is read.
template <class T, class Call>
constexpr bool takes_kept_lists_only(const Call& call) {
  return takes_kept_memory_only<T>(call) && std::is_invocable_v<Call, const std::vector<T>&> &&
         std::is_invocable_v<Call, std::span<const T>> &&
         std::is_invocable_v<Call, const std::span<const T>&> &&
         std::is_invocable_v<Call, std::span<T, 2>> && std::is_invocable_v<Call, const T(&)[2]> &&
         !std::is_invocable_v<Call, const std::vector<T>>;
}

}  // namespace rankmap_test
