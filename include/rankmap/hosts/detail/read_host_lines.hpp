// SPDX-License-Identifier: MIT
// Readers of the host formats that are words and lines. Each fills a table from a text.
#ifndef RANKMAP_HOSTS_DETAIL_READ_HOST_LINES_HPP
#define RANKMAP_HOSTS_DETAIL_READ_HOST_LINES_HPP

#include <rankmap/detail/host_port.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/hosts/detail/host_table_builder.hpp>
#include <rankmap/hosts/host_table.hpp>
#include <rankmap/result.hpp>
#include <rankmap/small_string.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The blanks within a line, '\r' for one that ends in \r\n. All other control bytes are errors.
inline constexpr std::string_view line_blanks = " \t\r";

struct Word {
  std::string_view text;
  std::size_t position = 0;  ///< in the whole text
};

/// Reads a text line by line and word by word. A line may end in \r\n, or where `comment` begins.
/// Blanks separate words, and so do the `marks`, each of which is a word by itself.
class WordReader {
 public:
  constexpr WordReader(std::string_view text, std::string_view comment, std::string_view marks = "")
      : text_(text), comment_(comment), marks_(marks), lines_(text, '\n') {}

  /// Moves to the next line that has a word; false at the end of the text.
  constexpr bool next_line() {
    while (lines_.next()) {
      const std::string_view line = lines_.text();
      at_ = lines_.begin();
      end_ = at_ + (comment_.empty() ? line : line.substr(0, line.find(comment_))).size();
      if (!peek().text.empty()) return true;
    }
    return false;
  }
  /// The next word of this line, or an empty one at its end.
  constexpr Word peek() const {
    const std::string_view line = text_.substr(0, end_);
    const std::size_t at = line.find_first_not_of(line_blanks, at_);
    if (at == line.npos) return {std::string_view(), end_};
    std::size_t end = at + 1;
    while (end != end_ && !is_mark(line[at]) && !ends_word(line[end])) ++end;
    return {line.substr(at, end - at), at};
  }
  constexpr Word next() {
    const Word word = peek();
    at_ = word.position + word.text.size();
    return word;
  }

 private:
  constexpr bool is_mark(char c) const { return marks_.find(c) != marks_.npos; }
  constexpr bool ends_word(char c) const {
    return is_mark(c) || line_blanks.find(c) != line_blanks.npos;
  }

  std::string_view text_;
  std::string_view comment_;
  std::string_view marks_;
  ListEntries lines_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  // of the line
};

constexpr std::optional<int> slot_count(std::string_view text) {
  const Number number = parse_number(text);
  if (!number || number.value > INT32_MAX) return std::nullopt;
  return static_cast<int>(number.value);
}

/// `a,b,c`, or one name in each line.
template <char separator>
constexpr Result<HostTable> read_names(HostTableBuilder& table) {
  for (ListEntries entries(table.source().text, separator); entries.next();) {
    const std::string_view entry = entries.text();
    const std::size_t begin = entry.find_first_not_of(line_blanks);
    if (begin == entry.npos) continue;
    const std::size_t end = entry.find_last_not_of(line_blanks) + 1;
    (void)table.add(entry.substr(begin, end - begin), HostTableBuilder::unknown,
                    entries.begin() + begin);
  }
  return table.finish();
}

/// What a file has for each host.
enum class PerHost : std::uint8_t { line, line_of_rank, words };

/// One host in each line or word, once for each slot: PBS_NODEFILE, LSB_HOSTS and LSF's files.
/// `line_of_rank`: line k is the host of rank k.
template <PerHost form>
constexpr Result<HostTable> read_host_per_slot(HostTableBuilder& table) {
  WordReader reader(table.source().text, "#");
  while (reader.next_line()) {
    for (Word word = reader.next(); !word.text.empty(); word = reader.next()) {
      const std::size_t entry = table.add(word.text, 1, word.position);
      if (form == PerHost::line_of_rank) table.add_rank(entry);
      if (form != PerHost::words && !reader.peek().text.empty()) {
        return table.error("one host in each line", reader.peek().position);
      }
    }
  }
  return table.finish();
}

/// `h1 2 h2 3`: LSB_MCPU_HOSTS. With PerHost::line, `host slots ...` in each line: PE_HOSTFILE.
template <PerHost form>
constexpr Result<HostTable> read_pairs(HostTableBuilder& table) {
  WordReader reader(table.source().text, "");
  while (reader.next_line()) {
    for (Word host = reader.next(); !host.text.empty(); host = reader.next()) {
      const Word count = reader.next();
      const auto slots = slot_count(count.text);
      if (!slots) return table.error("a number of slots after each host", count.position);
      (void)table.add(host.text, *slots, host.position);
      if (form == PerHost::line) break;  // the rest names the queue and the processors
    }
  }
  return table.finish();
}

/// Adds a word `host:slots`; `host` alone has one slot. An IPv6 address needs brackets.
constexpr Optional<Error> add_host_and_count(HostTableBuilder& table, Word word) {
  const HostPort parts = split_host_port(word.text);
  const auto host = without_brackets(parts.host);
  if (!host) return table.error(bracket_expectation, word.position);
  const auto slots = slot_count(parts.number.value_or("1"));
  if (!slots || !parts.is_clear())
    return table.error("host:slots, of slots below 2^31", word.position);
  (void)table.add(*host, *slots, word.position);
  return std::nullopt;
}

