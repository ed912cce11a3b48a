// SPDX-License-Identifier: MIT
//
// Lists of texts with commas between them, such as SLURM_GTIDS.
#ifndef RANKMAP_DETAIL_COMMA_LIST_HPP
#define RANKMAP_DETAIL_COMMA_LIST_HPP

#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The `index`-th entry of a comma list, and how many it has.
struct CommaEntry {
  std::string_view text;
  std::size_t count = 0;
};
constexpr CommaEntry comma_entry(std::string_view list, std::uint64_t index) {
  CommaEntry entry;
  while (true) {
    const std::size_t comma = list.find(',');
    if (entry.count == index) entry.text = list.substr(0, comma);
    ++entry.count;
    if (comma == std::string_view::npos) return entry;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_COMMA_LIST_HPP
