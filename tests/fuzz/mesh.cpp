// SPDX-License-Identifier: MIT
//
// Meshes from texts. The lines of an input: axes (`dp=2,tp=-1,pp=3:6`: name, size, stride), the
// order, the world size, the first rank, and the axes that are asked about.
#include "fuzz.hpp"

#include <rankmap/mesh/mesh.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Axis;
using rankmap::AxisOrder;
using rankmap::AxisSize;
using rankmap::Coordinate;
using rankmap::Mesh;
using rankmap::Result;
using rankmap_fuzz::require;

std::vector<Axis> axes_of(std::string_view line) {
  std::vector<Axis> out;
  if (line.empty()) return out;
  for (const std::string_view entry : rankmap_fuzz::split(line, ',')) {
    const std::size_t equals = (std::min)(entry.find('='), entry.size());
    const std::string_view sizes = entry.substr((std::min)(equals + 1, entry.size()));
    const std::size_t colon = (std::min)(sizes.find(':'), sizes.size());
    Axis axis;
    axis.name = entry.substr(0, equals);
    axis.size = rankmap_fuzz::int_of(sizes.substr(0, colon));
    axis.stride = rankmap_fuzz::int_of(sizes.substr((std::min)(colon + 1, sizes.size())));
    out.push_back(axis);
  }
  return out;
}

bool is_name(std::string_view name) {
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '.') return false;
  }
  return !name.empty();
}

/// The sizes with the open one filled in; nothing where they make no mesh. `world` 0: any.
std::optional<std::vector<AxisSize>> sizes_slowly(const std::vector<AxisSize>& axes, int world) {
  if (axes.size() > 8) return std::nullopt;
  std::vector<std::string_view> names;
  std::size_t letters = 0;
  std::int64_t product = 1;
  int open = 0;
  for (const AxisSize& axis : axes) {
    const bool again = std::find(names.begin(), names.end(), axis.name) != names.end();
    if (!is_name(axis.name) || again) return std::nullopt;
    names.push_back(axis.name);
    letters += axis.name.size();
    if (axis.size == -1 && world != 0) {
      ++open;
      continue;
    }
    if (axis.size < 1) return std::nullopt;
    product *= axis.size;
    if (product > INT_MAX) return std::nullopt;
  }
  if (letters > 46 || open > 1) return std::nullopt;
  if (open == 0 && world != 0 && product != world) return std::nullopt;
  if (open == 1 && world % product != 0) return std::nullopt;
  std::vector<AxisSize> out = axes;
  for (AxisSize& axis : out) {
    if (axis.size == -1) axis.size = static_cast<int>(world / product);
  }
  return out;
}

/// A set of ranks. In one piece: MemorySanitizer cannot follow std::set into its library.
class RankSet {
 public:
  bool insert(int rank) {
    const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    if (at != ranks_.end() && *at == rank) return false;
    ranks_.insert(at, rank);
    return true;
  }
  bool has(int rank) const { return std::binary_search(ranks_.begin(), ranks_.end(), rank); }
  int lowest() const { return ranks_.front(); }
  int highest() const { return ranks_.back(); }
  const std::vector<int>& list() const { return ranks_; }

 private:
  std::vector<int> ranks_;
};

void require_sound(const Mesh& mesh, std::string_view asked) {
  std::int64_t product = 1;
  for (int i = 0; i != mesh.axis_count(); ++i) {
    const Axis axis = mesh.axis(i);
    product *= axis.size;
    require(mesh.index_of(axis.name) == i, "an axis is found by its name", axis.name);
  }
  require(product == mesh.size(), "a mesh has as many ranks as its axes make");
  if (mesh.size() > 256) {
    require(mesh.contains(mesh.first_rank()), "a mesh contains its first rank");
    return;
  }

  // Every coordinate once, the last axis fastest, and the rank that it must have.
  RankSet ranks;
  Coordinate at(static_cast<std::size_t>(mesh.axis_count()));
  for (int k = 0; k != mesh.size(); ++k) {
    int rest = k;
    std::int64_t rank = mesh.first_rank();
    for (int i = mesh.axis_count(); i-- != 0;) {
      const Axis axis = mesh.axis(i);
      at[static_cast<std::size_t>(i)] = rest % axis.size;
      rank += std::int64_t{rest % axis.size} * axis.stride;
      rest /= axis.size;
    }
    require(rank >= 0 && rank < INT_MAX && ranks.insert(static_cast<int>(rank)),
            "no two coordinates share a rank");
    require(mesh.rank_of(at) == rank, "a coordinate has its rank");
    require(mesh.coordinate(static_cast<int>(rank)) == at, "a rank has its coordinate");
    require(mesh.rank_at(at).has_value() && *mesh.rank_at(at) == rank, "checked ones agree");
  }
  for (int rank = (std::max)(ranks.lowest() - 2, 0); rank <= ranks.lowest() + 300; ++rank) {
    require(mesh.contains(rank) == ranks.has(rank), "a mesh contains its ranks alone");
    require(mesh.coordinate_at(rank).has_value() == ranks.has(rank),
            "ranks outside have no coordinate");
  }
  require(mesh.covers(mesh.size()) == (ranks.highest() == mesh.size() - 1 && ranks.lowest() == 0),
          "a mesh covers the world that it fills");

  const auto axes = mesh.find_axes(asked);
  if (!axes) {
    rankmap_fuzz::require_good_error(axes.error(), asked.size());
    return;
  }
  require(mesh.group_size(*axes) * mesh.group_count(*axes) == mesh.size(), "groups part the mesh");
  const auto groups = mesh.groups(*axes);
  require(static_cast<int>(groups.size()) == mesh.group_count(*axes), "groups are counted");
  RankSet grouped;
  int number = 0;
  for (const auto& group : groups) {
    int position = 0;
    int last = group[group.size() - 1];
    for (const int rank : group) {
      require(grouped.insert(rank) && ranks.has(rank), "groups part the ranks");
      require(mesh.group_id(*axes, rank) == number, "a rank knows the number of its group");
      require(mesh.group_rank(*axes, rank) == position, "a rank knows its place in its group");
      require(mesh.group(*axes, rank)[0] == group[0], "a rank knows its group");
      require(mesh.ring_neighbour(*axes, last, 1) == rank, "a ring goes through its group");
      last = rank;
      ++position;
    }
    require(position == mesh.group_size(*axes), "groups are of one size");
    ++number;
  }
  require(grouped.list() == ranks.list(), "groups have all ranks");
  const Mesh slice = mesh.slice(*axes, ranks.highest());
  require(slice.size() == mesh.group_size(*axes) && slice.contains(ranks.highest()),
          "a slice is a group");

  const auto flat = mesh.flatten(asked, "flat");
  if (!flat) {
    rankmap_fuzz::require_good_error(flat.error(), asked.size());
  } else {
    require(flat->size() == mesh.size(), "flattening keeps all ranks");
    for (const int rank : mesh.ranks()) require(flat->contains(rank), "flattening keeps all ranks");
  }
  const auto turned = mesh.transpose(asked);
  if (!turned) {
    rankmap_fuzz::require_good_error(turned.error(), asked.size());
    return;
  }
  for (const int rank : ranks.list()) {
    for (int i = 0; i != mesh.axis_count(); ++i) {
      const int k = turned->index_of(mesh.axis(i).name);
      require(k >= 0 && turned->coordinate(rank)[static_cast<std::size_t>(k)] ==
                            mesh.coordinate(rank)[static_cast<std::size_t>(i)],
              "a transposed mesh keeps coordinates");
    }
  }
}

