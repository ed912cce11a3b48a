// SPDX-License-Identifier: MIT
#include "judged.hpp"
#include "recording.hpp"
#include "support/files.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::differences;
using rankmap_test::disputes;
using rankmap_test::RecordedProcess;
using rankmap_test::Recording;

TEST(Differences, name_each_wrong_value) {
  const Recording sound =
      rankmap_test::read_recording(rankmap_test::own_recordings() / "slurm-2x2");
  const auto topology =
      Topology::from_environment(RecordedEnvironment(sound.processes.at(2).environment));
  ASSERT_TRUE(topology);
  EXPECT_EQ(differences(*topology, sound.processes.at(2), sound), "");
  const struct {
    std::size_t row;  ///< the truth about this rank is changed; rank 2 is asked
    void (*change)(RecordedProcess&);
    std::string_view difference;
  } cases[] = {
      {2, [](RecordedProcess& p) { p.rank = 0; }, "rank: 2, not 0"},
      {2, [](RecordedProcess& p) { p.world_size = 5; }, "world size: 4, not 5"},
      {2, [](RecordedProcess& p) { p.world_size = 5; }, "ranks of the layout: 4, not 5"},
      {2, [](RecordedProcess& p) { p.local_rank = 1; }, "local rank: 0, not 1"},
      {2, [](RecordedProcess& p) { p.local_world_size = 1; }, "local size: 2, not 1"},
      {2, [](RecordedProcess& p) { p.local_world_size.reset(); }, "local size: 2, not unknown"},
      {2, [](RecordedProcess& p) { p.node = 0; }, "node: 1, not 0"},
      {2, [](RecordedProcess& p) { p.node.reset(); }, "node: 1, not unknown"},
      {2, [](RecordedProcess& p) { p.host = "n"; }, "host: node02, not n"},
      {0, [](RecordedProcess& p) { p.host = "n"; }, "host of rank 0: node01, not n"},
      {0, [](RecordedProcess& p) { p.local_rank = 1; },
       "local rank of rank 0 in the layout: 0, not 1"},
      {0, [](RecordedProcess& p) { p.local_world_size = 1; },
       "local size of rank 0 in the layout: 2, not 1"},
      {0, [](RecordedProcess& p) { p.node = 1; }, "node of rank 0 in the layout: 0, not 1"},
  };
  for (const auto& [row, change, difference] : cases) {
    Recording changed = sound;
    change(changed.processes.at(row));
    const std::string found = differences(*topology, changed.processes.at(2), changed) + '\n';
    EXPECT_NE(found.find("\n  " + std::string(difference) + '\n'), found.npos)
        << found << difference;
  }
}

TEST(Differences, do_not_need_the_number_of_a_single_node) {
  const Recording one =
      rankmap_test::read_recording(rankmap_test::own_recordings() / "ompi-one-node");
  const auto topology =
      Topology::from_environment(RecordedEnvironment(one.processes.at(1).environment));
  ASSERT_TRUE(topology);
  ASSERT_EQ(topology->node_rank(), 0);
  ASSERT_EQ(one.processes.at(1).node, std::nullopt);
  EXPECT_EQ(differences(*topology, one.processes.at(1), one), "");
}

TEST(Disputes, are_warnings_conflicts_and_strict_errors) {
  const std::string sound = rankmap_test::recording("torchrun26-even", 3);
  const auto disputes_of = [](const std::string& environment) {
    const auto topology = Topology::from_environment(RecordedEnvironment(environment));
    return topology ? disputes(*topology, {.environment = environment}, {}) : "an error";
  };
  EXPECT_EQ(disputes_of(sound), "");
  const std::string warned = disputes_of("TORCHELASTIC_RESTART_COUNT=x\n" + sound);
  EXPECT_NE(warned.find("\n  warning: TORCHELASTIC_RESTART_COUNT"), warned.npos) << warned;
  EXPECT_NE(warned.find("\n  strict: TORCHELASTIC_RESTART_COUNT=\"x\""), warned.npos) << warned;
  const std::string contradicted = disputes_of("PET_NODE_RANK=1\nPET_NNODES=3\n" + sound);
  EXPECT_NE(contradicted.find("\n  conflict: kubeflow"), contradicted.npos) << contradicted;
}

}  // namespace
