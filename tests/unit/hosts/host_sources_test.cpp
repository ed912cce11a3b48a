// SPDX-License-Identifier: MIT
#include "support/host_table.hpp"

#include <rankmap/hosts/host_sources.hpp>

#include <gtest/gtest.h>

#include <rankmap/environment/environment.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::FixedEnvironment;
using rankmap::host_sources;
using rankmap::HostFormat;
using rankmap::HostSource;
using rankmap::message;
using rankmap::read_hosts;
using rankmap_test::picture;

constexpr auto no_files = [](std::string_view) -> std::optional<std::string_view> {
  return std::nullopt;
};
constexpr HostSource source_of(std::string_view variable) {
  for (const HostSource& source : host_sources) {
    if (source.variable == variable) return source;
  }
  return {};
}

TEST(HostSources, own_host_comes_from_a_second_variable) {
  constexpr FixedEnvironment tpu({{"TPU_WORKER_HOSTNAMES", "t0,t1,t2"}, {"TPU_WORKER_ID", "1"}});
  static_assert(read_hosts(source_of("TPU_WORKER_HOSTNAMES"), tpu, no_files)->own_index() == 1U);
  constexpr FixedEnvironment sagemaker(
      {{"SM_HOSTS", "[\"algo-1\",\"algo-10\",\"algo-2\"]"}, {"SM_CURRENT_HOST", "algo-2"}});
  EXPECT_EQ(read_hosts(source_of("SM_HOSTS"), sagemaker, no_files)->own_index(), 2U);
  constexpr FixedEnvironment alone({{"TPU_WORKER_HOSTNAMES", "t0"}, {"TPU_WORKER_ID", ""}});
  EXPECT_EQ(read_hosts(source_of("TPU_WORKER_HOSTNAMES"), alone, no_files)->own_index(),
            std::nullopt);

  constexpr FixedEnvironment outside({{"TPU_WORKER_HOSTNAMES", "t0,t1"}, {"TPU_WORKER_ID", "2"}});
  EXPECT_EQ(
      message(read_hosts(source_of("TPU_WORKER_HOSTNAMES"), outside, no_files).error()).view(),
      "TPU_WORKER_ID=\"2\": expected an index into TPU_WORKER_HOSTNAMES; make the two agree, or "
      "unset it");
  constexpr FixedEnvironment stranger({{"SM_HOSTS", "[\"a\"]"}, {"SM_CURRENT_HOST", "b"}});
  EXPECT_EQ(message(read_hosts(source_of("SM_HOSTS"), stranger, no_files).error()).view(),
            "SM_CURRENT_HOST=\"b\": expected a host of SM_HOSTS; make the two agree, or unset it");
}

TEST(HostSources, own_index_is_a_number_within_the_list) {
  struct Row {
    std::string_view hosts, own, expected;
  };
  constexpr std::string_view outside =
      "expected an index into TPU_WORKER_HOSTNAMES; make the two agree, or unset it";
  for (const Row& row : {
           Row{"TPU_WORKER_HOSTNAMES=t0,t1,t2", "TPU_WORKER_ID=1", "t0 t1 t2 @1"},
           Row{"TPU_WORKER_HOSTNAMES=t0,t1", "TPU_WORKER_ID=", "t0 t1"},
           Row{"TPU_WORKER_HOSTNAMES=t0,t1", "OTHER=1", "t0 t1"},
           Row{"TPU_WORKER_HOSTNAMES=t0,t1", "TPU_WORKER_ID=2", outside},
           Row{"TPU_WORKER_HOSTNAMES=t0,t1", "TPU_WORKER_ID=t1", outside},
           Row{"TPU_WORKER_HOSTNAMES=t0,t1", "TPU_WORKER_ID=-1", outside},
           Row{"TPU_WORKER_HOSTNAMES=", "TPU_WORKER_ID=0",
               "expected a list of hosts; set it; in the program, pass Config::hosts"},
           Row{"TPU_WORKER_HOSTNAMES=t0 t1", "TPU_WORKER_ID=0", "at byte 2"},
       }) {
    const std::string text = std::string(row.hosts) + '|' + std::string(row.own);
    const auto table = read_hosts(source_of("TPU_WORKER_HOSTNAMES"),
                                  rankmap::RecordedEnvironment(text, '|'), no_files);
    const std::string found = table ? picture(*table) : std::string(message(table.error()).view());
    EXPECT_NE(found.find(row.expected), std::string::npos) << text << '\n' << found;
    EXPECT_EQ(table.has_value(), found == row.expected) << text << '\n' << found;
  }
}

TEST(HostSources, a_source_needs_a_variable_and_a_format_only) {
  constexpr HostSource volcano{"VC_WORKER_HOSTS", HostFormat::comma_list};
  constexpr FixedEnvironment env({{"VC_WORKER_HOSTS", "job-worker-0.job,job-worker-1.job"}});
  static_assert(read_hosts(volcano, env, no_files)->size() == 2U);
  EXPECT_EQ(picture(*read_hosts(volcano, env, no_files)), "job-worker-0.job job-worker-1.job");
}

