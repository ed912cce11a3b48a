// SPDX-License-Identifier: MIT
// Nodes and their ranks as a picture.
#ifndef RANKMAP_DRAW_NODES_HPP
#define RANKMAP_DRAW_NODES_HPP

#include <rankmap/draw/detail/node_boxes.hpp>
#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankmap::inline v0 {

/// What a picture of nodes shows besides ranks and local ranks, and how much of it.
struct DrawNodesOptions {
  const HostList* hosts = nullptr;  ///< by node; not owned
  int own_rank = -1;                ///< the rank to outline; none if the layout lacks it
  std::string_view own_host = {};   ///< of the outlined rank's node, where `hosts` lacks it
  int max_nodes = 8;   ///< boxes, 2 to 4096; the last one shows how many more there are
  int max_ranks = 16;  ///< cells in a box, 2 to 4096; likewise
  int width = 1000;    ///< 320 to 10,000 pixels, then another row; one box or text may be wider
};

/// Draws every node of `layout` as a box with its host. Its ranks are cells in the box, with local
/// rank and device.
///
/// `out`: any callable that takes a std::string_view; it gets one SVG document in pieces, in order.
/// `device_of`: any callable that takes a rank and returns a text, such as to_string(Device); a
/// text wider than its cell is cut. nullptr: no device is shown.
/// `mark_of`: the same for what is wrong with a rank, such as the name of a finding; an empty text
/// is no mark. Marked ranks have a dashed outline, `!`, the text and a tool tip. nullptr: no marks.
/// No error, no allocation, O(nodes and ranks shown); constexpr. Golden-tested.
///
///     std::ofstream file("nodes.svg");
///     rankmap::draw_nodes(layout, [&](std::string_view piece) { file << piece; });
template <class Out, class DeviceOf = std::nullptr_t, class MarkOf = std::nullptr_t>
constexpr void draw_nodes(const Layout& layout, Out&& out, const DrawNodesOptions& options = {},
                          const DeviceOf& device_of = {}, const MarkOf& mark_of = {}) {
  constexpr bool devices = !std::is_same_v<DeviceOf, std::nullptr_t>;
  constexpr bool marks = !std::is_same_v<MarkOf, std::nullptr_t>;
  constexpr int note_height = 22;
  const int margin = detail::picture_margin;
  const int digits = detail::digits_of(static_cast<std::uint64_t>(layout.world_size() - 1));
  // "rank " in the 14 pixel font is the widest line of a cell where numbers are long.
  // With marks it is the name of a finding: 18 characters.
  const int cell_width = marks ? 166 : digits < 4 ? 84 : 52 + 9 * digits;
  const int cell_height = 46 + (devices ? 16 : 0) + (marks ? 16 : 0);
  const detail::NodeBoxes boxes(layout, options.max_nodes, options.max_ranks, options.width,
                                {0, 0, cell_width, cell_height}, marks ? 2 : 4, 196);
  const int least_width = marks ? 460 : 420;  // of the note below
  const int width = 2 * margin + (boxes.width() < least_width ? least_width : boxes.width());
  const int height = 2 * margin + detail::heading_height + boxes.height() + note_height;

  detail::SvgWriter svg(out);
  const auto sizes = [&] {
    svg.put(detail::with_separators(layout.world_size()),
            layout.world_size() == 1 ? " rank" : " ranks", " on ",
            detail::with_separators(layout.node_count()),
            layout.node_count() == 1 ? " node" : " nodes");
  };
  const auto order = [&] {
    const Distribution how = layout.distribution();
    if (how.kind == DistributionKind::block) {
      svg.put("Each node has consecutive ranks.");
    } else if (how.kind == DistributionKind::arbitrary) {
      svg.put("The ranks of a node follow no rule.");
    } else {
      svg.put("The nodes get ranks in turn, ");
      svg.put(how.kind == DistributionKind::cyclic ? 1 : how.plane_size, " at a time.");
    }
  };
  svg.begin(width, height, sizes, order, [&] {
    svg.put("Each box is a node, each cell in it a rank with its local rank. ");
    order();
  });

  auto host = options.hosts == nullptr ? HostList::iterator() : options.hosts->begin();
  const int hosts = options.hosts == nullptr ? 0 : static_cast<int>(options.hosts->size());
  const int own_rank = options.own_rank < layout.world_size() ? options.own_rank : -1;
  const int own_node = own_rank < 0 ? -1 : layout.node_of(own_rank);
  const auto begin_named = [&](int node, detail::SvgBox box, std::string_view host_name) {
    const int title_columns = 7 + detail::digits_of(static_cast<std::uint64_t>(node));
    if (host_name.empty()) {
      svg.begin_group("node ", node);
    } else {
      svg.begin_group("node ", node, ", host ", host_name);
    }
    svg.box(box, "b", 6);
    svg.text(box.x + 10, box.y + 20, "h2", "node ", node);
    if (!host_name.empty()) {
      svg.fitted(box.x + box.width - 10, box.y + 20, "s e", host_name,
                 detail::text_columns(box.width - 20) - title_columns);
    }
  };
  const auto begin_node = [&](int node, detail::SvgBox box) {
    if (node < hosts) {
      begin_named(node, box, *host);
      ++host;
    } else {
      begin_named(node, box, node == own_node ? options.own_host : std::string_view());
    }
    if (layout.local_world_size(node) == 0) svg.text(box.x + 10, box.y + 44, "s", "no ranks");
  };
  const auto cell = [&](int rank, detail::SvgBox box) {
    const int local = layout.local_rank_of(rank);
    const auto mark = [&] {
      if constexpr (marks) {
        return mark_of(rank);
      } else {
        return std::string_view();
      }
    }();
    const std::string_view mark_text(mark);
    if (!mark_text.empty()) svg.begin_group("rank ", rank, ": ", mark_text);
    svg.box(box, "c");
    svg.box({box.x, box.y, 7, box.height}, detail::colour_class(local), 3);
    if (rank == own_rank) svg.box(box, "o");
    svg.text(box.x + 14, box.y + 20, "h2", "rank ", rank);
    svg.text(box.x + 14, box.y + 37, "s", "local ", local);
    if constexpr (devices) {
      const auto device = device_of(rank);
      svg.fitted(box.x + 14, box.y + 53, "", std::string_view(device),
                 detail::text_columns(box.width - 16));
    }
    if (mark_text.empty()) return;
    const int line = box.y + (devices ? 69 : 53);
    svg.box(box, "p");
    svg.text(box.x + 14, line, "h2", "!");
    svg.fitted(box.x + 28, line, "", mark_text, detail::text_columns(box.width - 30));
    svg.end_group();
  };
  boxes.draw(svg, margin, margin + detail::heading_height, "node", begin_node, cell,
             [&] { svg.end_group(); });
  const std::string_view note_on_marks = marks ? "; dashed: marked" : "";
  if (own_rank >= 0) {
    svg.text(margin, height - margin, "s", "colour: local rank; outlined: rank ", own_rank,
             note_on_marks);
  } else {
    svg.text(margin, height - margin, "s", "colour: local rank", note_on_marks);
  }
  svg.end();
}

