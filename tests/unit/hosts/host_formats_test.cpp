// SPDX-License-Identifier: MIT
#include "support/host_table.hpp"

#include <rankmap/hosts/host_formats.hpp>

#include <gtest/gtest.h>

#include <rankmap/layout/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::HostFormat;
using rankmap::HostListLimits;
using rankmap::Layout;
using rankmap::message;
using rankmap::parse_hosts;
using rankmap_test::picture;

struct Good {
  HostFormat format;
  std::string_view text;
  std::string_view table;
};
constexpr Good good[] = {
    {HostFormat::comma_list, "t1k-0,t1k-1,t1k-2", "t1k-0 t1k-1 t1k-2"},
    {HostFormat::comma_list, " b , a ,, b ", "b a b"},
    {HostFormat::comma_list, "10.0.0.4,10.0.0.5", "10.0.0.4 10.0.0.5"},
    {HostFormat::comma_list, "job-worker-0.job,job-worker-1.job",
     "job-worker-0.job job-worker-1.job"},
    {HostFormat::line_list, "10.1.2.3\n10.1.2.4\n", "10.1.2.3 10.1.2.4"},
    {HostFormat::line_list, "10.1.2.3\r\n\r\n10.1.2.4", "10.1.2.3 10.1.2.4"},
    {HostFormat::line_list, "n1\n\r n2\r\n\t\r\n", "n1 n2"},
    {HostFormat::host_argument, "a:2,b:3", "a:2 b:3"},
    {HostFormat::host_argument, "a,b:2,a", "a:2 b:2"},
    {HostFormat::host_argument, "a", "a:1"},
    {HostFormat::host_argument, "[fe80::1]:2,[fe80::2]", "fe80::1:2 fe80::2:1"},
    {HostFormat::open_mpi_file, "node1 slots=4 max_slots=8\nnode2 slots=4\n", "node1:4 node2:4"},
    {HostFormat::open_mpi_file, "node1 slots=4\nnode2 slots=2\nnode1\n", "node1:5 node2:2"},
    {HostFormat::open_mpi_file, "node1 slots=0\nnode1\nnode2\nnode1", "node1:2 node2"},
    {HostFormat::open_mpi_file, "node1 max_slots=7\nnode2", "node1:7 node2"},
    {HostFormat::open_mpi_file, "node1 max_slots=2 slots=4\nnode2 slots=0 max_slots=0",
     "node1:4 node2:0"},  // mpirun raises what stands before
    {HostFormat::open_mpi_file, "node1 count_max=7\nnode1\nnode1 max_slots=90", "node1:9"},
    {HostFormat::open_mpi_file, "node1 max_slots=7 slots=2\nnode1", "node1:3"},
    {HostFormat::open_mpi_file,
     "# a comment\n\nnode1 // one\nme@node2 slots = 2 port=2222 /* two\nlines */ \nnode3 cpu=1 "
     "count-max=9",
     "node1 node2:2 node3:1"},
    {HostFormat::open_mpi_file, "node1\nnode1\n", "node1:2"},
    {HostFormat::open_mpi_file, "fe80::1 slots=2\nme@fe80::2", "fe80::1:2 fe80::2"},
    {HostFormat::open_mpi_file, "node1 username=bob slots=2 # 9\nnode2 port=22", "node1:2 node2"},
    {HostFormat::open_mpi_file, "node1 slots=2\nnode1\nnode2 slots=0", "node1:3 node2:0"},
    {HostFormat::open_mpi_file, "pi-worker-0.pi-worker.default.svc slots=1",
     "pi-worker-0.pi-worker.default.svc:1"},
    {HostFormat::hydra_file, "node1:4\nnode2\n# no\nnode3:2 binding=user:0 user=x # yes\n",
     "node1:4 node2:1 node3:2"},
    {HostFormat::hydra_file, "a:1\nb:2\na:1\n", "a:1 b:2 a:1"},  // a again is another node
    {HostFormat::hydra_file, "a\na\nb\n", "a:2 b:1"},
    {HostFormat::deepspeed_file, "worker-1 slots=4\n\n# no\nworker-2 slots=2\n",
     "worker-1:4 worker-2:2"},
    {HostFormat::horovod_file, "h1 slots=4\nh2 slots=2", "h1:4 h2:2"},
    {HostFormat::pbs_node_file, "n1\nn1\nn2\nn1\nn2\n", "n1:3 n2:2"},
    {HostFormat::pbs_node_file, "n2\nn1\n", "n2:1 n1:1"},
    {HostFormat::sge_host_file,
     "node1 4 all.q@node1 UNDEFINED\nnode2 2 all.q@node2 <NULL>\nnode1 1 long.q@node1 UNDEFINED\n",
     "node1:5 node2:2"},
    {HostFormat::lsf_host_slots, "h1 2 h2 3", "h1:2 h2:3"},
    {HostFormat::lsf_host_slots, " h1 2  h2 3 h1 1", "h1:3 h2:3"},
    {HostFormat::lsf_hosts, "h1 h1 h2", "h1:2 h2:1"},
    {HostFormat::lsf_rank_file, "h1\nh1\nh2\nh2\n", "h1:2 h2:2"},
    {HostFormat::lsf_host_file, "h2\nh2\nh1\nh2\n", "h2:3 h1:1"},
    {HostFormat::json_list, R"(["algo-1","algo-10","algo-2"])", "algo-1 algo-10 algo-2"},
    {HostFormat::json_list, R"([ "algo\u002d1" ])", "algo-1"},
    {HostFormat::sagemaker_config,
     R"({"current_host":"algo-2","current_instance_type":"ml.p4d","hosts":["algo-1","algo-2"],)"
     R"("network_interface_name":"eth0"})",
     "algo-1 algo-2 @1"},
    {HostFormat::sagemaker_config, R"({"hosts":["algo-1"]})", "algo-1"},
    {HostFormat::tf_config,
     R"({"cluster":{"ps":["p:1"],"worker":["w0:2222","w1:2222"],"chief":["c:2222"]},)"
     R"("task":{"type":"worker","index":1}})",
     "c w0 w1 @2"},
    {HostFormat::tf_config,
     R"({"cluster":{"worker":["localhost:1","localhost:2"]},"task":{"type":"worker","index":"0"}})",
     "localhost localhost @0"},
    {HostFormat::tf_config,
     R"({"cluster":{"master":["m:1"],"worker":["[fe80::1]:2"]},"task":{"type":"ps","index":7}})",
     "m fe80::1"},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1"]}})", "w"},
};