TEST(HostSources, files_are_read_by_the_caller_only) {
  constexpr FixedEnvironment pbs({{"PBS_NODEFILE", "/var/spool/pbs/aux/7.s"}});
  const auto files = [](std::string_view path) -> std::optional<std::string> {
    if (path == "/var/spool/pbs/aux/7.s") return "n1\nn1\nn2\n";
    return std::nullopt;
  };
  EXPECT_EQ(picture(*read_hosts(source_of("PBS_NODEFILE"), pbs, files)), "n1:2 n2:1");
  EXPECT_EQ(message(read_hosts(source_of("PBS_NODEFILE"), pbs, no_files).error()).view(),
            "PBS_NODEFILE=\"/var/spool/pbs/aux/7.s\": expected a file that can be read; unset it, "
            "or give the file to this process");
  const auto broken = [](std::string_view) { return std::optional<std::string>("n1 n2\n"); };
  EXPECT_EQ(read_hosts(source_of("PBS_NODEFILE"), pbs, broken).error().subject,
            "/var/spool/pbs/aux/7.s");
  EXPECT_EQ(message(read_hosts(source_of("PE_HOSTFILE"), pbs, files).error()).view(),
            "PE_HOSTFILE is not set: expected a list of hosts; set it; in the program, pass "
            "Config::hosts");
}

TEST(HostSources, paths_in_errors_are_escaped) {
  constexpr FixedEnvironment pbs({{"PBS_NODEFILE", "/\n\x1b[2J"}});
  const auto empty = [](std::string_view) { return std::optional<std::string>(""); };
  EXPECT_EQ(message(read_hosts(source_of("PBS_NODEFILE"), pbs, empty).error()).view(),
            "/\\x0a\\x1b[2J=\"\" at byte 0: expected at least one host; correct the file");
}

TEST(HostSources, long_paths_in_errors_are_cut) {
  constexpr FixedEnvironment pbs(
      {{"PBS_NODEFILE", "/var/spool/pbs/aux/1234567.a-server-of-a-long-name"}});
  const auto empty = [](std::string_view) { return std::optional<std::string>(""); };
  EXPECT_EQ(read_hosts(source_of("PBS_NODEFILE"), pbs, empty).error().subject,
            "/var/spool/pbs/aux/1234567.a-server-of-a... (50 bytes)");
}

TEST(HostSources, each_variable_is_read) {
  struct Row {
    std::string_view variables, file, expected;  // file: at /hosts
  };
  constexpr Row rows[] = {
      {"TPU_WORKER_HOSTNAMES=a,b|TPU_WORKER_ID=1", "", "a b @1"},
      {"SM_HOSTS=[\"a\",\"b\"]|SM_CURRENT_HOST=b", "", "a b @1"},
      {"SM_RESOURCE_CONFIG={\"hosts\":[\"a\",\"b\"],\"current_host\":\"b\"}", "", "a b @1"},
      {"TF_CONFIG={\"cluster\":{\"worker\":[\"a:1\",\"b:1\"]}}", "", "a b"},
      {"SKYPILOT_NODE_IPS=a\nb|SKYPILOT_NODE_RANK=1", "", "a b @1"},
      {"AZ_BATCH_HOST_LIST=a,b", "", "a b"},
      {"LSB_MCPU_HOSTS=a 2 b 3", "", "a:2 b:3"},
      {"LSB_HOSTS=a a b", "", "a:2 b:1"},
      {"LSB_DJOB_RANKFILE=/hosts", "a\nb\na\n", "a:2 b:1"},
      {"LSB_DJOB_HOSTFILE=/hosts", "a\na\nb\n", "a:2 b:1"},
      {"PBS_NODEFILE=/hosts", "a\na\nb\n", "a:2 b:1"},
      {"PE_HOSTFILE=/hosts", "a 2 q@a UNDEFINED\nb 3 q@b UNDEFINED\n", "a:2 b:3"},
      {"RANK_TABLE_FILE=/hosts",
       R"({"version":"1.0","status":"completed","server_count":"1","server_list":[
           {"server_id":"a","device":[{"device_id":"0","rank_id":"0"}]}]})",
       "a:1"},
  };
  std::size_t read = 0;
  for (const Row& row : rows) {
    const auto files = [&](std::string_view path) -> std::optional<std::string_view> {
      if (path == "/hosts" && !row.file.empty()) return row.file;
      return std::nullopt;
    };
    const rankmap::RecordedEnvironment env(row.variables, '|');
    for (const HostSource& source : host_sources) {
      if (!env(source.variable)) continue;
      const auto table = read_hosts(source, env, files);
      ASSERT_TRUE(table) << row.variables << '\n' << message(table.error()).view();
      EXPECT_EQ(picture(*table), row.expected) << row.variables;
      ++read;
    }
  }
  EXPECT_EQ(read, std::size(rows));
  EXPECT_EQ(read, std::size(host_sources));
}

TEST(HostSources, each_variable_has_one_row) {
  for (const HostSource& a : host_sources) {
    int count = 0;
    for (const HostSource& b : host_sources) count += a.variable == b.variable ? 1 : 0;
    EXPECT_EQ(count, 1) << a.variable;
    EXPECT_TRUE(a.own_index.empty() || a.own_host.empty()) << a.variable;
  }
}

}  // namespace
