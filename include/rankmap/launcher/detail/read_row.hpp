// SPDX-License-Identifier: MIT
// Reads the declaration of a launcher:
//
//     NAME VARIABLES [+VARIABLES] [?VARIABLES[,VARIABLE=TEXT]] [-VARIABLES] [~VARIABLE=VARIABLE]...
//      WORD[=TEXT] ... [replaces NAME]
//      hint: a sentence
//      # a comment
//
// The first line says when there is a record of the launcher: one of the first variables is set,
// all of `+`, one of `?` (or it has that text), none of `-`, and no two of a `~` differ. The lines
// behind it begin with a blank, and say what the record means: row_words.hpp has the words.
// Lists have commas and no blanks. `*` stands for the first variables.
#ifndef RANKMAP_LAUNCHER_DETAIL_READ_ROW_HPP
#define RANKMAP_LAUNCHER_DETAIL_READ_ROW_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/launcher/detail/row_words.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The place of a word in a list; -1 if it is not there.
RANKMAP_RARE constexpr int place_in_list(std::string_view list, std::string_view word) {
  int place = 0;
  for (const std::string_view entry : VariableNames(list)) {
    if (entry == word) return place;
    ++place;
  }
  return -1;
}

/// Reads one row, its first line and then the others. Each returns whether it is well formed.
class RowReader {
 public:
  constexpr explicit RowReader(std::string_view text) : text_(text) {}

  /// Where the word that was read last begins. In a row that is not well formed, it is at fault.
  constexpr std::size_t position() const { return begin_; }

  /// Reads the first line. Cost: one pass over it.
  RANKMAP_RARE constexpr bool read_first_line(LauncherRow& row) {
    row.name = next_word();
    if (is_at_line_end()) return false;
    row.detect_any = next_word();
    while (!is_at_line_end()) {
      const std::string_view word = next_word();
      if (word.size() < 2 || !set_condition(row, word.front(), word.substr(1))) return false;
    }
    return !row.name.empty();
  }

  /// Reads the lines behind the first one.
  RANKMAP_RARE constexpr bool read_rest(LauncherRow& row) {
    while (at_ < text_.size()) {
      const std::string_view word = next_word();
      if (word.empty()) break;
      if (word.front() == '#' || word == "hint:") {
        std::size_t end = text_.find('\n', at_);
        if (end == text_.npos) end = text_.size();
        if (word == "hint:" && at_ != end) row.missing_hint = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end;
        continue;
      }
      if (word == "replaces") {
        const std::size_t at = begin_;
        const std::string_view name = next_word();
        const auto replaced = parse_launcher(name);
        if (!replaced || *replaced <= Launcher::config) {
          if (name.empty()) begin_ = at;  // "replaces" without a name is at fault
          return false;
        }
        row.replaces = *replaced;
        continue;
      }
      const auto [key, text] = split_at(word, '=');
      if (!(text ? set_text(row, key, *text) : set_flag(row, word))) return false;
    }
    use_defaults(row);
    return true;
  }