TEST(HostFormats, each_reads_its_texts) {
  for (const Good& row : good) {
    const auto table = parse_hosts(row.format, row.text);
    ASSERT_TRUE(table) << row.text << '\n' << message(table.error()).view();
    EXPECT_EQ(picture(*table), row.table) << row.text;
    const bool lists_ranks =
        row.format == HostFormat::lsf_rank_file || row.format == HostFormat::ascend_rank_table;
    EXPECT_EQ(table->node_of_rank().empty(), !lists_ranks) << row.text;
  }
}

struct Bad {
  HostFormat format;
  std::string_view text;
  Errc code;
  std::int64_t position;
};
constexpr Bad bad[] = {
    {HostFormat::comma_list, "", Errc::bad_host_list, 0},
    {HostFormat::comma_list, " , ,", Errc::bad_host_list, 0},
    {HostFormat::comma_list, "a b", Errc::bad_host_list, 1},
    {HostFormat::comma_list, "n[1-2]", Errc::bad_host_list, 1},
    {HostFormat::comma_list, "a,b\n", Errc::bad_host_list, 3},
    {HostFormat::line_list, "a\nb\v\n", Errc::bad_host_list, 3},
    {HostFormat::line_list, "\xef\xbb\xbfnode1\n", Errc::bad_host_list, 0},  // a byte-order mark
    {HostFormat::hydra_file, "\xef\xbb\xbfnode1:2\n", Errc::bad_file, 0},
    {HostFormat::comma_list, "aaaa,bbbb,c[1]", Errc::bad_host_list, 11},
    {HostFormat::json_list, "[\"a\",\"n[1]\"]", Errc::bad_host_list, 5},
    {HostFormat::host_argument, "a:2,", Errc::bad_host_list, 4},
    {HostFormat::host_argument, ",a", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "a b", Errc::bad_host_list, 2},
    {HostFormat::host_argument, "a:x", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "a:", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "a,b:-1", Errc::bad_host_list, 2},
    {HostFormat::host_argument, "fe80::1", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "[fe80::1", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "[fe80::1]x", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "[fe80::1]x:2", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "fe80::1]:2", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "[]:2", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "a:2147483648", Errc::bad_host_list, 0},
    {HostFormat::host_argument, "a:2147483647,b,a", Errc::bad_host_list, 0},
    {HostFormat::open_mpi_file, "# nothing\n", Errc::bad_file, 0},
    {HostFormat::open_mpi_file, "node1 slots", Errc::bad_file, 11},
    {HostFormat::open_mpi_file, "node1 slots=", Errc::bad_file, 12},
    {HostFormat::open_mpi_file, "node1 slots=two", Errc::bad_file, 12},
    {HostFormat::open_mpi_file, "node1 slot=2", Errc::bad_file, 6},
    {HostFormat::open_mpi_file, "node1 4", Errc::bad_file, 6},
    {HostFormat::open_mpi_file, "node1 slots=4\n^node2", Errc::bad_file, 14},
    {HostFormat::open_mpi_file, "+n2 slots=4", Errc::bad_file, 0},
    {HostFormat::open_mpi_file, "node1 /* slots=4", Errc::bad_file, -2},  // a comment to the end
    {HostFormat::open_mpi_file, "node1 username=", Errc::bad_file, 15},
    {HostFormat::open_mpi_file, "node1 port=high", Errc::bad_file, 11},
    {HostFormat::open_mpi_file, "node0\nnode1:4\n", Errc::bad_file, 6},  // Hydra's way
    {HostFormat::open_mpi_file, "me@node1:4", Errc::bad_file, 0},
    {HostFormat::open_mpi_file, "node1:4 slots=4", Errc::bad_file, 0},
    {HostFormat::open_mpi_file, "\"node1\" slots=2", Errc::bad_file, 0},
    {HostFormat::open_mpi_file, "node1 slots=2 slots=3", Errc::bad_file, 14},
    {HostFormat::open_mpi_file, "node1 slots=4\nnode2\nnode1 slots=3\n", Errc::bad_file, 20},
    {HostFormat::open_mpi_file, "node1\nme@node1 slots=2\n", Errc::bad_file, 6},
    {HostFormat::open_mpi_file, "a\nb slots=1\na slots=1\nb slots=1\n", Errc::bad_file, 12},
    {HostFormat::open_mpi_file, "node1 cpu=2 port=4 slots=2", Errc::bad_file, 19},
    // fewer at most than the slots, of which a line has one if it says nothing
    {HostFormat::open_mpi_file, "node1 slots=4 max_slots=2", Errc::bad_file, 24},
    {HostFormat::open_mpi_file, "node1\nnode2 max-slots=0", Errc::bad_file, 22},
    {HostFormat::open_mpi_file, "node1 max_slots=0 slots=0", Errc::bad_file, 16},
    {HostFormat::open_mpi_file, "node1\nnode2\nnode1 max_slots=1", Errc::bad_file, 12},
    {HostFormat::open_mpi_file, "node1 max_slots=3\nnode1 max_slots=3", Errc::bad_file, 18},
    {HostFormat::hydra_file, "node1:x", Errc::bad_file, 0},
    {HostFormat::hydra_file, "node1 node2", Errc::bad_file, 6},
    {HostFormat::deepspeed_file, "", Errc::bad_file, 0},
    {HostFormat::deepspeed_file, "worker-1", Errc::bad_file, 8},
    {HostFormat::deepspeed_file, "worker-1 slots = 4", Errc::bad_file, 9},
    {HostFormat::deepspeed_file, "worker-1 slots=4 max=8", Errc::bad_file, 17},
    {HostFormat::deepspeed_file, "worker-1 slots=x", Errc::bad_file, 9},
    {HostFormat::deepspeed_file, "a slots=1\nb slots=1\na slots=1", Errc::bad_file, 20},
    {HostFormat::deepspeed_file, "b slots=1\nb slots=1\na slots=1\na slots=1", Errc::bad_file, 10},
    {HostFormat::horovod_file, "a slots=1\na slots=1\n", Errc::bad_file, 10},
    {HostFormat::pbs_node_file, "", Errc::bad_file, 0},
    {HostFormat::pbs_node_file, "n1 n2\n", Errc::bad_file, 3},
    {HostFormat::pbs_node_file, "n1\fn2\n", Errc::bad_host_list, 2},
    {HostFormat::sge_host_file, "node1\n", Errc::bad_file, 5},
    {HostFormat::sge_host_file, "node1 all.q 4\n", Errc::bad_file, 6},
    {HostFormat::lsf_host_slots, "h1 2 h2", Errc::bad_host_list, 7},
    {HostFormat::lsf_host_slots, "h1 h2 3", Errc::bad_host_list, 3},
    {HostFormat::lsf_hosts, "", Errc::bad_host_list, 0},
    {HostFormat::json_list, "", Errc::bad_json, 0},
    {HostFormat::json_list, "[]", Errc::bad_host_list, 0},
    {HostFormat::json_list, "{}", Errc::bad_host_list, 0},
    {HostFormat::json_list, "[\"a\",1]", Errc::bad_host_list, 5},
    {HostFormat::json_list, "[\"a\",\"\"]", Errc::bad_host_list, 5},
    {HostFormat::sagemaker_config, "[]", Errc::bad_host_list, 0},
    {HostFormat::sagemaker_config, R"({"hosts":"a"})", Errc::bad_host_list, 9},
    {HostFormat::sagemaker_config, R"({"hosts":["a"],"current_host":"b"})", Errc::bad_host_list,
     30},
    {HostFormat::sagemaker_config, R"({"hosts":["a"],"current_host":7})", Errc::bad_host_list, 30},
    {HostFormat::sagemaker_config, R"({"hosts":["a","a"]})", Errc::bad_host_list, 14},
    {HostFormat::tf_config, "{}", Errc::bad_host_list, 0},
    {HostFormat::tf_config, R"({"cluster":{}})", Errc::bad_host_list, 0},
    {HostFormat::tf_config, R"({"cluster":{"worker":"w:1"}})", Errc::bad_host_list, 21},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w"]}})", Errc::bad_host_list, 22},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:x"]}})", Errc::bad_host_list, 22},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1",2]}})", Errc::bad_host_list, 28},
    {HostFormat::tf_config, R"({"cluster":{"worker":["fe80::1]:2"]}})", Errc::bad_host_list, 22},
    {HostFormat::tf_config, R"({"cluster":{"worker":["fe80::1"]}})", Errc::bad_host_list, 22},
    {HostFormat::tf_config, R"({"cluster":{"worker":["fe80::1:2"]}})", Errc::bad_host_list, 22},
    {HostFormat::tf_config, R"({"cluster":{"chief":["c:1"],"master":["m:1"]}})",
     Errc::bad_host_list, 11},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1"]},"task":{"type":"worker","index":1}})",
     Errc::bad_host_list, 62},
    {HostFormat::tf_config,  // an index of the whole list is not one of its own
     R"({"cluster":{"chief":["c:1"],"worker":["w:1"]},"task":{"type":"worker","index":1}})",
     Errc::bad_host_list, 78},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1"]},"task":{"type":"worker"}})",
     Errc::bad_host_list, 37},
    // a name that stands again: no one can tell which one counts
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1"]},"cluster":{"worker":["w:1"]}})",
     Errc::bad_host_list, 30},
    {HostFormat::tf_config, R"({"cluster":{"chief":["c:1"],"worker":["w:1"],"chief":["d:1"]}})",
     Errc::bad_host_list, 45},
    {HostFormat::tf_config, R"({"cluster":{"chief":["c:1"],"worker":["w:1"],"worker":["v:1"]}})",
     Errc::bad_host_list, 45},
    {HostFormat::tf_config, R"({"cluster":{"chief":["c:1"],"chief":["d:1"],"master":["m:1"]}})",
     Errc::bad_host_list, 28},
    {HostFormat::tf_config, R"({"cluster":{"worker":["w:1"]},"task":{},"task":{}})",
     Errc::bad_host_list, 40},
    {HostFormat::tf_config,
     R"({"cluster":{"worker":["w:1"]},"task":{"type":"worker","index":0,"type":"ps"}})",
     Errc::bad_host_list, 64},
    {HostFormat::tf_config,
     R"({"cluster":{"worker":["w:1"]},"task":{"type":"ps","index":0,"index":1}})",
     Errc::bad_host_list, 60},
    {HostFormat::sagemaker_config, R"({"hosts":["a"],"hosts":["b"]})", Errc::bad_host_list, 15},
    {HostFormat::sagemaker_config, R"({"hosts":["a"],"current_host":"a","current_host":"b"})",
     Errc::bad_host_list, 34},
};

