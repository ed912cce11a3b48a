// SPDX-License-Identifier: MIT
#ifndef RANKMAP_DETAIL_TO_SIZE_HPP
#define RANKMAP_DETAIL_TO_SIZE_HPP

#include <rankmap/version.hpp>

#include <cstddef>

namespace rankmap::inline v0::detail {

/// A number that is known to fit as a size. A plain cast of std::uint64_t is needed on 32-bit
/// platforms, and the others warn of it (-Wuseless-cast), but not in a template.
template <class Integer>
constexpr std::size_t to_size(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_TO_SIZE_HPP
