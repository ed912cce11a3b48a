// SPDX-License-Identifier: MIT
//
// How many ranks each node has, and the sums over it that every dealing order needs. Two forms with
// the same questions: runs of equal neighbours, scanned (12 bytes a run: any job whose nodes differ
// in a few places), and an index for the rest (less than 8 bytes a node, no scan).
#ifndef RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP
#define RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP

#include <rankmap/detail/merge_sort.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/layout/detail/wavelet_matrix.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>

namespace rankmap::inline v0::detail {

/// The storage of a layout: four runs fit in place.
using LayoutWords = SmallVector<std::uint32_t, 12>;

/// A rank's place: its node and its number there.
struct Place {
  int node = 0;
  int local = 0;
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// What exceeds `level` in `count`, at most `width`: the share of one round of dealing.
constexpr std::int64_t dealt_share(std::int64_t count, std::int64_t level, std::int64_t width) {
  const std::int64_t above = count > level ? count - level : 0;
  return above < width ? above : width;
}

/// Runs of equal neighbours. Three words each: first node, first rank in block order, count.
class CountRuns {
  constexpr std::int64_t first_node(std::size_t run) const { return words_[3 * run]; }
  constexpr std::int64_t run_count(std::size_t run) const { return words_[3 * run + 2]; }
  constexpr std::int64_t nodes_in(std::size_t run) const {
    return (run + 1 == runs_ ? nodes_ : first_node(run + 1)) - first_node(run);
  }
  // The last run whose field is at most `value`; runs without ranks are passed over by that.
  template <std::size_t Field>
  constexpr std::size_t run_of(std::int64_t value) const {
    std::size_t low = 0;
    std::size_t high = runs_;
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (words_[3 * middle + Field] <= value ? low : high) = middle;
    }
    return low;
  }

 public:
  constexpr CountRuns(const std::uint32_t* words, std::size_t runs, int nodes)
      : words_(words), runs_(runs), nodes_(nodes) {}

  constexpr std::int64_t count(int node) const { return run_count(run_of<0>(node)); }
  /// Calls `visit(count)` for each count that a node has, at least once.
  template <class Visit>
  constexpr void for_each_count(const Visit& visit) const {
    for (std::size_t run = 0; run != runs_; ++run) visit(run_count(run));
  }

  /// The number of ranks on the nodes before. Precondition: node < nodes.
  constexpr std::int64_t ranks_before(int node) const {
    const std::size_t run = run_of<0>(node);
    return words_[3 * run + 1] + (node - first_node(run)) * run_count(run);
  }
  /// The place of the r-th rank in block order.
  constexpr Place block_place(int r) const {
    const std::size_t run = run_of<1>(r);
    const std::int64_t within = r - std::int64_t{words_[3 * run + 1]};
    return {static_cast<int>(first_node(run) + within / run_count(run)),
            static_cast<int>(within % run_count(run))};
  }

  /// The sum over all nodes of min(count, level).
  constexpr std::int64_t below(std::int64_t level) const {
    std::int64_t sum = 0;
    for (std::size_t run = 0; run != runs_; ++run) {
      sum += nodes_in(run) * dealt_share(run_count(run), 0, level);
    }
    return sum;
  }
  /// The highest multiple of `plane` below `largest` with below() <= rank: where the round of a
  /// rank starts.
  constexpr std::int64_t level_of(int rank, std::int64_t plane, std::int64_t largest) const {
    std::int64_t low = 0;
    std::int64_t high = (largest + plane - 1) / plane;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (below(middle * plane) <= rank ? low : high) = middle;
    }
    return low * plane;
  }
  /// The sum over the nodes before `node` of their share above `level`.
  constexpr std::int64_t share_before(int node, std::int64_t level, std::int64_t width) const {
    std::int64_t sum = 0;
    for (std::size_t run = 0; run != runs_ && first_node(run) < node; ++run) {
      const std::int64_t left = node - first_node(run);
      sum +=
          (left < nodes_in(run) ? left : nodes_in(run)) * dealt_share(run_count(run), level, width);
    }
    return sum;
  }
  /// The node in whose share above `level` the k-th rank falls, and its number in that share.
  constexpr Place find_share(std::int64_t k, std::int64_t level, std::int64_t width) const {
    std::size_t run = 0;
    std::int64_t share = dealt_share(run_count(0), level, width);
    while (k >= share * nodes_in(run)) {
      k -= share * nodes_in(run);
      share = dealt_share(run_count(++run), level, width);
    }
    return {static_cast<int>(first_node(run) + k / share), static_cast<int>(k % share)};
  }

