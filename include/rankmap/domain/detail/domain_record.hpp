// SPDX-License-Identifier: MIT
// The record that each rank sends about its domains: 256 bytes, little-endian on every machine.
#ifndef RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP
#define RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP

#include <rankmap/detail/little_endian.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

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
    ByteWriter to(out);
    to.number(magic, 4);
    to.integer(rank);
    to.integer(world_size);
    to.number(layout, 8);
    to.number(failed ? failure : static_cast<std::uint64_t>(path.depth()), 1);
    for (int level = 0; level != DomainPath::max_levels; ++level) {
      to.number(failed ? (level == 0 ? reason.size() : 0) : path.label(level).size(), 1);
    }
    if (failed) {
      to.text(reason);
    } else {
      for (int level = 0; level != path.depth(); ++level) to.text(path.label(level));
    }
    to.fill();
  }

  /// Reads a record; returns whether the bytes are one.
  constexpr bool read(std::span<const std::byte> in) {
    ByteReader from(in);
    if (from.number(4) != magic) return false;
    rank = from.integer();
    world_size = from.integer();
    layout = from.number(8);
    const std::uint64_t labels = from.number(1);
    failed = labels == failure;
    if (!failed && labels > static_cast<std::uint64_t>(DomainPath::max_levels)) return false;
    std::uint64_t sizes[DomainPath::max_levels] = {};
    for (std::uint64_t& size : sizes) size = from.number(1);
    const std::uint64_t texts = failed ? 1 : labels;
    for (std::uint64_t i = 0; i != texts; ++i) {
      if (sizes[i] > longest_text || sizes[i] > from.left()) return false;
      StaticString<longest_text> text;
      from.text(text, sizes[i]);
      if (failed) {
        reason = text;
        break;
      }
      const Result<DomainPath> longer = path.with(text);
      if (!longer) return false;
      path = *longer;
    }
    for (std::uint64_t i = texts; i != DomainPath::max_levels; ++i) {
      if (sizes[i] != 0) return false;
    }
    return from.ends();
  }

 private:
  static constexpr std::uint64_t magic = 0x31444d52;  // "RMD1"
  static constexpr std::uint64_t failure = 0xff;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_DOMAIN_RECORD_HPP
