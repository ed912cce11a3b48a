// SPDX-License-Identifier: MIT
//
// The record that each rank sends about its domains: 256 bytes, little-endian on every machine.
#ifndef RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP
#define RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP

#include <rankmap/domain/domain_path.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

struct DomainRecord {
  static constexpr std::size_t bytes = 256;
  static constexpr std::size_t longest_text = DomainPath::max_bytes;

  int rank = -1;
  int world_size = -1;
  std::uint64_t layout = 0;  ///< its LayoutDigest
  bool failed = false;       ///< sent too, so that every rank returns the same error
  DomainPath path;
  StaticString<longest_text> reason;  ///< why it failed

  /// Writes `bytes` bytes: 20 of numbers, a byte for the labels and one for the length of each, and
  /// the text.
  constexpr void write(std::span<std::byte> out) const {
    std::size_t at = 0;
    const auto put = [&](std::uint64_t value, int count) {
      for (int i = 0; i != count; ++i)
        out[at++] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
    };
    const auto put_text = [&](std::string_view text) {
      for (const char c : text) out[at++] = static_cast<std::byte>(c);
    };
    put(magic, 4);
    put(static_cast<std::uint32_t>(rank), 4);
    put(static_cast<std::uint32_t>(world_size), 4);
    put(layout, 8);
    put(failed ? failure : static_cast<std::uint64_t>(path.depth()), 1);
    for (int level = 0; level != DomainPath::max_levels; ++level) {
      put(failed ? (level == 0 ? reason.size() : 0) : path.label(level).size(), 1);
    }
    if (failed) {
      put_text(reason);
    } else {
      for (int level = 0; level != path.depth(); ++level) put_text(path.label(level));
    }
    while (at != bytes) out[at++] = std::byte{0};
  }

  /// Reads a record; returns whether the bytes are one.
  constexpr bool read(std::span<const std::byte> in) {
    std::size_t at = 0;
    const auto get = [&](int count) {
      std::uint64_t value = 0;
      for (int i = 0; i != count; ++i) {
        value |= static_cast<std::uint64_t>(std::to_integer<std::uint8_t>(in[at++])) << (8 * i);
      }
      return value;
    };
    if (get(4) != magic) return false;
    rank = static_cast<int>(static_cast<std::uint32_t>(get(4)));
    world_size = static_cast<int>(static_cast<std::uint32_t>(get(4)));
    layout = get(8);
    const std::uint64_t labels = get(1);
    failed = labels == failure;
    if (!failed && labels > static_cast<std::uint64_t>(DomainPath::max_levels)) return false;
    std::uint64_t sizes[DomainPath::max_levels] = {};
    for (std::uint64_t& size : sizes) size = get(1);
    for (std::uint64_t i = 0; i != (failed ? 1 : labels); ++i) {
      if (sizes[i] > longest_text || sizes[i] > bytes - at) return false;
      StaticString<longest_text> text;
      for (std::uint64_t k = 0; k != sizes[i]; ++k) {
        text.append(static_cast<char>(std::to_integer<unsigned char>(in[at++])));
      }
      if (failed) {
        reason = text;
        break;
      }
      const Result<DomainPath> longer = path.with(text);
      if (!longer) return false;
      path = *longer;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t magic = 0x31444d52;  // "RMD1"
  static constexpr std::uint64_t failure = 0xff;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP
