// SPDX-License-Identifier: MIT
// Which rank is on which node, for a whole job: arithmetic without an environment or host names.
#ifndef RANKMAP_LAYOUT_LAYOUT_HPP
#define RANKMAP_LAYOUT_LAYOUT_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/layout/detail/layout_data.hpp>
#include <rankmap/layout/detail/make_layout.hpp>
#include <rankmap/layout/detail/process_map.hpp>
#include <rankmap/layout/detail/read_layout.hpp>
#include <rankmap/layout/distribution.hpp>
#include <rankmap/layout/place.hpp>
#include <rankmap/layout/rank_range.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// A bijection between ranks 0 .. world_size - 1 and places (node, local rank), in which the local
/// ranks of a node number its ranks in ascending order.
///
/// Block, cyclic and plane orders follow one formula over the number of ranks on each node: each
/// node in turn gets `plane` ranks until it is full. Cyclic is a plane of 1, and block a plane no
/// smaller than the fullest node. Any other order is kept as lists.
///
/// Memory: this object (about 100 bytes) where all nodes are equally full or have at most four runs
/// of equal neighbours; else 12 bytes a run up to 64 runs; else lists, of 4 bytes a rank in block
/// order and 8 in any other, with at most 8 bytes a node. Counts of more than 2^20 nodes, or of
/// more ranks than max(2^20, 512 a run) or 2^24, stay runs.
///
/// Cost of a query: O(1) where all nodes are equally full. With lists O(1), except O(log ranks on
/// the node) for a local rank and O(64 + different counts) for rails. With runs O(runs), or O(log
/// runs) in block order. World sizes up to 2^31 - 1. constexpr; an object that outlives the
/// constant evaluation must need no other memory. A moved-from layout is one rank on one node.
class Layout {
  struct OnNode {
    const detail::LayoutData* data = nullptr;
    int node = 0;
    constexpr int size() const { return data->count(node); }
    constexpr int operator[](int k) const { return data->rank_of(node, k); }
  };
  struct OnRail {
    const detail::LayoutData* data = nullptr;
    int local = 0;
    constexpr int size() const { return static_cast<int>(data->nodes_with(data->nodes, local)); }
    constexpr int operator[](int k) const {
      return data->rank_of(data->node_with(k, local), local);
    }
  };

 public:
  using RanksOnNode = RankRange<OnNode>;
  using Rail = RankRange<OnRail>;

  /// One rank on one node.
  constexpr Layout() = default;

  /// `per_node` ranks on each of `node_count` nodes, node after node. Preconditions of all three:
  /// every argument at least 1, node_count * per_node below 2^31. `even` is the checked twin.
  static constexpr Layout block(int node_count, int per_node) {
    return Layout(detail::even_layout({node_count, per_node, per_node}));
  }
  /// The same, one rank to each node in turn.
  static constexpr Layout cyclic(int node_count, int per_node) {
    return Layout(detail::even_layout({node_count, per_node, 1}));
  }
  /// The same, `plane_size` ranks to each node in turn; the last round has what is left.
  static constexpr Layout plane(int node_count, int per_node, int plane_size) {
    return Layout(
        detail::even_layout({node_count, per_node, plane_size < per_node ? plane_size : per_node}));
  }

  /// The checked twin of the three. Errors: `bad_layout` for counts or a plane below
  /// 1, for `arbitrary` over several nodes and for 2^31 ranks or more.
  static constexpr Result<Layout> even(int node_count, int per_node, Distribution distribution) {
    return made(detail::layout_of_even_nodes(node_count, per_node, distribution));
  }

  /// `tasks_per_node[i]` ranks on node i, 0 or more, in the order that `distribution` names.
  ///
  /// Errors: `bad_layout` for a negative count, for no rank at all, for 2^31 ranks or more, for a
  /// plane below 1, and for `arbitrary` over several nodes, which counts do not describe. O(nodes
  /// log nodes). Golden-tested against Slurm's and Open MPI's own layouts.
  static constexpr Result<Layout> from_counts(std::span<const int> tasks_per_node,
                                              Distribution distribution) {
    return made(detail::layout_of_tasks(tasks_per_node, distribution));
  }

  /// The same from Slurm's text, `2(x3),1` (SLURM_STEP_TASKS_PER_NODE). Further errors, about
  /// `subject` and with byte positions: `bad_task_counts` for any other text, `limit_exceeded`
  /// where nodes or ranks reach 2^31. O(length), or O(nodes log nodes) beyond 64 runs.
  RANKMAP_NOINLINE static constexpr Result<Layout> from_counts(
      std::string_view tasks_per_node, Distribution distribution,
      std::string_view subject = "tasks per node") {
    return made(detail::layout_of_tasks(tasks_per_node, distribution, subject));
  }