TEST(HostFormats, errors_have_the_byte_of_the_fault) {
  for (const Bad& row : bad) {
    const auto table = parse_hosts(row.format, row.text, {}, "THE_VARIABLE");
    if (row.position == -2) {  // no error at all
      ASSERT_TRUE(table) << row.text;
      continue;
    }
    ASSERT_FALSE(table) << row.text;
    EXPECT_EQ(table.error().code, row.code) << row.text << '\n' << message(table.error()).view();
    EXPECT_EQ(table.error().position, row.position) << row.text;
    EXPECT_EQ(table.error().subject, "THE_VARIABLE");
  }
  EXPECT_EQ(
      message(parse_hosts(HostFormat::lsf_host_slots, "h1 2 h2", {}, "LSB_MCPU_HOSTS").error())
          .view(),
      "LSB_MCPU_HOSTS=\"h1 2 h2\" at byte 7: expected a number of slots after each host; "
      "correct it, or unset it");
  EXPECT_EQ(
      message(parse_hosts(HostFormat::json_list, "\xef\xbb\xbf[\"a\"]", {}, "SM_HOSTS").error())
          .view(),
      "SM_HOSTS=\"\\xef\\xbb\\xbf[\\\"a\\\"]\" at byte 0: expected a text without a byte-order "
      "mark; "
      "correct it, or unset it");
  EXPECT_EQ(message(parse_hosts(HostFormat::sagemaker_config, R"({"hosts":[],"hosts":[]})", {},
                                "SM_RESOURCE_CONFIG")
                        .error())
                .view(),
            "SM_RESOURCE_CONFIG=\"{\\\"hosts\\\":[],\\\"hosts\\\":[]}\" at byte 12: expected each "
            "name once; correct it, or unset it");
  EXPECT_EQ(
      message(parse_hosts(HostFormat::open_mpi_file, "a\na slots=2", {}, "hosts").error()).view(),
      "hosts=\"a\\x0aa slots=2\" at byte 2: expected slots in the first line of a host alone, "
      "as each further line is one more slot; correct the file");
  EXPECT_EQ(
      message(parse_hosts(HostFormat::open_mpi_file, "a max_slots=0", {}, "hosts").error()).view(),
      "hosts=\"a max_slots=0\" at byte 12: expected at least as many as the slots of the line, "
      "which are 1 if none stand before; correct the file");
  EXPECT_EQ(
      message(parse_hosts(HostFormat::open_mpi_file, "a\na max_slots=1", {}, "hosts").error())
          .view(),
      "hosts=\"a\\x0aa max_slots=1\" at byte 2: expected max_slots of at least the slots of the "
      "host so far, as each further line is one more slot; correct the file");
  EXPECT_EQ(
      message(parse_hosts(HostFormat::horovod_file, "a slots=2\na slots=2", {}, "hosts").error())
          .view(),
      "hosts=\"a slots=2\\x0aa slots=2\" at byte 10: expected each host once; correct the file");
}