 private:
  /// The word behind the blank or the new line here.
  constexpr std::string_view next_word() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    begin_ = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
    return text_.substr(begin_, at_ - begin_);
  }

  constexpr bool is_at_line_end() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ >= text_.size() || text_[at_] == '\n';
  }

  RANKMAP_RARE static constexpr bool set_condition(LauncherRow& row, char sign,
                                                   std::string_view list) {
    const std::size_t equal = list.rfind('=');
    if (sign == '+') row.require_all = list;
    if (sign == '-') row.exclude_any = list;
    if (sign == '?' && equal == list.npos) row.require_any = list;
    if (sign == '?' && equal != list.npos) {
      const std::size_t begin = list.rfind(',') + 1;  // of the variable with a text; 0: no other
      if (begin != 0) row.require_any = list.substr(0, begin - 1);
      row.require_text = {list.substr(begin, equal - begin), list.substr(equal + 1)};
    }
    if (sign == '~') {
      SameText& pair = row.unless_changed[row.unless_changed[0].variable.empty() ? 0 : 1];
      if (equal == list.npos || !pair.variable.empty()) return false;
      pair = {list.substr(0, equal), list.substr(equal + 1)};
    }
    return std::string_view("+-?~").find(sign) != std::string_view::npos;
  }

  template <class Member, std::size_t Count>
  static constexpr Member* find(LauncherRow& row, const RowWord<Member> (&words)[Count],
                                std::string_view word) {
    for (const RowWord<Member>& known : words) {
      if (known.word == word) return &(row.*known.member);
    }
    return nullptr;
  }

  RANKMAP_RARE static constexpr bool set_flag(LauncherRow& row, std::string_view word) {
    if (bool* const flag = find(row, flag_words, word)) {
      *flag = true;
      return true;
    }
    if (word == "torch_address" || word == "torch_names") {
      row.address = master_address;
      row.port = master_port;
      if (word == "torch_address") return true;
      row.rank.names = "RANK";
      row.world_size.names = "WORLD_SIZE";
      row.local_rank.names = "LOCAL_RANK";
      return true;
    }
    const int level = place_in_list(level_names, word);
    row.level = static_cast<RecordLevel>(level);
    return level >= 0;
  }

  RANKMAP_RARE static constexpr bool set_text(LauncherRow& row, std::string_view word,
                                              std::string_view text) {
    if (ValueSource* const source = find(row, number_words, word)) {
      return set_source(row, *source, text);
    }
    if (VariableNames* const names = find(row, name_words, word)) {
      *names = text == "*" ? row.detect_any : VariableNames(text);
      return true;
    }
    if (std::string_view* const to = find(row, text_words, word)) {
      *to = text == "*" ? row.detect_any.list() : text;
      return true;
    }
    for (const CautionWord& known : caution_words) {
      if (known.word != word) continue;
      row.caution = {text, known.expected, word == "device", known.doubt, word == "terminal"};
      return true;
    }
    if (word == "hosts") {
      row.hosts_are_json = text.substr(0, 5) == "json:";
      row.hosts = row.hosts_are_json ? text.substr(5) : text;
      return true;
    }
    if (word == "role") {
      const auto [variable, roles] = split_at(text, ':');
      row.role = {variable, roles.value_or(std::string_view())};
      return roles.has_value();
    }
    if (word == "also_sets") {
      row.also_sets = text;
      for (const std::string_view name : row.also_sets) {
        if (!parse_launcher(name)) return false;
      }
      return true;
    }
    const int place = place_in_list(word == "agents" ? agent_names : check_names, text);
    if (word == "agents") row.agents = static_cast<Agents>(place);
    if (word == "check") row.check = static_cast<CheckKind>(place);
    return place >= 0 && (word == "agents" || word == "check");
  }

  RANKMAP_RARE static constexpr bool set_source(LauncherRow& row, ValueSource& source,
                                                std::string_view text) {
    if (!text.empty() && text.back() == '!') {
      if (&source != &row.local_world_size) return false;
      row.local_size_required = true;
      text.remove_suffix(1);
    }
    if (const auto [format, rest] = split_at(text, ':'); rest) {
      const int place = place_in_list(format_names, format);
      if (place < 0) return false;
      source.format = static_cast<ValueFormat>(place);
      text = *rest;
    }
    const auto [names, key] = split_at(text, '@');
    source.key = key.value_or(std::string_view());
    source.names = names == "*"   ? row.detect_any
                   : names == "+" ? row.require_all
                                  : VariableNames(names);
    return !source.names.empty();
  }

  /// Sets what no word says. The variables that detect a node are its index. Two or three that
  /// detect a process are its rank, world size and local rank.
  RANKMAP_RARE static constexpr void use_defaults(LauncherRow& row) {
    if (row.or_alone || row.check == CheckKind::any_starter) row.starts_agents = true;
    if (!row.unset_names.empty() && row.start_command.empty()) row.start_command = row.name;
    if (row.level != RecordLevel::worker) {
      if (row.rank.names.empty()) row.rank.names = row.detect_any;
      return;
    }
    const std::string_view names = row.detect_any.list();
    const std::size_t count = comma_entry(names, 0).count;
    const bool has_local = count == 3 && row.local_rank.names.empty();
    if (!row.rank.names.empty() || !row.world_size.names.empty() || (count != 2 && !has_local)) {
      return;
    }
    row.rank.names = comma_entry(names, 0).text;
    row.world_size.names = comma_entry(names, 1).text;
    if (has_local) row.local_rank.names = comma_entry(names, 2).text;
  }

  std::string_view text_;
  std::size_t begin_ = 0;  // of the word that was read last
  std::size_t at_ = 0;
};

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_READ_ROW_HPP
