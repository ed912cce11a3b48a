// SPDX-License-Identifier: MIT
//
// Which rank is on which node, for a whole job: the arithmetic between global ranks, nodes and
// local ranks. It knows no environment and no host names.
#ifndef RANKMAP_LAYOUT_HPP
#define RANKMAP_LAYOUT_HPP

#include <rankmap/detail/distribution.hpp>
#include <rankmap/detail/even_deal.hpp>
#include <rankmap/detail/node_counts.hpp>
#include <rankmap/detail/rank_range.hpp>
#include <rankmap/detail/task_counts.hpp>
#include <rankmap/result.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// A rank's place: its node and its number there.
using Place = detail::Place;

/// A bijection between ranks 0 .. world_size - 1 and places (node, local rank), in which the local
/// ranks of a node number its ranks in ascending order.
///
/// Block, cyclic and plane orders follow one formula over the number of ranks on each node: deal
/// `plane` ranks to each node in turn, passing over nodes that have all of theirs; cyclic is a
/// plane of 1 and block a plane no smaller than the fullest node. Anything else is kept as a
/// sequence.
///
/// Memory: this object (about 100 bytes) where all nodes are equally full or up to four runs of
/// neighbours are; else 12 bytes a run up to 64 runs, and 2 to 8 bytes a node beyond; at most 4
/// bytes a rank where no rule holds. Costs below are for the even case / else, where n is the
/// number of nodes: "O(1) / O(log n)". Up to 64 runs "O(log n)" is a scan of them.
/// World sizes to 2^31 - 1. constexpr; a constexpr object must need no memory beyond itself.
class Layout {
  enum class Order : std::uint8_t { block, dealt, sequence };

  // Asks whichever form the counts have. First in the class: its return type is deduced.
  template <class Question>
  constexpr auto counts(const Question& question) const {
    if (runs_ == 0) {
      return question(detail::CountIndex(words_.data(), order_ == Order::block, nodes_));
    }
    return question(detail::CountRuns(words_.data(), runs_, nodes_));
  }

  template <class Which>
  struct Source;
  struct OnNode;
  struct OnRail;

 public:
  using RanksOnNode = detail::RankRange<Source<OnNode>>;
  using Rail = detail::RankRange<Source<OnRail>>;

  /// One rank.
  constexpr Layout() = default;

  /// `per_node` ranks on each of `node_count` nodes, filled one node after the other.
  /// Preconditions of the three: every argument at least 1, node_count * per_node below 2^31.
  /// `even` is the checked twin.
  static constexpr Layout block(int node_count, int per_node) {
    return Layout(detail::EvenDeal{node_count, per_node, per_node});
  }
  /// ... dealt one to each node in turn.
  static constexpr Layout cyclic(int node_count, int per_node) {
    return Layout(detail::EvenDeal{node_count, per_node, 1});
  }
  /// ... dealt `plane` to each node in turn; the last round deals what is left.
  static constexpr Layout plane(int node_count, int per_node, int plane) {
    return Layout(detail::EvenDeal{node_count, per_node, plane < per_node ? plane : per_node});
  }

  /// The same for untrusted numbers. Errors: `bad_layout` for counts or a plane below 1, for
  /// `arbitrary` over several nodes and for 2^31 ranks or more.
  static constexpr Result<Layout> even(int node_count, int per_node, Distribution distribution);

  /// `tasks_per_node[i]` ranks on node i, in node order, dealt as `distribution` says. Nodes
  /// without ranks are legal. Errors: `bad_layout` for a negative count, for no rank at all, for
  /// 2^31 ranks or more, for a plane below 1 and for `arbitrary` over several nodes, since counts
  /// do not say then who is where. O(nodes log nodes).
  static constexpr Result<Layout> from_counts(std::span<const int> tasks_per_node,
                                              Distribution distribution);
  /// The same from Slurm's text, `2(x3),1`; further errors: those of that grammar, with positions,
  /// about `subject`. O(length), or O(nodes log nodes) beyond 64 runs.
  static constexpr Result<Layout> from_counts(std::string_view tasks_per_node,
                                              Distribution distribution,
                                              std::string_view subject = "tasks per node");