/// `-H a:2,b:3`, `--host a,b:2,a`.
constexpr Result<HostTable> read_host_argument(HostTableBuilder& table) {
  WordReader reader(table.source().text, "", ",");
  bool want_host = true;
  std::size_t end = 0;
  while (reader.next_line()) {
    for (Word word = reader.next(); !word.text.empty(); word = reader.next()) {
      end = word.position + word.text.size();
      const bool comma = word.text == ",";
      if (comma == want_host) {
        return table.error(want_host ? "a host" : "',' between hosts", word.position);
      }
      want_host = comma;
      if (comma) continue;
      if (const auto error = add_host_and_count(table, word)) return *error;
    }
  }
  if (want_host) return table.error("a host", end);
  return table.finish();
}

/// Hydra's host file: `host` or `host:slots` in each line, then key=value words that do not count.
constexpr Result<HostTable> read_hydra_file(HostTableBuilder& table) {
  WordReader reader(table.source().text, "#");
  while (reader.next_line()) {
    if (const auto error = add_host_and_count(table, reader.next())) return *error;
    for (Word word = reader.next(); !word.text.empty(); word = reader.next()) {
      if (word.text.find('=') == std::string_view::npos) {
        return table.error("key=value after the host", word.position);
      }
    }
  }
  return table.finish();
}

/// Lines `host slots=N`: DeepSpeed and Horovod. `comment` begins a comment; '\0': there are none.
template <char comment>
constexpr Result<HostTable> read_strict_file(HostTableBuilder& table) {
  const char mark[] = {comment, '\0'};
  WordReader reader(table.source().text, mark);
  while (reader.next_line()) {
    const Word host = reader.next();
    const Word word = reader.next();
    const auto [key, count] = split_at(word.text, '=');
    const auto slots = key == "slots" ? slot_count(count.value_or("")) : std::nullopt;
    if (!slots) return table.error("slots=NUMBER below 2^31 after the host", word.position);
    if (!reader.peek().text.empty()) {
      return table.error("nothing after slots=NUMBER", reader.peek().position);
    }
    (void)table.add(host.text, *slots, host.position);
  }
  return table.finish();
}

/// The text of an Open MPI host file with its comments (#, //, /* */) replaced by blanks.
constexpr SmallString without_comments(std::string_view text) {
  SmallString out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two == "/*") {
      std::size_t end = text.find("*/", i + 2);
      end = end == std::string_view::npos ? text.size() : end + 2;
      for (; i != end; ++i) out.append(text[i] == '\n' ? '\n' : ' ');
      --i;
    } else if (text[i] == '#' || two == "//") {
      for (; i != text.size() && text[i] != '\n'; ++i) out.append(' ');
      --i;
    } else {
      out.append(text[i]);
    }
  }
  return out;
}

/// Open MPI's and PRRTE's host file: `[user@]host [key=value ...]`. Without slots the most count.
/// Source: mpirun 4.1.4, PRRTE's hostfile.c.
constexpr Result<HostTable> read_open_mpi_file(HostTableBuilder& table) {
  constexpr std::string_view slot_keys = "slots,cpu,cpus,count";
  constexpr std::string_view max_keys =
      "slots_max,slots-max,max_slots,max-slots,cpu_max,cpu-max,cpus_max,count_max,count-max";
  constexpr std::string_view text_keys = "username,user_name,user-name";
  const SmallString text = without_comments(table.source().text);
  WordReader reader(text.view(), "", "=");
  while (reader.next_line()) {
    Word host = reader.next();
    if (const std::size_t user = host.text.find('@'); user != std::string_view::npos) {
      host.text.remove_prefix(user + 1);
    }
    const char first = host.text.empty() ? '=' : host.text[0];
    if (first == '^' || first == '+' || first == '=') {
      return table.error("a host; ^ and + choose among hosts that are not listed here",
                         host.position);
    }
    // mpirun refuses these; as a name, node1:4 would be a host that no other source knows.
    const bool has_port = host.text.find(':') != std::string_view::npos && !is_ipv6(host.text);
    if (has_port || host.text.find('"') != std::string_view::npos) {
      return table.error("a host name without ':' or quotes, or an IPv6 address", host.position,
                         "write node1 slots=4, or read node1:4 as a hydra_file");
    }
    int slots = HostTableBuilder::unknown;
    int most = HostTableBuilder::unknown;
    for (Word word = reader.next(); !word.text.empty(); word = reader.next()) {
      const bool is_slots = has_entry(slot_keys, word.text);
      const bool is_most = has_entry(max_keys, word.text);
      const bool is_number = is_slots || is_most || word.text == "port";
      if (!is_number && !has_entry(text_keys, word.text)) {
        return table.error("a key such as slots after the host", word.position);
      }
      if (is_slots && slots != HostTableBuilder::unknown) {
        return table.error("the slots of a host once in a line", word.position);
      }
      const Word equals = reader.next();
      if (equals.text != "=") return table.error("'=' after the key", equals.position);
      const Word value = reader.next();
      const auto number = slot_count(value.text);
      if (value.text.empty() || (is_number && !number)) {
        return table.error("a number below 2^31 after '='", value.position);
      }
      if (is_slots) slots = *number;
      if (!is_most) continue;
      // mpirun refuses the line, which is of one slot if nothing before says so.
      if (*number < (slots == HostTableBuilder::unknown ? 1 : slots)) {
        return table.error(
            "at least as many as the slots of the line, which are 1 if none stand before",
            value.position);
      }
      most = *number;
    }
    (void)table.add(host.text, slots, host.position, most);
  }
  return table.finish();
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_HOSTS_DETAIL_READ_HOST_LINES_HPP
