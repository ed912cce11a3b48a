// SPDX-License-Identifier: MIT
// One contiguous run of an order for each rank, which another number of ranks can take over at any
// step: the share for files that are read from their heads.
#ifndef RANKMAP_SAMPLER_FILE_SHARD_HPP
#define RANKMAP_SAMPLER_FILE_SHARD_HPP

#include <rankmap/detail/check_rank.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/file_order.hpp>
#include <rankmap/sampler/file_state.hpp>
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/make_shard.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// The places of one rank: a run of neighbours, as long as that of any other rank, or one longer.
/// So of F files W ranks open F + W - 1 at most, each file by one rank but for W - 1 that are cut.
/// A ShardOrder::blocked is divided in the same way and stops at the end of an epoch alone. This
/// one stops after any step. What is left are the ends of the runs; put together, they are divided
/// again in the same way for the next number of ranks.
///
/// Remainder says what becomes of the rank that has one more. With `pad` the others read their own
/// last sample again, or the first that is left where they have none: no further file is opened.
/// With `drop` nobody reads the one more; it is part of what is left where the job stops earlier.
///
/// It is a share of an Epoch. Any order that saved state can name will do; a FileOrder has files.
///
///     const auto shard = rankmap::FileShard::make(files, me).value();
///     shard.each_run(files, step * batch, batch, [](const rankmap::FileRun& run) { read(run); });
///     state = shard.state_after((step + 1) * batch).value();
class FileShard {
 public:
  /// No places.
  constexpr FileShard() = default;

  /// Of all places of `order`. Errc::out_of_range where make_shard fails; those of state_of. O(1).
  template <NamedOrder Order>
  static constexpr Result<FileShard> make(const Order& order, int rank, int world_size,
                                          Remainder remainder = Remainder::pad) {
    const Result<SamplerState> start = state_of(order);
    if (!start) return start.error();
    return resume(order, rank, world_size, FileState{*start}, remainder);
  }
  /// Of what was left when `state` was saved, in any world. `order` is that of the epoch
  /// `state.order.epoch`. Errc::bad_sampler: it is of another order, as resume_at says; its legs do
  /// not add up; after 64 legs, another number of ranks. The errors of make. O(legs).
  template <NamedOrder Order>
  static constexpr Result<FileShard> resume(const Order& order, int rank, int world_size,
                                            const FileState& state,
                                            Remainder remainder = Remainder::pad) {
    const Result<Shard> whole =
        make_shard(order.size(), rank, world_size, {ShardOrder::blocked, remainder, 0});
    if (!whole) return whole.error();
    Result<SamplerState> own = state_of(order);
    if (!own) return own.error();
    const bool has_room = state.leg_count <= FileState::max_legs;
    const std::span<const FileLeg> legs(state.legs, has_room ? state.leg_count : 0);
    const std::uint64_t digest = own->digest;
    own->digest = detail::digest_of_legs(digest, legs);
    const auto consumed = detail::consumed_of(state.order, *own);
    if (!consumed) return consumed.error();
    if (const auto bad = detail::check_legs(state)) return *bad;
    if (legs.size() == FileState::max_legs && legs.back().world_size != world_size) {
      return detail::error_at(Errc::bad_sampler, "world_size", detail::concat(world_size),
                              detail::concat(legs.back().world_size, " ranks, as in the last of ",
                                             legs.size(), " legs of this epoch"),
                              "go on with as many ranks, or start the next epoch");
    }
    return FileShard(run(state.order.size - *consumed, rank, world_size, remainder), state, digest);
  }
  /// With the rank and world size of `who`: a rankmap::Topology, or another type that has both.
  template <NamedOrder Order, HasRank Who>
  static constexpr Result<FileShard> make(const Order& order, const Who& who,
                                          Remainder remainder = Remainder::pad) {
    return make(order, detail::as_int("rank", who.rank()),
                detail::as_int("world_size", who.world_size()), remainder);
  }
  template <NamedOrder Order, HasRank Who>
  static constexpr Result<FileShard> resume(const Order& order, const Who& who,
                                            const FileState& state,
                                            Remainder remainder = Remainder::pad) {
    return resume(order, detail::as_int("rank", who.rank()),
                  detail::as_int("world_size", who.world_size()), state, remainder);
  }

  /// Places of this rank, padding included.
  constexpr std::uint64_t size() const noexcept { return share_.size(); }
  constexpr bool empty() const noexcept { return size() == 0; }
  /// The same without padding, which is one place at most and the last one.
  constexpr std::uint64_t real_size() const noexcept {
    return detail::count_within(0, size(), run(remaining(), rank(), world_size()).size());
  }
  constexpr bool is_padding(std::uint64_t k) const noexcept { return k >= real_size(); }
  constexpr int rank() const noexcept { return share_.rank(); }
  constexpr int world_size() const noexcept { return share_.world_size(); }
  /// Places that were not used before this shard.
  constexpr std::uint64_t remaining() const noexcept { return share_.dataset_size(); }

