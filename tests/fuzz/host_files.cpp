// SPDX-License-Identifier: MIT
//
// Host files and lists in the words of their launchers. The first byte of an input picks the
// format; the rest is the text. Against readers that cut the text into lines and words first.
#include "fuzz.hpp"

#include <rankmap/detail/host_port.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/hosts/host_sources.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::HostFormat;
using rankmap::HostTable;
using rankmap::Result;
using rankmap_fuzz::require;

struct Entry {
  std::string name;
  std::int64_t slots = -1;
  std::int64_t most = -1;  // the slots of a host that is named first and has none
};
using Entries = std::vector<Entry>;
using Words = std::vector<std::string>;

/// Lines as words: comments cut, `marks` as words of their own.
std::vector<Words> words_of(std::string_view text, std::string_view comment,
                            std::string_view marks = {}) {
  std::vector<Words> out;
  for (std::string_view line : rankmap_fuzz::split(text, '\n')) {
    if (!comment.empty()) line = line.substr(0, line.find(comment));
    Words words;
    bool open = false;
    for (const char c : line) {
      if (c == ' ' || c == '\t' || c == '\r') {
        open = false;
      } else if (marks.find(c) != std::string_view::npos) {
        words.emplace_back(1, c);
        open = false;
      } else {
        if (!open) words.emplace_back();
        words.back() += c;
        open = true;
      }
    }
    if (!words.empty()) out.push_back(words);
  }
  return out;
}

std::optional<std::int64_t> slots_of(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : text) {
    value = value * 10 + (c - '0');
    if (value > 2147483647) return std::nullopt;
  }
  return value;
}

/// `host`, `host:4`, `[::1]:4`.
std::optional<Entry> host_and_count(const std::string& word) {
  std::string host = word;
  std::string rest;
  if (word[0] == '[') {
    const std::size_t close = word.find(']');
    if (close == std::string::npos) return std::nullopt;
    host = word.substr(1, close - 1);
    rest = word.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') return std::nullopt;
  } else if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
    host = word.substr(0, colon);
    rest = word.substr(colon);
  }
  if (word[0] != '[' && !host.empty() && host.back() == ']') return std::nullopt;
  if (rest.empty()) return Entry{host, 1};
  const auto slots = slots_of(std::string_view(rest).substr(1));
  if (!slots) return std::nullopt;
  return Entry{host, *slots};
}

