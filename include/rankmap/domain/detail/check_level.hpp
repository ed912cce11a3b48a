// SPDX-License-Identifier: MIT
// The one check that domains have a level.
#ifndef RANKMAP_DOMAIN_DETAIL_CHECK_LEVEL_HPP
#define RANKMAP_DOMAIN_DETAIL_CHECK_LEVEL_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/domain/domains.hpp>
#include <rankmap/result.hpp>

namespace rankmap::inline v0::detail {

/// Nothing, or `out_of_range` for a level that no path reaches.
constexpr Optional<Error> check_level(const Domains& domains, int level) {
  if (domains.has_level(level)) return {};
  return out_of_range("level", level, concat<64>("a level in [0, ", domains.level_count(), ")"),
                      "pass paths that reach it, or a segment of 1 node");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_CHECK_LEVEL_HPP
