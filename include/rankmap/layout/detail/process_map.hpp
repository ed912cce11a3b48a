// SPDX-License-Identifier: MIT
// The maps from rank to node that launchers write as blocks: Flux task maps (RFC 34) and the
// PMI_process_mapping vector of PMI-1. Both are lists of (first node, nodes, ranks per node).
#ifndef RANKMAP_LAYOUT_DETAIL_PROCESS_MAP_HPP
#define RANKMAP_LAYOUT_DETAIL_PROCESS_MAP_HPP

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// `per_node` ranks on each of the nodes first .. first + nodes - 1, one node after the other.
struct RankBlock {
  std::int64_t first = 0;
  std::int64_t nodes = 1;
  std::int64_t per_node = 1;
  std::size_t group = 0;    ///< blocks of the repeated group that starts here; 0 inside a group
  std::int64_t repeat = 1;  ///< of that group
};

/// The blocks of a map in rank order.
class ProcessMap {
 public:
  /// Reads a Flux task map: `[[0,4,2,1],[4,2,4,1]]` (first node, nodes, ranks per node, repeat),
  /// bare or as the "map" of an object with "version" 1. Errors: those of JSON; `bad_layout` for
  /// any other text and for the unknown map `[]`; `limit_exceeded` where nodes or ranks reach 2^31.
  RANKMAP_RARE static constexpr Result<ProcessMap> parse_flux(std::string_view text,
                                                              std::string_view subject) {
    const auto failed = [&](Errc code, std::string_view expected, std::size_t at) {
      return error_at(code, subject, text, expected,
                      "write a task map such as [[0,4,2,1]]: first node, nodes, ranks per node, "
                      "repeat",
                      at);
    };
    const Result<Json> json = Json::parse(text, subject);
    if (!json) return json.error();
    Json list = *json;
    if (list.is(JsonKind::object)) {
      const auto version_member = list.member("version");
      const auto map = list.member("map");
      if (!version_member || version_member->raw() != "1" || !map) {
        return failed(Errc::bad_layout, "\"version\" 1 and a \"map\"", list.position());
      }
      list = *map;
    }
    if (!list.is(JsonKind::array)) return failed(Errc::bad_layout, "an array", list.position());
    const auto bad_block = [&](const Json& found) {
      return failed(Errc::bad_layout, "blocks of four numbers, each at least 1 except the first",
                    found.position());
    };
    ProcessMap out;
    for (JsonItems blocks = list.elements(); blocks.next();) {
      const Json block = blocks.value();
      std::int64_t numbers[4] = {};
      std::size_t count = 0;
      for (JsonItems items = block.elements(); items.next(); ++count) {
        const Number value =
            items.value().is(JsonKind::number) ? items.value().integer() : Number();
        const bool too_large = value.state == NumberState::too_large || value.value > INT32_MAX;
        if ((!value && !too_large) || count == 4) return bad_block(block);
        numbers[count] = too_large ? most + 1 : static_cast<std::int64_t>(value.value);
      }
      const auto [first, nodes, per_node, repeat] = numbers;
      if (count != 4 || nodes == 0 || per_node == 0 || repeat == 0) return bad_block(block);
      if (!out.add({first, nodes, per_node, 1, repeat}, repeat)) {
        return failed(Errc::limit_exceeded, below_2_31, block.position());
      }
    }
    if (out.blocks_.empty()) return bad_block(list);
    return out;
  }

