// SPDX-License-Identifier: MIT
// How many ranks each node has, and sums of that. There are two forms: runs of equal neighbours,
// which are scanned (12 bytes a run), and a table where nodes differ in many places (at most 8
// bytes a node). Runs are enough for plane orders. A table needs lists of ranks, too.
#ifndef RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP
#define RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/layout/place.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rankmap::inline v0::detail {

/// The storage of a layout: four runs fit in place.
using LayoutWords = SmallVector<std::uint32_t, 12>;

/// What one round gives a node of `count` ranks: those from local rank `level` on, at most `width`.
constexpr std::int64_t share_of_round(std::int64_t count, std::int64_t level, std::int64_t width) {
  const std::int64_t above = count > level ? count - level : 0;
  return above < width ? above : width;
}

/// The greatest common divisor; that of 0 and a number is the number.
constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

/// Equal neighbours: `count` ranks on each node from `node` on; in block order the first is `rank`.
struct CountRun {
  std::int64_t node;
  std::int64_t rank;
  std::int64_t count;
};

/// Runs of equal neighbours, three words each, in the order of CountRun.
class CountRuns {
  constexpr std::int64_t nodes_in(std::size_t i) const {
    return (i + 1 == runs_ ? nodes_ : run(i + 1).node) - run(i).node;
  }
  // The last run that begins at or before `value`. By rank, this skips runs without ranks.
  constexpr std::size_t last_run(std::int64_t CountRun::*begin, std::int64_t value) const {
    return last_where(std::size_t{0}, runs_, [&](std::size_t i) { return run(i).*begin <= value; });
  }

 public:
  constexpr CountRuns(const std::uint32_t* words, std::size_t runs, int nodes)
      : words_(words), runs_(runs), nodes_(nodes) {}

  constexpr std::size_t size() const { return runs_; }
  constexpr CountRun run(std::size_t i) const {
    const std::uint32_t* const word = words_ + 3 * i;
    return {word[0], word[1], word[2]};
  }

  constexpr std::int64_t count(int node) const {
    return run(last_run(&CountRun::node, node)).count;
  }
  /// Calls `visit(count)` for each count that a node has, at least once.
  template <class Visit>
  constexpr void for_each_count(const Visit& visit) const {
    for (std::size_t i = 0; i != runs_; ++i) visit(run(i).count);
  }

  /// How many of the nodes before `node` have this local rank.
  constexpr std::int64_t nodes_with(int node, int local) const {
    return share_before(node, local, 1);
  }
  /// The k-th node that has this local rank.
  constexpr int node_with(std::int64_t k, int local) const { return find_share(k, local, 1).node; }

  /// The number of ranks on the nodes before. Precondition: node < nodes.
  constexpr std::int64_t ranks_before(int node) const {
    const CountRun own = run(last_run(&CountRun::node, node));
    return own.rank + (node - own.node) * own.count;
  }
  constexpr Place block_place(int r) const {
    const CountRun own = run(last_run(&CountRun::rank, r));
    const std::int64_t within = r - own.rank;
    return {static_cast<int>(own.node + within / own.count), static_cast<int>(within % own.count)};
  }

  /// The sum over all nodes of min(count, level).
  constexpr std::int64_t below(std::int64_t level) const { return share_before(nodes_, 0, level); }
  /// Where the round of a rank starts: the highest multiple of `plane` with below() <= rank.
  constexpr std::int64_t level_of(int rank, std::int64_t plane, std::int64_t largest) const {
    const std::int64_t rounds = (largest + plane - 1) / plane;
    return plane * last_where(std::int64_t{0}, rounds,
                              [&](std::int64_t round) { return below(round * plane) <= rank; });
  }
  /// The ranks that the nodes before `node` get in the round at `level`.
  constexpr std::int64_t share_before(int node, std::int64_t level, std::int64_t width) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i != runs_ && run(i).node < node; ++i) {
      const std::int64_t left = node - run(i).node;
      sum += (left < nodes_in(i) ? left : nodes_in(i)) * share_of_round(run(i).count, level, width);
    }
    return sum;
  }
  /// The node of the k-th rank of the round at `level`, and the rank's number in the node's share.
  constexpr Place find_share(std::int64_t k, std::int64_t level, std::int64_t width) const {
    std::size_t i = 0;
    std::int64_t share = share_of_round(run(0).count, level, width);
    while (k >= share * nodes_in(i)) {
      k -= share * nodes_in(i);
      share = share_of_round(run(++i).count, level, width);
    }
    return {static_cast<int>(run(i).node + k / share), static_cast<int>(k % share)};
  }

 private:
  const std::uint32_t* words_;
  std::size_t runs_;
  int nodes_;
};

