// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/draw.hpp>
#include <rankmap/layout.hpp>
#include <rankmap/mesh.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace program {
namespace {

using rankmap::AxisSize;
using rankmap::Layout;
using rankmap::Mesh;
using rankmap::Placement;

// "8x4": 8 nodes of 4 ranks each.
std::optional<Layout> read_layout(std::string_view text) {
  const std::size_t times = text.find('x');
  if (times == std::string_view::npos) {
    return complain("--layout", text, "NODESxRANKS, such as 8x4");
  }
  const int most = std::numeric_limits<int>::max();
  const auto nodes = read_count(text.substr(0, times), "--layout (NODESxRANKS)", 1, most);
  if (!nodes) return std::nullopt;
  const auto ranks = read_count(text.substr(times + 1), "--layout (NODESxRANKS)", 1, most / *nodes);
  if (!ranks) return std::nullopt;
  return Layout::block(static_cast<int>(*nodes), static_cast<int>(*ranks));
}

// Each rank is looked at for each axis: a second or two.
constexpr std::int64_t most_ranks = std::int64_t{1} << 24;

int mesh(const Arguments& arguments) {
  std::vector<AxisSize> axes;
  std::int64_t total = 1;
  for (const std::string& word : arguments.words()) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return unusable(in_quotes(word) + ": expected NAME=SIZE, such as pp=2");
    }
    const std::string_view size = std::string_view(word).substr(equals + 1);
    const std::string name = word.substr(0, equals);
    const auto count = read_count(size, name, 1, std::numeric_limits<int>::max());
    if (!count) return not_usable;
    total *= *count;
    if (total > most_ranks) {
      return unusable(name, size,
                      "at most " + std::to_string(most_ranks) + " ranks in all; make it smaller");
    }
    axes.push_back({std::string_view(word).substr(0, equals), static_cast<int>(*count)});
  }
  if (axes.empty()) {
    return unusable("mesh: axes are missing, such as pp=2 dp=4 tp=8; see rankmap mesh --help");
  }
  const auto made = Mesh::make(axes);
  if (!made) return unusable(made.error());
  std::optional<Layout> layout = Layout::block(1, made->size());
  const auto layout_text = arguments.value("--layout");
  if (layout_text) layout = read_layout(*layout_text);
  if (!layout) return not_usable;
  if (layout->world_size() != made->size()) {
    return unusable("--layout", *layout_text,
                    "the " + std::to_string(made->size()) + " ranks of the mesh, found " +
                        std::to_string(layout->world_size()));
  }
  const auto placement = Placement::make(*made, *layout);
  if (!placement) return unusable(placement.error());
  if (const auto path = arguments.value("--svg")) {
    std::string picture;
    draw_mesh(*placement, [&](std::string_view piece) { picture += piece; });
    return save_picture(std::string(*path), picture) ? good : not_usable;
  }
  std::string text;
  for (const AxisSize& axis : axes) {
    const auto crossings = placement->crossings(axis.name);
    std::string line(axis.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 8), ' ');
    line += std::to_string(crossings.groups) + " groups of " + std::to_string(axis.size) + ":";
    const auto groups = made->groups(axis.name);
    for (std::size_t g = 0; g != groups.size() && g != 2; ++g) {
      line += " [";
      const auto group = groups[g];
      for (std::size_t i = 0; i != group.size(); ++i) {
        if (i == 3 && group.size() > 5) {
          line += " ... " + std::to_string(group.back());
          break;
        }
        if (i != 0) line += ' ';
        line += std::to_string(group[i]);
      }
      line += ']';
    }
    if (groups.size() > 2) line += " ...";
    const auto crossing = crossings.crossing_groups;
    if (!layout_text) {
      // Nobody said where the nodes end.
    } else if (crossing == 0) {
      line += "; all stay on their nodes";
    } else {
      line += "; " + std::to_string(crossing) + (crossing == 1 ? " leaves" : " leave");
      line += " the node";
    }
    text += line + '\n';
  }
  print(text);
  return good;
}

}  // namespace

Command mesh_command() {
  return {"mesh",
          "NAME=SIZE...",
          "The groups of ranks along the axes of a mesh, and which of them leave their node.",
          "The slowest axis comes first.",
          "rankmap mesh pp=2 dp=4 tp=8 --layout 8x8",
          {{"--layout", "NODESxRANKS", "how many nodes there are, with ranks in blocks"},
           {"--svg", "FILE", "a picture instead"}},
          16,
          mesh};
}

}  // namespace program
