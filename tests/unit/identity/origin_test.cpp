// SPDX-License-Identifier: MIT
#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

using rankmap::Launcher;
using rankmap::Origin;
using rankmap::OriginKind;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::TopologyField;

static_assert(name(OriginKind::unknown) == "unknown" && name(OriginKind::given) == "given");
static_assert(name(OriginKind::read) == "read" && name(OriginKind::derived) == "derived");

constexpr std::string_view worker =
    "TORCHELASTIC_RUN_ID=j|RANK=003|WORLD_SIZE=4|LOCAL_RANK=1|LOCAL_WORLD_SIZE=4";

TEST(Origin, of_a_read_value_is_variable_and_text) {
  const auto topology = Topology::from_environment(RecordedEnvironment(worker, '|'));
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(topology->rank(), 3);
  EXPECT_EQ(topology->origin(TopologyField::rank),
            (Origin{OriginKind::read, Launcher::torchrun, "RANK", "003"}));
}

TEST(Origin, of_a_derived_value_is_the_rule) {
  const auto topology = Topology::from_environment(RecordedEnvironment(worker, '|'));
  ASSERT_TRUE(topology);
  EXPECT_EQ(
      topology->origin(TopologyField::node_count),
      (Origin{OriginKind::derived, Launcher::none, "one node: local_world_size = world_size", {}}));
}

TEST(Origin, of_a_missing_value_is_unknown) {
  const auto topology = Topology::from_environment(RecordedEnvironment(worker, '|'));
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->origin(TopologyField::hosts), Origin{});
  EXPECT_EQ(topology->origin(TopologyField::restart_count), Origin{});
}

TEST(Origin, names_the_launcher_of_the_variable) {
  const auto topology = Topology::from_environment(RecordedEnvironment(
      "PMIX_HOSTNAME=n2|OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=1|"
      "OMPI_COMM_WORLD_LOCAL_RANK=0|OMPI_COMM_WORLD_LOCAL_SIZE=1|TORCHELASTIC_RUN_ID=j|RANK=1|"
      "WORLD_SIZE=2|LOCAL_RANK=1|LOCAL_WORLD_SIZE=2|GROUP_RANK=0|GROUP_WORLD_SIZE=1",
      '|'));
  ASSERT_TRUE(topology) << message(topology.error()).view();
  EXPECT_EQ(topology->launcher(), Launcher::torchrun);
  EXPECT_EQ(topology->origin(TopologyField::host),
            (Origin{OriginKind::read, Launcher::open_mpi, "PMIX_HOSTNAME", "n2"}));
}

TEST(Origin, texts_are_shortened_and_escaped) {
  EXPECT_EQ(rankmap::detail::shortened("a\nb\"").view(), "a\\x0ab\\\"");
  const std::string many(1000, 'x');
  EXPECT_EQ(rankmap::detail::shortened(many).view(), std::string(24, 'x') + "... (1000 bytes)");
}

/// At every length: no escape is cut, and the number of bytes is shown if some are left out.
TEST(Origin, texts_are_never_cut_inside_an_escape) {
  for (const std::string byte : {"\xff", "\"", "x\x01"}) {
    for (std::size_t count = 0; count != 60; ++count) {
      std::string text;
      for (std::size_t i = 0; i != count; ++i) text += byte;
      const auto out = rankmap::detail::shortened(text);
      EXPECT_FALSE(out.cut()) << out.view();
      const std::string_view shown = out.view();
      const std::size_t note = shown.find("... (");
      std::size_t told = 0;
      for (std::size_t i = 0; i < shown.size() && i != note; ++told) {
        i += shown[i] != '\\' ? 1U : shown[i + 1] == 'x' ? 4U : 2U;
        ASSERT_LE(i, (std::min)(note, shown.size())) << shown;
      }
      if (note == std::string_view::npos) {
        EXPECT_EQ(told, text.size()) << shown;
      } else {
        EXPECT_LT(told, text.size());
        EXPECT_EQ(shown.substr(note), "... (" + std::to_string(text.size()) + " bytes)");
      }
    }
  }
  EXPECT_EQ(rankmap::detail::shortened(std::string(11, '\xff')).view().size(), 44U);
  EXPECT_EQ(rankmap::detail::shortened(std::string(12, '\xff')).view(),
            "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff... (12 bytes)");
  const std::string worst(100'000'000, '\xff');
  EXPECT_EQ(rankmap::detail::shortened(worst).view(),
            "\\xff\\xff\\xff\\xff\\xff\\xff... (100000000 bytes)");
}

}  // namespace
