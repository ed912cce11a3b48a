// SPDX-License-Identifier: MIT
#include <rankmap/domain/domain_labels.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using rankmap::DomainKeys;
using rankmap::DomainPath;
using rankmap::Errc;
using rankmap::FixedEnvironment;
using rankmap::parse_physical_host;
using rankmap::read_domain_labels;

constexpr FixedEnvironment google({{"cloud.google.com/gce-topology-host", "h3"},
                                   {"cloud.google.com/gce-topology-block", "b1"},
                                   {"kubernetes.io/hostname", "n1"},
                                   {"cloud.google.com/gce-topology-subblock", "s2"}});
static_assert(read_domain_labels(rankmap::google_domain_keys, google)->depth() == 3);

static_assert(std::is_constructible_v<DomainKeys, const std::string&, const char*>);
static_assert(!std::is_constructible_v<DomainKeys, std::string>);  // it would dangle
static_assert(!std::is_constructible_v<DomainKeys, const char*, std::string>);

TEST(DomainLabels, are_read_outermost_first) {
  EXPECT_EQ(to_string(read_domain_labels(rankmap::google_domain_keys, google).value()), "b1/s2/h3");
  constexpr FixedEnvironment amazon({{"topology.k8s.aws/network-node-layer-3", "nn-3"},
                                     {"topology.k8s.aws/network-node-layer-2", "nn-2"},
                                     {"topology.k8s.aws/network-node-layer-1", "nn-1"}});
  EXPECT_EQ(to_string(read_domain_labels(rankmap::amazon_domain_keys, amazon).value()),
            "nn-1/nn-2/nn-3");
  EXPECT_EQ(to_string(read_domain_labels(rankmap::topograph_domain_keys, amazon).value()), "?");
  constexpr FixedEnvironment zone(
      {{"topology.kubernetes.io/zone", "a"}, {"topology.kubernetes.io/region", "eu"}});
  EXPECT_EQ(to_string(read_domain_labels(rankmap::zone_domain_keys, zone).value()), "eu/a");
}

// Each set of the four keys: known down to the first gap, and a gap above a label is an error.
TEST(DomainLabels, with_a_gap_above_them_are_refused) {
  const DomainKeys& keys = rankmap::topograph_domain_keys;
  for (unsigned set = 0; set != 16; ++set) {
    const auto labels = [&](std::string_view name) -> std::optional<std::string_view> {
      for (unsigned i = 0; i != 4; ++i) {
        if (keys.keys[i] == name && (set >> i & 1U) != 0) return "abcd";
      }
      return std::nullopt;
    };
    const auto path = read_domain_labels(keys, labels);
    const bool whole = (set & (set + 1)) == 0;
    ASSERT_EQ(path.has_value(), whole) << set;
    if (whole) {
      int depth = 0;
      while ((set >> depth & 1U) != 0) ++depth;
      EXPECT_EQ(path->depth(), depth);
    } else {
      EXPECT_EQ(path.error().code, Errc::missing);
    }
  }
  constexpr FixedEnvironment no_core(
      {{"network.topology.nvidia.com/spine", "s1"}, {"network.topology.nvidia.com/leaf", "l1"}});
  EXPECT_EQ(message(read_domain_labels(keys, no_core).error()).view(),
            "network.topology.nvidia.com/core is not set: expected the level above "
            "network.topology.nvidia.com/spine; label the node; in the program, leave the key out "
            "if no node has it");
  constexpr DomainKeys own("network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf");
  EXPECT_EQ(to_string(read_domain_labels(own, no_core).value()), "s1/l1");
  constexpr FixedEnvironment empty({{"network.topology.nvidia.com/core", ""}});
  EXPECT_EQ(read_domain_labels(keys, empty).error().code, Errc::bad_domain);
}

TEST(PhysicalHost, is_three_labels) {
  static_assert(parse_physical_host("/b/s/h")->depth() == 3);
  EXPECT_EQ(to_string(parse_physical_host("/b1/s1/m1").value()), "b1/s1/m1");
  EXPECT_EQ(to_string(parse_physical_host("").value()), "?");
  for (const std::string_view text :
       {"/", "//", "///", "b1/s1/m1", "/b1/s1", "/b1/s1/", "/b1//m1", "//s1/m1", "/b1/s1/m1/",
        "/b1/s1/m1/x", "b1", "/b1/s1/m1\n"}) {
    const auto path = parse_physical_host(text);
    ASSERT_FALSE(path) << text;
    EXPECT_EQ(path.error().code, Errc::bad_domain);
  }
  EXPECT_EQ(parse_physical_host("/b1/s1/m1/x/y").error().position, 10);
  EXPECT_EQ(parse_physical_host("/b/s/" + std::string(300, 'h')).error().code,
            Errc::limit_exceeded);
  EXPECT_EQ(
      message(parse_physical_host("/b1//m1").error()).view(),
      "physical_host=\"/b1//m1\" at byte 4: expected /block/subblock/host; pass the text as the "
      "metadata server returns it");
  EXPECT_EQ(
      message(parse_physical_host("/b1/s1").error()).view(),
      "physical_host=\"/b1/s1\" at byte 4: expected /block/subblock/host; pass the text as the "
      "metadata server returns it");
}

}  // namespace
