// SPDX-License-Identifier: MIT
// Launchers that are declared outside of the library: their text is read whole before any of it is
// used, and may not take what a launcher of the library has.
#ifndef RANKMAP_LAUNCHER_DETAIL_DECLARATION_HPP
#define RANKMAP_LAUNCHER_DETAIL_DECLARATION_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/launcher/detail/read_row.hpp>
#include <rankmap/launcher/detail/row_words.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The name of the launcher that some lines declare.
constexpr std::string_view name_of(std::string_view lines) {
  return lines.substr(0, lines.find(' '));
}

/// The variables that detect the launcher of some lines.
RANKMAP_RARE constexpr VariableNames detecting(std::string_view lines) {
  LauncherRow row;
  static_cast<void>(RowReader(lines).read_first_line(row));
  return row.detect_any;
}

/// Whether a text is a word of these characters: a variable's name, or in lower case a launcher's.
constexpr bool is_word(std::string_view text, std::size_t longest, bool lower) {
  for (const char c : text) {
    if (!is_digit(c) && c != '_' && (!is_letter(c) || (lower && c != to_lower(c)))) return false;
  }
  return !text.empty() && !is_digit(text.front()) && text.size() <= longest;
}

/// The first entry of a comma list that is no name of a variable; the whole list if that entry is
/// empty. Nothing if all are names.
RANKMAP_RARE constexpr std::string_view wrong_name(std::string_view list) {
  for (ListEntries names(list); !list.empty() && names.next();) {
    if (!is_word(names.text(), 63, false)) return names.text().empty() ? list : names.text();
  }
  return {};
}

/// Calls `visit(list)` for each list of variables that a row has.
template <class Visit>
RANKMAP_RARE constexpr void visit_lists(const LauncherRow& row, const Visit& visit) {
  for (const VariableNames& names :
       {row.detect_any, row.require_all, row.require_any, row.exclude_any, row.hosts}) {
    visit(names.list());
  }
  for (const std::string_view name :
       {row.require_text.variable, row.role.variable, row.single_host_if, row.agent_store_if,
        row.caution.variable, row.unless_changed[0].variable, row.unless_changed[0].other,
        row.unless_changed[1].variable, row.unless_changed[1].other}) {
    visit(name);
  }
  for (const RowWord<ValueSource>& known : number_words) {
    visit((row.*known.member).names.list());
    visit((row.*known.member).key);
  }
  for (const RowWord<VariableNames>& known : name_words) visit((row.*known.member).list());
}

/// The next word of some lines from `at` on; empty: there is none. Comments are left out, and so
/// are the sentence behind "hint:" and the name behind "replaces".
RANKMAP_RARE constexpr std::string_view next_word(std::string_view lines, std::size_t& at) {
  for (;;) {
    at = lines.find_first_not_of(" \n", at);
    if (at == lines.npos) return {};
    std::size_t end = lines.find_first_of(" \n", at);
    const std::string_view word = lines.substr(at, end - at);
    const bool is_comment = word.front() == '#';
    if (is_comment || word == "hint:") end = lines.find('\n', at);
    at = end == lines.npos ? lines.size() : end;
    if (word == "replaces") static_cast<void>(next_word(lines, at));
    if (!is_comment) return word;
  }
}

/// The key of a word, which a row may have once. In the first line it is the sign of the word.
constexpr std::string_view key_of(std::string_view word) {
  const bool is_sign = word.front() == '+' || word.front() == '-' || word.front() == '?';
  const std::string_view key = is_sign ? word.substr(0, 1) : word.substr(0, word.find('='));
  return place_in_list(level_names, key) >= 0 ? level_names : key;
}

/// Reads a text of declarations, one launcher after another, and checks each whole. Lines that are
/// blank or begin with '#' are skipped.
class DeclarationReader {
 public:
  constexpr DeclarationReader(std::string_view text, std::string_view subject)
      : text_(text), subject_(subject) {}