  /// Rank r is on node `node_of_rank[r]`; its local rank counts the ranks before it there. What
  /// follows a rule is recognised and kept as such. `node_count`: the number of nodes if more than
  /// the largest entry tells. Errors: `bad_layout` for no rank at all and for negative entries or
  /// entries at or above a given `node_count`; `limit_exceeded` for more than 2^24 nodes.
  /// O(ranks log nodes), with up to 12 bytes a node and 8 a rank set aside meanwhile.
  static constexpr Result<Layout> from_nodes(std::span<const int> node_of_rank, int node_count = 0);

  constexpr int world_size() const { return world_; }
  constexpr int node_count() const { return nodes_; }

  /// Preconditions: 0 <= rank < world_size(), 0 <= node < node_count(),
  /// 0 <= local_rank < local_world_size(node). O(1) / O(log n); arbitrary orders O(log ranks).
  constexpr int node_of(int rank) const { return place_of(rank).node; }
  constexpr int local_rank_of(int rank) const { return place_of(rank).local; }
  constexpr Place place_of(int rank) const;
  constexpr int rank_of(int node, int local_rank) const;
  constexpr int rank_of(Place place) const { return rank_of(place.node, place.local); }
  constexpr int local_world_size(int node) const {
    if (even_ && !sequence()) return largest_;
    return static_cast<int>(counts([&](const auto& c) { return c.count(node); }));
  }

  /// The ranks on one node in ascending order: element k has local rank k.
  /// The ranges point to this layout. Each element O(1) / O(log n).
  constexpr RanksOnNode ranks_on(int node) const;
  /// The ranks with one local rank, one for each node that has it, in node order: fewer than
  /// node_count() where nodes are uneven. Precondition: local_rank >= 0.
  constexpr Rail rail(int local_rank) const;
  /// The lowest rank of each node that has any: the rail of local rank 0.
  constexpr Rail leaders() const;
  /// The ranks beside `rank`, itself included: its node-local group.
  constexpr RanksOnNode node_group_of(int rank) const;
  /// The ranks on the other nodes with the same local rank, itself included.
  constexpr Rail rail_of(int rank) const;

  /// The lowest rank on a node. Precondition: the node has one.
  constexpr int leader_of(int node) const { return rank_of(node, 0); }
  constexpr bool is_leader(int rank) const { return local_rank_of(rank) == 0; }
  constexpr bool same_node(int a, int b) const { return node_of(a) == node_of(b); }

  /// The number of nodes that have this local rank: the size of its rail (Horovod's cross_size).
  constexpr int rail_size(int local_rank) const {
    return static_cast<int>(nodes_with(nodes_, local_rank));
  }
  /// The place of a rank in its rail (Horovod's cross_rank).
  constexpr int rail_index_of(int rank) const {
    const Place place = place_of(rank);
    return static_cast<int>(nodes_with(place.node, place.local));
  }

  /// The next and the previous node that has ranks, around the end; itself if it is the only one.
  constexpr int next_node(int node) const { return neighbour(node, 0, 1); }
  constexpr int previous_node(int node) const { return neighbour(node, 0, -1); }
  /// The next and the previous rank of the same rail, around the end.
  constexpr int next_on_rail(int rank) const {
    const Place place = place_of(rank);
    return rank_of(neighbour(place.node, place.local, 1), place.local);
  }
  constexpr int previous_on_rail(int rank) const {
    const Place place = place_of(rank);
    return rank_of(neighbour(place.node, place.local, -1), place.local);
  }