  /// The k-th place, in [0, size of the order). Precondition: k < size(). O(legs).
  constexpr std::uint64_t operator[](std::uint64_t k) const noexcept { return stretch_at(k).place; }

  /// Calls read(run) with the FileRuns that the `count` places from the k-th on are, as
  /// FileOrder::each_run does; padding is a run by itself. At the end it reads as many as are left.
  /// `order` is the one of make.
  template <class Read>
  constexpr void each_run(const FileOrder& order, std::uint64_t k, std::uint64_t count,
                          Read&& read) const {
    count = detail::count_within(k, count, size());
    while (count != 0) {
      const Stretch stretch = stretch_at(k);
      const std::uint64_t part = count < stretch.size ? count : stretch.size;
      order.each_run(stretch.place, part, read);
      k += part;
      count -= part;
    }
  }

  /// Steps of `batch_size` >= 1 samples for each rank, as Shard::steps: the same number on each.
  constexpr std::uint64_t steps(std::uint64_t batch_size, bool full_only = false) const noexcept {
    return share_.steps(batch_size, full_only);
  }

  /// What to save once every rank has read its first k samples, k the same on every rank; after
  /// step s of batches of B samples k is (s + 1) * B. At the end of the epoch it is the start of
  /// the next one. O(1). Errc::bad_sampler at the end of epoch 2^64 - 1.
  constexpr Result<FileState> state_after(std::uint64_t k) const {
    if (k >= steps(1)) {
      SamplerState start = state_.order;
      start.consumed = 0;
      start.digest = digest_;
      const Result<SamplerState> next = detail::end_of_epoch(start);
      if (!next) return next.error();
      return FileState{*next};
    }
    FileState state = state_;
    if (k == 0) return state;
    std::uint32_t last = state.leg_count - 1;
    if (state.leg_count == 0 || state.legs[last].world_size != world_size()) {
      last = state.leg_count++;
      state.legs[last] = {world_size(), 0};
    }
    // Two legs of as many ranks are one: what is left is divided where it was cut before.
    state.legs[last].taken += k;
    state.order.consumed += k * ranks();
    state.order.digest = detail::digest_of_legs(digest_, {state.legs, state.leg_count});
    return state;
  }

  /// Which rank reads `place` in what is left, and when: its index there. No rank (-1) where it was
  /// read before, or is dropped. O(legs).
  constexpr ShardIndex owner_of(std::uint64_t place) const noexcept {
    std::uint64_t left = state_.order.size;
    if (place >= left) return {};
    for (const FileLeg& leg : legs()) {
      const ShardIndex at = run(left, 0, leg.world_size).owner_of(place);
      if (at.index < leg.taken) return {};
      place -= (static_cast<std::uint64_t>(at.rank) + 1) * leg.taken;
      left -= static_cast<std::uint64_t>(leg.world_size) * leg.taken;
    }
    const ShardIndex at = run(left, 0, world_size()).owner_of(place);
    const bool drops = share_.options().remainder == Remainder::drop;
    if (drops && at.index >= left / ranks()) return {};
    return at;
  }

 private:
  struct Stretch {  // of neighbours in the order
    std::uint64_t place;
    std::uint64_t size;
  };

  constexpr FileShard(const Shard& share, const FileState& state, std::uint64_t digest)
      : share_(share), state_(state), digest_(digest) {}

  constexpr std::uint64_t ranks() const noexcept {
    return static_cast<std::uint32_t>(world_size());
  }
  constexpr std::span<const FileLeg> legs() const noexcept {
    return {state_.legs, state_.leg_count};
  }
  // The places of one rank where `left` places are divided.
  static constexpr Shard run(std::uint64_t left, int rank, int world_size,
                             Remainder remainder = Remainder::uneven) noexcept {
    return {left, rank, world_size, {ShardOrder::blocked, remainder, 0}};
  }

  // The k-th place of this rank, and how many neighbours of it in the order come next.
  constexpr Stretch stretch_at(std::uint64_t k) const noexcept {
    const StridedIndices own = run(remaining(), rank(), world_size()).positions();
    const std::uint64_t real = real_size();
    Stretch stretch{own.first() + k, real - k};
    if (k >= real) stretch = {own.empty() ? 0 : own.first() + own.size() - 1, 1};
    std::uint64_t left = remaining();
    for (std::size_t i = legs().size(); i-- != 0;) {
      const FileLeg& leg = legs()[i];
      // Each rank of that leg had left the end of its run.
      const ShardIndex at = run(left, 0, leg.world_size).owner_of(stretch.place);
      const std::uint64_t inside = run(left, at.rank, leg.world_size).size() - at.index;
      if (inside < stretch.size) stretch.size = inside;
      stretch.place += (static_cast<std::uint64_t>(at.rank) + 1) * leg.taken;
      left += static_cast<std::uint64_t>(leg.world_size) * leg.taken;
    }
    return stretch;
  }

  Shard share_;  // of the places that are left
  FileState state_;
  std::uint64_t digest_ = 0;  // of the order alone
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_FILE_SHARD_HPP
