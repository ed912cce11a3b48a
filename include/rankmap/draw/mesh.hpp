// SPDX-License-Identifier: MIT
// A mesh on its nodes as a picture: one panel an axis, which shows the groups that leave a node.
#ifndef RANKMAP_DRAW_MESH_HPP
#define RANKMAP_DRAW_MESH_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/draw/detail/node_boxes.hpp>
#include <rankmap/draw/detail/svg_writer.hpp>
#include <rankmap/mesh/mesh.hpp>
#include <rankmap/mesh/placement.hpp>

#include <string_view>

namespace rankmap::inline v0 {

/// How much a picture of a mesh shows.
struct DrawMeshOptions {
  int max_nodes = 8;   ///< boxes in a panel, 2 to 4096; the last one shows how many more there are
  int max_ranks = 16;  ///< cells in a box, 2 to 4096; likewise
  int width = 1000;    ///< 320 to 10,000 pixels, then another row; one box or text may be wider
  /// What a box is, in 1 to 15 letters: "rack" for the layout of Domains. Several have an "s".
  std::string_view box_name = "node";
};

namespace detail {

/// A rank in the colour of its group over one axis; dashed if the mesh lacks it.
constexpr void draw_mesh_cell(auto& svg, const Mesh& mesh, Axes axis, int rank, SvgBox box) {
  if (!mesh.contains(rank)) {
    svg.box(box, "d");
    svg.centred(box, 17, "s m", rank);
    return;
  }
  const int group = mesh.group_id(axis, rank);
  svg.box(box, colour_class(group));
  const bool again = group / svg_colours % 2 == 1;  // colours repeat: stripes on every second round
  if (again) svg.stripes(box);
  if (group == 0) svg.box(box, "o");
  svg.centred(box, 16, ink(group), rank);
  svg.centred(box, 30, ink(group, true), "g", group);
}

inline constexpr int panel_header = 34;

/// The i-th axis: its name and what its groups do, then the nodes with their ranks, and a line that
/// ties the ranks of group 0 in their order, as far as they are shown.
constexpr void draw_panel(auto& svg, const Placement& placement, const NodeBoxes& boxes,
                          std::string_view box_name, int i, int x, int y) {
  constexpr int badge_width = 80;
  const Mesh& mesh = placement.mesh();
  const Axes axis = mesh.axes_at(i);
  const std::string_view name = mesh.axis(i).name;
  const Crossings crossings = placement.crossings(axis);
  const bool stays = crossings.crossing_groups == 0;
  svg.box({x, y + 3, badge_width, 20}, "c", 10);
  // A bullet, and an arrow to the right.
  svg.text(x + badge_width / 2, y + 17, "m", stays ? "\xe2\x80\xa2 stays" : "\xe2\x86\x92 leaves");
  const int name_at = x + badge_width + 10;
  svg.text(name_at, y + 18, "h2", name);
  const int after = name_at + 9 * (static_cast<int>(name.size()) + 1);
  const std::string_view groups = crossings.groups == 1 ? " group of " : " groups of ";
  const int size = mesh.group_size(axis);
  if (stays) {
    svg.text(after, y + 18, "s", crossings.groups, groups, size, ", each on one ", box_name);
  } else {
    svg.text(after, y + 18, "s", crossings.groups, groups, size, "; on several ", box_name,
             "s: ", crossings.crossing_groups, ", over ", crossings.crossing_links, " of ",
             crossings.links, " links");
  }
  y += panel_header;
  boxes.draw(
      svg, x, y, box_name,
      [&](int node, SvgBox box) {
        svg.box(box, "b", 6);
        svg.text(box.x + box.width - 10, box.y + 20, "s e", box_name, " ", node);
      },
      [&](int rank, SvgBox box) { draw_mesh_cell(svg, mesh, axis, rank, box); }, [] {});
  SvgBox last{0, 0, 0, 0};
  for (const int rank : mesh.group(axis, mesh.first_rank())) {
    const SvgBox box = boxes.cell_of(rank, x, y);
    if (box.width != 0 && last.width != 0) svg.tie(last, box);
    last = box;
  }
}

/// A word of 1 to 15 letters, or else the other one: a picture takes words as they are.
constexpr std::string_view plain_word(std::string_view word, std::string_view otherwise) {
  for (const char c : word) {
    if (!is_letter(c)) return otherwise;
  }
  return word.empty() || word.size() > 15 ? otherwise : word;
}

/// Room for the title, the sentence, the heading of every panel and the note below.
constexpr int widest_mesh_text(const Mesh& mesh, int node_count, std::string_view box_name) {
  constexpr int letter = 11;  // of the title's font, at most
  const auto box = static_cast<int>(box_name.size());
  const int words = 42 + box;  // letters in a heading without its 5 numbers
  const int digits = digits_of(mesh.size());
  int letters = 11 + box + digits_of(node_count);  // "mesh  on  nodes"
  int heading = 0;
  for (int i = 0; i != mesh.axis_count(); ++i) {
    const Axis axis = mesh.axis(i);
    const auto name = static_cast<int>(axis.name.size());
    letters += name + 4 + digits_of(axis.size);
    if (name > heading) heading = name;
  }
  const int title = letter * letters;
  heading = 90 + 9 * (heading + 1) + text_width(words + 5 * digits);
  const int note = text_width(64);
  const int wider = title > heading ? title : heading;
  return wider > note ? wider : note;
}

}  // namespace detail

/// Draws a mesh on its nodes, one panel for each axis in the order of the mesh: whether its groups
/// leave their node, over how many links, and each rank with the id and colour of its group.
///
/// `out`: any callable that takes a std::string_view; it gets one SVG document in pieces, in order.
/// Ranks of the layout that are not in the mesh are dashed. No error, no allocation; O(ranks) an
/// axis to count the links, and O(nodes and ranks shown); constexpr. Golden-tested.
template <class Out>
constexpr void draw_mesh(const Placement& placement, Out&& out,
                         const DrawMeshOptions& options = {}) {
  constexpr int panel_gap = 20;
  constexpr int note_height = 22;
  const int margin = detail::picture_margin;
  const Mesh& mesh = placement.mesh();
  const int digits = detail::digits_of(placement.layout().world_size() - 1);
  const int cell_width = digits < 4 ? 38 : 14 + detail::text_width(digits);
  const detail::NodeBoxes boxes(placement.layout(), options.max_nodes, options.max_ranks,
                                options.width, {0, 0, cell_width, 42}, 8, 90);
  const std::string_view box_name = detail::plain_word(options.box_name, "node");
  const int min_width = detail::widest_mesh_text(mesh, placement.layout().node_count(), box_name);
  const int width = 2 * margin + (boxes.width() < min_width ? min_width : boxes.width());
  const int panel_height = detail::panel_header + boxes.height() + panel_gap;
  const int height = 2 * margin + detail::heading_height + mesh.axis_count() * panel_height -
                     panel_gap + note_height;

  detail::SvgWriter svg(out);
  const auto title = [&] {
    svg.put("mesh ");
    for (int i = 0; i != mesh.axis_count(); ++i) {
      if (i != 0) svg.escape(" \xc3\x97 ");  // the sign of multiplication
      svg.put(mesh.axis(i).name, " ", mesh.axis(i).size);
    }
    svg.put(" on ", placement.layout().node_count(), " ", box_name,
            placement.layout().node_count() == 1 ? "" : "s");
  };
  bool stays[Mesh::max_axes] = {};
  int leaving = 0;
  for (int i = 0; i != mesh.axis_count(); ++i) {
    stays[i] = placement.is_intra_node(mesh.axes_at(i));
    if (!stays[i]) ++leaving;
  }
  const auto sentence = [&] {
    if (leaving == 0) {
      svg.put("All groups stay on their ");
    } else if (leaving == mesh.axis_count()) {
      svg.put("Groups of every axis leave their ");
    } else {
      svg.put("Groups of ", leaving, " of ", mesh.axis_count(), " axes leave their ");
    }
    svg.put(box_name, "s.");
  };
  svg.begin(width, height, title, sentence, [&] {
    svg.put("One panel for each axis. Each box is a ", box_name,
            ", each cell in it a rank, with the number of its group along the axis.");
    for (int i = 0; i != mesh.axis_count(); ++i) {
      svg.put(" ", mesh.axis(i).name, stays[i] ? " stays on its " : " leaves its ", box_name, "s.");
    }
  });
  int y = margin + detail::heading_height;
  for (int i = 0; i != mesh.axis_count(); ++i) {
    detail::draw_panel(svg, placement, boxes, box_name, i, margin, y);
    y += panel_height;
  }
  svg.text(margin, height - margin, "s",
           "in a cell: rank, group; colour: group; outlined and tied: group 0");
  svg.end();
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DRAW_MESH_HPP