/// The different counts of these runs in ascending order.
RANKMAP_RARE constexpr LayoutWords distinct_counts(const CountRuns& runs) {
  LayoutWords counts;
  runs.for_each_count(
      [&](std::int64_t count) { counts.push_back(static_cast<std::uint32_t>(count)); });
  merge_sort(counts, [](std::uint32_t a, std::uint32_t b) { return a < b; });
  std::size_t distinct = 0;
  for (std::size_t i = 0; i != counts.size(); ++i) {
    if (distinct == 0 || counts[i] != counts[distinct - 1]) counts[distinct++] = counts[i];
  }
  counts.resize(distinct);
  return counts;
}

/// The counts in plain arrays: the ranks before each node, the distinct counts in ascending order,
/// and a row for each block of nodes. A row has for each distinct count the number of nodes before
/// the block with at least so many ranks. A block has as many nodes as a row has counts, but at
/// least 64. So all rows take no more than the first array, and a query scans one block at most.
class CountTable {
  using Word = std::uint32_t;

 public:
  constexpr CountTable(const Word* words, int nodes)
      : before_(words),
        distinct_(words[nodes + 1]),
        counts_(words + nodes + 2),
        rows_(counts_ + distinct_),
        nodes_(nodes) {}

  constexpr std::int64_t count(int node) const { return before_[node + 1] - before_[node]; }
  constexpr std::int64_t ranks_before(int node) const { return before_[node]; }
  template <class Visit>
  constexpr void for_each_count(const Visit& visit) const {
    for (Word c = 0; c != distinct_; ++c) visit(std::int64_t{counts_[c]});
  }

  constexpr std::int64_t nodes_with(int node, int local) const {
    const Word least = first_above(local);
    if (least == distinct_) return 0;
    const int block = node / block_size(distinct_);
    std::int64_t with = row(block)[least];
    for (int i = block * block_size(distinct_); i != node; ++i) with += count(i) > local ? 1 : 0;
    return with;
  }
  constexpr int node_with(std::int64_t k, int local) const {
    const Word least = first_above(local);
    const int block = last_where(0, nodes_ / block_size(distinct_) + 1,
                                 [&](int b) { return row(b)[least] <= k; });
    k -= row(block)[least];
    for (int node = block * block_size(distinct_);; ++node) {
      if (count(node) > local && k-- == 0) return node;
    }
  }

  /// How many words a table takes. `distinct`: the result of distinct_counts().
  static constexpr std::size_t words_needed(int nodes, const LayoutWords& distinct) {
    const auto rows = static_cast<std::size_t>(nodes / block_size(distinct.size()) + 1);
    return static_cast<std::size_t>(nodes) + 2 + distinct.size() * (1 + rows);
  }
  static constexpr void write(Word* to, const CountRuns& runs, int nodes,
                              const LayoutWords& distinct) {
    LayoutWords nodes_of(distinct.size());  // the nodes so far with each count
    Word* row = to + nodes + 2 + distinct.size();
    std::size_t next = 0;  // the run that begins next
    std::size_t c = 0;
    Word rank = 0;
    for (int node = 0;; ++node) {
      if (node % block_size(distinct.size()) == 0) {
        Word with = 0;
        for (std::size_t k = distinct.size(); k-- != 0;) row[k] = with += nodes_of[k];
        row += distinct.size();
      }
      to[node] = rank;
      if (node == nodes) break;
      if (next != runs.size() && runs.run(next).node == node) {
        const std::int64_t count = runs.run(next++).count;
        c = partition_point(std::size_t{0}, distinct.size(),
                            [&](std::size_t k) { return distinct[k] < count; });
      }
      rank += distinct[c];
      ++nodes_of[c];
    }
    to[nodes + 1] = static_cast<Word>(distinct.size());
    for (std::size_t k = 0; k != distinct.size(); ++k)
      to[nodes + 2 + static_cast<int>(k)] = distinct[k];
  }

 private:
  static constexpr int block_size(std::size_t distinct) {
    return distinct < 64 ? 64 : static_cast<int>(distinct);
  }
  constexpr const Word* row(int block) const {
    return rows_ + static_cast<std::size_t>(block) * distinct_;
  }
  constexpr Word first_above(int local) const {
    return partition_point(Word{0}, distinct_,
                           [&](Word c) { return std::int64_t{counts_[c]} <= local; });
  }

  const Word* before_;
  Word distinct_;
  const Word* counts_;
  const Word* rows_;
  int nodes_;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP
