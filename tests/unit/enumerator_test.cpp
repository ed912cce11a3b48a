// SPDX-License-Identifier: MIT
#include <rankmap/enumerator.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/rankmap.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace rankmap;

struct Row {
  std::string_view name;
  std::string_view expected;
};
// The last one of each enumeration: one that was forgotten before it would have moved its name.
constexpr Row last_ones[] = {
    {name(AxisOrder::first_fastest), "first_fastest"},
    {name(Agents::on_some_nodes), "on_some_nodes"},
    {name(CheckKind::platform_mpi), "platform_mpi"},
    {name(Counts::free), "free"},
    {name(DeviceBasis::no_device), "no device"},
    {name(DeviceHierarchy::combined), "combined"},
    {name(DistributionKind::arbitrary), "arbitrary"},
    {name(Errc::bad_sampler), "bad_sampler"},
    {name(GroupOrder::device_mesh), "device_mesh"},
    {name(HostFormat::ascend_rank_table), "ascend_rank_table"},
    {name(Isolation::shared), "shared"},
    {name(LinkLayer::infiniband), "infiniband"},
    {name(MixtureStop::all_exhausted), "all_exhausted"},
    {name(Need::hint), "hint"},
    {name(NicGids::some), "some"},
    {name(NicKind::socket), "socket"},
    {name(NicPolicy::rail), "rail"},
    {name(NicState::active), "active"},
    {name(ParseStop::hierarchy_unknown), "hierarchy_unknown"},
    {name(ProbeTrust::opened), "opened"},
    {name(ProofKind::step), "step"},
    {name(RecordLevel::array), "array"},
    {name(RecordState::node_level), "node level"},
    {name(Relation::conflict), "conflict"},
    {name(Remainder::uneven), "uneven"},
    {name(SegmentChoice::fewest), "fewest"},
    {name(ShardOrder::blocked), "blocked"},
    {name(TooLong::alone), "alone"},
    {name(TorchAlgorithm::from_2_6), "from_2_6"},
    {name(TorchMultinomial::as_2_6), "as_2_6"},
    {name(ValueFormat::tf_config_count), "tf_config_count"},
    {name(Visibility::unknown), "unknown"},
    {name(static_cast<Errc>(200)), "?"},
};
constexpr bool all_hold() {
  for (const Row& row : last_ones) {
    if (row.name != row.expected) return false;
  }
  return true;
}
static_assert(all_hold());

TEST(Enumerator, prints_its_name) {
  for (const Row& row : last_ones) EXPECT_EQ(row.name, row.expected);
  std::ostringstream out;
  out << Errc::missing << ' ' << Launcher::open_mpi << ' ' << Remainder::pad;
  EXPECT_EQ(out.str(), "missing open_mpi pad");
  EXPECT_EQ(testing::PrintToString(Relation::nested), "nested");
  EXPECT_EQ(testing::PrintToString(Visibility::list), "list");
}

TEST(Enumerator, has_a_name_in_each_public_enumeration) {
  const std::string root = std::string(RANKMAP_TEST_DIR) + "/../include/rankmap";
  const std::regex enumeration("\nenum class (\\w+)");
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path.find("/detail/") != std::string::npos) continue;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), enumeration), end; at != end; ++at) {
      EXPECT_NE(text.find(" name(" + (*at)[1].str() + " "), std::string::npos)
          << path << ": " << (*at)[1] << " has no name()";
      ++count;
    }
  }
  EXPECT_GT(count, 30);
}

}  // namespace
