// SPDX-License-Identifier: MIT
// The one call of the caller's all-gather, and the bytes that it brings.
#ifndef RANKMAP_DETAIL_GATHERED_BYTES_HPP
#define RANKMAP_DETAIL_GATHERED_BYTES_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/little_endian.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace rankmap::inline v0::detail {

/// Joins the mark of a record, its first four bytes, with a digest of all other bytes. A second
/// call restores the mark, unless the record was damaged on the way or mixed with another one. Each
/// step is one to one, so no change of one byte is lost. Precondition: the size is a multiple of
/// four.
constexpr void toggle_mark(std::span<std::byte> record) {
  ByteReader from(record);
  const std::uint64_t mark = from.number(4);
  auto digest = static_cast<std::uint32_t>(fnv_start);
  while (from.left() != 0) {
    digest = static_cast<std::uint32_t>(fnv_step(digest, from.number(4)));
    digest ^= digest >> 16U;
  }
  ByteWriter(record).number(mark ^ digest, 4);
}
/// The same for each of the records of `bytes` bytes.
constexpr void toggle_marks(std::span<std::byte> records, std::size_t bytes) {
  for (std::size_t at = 0; at != records.size(); at += bytes)
    toggle_mark(records.subspan(at, bytes));
}

/// Room for one record of `Bytes` bytes from each rank.
template <std::size_t Bytes>
class GatheredBytes {
 public:
  explicit GatheredBytes(int world_size) : world_(world_size) {
    // On 32-bit systems the product may exceed std::size_t. Then the allocation must fail.
    const auto bytes = static_cast<std::uint64_t>(world_size) * Bytes;
    bytes_.resize(bytes > PTRDIFF_MAX ? SIZE_MAX : to_size(bytes));
  }

  int world_size() const { return world_; }
  std::span<const std::byte> record(int rank) const {
    return {bytes_.data() + static_cast<std::size_t>(rank) * Bytes, Bytes};
  }

  /// Calls the collective, with marks hidden on the way. `gather_failed` if it returns false.
  template <class Gather>
  Optional<Error> gather(std::span<std::byte, Bytes> mine, Gather& all_gather) {
    const std::span<std::byte> all(bytes_.data(), bytes_.size());
    const std::span<const std::byte> sent = mine;
    toggle_mark(mine);
    if constexpr (std::is_void_v<decltype(all_gather(sent, all))>) {
      all_gather(sent, all);
    } else if (!all_gather(sent, all)) {
      return error_at(Errc::gather_failed, "all_gather", "false", "a collective that succeeds",
                      "see what the collective reports");
    }
    toggle_marks(all, Bytes);
    toggle_mark(mine);
    return {};
  }

  /// Checks that the record that this rank sent came back, in any slot. Only this rank can tell, so
  /// the checks that all ranks can make go first.
  Optional<Error> check_own(int rank, std::span<const std::byte, Bytes> mine) const {
    for (int slot = 0; slot != world_; ++slot) {
      const std::span<const std::byte> found = record(slot);
      std::size_t same = 0;
      while (same != Bytes && found[same] == mine[same]) ++same;
      if (same == Bytes) return {};
    }
    return error_at(Errc::gather_failed, concat("record of rank ", rank), "a different one",
                    concat("the one that rank ", rank, " sent"),
                    "see what the collective does with the bytes of this rank");
  }

  /// Checks that a slice is a record of this rank and of a job of this size.
  template <class Record>
  Optional<Error> check_slice(int rank, bool is_record, const Record& found) const {
    if (is_record && found.rank == rank && found.world_size == world_) return {};
    StaticString<31> told("no record");
    if (is_record) told = concat<31>("rank ", found.rank, " of ", found.world_size);
    return error_at(
        Errc::gather_failed, concat("record of rank ", rank), told,
        concat("the record of rank ", rank, " of ", world_),
        concat("start one program on all ranks; in the program, gather ", std::uint64_t{Bytes},
               " bytes a rank, in rank order, over the whole job"));
  }

 private:
  SmallVector<std::byte, 4096> bytes_;
  int world_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_GATHERED_BYTES_HPP
