// SPDX-License-Identifier: MIT
#ifndef RANKMAP_DETAIL_TO_SIZE_HPP
#define RANKMAP_DETAIL_TO_SIZE_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// A number that is known to fit as a size. Where it is std::uint64_t a plain cast is needed on
/// 32-bit platforms and warned about (-Wuseless-cast) on the others; here it depends on the type.
template <class Integer>
constexpr std::size_t to_size(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TO_SIZE_HPP