 private:
  const std::uint32_t* words_;
  std::size_t runs_;
  std::int64_t nodes_;
};

/// The same over an index: the distinct counts in ascending order (classes), a wavelet of each
/// node's class, and, per class, the ranks that are dealt before its count is reached (dealt
/// orders) or, per node, the ranks before it (block order).
class CountIndex {
  using Word = std::uint32_t;

 public:
  constexpr CountIndex(const Word* words, bool block, int nodes)
      : words_(words),
        nodes_(static_cast<Word>(nodes)),
        classes_(words[0]),
        sums_(words + 1 + classes_),
        wavelet_(sums_ + (block ? nodes_ : classes_), nodes_, classes_ - 1) {}

  static constexpr std::size_t words_needed(bool block, int nodes, Word classes) {
    return 1 + classes + (block ? static_cast<std::size_t>(nodes) : classes) +
           Wavelet::words_needed(static_cast<Word>(nodes), classes - 1);
  }

  constexpr std::int64_t count(int node) const { return value(wavelet_.at(word(node))); }
  template <class Visit>
  constexpr void for_each_count(const Visit& visit) const {
    for (Word c = 0; c != classes_; ++c) visit(value(c));
  }
  /// Block order only.
  constexpr std::int64_t ranks_before(int node) const { return sums_[node]; }
  /// Block order only.
  constexpr Place block_place(int r) const {
    Word low = 0;
    Word high = nodes_;
    while (high - low > 1) {
      const Word middle = low + (high - low) / 2;
      (sums_[middle] <= word(r) ? low : high) = middle;
    }
    return {static_cast<int>(low), static_cast<int>(word(r) - sums_[low])};
  }
  /// Dealt orders only: from one class to the next, every level takes one rank of each higher node.
  constexpr std::int64_t below(std::int64_t level) const {
    const Word higher = first_above(level);
    const std::int64_t base = higher == 0 ? 0 : sums_[higher - 1];
    if (higher == classes_) return base;
    return base + (level - reached(higher)) * active(higher);
  }
  /// Dealt orders only.
  constexpr std::int64_t level_of(int rank, std::int64_t plane, std::int64_t) const {
    // the class during whose levels `rank` ranks have been dealt, then the level, then its round
    Word low = 0;
    Word high = classes_ - 1;
    while (low != high) {
      const Word middle = low + (high - low) / 2;
      if (sums_[middle] <= word(rank)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const std::int64_t base = low == 0 ? 0 : sums_[low - 1];
    const std::int64_t level = reached(low) + (rank - base) / active(low);
    return level - level % plane;
  }
  constexpr std::int64_t share_before(int node, std::int64_t level, std::int64_t width) const {
    return share_before(node, level, width, full_share(level, width));
  }
  constexpr Place find_share(std::int64_t k, std::int64_t level, std::int64_t width) const {
    const FullShare full = full_share(level, width);
    int low = 0;
    int high = static_cast<int>(nodes_);
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (share_before(middle, level, width, full) <= k ? low : high) = middle;
    }
    return {low, static_cast<int>(k - share_before(low, level, width, full))};
  }

  /// Writes the index of `runs` behind what `to` holds.
  static constexpr void write(LayoutWords& to, const LayoutWords& runs, int nodes, bool block);

 private:
  // The first class that takes a full share, and a counter of the nodes below it.
  struct FullShare {
    Word first;
    Wavelet::CountBelow nodes_below;
  };
  constexpr FullShare full_share(std::int64_t level, std::int64_t width) const {
    const Word first = first_above(level + width - 1);
    return {first, Wavelet::CountBelow(wavelet_, first)};
  }
  constexpr std::int64_t share_before(int node, std::int64_t level, std::int64_t width,
                                      const FullShare& full) const {
    const Word end = word(node);
    std::int64_t below = full.nodes_below.among_first(end);
    std::int64_t sum = width * (node - below);
    // the classes that take a part of a share: none where the width is 1
    for (Word c = full.first; c-- != 0 && value(c) > level;) {
      const std::int64_t below_c = Wavelet::CountBelow(wavelet_, c).among_first(end);
      sum += (value(c) - level) * (below - below_c);
      below = below_c;
    }
    return sum;
  }
  static constexpr Word word(int number) { return static_cast<Word>(number); }
  constexpr std::int64_t value(Word c) const { return words_[1 + c]; }
  // The count of the class before, up to which all nodes of this class have been dealt.
  constexpr std::int64_t reached(Word c) const { return c == 0 ? 0 : value(c - 1); }
  // The nodes of this class and the higher ones: what one level between the two takes.
  constexpr std::int64_t active(Word c) const {
    const std::int64_t levels = value(c) - reached(c);
    return (sums_[c] - (c == 0 ? 0 : std::int64_t{sums_[c - 1]})) / levels;
  }
  // The first class whose count is above `level`.
  constexpr Word first_above(std::int64_t level) const {
    Word low = 0;
    Word high = classes_;
    while (low != high) {
      const Word middle = low + (high - low) / 2;
      if (value(middle) <= level) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Word* words_;
  Word nodes_;
  Word classes_;
  const Word* sums_;
  Wavelet wavelet_;
};

constexpr void CountIndex::write(LayoutWords& to, const LayoutWords& runs, int nodes, bool block) {
  const std::size_t run_count = runs.size() / 3;
  LayoutWords classes;
  LayoutWords scratch;
  classes.resize(run_count);
  scratch.resize(run_count);
  for (std::size_t run = 0; run != run_count; ++run) classes[run] = runs[3 * run + 2];
  merge_sort(classes.data(), scratch.data(), run_count,
             [](std::uint32_t a, std::uint32_t b) { return a < b; });
  std::size_t distinct = 0;
  for (std::size_t i = 0; i != run_count; ++i) {
    if (distinct == 0 || classes[i] != classes[distinct - 1]) classes[distinct++] = classes[i];
  }

  // each node's class, and the sums
  const auto node_count = static_cast<std::size_t>(nodes);
  LayoutWords of_node;
  of_node.resize(node_count);
  const std::size_t first = to.size();
  to.resize(first + words_needed(block, nodes, static_cast<Word>(distinct)));
  Word* const out = to.data() + first;
  out[0] = static_cast<Word>(distinct);
  for (std::size_t c = 0; c != distinct; ++c) out[1 + c] = classes[c];
  Word* const sums = out + 1 + distinct;
  std::size_t node = 0;
  Word rank = 0;
  for (std::size_t run = 0; run != run_count; ++run) {
    const Word count = runs[3 * run + 2];
    std::size_t low = 0;
    for (std::size_t high = distinct; high - low > 1;) {
      const std::size_t middle = low + (high - low) / 2;
      (classes[middle] <= count ? low : high) = middle;
    }
    const std::size_t end = run + 1 == run_count ? node_count : runs[3 * run + 3];
    for (; node != end; ++node) {
      of_node[node] = static_cast<Word>(low);
      if (block) {
        sums[node] = rank;
      } else {
        ++sums[low];  // the nodes of each class, for now
      }
      rank += count;
    }
  }
  if (!block) {
    Word nodes_left = static_cast<Word>(nodes);
    Word dealt = 0;
    for (std::size_t c = 0; c != distinct; ++c) {
      const Word of_class = sums[c];
      dealt += (classes[c] - (c == 0 ? 0 : classes[c - 1])) * nodes_left;
      nodes_left -= of_class;
      sums[c] = dealt;
    }
  }
  LayoutWords room;
  room.resize(node_count);
  Wavelet::write(sums + (block ? node_count : distinct), of_node.data(), room.data(),
                 static_cast<Word>(nodes), static_cast<Word>(distinct - 1));
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_NODE_COUNTS_HPP
