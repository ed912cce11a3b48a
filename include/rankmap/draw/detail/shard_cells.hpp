// SPDX-License-Identifier: MIT
// The cells of a picture of shards: which places of the order it shows, where and how.
#ifndef RANKMAP_DRAW_DETAIL_SHARD_CELLS_HPP
#define RANKMAP_DRAW_DETAIL_SHARD_CELLS_HPP

#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/shard.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// A list of places that may be too long to show. Two stretches are kept, one from a focus on and
/// one around an end, and numbers stand for the rest.
struct PlaceList {
  std::uint64_t count = 0;
  std::uint64_t focus = 0;  ///< below count, or 0
  std::uint64_t end = 0;    ///< of the real samples, at most count; padding follows
};

/// Places of the order are counted from its head without wrap-around. A place beyond the data set
/// is padding: its sample is that at the place modulo the size.
class ShardCells {
 public:
  /// `shard`: of any rank. `max_ranks`: below 3 counts as 3 and above `max_rows` as `max_rows`.
  constexpr ShardCells(const Shard& shard, int max_cells, int max_ranks, int widest)
      : shard_(shard), rows_(max_ranks < 3 ? 3 : max_ranks) {
    if (rows_ > max_rows) rows_ = max_rows;
    if (shard.world_size() < rows_) rows_ = shard.world_size();
    const std::uint64_t last = shard.dataset_size() == 0 ? 0 : shard.dataset_size() - 1;
    const int rank_digits = digits_of(shard.world_size() - 1);
    const int number = static_cast<int>(with_separators(last).size());
    const int columns = number > rank_digits ? number : rank_digits + 1;
    cell_ = columns < 4 ? 34 : 10 + text_width(columns);
    label_ = text_width(rank_digits + 5) + 10;
    const int room = picture_width(widest) - 2 * picture_margin;
    strip_slots_ = slots_in(room, max_cells);
    row_slots_ = slots_in(room - label_, max_cells);
  }

  constexpr int width() const {
    const int in_strip = used_slots(strip_places(), strip_slots_) * (cell_ + gap) - gap;
    const bool drop = shard_.options().remainder == Remainder::drop;
    const int in_row = label_ + used_slots(shard_.steps(1, drop), row_slots_) * (cell_ + gap) - gap;
    const int wider = in_strip > in_row ? in_strip : in_row;
    return wider < 540 ? 540 : wider;
  }
  constexpr int strip_height() const { return strip_cell_height; }
  constexpr int rows_height() const { return rows_ * (row_cell_height + gap) - gap; }

  /// The order of the epoch: samples that are used, read by a rank, padding or read by nobody.
  constexpr void draw_strip(auto& svg, int x, int y, const auto& sample_at) const {
    each_of_strip(svg, x, y, [&](SvgBox box, std::uint64_t place) {
      draw_strip_cell(svg, box, place, sample_at(place % shard_.dataset_size()));
    });
  }

  /// What each sample of the strip belongs to: its group in colour, and its window below, if any.
  template <class Writer, class Order>
  constexpr void draw_groups(Writer& svg, int x, int y, const Order& order,
                             const auto& sample_at) const {
    each_of_strip(svg, x, y, [&](SvgBox box, std::uint64_t place) {
      const std::uint64_t in_order = place % shard_.dataset_size();
      const std::uint64_t group = order.group_of(sample_at(in_order));
      const auto colour = static_cast<std::int64_t>(group % svg_colours);
      svg.box(box, colour_class(colour));
      svg.centred(box, 17, ink(colour), with_separators(group));
      if constexpr (WindowedOrder<Order>) {
        svg.centred(box, 31, ink(colour, true), "w", order.window_of(in_order));
      }
    });
  }

  /// The samples of each rank in the order in which it reads them.
  constexpr void draw_rows(auto& svg, int x, int y, const auto& sample_at) const {
    const int world = shard_.world_size();
    for (int row = 0; row != rows_; ++row, y += row_cell_height + gap) {
      if (world > rows_ && row == rows_ - 2) {
        svg.text(x, y + 18, "s", "... ", with_separators(world - rows_ + 1), " more ranks");
        continue;
      }
      const int rank = row == rows_ - 1 ? world - 1 : row;
      svg.text(x, y + 18, "s", "rank ", rank);
      const Shard own(shard_.dataset_size(), rank, world, shard_.options());
      each_cell(
          {own.size(), 0, own.real_size()}, row_slots_, {x + label_, y, cell_, row_cell_height},
          [&](SvgBox box, std::uint64_t k) {
            fill_cell(svg, box, rank, own.is_padding(k));
            svg.centred(box, 17, ink(rank), with_separators(sample_at(own[k])));
          },
          [&](SvgBox box, std::uint64_t left) {
            svg.centred(box, 17, "s n m", "+", with_separators(left));
          });
    }
  }

