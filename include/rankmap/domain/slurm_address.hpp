// SPDX-License-Identifier: MIT
// The switches or the block above this node, from the variables that Slurm sets for every task.
#ifndef RANKMAP_DOMAIN_SLURM_ADDRESS_HPP
#define RANKMAP_DOMAIN_SLURM_ADDRESS_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/hosts/host_name.hpp>
#include <rankmap/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// What SLURM_TOPOLOGY_ADDR says of one node.
struct SlurmAddress {
  DomainPath path;  ///< empty where Slurm was given no topology
  HostName node;    ///< as Slurm calls it; empty where the variables are not set
};

namespace detail {

inline constexpr std::string_view slurm_address_variable = "SLURM_TOPOLOGY_ADDR";
inline constexpr std::string_view slurm_pattern_variable = "SLURM_TOPOLOGY_ADDR_PATTERN";

/// What a pattern names above the node, with a colon in front of each coordinate.
inline constexpr std::string_view slurm_address_words = "switch,block,ring:position,torus:x:y:z";

/// `pod1:2:3:1` without the coordinates of its word: where a node is on a ring or in a torus is no
/// domain.
constexpr std::optional<std::string_view> without_coordinates(std::string_view text,
                                                              std::string_view word) {
  for (const char c : word) {
    if (c != ':') continue;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
    if (text.find_first_not_of("0123456789", colon + 1) != text.npos) return std::nullopt;
    text = text.substr(0, colon);
    if (text.empty()) return std::nullopt;
  }
  return text;
}

}  // namespace detail

/// Reads an address such as `s6.s4.s0.n7` by its pattern, `switch.switch.switch.node`.
///
/// The pattern names each component: `switch`, `block`, `ring:position`, `torus:x:y:z`, and `node`
/// at the end, which takes what is left: names of nodes may have dots. The pattern `node` alone
/// comes from a Slurm without topology, and gives the empty path.
///
/// An empty component is a level at which the node has no switch; the level has the label of the
/// one below, since nothing wider joins these nodes there. Several switches (`s[4-7]`) are one
/// label: it is shared with the nodes below the same switches.
///
/// Errors: bad_domain for a pattern with another word, and for an address that does not follow its
/// pattern; limit_exceeded for a path that is too long. O(bytes), no allocation. Source: Slurm's
/// src/plugins/topology, topology_p_get_node_addr.
constexpr Result<SlurmAddress> parse_slurm_address(std::string_view address,
                                                   std::string_view pattern) {
  constexpr std::string_view remedy = "unset both, or set both as Slurm does";
  std::string_view labels[DomainPath::max_levels] = {};
  std::size_t count = 0;
  std::size_t at = 0;
  detail::ListEntries words(pattern, '.');
  (void)words.next();
  for (; words.begin() + words.text().size() != pattern.size(); ++count, (void)words.next()) {
    if (!detail::has_entry(detail::slurm_address_words, words.text())) break;
    if (count == DomainPath::max_levels) {
      return detail::error_at(Errc::limit_exceeded, detail::slurm_pattern_variable, pattern,
                              "at most 8 levels above the node", "unset it");
    }
    const std::size_t dot = address.find('.', at);
    const std::string_view text = address.substr(at, dot - at);
    const auto label = text.empty() ? text : detail::without_coordinates(text, words.text());
    if (dot == std::string_view::npos || !label) {
      return detail::error_at(
          Errc::bad_domain, detail::slurm_address_variable, address,
          detail::concat(words.text(), ", with '.' between it and the next component").view(),
          remedy, at);
    }
    labels[count] = *label;
    at = dot + 1;
  }
  if (words.text() != "node" || words.begin() + words.text().size() != pattern.size()) {
    return detail::error_at(Errc::bad_domain, detail::slurm_pattern_variable, pattern,
                            "switch, block, ring:position or torus:x:y:z, then node, with '.' "
                            "between them",
                            remedy, words.begin());
  }
  if (!is_host_name(address.substr(at))) {
    return detail::error_at(Errc::bad_domain, detail::slurm_address_variable, address,
                            detail::host_expectation, remedy, at);
  }
  SlurmAddress out;
  out.node = HostName(address.substr(at));
  for (std::size_t i = count; i-- > 1;) {
    if (labels[i - 1].empty()) labels[i - 1] = labels[i];
  }
  for (std::size_t i = 0; i != count && !labels[i].empty(); ++i) {
    const Result<DomainPath> longer = out.path.with(labels[i], detail::slurm_address_variable);
    if (!longer) return longer.error();
    out.path = *longer;
  }
  return out;
}

/// The same from the variables of a process. Where neither is set the path is empty.
///
/// `this_host`: the name of this host, so that an address which was inherited from another node is
/// found: `mpirun` and `ssh` may pass on that of the batch script. Names are compared up to their
/// first dots. Pass nothing where Slurm's names of nodes are not those of the hosts.
///
/// Errors: as above; missing where one of the two variables is not set; inconsistent for the
/// address of another node.
template <Environment Env>
constexpr Result<SlurmAddress> read_slurm_address(const Env& environment,
                                                  std::string_view this_host = {}) {
  const std::optional<std::string_view> address = environment(detail::slurm_address_variable);
  const std::optional<std::string_view> pattern = environment(detail::slurm_pattern_variable);
  if (!address && !pattern) return SlurmAddress();
  if (!address || !pattern) {
    return detail::error_missing(
        Errc::missing, address ? detail::slurm_pattern_variable : detail::slurm_address_variable,
        address ? "what the components of SLURM_TOPOLOGY_ADDR are" : "the address of this node",
        "unset both, or set both as Slurm does");
  }
  const Result<SlurmAddress> out = parse_slurm_address(*address, *pattern);
  if (!out || this_host.empty()) return out;
  const std::string_view node = out->node.view();
  if (node.substr(0, node.find('.')) != this_host.substr(0, this_host.find('.'))) {
    StaticString<159> expected("the address of this host, ");
    detail::append_escaped(expected, this_host);
    return detail::error_at(Errc::inconsistent, detail::slurm_address_variable, *address, expected,
                            "start the processes with srun, or unset it; in the program, pass no "
                            "host if Slurm names nodes in its own way");
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_SLURM_ADDRESS_HPP
