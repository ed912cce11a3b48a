// SPDX-License-Identifier: MIT
//
// Texts that say in which domains a node is. The first byte of an input picks the kind; the rest is
// the text, of an address after its pattern and a newline. Against readers that cut the text into
// pieces first.
#include "fuzz.hpp"

#include <rankmap/domain/clique.hpp>
#include <rankmap/domain/domain_labels.hpp>
#include <rankmap/domain/slurm_address.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Result;
using rankmap_fuzz::require;
using Labels = std::vector<std::string>;

bool can_be_labels(const Labels& labels) {
  std::size_t bytes = 0;
  for (const std::string& label : labels) {
    bytes += label.size();
    if (label.empty()) return false;
    for (const char c : label) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
  }
  return labels.size() <= 8 && bytes <= 216;
}

/// The path has these labels; without labels there is an error.
void require_labels(const Result<DomainPath>& path, const std::optional<Labels>& labels,
                    std::string_view text) {
  const bool good = labels && can_be_labels(*labels);
  require(path.has_value() == good, "a text is accepted by its grammar", text);
  if (!path) {
    rankmap_fuzz::require_good_error(path.error(), text.size());
    return;
  }
  require(path->depth() == static_cast<int>(labels->size()), "a path has all its labels", text);
  for (int level = 0; level != path->depth(); ++level) {
    require(path->label(level) == labels->at(static_cast<std::size_t>(level)),
            "labels are in their order", text);
    require(same_domain(*path, *path, level), "a node is in its own domain", text);
  }
  require(!same_domain(*path, *path, path->depth()), "nobody is in an unknown domain", text);
}

std::string joined(const std::vector<std::string_view>& parts, std::size_t first, char mark) {
  std::string out;
  for (std::size_t i = first; i < parts.size(); ++i) {
    if (i != first) out += mark;
    out += parts[i];
  }
  return out;
}

/// The labels of an address, and the name of its node.
struct Address {
  Labels labels;
  std::string node;
};
std::optional<Address> address_of(std::string_view text, std::string_view pattern) {
  auto words = rankmap_fuzz::split(pattern, '.');
  const auto parts = rankmap_fuzz::split(text, '.');
  if (words.empty() || words.back() != "node") return std::nullopt;
  words.pop_back();
  if (words.size() > 8 || parts.size() < words.size() + 1) return std::nullopt;
  Address out;
  for (std::size_t i = 0; i != words.size(); ++i) {
    std::size_t coordinates = 0;
    if (words[i] == "ring:position") coordinates = 1;
    if (words[i] == "torus:x:y:z") coordinates = 3;
    if (coordinates == 0 && words[i] != "switch" && words[i] != "block") return std::nullopt;
    std::string label(parts[i]);
    if (label.empty()) coordinates = 0;
    for (; coordinates != 0; --coordinates) {
      const std::size_t colon = label.rfind(':');
      if (colon == std::string::npos || colon == 0 || colon + 1 == label.size() ||
          label.find_first_not_of("0123456789", colon + 1) != std::string::npos) {
        return std::nullopt;
      }
      label.resize(colon);
    }
    out.labels.push_back(label);
  }
  for (std::size_t i = out.labels.size(); i-- > 1;) {
    if (out.labels[i - 1].empty()) out.labels[i - 1] = out.labels[i];
  }
  while (!out.labels.empty() && out.labels.back().empty()) out.labels.pop_back();
  out.node = joined(parts, words.size(), '.');
  if (!rankmap::is_host_name(out.node)) return std::nullopt;
  return out;
}

void run_address(std::string_view text) {
  const std::size_t line = text.find('\n');
  const std::string_view pattern = text.substr(0, line);
  const std::string_view address = line == std::string_view::npos ? "" : text.substr(line + 1);
  const auto found = rankmap::parse_slurm_address(address, pattern);
  const auto expected = address_of(address, pattern);
  const Result<DomainPath> path =
      found ? Result<DomainPath>(found->path) : Result<DomainPath>(found.error());
  require_labels(path, expected ? std::optional(expected->labels) : std::nullopt, text);
  if (found) require(found->node == expected->node, "the rest of an address is the node", text);
  const rankmap::Variable variables[] = {{"SLURM_TOPOLOGY_ADDR", address},
                                         {"SLURM_TOPOLOGY_ADDR_PATTERN", pattern}};
  const auto read = rankmap::read_slurm_address(rankmap::FixedEnvironment(variables), "n1");
  require(!read || found, "the variables say what their texts say", text);
  if (!read) rankmap_fuzz::require_good_error(read.error(), text.size());
}