  constexpr bool has_legend() const { return consumed() != 0 || end() != shard_.dataset_size(); }
  /// What the marks mean, if they occur.
  constexpr void draw_legend(auto& svg, int x, int y) const {
    constexpr std::string_view padding_mark = "c1";  // stripes need a colour below them
    const auto entry = [&](bool there, std::string_view mark, std::string_view text,
                           std::uint64_t count) {
      if (!there) return;
      const SvgBox box{x, y, 24, 16};
      svg.box(box, mark);
      if (mark == padding_mark) mark_padding(svg, box);
      const auto number = with_separators(count);
      svg.text(x + 32, y + 12, "s", number, text);
      x += 32 + text_width(static_cast<int>(number.size() + text.size())) + 20;
    };
    entry(consumed() != 0, "u", " used already", consumed());
    entry(end() > shard_.dataset_size(), padding_mark, " of padding, read again",
          end() - shard_.dataset_size());
    entry(end() < shard_.dataset_size(), "d", " read by nobody", shard_.dataset_size() - end());
  }

 private:
  static constexpr int gap = 4;
  static constexpr int min_slots = 7;    // three gaps and four places
  static constexpr int max_rows = 4096;  // as many boxes as a picture of nodes has at most
  static constexpr int strip_cell_height = 42;
  static constexpr int row_cell_height = 27;

  constexpr std::uint64_t consumed() const { return shard_.options().consumed; }
  constexpr std::uint64_t end() const { return consumed() + shard_.total_size(); }
  constexpr std::uint64_t strip_places() const {
    return end() > shard_.dataset_size() ? end() : shard_.dataset_size();
  }
  constexpr int slots_in(int width, int max_cells) const {
    int slots = (width + gap) / (cell_ + gap);
    if (max_cells < slots) slots = max_cells;
    return slots < min_slots ? min_slots : slots;
  }
  static constexpr int used_slots(std::uint64_t count, int slots) {
    return count < static_cast<std::uint64_t>(slots) ? static_cast<int>(count) : slots;
  }

  // Calls cell(box, place) for the places of a strip that are shown; gaps say how many they hide.
  constexpr void each_of_strip(auto& svg, int x, int y, const auto& cell) const {
    const std::uint64_t focus = consumed() < strip_places() ? consumed() : 0;
    each_cell({strip_places(), focus, shard_.dataset_size()}, strip_slots_,
              {x, y, cell_, strip_cell_height}, cell, [&](SvgBox box, std::uint64_t left) {
                svg.centred(box, 17, "s n m", with_separators(left));
                svg.centred(box, 31, "s n m", "more");
              });
  }

  // Calls cell(box, place) for the places that are shown and rest(box, number) for the gaps, at
  // most three: before the focus, before the end and after it. `at`: the first cell.
  constexpr void each_cell(const PlaceList& list, int slots, SvgBox at, const auto& cell,
                           const auto& rest) const {
    const auto stretch = [&](std::uint64_t from, std::uint64_t to) {
      for (; from < to; ++from, at.x += cell_ + gap) cell(at, from);
    };
    if (list.count <= static_cast<std::uint64_t>(slots)) {
      stretch(0, list.count);
      return;
    }
    const auto skip = [&](std::uint64_t from, std::uint64_t to) {
      if (to - from < 2) {  // it fits in the cell of the number
        stretch(from, to);
        return;
      }
      rest(at, to - from);
      at.x += cell_ + gap;
    };
    const auto least = [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; };
    const std::uint64_t kept = static_cast<std::uint64_t>(slots) - 3;
    const std::uint64_t tail = kept / 3;
    const std::uint64_t last_end = list.end + least(list.count - list.end, tail - tail / 2);
    const std::uint64_t begin = list.focus > 2 ? list.focus - 2 : 0;
    const std::uint64_t first_end = least(begin + kept - tail, last_end);
    const std::uint64_t first = least(begin, first_end);
    std::uint64_t last = last_end > tail ? last_end - tail : 0;
    if (last < first_end) last = first_end;
    skip(0, first);
    stretch(first, first_end);
    skip(first_end, last);
    stretch(last, last_end);
    skip(last_end, list.count);
  }

  constexpr int owner_of(std::uint64_t place) const {
    if (place < shard_.dataset_size()) return shard_.owner_of(place).rank;
    const std::uint64_t offset = place - consumed();
    return static_cast<int>(shard_.options().order == ShardOrder::strided
                                ? offset % static_cast<std::uint64_t>(shard_.world_size())
                                : offset / shard_.size());
  }

  static constexpr void mark_padding(auto& svg, SvgBox box) {
    svg.stripes(box);
    svg.box(box, "p");
  }
  static constexpr void fill_cell(auto& svg, SvgBox box, int rank, bool padding) {
    svg.box(box, colour_class(rank));
    if (padding) mark_padding(svg, box);
  }
  constexpr void draw_strip_cell(auto& svg, SvgBox box, std::uint64_t place,
                                 std::uint64_t sample) const {
    if (place < consumed() || place >= end()) {
      const bool used = place < consumed();
      svg.box(box, used ? "u" : "d");
      svg.centred(box, 17, "s m", with_separators(sample));
      svg.centred(box, 31, "s n m", used ? "used" : "none");
      return;
    }
    const int rank = owner_of(place);
    fill_cell(svg, box, rank, place >= shard_.dataset_size());
    svg.centred(box, 17, ink(rank), with_separators(sample));
    svg.centred(box, 31, ink(rank, true), "r", rank);
  }

  Shard shard_;
  int rows_;
  int cell_ = 0;
  int label_ = 0;
  int strip_slots_ = 0;
  int row_slots_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DRAW_DETAIL_SHARD_CELLS_HPP
