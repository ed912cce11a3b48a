// SPDX-License-Identifier: MIT
//
// The one call of the caller's all-gather, and the bytes that it brings.
#ifndef RANKMAP_DETAIL_GATHERED_BYTES_HPP
#define RANKMAP_DETAIL_GATHERED_BYTES_HPP

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

  /// Calls the collective. `gather_failed` where it says that it failed.
  template <class Gather>
  Optional<Error> gather(std::span<const std::byte> mine, Gather& all_gather) {
    const std::span<std::byte> all(bytes_.data(), bytes_.size());
    if constexpr (std::is_void_v<decltype(all_gather(mine, all))>) {
      all_gather(mine, all);
    } else if (!all_gather(mine, all)) {
      return error_at(Errc::gather_failed, "all_gather", "false", "a collective that succeeds",
                      "see what the collective reports");
    }
    return {};
  }

  /// A record that is not that of its rank: it says that it is of rank `found`.
  Error error_about(int rank, int found) const {
    return error_at(
        Errc::gather_failed, concat<63>("record of rank ", rank), concat<31>("rank ", found),
        concat<159>("the record of rank ", rank, " of ", world_),
        concat<159>("start one program on all ranks; in the program, gather ", std::uint64_t{Bytes},
                    " bytes a rank, in rank order, over the whole job"));
  }

 private:
  SmallVector<std::byte, 4096> bytes_;
  int world_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_GATHERED_BYTES_HPP
