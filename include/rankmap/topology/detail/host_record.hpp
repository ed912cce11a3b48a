// SPDX-License-Identifier: MIT
//
// The record that each rank sends about its place: 256 bytes, little-endian on every machine, so
// that a collective of plain bytes can carry it.
#ifndef RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP
#define RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP

#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The place of one rank, as far as the rank knows it.
struct HostRecord {
  static constexpr std::size_t bytes = 256;
  static constexpr std::size_t longest_name = 208;

  enum class Fault : std::uint8_t { none, no_name, name_too_long };

  int rank = -1;
  int world_size = -1;
  int local_rank = -1;        ///< -1: not known
  int local_world_size = -1;  ///< -1: not known
  int node_rank = -1;         ///< -1: not known
  int node_count = -1;        ///< -1: not known
  std::uint64_t identity = 0;
  std::uint64_t layout = 0;   ///< its LayoutDigest; 0: not known
  Fault fault = Fault::none;  ///< sent too, so that every rank returns the same error
  std::string_view name = {};

  /// Writes `bytes` bytes. Precondition: the name has at most `longest_name` bytes.
  constexpr void write(std::span<std::byte> out) const {
    std::size_t at = 0;
    const auto put = [&](std::uint64_t value, int count) {
      for (int i = 0; i != count; ++i)
        out[at++] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
    };
    put(magic, 4);
    for (const int number :
         {rank, world_size, local_rank, local_world_size, node_rank, node_count}) {
      put(static_cast<std::uint32_t>(number), 4);
    }
    put(identity, 8);
    put(layout, 8);
    put(static_cast<std::uint8_t>(fault), 2);
    put(name.size(), 2);
    for (const char c : name) out[at++] = static_cast<std::byte>(c);
    while (at != bytes) out[at++] = std::byte{0};
  }

  /// Reads a record; returns whether the bytes are one. `name_bytes` receives the name and must
  /// outlive `out.name`.
  static constexpr bool read(std::span<const std::byte> in, HostRecord& out,
                             StaticString<longest_name>& name_bytes) {
    std::size_t at = 0;
    const auto get = [&](int count) {
      std::uint64_t value = 0;
      for (int i = 0; i != count; ++i) {
        value |= static_cast<std::uint64_t>(std::to_integer<std::uint8_t>(in[at++])) << (8 * i);
      }
      return value;
    };
    if (get(4) != magic) return false;
    for (int* const number : {&out.rank, &out.world_size, &out.local_rank, &out.local_world_size,
                              &out.node_rank, &out.node_count}) {
      *number = static_cast<int>(static_cast<std::uint32_t>(get(4)));
    }
    out.identity = get(8);
    out.layout = get(8);
    const std::uint64_t fault = get(2);
    const std::uint64_t length = get(2);
    if (fault > 2 || length > longest_name) return false;
    out.fault = static_cast<Fault>(fault);
    name_bytes = {};
    for (std::uint64_t i = 0; i != length; ++i) {
      name_bytes.append(static_cast<char>(std::to_integer<unsigned char>(in[at++])));
    }
    out.name = name_bytes;
    return true;
  }

 private:
  static constexpr std::uint64_t magic = 0x32474d52;  // "RMG2"
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP
