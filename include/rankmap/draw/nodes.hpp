// SPDX-License-Identifier: MIT
// Nodes and their ranks as a picture.
#ifndef RANKMAP_DRAW_NODES_HPP
#define RANKMAP_DRAW_NODES_HPP

#include <rankmap/detail/message_text.hpp>
#include <rankmap/draw/detail/node_boxes.hpp>
#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/layout/layout.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
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

namespace detail {

/// What a function of the caller says of a rank; `otherwise` where there is no function.
constexpr auto answer_of(const auto& function, int rank, auto otherwise) {
  if constexpr (std::is_same_v<decltype(function), const std::nullptr_t&>) {
    return otherwise;
  } else {
    return function(rank);
  }
}

template <class Out, class DeviceOf, class MarkOf, class LocalOf = std::nullptr_t>
class NodePicture {
  static constexpr bool has_devices = !std::is_same_v<DeviceOf, std::nullptr_t>;
  static constexpr bool has_marks = !std::is_same_v<MarkOf, std::nullptr_t>;
  static constexpr int margin = picture_margin;

 public:
  constexpr NodePicture(Out& out, const DeviceOf& device_of, const MarkOf& mark_of,
                        const LocalOf& local_of = {})
      : svg_(out), device_of_(device_of), mark_of_(mark_of), local_of_(local_of) {}

  constexpr void draw(const Layout& layout, const DrawNodesOptions& options) {
    const int digits = digits_of(layout.world_size() - 1);
    // "rank " in the 14 pixel font is the widest line of a cell where numbers are long.
    // With marks it is the name of a finding: 18 characters.
    const int cell_width = has_marks ? 166 : digits < 4 ? 84 : 52 + 9 * digits;
    const int cell_height = 46 + (has_devices ? 16 : 0) + (has_marks ? 16 : 0);
    const NodeBoxes boxes(layout, options.max_nodes, options.max_ranks, options.width,
                          {0, 0, cell_width, cell_height}, has_marks ? 2 : 4, 196);
    constexpr int note_height = 22;
    constexpr int note_width = has_marks ? 460 : 420;
    const int width = 2 * margin + (boxes.width() < note_width ? note_width : boxes.width());
    const int height = 2 * margin + heading_height + boxes.height() + note_height;

    const auto order = [&] { put_order(layout.distribution()); };
    svg_.begin(
        width, height, [&] { put_sizes(layout.world_size(), layout.node_count()); }, order,
        [&] {
          svg_.put("Each box is a node, each cell in it a rank with its local rank. ");
          order();
        });

    auto host = options.hosts == nullptr ? HostList::iterator() : options.hosts->begin();
    const int hosts = options.hosts == nullptr ? 0 : static_cast<int>(options.hosts->size());
    const int own_rank = options.own_rank < layout.world_size() ? options.own_rank : -1;
    const int own_node = own_rank < 0 ? -1 : layout.node_of(own_rank);
    const auto begin_node = [&](int node, SvgBox box) {
      if (node < hosts) {
        begin_named(node, box, *host);
        ++host;
      } else {
        begin_named(node, box, node == own_node ? options.own_host : std::string_view());
      }
      if (layout.local_world_size(node) == 0) svg_.text(box.x + 10, box.y + 44, "s", "no ranks");
    };
    const auto cell = [&](int rank, SvgBox box) {
      const int local = answer_of(local_of_, rank, layout.local_rank_of(rank));
      draw_cell(rank, local, rank == own_rank, box);
    };
    boxes.draw(svg_, margin, margin + heading_height, "node", begin_node, cell,
               [&] { svg_.end_group(); });

    const auto outlined =
        own_rank < 0 ? StaticString<31>() : concat<31>("; outlined: rank ", own_rank);
    svg_.text(margin, height - margin, "s", "colour: local rank", outlined,
              has_marks ? "; dashed: marked" : "");
    svg_.end();
  }

  /// Of a topology without a layout: this process alone.
  constexpr void draw_process(const Topology& topology) {
    const int rank = topology.rank();
    const auto title = [&] { svg_.put("rank ", rank, " of ", topology.world_size()); };
    const auto unknown = [&] { svg_.put("Which rank is on which node is not known."); };
    svg_.begin(460, 170, title, unknown, [&] {
      unknown();
      svg_.put(" One cell is this process.");
    });
    const SvgBox node{margin, margin + heading_height, 300, 74};
    const int right = node.x + 110;  // of the cell
    svg_.box(node, "b", 6);
    if (topology.node_rank()) {
      svg_.text(right, node.y + 30, "h2", "node ", *topology.node_rank());
    } else {
      svg_.text(right, node.y + 30, "s", "node not known");
    }
    svg_.fitted(right, node.y + 50, "s",
                topology.host().empty() ? std::string_view("host not known") : topology.host(),
                text_columns(180));
    const SvgBox cell{node.x + 10, node.y + 6, 90, 62};
    svg_.box(cell, "c");
    svg_.box(cell, "o");
    put_rank(cell, rank, topology.local_rank());
    put_device(cell, rank, 10);
    const auto mark = answer_of(mark_of_, rank, std::string_view());
    const std::string_view mark_text(mark);
    if (!mark_text.empty()) put_mark(cell, right, node.y + 68, mark_text, text_columns(170));
    svg_.end();
  }

