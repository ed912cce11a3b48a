// SPDX-License-Identifier: MIT
// Nodes as boxes and their ranks as cells in them: where each is on a picture. Of many nodes, and
// of many ranks on a node, the first are shown, and a number for the others.
#ifndef RANKMAP_DRAW_DETAIL_NODE_BOXES_HPP
#define RANKMAP_DRAW_DETAIL_NODE_BOXES_HPP

#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/layout/layout.hpp>

#include <string_view>

namespace rankmap::inline v0::detail {

class NodeBoxes {
 public:
  /// At most `max_nodes` boxes of `max_ranks` cells, both limits moved into [2, most]. If there are
  /// more, the last box or cell shows how many. Rows with margins are not wider than `widest`.
  constexpr NodeBoxes(const Layout& layout, int max_nodes, int max_ranks, int widest, SvgBox cell,
                      int cells_in_row, int min_width)
      : layout_(&layout), cell_(cell), cells_in_row_(cells_in_row) {
    boxes_ = smaller(layout.node_count(), within_limits(max_nodes));
    cells_ = smaller(layout.largest_local_world_size(), within_limits(max_ranks));
    cells_in_row_ = smaller(cells_in_row_, cells_);
    box_width_ = 2 * pad + cells_in_row_ * (cell.width + gap) - gap;
    if (box_width_ < min_width) box_width_ = min_width;
    in_row_ = (picture_width(widest) - 2 * picture_margin + box_gap) / (box_width_ + box_gap);
    in_row_ = smaller(in_row_ < 1 ? 1 : in_row_, boxes_);
    const int rows = (boxes_ + in_row_ - 1) / in_row_;
    in_row_ = (boxes_ + rows - 1) / rows;  // rows as equal as they can be
  }

  /// All boxes together, without margins.
  constexpr int width() const { return in_row_ * (box_width_ + box_gap) - box_gap; }
  constexpr int height() const {
    const int rows = (boxes_ + in_row_ - 1) / in_row_;
    return rows * (box_height(cells_) + box_gap) - box_gap;
  }

  /// For each node that is shown, calls `begin(node, box)`, then `cell(rank, box)` for each of its
  /// ranks that is shown, then `end()`. `box_name`: what the number of hidden nodes counts.
  constexpr void draw(auto& svg, int x, int y, std::string_view box_name, const auto& begin,
                      const auto& cell, const auto& end) const {
    const int nodes = layout_->node_count();
    for (int i = 0; i != boxes_; ++i) {
      const SvgBox at = box_of(i, x, y);
      if (i == boxes_ - 1 && nodes > boxes_) {
        svg.box(at, "d", 6);
        svg.centred(at, at.height / 2 + 4, "s m", "... ", with_separators(nodes - i), " more ",
                    box_name, "s");
        break;
      }
      begin(i, at);
      draw_cells(svg, i, at, cell);
      end();
    }
  }

  /// Where a rank of the layout is; of width 0 if it is not shown. `x`, `y`: as for draw().
  constexpr SvgBox cell_of(int rank, int x, int y) const {
    const int node = layout_->node_of(rank);
    const int local = layout_->local_rank_of(rank);
    const int shown_nodes = boxes_ < layout_->node_count() ? boxes_ - 1 : boxes_;
    const int ranks = layout_->local_world_size(node);
    const int shown_ranks = cells_ < ranks ? cells_ - 1 : ranks;
    if (node >= shown_nodes || local >= shown_ranks) return {0, 0, 0, 0};
    return cell_in(box_of(node, x, y), local);
  }

 private:
  static constexpr int pad = 10;
  static constexpr int gap = 6;
  static constexpr int box_gap = 14;
  static constexpr int header = 30;
  // Eight panels of this many boxes of this many cells, eight a row, are 800 million pixels high.
  static constexpr int most = 4096;

  static constexpr int smaller(int a, int b) { return a < b ? a : b; }
  static constexpr int within_limits(int limit) { return limit < 2 ? 2 : smaller(limit, most); }
  constexpr int box_height(int cells) const {
    const int rows = (cells + cells_in_row_ - 1) / cells_in_row_;
    return header + (rows < 1 ? 1 : rows) * (cell_.height + gap) - gap + pad;
  }

  constexpr SvgBox box_of(int i, int x, int y) const {
    return {x + i % in_row_ * (box_width_ + box_gap),
            y + i / in_row_ * (box_height(cells_) + box_gap), box_width_, box_height(cells_)};
  }
  constexpr SvgBox cell_in(SvgBox box, int k) const {
    return {box.x + pad + k % cells_in_row_ * (cell_.width + gap),
            box.y + header + k / cells_in_row_ * (cell_.height + gap), cell_.width, cell_.height};
  }

  constexpr void draw_cells(auto& svg, int node, SvgBox box, const auto& cell) const {
    const int ranks = layout_->local_world_size(node);
    const int shown = smaller(ranks, cells_);
    for (int k = 0; k != shown; ++k) {
      const SvgBox at = cell_in(box, k);
      if (k == shown - 1 && ranks > shown) {
        svg.box(at, "d");
        svg.centred(at, at.height / 2 - 2, "s n m", with_separators(ranks - k));
        svg.centred(at, at.height / 2 + 11, "s n m", "more");
        break;
      }
      cell(layout_->rank_of(node, k), at);
    }
  }

  const Layout* layout_;
  SvgBox cell_;
  int cells_in_row_ = 0;
  int boxes_ = 0;
  int cells_ = 0;
  int box_width_ = 0;
  int in_row_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DRAW_DETAIL_NODE_BOXES_HPP
