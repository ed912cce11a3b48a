// SPDX-License-Identifier: MIT
// FNV-1a, the step of every digest and hash in this library.
#ifndef RANKMAP_DETAIL_FNV_HPP
#define RANKMAP_DETAIL_FNV_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The digest of nothing.
inline constexpr std::uint64_t fnv_start = 0xcbf2'9ce4'8422'2325U;

/// One byte more, or a whole number at once where only this library's own digests are compared.
constexpr std::uint64_t fnv_step(std::uint64_t digest, std::uint64_t part) {
  return (digest ^ part) * 0x100'0000'01b3U;
}

/// The bytes of a text.
constexpr std::uint64_t fnv_text(std::uint64_t digest, std::string_view text) {
  for (const char c : text) digest = fnv_step(digest, static_cast<unsigned char>(c));
  return digest;
}

/// The eight bytes of a number, the lowest first.
constexpr std::uint64_t fnv_word(std::uint64_t digest, std::uint64_t word) {
  for (unsigned shift = 0; shift != 64; shift += 8) {
    digest = fnv_step(digest, (word >> shift) & 0xffU);
  }
  return digest;
}

/// Several numbers, choices and enumerators, one after the other.
template <class... Word>
constexpr std::uint64_t fnv_words(std::uint64_t digest, Word... words) {
  ((digest = fnv_word(digest, static_cast<std::uint64_t>(words))), ...);
  return digest;
}

/// The hash of a text in tables: they use the low bits, which FNV mixes least.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = fnv_text(fnv_start ^ seed, text);
  hash = (hash ^ (hash >> 32U)) * 0xd6e8feb86659fd93U;
  return hash ^ (hash >> 32U);
}

/// One number more in the digest of a layout.
constexpr std::uint64_t layout_step(std::uint64_t digest, int number) {
  digest = fnv_step(digest, static_cast<std::uint64_t>(number));
  return digest ^ digest >> 32U;
}
/// A hash of the node of each rank, in rank order, by which ranks compare their layouts. Equal
/// layouts have equal hashes, whatever their representation. Never 0. `digest`: the one that it
/// continues.
constexpr std::uint64_t layout_digest(const auto& layout, std::uint64_t digest = fnv_start) {
  for (int rank = 0; rank != layout.world_size(); ++rank) {
    digest = layout_step(digest, layout.node_of(rank));
  }
  return digest == 0 ? 1 : digest;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_FNV_HPP
