// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/detail/utf8.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/topology/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace {

using rankmap::Config;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap::detail::Json;
using rankmap::detail::JsonItems;
using rankmap_test::recording;

std::string written(const Topology& topology) {
  std::string text;
  write_json(topology, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string written(std::string_view environment, char separator = '\n',
                    const Config& config = {}) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment(environment, separator), config);
  return topology ? written(*topology) : std::string(message(topology.error()).view());
}

// If this fails, programs that read the keys break: raise json_schema, or restore the keys.
TEST(TopologyJson, writes_a_torchrun_worker_inside_srun) {
  EXPECT_EQ(
      written(recording("slurm-torchrun", 3)),
      R"({"schema":1,"launcher":"torchrun","rank":3,"world_size":4,"local_rank":1,)"
      R"("local_world_size":2,"node_rank":1,"node_count":2,"distributed":true,"host":"node02",)"
      R"("hosts":null,"layout":{"world_size":4,"node_count":2,"distribution":"block",)"
      R"("plane_size":null,"smallest_local_world_size":2,"largest_local_world_size":2},)"
      R"("rendezvous":{"address":"node01","port":45501,"id":null,"backend":null},)"
      R"("job_id":"j1","step_id":null,"restart_count":0,"origins":{)"
      R"("rank":{"kind":"read","source":"RANK","text":"3","launcher":"torchrun"},)"
      R"("world_size":{"kind":"read","source":"WORLD_SIZE","text":"4","launcher":"torchrun"},)"
      R"("local_rank":{"kind":"read","source":"LOCAL_RANK","text":"1","launcher":"torchrun"},)"
      R"("local_world_size":{"kind":"read","source":"LOCAL_WORLD_SIZE","text":"2",)"
      R"("launcher":"torchrun"},)"
      R"("node_rank":{"kind":"read","source":"GROUP_RANK","text":"1","launcher":"torchrun"},)"
      R"("node_count":{"kind":"read","source":"GROUP_WORLD_SIZE","text":"2",)"
      R"("launcher":"torchrun"},)"
      R"("host":{"kind":"read","source":"SLURMD_NODENAME","text":"node02","launcher":"slurm"},)"
      R"("hosts":{"kind":"unknown","source":null,"text":null,"launcher":null},)"
      R"("layout":{"kind":"derived","source":"two nodes: mine and the rest","text":null,)"
      R"("launcher":null},)"
      R"("rendezvous":{"kind":"read","source":"MASTER_ADDR","text":"node01",)"
      R"("launcher":"torchrun"},)"
      R"("job_id":{"kind":"read","source":"TORCHELASTIC_RUN_ID","text":"j1",)"
      R"("launcher":"torchrun"},)"
      R"("restart_count":{"kind":"read","source":"TORCHELASTIC_RESTART_COUNT","text":"0",)"
      R"("launcher":"torchrun"}},)"
      R"("proof":{"kind":"agents","launcher":"torchrun","other":"slurm","generation":null,)"
      R"("process":null},)"
      R"("other_records":[{"launcher":"slurm","state":"complete","relation":"nested","rank":1,)"
      R"("world_size":2,"variable":"SLURM_PROCID","reason":null}],"warnings":[],"operator_words":[]})");
}

std::string keys_of(Json object) {
  std::string keys;
  for (JsonItems items = object.members(); items.next();) {
    keys += items.name().string<63>()->view();
    keys += ' ';
  }
  return keys;
}

constexpr std::string_view with_warning =
    "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|"
    "MASTER_ADDR=a|MASTER_PORT=x|TORCHELASTIC_RESTART_COUNT=many";
constexpr std::string_view environments[] = {
    "",
    "LOCAL_RANK=-1",
    "TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2",
    "RANK=3|WORLD_SIZE=6|LOCAL_RANK=1",
    "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|"
    "SLURM_TASK_PID=4711",
    with_warning,
};

