// SPDX-License-Identifier: MIT
//
// The records of all ranks, as the all-gather returns them.
#ifndef RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP
#define RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/detail/host_record.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rankmap::inline v0::detail {

/// The bytes of the all-gather, read as the records of all ranks.
class GatheredRecords {
 public:
  explicit GatheredRecords(int world_size) : world_(world_size) {
    // On 32-bit systems the product may exceed std::size_t. Then the allocation must fail.
    const auto bytes = static_cast<std::uint64_t>(world_size) * HostRecord::bytes;
    bytes_.resize(bytes > PTRDIFF_MAX ? SIZE_MAX : to_size(bytes));
  }

  std::span<std::byte> bytes() { return {bytes_.data(), bytes_.size()}; }
  int world_size() const { return world_; }

  /// The record of a rank. `name` receives its host name and must outlive the record. Precondition:
  /// check() found no error.
  HostRecord record(int rank, StaticString<HostRecord::longest_name>& name) const {
    HostRecord out;
    (void)HostRecord::read(slice(rank), out, name);
    return out;
  }

  /// Checks that every slice is the record of its rank, with a valid name. The error names the
  /// first wrong rank. All ranks have the same bytes, so all return the same error.
  Optional<Error> check() const {
    for (int rank = 0; rank != world_; ++rank) {
      StaticString<HostRecord::longest_name> name;
      HostRecord found;
      const auto subject = concat<63>("record of rank ", rank);
      if (!HostRecord::read(slice(rank), found, name) || found.rank != rank ||
          found.world_size != world_) {
        return error_at(Errc::gather_failed, subject, concat<31>("rank ", found.rank),
                        concat<159>("the record of rank ", rank, " of ", world_),
                        "start one program on all ranks; in the program, gather 256 bytes a rank, "
                        "in rank order, over the whole job");
      }
      if (found.fault != HostRecord::Fault::none) {
        return error_at(Errc::gather_failed, subject, name, "a host name of 1 to 208 bytes",
                        "give the host a name; in the program, pass the whole of it on every rank");
      }
    }
    return std::nullopt;
  }

 private:
  std::span<const std::byte> slice(int rank) const {
    return {bytes_.data() + static_cast<std::size_t>(rank) * HostRecord::bytes, HostRecord::bytes};
  }

  SmallVector<std::byte, 16 * HostRecord::bytes> bytes_;
  int world_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_TOPOLOGY_DETAIL_GATHERED_RECORDS_HPP