  /// Whether all nodes have the same number of ranks.
  constexpr bool is_even() const { return even_; }
  /// Whether the ranks of each node are consecutive and nodes ascend with them.
  constexpr bool is_block() const { return order_ == Order::block; }
  constexpr int largest_local_world_size() const { return largest_; }
  constexpr int smallest_local_world_size() const { return smallest_; }
  /// The simplest rule that gives this layout: a plane that holds the fullest node reads as block,
  /// a plane of 1 as cyclic, and what follows no rule as arbitrary.
  constexpr Distribution distribution() const {
    switch (order_) {
      case Order::block:
        return Distribution::block;
      case Order::dealt:
        return plane_ == 1 ? Distribution::cyclic : Distribution::plane(plane_);
      case Order::sequence:
        break;
    }
    return Distribution::arbitrary;
  }

  /// Bytes this layout takes, itself included.
  constexpr std::size_t bytes() const { return sizeof(Layout) + words_.heap_bytes(); }

  /// Whether both give every rank the same place. O(1) where they are built alike, else
  /// O(ranks log n).
  friend constexpr bool operator==(const Layout& a, const Layout& b);

 private:
  static constexpr std::size_t scanned_runs = 64;
  static constexpr int max_indexed_nodes = 1 << 20;
  static constexpr int max_listed_nodes = 1 << 24;

  class Runs;

  constexpr explicit Layout(detail::EvenDeal deal)
      : world_(deal.nodes * deal.per_node),
        nodes_(deal.nodes),
        plane_(deal.plane),
        largest_(deal.per_node),
        smallest_(deal.per_node),
        order_(deal.plane == deal.per_node || deal.nodes == 1 ? Order::block : Order::dealt) {
    if (order_ == Order::block) plane_ = largest_;
  }

  constexpr bool sequence() const { return order_ == Order::sequence; }
  constexpr detail::EvenDeal deal() const { return {nodes_, largest_, plane_}; }
  constexpr detail::Wavelet nodes_in_order() const {
    return {words_.data() + sequence_at_, static_cast<std::uint32_t>(world_),
            static_cast<std::uint32_t>(nodes_ - 1)};
  }
  // How many of the nodes before `node` have this local rank.
  constexpr std::int64_t nodes_with(int node, int local) const {
    if (even_) return local < largest_ ? node : 0;
    return counts([&](const auto& c) { return c.share_before(node, local, 1); });
  }
  // The k-th node that has this local rank.
  constexpr int node_with(std::int64_t k, int local) const {
    if (even_) return static_cast<int>(k);
    return counts([&](const auto& c) { return c.find_share(k, local, 1); }).node;
  }
  constexpr int neighbour(int node, int local, int step) const {
    const std::int64_t size = nodes_with(nodes_, local);
    const std::int64_t index = nodes_with(node, local);
    const bool member = local_world_size(node) > local;
    const std::int64_t next = step > 0 ? index + (member ? 1 : 0) : index - 1 + size;
    return node_with(next % size, local);
  }

  static constexpr Error bad(std::string_view subject, std::string_view found,
                             std::string_view expected, std::string_view remedy) {
    return detail::error_found(Errc::bad_layout, subject, found, expected, remedy);
  }
  static constexpr Result<Layout> from_runs(const Runs& runs, Distribution distribution);

  int world_ = 1;
  int nodes_ = 1;
  int plane_ = 1;
  int largest_ = 1;
  int smallest_ = 1;
  std::uint32_t runs_ = 0;         // runs that lead words_; 0: an index does (unless even)
  std::uint32_t sequence_at_ = 0;  // where the nodes in rank order start in words_
  Order order_ = Order::block;
  bool even_ = true;
  detail::LayoutWords words_;  // empty where even and dealt by the rule
};

// ---- ranges ------------------------------------------------------------------------------------

struct Layout::OnNode {
  static constexpr int size(const Layout& layout, int node) {
    return layout.local_world_size(node);
  }
  static constexpr int at(const Layout& layout, int node, int k) { return layout.rank_of(node, k); }
};
struct Layout::OnRail {
  static constexpr int size(const Layout& layout, int local) { return layout.rail_size(local); }
  static constexpr int at(const Layout& layout, int local, int k) {
    return layout.rank_of(layout.node_with(k, local), local);
  }
};
template <class Which>
struct Layout::Source {
  const Layout* layout = nullptr;
  int key = 0;
  constexpr int size() const { return Which::size(*layout, key); }
  constexpr int operator[](int k) const { return Which::at(*layout, key, k); }
};