  /// Goes to the next launcher, which may be one with an error; false: there is none.
  RANKMAP_RARE constexpr bool next() {
    std::size_t begin = 0;
    do {
      begin = at_;
      if (error_ || at_ == text_.size()) return false;
      go_behind_line();
    } while (is_blank_or_comment(text_.substr(begin, at_ - begin)));
    while (at_ != text_.size() && goes_on_with(text_[at_])) go_behind_line();
    lines_ = text_.substr(begin, at_ - begin);
    row_ = {};
    check();
    return true;
  }
  constexpr const Optional<Error>& error() const { return error_; }
  constexpr const LauncherRow& row() const { return row_; }
  /// The lines that declare it.
  constexpr std::string_view lines() const { return lines_; }

  /// Makes an error about a part of the text. The first one counts.
  RANKMAP_RARE constexpr void refuse(std::string_view part, std::string_view expected,
                                     Errc code = Errc::bad_launcher) {
    if (error_) return;
    const auto at = static_cast<std::size_t>(part.data() - text_.data());
    const std::string_view before = text_.substr(0, at);
    std::size_t line = 1;
    for (const char c : before) line += c == '\n' ? 1 : 0;
    const std::size_t begin = before.rfind('\n') + 1;  // of the line; 0 of the first one
    error_ = error_at(code, subject_, part,
                      concat<159>(expected, ", in line ", line, ", column ", at - begin + 1),
                      "correct it: docs/how-to/add-a-launcher.md", at);
  }

 private:
  constexpr void go_behind_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == text_.npos ? text_.size() : end + 1;
  }
  static constexpr bool is_blank_or_comment(std::string_view line) {
    std::size_t at = 0;
    return next_word(line, at).empty();
  }
  static constexpr bool goes_on_with(char c) { return c == ' ' || c == '#' || c == '\n'; }

  /// Reads the row.
  RANKMAP_RARE constexpr void check() {
    for (const char& c : lines_) {
      if ((c < ' ' || c > '~') && c != '\n') {
        // These two an editor writes and does not show.
        return refuse({&c, 1}, c == '\r' ? "ends of lines without the carriage returns of Windows"
                               : text_.starts_with("\xef\xbb\xbf")
                                   ? "a text without a byte order mark at its beginning"
                                   : "printable ASCII, blanks and ends of lines");
      }
    }
    if (lines_.front() == ' ') return refuse(lines_.substr(0, 1), "a launcher's name");
    RowReader reader(lines_);
    const bool is_begun = reader.read_first_line(row_);
    if (row_.detect_any.empty()) return refuse(row_.name, "variables behind the name");
    if (!is_begun || !reader.read_rest(row_)) {
      const std::string_view rest = lines_.substr(reader.position());
      const bool is_name = lines_.substr(0, reader.position()).ends_with("replaces ");
      const std::string_view word = rest.substr(0, rest.find_first_of(" \n"));
      return refuse(word, !is_begun        ? "a list without blanks, and words in the lines below"
                          : is_name        ? "a launcher of the library"
                          : word == "hint" ? "a colon behind it"
                          : word.starts_with("agents=") ? agent_names
                          : word.starts_with("check=")
                              ? check_names
                              : "a word of a declaration, without blanks around =");
    }
    if (!is_word(row_.name, 15, true)) {
      refuse(row_.name, "a name of at most 15 lower-case letters, digits and _");
    }
    visit_lists(row_, [this](std::string_view list) {
      const std::string_view wrong = wrong_name(list);
      if (!wrong.empty()) refuse(wrong, "names of variables, with commas between");
    });
    for (const RowWord<ValueSource>& known : number_words) {
      const ValueSource& source = row_.*known.member;
      const bool needs_key = source.format == ValueFormat::place_on_host ||
                             source.format == ValueFormat::count_on_host ||
                             source.format == ValueFormat::json_list_index;
      const bool may_have_key = needs_key || source.format == ValueFormat::number;
      if (source.key.empty() ? needs_key : !may_have_key) {
        refuse(source.names.list(), "@VARIABLE behind number, place, on_host and json_index alone");
      }
    }
    for (const std::string_view name : VariableNames(row_.starters)) {
      if (name.size() > 15 || name.find('/') != name.npos) {
        refuse(name, "the name of a process: at most 15 bytes, without its folder");
      }
    }
    // As much as a remedy has room for.
    for (const std::string_view text : {row_.missing_hint, row_.starters}) {
      if (text.size() > 90) refuse(text, "at most 90 bytes");
    }
    for (const std::string_view text : {row_.start_command, row_.unset_names}) {
      if (text.size() > 25) refuse(text, "at most 25 bytes");
    }
    check_words();
  }

  RANKMAP_RARE constexpr void check_words() {
    const std::string_view first = row_.detect_any.list();
    std::size_t at = static_cast<std::size_t>(first.data() - lines_.data()) + first.size();
    for (;;) {
      const std::string_view word = next_word(lines_, at);
      if (word.empty()) return;
      if (word != "hint:" && std::string_view("=:,@").find(word.back()) != word.npos) {
        refuse(word, "a text behind it");
      }
      std::size_t behind = at;
      for (std::string_view other = next_word(lines_, behind); !other.empty();
           other = next_word(lines_, behind)) {
        if (key_of(other) == key_of(word)) refuse(other, "each word once");
      }
    }
  }

  std::string_view text_;
  std::string_view subject_;
  std::size_t at_ = 0;
  std::string_view lines_ = {};
  LauncherRow row_ = {};
  Optional<Error> error_;
};