std::optional<Entries> names(std::string_view text, char separator) {
  Entries out;
  for (std::string_view name : rankmap_fuzz::split(text, separator)) {
    const std::size_t begin = name.find_first_not_of(" \t\r");
    if (begin == name.npos) continue;
    const std::size_t last = name.find_last_not_of(" \t\r");
    out.push_back({std::string(name.substr(begin, last + 1 - begin))});
  }
  return out;
}
std::optional<Entries> one_a_line(std::string_view text, bool many) {
  Entries out;
  for (const Words& line : words_of(text, "#")) {
    if (!many && line.size() != 1) return std::nullopt;
    for (const std::string& word : line) out.push_back({word, 1});
  }
  return out;
}
std::optional<Entries> pairs(std::string_view text, bool lines) {
  Entries out;
  for (const Words& line : words_of(text, {})) {
    for (std::size_t i = 0; i < line.size(); i += 2) {
      const auto slots = slots_of(i + 1 < line.size() ? line[i + 1] : "");
      if (!slots) return std::nullopt;
      out.push_back({line[i], *slots});
      if (lines) break;
    }
  }
  return out;
}
std::optional<Entries> argument(std::string_view text) {
  Entries out;
  bool want_host = true;
  for (const Words& line : words_of(text, {}, ",")) {
    for (const std::string& word : line) {
      if ((word == ",") == want_host) return std::nullopt;
      want_host = !want_host;
      if (word == ",") continue;
      const auto entry = host_and_count(word);
      if (!entry) return std::nullopt;
      out.push_back(*entry);
    }
  }
  if (want_host) return std::nullopt;
  return out;
}
std::optional<Entries> hydra(std::string_view text) {
  Entries out;
  for (const Words& line : words_of(text, "#")) {
    const auto entry = host_and_count(line[0]);
    if (!entry) return std::nullopt;
    out.push_back(*entry);
    for (std::size_t i = 1; i != line.size(); ++i) {
      if (line[i].find('=') == std::string::npos) return std::nullopt;
    }
  }
  return out;
}
std::optional<Entries> slots_equal(std::string_view text, std::string_view comment) {
  Entries out;
  for (const Words& line : words_of(text, comment)) {
    if (line.size() != 2 || line[1].substr(0, 6) != "slots=") return std::nullopt;
    const auto slots = slots_of(std::string_view(line[1]).substr(6));
    if (!slots) return std::nullopt;
    out.push_back({line[0], *slots});
  }
  return out;
}
std::optional<Entries> open_mpi(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      const std::size_t stop = end == std::string_view::npos ? text.size() : end + 2;
      for (; at != stop; ++at) plain += text[at] == '\n' ? '\n' : ' ';
    } else if (text[at] == '#' || text.substr(at, 2) == "//") {
      at = (std::min)(text.find('\n', at), text.size());
      plain += ' ';
    } else {
      plain += text[at++];
    }
  }
  struct Key {
    std::string_view name;
    bool slots;   // it counts slots
    bool number;  // its value is a number
    bool most = false;
  };
  constexpr Key keys[] = {{"slots", true, true},
                          {"cpu", true, true},
                          {"cpus", true, true},
                          {"count", true, true},
                          {"slots_max", false, true, true},
                          {"slots-max", false, true, true},
                          {"max_slots", false, true, true},
                          {"max-slots", false, true, true},
                          {"cpu_max", false, true, true},
                          {"cpu-max", false, true, true},
                          {"cpus_max", false, true, true},
                          {"count_max", false, true, true},
                          {"count-max", false, true, true},
                          {"username", false, false},
                          {"user_name", false, false},
                          {"user-name", false, false},
                          {"port", false, true}};
  Entries out;
  for (const Words& line : words_of(plain, {}, "=")) {
    std::string host = line[0];
    if (const std::size_t user = host.find('@'); user != std::string::npos) {
      host = host.substr(user + 1);
    }
    if (host.empty() || host[0] == '^' || host[0] == '+' || host[0] == '=') return std::nullopt;
    if (host.find('"') != std::string::npos) return std::nullopt;
    if (host.find(':') != std::string::npos && !rankmap::detail::is_ipv6(host)) return std::nullopt;
    Entry entry{host};
    if ((line.size() - 1) % 3 != 0) return std::nullopt;
    for (std::size_t i = 1; i != line.size(); i += 3) {
      const auto* const key = std::find_if(std::begin(keys), std::end(keys),
                                           [&](const Key& k) { return k.name == line[i]; });
      if (key == std::end(keys) || line[i + 1] != "=") return std::nullopt;
      const auto number = slots_of(line[i + 2]);
      if (key->number && !number) return std::nullopt;
      if (key->slots && entry.slots >= 0) return std::nullopt;
      if (key->slots) entry.slots = *number;
      if (key->most && *number > 0) entry.most = *number;
    }
    out.push_back(entry);
  }
  return out;
}

enum class Again { keep, join_next, join, add_one, refuse };