constexpr Layout::RanksOnNode Layout::ranks_on(int node) const {
  return RanksOnNode(Source<OnNode>{this, node});
}
constexpr Layout::Rail Layout::rail(int local_rank) const {
  return Rail(Source<OnRail>{this, local_rank});
}
constexpr Layout::Rail Layout::leaders() const { return rail(0); }
constexpr Layout::RanksOnNode Layout::node_group_of(int rank) const {
  return ranks_on(node_of(rank));
}
constexpr Layout::Rail Layout::rail_of(int rank) const { return rail(local_rank_of(rank)); }

// ---- the formula -------------------------------------------------------------------------------

constexpr int Layout::rank_of(int node, int local_rank) const {
  if (sequence()) {
    return static_cast<int>(nodes_in_order().find(static_cast<std::uint32_t>(node),
                                                  static_cast<std::uint32_t>(local_rank)));
  }
  if (even_) return deal().rank_of(node, local_rank);
  return static_cast<int>(counts([&](const auto& c) -> std::int64_t {
    if (order_ == Order::block) return c.ranks_before(node) + local_rank;
    const int level = local_rank - local_rank % plane_;
    return c.below(level) + c.share_before(node, level, plane_) + (local_rank - level);
  }));
}

constexpr Place Layout::place_of(int rank) const {
  if (sequence()) {
    const auto node = nodes_in_order().at(static_cast<std::uint32_t>(rank));
    const auto local = nodes_in_order().count(node, static_cast<std::uint32_t>(rank));
    return {static_cast<int>(node), static_cast<int>(local)};
  }
  if (even_) return deal().place_of(rank);
  return counts([&](const auto& c) {
    if (order_ == Order::block) return c.block_place(rank);
    // the last round that starts at or before `rank`
    std::int64_t low = 0;
    std::int64_t high = (std::int64_t{largest_} + plane_ - 1) / plane_;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (c.below(middle * plane_) <= rank ? low : high) = middle;
    }
    const std::int64_t level = low * plane_;
    Place place = c.find_share(rank - c.below(level), level, plane_);
    place.local += static_cast<int>(level);
    return place;
  });
}

constexpr bool operator==(const Layout& a, const Layout& b) {
  if (a.world_ != b.world_ || a.nodes_ != b.nodes_ || a.even_ != b.even_ ||
      a.largest_ != b.largest_) {
    return false;
  }
  if (a.order_ == b.order_ && a.plane_ == b.plane_ && a.words_.size() == b.words_.size()) {
    std::size_t i = 0;
    while (i != a.words_.size() && a.words_[i] == b.words_[i]) ++i;
    if (i == a.words_.size()) return true;
  }
  for (int rank = 0; rank != a.world_; ++rank) {
    if (a.node_of(rank) != b.node_of(rank)) return false;
  }
  return true;
}

// ---- making ------------------------------------------------------------------------------------

/// Collects counts in node order as runs, without overflow.
class Layout::Runs {
 public:
  /// False, and no change, where nodes or ranks would reach 2^31.
  constexpr bool add(std::int64_t count, std::int64_t nodes) {
    if (nodes == 0) return true;
    if (nodes > INT32_MAX - nodes_ || count > (INT32_MAX - world_) / nodes) return false;
    const auto word = static_cast<std::uint32_t>(count);
    if (words_.empty() || words_[words_.size() - 1] != word) {
      const std::uint32_t run[] = {static_cast<std::uint32_t>(nodes_),
                                   static_cast<std::uint32_t>(world_), word};
      words_.append(run, 3);
      if (count > largest_) largest_ = count;
      if (words_.size() == 3 || count < smallest_) smallest_ = count;
    }
    nodes_ += nodes;
    world_ += nodes * count;
    return true;
  }

  detail::LayoutWords words_;
  std::int64_t nodes_ = 0;
  std::int64_t world_ = 0;
  std::int64_t largest_ = 0;
  std::int64_t smallest_ = 0;
};

