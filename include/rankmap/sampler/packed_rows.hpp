// SPDX-License-Identifier: MIT
// Sequences of unequal length, packed into rows of one length: as few rows as first-fit decreasing
// needs, in an order of their own that is dealt to ranks like samples.
#ifndef RANKMAP_SAMPLER_PACKED_ROWS_HPP
#define RANKMAP_SAMPLER_PACKED_ROWS_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/enumerator.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/first_fit.hpp>
#include <rankmap/sampler/detail/row_units.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// What becomes of a sample that is longer than a row.
enum class TooLong : std::uint8_t {
  refuse,  ///< an error that names it
  drop,    ///< it is left out, and counted
  alone,   ///< it has a row to itself, which is longer than the others: for programs that cut it
};

constexpr std::string_view name(TooLong choice) {
  return detail::enumerator("refuse\0drop\0alone", choice);
}

/// How to pack. All ranks of a job must use the same options.
struct PackingOptions {
  TooLong too_long = TooLong::refuse;
  bool shuffle = true;  ///< the rows; else the row with the longest sample comes first
  friend constexpr bool operator==(const PackingOptions&, const PackingOptions&) = default;
};

/// The samples of an order in rows of at most a given length, by first-fit decreasing: the longest
/// sample first, each into the first row that has room for it. Among samples of equal length the
/// order decides, so each epoch has other rows. The choice is made in whole numbers and is the same
/// on every rank and platform.
///
/// It is an order of rows, numbered from 0 on, that is shuffled with the seed and the epoch of the
/// order of samples. A Shard deals the rows to ranks: with `pad` or `drop` all of them have the
/// same number, with `uneven` the last step of some is empty. Since the rows are the same in every
/// world, saved state counts rows, and any number of ranks goes on. Saved state calls it packed-1.
/// It refers to its memory, which the processes of a node may share.
///
///     const rankmap::Epoch epoch(rankmap::Shard(rows.size(), me), rows);
///     for (std::uint64_t row : epoch) train(rows.samples(row));
class PackedRows {
 public:
  constexpr PackedRows() = default;

  /// The elements of `memory` and of `scratch` for an order of `places` places.
  static constexpr std::uint64_t memory_for(std::uint64_t places) { return 2 * places + 1; }
  static constexpr std::uint64_t scratch_for(std::uint64_t places) { return 4 * places; }

  /// Packs the samples of `order` into rows of `row`. `of_samples[i]` is the length of sample i, of
  /// any array or span: integers from 0 on, with a `row` in [1, 2^31]; or floating-point numbers
  /// from 0 on, with a `row` in [1e-200, 1e200]. These are rounded up to a part of the row below
  /// 2^-30, so that no sum is above the row. `memory` has memory_for(order.size()) elements and
  /// outlives the rows, `scratch` has scratch_for(order.size()); `of_samples` is read and not kept.
  /// O(places log places), no allocation.
  ///
  /// Errc::out_of_range: a row or a length that is not in its range; a sample without a length, or
  /// with 2^31 places or more; with TooLong::refuse a length above the row; an unknown TooLong; too
  /// little memory. The errors of the order's saved_as().
  template <NamedOrder Order, class Lengths, class Row>
  requires FixedOrder<Order>
  static constexpr Result<PackedRows> make(const Order& order, const Lengths& of_samples,
                                           const Row& row, std::span<std::uint32_t> memory,
                                           std::span<std::uint32_t> scratch,
                                           const PackingOptions& options = {}) {
    const Result<SavedOrder> saved = order.saved_as();
    if (!saved) return saved.error();
    if (options.too_long != TooLong::refuse && options.too_long != TooLong::drop &&
        options.too_long != TooLong::alone) {
      return detail::out_of_range("PackingOptions::too_long", static_cast<int>(options.too_long),
                                  "one of: refuse, drop, alone", "pass an enumerator of TooLong");
    }
    const std::span lengths(of_samples);
    using Length = std::remove_cvref_t<decltype(lengths[0])>;
    const detail::RowUnits<Length> units(row);
    if (units.row() == 0) {
      return detail::out_of_range("row", units.text(row), units.range_of_row,
                                  "pass the length of a row");
    }
    const std::uint64_t places = order.size();
    if (places >= std::uint64_t{1} << 31U) {
      return detail::out_of_range("order.size()", places, "fewer than 2^31 places",
                                  "pack a part of the order");
    }
    if (memory.size() < memory_for(places) || scratch.size() < scratch_for(places)) {
      const bool is_memory = memory.size() < memory_for(places);
      return detail::out_of_range(
          is_memory ? "memory.size()" : "scratch.size()",
          is_memory ? memory.size() : scratch.size(),
          detail::concat("at least ", is_memory ? memory_for(places) : scratch_for(places),
                         " elements"),
          is_memory ? "pass a span of PackedRows::memory_for(order.size()) elements"
                    : "pass a span of PackedRows::scratch_for(order.size()) elements");
    }
    PackedRows rows;
    std::uint64_t digest = detail::fnv_words(detail::fnv_start, places, saved->digest);
    digest = detail::fnv_text(digest, saved->name);
    digest = detail::fnv_words(digest, options.too_long, options.shuffle, units.row());
    for (const auto& length : lengths) digest = detail::fnv_word(digest, units.of(length));
    std::uint64_t sum = 0;
    std::uint64_t longer = 0;
    for (std::uint64_t place = 0; place != places; ++place) {
      const std::uint64_t sample = order[place];
      if (sample >= lengths.size() || sample > UINT32_MAX) {
        return detail::out_of_range(
            "sample", sample,
            detail::concat("below lengths.size(), ", lengths.size(), ", and 2^32"),
            "pass a length for each sample of the order");
      }
      const auto& length = lengths[detail::to_size(sample)];
      const std::uint32_t size = units.of(length);
      const auto bad_length = [&](std::string_view expected, std::string_view remedy) {
        return detail::out_of_range(detail::concat("lengths[", sample, "]"), units.text(length),
                                    expected, remedy);
      };
      if (size == detail::no_length) {
        return bad_length("a finite number from 0 on", "correct the length");
      }
      if (size > units.row() && options.too_long == TooLong::refuse) {
        return bad_length(detail::concat("at most the row, ", units.text(row).view()),
                          "cut the sample, raise the row, or choose drop or alone of TooLong");
      }
      scratch[detail::to_size(place)] = size;
      sum += size > units.row() ? 0 : size;
      longer += size > units.row() ? 1U : 0U;
    }
    if (options.too_long == TooLong::drop) rows.dropped_ = longer;
    // Of any two rows that are open at the end, one is more than half full.
    const std::uint64_t most = 2 * (sum / units.row() + 1) + longer - rows.dropped_;
    rows.pack(order, memory, scratch.data(), units.row(),
              static_cast<std::uint32_t>(most < places ? most : places));
    rows.min_rows_ =
        longer - rows.dropped_ + sum / units.row() + (sum % units.row() != 0 ? 1U : 0U);
    rows.saved_ = {"packed-1", saved->seed, saved->epoch, digest};
    if (options.shuffle) rows.order_ = Permutation(rows.size(), saved->seed, saved->epoch, 1);
    return rows;
  }