TEST(TopologyJson, always_has_every_key_in_the_same_order) {
  for (const std::string_view environment : environments) {
    const std::string text = written(environment, '|');
    const auto json = Json::parse(text, "json");
    ASSERT_TRUE(json) << message(json.error()).view();
    EXPECT_EQ(keys_of(*json),
              "schema launcher rank world_size local_rank local_world_size node_rank node_count "
              "distributed host hosts layout rendezvous job_id step_id restart_count origins proof "
              "other_records warnings operator_words ");
    EXPECT_EQ(keys_of(*json->member("origins")),
              "rank world_size local_rank local_world_size node_rank node_count host hosts layout "
              "rendezvous job_id restart_count ");
    for (JsonItems origins = json->member("origins")->members(); origins.next();) {
      EXPECT_EQ(keys_of(origins.value()), "kind source text launcher ");
    }
  }
}

std::string value(const std::string& text, std::string_view key) {
  const auto json = Json::parse(text, "json");
  return json && json->member(key) ? std::string(json->member(key)->raw()) : "no " + text;
}

TEST(TopologyJson, writes_null_for_unknown_values) {
  const std::string text = written(environments[3], '|');
  for (const char* const key : {"local_world_size", "node_rank", "node_count", "host", "hosts",
                                "layout", "rendezvous", "job_id", "step_id", "restart_count"}) {
    EXPECT_EQ(value(text, key), "null") << key;
  }
  EXPECT_EQ(value(text, "rank"), "3");
  EXPECT_EQ(value(text, "distributed"), "true");
}

TEST(TopologyJson, keeps_local_rank_minus_one) {
  EXPECT_EQ(value(written("LOCAL_RANK=-1"), "local_rank"), "-1");
  EXPECT_EQ(value(written("LOCAL_RANK=-1"), "distributed"), "false");
}

TEST(TopologyJson, writes_other_records_and_warnings) {
  EXPECT_EQ(value(written(environments[4], '|'), "other_records"),
            R"([{"launcher":"slurm","state":"no task","relation":"stale","rank":0,)"
            R"("world_size":null,"variable":"SLURM_PROCID",)"
            R"("reason":"a batch script is one process"}])");
  EXPECT_EQ(value(written("TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|"
                          "LOCAL_WORLD_SIZE=1|TORCHELASTIC_RESTART_COUNT=m\xc3\xa4ny",
                          '|'),
                  "warnings"),
            R"([{"variable":"TORCHELASTIC_RESTART_COUNT","text":"m\\xc3\\xa4ny",)"
            R"("expected":"a decimal number","remedy":null,"launcher":null}])");
}

TEST(TopologyJson, writes_hosts_and_a_summary_of_the_layout) {
  const auto topology = Topology::from_config({.rank = 3,
                                               .world_size = 5,
                                               .hosts = "n[1-2]",
                                               .tasks_per_node = "2,3",
                                               .distribution = rankmap::Distribution::cyclic});
  ASSERT_TRUE(topology);
  const std::string text = written(*topology);
  EXPECT_EQ(value(text, "hosts"), R"({"count":2,"list":"n[1-2]"})");
  EXPECT_EQ(value(text, "layout"),
            R"({"world_size":5,"node_count":2,"distribution":"cyclic","plane_size":null,)"
            R"("smallest_local_world_size":2,"largest_local_world_size":3})");
  const auto plane = Topology::from_config(
      {.rank = 0, .tasks_per_node = "4,3", .distribution = rankmap::Distribution::plane(2)});
  EXPECT_NE(value(written(*plane), "layout").find(R"("distribution":"plane","plane_size":2)"),
            std::string::npos);
}

std::string job_called(std::string_view bytes) {
  return written("TORCHELASTIC_RUN_ID=" + std::string(bytes) +
                     "\nRANK=0\nWORLD_SIZE=1\nLOCAL_RANK=0\nLOCAL_WORLD_SIZE=1",
                 '\n');
}

