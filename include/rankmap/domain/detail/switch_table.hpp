// SPDX-License-Identifier: MIT
// The switches of a text, by their places in it.
#ifndef RANKMAP_DOMAIN_DETAIL_SWITCH_TABLE_HPP
#define RANKMAP_DOMAIN_DETAIL_SWITCH_TABLE_HPP

#include <rankmap/detail/small_vector.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A part of a text that is kept elsewhere, and may move.
struct TextPart {
  std::size_t begin = 0;
  std::size_t size = 0;
  constexpr std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

struct SwitchRow {
  TextPart name;
  TextPart nodes;
  TextPart below;               ///< the list of the switches below it; empty at a leaf
  std::size_t first_child = 0;  ///< in SwitchTable::children
  std::size_t children = 0;
  std::size_t first_parent = 0;  ///< in SwitchTable::parents
  std::size_t parents = 0;
  int level = 0;  ///< 0: a leaf
};

struct SwitchTable {
  SmallVector<SwitchRow, 8> switches;
  SmallVector<std::uint32_t, 16> children;  ///< those of one switch together
  SmallVector<std::uint32_t, 16> parents;   ///< likewise, the switches above
  int levels = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_SWITCH_TABLE_HPP
