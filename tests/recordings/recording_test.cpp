// SPDX-License-Identifier: MIT
#include "recording.hpp"

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

/// A folder with an expected.tsv of `text` and an empty environment for each of `ranks`, as read.
Recording read_text(const std::string& text, std::initializer_list<int> ranks) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("recording-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "expected.tsv") << text;
  for (const int rank : ranks) {
    std::ofstream(folder / ("rank-" + std::to_string(rank) + ".env")) << "";
  }
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

}  // namespace
