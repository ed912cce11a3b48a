// SPDX-License-Identifier: MIT
// The numbers of a process by a map of all ranks to nodes, where a launcher's other names are gone.
#ifndef RANKMAP_IDENTITY_DETAIL_PROCESS_MAP_HPP
#define RANKMAP_IDENTITY_DETAIL_PROCESS_MAP_HPP

#include <rankmap/detail/parse_number.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/field.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The blocks of a map such as "(vector,(0,2,4),(2,1,3))": each has its first node, a number of
/// nodes, and the number of ranks on each of them.
class MapBlocks {
 public:
  constexpr explicit MapBlocks(std::string_view text) : text_(text) {}

  /// Goes to the next block. False behind the last one, and where the text is no map.
  RANKMAP_RARE constexpr bool next() {
    if (!take(at_ == 0 ? "(vector,(" : ",(")) return false;
    return number(first) && take(",") && number(nodes) && take(",") && number(each) && take(")");
  }
  /// Whether the whole text was a map: after the last block.
  constexpr bool is_whole() { return at_ != 0 && take(")") && at_ == text_.size(); }

  std::int64_t first = 0;
  std::int64_t nodes = 0;
  std::int64_t each = 0;

 private:
  constexpr bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  constexpr bool number(std::int64_t& out) {
    std::uint64_t digits = 0;
    const std::size_t start = at_;
    if (!read_digits(text_, at_, digits) || at_ == start || digits > INT32_MAX) return false;
    out = static_cast<std::int64_t>(digits);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Sets the numbers that follow from the rank and the map in `variable`, which a server of this
/// launch wrote. Sets nothing if the text is no map, lacks the rank, or has more nodes than ranks.
RANKMAP_RARE constexpr void fill_from_map(Record& record, std::string_view variable,
                                          std::string_view text) {
  const std::int64_t rank = record[Field::rank].number;
  std::int64_t world = 0;
  std::int64_t nodes = 0;
  std::int64_t node = -1;
  MapBlocks blocks(text);
  while (world <= INT32_MAX && blocks.next()) {
    if (rank >= world && rank - world < blocks.nodes * blocks.each) {
      node = blocks.first + (rank - world) / blocks.each;
    }
    world += blocks.nodes * blocks.each;
    const std::int64_t behind = blocks.first + blocks.nodes;
    if (behind > nodes) nodes = behind;
  }
  if (world > INT32_MAX || node < 0 || nodes > world || !blocks.is_whole()) return;
  std::int64_t begin = 0;  // the first rank of a block
  std::int64_t local = 0;
  std::int64_t local_size = 0;
  for (MapBlocks block(text); block.next(); begin += block.nodes * block.each) {
    if (node < block.first || node >= block.first + block.nodes) continue;
    const std::int64_t before = rank - begin - (node - block.first) * block.each;
    if (before > 0) local += before < block.each ? before : block.each;
    local_size += block.each;
  }
  const std::int64_t numbers[] = {rank, world, local, local_size, node, nodes};
  const Value map = {-1, variable, text, {}};
  for (const Field field : number_fields) {
    record[field].derive(numbers[static_cast<std::size_t>(field)], map,
                         "the map of the launcher's PMIx server");
  }
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_IDENTITY_DETAIL_PROCESS_MAP_HPP