/// Which launchers of the library have a variable. What the replaced one reads is free.
struct VariableOwners {
  bool is_named = false;             ///< the text of one has it
  bool is_only = false;              ///< one alone reads it, and it is not exported
  Launcher behind = Launcher::none;  ///< a declared one that reads it comes before this one
};
RANKMAP_RARE constexpr VariableOwners owners_of(std::string_view variable, Launcher replaced) {
  VariableOwners out;
  bool is_exported = false;
  bool is_free = false;
  for (std::size_t i = 0; i != launcher_count; ++i) {
    const auto launcher = static_cast<Launcher>(i + 2);
    if (!names_word(lines_of(i), variable)) continue;
    out.is_named = true;
    const LauncherRow row = row_of(launcher);
    bool reads = row.detect_any.has(variable);
    for (const RowWord<ValueSource>& known : number_words) {
      reads = reads || (row.*known.member).names.has(variable);
    }
    if (launcher == replaced) is_free = reads;
    // Behind an exported row only exported ones count: the names of the last show no launcher.
    if (!reads || (is_exported && !row.generic_names) || launcher == replaced) continue;
    is_exported = row.generic_names;
    out.is_only = out.behind == Launcher::none && !is_exported;
    out.behind = launcher;
  }
  out.is_only = out.is_only && !is_free;
  return out;
}

/// The launcher of the library before which the declared one has to be; none: it comes after
/// all. Refuses one that would take the record of a launcher of the library away.
RANKMAP_RARE constexpr Launcher launcher_behind(DeclarationReader& reader) {
  const LauncherRow& row = reader.row();
  const auto are_new = [&](const VariableNames& names) {
    bool out = !names.empty();
    for (const std::string_view name : names) out = out && !owners_of(name, row.replaces).is_named;
    return out;
  };
  bool is_marked = are_new(row.detect_any);
  for (const std::string_view name : row.require_all) is_marked = is_marked || are_new(name);
  if (row.require_text.variable.empty()) is_marked = is_marked || are_new(row.require_any);
  if (row.require_any.empty()) is_marked = is_marked || are_new(row.require_text.variable);
  if (!is_marked && row.replaces == Launcher::none) {
    reader.refuse(row.detect_any.list(),
                  "a variable that no known launcher has, here or behind +, or replaces NAME");
  }
  Launcher out = Launcher::none;
  for (const VariableNames& names :
       {row.rank.names, row.world_size.names, row.local_rank.names, row.detect_any,
        row.local_world_size.names, row.node_rank.names, row.node_count.names}) {
    for (const std::string_view variable : names) {
      const VariableOwners owners = owners_of(variable, row.replaces);
      if (owners.is_only) {
        const std::string_view owner = name(owners.behind);
        reader.refuse(variable,
                      concat<95>("a variable that ", owner, " does not have, or replaces ", owner));
      }
      if (owners.behind == Launcher::none) continue;
      if (out == Launcher::none || owners.behind < out) out = owners.behind;
    }
  }
  return out;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_LAUNCHER_DETAIL_DECLARATION_HPP
