// SPDX-License-Identifier: MIT
// How views refuse temporary lists: std::span<const T> takes one, and then dangles.
#ifndef RANKMAP_DETAIL_TEMPORARY_LIST_HPP
#define RANKMAP_DETAIL_TEMPORARY_LIST_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace rankmap::inline v0::detail {

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t Size>
inline constexpr bool is_span<std::span<T, Size>> = true;

/// Whether an argument, deduced as `List&&...`, is a temporary that may hold its elements itself.
/// Every type but std::span counts as one that may.
template <class... List>
concept TemporaryList =
    ((!std::is_lvalue_reference_v<List> && !is_span<std::remove_cvref_t<List>>) || ...);

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TEMPORARY_LIST_HPP