/// The same for a topology: its hosts, with this process outlined. If the layout is not known, the
/// picture shows this process only, and says that.
template <class Out, class DeviceOf = std::nullptr_t, class MarkOf = std::nullptr_t>
constexpr void draw_nodes(const Topology& topology, Out&& out, DrawNodesOptions options = {},
                          const DeviceOf& device_of = {}, const MarkOf& mark_of = {}) {
  options.own_rank = topology.rank();
  options.own_host = topology.host();
  if (!topology.hosts().empty()) options.hosts = &topology.hosts();
  if (topology.layout()) {
    draw_nodes(*topology.layout(), out, options, device_of, mark_of);
    return;
  }
  const int margin = detail::picture_margin;
  const int width = 460;
  const int height = 170;
  detail::SvgWriter svg(out);
  const auto title = [&] { svg.put("rank ", topology.rank(), " of ", topology.world_size()); };
  const auto unknown = [&] { svg.put("Which rank is on which node is not known."); };
  svg.begin(width, height, title, unknown, [&] {
    unknown();
    svg.put(" One cell is this process.");
  });
  const detail::SvgBox node{margin, margin + detail::heading_height, 300, 74};
  svg.box(node, "b", 6);
  if (topology.node_rank()) {
    svg.text(node.x + 110, node.y + 30, "h2", "node ", *topology.node_rank());
  } else {
    svg.text(node.x + 110, node.y + 30, "s", "node not known");
  }
  svg.fitted(node.x + 110, node.y + 50, "s",
             topology.host().empty() ? std::string_view("host not known") : topology.host(),
             detail::text_columns(180));
  const detail::SvgBox cell{node.x + 10, node.y + 6, 90, 62};
  svg.box(cell, "c");
  svg.box(cell, "o");
  svg.text(cell.x + 14, cell.y + 20, "h2", "rank ", topology.rank());
  svg.text(cell.x + 14, cell.y + 37, "s", "local ", topology.local_rank());
  if constexpr (std::is_same_v<DeviceOf, std::nullptr_t>) {
    svg.fitted(cell.x + 14, cell.y + 53, "", {}, 10);
  } else {
    const auto device = device_of(topology.rank());
    svg.fitted(cell.x + 14, cell.y + 53, "", std::string_view(device), 10);
  }
  if constexpr (!std::is_same_v<MarkOf, std::nullptr_t>) {
    const auto mark = mark_of(topology.rank());
    const std::string_view mark_text(mark);
    if (!mark_text.empty()) {
      svg.box(cell, "p");
      svg.text(node.x + 110, node.y + 68, "h2", "!");
      svg.fitted(node.x + 124, node.y + 68, "", mark_text, detail::text_columns(170));
    }
  }
  svg.end();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DRAW_NODES_HPP
