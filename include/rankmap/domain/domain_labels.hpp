// SPDX-License-Identifier: MIT
// Domains by the labels of Kubernetes nodes and the metadata of clouds. Which keys name a level,
// and in which order, is a table; the labels themselves come from the caller, since a pod cannot
// see those of its node.
#ifndef RANKMAP_DOMAIN_DOMAIN_LABELS_HPP
#define RANKMAP_DOMAIN_DOMAIN_LABELS_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/domain/domain_path.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>

#include <optional>
#include <string_view>

namespace rankmap::inline v0 {

/// The keys of the levels, outermost first; keys that are empty name no level. The texts are
/// viewed: literals, and texts that someone keeps.
struct DomainKeys {
  // g++ 12 takes no constant array with fewer texts than elements
  constexpr explicit DomainKeys(std::string_view outermost, std::string_view second = {},
                                std::string_view third = {}, std::string_view fourth = {})
      : keys{outermost, second, third, fourth} {}
  template <class... Text>
  requires detail::OwningTemporary<Text...>
  explicit DomainKeys(Text&&...) = delete;  // its text would be gone

  std::string_view keys[4];
};

/// Google Cloud: on A4X machines a subblock is an NVLink domain of 72 GPUs.
inline constexpr DomainKeys google_domain_keys("cloud.google.com/gce-topology-block",
                                               "cloud.google.com/gce-topology-subblock",
                                               "cloud.google.com/gce-topology-host");
/// Amazon: layer 1 is the top, and the last layer that a node has is the nearest.
inline constexpr DomainKeys amazon_domain_keys("topology.k8s.aws/network-node-layer-1",
                                               "topology.k8s.aws/network-node-layer-2",
                                               "topology.k8s.aws/network-node-layer-3",
                                               "topology.k8s.aws/network-node-layer-4");
/// Topograph: the switches from the top down, then the NVLink domain. Where a cluster has no core
/// switches, pass the keys without the first.
inline constexpr DomainKeys topograph_domain_keys("network.topology.nvidia.com/core",
                                                  "network.topology.nvidia.com/spine",
                                                  "network.topology.nvidia.com/leaf",
                                                  "network.topology.nvidia.com/accelerator");
/// Any Kubernetes: where the building is.
inline constexpr DomainKeys zone_domain_keys("topology.kubernetes.io/region",
                                             "topology.kubernetes.io/zone");

/// Reads the labels of one node. `labels`: gives the text of a key, or nothing: an Environment such
/// as a FixedEnvironment of keys and texts.
///
/// The path ends in front of the first key that is not set; if none is set, nothing is known.
/// Errors: missing for a key that is not set in front of one that is, since the labels below it
/// would be read as those of another level; those of DomainPath::with. O(bytes).
template <Environment Labels>
constexpr Result<DomainPath> read_domain_labels(const DomainKeys& keys, const Labels& labels) {
  Result<DomainPath> path = DomainPath();
  std::string_view unset;
  for (const std::string_view key : keys.keys) {
    if (key.empty()) continue;
    const std::optional<std::string_view> text = labels(key);
    if (!text) {
      if (unset.empty()) unset = key;
      continue;
    }
    if (!unset.empty()) {
      return detail::error_missing(
          Errc::missing, unset, detail::concat("the level above ", key).view(),
          "label the node; in the program, leave the key out if no node has it");
    }
    path = path->with(*text, key);
    if (!path) break;
  }
  return path;
}

/// Reads `/block/subblock/host`, the attribute physical_host of Google's metadata server. An empty
/// text gives the empty path.
///
/// Errors: bad_domain for a text that is not three labels with `/` in front of each, and those of
/// DomainPath::with. O(bytes).
constexpr Result<DomainPath> parse_physical_host(std::string_view text,
                                                 std::string_view subject = "physical_host") {
  Result<DomainPath> path = DomainPath();
  if (text.empty()) return path;
  detail::ListEntries labels(text, '/');
  bool good = labels.next() && labels.text().empty();
  while (good && labels.next()) {
    good = !labels.text().empty() && path->depth() != 3;
    if (!good) break;
    path = path->with(labels.text(), subject);
    if (!path) return path;
  }
  if (good && path->depth() == 3) return path;
  return detail::error_at(Errc::bad_domain, subject, text, "/block/subblock/host",
                          "pass the text as the metadata server returns it", labels.begin());
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DOMAIN_DOMAIN_LABELS_HPP