  /// Reads a PMI-1 vector, `(vector,(0,4,2))`, with the bare node ids and `[...]xN` of newer MPICH.
  RANKMAP_RARE static constexpr Result<ProcessMap> parse_pmi(std::string_view text,
                                                             std::string_view subject) {
    std::size_t at = 0;
    bool too_large = false;  // the last number, or the ranks and nodes so far
    const auto failed = [&](std::string_view expected) {
      return error_at(too_large ? Errc::limit_exceeded : Errc::bad_layout, subject, text,
                      too_large ? below_2_31 : expected,
                      "write a vector such as (vector,(0,4,2)): first node, nodes, ranks per node",
                      at);
    };
    const auto skip = [&] {
      while (at != text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    };
    const auto take = [&](char c) {
      skip();
      if (at == text.size() || text[at] != c) return false;
      ++at;
      return true;
    };
    // Without a number, or with one that is too large, leaves `at` where it should begin.
    const auto number = [&](std::int64_t& value) {
      skip();
      const std::size_t start = at;
      std::uint64_t digits = 0;
      too_large = !read_digits(text, at, digits) || digits > INT32_MAX;
      if (too_large || at == start) {
        at = start;
        return false;
      }
      value = static_cast<std::int64_t>(digits);
      return true;
    };
    const auto count_behind = [&](char mark, std::int64_t& value) {
      return take(mark) && number(value) && value != 0;
    };

    constexpr std::string_view word = "vector";
    if (!take('(')) return failed("\"(vector,\" at the start");
    skip();
    if (text.substr(at, word.size()) != word) return failed("\"vector\"");
    at += word.size();
    ProcessMap out;
    std::size_t group_first = 0;
    std::int64_t ranks_before = 0;  // the group
    bool in_group = false;
    while (take(',')) {
      skip();
      if (at != text.size() && text[at] == ')') break;  // a comma may end the list
      if (!in_group && take('[')) {
        in_group = true;
        group_first = out.blocks_.size();
        ranks_before = out.ranks_;
      }
      RankBlock block;
      block.group = in_group ? 0 : 1;
      const bool triple = take('(');
      if (!number(block.first)) return failed("a node, '(' or '['");
      if (triple) {
        if (!count_behind(',', block.nodes)) return failed("',' and a number of nodes, at least 1");
        if (!count_behind(',', block.per_node)) {
          return failed("',' and a number of ranks per node, at least 1");
        }
        if (!take(')')) return failed("')' after three numbers");
      }
      too_large = !out.add(block, 1);
      if (too_large) return failed({});
      if (in_group && take(']')) {
        in_group = false;
        RankBlock& head = out.blocks_[group_first];
        head.group = out.blocks_.size() - group_first;
        if (!count_behind('x', head.repeat)) return failed("'x' and a repeat count, at least 1");
        const std::int64_t ranks = out.ranks_ - ranks_before;
        too_large = head.repeat - 1 > (most - out.ranks_) / ranks;
        if (too_large) return failed({});
        out.ranks_ += (head.repeat - 1) * ranks;
      }
    }
    if (in_group) return failed("',' or ']'");
    if (out.blocks_.empty()) return failed("',' and at least one block");
    if (!take(')')) return failed("',' or ')'");
    skip();
    if (at != text.size()) return failed("nothing after ')'");
    return out;
  }

  constexpr const SmallVector<RankBlock, 4>& blocks() const { return blocks_; }
  /// The ranks of all blocks, and one more than the highest node.
  constexpr std::int64_t ranks() const { return ranks_; }
  constexpr std::int64_t nodes() const { return nodes_; }

  /// Calls `visit(node, count)` for each run of ranks on one node, from the group at `block` on.
  /// Stops and returns false where `visit` does.
  template <class Visit>
  constexpr bool for_each_run(std::size_t block, Visit&& visit) const {
    while (block != blocks_.size()) {
      const RankBlock& head = blocks_[block];
      for (std::int64_t pass = 0; pass != head.repeat; ++pass) {
        for (std::size_t b = block; b != block + head.group; ++b) {
          for (std::int64_t n = 0; n != blocks_[b].nodes; ++n) {
            if (!visit(blocks_[b].first + n, blocks_[b].per_node)) return false;
          }
        }
      }
      block += head.group;
    }
    return true;
  }

 private:
  static constexpr std::int64_t most = INT32_MAX;
  static constexpr std::string_view below_2_31 = "fewer than 2^31 ranks and nodes";
  // Adds a block that comes `repeat` times. Returns false where ranks or nodes would reach 2^31.
  // Precondition: no number is above most + 1, which is 2^31.
  constexpr bool add(const RankBlock& block, std::int64_t repeat) {
    if (block.nodes > most - block.first) return false;
    const std::int64_t ranks = block.nodes * block.per_node;
    if (repeat > (most - ranks_) / ranks) return false;
    ranks_ += ranks * repeat;
    if (block.first + block.nodes > nodes_) nodes_ = block.first + block.nodes;
    blocks_.push_back(block);
    return true;
  }

  SmallVector<RankBlock, 4> blocks_;
  std::int64_t ranks_ = 0;
  std::int64_t nodes_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAYOUT_DETAIL_PROCESS_MAP_HPP