  /// Rank r is on node `node_of_rank[r]`; its local rank is the number of lower ranks there. A list
  /// that follows a rule takes no more memory than the rule.
  ///
  /// `node_count`: the number of nodes, needed where the last ones have no rank; 0 for one more
  /// than the largest entry. Errors: `bad_layout` for no rank at all, for a negative entry or
  /// `node_count` and for an entry at or above it; `limit_exceeded` for more than 2^24 nodes.
  /// O(ranks + nodes log nodes), with up to 20 bytes a node of temporary memory.
  static constexpr Result<Layout> from_nodes(std::span<const int> node_of_rank,
                                             int node_count = 0) {
    return made(detail::layout_of_node_list(node_of_rank, node_count));
  }

  /// Reads a Flux task map (RFC 34): `[[first node, nodes, ranks per node, repeat], ...]`, bare or
  /// as the "map" of an object with "version" 1.
  ///
  /// Errors, with byte positions: `bad_json`; `bad_layout` for anything but such blocks and for the
  /// unknown map `[]`; `limit_exceeded` where nodes or ranks reach 2^31, or 2^24 in a map
  /// that is neither one block nor ascending.
  static constexpr Result<Layout> from_flux_map(std::string_view text,
                                                std::string_view subject = "task map") {
    return made(
        detail::layout_from_map(detail::ProcessMap::parse_flux(text, subject), 0, subject, text));
  }

  /// Reads a PMI-1 process mapping: `(vector,(first node, nodes, ranks per node), ...)`, with the
  /// bare node ids and the `[...]xN` groups of newer MPICH. A vector for more than `world_size`
  /// ranks is cut off; one for fewer repeats from its first block at node 0, as in MPICH.
  ///
  /// `world_size`: at least 1 (PMI_SIZE), or 0 for the ranks of the vector. Errors: as above.
  static constexpr Result<Layout> from_pmi_vector(std::string_view text, int world_size = 0,
                                                  std::string_view subject = "process mapping") {
    return made(detail::layout_from_map(detail::ProcessMap::parse_pmi(text, subject), world_size,
                                        subject, text));
  }

  constexpr int world_size() const { return data_.world; }
  constexpr int node_count() const { return data_.nodes; }

  /// Preconditions of all queries: 0 <= rank < world_size(), 0 <= node < node_count(),
  /// 0 <= local_rank < local_world_size(node).
  constexpr int node_of(int rank) const { return data_.node_of(rank); }
  constexpr int local_rank_of(int rank) const { return data_.place_of(rank).local; }
  constexpr Place place_of(int rank) const { return data_.place_of(rank); }
  constexpr int rank_of(int node, int local_rank) const { return data_.rank_of(node, local_rank); }
  constexpr int rank_of(Place place) const { return data_.rank_of(place.node, place.local); }
  /// The number of ranks on a node; 0 is possible.
  constexpr int local_world_size(int node) const { return data_.count(node); }

  /// The ranks on one node in ascending order: element k has local rank k. Like every range here it
  /// is sized, random-access and computed. It allocates nothing and points to this layout.
  constexpr RanksOnNode ranks_on(int node) const& { return RanksOnNode(OnNode{&data_, node}); }
  /// The ranks with one local rank, one for each node that has it, in node order: none from
  /// largest_local_world_size() on. Precondition: local_rank >= 0.
  constexpr Rail rail(int local_rank) const& { return Rail(OnRail{&data_, local_rank}); }
  /// The lowest rank of each node that has any: the rail of local rank 0.
  constexpr Rail leaders() const& { return rail(0); }
  /// The ranks on the node of `rank`, itself included.
  constexpr RanksOnNode node_group_of(int rank) const& { return ranks_on(node_of(rank)); }
  /// The ranks with the local rank of `rank`, itself included.
  constexpr Rail rail_of(int rank) const& { return rail(local_rank_of(rank)); }
  // A temporary would be gone before `for (int rank : Layout::block(4, 2).rail(1))` begins.
  RanksOnNode ranks_on(int node) const&& = delete;
  Rail rail(int local_rank) const&& = delete;
  Rail leaders() const&& = delete;
  RanksOnNode node_group_of(int rank) const&& = delete;
  Rail rail_of(int rank) const&& = delete;

  /// The lowest rank on a node. Precondition: the node has one.
  constexpr int leader_of(int node) const { return rank_of(node, 0); }
  constexpr bool is_leader(int rank) const { return local_rank_of(rank) == 0; }
  constexpr bool same_node(int a, int b) const { return node_of(a) == node_of(b); }

  /// The number of nodes that have this local rank (Horovod's cross_size).
  constexpr int rail_size(int local_rank) const { return OnRail{&data_, local_rank}.size(); }
  /// The index of a rank in its rail (Horovod's cross_rank).
  constexpr int rail_index_of(int rank) const {
    const Place place = place_of(rank);
    return static_cast<int>(data_.nodes_with(place.node, place.local));
  }

