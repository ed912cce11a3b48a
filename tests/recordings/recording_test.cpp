// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/with_ancestors.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace {

using rankmap_test::Recording;

struct File {
  std::string name;
  std::string text;
};

/// A folder with an expected.tsv of `text`, an empty environment for each of `ranks`, and more
/// files, as read.
Recording read_text(const std::string& text, std::initializer_list<int> ranks,
                    const std::vector<File>& files = {}) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("recording-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  write("expected.tsv", text);
  for (const int rank : ranks) {
    write("rank-" + std::to_string(rank) + ".env", "");
  }
  for (const File& file : files) write(file.name, file.text);
  const Recording recording = rankmap_test::read_recording(folder);
  std::filesystem::remove_all(folder);
  return recording;
}

const std::string heading = "# title\nrank\tworld_size\tlocal_rank\tlocal_world_size\tnode\thost\n";

TEST(Recording, may_omit_local_size_and_node) {
  const Recording recording = read_text(heading + "0\t2\t0\t-\t-\tn1\n1\t2\t1\t2\t0\tn1\n", {0, 1});
  EXPECT_TRUE(recording.faults.empty()) << recording.faults.front();
  ASSERT_EQ(recording.processes.size(), 2U);
  EXPECT_EQ(recording.processes[0].local_world_size, std::nullopt);
  EXPECT_EQ(recording.processes[0].node, std::nullopt);
  EXPECT_EQ(recording.processes[1].local_world_size, 2);
  EXPECT_EQ(recording.processes[1].node, 0);
  EXPECT_FALSE(recording.stated.one_process_per_node);
}

TEST(Recording, title_sets_members_of_config) {
  const std::string row = "0\t1\t0\t1\t0\tn1\n";
  const std::string rest = heading.substr(heading.find('\n')) + row;
  const Recording recording = read_text("# qsub, Config::one_process_per_node" + rest, {0});
  EXPECT_TRUE(recording.faults.empty()) << recording.faults.front();
  EXPECT_TRUE(recording.stated.one_process_per_node);
  EXPECT_FALSE(recording.stated.even_nodes);
  EXPECT_EQ(
      read_text("# qsub, Config::one_process" + rest, {0}).faults,
      std::vector<std::string>{"unknown statement in the title: # qsub, Config::one_process"});
}

TEST(Recording, unreadable_parts_become_faults) {
  const std::string row = "0\t1\t0\t1\t0\tn1\n";
  const struct {
    std::string text;
    std::initializer_list<int> ranks;
    std::string fault;
  } cases[] = {
      {heading + "-\t1\t0\t1\t0\tn1\n", {}, "not a row: -\t1\t0\t1\t0\tn1"},
      {heading + row + "1\t2\t-\t1\t0\tn1\n", {0}, "not a row: 1\t2\t-\t1\t0\tn1"},
      {heading + row + "1\t2\t0\tx\t0\tn1\n", {0}, "not a row: 1\t2\t0\tx\t0\tn1"},
      {heading + row + "1\t2\t0\t1\t?\tn1\n", {0}, "not a row: 1\t2\t0\t1\t?\tn1"},
      {heading + row + "1\t2\t0\t1x\t0\tn1\n", {0}, "not a row: 1\t2\t0\t1x\t0\tn1"},
      {heading + row + "1\t-2\t0\t1\t0\tn1\n", {0}, "not a row: 1\t-2\t0\t1\t0\tn1"},
      {heading + row + "1 2 0 1 0 n1\n", {0}, "not a row: 1 2 0 1 0 n1"},
      {heading + row + "1\t2\t0\t1\t0\n", {0}, "not a row: 1\t2\t0\t1\t0"},
      {heading + row + "\n", {0}, "not a row: "},
      {heading + row, {}, "rank 0 has no environment"},
      {heading + row, {0, 1}, "rank-1.env has no row"},
      {heading + row + row, {0}, "rank 0 is out of order"},
      {heading + "0\t2\t0\t1\t0\tn1\n", {0}, "rank 0: the world size is not the number of rows"},
      {heading, {}, "no process"},
      {"title" + heading.substr(heading.find('\n')) + row, {0}, "expected.tsv has no title"},
      {"# title\nrank\n" + row, {0}, "expected.tsv has other columns: rank"},
      {"# title\n" + row, {}, "expected.tsv has other columns: " + row.substr(0, row.size() - 1)},
  };
  for (const auto& [text, ranks, fault] : cases) {
    const std::vector<std::string> faults = read_text(text, ranks).faults;
    EXPECT_NE(std::find(faults.begin(), faults.end(), fault), faults.end()) << text << fault;
  }
}