/// Puts entries of one host together; nothing where that is refused.
std::optional<Entries> folded(const Entries& entries, Again again) {
  Entries out;
  for (const Entry& entry : entries) {
    if (entry.name.empty() || entry.name.size() > 255) return std::nullopt;
    for (const char c : entry.name) {
      if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',' || c == '[') {
        return std::nullopt;
      }
    }
    auto found = out.end();
    if (again == Again::join_next && !out.empty() && out.back().name == entry.name) {
      found = out.end() - 1;
    }
    if (again == Again::join || again == Again::add_one || again == Again::refuse) {
      found = std::find_if(out.begin(), out.end(),
                           [&](const Entry& other) { return other.name == entry.name; });
    }
    if (found == out.end()) {
      out.push_back(entry);
      if (entry.slots < 0) out.back().slots = entry.most;
      continue;
    }
    if (again == Again::refuse) return std::nullopt;
    if (again == Again::add_one) {
      if (entry.slots >= 0) return std::nullopt;
      found->slots = found->slots < 0 ? 2 : found->slots + 1;
      continue;
    }
    found->slots = found->slots < 0 || entry.slots < 0 ? -1 : found->slots + entry.slots;
  }
  for (const Entry& entry : out) {
    if (entry.slots > 2147483647) return std::nullopt;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

struct Format {
  HostFormat format;
  Again again;
  std::optional<Entries> (*read)(std::string_view);
};
constexpr Format formats[] = {
    {HostFormat::comma_list, Again::keep, [](std::string_view t) { return names(t, ','); }},
    {HostFormat::line_list, Again::keep, [](std::string_view t) { return names(t, '\n'); }},
    {HostFormat::host_argument, Again::join, argument},
    {HostFormat::open_mpi_file, Again::add_one, open_mpi},
    {HostFormat::hydra_file, Again::join_next, hydra},
    {HostFormat::deepspeed_file, Again::refuse,
     [](std::string_view t) { return slots_equal(t, "#"); }},
    {HostFormat::horovod_file, Again::refuse,
     [](std::string_view t) { return slots_equal(t, {}); }},
    {HostFormat::pbs_node_file, Again::join,
     [](std::string_view t) { return one_a_line(t, false); }},
    {HostFormat::sge_host_file, Again::join, [](std::string_view t) { return pairs(t, true); }},
    {HostFormat::lsf_host_slots, Again::join, [](std::string_view t) { return pairs(t, false); }},
    {HostFormat::lsf_hosts, Again::join, [](std::string_view t) { return one_a_line(t, true); }},
    {HostFormat::lsf_rank_file, Again::join,
     [](std::string_view t) { return one_a_line(t, false); }},
};

void require_same(const HostTable& table, const Entries& entries) {
  require(table.size() == entries.size(), "a table has all hosts");
  std::optional<std::int64_t> sum = 0;
  bool any = false;
  for (std::size_t i = 0; i != entries.size(); ++i) {
    require(table.hosts()[i].view() == entries[i].name, "hosts keep their order", entries[i].name);
    const auto slots = table.slots(i);
    require(slots.value_or(-1) == entries[i].slots, "hosts have their slots", entries[i].name);
    any = any || slots;
    if (!slots) sum = std::nullopt;
    if (sum) *sum += *slots;
  }
  require(table.total_slots() == (any ? sum : std::nullopt), "slots add up");
}

void require_ranks(const HostTable& table, const Entries& lines) {
  const auto nodes = table.node_of_rank();
  require(nodes.size() == lines.size(), "each line is a rank");
  for (std::size_t rank = 0; rank != lines.size(); ++rank) {
    require(table.hosts()[static_cast<std::size_t>(nodes[rank])].view() == lines[rank].name,
            "ranks are on the hosts of their lines");
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.empty() || input.size() > 8192) return;
  const Format& row = formats[static_cast<unsigned char>(input[0]) % std::size(formats)];
  const std::string_view text = input.substr(1);
  const HeapBytes heap;
  const Result<HostTable> table = rankmap::parse_hosts(row.format, text, {}, "HOSTS");
  require(heap.asked() <= 512 * text.size() + 4096, "memory is bounded by the text");
  const auto entries = row.read(text);
  const auto hosts = entries ? folded(*entries, row.again) : std::nullopt;
  require(table.has_value() == hosts.has_value(), "hosts are accepted by their grammar",
          table ? std::string_view("accepted") : message(table.error()).view());
  if (!table) {
    require_good_error(table.error(), text.size());
  } else {
    require_same(*table, *hosts);
    if (row.format == HostFormat::lsf_rank_file) require_ranks(*table, *entries);
  }
  // LSF's file of slots is as PBS's, and its launch node is no host.
  if (row.format == HostFormat::pbs_node_file) {
    const auto slots = rankmap::parse_hosts(HostFormat::lsf_host_file, text, {}, "HOSTS");
    require(table ? slots && slots->hosts() == table->hosts() : !slots, "one grammar, one table");
  }
  const auto below = rankmap::parse_hosts(row.format, text, {{}, true}, "HOSTS");
  if (!below) {
    require_good_error(below.error(), text.size());
  } else if (!table || below->size() != table->size()) {
    require(table && below->size() + 1 == table->size() && below->hosts()[0] == table->hosts()[1],
            "the launch node alone is left out");
  }

  // The same through a variable that holds the text, and one that names a file with it.
  for (const rankmap::HostSource& source : rankmap::host_sources) {
    if (source.format != row.format) continue;
    const rankmap::Variable variables[] = {
        {source.variable, source.names_file ? text.substr(0, 40) : text}, {source.own_index, "0"}};
    const rankmap::FixedEnvironment environment(variables);
    const auto file = [&](std::string_view) { return std::optional<std::string_view>(text); };
    const auto again = rankmap::read_hosts(source, environment, file);
    if (!again) {
      require_good_error(again.error(), input.size());
    } else {
      require(table && again->hosts() == table->hosts(), "a variable holds what its text says");
      if (!source.own_index.empty()) require(again->own_index().has_value(), "0 is a place");
    }
    const auto no_file = [](std::string_view) { return std::optional<std::string_view>(); };
    const auto none = rankmap::read_hosts(source, environment, no_file);
    if (!none) require_good_error(none.error(), input.size());
  }
}