constexpr Result<Layout> Layout::from_runs(const Runs& runs, Distribution distribution) {
  constexpr std::string_view remedy = "pass another Distribution, or the node of each rank";
  if (runs.world_ == 0) {
    return bad("tasks per node", "0", "at least one rank", "pass the tasks of every node");
  }
  Layout layout;
  layout.world_ = static_cast<int>(runs.world_);
  layout.nodes_ = static_cast<int>(runs.nodes_);
  layout.largest_ = static_cast<int>(runs.largest_);
  layout.smallest_ = static_cast<int>(runs.smallest_);
  layout.even_ = runs.words_.size() == 3;
  layout.plane_ = layout.largest_;
  switch (distribution.kind) {
    case DistributionKind::block:
      break;
    case DistributionKind::cyclic:
      layout.plane_ = 1;
      break;
    case DistributionKind::plane:
      if (distribution.plane_size < 1) {
        return bad("Distribution::plane_size", detail::joined<24>(distribution.plane_size).view(),
                   "a plane of at least 1", remedy);
      }
      if (distribution.plane_size < layout.plane_) layout.plane_ = distribution.plane_size;
      break;
    case DistributionKind::arbitrary:
      if (layout.nodes_ != 1) {
        return bad("distribution", "arbitrary", "an order that follows from the counts", remedy);
      }
      break;
  }
  if (layout.nodes_ == 1) layout.plane_ = layout.largest_;
  layout.order_ = layout.plane_ == layout.largest_ ? Order::block : Order::dealt;
  if (layout.even_) return layout;
  const std::size_t count = runs.words_.size() / 3;
  if (count > scanned_runs && layout.nodes_ <= max_indexed_nodes) {
    detail::CountIndex::write(layout.words_, runs.words_, layout.nodes_,
                              layout.order_ == Order::block);
  } else {
    layout.runs_ = static_cast<std::uint32_t>(count);
    layout.words_ = runs.words_;
    layout.words_.shrink_to_fit();
  }
  return layout;
}

constexpr Result<Layout> Layout::even(int node_count, int per_node, Distribution distribution) {
  if (node_count < 1) {
    return bad("node count", detail::joined<24>(node_count).view(), "at least one node",
               "pass the number of nodes");
  }
  if (per_node < 1) {
    return bad("ranks per node", detail::joined<24>(per_node).view(), "at least one rank a node",
               "pass the ranks of one node");
  }
  Runs runs;
  if (!runs.add(per_node, node_count)) {
    return bad("ranks per node", detail::joined<24>(per_node).view(),
               "fewer than 2^31 ranks on all nodes", "pass the ranks of one node");
  }
  return from_runs(runs, distribution);
}

constexpr Result<Layout> Layout::from_counts(std::span<const int> tasks_per_node,
                                             Distribution distribution) {
  Runs runs;
  for (const int count : tasks_per_node) {
    if (count < 0 || !runs.add(count, 1)) {
      return bad(detail::joined<63>("tasks of node ", std::int64_t{runs.nodes_}).view(),
                 detail::joined<24>(count).view(),
                 "a count of at least 0, and fewer than 2^31 ranks and nodes in all",
                 "pass the tasks of every node");
    }
  }
  return from_runs(runs, distribution);
}

constexpr Result<Layout> Layout::from_counts(std::string_view tasks_per_node,
                                             Distribution distribution, std::string_view subject) {
  const Result<detail::TaskCounts> counts = detail::TaskCounts::parse(tasks_per_node, subject);
  if (!counts) return counts.error();
  if (counts->tasks() == 0) {
    return bad(subject, tasks_per_node, "at least one task", "write counts such as 2(x3),1");
  }
  Runs runs;
  counts->for_each_run([&runs](detail::TaskRun run) { (void)runs.add(run.count, run.nodes); });
  return from_runs(runs, distribution);
}