 private:
  constexpr void put_sizes(int ranks, int nodes) {
    svg_.put(with_separators(ranks), ranks == 1 ? " rank" : " ranks", " on ",
             with_separators(nodes), nodes == 1 ? " node" : " nodes");
  }
  constexpr void put_order(const Distribution& how) {
    if (how.kind == DistributionKind::block) {
      svg_.put("Each node has consecutive ranks.");
    } else if (how.kind == DistributionKind::arbitrary) {
      svg_.put("The ranks of a node follow no rule.");
    } else {
      svg_.put("The nodes get ranks in turn, ",
               how.kind == DistributionKind::cyclic ? 1 : how.plane_size, " at a time.");
    }
  }

  constexpr void begin_named(int node, SvgBox box, std::string_view host) {
    svg_.begin_group("node ", node, host.empty() ? "" : ", host ", host);
    svg_.box(box, "b", 6);
    svg_.text(box.x + 10, box.y + 20, "h2", "node ", node);
    if (host.empty()) return;
    const int title_columns = 7 + digits_of(node);
    svg_.fitted(box.x + box.width - 10, box.y + 20, "s e", host,
                text_columns(box.width - 20) - title_columns);
  }

  constexpr void draw_cell(int rank, int local, bool is_own, SvgBox box) {
    const auto mark = answer_of(mark_of_, rank, std::string_view());
    const std::string_view mark_text(mark);
    if (!mark_text.empty()) svg_.begin_group("rank ", rank, ": ", mark_text);
    svg_.box(box, "c");
    if (local >= 0) svg_.box({box.x, box.y, 7, box.height}, colour_class(local), 3);
    if (is_own) svg_.box(box, "o");
    put_rank(box, rank, local < 0 ? StaticString<11>("?") : concat<11>(local));
    if (has_devices) put_device(box, rank, text_columns(box.width - 16));
    if (mark_text.empty()) return;
    put_mark(box, box.x + 14, box.y + (has_devices ? 69 : 53), mark_text,
             text_columns(box.width - 30));
    svg_.end_group();
  }

  // Lines of a cell.
  constexpr void put_rank(SvgBox box, int rank, auto local) {
    svg_.text(box.x + 14, box.y + 20, "h2", "rank ", rank);
    svg_.text(box.x + 14, box.y + 37, "s", "local ", local);
  }
  constexpr void put_device(SvgBox box, int rank, int columns) {
    const auto device = answer_of(device_of_, rank, std::string_view());
    svg_.fitted(box.x + 14, box.y + 53, "", std::string_view(device), columns);
  }
  constexpr void put_mark(SvgBox box, int x, int y, std::string_view text, int columns) {
    svg_.box(box, "p");
    svg_.text(x, y, "h2", "!");
    svg_.fitted(x + 14, y, "", text, columns);
  }

  SvgWriter<Out> svg_;
  const DeviceOf& device_of_;
  const MarkOf& mark_of_;
  const LocalOf& local_of_;
};

}  // namespace detail

/// Draws every node of `layout` as a box with its host, and its ranks as cells in the box.
///
/// `out`: any callable that takes a std::string_view; it gets one SVG document in pieces, in order.
/// `device_of`: any callable that takes a rank and returns a text, such as to_string(Device); a
/// text wider than its cell is cut. nullptr: no device is shown.
/// `mark_of`: the same for what is wrong with a rank, such as the name of a finding; an empty text
/// is no mark. Marked ranks have a dashed outline, `!`, the text and a tool tip. nullptr: no marks.
/// `local_of`: any callable that takes a rank and returns its local rank, -1: not known, as where a
/// launcher has an order of its own. nullptr: by the layout.
/// No error, no allocation, O(nodes and ranks shown); constexpr. Golden-tested.
///
///     std::ofstream file("nodes.svg");
///     rankmap::draw_nodes(layout, [&](std::string_view piece) { file << piece; });
template <class Out, class DeviceOf = std::nullptr_t, class MarkOf = std::nullptr_t,
          class LocalOf = std::nullptr_t>
constexpr void draw_nodes(const Layout& layout, Out&& out, const DrawNodesOptions& options = {},
                          const DeviceOf& device_of = {}, const MarkOf& mark_of = {},
                          const LocalOf& local_of = {}) {
  detail::NodePicture(out, device_of, mark_of, local_of).draw(layout, options);
}

/// The same for a topology: its hosts, with this process outlined. If the layout is not known, the
/// picture shows this process only, and says that.
template <class Out, class DeviceOf = std::nullptr_t, class MarkOf = std::nullptr_t>
constexpr void draw_nodes(const Topology& topology, Out&& out, DrawNodesOptions options = {},
                          const DeviceOf& device_of = {}, const MarkOf& mark_of = {}) {
  options.own_rank = topology.rank();
  options.own_host = topology.host();
  if (!topology.hosts().empty()) options.hosts = &topology.hosts();
  detail::NodePicture picture(out, device_of, mark_of);
  if (!topology.layout()) return picture.draw_process(topology);
  picture.draw(*topology.layout(), options);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DRAW_NODES_HPP
