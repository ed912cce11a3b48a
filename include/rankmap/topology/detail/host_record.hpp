// SPDX-License-Identifier: MIT
// The record that each rank sends about its place: 256 bytes, little-endian on every machine, so
// that a collective of plain bytes can carry it. Also the gathered records of all ranks.
#ifndef RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP
#define RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP

#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
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
  std::uint64_t layout = 0;   ///< its layout_digest; 0: not known
  Fault fault = Fault::none;  ///< sent too, so that every rank returns the same error
  std::string_view name = {};

  /// Writes `bytes` bytes. Precondition: the name has at most `longest_name` bytes.
  constexpr void write(std::span<std::byte> out) const {
    ByteWriter to(out);
    to.number(magic, 4);
    for (const int number :
         {rank, world_size, local_rank, local_world_size, node_rank, node_count}) {
      to.integer(number);
    }
    to.number(identity, 8);
    to.number(layout, 8);
    to.number(static_cast<std::uint8_t>(fault), 2);
    to.number(name.size(), 2);
    to.text(name);
    to.fill();
  }

  /// Reads a record, whose name views the bytes. Returns whether the bytes are a record.
  static bool read(std::span<const std::byte> in, HostRecord& out) {
    ByteReader from(in);
    return out.read_fields(from) && from.ends();
  }

  /// Reads the fields, the name last. The bytes behind it are left to read().
  bool read_fields(ByteReader& from) {
    if (from.number(4) != magic) return false;
    for (int* const number :
         {&rank, &world_size, &local_rank, &local_world_size, &node_rank, &node_count}) {
      *number = from.integer();
    }
    identity = from.number(8);
    layout = from.number(8);
    const std::uint64_t found_fault = from.number(2);
    const std::size_t length = to_size(from.number(2));
    if (found_fault > 2 || length > longest_name) return false;
    fault = static_cast<Fault>(found_fault);
    name = from.text(length);
    return true;
  }

 private:
  static constexpr std::uint64_t magic = 0x32474d52;  // "RMG2"
};

/// The bytes of the all-gather, read as the records of all ranks.
class GatheredRecords : public GatheredBytes<HostRecord::bytes> {
 public:
  using GatheredBytes::GatheredBytes;

  /// The record of a rank, which views these bytes. Precondition: check() found no error.
  HostRecord read(int rank) const {
    HostRecord out;
    ByteReader from(record(rank));
    (void)out.read_fields(from);
    return out;
  }

  /// Checks that every slice is the record of its rank, with a valid name. The error names the
  /// first wrong rank. All ranks have the same bytes, so all return the same error.
  Optional<Error> check() const {
    for (int rank = 0; rank != world_size(); ++rank) {
      HostRecord found;
      const bool is_record = HostRecord::read(record(rank), found);
      if (const auto error = check_slice(rank, is_record, found)) return error;
      if (found.fault != HostRecord::Fault::none) {
        return error_at(Errc::gather_failed, concat<63>("record of rank ", rank), found.name,
                        "a host name of 1 to 208 bytes",
                        "give the host a name; in the program, pass the whole of it on every rank");
      }
    }
    return std::nullopt;
  }
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_HOST_RECORD_HPP
