// SPDX-License-Identifier: MIT
//
// Slurm's list of switches and blocks. What is accepted is compared with a reader that expands all
// lists and climbs from each switch to those above it.
#include "fuzz.hpp"

#include <rankmap/domain/slurm_switches.hpp>
#include <rankmap/hosts/host_list.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::HostList;
using rankmap_fuzz::require;

struct Switch {
  std::string name;
  std::string nodes;
  std::string below;
};

bool is_key(std::string_view word, std::string_view key) {
  return word.size() > key.size() && word[key.size()] == '=' &&
         rankmap::detail::equal_ignoring_case(word.substr(0, key.size()), key);
}

/// The lines with comments cut and continued lines joined, as words.
std::vector<Switch> switches_of(std::string_view text) {
  std::string plain;
  bool comment = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] == '\n') comment = false;
    if (text[i] == '#') comment = true;
    if (comment) continue;
    if (text[i] == '\\') {
      plain += ' ';
      i = (std::min)(text.find('\n', i), text.size() - 1);
    } else {
      plain += text[i];
    }
  }
  std::vector<Switch> out;
  for (const std::string_view line : rankmap_fuzz::split(plain, '\n')) {
    bool first = true;
    for (std::size_t at = 0; at < line.size();) {
      while (at < line.size() && rankmap::detail::is_blank(line[at])) ++at;
      std::size_t end = at;
      while (end < line.size() && !rankmap::detail::is_blank(line[end])) ++end;
      if (end == at) break;
      const std::string_view word = line.substr(at, end - at);
      const std::string value(word.substr((std::min)(word.find('=') + 1, word.size())));
      if (first && !is_key(word, "SwitchName") && !is_key(word, "BlockName")) break;
      if (first) {
        out.push_back({value, {}, {}});
      } else if (is_key(word, "Nodes")) {
        out.back().nodes = value;
      } else if (is_key(word, "Switches") &&
                 is_key(line.substr(line.find_first_not_of(" \t\r\v\f")), "SwitchName")) {
        out.back().below = value;
      }
      first = false;
      at = end;
    }
  }
  return out;
}

class Slow {
 public:
  explicit Slow(std::vector<Switch> switches) : switches_(std::move(switches)) {
    for (std::size_t i = 0; i != switches_.size(); ++i) {
      place_[switches_[i].name] = i;
    }
  }
  int level(std::size_t i) const {
    int out = 0;
    const HostList below = HostList::parse(switches_[i].below).value();
    for (const auto& name : below) {
      out = (std::max)(out, level(place_.at(std::string(name.view()))) + 1);
    }
    return out;
  }
  bool is_above(std::size_t i, std::string_view host) const {
    if (level(i) == 0) {
      const auto nodes = HostList::parse(switches_[i].nodes, {.max_hosts = 1U << 20U});
      return nodes.value().contains(host);
    }
    const HostList below = HostList::parse(switches_[i].below).value();
    for (const auto& name : below) {
      if (is_above(place_.at(std::string(name.view())), host)) return true;
    }
    return false;
  }
  /// Outermost first; empty where nothing is known.
  std::vector<std::string> path(std::string_view host) const {
    std::vector<std::string> out;
    int levels = 0;
    for (std::size_t i = 0; i != switches_.size(); ++i) levels = (std::max)(levels, level(i) + 1);
    for (int at = 0; at != levels; ++at) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i != switches_.size(); ++i) {
        if (level(i) == at && is_above(i, host)) names.push_back(switches_[i].name);
      }
      std::string label = names.empty() ? "" : names[0];
      if (names.size() > 1) label = HostList::from_names(names).value().str().view();
      if (label.empty() && !out.empty()) label = out.front();
      out.insert(out.begin(), label);
    }
    if (out.empty() || out.back().empty()) return {};
    return out;
  }
  const std::vector<Switch>& switches() const { return switches_; }

 private:
  std::vector<Switch> switches_;
  std::map<std::string, std::size_t> place_;
};

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() {
  return {"SwitchName=s0 Nodes=n[0-3]", "SwitchName=s4 Switches=s[0-1]",
          "BlockName=b1 Nodes=n[4-7]", "BlockSizes=4,8"};
}

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 2048) return;
  const HeapBytes heap;
  const auto found = rankmap::SlurmSwitches::parse(input);
  require(heap.asked() <= 2048 * input.size() + 4096, "memory is bounded by the text");
  if (!found) {
    require_good_error(found.error(), input.size());
    return;
  }
  const Slow slow(switches_of(input));
  if (slow.switches().size() > 12) return;  // the slow way is exponential
  std::set<std::string> hosts = {"n0", ""};
  for (const Switch& row : slow.switches()) {
    const auto nodes = HostList::parse(row.nodes, {.max_hosts = 1U << 20U});
    require(nodes.has_value(), "lists are checked when they are read", row.nodes);
    if (nodes->empty()) continue;
    hosts.insert(std::string((*nodes)[0].view()));
    hosts.insert(std::string((*nodes)[nodes->size() - 1].view()));
  }
  std::vector<rankmap::DomainPath> paths;
  std::vector<std::string> names;
  bool has_paths = true;
  for (const std::string& host : hosts) {
    const auto path = found->path_of(host);
    has_paths = has_paths && path.has_value();
    if (path && !host.empty()) paths.push_back(*path);
    if (!host.empty()) names.push_back(host);
    const auto expected = slow.path(host);
    if (!path) {
      require_good_error(path.error(), input.size());
      std::size_t bytes = 0;
      for (const std::string& label : expected) bytes += label.size();
      require(bytes > 216, "a path that can be is given", host);
      continue;
    }
    require(path->depth() == static_cast<int>(expected.size()), "a path has every level", host);
    for (int level = 0; level != path->depth(); ++level) {
      require(path->label(level) == expected[static_cast<std::size_t>(level)],
              "a label is that of the switches above", host);
    }
  }
  const auto domains = found->domains_of(HostList::from_names(names).value());
  require(domains.has_value() == has_paths, "domains are given where paths are");
  if (!has_paths) return;
  require(*domains == rankmap::Domains::from_paths(paths).value(), "domains are those of paths");
}
