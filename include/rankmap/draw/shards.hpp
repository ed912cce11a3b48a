// SPDX-License-Identifier: MIT
// Who reads which sample as a picture: the order of an epoch as a strip, and a row for each rank.
#ifndef RANKMAP_DRAW_SHARDS_HPP
#define RANKMAP_DRAW_SHARDS_HPP

#include <rankmap/draw/detail/shard_cells.hpp>
#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/shard.hpp>

#include <cstdint>

namespace rankmap::inline v0 {

/// How much a picture of shards shows.
struct DrawShardsOptions {
  int max_cells = 24;  ///< samples in the strip and in a row, at least 7; numbers for the rest
  int max_ranks = 8;   ///< rows, 3 to 4096; the last rank is always among them
  int width = 1000;    ///< 320 to 10,000 pixels: as many samples as fit, at least 7
};

/// Draws how an epoch divides a data set among the ranks: its order as a strip with the rank of
/// each sample, then the samples of each rank in the order in which it reads them. A GroupedOrder
/// has a strip more, with the block or set of each sample in colour, and its window. Used samples
/// are grey, padding is dashed and follows the end, and samples that nobody reads are empty.
///
/// `epoch`: of any rank, since the picture shows all ranks. `out`: any callable that takes a
/// std::string_view; it gets one SVG document in pieces, in order. No error, no allocation but the
/// order's own, O(cells shown); constexpr. Golden-tested.
template <SampleOrder Order, class Out>
constexpr void draw_shards(Epoch<Shard, Order> epoch, Out&& out,
                           const DrawShardsOptions& options = {}) {
  const Shard shard = epoch.share();
  const ShardOptions& sharding = shard.options();
  const std::uint64_t dataset_size = shard.dataset_size();
  const int world_size = shard.world_size();
  const auto sample_at = [&epoch](std::uint64_t position) { return epoch.order()[position]; };
  const detail::ShardCells cells(shard, options.max_cells, options.max_ranks, options.width);
  constexpr int heading = 24;
  const int margin = detail::picture_margin;
  const int legend_height = cells.has_legend() ? 28 : 8;
  const int strip = heading + cells.strip_height() + 16;
  const int groups_top = margin + detail::heading_height + strip;
  const int rows_top = groups_top + (GroupedOrder<Order> ? strip : 0);
  const int width = 2 * margin + cells.width();
  const int height = rows_top + heading + cells.rows_height() + legend_height + margin - 8;

  detail::SvgWriter svg(out);
  const auto title = [&] {
    svg.put(detail::with_separators(dataset_size),
            dataset_size == 1 ? " sample on " : " samples on ", detail::with_separators(world_size),
            world_size == 1 ? " rank" : " ranks");
  };
  const auto how = [&] {
    svg.put(sharding.order == ShardOrder::strided ? "Ranks take samples in turn; "
                                                  : "Each rank takes one stretch; ",
            sharding.remainder == Remainder::pad    ? "padding makes all shares equal"
            : sharding.remainder == Remainder::drop ? "what does not divide is dropped"
                                                    : "shares differ by at most one",
            ".");
  };
  svg.begin(width, height, title, how, [&] {
    svg.put(
        "A strip of the samples in the order of the epoch, each with the rank that reads it, "
        "and below a row of samples for each rank. ");
    if constexpr (GroupedOrder<Order>) svg.put("A second strip has the group of each sample. ");
    how();
  });

  svg.text(margin, margin + detail::heading_height + 12, "h2",
           "the order of the epoch: sample, rank");
  cells.draw_strip(svg, margin, margin + detail::heading_height + heading, sample_at);
  if constexpr (GroupedOrder<Order>) {
    svg.text(margin, groups_top + 12, "h2",
             WindowedOrder<Order> ? "what it is of: group, window" : "what it is of: group");
    cells.draw_groups(svg, margin, groups_top + heading, epoch.order(), sample_at);
  }
  svg.text(margin, rows_top + 12, "h2", "what each rank reads, from left to right");
  cells.draw_rows(svg, margin, rows_top + heading, sample_at);
  cells.draw_legend(svg, margin, height - margin - 12);
  svg.end();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DRAW_SHARDS_HPP