TEST(TopologyJson, escapes_any_bytes) {
  struct Row {
    std::string_view bytes;
    std::string_view json;
  };
  constexpr Row rows[] = {
      {"plain ~", R"("plain ~")"},
      {"\"\\/", R"("\"\\/")"},
      {"\x01\t\x1b[2J\x7f", R"("\u0001\u0009\u001b[2J\u007f")"},
      {"\xc3\xa9\xe2\x82\xac", R"("\u00e9\u20ac")"},
      {"\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf", R"("\ud83d\ude00\udbff\udfff")"},
      {"\xef\xbf\xbd\xf0\x90\x80\x80", R"("\ufffd\ud800\udc00")"},
      {"a\xff", R"("a\ufffd")"},
      {"\x80z", R"("\ufffdz")"},
      {"\xc3", R"("\ufffd")"},
      {"\xc0\xaf", R"("\ufffd\ufffd")"},                      // overlong
      {"\xe0\x80\xaf", R"("\ufffd\ufffd\ufffd")"},            // overlong
      {"\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")"},            // half a surrogate pair
      {"\xf4\x90\x80\x80", R"("\ufffd\ufffd\ufffd\ufffd")"},  // beyond U+10FFFF
      {"\xf0\x9f\x98z", R"("\ufffd\ufffd\ufffdz")"},          // cut
      {"<script>&", R"("<script>&")"},
  };
  for (const Row& row : rows) EXPECT_EQ(value(job_called(row.bytes), "job_id"), row.json);
}

TEST(TopologyJson, is_printable_ascii_json_for_every_pair_of_bytes) {
  for (int first = 1; first != 256; ++first) {
    for (int second = 1; second != 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      std::string text;
      auto out = [&](std::string_view piece) { text += piece; };
      rankmap::detail::JsonWriter(out).string({bytes, 2});
      ASSERT_TRUE(Json::parse(text, "json")) << text;
      for (const char c : text) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
    }
  }
}

TEST(TopologyJson, is_at_most_24_kilobytes_without_the_hosts) {
  std::string environment;
  const std::string longest(255, '\x01');
  for (const char* const name :
       {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "SLURMD_NODENAME", "PMIX_HOSTNAME", "PMIX_NAMESPACE",
        "PMIX_RANK", "GROUP_RANK", "TORCHELASTIC_RESTART_COUNT", "OMPI_COMM_WORLD_RANK",
        "SLURM_PROCID", "PALS_RANKID", "FLUX_TASK_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
        "HOROVOD_RANK", "TF_CONFIG", "SM_HOSTS"}) {
    environment += std::string(name) + "=" + longest + "\n";
  }
  const std::string text = written(
      environment + "RANK=0\nWORLD_SIZE=2\nLOCAL_RANK=0\nLOCAL_WORLD_SIZE=2\nMASTER_PORT=1\n");
  ASSERT_TRUE(Json::parse(text, "json")) << text;
  EXPECT_GT(text.size(), 6U * 255U);
  EXPECT_LT(text.size(), 24U * 1024U);
}

TEST(TopologyJson, of_recorded_jobs_can_be_read_back) {
  for (const char* const name :
       {"slurm-2x2", "slurm-cyclic", "slurm-het", "ompi-hosts", "mpich-hosts", "none"}) {
    const std::string environment = recording(name, 0);
    const auto topology =
        Topology::from_environment(RecordedEnvironment(environment, '\n'), Config{});
    ASSERT_TRUE(topology) << message(topology.error()).view();
    const std::string text = written(*topology);
    const auto json = Json::parse(text, "json");
    ASSERT_TRUE(json) << text;
    EXPECT_EQ(json->member("rank")->integer().value, static_cast<std::uint64_t>(topology->rank()));
    EXPECT_EQ(json->member("host")->is(rankmap::detail::JsonKind::null), topology->host().empty());
    if (!topology->hosts().empty()) {
      EXPECT_EQ(json->member("hosts")->member("list")->string<255>()->view(),
                topology->hosts().text());
    }
  }
}

/// It is a constant expression too.
constexpr std::size_t length_of_a_single_process() {
  std::size_t length = 0;
  const auto topology = Topology::from_config({.rank = 0, .world_size = 1});
  write_json(*topology, [&](std::string_view piece) { length += piece.size(); });
  return length;
}
static_assert(length_of_a_single_process() > 1000);

}  // namespace