TEST(HostFormats, json_names_hold_255_bytes_and_no_more) {
  const auto list = [](std::size_t length) {
    return parse_hosts(HostFormat::json_list, "[\"a\",\"" + std::string(length, 'x') + "\"]");
  };
  EXPECT_EQ(list(255)->hosts()[1], std::string(255, 'x'));
  EXPECT_EQ(list(256).error().code, Errc::bad_host_list);
  EXPECT_EQ(list(256).error().position, 5);
}

TEST(HostFormats, open_mpi_takes_slots_from_its_keys_only) {
  struct Key {
    std::string_view word;
    bool slots;
    bool number;
  };
  for (const Key& key : {
           Key{"slots", true, true},
           Key{"cpu", true, true},
           Key{"cpus", true, true},
           Key{"count", true, true},
           Key{"slots_max", true, true},
           Key{"slots-max", true, true},
           Key{"max_slots", true, true},
           Key{"max-slots", true, true},
           Key{"cpu_max", true, true},
           Key{"cpu-max", true, true},
           Key{"cpus_max", true, true},
           Key{"count_max", true, true},
           Key{"count-max", true, true},
           Key{"username", false, false},
           Key{"user_name", false, false},
           Key{"user-name", false, false},
           Key{"port", false, true},
       }) {
    const std::string line = "a " + std::string(key.word);
    const auto table = parse_hosts(HostFormat::open_mpi_file, line + "=3");
    EXPECT_EQ(table->slots(0), key.slots ? std::optional<int>(3) : std::nullopt) << key.word;
    EXPECT_EQ(parse_hosts(HostFormat::open_mpi_file, line + "=b").has_value(), !key.number)
        << key.word;
  }
}