constexpr Result<Layout> Layout::from_nodes(std::span<const int> node_of_rank, int node_count) {
  constexpr std::string_view remedy = "pass the node of every rank, counted from 0";
  if (node_of_rank.empty() || node_of_rank.size() > INT32_MAX) {
    return bad("node of each rank", "", "at least one rank and fewer than 2^31", remedy);
  }
  int nodes = node_count;
  for (std::size_t rank = 0; rank != node_of_rank.size(); ++rank) {
    const int node = node_of_rank[rank];
    if (node < 0 || (node_count > 0 && node >= node_count)) {
      return bad(detail::joined<63>("node of rank ", std::uint64_t{rank}).view(),
                 detail::joined<24>(node).view(), "a node in [0, node count)", remedy);
    }
    if (node >= max_listed_nodes) {
      return detail::error_found(Errc::limit_exceeded,
                                 detail::joined<63>("node of rank ", std::uint64_t{rank}).view(),
                                 detail::joined<24>(node).view(), "at most 2^24 nodes", remedy);
    }
    if (node >= nodes) nodes = node + 1;
  }
  if (nodes > max_listed_nodes) {
    return detail::error_found(Errc::limit_exceeded, "node count", detail::joined<24>(nodes).view(),
                               "at most 2^24 nodes", remedy);
  }

  // Which rule could it be? A node's first stretch of consecutive ranks is min(plane, its count),
  // so the longest first stretch is the only plane that can fit.
  const auto size = static_cast<std::size_t>(nodes);
  detail::LayoutWords count;
  detail::LayoutWords active;
  count.resize(size);
  active.resize(size);
  std::uint32_t plane = 1;
  std::uint32_t stretch = 0;
  bool first_stretch = false;
  for (std::size_t rank = 0; rank != node_of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    if (rank == 0 || node_of_rank[rank - 1] != node_of_rank[rank]) {
      first_stretch = count[node] == 0;
      stretch = 0;
    }
    ++count[node];
    ++stretch;
    if (first_stretch && stretch > plane) plane = stretch;
  }
  std::size_t active_count = 0;
  Runs runs;
  for (std::size_t node = 0; node != size; ++node) {
    (void)runs.add(count[node], 1);
    if (count[node] != 0) active[active_count++] = static_cast<std::uint32_t>(node);
  }
  bool dealt = true;
  std::size_t rank = 0;
  for (std::uint32_t level = 0; dealt && active_count != 0; level += plane) {
    std::size_t left = 0;
    for (std::size_t a = 0; dealt && a != active_count; ++a) {
      const std::uint32_t node = active[a];
      const std::uint32_t above = count[node] - level;
      for (std::uint32_t k = 0; dealt && k != (above < plane ? above : plane); ++k, ++rank) {
        dealt = node_of_rank[rank] == static_cast<int>(node);
      }
      if (above > plane) active[left++] = node;
    }
    active_count = left;
  }
  Result<Layout> layout = from_runs(runs, Distribution::plane(static_cast<int>(plane)));
  if (dealt || !layout) return layout;

  // No rule: counts, and behind them the nodes in rank order.
  detail::LayoutWords words;
  if (layout->even_) {
    words = runs.words_;
    layout->runs_ = 1;
  } else if (layout->runs_ != 0) {
    words = layout->words_;
  } else {
    detail::CountIndex::write(words, runs.words_, nodes, false);
  }
  layout->order_ = Order::sequence;
  layout->sequence_at_ = static_cast<std::uint32_t>(words.size());
  const auto world = static_cast<std::uint32_t>(node_of_rank.size());
  const auto largest = static_cast<std::uint32_t>(nodes - 1);
  detail::LayoutWords values;
  detail::LayoutWords scratch;
  values.resize(world);
  scratch.resize(world);
  for (std::size_t r = 0; r != world; ++r) values[r] = static_cast<std::uint32_t>(node_of_rank[r]);
  words.resize(words.size() + detail::Wavelet::words_needed(world, largest));
  detail::Wavelet::write(words.data() + layout->sequence_at_, values.data(), scratch.data(), world,
                         largest);
  layout->words_ = static_cast<detail::LayoutWords&&>(words);
  return layout;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_LAYOUT_HPP