void require_made(const Result<Mesh>& mesh, const std::optional<std::vector<AxisSize>>& slow,
                  AxisOrder order, std::string_view asked, std::size_t size) {
  require(mesh.has_value() == slow.has_value(), "a mesh is made of sizes that fit",
          mesh ? std::string_view("made") : message(mesh.error()).view());
  if (!mesh) {
    rankmap_fuzz::require_good_error(mesh.error(), size);
    return;
  }
  require(mesh->axis_count() == static_cast<int>(slow->size()), "a mesh has all axes");
  std::int64_t stride = 1;
  for (std::size_t k = 0; k != slow->size(); ++k) {
    const std::size_t i = order == AxisOrder::first_fastest ? k : slow->size() - 1 - k;
    const Axis axis = mesh->axis(static_cast<int>(i));
    require(axis.name == (*slow)[i].name && axis.size == (*slow)[i].size, "axes are as listed");
    require(axis.stride == stride, "the fastest axis counts in ranks");
    stride *= axis.size;
  }
  require(mesh->covers(mesh->size()) && mesh->first_rank() == 0, "a mesh that is made is whole");
  require_sound(*mesh, asked);
}

std::optional<std::vector<AxisSize>> ordered_slowly(std::string_view order,
                                                    const std::vector<AxisSize>& sizes, int world) {
  if (!sizes_slowly(sizes, world)) return std::nullopt;
  std::vector<AxisSize> left = sizes;
  std::vector<AxisSize> out;
  if (!order.empty()) {
    for (const std::string_view name : rankmap_fuzz::split(order, '-')) {
      const auto found = std::find_if(left.begin(), left.end(),
                                      [&](const AxisSize& axis) { return axis.name == name; });
      if (found == left.end()) return std::nullopt;
      out.push_back(*found);
      left.erase(found);
    }
  }
  for (const AxisSize& axis : left) {
    if (axis.size != 1) return std::nullopt;
    out.push_back(axis);
  }
  return sizes_slowly(out, world);
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 1024) return;
  const auto lines = split(input, '\n');
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : std::string_view(); };
  const std::vector<Axis> strided = axes_of(line(0));
  std::vector<AxisSize> sizes;
  for (const Axis& axis : strided) sizes.push_back({axis.name, axis.size});
  const std::string_view order = line(1);
  const int world = int_of(line(2));
  const int offset = int_of(line(3));
  const std::string_view asked = line(4);

  const HeapBytes heap;
  const auto any = Mesh::make(sizes);
  const auto other = Mesh::make(sizes, AxisOrder::first_fastest);
  const auto exact = Mesh::make(sizes, world);
  const auto ordered = Mesh::from_megatron_order(order, sizes);
  const auto ordered_exact = Mesh::from_megatron_order(order, sizes, world);
  const auto free = Mesh::from_strides(strided, offset);
  require(heap.asked() == 0, "a mesh takes no memory");
  const std::size_t size = input.size();
  require_made(any, sizes_slowly(sizes, 0), AxisOrder::last_fastest, asked, size);
  require_made(other, sizes_slowly(sizes, 0), AxisOrder::first_fastest, asked, size);
  require_made(ordered, ordered_slowly(order, sizes, 0), AxisOrder::first_fastest, asked, size);
  if (world >= 1) {
    require_made(exact, sizes_slowly(sizes, world), AxisOrder::last_fastest, asked, size);
    require_made(ordered_exact, ordered_slowly(order, sizes, world), AxisOrder::first_fastest,
                 asked, size);
  } else {
    require(!exact && !ordered_exact, "a world has at least one rank");
  }
  if (!free) {
    require_good_error(free.error(), size);
  } else {
    require(free->first_rank() == offset, "a mesh begins where it is told to");
    require_sound(*free, asked);
  }
}