  /// The next and the previous node that has ranks, with wrap-around; itself if it is the only one.
  constexpr int next_node(int node) const { return data_.neighbour(node, 0, true); }
  constexpr int previous_node(int node) const { return data_.neighbour(node, 0, false); }
  /// The next and the previous rank of the same rail, with wrap-around.
  constexpr int next_on_rail(int rank) const { return neighbour_on_rail(rank, true); }
  constexpr int previous_on_rail(int rank) const { return neighbour_on_rail(rank, false); }

  /// Whether all nodes have the same number of ranks.
  constexpr bool is_even() const { return data_.is_even(); }
  /// Whether ranks are numbered node after node.
  constexpr bool is_block() const { return data_.is_block(); }
  constexpr int largest_local_world_size() const { return data_.largest; }
  constexpr int smallest_local_world_size() const { return data_.smallest; }
  /// The greatest common divisor of all local world sizes. O(runs); with lists O(different counts).
  constexpr int local_world_size_divisor() const { return data_.count_divisor(); }
  /// The order of this layout, by its planes; arbitrary where it follows no rule.
  constexpr Distribution distribution() const {
    if (is_block()) return Distribution::block;
    if (data_.plane == 0) return Distribution::arbitrary;
    return data_.plane == 1 ? Distribution::cyclic : Distribution::plane(data_.plane);
  }

  /// Bytes this layout takes, itself included.
  constexpr std::size_t bytes() const { return sizeof(Layout) + data_.words.heap_bytes(); }

  /// Whether both give every rank the same place. O(memory) if kept alike, else one query a rank.
  friend constexpr bool operator==(const Layout& a, const Layout& b) {
    if (a.world_size() != b.world_size() || a.node_count() != b.node_count()) return false;
    if (a.data_ == b.data_) return true;
    for (int rank = 0; rank != a.world_size(); ++rank) {
      if (a.node_of(rank) != b.node_of(rank)) return false;
    }
    return true;
  }

 private:
  constexpr explicit Layout(detail::LayoutData data)
      : data_(static_cast<detail::LayoutData&&>(data)) {}
  RANKMAP_NOINLINE static constexpr Result<Layout> made(Result<detail::LayoutData> data) {
    if (!data) return data.error();
    return Layout(*static_cast<Result<detail::LayoutData>&&>(data));
  }
  constexpr int neighbour_on_rail(int rank, bool next) const {
    const Place place = place_of(rank);
    return rank_of(data_.neighbour(place.node, place.local, next), place.local);
  }

  detail::LayoutData data_;
};

/// A layout or none, with the members of a std::optional<Layout>. Under nvcc 13, std::optional of a
/// type that owns memory is no literal type.
class OptionalLayout {
 public:
  constexpr OptionalLayout() = default;
  constexpr OptionalLayout(std::nullopt_t) {}                                            // NOLINT
  constexpr OptionalLayout(const Layout& layout) : layout_(layout) {}                    // NOLINT
  constexpr OptionalLayout(Layout&& layout) : layout_(static_cast<Layout&&>(layout)) {}  // NOLINT
  constexpr void reset() { layout_.reset(); }

  constexpr bool has_value() const { return layout_.has_value(); }
  constexpr explicit operator bool() const { return has_value(); }
  /// Precondition of `*` and `->`: has_value().
  constexpr Layout& operator*() & { return *layout_; }
  constexpr const Layout& operator*() const& RANKMAP_LIFETIMEBOUND { return *layout_; }
  constexpr Layout operator*() && { return *static_cast<detail::Optional<Layout>&&>(layout_); }
  constexpr Layout* operator->() RANKMAP_LIFETIMEBOUND { return layout_.operator->(); }
  constexpr const Layout* operator->() const RANKMAP_LIFETIMEBOUND { return layout_.operator->(); }

  /// The layout; of a temporary a value. Fails as Result::value() does where there is none.
  constexpr const Layout& value() const& RANKMAP_LIFETIMEBOUND {
    if (!has_value()) {
      detail::throw_error(detail::error_missing(Errc::missing, "layout", "where every rank is",
                                                "check has_value() first, or call gather_hosts"));
    }
    return **this;
  }
  constexpr Layout value() && { return static_cast<const OptionalLayout&>(*this).value(); }
  constexpr Layout value_or(Layout otherwise) const {
    return has_value() ? **this : static_cast<Layout&&>(otherwise);
  }
  operator std::optional<Layout>() const {  // NOLINT: converts as a std::optional would
    if (!has_value()) return std::nullopt;
    return **this;
  }

  friend constexpr bool operator==(const OptionalLayout& a, const OptionalLayout& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
  }
  friend constexpr bool operator==(const OptionalLayout& a, std::nullopt_t) {
    return !a.has_value();
  }
  friend constexpr bool operator==(const OptionalLayout& a, const Layout& b) {
    return a.has_value() && *a == b;
  }

 private:
  detail::Optional<Layout> layout_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAYOUT_LAYOUT_HPP