TEST(HostFormats, errors_have_the_byte_of_a_host_that_no_list_holds) {
  const std::string_view lines = "a\nb\na\nc\n";
  struct Row {
    HostListLimits limits;
    std::string_view text;
    Errc code;
    std::string_view message;
  };
  for (const Row& row : {
           Row{{2, 255},
               lines,
               Errc::limit_exceeded,
               "FILE=\"a\\x0ab\\x0aa\\x0ac\\x0a\" at byte 6: expected at most 2 hosts in all; "
               "raise "
               "HostListLimits::max_hosts if the list is right"},
           Row{{9, 3},
               "a\nlong\n",
               Errc::limit_exceeded,
               "FILE=\"a\\x0along\\x0a\" at byte 2: expected host names of at most 3 bytes; "
               "shorten the "
               "name that starts there"},
           Row{{9, 9},
               "a\nb,c\n",
               Errc::bad_host_list,
               "FILE=\"a\\x0ab,c\\x0a\" at byte 3: expected a host name without blanks, commas, "
               "'[' and "
               "control bytes; correct the file"},
       }) {
    const auto table =
        parse_hosts(HostFormat::pbs_node_file, row.text, {row.limits, false}, "FILE");
    ASSERT_FALSE(table) << row.text;
    EXPECT_EQ(table.error().code, row.code);
    EXPECT_EQ(message(table.error()).view(), row.message);
  }
  EXPECT_EQ(parse_hosts(HostFormat::pbs_node_file, lines, {{3, 255}, false})->size(), 3U);
}

