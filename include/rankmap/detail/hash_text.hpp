// SPDX-License-Identifier: MIT
// The hash of a text in tables.
#ifndef RANKMAP_DETAIL_HASH_TEXT_HPP
#define RANKMAP_DETAIL_HASH_TEXT_HPP

#include <rankmap/detail/fnv.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// FNV-1a over the bytes, then a finaliser: tables use the low bits, which FNV mixes least.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = fnv_text(fnv_start ^ seed, text);
  hash = (hash ^ (hash >> 32U)) * 0xd6e8feb86659fd93U;
  return hash ^ (hash >> 32U);
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_HASH_TEXT_HPP
