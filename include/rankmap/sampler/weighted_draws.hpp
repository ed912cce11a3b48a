// SPDX-License-Identifier: MIT
// Draws with replacement by whole-number weights, each in constant time, from an alias table
// without rounding.
#ifndef RANKMAP_SAMPLER_WEIGHTED_DRAWS_HPP
#define RANKMAP_SAMPLER_WEIGHTED_DRAWS_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/prefetch.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/detail/uint128.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/detail/feistel.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// A column of an AliasTable: heights below `threshold` are its own, those from there on are the
/// weight `alias`'s.
struct AliasColumn {
  std::uint64_t threshold = 0;
  std::uint32_t alias = 0;
};

class WeightedDraws;

/// Walker and Vose's alias table in whole numbers. There is a column for each weight, each as high
/// as the sum of the weights. Exactly size() * weight places of the table belong to each weight, so
/// its share is its fraction of the sum.
///
/// It refers to the columns, which the processes of a node may share.
class AliasTable {
 public:
  /// No weights.
  constexpr AliasTable() = default;
  /// Writes the table to `columns`, of as many elements as there are weights. O(weights), no
  /// allocation. Errc::out_of_range: no weight above 0; 2^32 weights or more; weights whose sum,
  /// times how many there are, is 2^63 or more; columns of another size.
  static constexpr Result<AliasTable> make(std::span<const std::uint64_t> weights,
                                           std::span<AliasColumn> columns) {
    const std::uint64_t size = weights.size();
    if (size > UINT32_MAX) {
      return detail::out_of_range("weights.size()", size, "fewer than 2^32 weights",
                                  "draw from parts of them");
    }
    if (columns.size() != size) {
      return detail::out_of_range("columns.size()", columns.size(),
                                  detail::concat(size, " elements, one for each weight"),
                                  "pass a span of weights.size() elements");
    }
    AliasTable table;
    table.digest_ = detail::fnv_start;
    for (std::size_t i = 0; i != size; ++i) {
      table.sum_ += weights[i];
      if (weights[i] > largest_dataset / size || table.sum_ > largest_dataset / size) {
        return detail::out_of_range(detail::concat("weights[", i, "]"), weights[i],
                                    "weights whose sum times their number is below 2^63",
                                    "divide the weights by a number");
      }
      table.digest_ = detail::fnv_word(table.digest_, weights[i]);
      columns[i] = {weights[i] * size, static_cast<std::uint32_t>(i)};
    }
    if (table.sum_ == 0) {
      return detail::out_of_range("weights", "", "a weight above 0",
                                  "pass a whole number for each sample");
    }
    table.columns_ = columns;
    level(columns, table.sum_);
    return table;
  }

  /// How many weights there are.
  constexpr std::uint64_t size() const noexcept { return columns_.size(); }
  /// The sum of the weights.
  constexpr std::uint64_t sum() const noexcept { return sum_; }
  /// The weight of a place of the table. Preconditions: column < size(), height < sum(). O(1).
  constexpr std::uint64_t at(std::uint64_t column, std::uint64_t height) const noexcept {
    const AliasColumn& found = columns_[detail::to_size(column)];
    // Without a branch, which would be mispredicted.
    const std::uint64_t own = height < found.threshold ? 1 : 0;
    return found.alias + (column - found.alias) * own;
  }
  /// A digest of the weights.
  constexpr std::uint64_t digest() const noexcept { return digest_; }

 private:
  friend class WeightedDraws;

  // Columns that are too low take from the first one that is too high, until all have the same
  // height. A high one that gets too low is the next to take.
  static constexpr void level(std::span<AliasColumn> columns, std::uint64_t height) {
    std::size_t high = 0;
    const auto find_high = [&] {
      while (high != columns.size() && columns[high].threshold <= height) ++high;
    };
    find_high();
    for (std::size_t visited = 0; visited != columns.size(); ++visited) {
      std::size_t low = visited;
      while (columns[low].threshold < height && columns[low].alias == low) {
        columns[low].alias = static_cast<std::uint32_t>(high);
        columns[high].threshold -= height - columns[low].threshold;
        low = high;
        find_high();
      }
    }
  }

  std::span<const AliasColumn> columns_;
  std::uint64_t sum_ = 0;
  std::uint64_t digest_ = 0;
};

/// An order of `draws` places, each an independent draw with replacement. All ranks read one
/// stream, which their shares deal out. A sample may come in several places, also of several ranks.
/// A sample of weight 0 comes in none. Saved state calls it weighted-alias-1; golden values pin it.
class WeightedDraws : public PlaceRange<WeightedDraws> {
 public:
  constexpr WeightedDraws() = default;
  /// Precondition: draws <= largest_dataset. A table without weights has no draws. O(1).
  constexpr WeightedDraws(const AliasTable& table, std::uint64_t draws, std::uint64_t seed,
                          std::uint64_t epoch = 0) noexcept
      : table_(table),
        size_(table.size() == 0 ? 0 : draws),
        seed_(seed),
        epoch_(epoch),
        key_(detail::FeistelKey(seed, epoch).of_stream(stream)),
        rejected_(size_ == 0 ? 0
                             : (0 - table.size() * table.sum()) % (table.size() * table.sum())) {}

  constexpr std::uint64_t size() const noexcept { return size_; }
  /// The sample at `place` < size(). O(1). A word that would favour some numbers, at most every
  /// second one, is replaced by another.
  constexpr std::uint64_t operator[](std::uint64_t place) const noexcept {
    Draw draw = scaled(key_.at(place));
    for (std::uint64_t attempt = 1; draw.rest < rejected_; ++attempt) {
      draw = scaled(key_.of_stream(attempt).at(place));
    }
    return table_.at(draw.column, draw.height);
  }

  /// As SampleOrder says. Several times faster than one by one in a large table, since many columns
  /// are on their way from memory at once.
  constexpr void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
                      std::uint64_t stride = 1) const noexcept {
    constexpr std::uint64_t batch = 64;
    Draw draws[batch] = {};
    while (count != 0) {
      const std::uint64_t part = count < batch ? count : batch;
      for (std::uint64_t k = 0; k != part; ++k) {
        draws[k] = scaled(key_.at(first + k * stride));
        detail::prefetch_to_read(table_.columns_.data() + detail::to_size(draws[k].column));
      }
      for (std::uint64_t k = 0; k != part; ++k) {
        out[k] = draws[k].rest < rejected_ ? (*this)[first + k * stride]
                                           : table_.at(draws[k].column, draws[k].height);
      }
      first += part * stride;
      out += part;
      count -= part;
    }
  }

  /// weighted-alias-1; the digest is that of the weights.
  constexpr SavedOrder saved_as() const noexcept {
    return {"weighted-alias-1", seed_, epoch_, table_.digest()};
  }

 private:
  // A column and a height of one word. All pairs are equally likely where the rest that is left of
  // the word is at least 2^64 modulo the number of pairs (Brackett-Rozinsky and Lemire, 2024).
  struct Draw {
    std::uint64_t column;
    std::uint64_t height;
    std::uint64_t rest;
  };
  constexpr Draw scaled(std::uint64_t word) const noexcept {
    const detail::Uint128 column = detail::multiply_wide(word, table_.size());
    const detail::Uint128 height = detail::multiply_wide(column.low, table_.sum());
    return {column.high, height.high, height.low};
  }

  static constexpr std::uint64_t stream = 0x616c'6961'73U;  // "alias": no permutation has it

  AliasTable table_;
  std::uint64_t size_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
  detail::FeistelKey key_;
  std::uint64_t rejected_ = 0;  // rests below it
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_WEIGHTED_DRAWS_HPP
