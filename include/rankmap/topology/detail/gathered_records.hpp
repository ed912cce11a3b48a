// SPDX-License-Identifier: MIT
// The records of all ranks, as the all-gather returns them.
#ifndef RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP
#define RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP

#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/detail/host_record.hpp>

#include <optional>

namespace rankmap::inline v0::detail {

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

#endif  // RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP
