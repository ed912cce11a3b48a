// SPDX-License-Identifier: MIT
// The reader of topology.conf: lines, then the switches below each switch, then their levels. Names
// stay in the text, and are kept as places in it.
#ifndef RANKMAP_DOMAIN_DETAIL_READ_SWITCHES_HPP
#define RANKMAP_DOMAIN_DETAIL_READ_SWITCHES_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/small_vector.hpp>
#include <rankmap/detail/sorted_indices.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/hosts/host_list.hpp>
#include <rankmap/hosts/host_list_view.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rankmap::inline v0::detail {

/// A part of a text, by its place: the text may move.
struct TextPart {
  std::size_t begin = 0;
  std::size_t size = 0;
  constexpr std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

/// A link in a chain of switches. All chains share an array, and places in it name the links.
struct SwitchLink {
  static constexpr std::uint32_t none = UINT32_MAX;  ///< none + 1 is 0
  std::uint32_t of_switch = 0;
  std::uint32_t before = none;
};

struct SwitchRow {
  TextPart name;
  TextPart nodes = {};
  TextPart below = {};                       ///< the list of the switches below it; empty at a leaf
  std::uint32_t parents = SwitchLink::none;  ///< a chain in SwitchTable::parents
  int level = 0;                             ///< 0: a leaf
};

struct SwitchTable {
  SmallString text;  ///< of the file
  SmallVector<SwitchRow, 8> switches;
  SmallVector<SwitchLink, 16> parents;
  int levels = 0;

  constexpr std::string_view name(std::size_t i) const { return switches[i].name.in(text); }
  constexpr std::string_view nodes(std::size_t i) const { return switches[i].nodes.in(text); }
};

/// The most hosts or switches in a list. The list is checked when the file is read, and read again
/// later by the same bounds.
inline constexpr HostListLimits switch_list_limits{.max_hosts = std::size_t{1} << 20U};

class SwitchReader {
 public:
  static constexpr std::size_t max_switches = 65'536;
  static constexpr std::size_t max_connections = std::size_t{1} << 20U;

  constexpr SwitchReader(std::string_view text, std::string_view subject)
      : text_(text), subject_(subject) {
    table_.text = SmallString(text);
  }

  constexpr Result<SwitchTable> read() {
    if (const auto error = read_lines()) return *error;
    if (const auto error = sort_names()) return *error;
    if (const auto error = connect()) return *error;
    if (const auto error = find_levels()) return *error;
    return std::move(table_);
  }

 private:
  enum class Line : std::uint8_t { none, switches, blocks, other };

  RANKMAP_RARE constexpr Error error(Errc code, std::size_t at, std::string_view expected,
                                     std::string_view remedy = "correct the file") const {
    const std::string_view line = text_.substr(at, text_.find('\n', at) - at);
    return error_at(code, subject_, line, expected, remedy, at);
  }
  static constexpr bool ends_word(char c) { return is_blank(c) || c == '\\' || c == '#'; }
  static constexpr Line line_of(std::string_view key) {
    if (equal_ignoring_case(key, "SwitchName")) return Line::switches;
    if (equal_ignoring_case(key, "BlockName")) return Line::blocks;
    for (const std::string_view other : {"BlockSizes", "BlockLevels", "AggregatedBlock"}) {
      if (equal_ignoring_case(key, other)) return Line::other;
    }
    return Line::none;
  }

  // Each line has words `key=value`. A '\' at its end continues it, and '#' begins a comment.
  constexpr Optional<Error> read_lines() {
    Line line = Line::none;
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      std::size_t end = at + 1;
      if (c == '\n') line = Line::none;
      if (c == '#') {
        end = text_.find('\n', at);
      } else if (c == '\\') {
        while (end != text_.size() && text_[end] != '\n' && is_blank(text_[end])) ++end;
        if (end != text_.size() && text_[end++] != '\n') {
          return error(Errc::bad_file, at, "the end of the line behind '\\'");
        }
      } else if (!is_blank(c)) {
        while (end != text_.size() && !ends_word(text_[end])) ++end;
        if (const auto wrong = add_word(line, at, text_.substr(at, end - at))) return wrong;
      }
      at = end;
    }
    return {};
  }

  constexpr Optional<Error> add_word(Line& line, std::size_t at, std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    TextPart value;
    if (equals != std::string_view::npos) value = {at + equals + 1, word.size() - equals - 1};
    if (line == Line::none) {
      line = line_of(key);
      if (line == Line::none) {
        return error(Errc::bad_file, at, "SwitchName=, BlockName= or BlockSizes= first in a line");
      }
      if (line == Line::other) return {};
      const bool blocks = line == Line::blocks;
      if (table_.switches.empty()) blocks_ = blocks;
      if (blocks_ != blocks) {
        return error(Errc::bad_file, at, "switches or blocks in one file, not both");
      }
      if (table_.switches.size() == max_switches) {
        return error(Errc::limit_exceeded, at, "at most 65536 switches",
                     "pass the part that the job needs");
      }
      const std::string_view named = value.in(text_);
      if (!is_host_name(named) || named.find_first_of(",[") != std::string_view::npos) {
        return error(Errc::bad_file, at, "one name of 1 to 255 bytes behind '='");
      }
      table_.switches.push_back({.name = value});
      return {};
    }
    if (line == Line::other || equals == std::string_view::npos) return {};
    SwitchRow& row = table_.switches[table_.switches.size() - 1];
    const bool nodes = equal_ignoring_case(key, "Nodes");
    if (!nodes && (blocks_ || !equal_ignoring_case(key, "Switches"))) return {};
    TextPart& list = nodes ? row.nodes : row.below;
    if (list.size != 0) return error(Errc::bad_file, at, "each key once in a line");
    list = value;
    const auto good = HostListView::parse(list.in(text_), switch_list_limits);
    if (!good) {
      Error wrong = good.error();
      wrong.subject = StaticString<63>(subject_);
      wrong.position += static_cast<std::int64_t>(list.begin);
      return wrong;
    }
    return {};
  }

  constexpr Optional<Error> sort_names() {
    sorted_ = sorted_indices(table_.switches.size(), [this](std::uint32_t a, std::uint32_t b) {
      return table_.name(a) < table_.name(b);
    });
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      if (table_.name(sorted_[i - 1]) != table_.name(sorted_[i])) continue;
      return error(Errc::bad_file, table_.switches[sorted_[i]].name.begin, "each name once");
    }
    return {};
  }

  // Finds for each switch those that list it.
  constexpr Optional<Error> connect() {
    for (std::size_t i = 0; i != table_.switches.size(); ++i) {
      const TextPart below = table_.switches[i].below;
      const auto list = HostList::parse(below.in(text_), switch_list_limits);
      if (!list) return list.error();
      if (list->size() > max_connections - table_.parents.size()) {
        return error(Errc::limit_exceeded, below.begin, "at most 2^20 connections of switches",
                     "pass the part that the job needs");
      }
      waiting_.push_back(list->size());
      for (const HostName& wanted : *list) {
        const std::size_t at = partition_point(
            std::size_t{0}, sorted_.size(),
            [&](std::size_t place) { return table_.name(sorted_[place]) < wanted.view(); });
        if (at == sorted_.size() || table_.name(sorted_[at]) != wanted.view()) {
          return error(Errc::bad_file, below.begin, "names of switches that have a line");
        }
        std::uint32_t& parents = table_.switches[sorted_[at]].parents;
        table_.parents.push_back({static_cast<std::uint32_t>(i), parents});
        parents = static_cast<std::uint32_t>(table_.parents.size() - 1);
      }
    }
    return {};
  }

  // A switch is one level above the highest below it. It gets its level once all switches below it
  // have one. One that never gets a level is below itself, or above such a switch.
  constexpr Optional<Error> find_levels() {
    const std::size_t size = table_.switches.size();
    SmallVector<std::uint32_t, 16> queue;
    for (std::size_t i = 0; i != size; ++i) {
      if (waiting_[i] == 0) queue.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t done = 0; done != queue.size(); ++done) {
      const SwitchRow& row = table_.switches[queue[done]];
      const int level = row.level;
      if (level >= table_.levels) table_.levels = level + 1;
      if (table_.levels > DomainPath::max_levels) {
        return error(Errc::limit_exceeded, row.name.begin, "at most 8 levels of switches",
                     "leave out the outermost levels");
      }
      for (std::uint32_t at = row.parents; at != SwitchLink::none; at = table_.parents[at].before) {
        const std::uint32_t parent = table_.parents[at].of_switch;
        table_.switches[parent].level = level + 1;  // the queue is in the order of levels
        if (--waiting_[parent] == 0) queue.push_back(parent);
      }
    }
    for (std::size_t i = 0; i != size; ++i) {
      if (waiting_[i] == 0) continue;
      return error(Errc::bad_file, table_.switches[i].name.begin,
                   "no switch below itself, neither this one nor one below it");
    }
    return {};
  }

  std::string_view text_;
  std::string_view subject_;
  SwitchTable table_;
  Indices sorted_;                        // switches by name
  SmallVector<std::size_t, 16> waiting_;  // how many switches below each have no level yet
  bool blocks_ = false;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DOMAIN_DETAIL_READ_SWITCHES_HPP
