// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/enumerator.hpp>
#include <rankmap/probe.hpp>
#include <rankmap/rankmap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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
// The test below asks for a row of each.
constexpr Row last_ones[] = {
    {name(AxisOrder::first_fastest), "first_fastest"},
    {name(Agents::on_some_nodes), "on_some_nodes"},
    {name(BoundBy::agents), "agents"},
    {name(CheckKind::ray_actor), "ray_actor"},
    {name(Counts::free), "free"},
    {name(DeviceBasis::no_device), "no device"},
    {name(DeviceHierarchy::combined), "combined"},
    {name(DeviceKind::tpu), "tpu"},
    {name(DistributionKind::arbitrary), "arbitrary"},
    {name(Doubt::index), "index"},
    {name(Errc::bad_launcher), "bad_launcher"},
    {name(FindingKind::clocks_differ), "clocks_differ"},
    {name(GroupOrder::device_mesh), "device_mesh"},
    {name(HostFormat::ascend_rank_table), "ascend_rank_table"},
    {name(Isolation::shared), "shared"},
    {name(Launcher::kubernetes), "kubernetes"},
    {name(LinkLayer::infiniband), "infiniband"},
    {name(MixtureStop::all_exhausted), "all_exhausted"},
    {name(Need::hint), "hint"},
    {name(NicFault::no_gid), "no_gid"},
    {name(NicGids::some), "some"},
    {name(NicKind::socket), "socket"},
    {name(NicPolicy::rail), "rail"},
    {name(NicState::active), "active"},
    {name(OriginKind::given), "given"},
    {name(ParseStop::hierarchy_unknown), "hierarchy_unknown"},
    {name(PciDistance::unknown), "unknown"},
    {name(ProbeTrust::opened), "opened"},
    {name(ProofKind::step), "step"},
    {name(RecordLevel::array), "array"},
    {name(RecordState::node_level), "node level"},
    {name(Relation::conflict), "conflict"},
    {name(Remainder::uneven), "uneven"},
    {name(SegmentChoice::fewest), "fewest"},
    {name(Severity::error), "error"},
    {name(ShardOrder::blocked), "blocked"},
    {name(TooLong::alone), "alone"},
    {name(TopologyField::restart_count), "restart_count"},
    {name(TorchAlgorithm::from_2_6), "from_2_6"},
    {name(TorchMultinomial::as_2_6), "as_2_6"},
    {name(ValueFormat::tf_config_count), "tf_config_count"},
    {name(Visibility::unknown), "unknown"},
    {name(static_cast<Errc>(200)), "?"},
};
static_assert(std::ranges::all_of(last_ones,
                                  [](const Row& row) { return row.name == row.expected; }));

TEST(Enumerator, prints_its_name) {
  for (const Row& row : last_ones) EXPECT_EQ(row.name, row.expected);
  std::ostringstream out;
  out << Errc::missing << ' ' << Launcher::open_mpi << ' ' << Remainder::pad;
  EXPECT_EQ(out.str(), "missing open_mpi pad");
  EXPECT_EQ(testing::PrintToString(Relation::nested), "nested");
  EXPECT_EQ(testing::PrintToString(Visibility::list), "list");
}

TEST(Enumerator, has_a_name_in_each_public_enumeration) {
  const std::string tests = RANKMAP_TEST_DIR;
  const std::string rows = rankmap_test::text_of(tests + "/unit/enumerator_test.cpp");
  const std::regex comment("//[^\n]*");
  const std::regex enumeration("\nenum class (\\w+)");
  int count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(tests + "/../include/rankmap")) {
    const std::string path = entry.path().generic_string();
    if (!entry.is_regular_file() || path.find("/detail/") != std::string::npos) continue;
    const std::string text = std::regex_replace(rankmap_test::text_of(path), comment, "");
    for (std::sregex_iterator at(text.begin(), text.end(), enumeration), end; at != end; ++at) {
      const std::string type = (*at)[1];
      EXPECT_NE(text.find(" name(" + type + " "), std::string::npos)
          << path << ": " << type << " has no name()";
      const std::size_t open = text.find('{', static_cast<std::size_t>(at->position()));
      const std::string body = text.substr(open + 1, text.find('}', open) - open - 1);
      const std::size_t tail = body.find_last_not_of(", \n");
      const std::size_t comma = body.find_last_of(',', tail);
      const std::size_t begin = body.find_first_not_of(" \n", comma + 1);
      const std::string last = body.substr(begin, body.find_first_of(" ,=\n", begin) - begin);
      EXPECT_NE(rows.find("{name(" + type + "::" + last + "), "), std::string::npos)
          << path << ": no row for " << type << "::" << last << ", its last one";
      ++count;
    }
  }
  EXPECT_GT(count, 30);
}

}  // namespace