// ---- the processes above

const std::string one_rank = heading + "0\t1\t0\t1\t0\tn1\n";

Recording with_ancestors(const std::string& text) {
  return read_text(one_rank, {},
                   {{"rank-0.env", "RANK=0\nSLURM_PROCID=0\n"}, {"rank-0.ancestors", text}});
}

TEST(Recording, offers_the_processes_above) {
  const Recording recording = with_ancestors(
      "inside RANK\ninside LOCAL_RANK\n"
      "above torchrun\nSLURM_PROCID=0\nA=b=c\n"
      "above a) b (c\n"
      "above slurmstepd\nunknown start\n");
  ASSERT_TRUE(recording.faults.empty()) << recording.faults.front();
  const rankmap::WithAncestors offered = recording.processes.at(0).offered();
  EXPECT_EQ(offered("SLURM_PROCID"), "0");
  EXPECT_EQ(offered.started_with("SLURM_PROCID"), true);
  EXPECT_EQ(offered.started_with("RANK"), false);
  ASSERT_TRUE(offered.ancestors().has_value());
  const rankmap::Ancestors& above = *offered.ancestors();
  ASSERT_EQ(above.size(), 3U);
  EXPECT_EQ(above[0].name, "torchrun");
  EXPECT_EQ(above[0].started_with("SLURM_PROCID", "0"), true);
  EXPECT_EQ(above[0].started_with("A", "b=c"), true);
  EXPECT_EQ(above[0].started_with("RANK", "0"), false);
  EXPECT_EQ(above[1].name, "a) b (c");
  EXPECT_EQ(above[1].started_with("SLURM_PROCID", "0"), false);
  EXPECT_EQ(above[2].name, "slurmstepd");
  EXPECT_EQ(above[2].started_with("SLURM_PROCID", "0"), std::nullopt);
}

TEST(Recording, may_not_know_what_the_process_started_with) {
  const Recording recording = with_ancestors("inside RANK\nunknown start\nabove mpirun\n");
  ASSERT_TRUE(recording.faults.empty()) << recording.faults.front();
  const rankmap::WithAncestors offered = recording.processes.at(0).offered();
  EXPECT_EQ(offered.started_with("RANK"), std::nullopt);
  EXPECT_EQ(offered.ancestors().value().size(), 1U);
  EXPECT_EQ(with_ancestors("").processes.at(0).offered().started_with("RANK"), true);
  EXPECT_EQ(with_ancestors("").processes.at(0).offered().ancestors().value().size(), 0U);
}

TEST(Recording, offers_no_ancestors_if_none_were_recorded) {
  const Recording recording = read_text(one_rank, {0});
  const rankmap::WithAncestors offered = recording.processes.at(0).offered();
  EXPECT_FALSE(offered.ancestors().has_value());
  EXPECT_EQ(offered.started_with("RANK"), std::nullopt);
}

TEST(Recording, malformed_ancestors_become_faults) {
  const std::string malformed = "rank 0 has malformed ancestors";
  for (const std::string text :
       {"RANK=0\n", "\n", "outside RANK\n", "unknown start\ninside RANK\n", "above\n",
        "above bash\nRANK\n", "above bash\ninside RANK\n", "above bash\nunknown start\nRANK=0\n"}) {
    EXPECT_EQ(with_ancestors(text).faults, std::vector{malformed}) << text;
  }
  EXPECT_EQ(read_text(one_rank, {0}, {{"rank-1.ancestors", ""}}).faults,
            std::vector<std::string>{"rank-1.ancestors has no row"});
}

}  // namespace