TEST(HostFormats, a_rank_file_gives_the_host_of_each_rank) {
  const auto plain = parse_hosts(HostFormat::lsf_rank_file, "b\na\nb\nc\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(picture(*plain), "b:2 a:1 c:1");
  const auto ranks = plain->node_of_rank();
  EXPECT_EQ(std::vector<int>(ranks.begin(), ranks.end()), (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(Layout::from_nodes(ranks)->rank_of(0, 1), 2);
  EXPECT_TRUE(plain->device_of_rank().empty());
}

// On Summit and its like LSF lists the node where the job's script runs, which has one slot.
TEST(HostFormats, the_launch_node_is_no_host_where_the_caller_says_that_there_is_one) {
  struct Row {
    HostFormat format;
    std::string_view text, expected;
  };
  constexpr std::string_view one_slot =
      "expected a launch node first, with one slot; in the "
      "program, leave out first_is_launch_node";
  constexpr Row rows[] = {
      {HostFormat::lsf_rank_file, "batch1\nh1\nh1\nh2\n", "h1:2 h2:1"},
      {HostFormat::lsf_host_file, "batch1\nh1\nh1\nh2\n", "h1:2 h2:1"},
      {HostFormat::lsf_hosts, "batch1 h1 h1 h2", "h1:2 h2:1"},
      {HostFormat::lsf_host_slots, "batch1 1 h1 42 h2 42", "h1:42 h2:42"},
      // without a launch node: to leave out the first would lose a host or a slot
      {HostFormat::lsf_rank_file, "h1\nh2\nh1\n", "at byte 0"},
      {HostFormat::lsf_host_file, "h1\nh1\nh2\n", "at byte 0"},
      {HostFormat::lsf_hosts, " h1 h1 h2", "at byte 1"},
      {HostFormat::lsf_host_slots, "h1 42 h2 42", "at byte 0"},
      {HostFormat::lsf_host_slots, "h1 1 h2 1 h1 1", "at byte 0"},
      // alone
      {HostFormat::lsf_rank_file, "batch1\n", "expected at least one host after the launch node"},
      {HostFormat::lsf_host_slots, "batch1 1", "expected at least one host after the launch node"},
      {HostFormat::lsf_hosts, "batch[1 h1", "expected a host name without blanks"},
      // other lists have none, whatever the caller says
      {HostFormat::pbs_node_file, "n1\nn1\nn2\n", "n1:2 n2:1"},
      {HostFormat::comma_list, "h0,h1", "h0 h1"},
      {HostFormat::host_argument, "a:1,b:2", "a:1 b:2"},
  };
  rankmap::HostSourceOptions launch_node;
  launch_node.first_is_launch_node = true;
  for (const Row& row : rows) {
    const auto table = parse_hosts(row.format, row.text, launch_node, "LIST");
    const std::string found = table ? picture(*table) : std::string(message(table.error()).view());
    EXPECT_NE(found.find(row.expected), std::string::npos) << row.text << '\n' << found;
    EXPECT_EQ(table.has_value(), found == row.expected) << row.text << '\n' << found;
    if (row.expected.substr(0, 7) != "at byte") continue;
    EXPECT_NE(found.find(one_slot), std::string::npos) << found;
  }
  const auto ranks = parse_hosts(HostFormat::lsf_rank_file, "batch1\nh1\nh2\nh1\n", launch_node);
  ASSERT_TRUE(ranks);
  const auto nodes = ranks->node_of_rank();
  EXPECT_EQ(std::vector<int>(nodes.begin(), nodes.end()), (std::vector<int>{0, 1, 0}));
}

constexpr std::string_view rank_table = R"({
  "status": "completed", "version": "1.0", "server_count": "2",
  "server_list": [
    {"server_id": "10.0.0.10", "host_ip": "10.0.0.10", "device": [
      {"device_id": "0", "device_ip": "192.168.1.8", "rank_id": "0"},
      {"device_id": "1", "device_ip": "192.168.1.9", "rank_id": "2"}]},
    {"server_id": "10.0.0.11", "device": [
      {"device_id": "4", "device_ip": "192.168.2.8", "rank_id": "1"}]}]})";

TEST(HostFormats, a_rank_table_gives_ranks_and_devices) {
  const auto table = parse_hosts(HostFormat::ascend_rank_table, rank_table);
  ASSERT_TRUE(table) << message(table.error()).view();
  EXPECT_EQ(picture(*table), "10.0.0.10:2 10.0.0.11:1");
  const auto nodes = table->node_of_rank();
  const auto devices = table->device_of_rank();
  EXPECT_EQ(std::vector<int>(nodes.begin(), nodes.end()), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(std::vector<int>(devices.begin(), devices.end()), (std::vector<int>{0, 4, 1}));
  EXPECT_EQ(Layout::from_nodes(nodes)->distribution(), rankmap::Distribution::cyclic);
}

TEST(HostFormats, a_rank_table_that_contradicts_itself_is_an_error) {
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string text(rank_table);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  struct Change {
    std::string_view from, to, expected;
  };
  for (const Change& change : {
           Change{"completed", "initializing", "\"status\": \"completed\""},
           Change{"\"1.0\"", "\"2.0\"", "\"version\": \"1.0\", \"1.1\" or \"1.2\""},
           Change{"\"1.0\"", "1.0", "\"version\": \"1.0\", \"1.1\" or \"1.2\""},
           Change{"\"version\": \"1.0\", ", "", "\"version\": \"1.0\", \"1.1\" or \"1.2\""},
           Change{"\"status\": \"completed\", ", "", "\"status\": \"completed\""},
           Change{"server_list", "servers", "a \"server_list\""},
           Change{"\"server_list\":", "\"server_list\": 2, \"more\":", "a \"server_list\""},
           Change{"\"device\":", "\"devices\":", "a server with a list \"device\""},
           Change{"\"device\":", "\"device\": 2, \"more\":", "a server with a list \"device\""},
           Change{"\"server_count\": \"2\"", "\"server_count\": \"two\"",
                  "a \"server_count\" that counts the servers"},
           Change{"\"server_count\": \"2\"", "\"server_count\": \"3\"",
                  "a \"server_count\" that counts the servers"},
           Change{"\"rank_id\": \"1\"", "\"rank_id\": \"2\"",
                  "each \"rank_id\" from 0 to the number of devices - 1 once"},
           Change{"\"rank_id\": \"1\"", "\"rank_id\": \"3\"",
                  "each \"rank_id\" from 0 to the number of devices - 1 once"},
           Change{"\"rank_id\": \"1\"", "\"rank_id\": \"x\"",
                  "a device with a \"rank_id\" and a \"device_id\""},
           Change{"\"rank_id\": \"1\"", "\"id\": \"1\"",
                  "a device with a \"rank_id\" and a \"device_id\""},
           Change{"\"device_id\": \"4\"", "\"device_id\": \"2147483648\"",
                  "a device with a \"rank_id\" and a \"device_id\""},
           Change{"\"server_id\": \"10.0.0.11\", ", "", "a server with a \"server_id\""},
           Change{"\"device_id\": \"4\"", "\"id\": \"4\"",
                  "a device with a \"rank_id\" and a \"device_id\""},
           Change{"\"server_id\": \"10.0.0.11\"", "\"server_id\": 11",
                  "a server with a \"server_id\""},
           Change{"\"server_id\": \"10.0.0.11\"", "\"server_id\": \"10.0.0.10\"", "each host once"},
           Change{"\"status\"", "\"status\": \"completed\", \"status\"", "each name once"},
           Change{"\"version\"", "\"version\": \"1.0\", \"version\"", "each name once"},
           Change{"\"server_list\"", "\"server_list\": [], \"server_list\"", "each name once"},
           Change{"\"server_count\"", "\"server_count\": \"3\", \"server_count\"",
                  "each name once"},
           Change{"\"server_id\"", "\"server_id\": \"a\", \"server_id\"", "each name once"},
           Change{"\"device\"", "\"device\": [], \"device\"", "each name once"},
           Change{"\"device_id\"", "\"device_id\": \"0\", \"device_id\"", "each name once"},
           Change{"\"rank_id\"", "\"rank_id\": \"0\", \"rank_id\"", "each name once"},
       }) {
    const auto table = parse_hosts(HostFormat::ascend_rank_table, changed(change.from, change.to));
    ASSERT_FALSE(table) << change.to;
    EXPECT_EQ(table.error().code, Errc::bad_file) << change.to;
    EXPECT_EQ(table.error().expected, change.expected) << change.to;
  }
  for (const std::string_view version : {"\"1.1\"", "\"1.2\""}) {
    EXPECT_TRUE(parse_hosts(HostFormat::ascend_rank_table, changed("\"1.0\"", version))) << version;
  }
  EXPECT_TRUE(parse_hosts(HostFormat::ascend_rank_table, changed("\"server_count\": \"2\",", "")));
  EXPECT_EQ(parse_hosts(HostFormat::ascend_rank_table, "[").error().code, Errc::bad_json);
}

TEST(HostFormats, a_value_outside_the_enum_is_an_error) {
  EXPECT_EQ(message(parse_hosts(static_cast<HostFormat>(99), "a", {}, "MY_HOSTS").error()).view(),
            "MY_HOSTS=\"a\" at byte 0: expected a format of HostFormat; correct it, or unset it");
}

// ---- hostile ----

constexpr std::span all_formats(rankmap::detail::host_formats);

TEST(HostFormats, long_hostile_texts_are_errors) {
  std::string names;
  for (int i = 0; names.size() < 600'000; ++i) names += "h" + std::to_string(i % 20'000) + "\n";
  const auto table = parse_hosts(HostFormat::pbs_node_file, names);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 20'000U);
  EXPECT_EQ(parse_hosts(HostFormat::pbs_node_file, names, {.limits = HostListLimits{1000, 255}})
                .error()
                .code,
            Errc::limit_exceeded);
  for (const auto& row : all_formats) {
    for (const char c : {'[', ',', 'a', ':', ' ', '\n', '"', '/', '\0', '\xff'}) {
      const auto result = parse_hosts(row.format, std::string(200'000, c));
      EXPECT_FALSE(result) << static_cast<int>(row.format) << ' ' << static_cast<int>(c);
    }
  }
}

TEST(HostFormats, damaged_texts_give_a_table_or_an_error) {
  std::mt19937 random(9);
  std::size_t hosts = 0;
  for (int round = 0; round != 20'000; ++round) {
    const Good& row = good[random() % (sizeof good / sizeof good[0])];
    std::string text(row.text);
    constexpr std::string_view alphabet = "a0[]{}\",:= \n\t#/*@^+-.\\";
    for (std::size_t changes = 1 + random() % 3; changes != 0; --changes) {
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    }
    const HostFormat format =
        random() % 4 == 0 ? all_formats[random() % all_formats.size()].format : row.format;
    const auto table = parse_hosts(format, text);
    if (!table) {
      ASSERT_FALSE(message(table.error()).empty());
      continue;
    }
    ASSERT_GT(table->size(), 0U);
    for (std::size_t i = 0; i != table->size(); ++i) {
      ASSERT_FALSE(table->hosts()[i].empty());
      (void)table->slots(i);
    }
    ASSERT_LT(table->own_index().value_or(0), table->size());
    hosts += table->size();
  }
  EXPECT_GT(hosts, 1000U);
}

}  // namespace
