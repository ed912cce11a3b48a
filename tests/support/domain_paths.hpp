// SPDX-License-Identifier: MIT
//
// Paths of single-letter labels: "ab" is label a, then label b; "-" or nothing is unknown.
#ifndef RANKMAP_TESTS_SUPPORT_DOMAIN_PATHS_HPP
#define RANKMAP_TESTS_SUPPORT_DOMAIN_PATHS_HPP

#include <rankmap/domain/domain_path.hpp>
#include <rankmap/domain/domains.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankmap_test {

inline rankmap::DomainPath path_of(std::string_view letters) {
  rankmap::DomainPath path;
  if (letters == "-") return path;
  for (std::size_t i = 0; i != letters.size(); ++i) {
    path = path.with(letters.substr(i, 1)).value();
  }
  return path;
}

/// "ax ay - bx": the paths of four nodes.
inline std::vector<rankmap::DomainPath> paths_of(std::string_view nodes) {
  std::vector<rankmap::DomainPath> out;
  for (std::size_t at = 0; at < nodes.size();) {
    const std::size_t end = std::min(nodes.find(' ', at), nodes.size());
    out.push_back(path_of(nodes.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

inline rankmap::Domains domains_of(std::string_view nodes) {
  return rankmap::Domains::from_paths(paths_of(nodes)).value();
}

/// Calls `visit` with the paths of all small worlds: `nodes` nodes, each with one of `choices`.
template <class Visit>
void for_each_world(std::size_t nodes, const std::vector<std::string_view>& choices,
                    Visit&& visit) {
  std::vector<std::size_t> digit(nodes);
  for (;;) {
    std::vector<rankmap::DomainPath> paths;
    for (const std::size_t d : digit) paths.push_back(path_of(choices[d]));
    visit(paths);
    std::size_t i = 0;
    while (i != nodes && ++digit[i] == choices.size()) digit[i++] = 0;
    if (i == nodes) return;
  }
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_DOMAIN_PATHS_HPP