/// Nothing: an error. No label: unknown.
std::optional<Labels> clique_of(std::string uuid, const std::string& id) {
  if (uuid.size() != 36 || id.empty()) return std::nullopt;
  bool zero = true;
  for (std::size_t i = 0; i != uuid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (uuid[i] == '-')) return std::nullopt;
    if (!dash &&
        std::string_view("0123456789abcdefABCDEF").find(uuid[i]) == std::string_view::npos) {
      return std::nullopt;
    }
    if (uuid[i] >= 'A' && uuid[i] <= 'F') uuid[i] = static_cast<char>(uuid[i] - 'A' + 'a');
    zero = zero && (dash || uuid[i] == '0');
  }
  std::uint64_t number = 0;
  for (const char c : id) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
    if (number > 0xffffffffU) return std::nullopt;
  }
  if (zero) return Labels();
  return Labels{uuid + "." + std::to_string(number)};
}
std::optional<Labels> clique_of(std::string_view text) {
  if (text.empty() || text == "N/A") return Labels();
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return clique_of(std::string(text.substr(0, dot)), std::string(text.substr(dot + 1)));
}

std::optional<Labels> fabric_of(std::string_view text) {
  std::optional<Labels> first;
  std::optional<std::array<std::string, 4>> block;  // State, Status, ClusterUUID, CliqueId
  auto lines = rankmap_fuzz::split(text, '\n');
  lines.push_back("");  // ends the last block
  for (const std::string_view line : lines) {
    const std::size_t colon = line.find(':');
    if (block && colon != std::string_view::npos) {
      constexpr std::string_view keys[] = {"State", "Status", "ClusterUUID", "CliqueId"};
      for (std::size_t i = 0; i != 4; ++i) {
        if (rankmap::detail::trimmed(line.substr(0, colon)) == keys[i]) {
          (*block)[i] = rankmap::detail::trimmed(line.substr(colon + 1));
        }
      }
      continue;
    }
    if (block) {
      for (const std::string& value : *block) {
        if (value.empty()) return std::nullopt;
      }
      std::optional<Labels> labels = Labels();
      const auto& [state, status, uuid, id] = *block;
      if (state == "Completed" && status == "Success" && uuid != "N/A")
        labels = clique_of(uuid, id);
      if (!labels) return std::nullopt;
      if (first && *first != *labels) return std::nullopt;
      first = labels;
      block.reset();
    }
    if (rankmap::detail::trimmed(line) == "Fabric") block.emplace();
  }
  return first ? first : Labels();
}

std::optional<Labels> physical_host_of(std::string_view text) {
  if (text.empty()) return Labels();
  const auto parts = rankmap_fuzz::split(text, '/');
  if (parts.size() != 4 || !parts[0].empty()) return std::nullopt;
  return Labels{std::string(parts[1]), std::string(parts[2]), std::string(parts[3])};
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.empty() || input.size() > 4096) return;
  const std::string_view text = input.substr(1);
  {
    const HeapBytes heap;
    (void)rankmap::parse_slurm_address(text, "switch.switch.node");
    (void)rankmap::parse_clique(text);
    (void)rankmap::parse_fabric(text);
    (void)rankmap::parse_physical_host(text);
    require(heap.asked() == 0, "paths take no memory");
  }
  switch (static_cast<unsigned char>(input[0]) % 4) {
    case 0:
      run_address(text);
      break;
    case 1:
      require_labels(rankmap::parse_clique(text), clique_of(text), text);
      break;
    case 2:
      require_labels(rankmap::parse_fabric(text), fabric_of(text), text);
      break;
    default:
      require_labels(rankmap::parse_physical_host(text), physical_host_of(text), text);
  }
}