  /// Rows of all ranks.
  constexpr std::uint64_t size() const noexcept {
    return borders_.empty() ? 0 : borders_.size() - 1;
  }
  /// The row at `place`, in [0, size()). Precondition: place < size(). O(1).
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    return order_.size() == 0 ? place : order_[place];
  }
  /// The place of `row`: rows.index_of(rows[place]) == place. Precondition: row < size().
  constexpr std::uint64_t index_of(std::uint64_t row) const noexcept {
    return order_.size() == 0 ? row : order_.index_of(row);
  }
  /// The samples of `row` < size(), as they follow each other in the order that was packed; at
  /// least one. O(1).
  constexpr std::span<const std::uint32_t> samples(std::uint64_t row) const noexcept {
    const std::uint32_t* const border = borders_.data() + row;
    return {samples_.data() + border[0], border[1] - border[0]};
  }

  /// Samples that were left out since they are longer than a row.
  constexpr std::uint64_t dropped() const noexcept { return dropped_; }
  /// No packing has fewer rows: the lengths in rows, rounded up, and the samples that are alone.
  constexpr std::uint64_t min_rows() const noexcept { return min_rows_; }
  [[deprecated("use min_rows")]] constexpr std::uint64_t least_rows() const noexcept {
    return min_rows_;
  }

  /// packed-1 with seed and epoch of the order of samples; its name, size and digest, the lengths,
  /// the row and the options are the digest.
  constexpr SavedOrder saved_as() const noexcept { return saved_; }

 private:
  // The first quarter of `scratch` holds the length of each place in units of the row.
  template <class Order>
  constexpr void pack(const Order& order, std::span<std::uint32_t> memory, std::uint32_t* scratch,
                      std::uint32_t row, std::uint32_t most) {
    const std::size_t places = detail::to_size(order.size());
    std::uint32_t* const row_of = scratch;  // first the length, then the row of a place
    std::uint32_t* const sorted = scratch + places;
    detail::sort_descending(sorted, sorted + places, places,
                            [&](std::size_t place) { return row_of[place]; });
    // One more than what is free, so that a closed row has no room, even for a length of 0.
    detail::Rooms<std::uint32_t> rooms(sorted + places, most, row + 1);
    std::uint32_t count = 0;
    for (std::size_t rank = 0; rank != places;) {
      const std::uint32_t length = row_of[sorted[rank]];
      if (length > row) {
        row_of[sorted[rank++]] = dropped_ != 0 ? none : count;
        if (dropped_ == 0) rooms.set(count++, 0);
        continue;
      }
      // Samples of one length go to the same row until it is full.
      const std::uint32_t into = rooms.first_with(length + 1);
      std::uint32_t room = rooms[into];
      if (into == count) ++count;
      for (; rank != places && row_of[sorted[rank]] == length && room > length; room -= length) {
        row_of[sorted[rank++]] = into;
      }
      rooms.set(into, room);
    }
    // The samples by row, and in each row in the order of their places.
    samples_ = memory.first(places);
    borders_ = memory.subspan(places, std::size_t{count} + 1);
    for (std::uint32_t& border : borders_) border = 0;
    for (std::size_t place = 0; place != places; ++place) {
      if (row_of[place] != none) ++borders_[row_of[place]];
    }
    std::uint32_t end = 0;
    for (std::uint32_t& border : borders_) border = end += border;
    for (std::size_t place = places; place-- != 0;) {
      if (row_of[place] == none) continue;
      samples_[--borders_[row_of[place]]] = static_cast<std::uint32_t>(order[place]);
    }
  }
  static constexpr std::uint32_t none = UINT32_MAX;

  std::span<std::uint32_t> samples_;
  std::span<std::uint32_t> borders_;
  std::uint64_t dropped_ = 0;
  std::uint64_t min_rows_ = 0;
  SavedOrder saved_ = {"packed-1"};
  Permutation order_;  // empty where nothing is shuffled
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_PACKED_ROWS_HPP
