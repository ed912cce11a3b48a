// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"
#include "support/summary.hpp"

#include <rankmap/environment/map_environment.hpp>
#include <rankmap/job/job_record.hpp>
#include <rankmap/launcher/launcher.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace {

using rankmap::Device;
using rankmap::DeviceFacts;
using rankmap::DeviceKind;
using rankmap::JobRecord;
using rankmap::OriginKind;
using rankmap::ProcessFacts;
using rankmap::Topology;
using rankmap_test::full_record;

static_assert(sizeof(JobRecord) <= 768 && JobRecord::bytes == 768);
constexpr JobRecord third = full_record(2);
static_assert(is_valid(third) && third.rank == 2 && third.node_rank == 1 && third.host == "n2" &&
              third.cpus == "0-3");

constexpr Topology topology_of_two() {
  return *Topology::from_config({.rank = 1, .world_size = 2, .local_rank = 1});
}

TEST(JobRecord, has_what_the_topology_knows) {
  const rankmap::FixedEnvironment environment({{"TORCHELASTIC_RUN_ID", "night"},
                                               {"RANK", "3"},
                                               {"WORLD_SIZE", "4"},
                                               {"LOCAL_RANK", "1"},
                                               {"LOCAL_WORLD_SIZE", "2"},
                                               {"GROUP_RANK", "1"},
                                               {"GROUP_WORLD_SIZE", "2"},
                                               {"TORCHELASTIC_RESTART_COUNT", "5"}});
  const auto topology = Topology::from_environment(environment);
  ASSERT_TRUE(topology) << rankmap_test::summary(topology);
  const JobRecord record = describe(*topology);
  EXPECT_TRUE(is_valid(record));
  EXPECT_EQ(record.rank, 3);
  EXPECT_EQ(record.world_size, 4);
  EXPECT_EQ(record.local_rank, 1);
  EXPECT_EQ(record.local_world_size, 2);
  EXPECT_EQ(record.node_rank, 1);
  EXPECT_EQ(record.node_count, 2);
  EXPECT_EQ(record.restart_count, 5);
  EXPECT_EQ(record.launcher, "torchrun");
  EXPECT_EQ(record.origin, OriginKind::read);
  EXPECT_EQ(record.source, "RANK");
  EXPECT_EQ(record.job, "night");
  EXPECT_EQ(record.warnings, 0);
  EXPECT_EQ(record.conflicts, 0);
}

TEST(JobRecord, leaves_unknown_what_the_topology_does_not_know) {
  const JobRecord record = describe(topology_of_two());
  EXPECT_TRUE(is_valid(record));
  EXPECT_EQ(record.origin, OriginKind::given);
  EXPECT_EQ(record.node_rank, -1);
  EXPECT_EQ(record.restart_count, -1);
  EXPECT_EQ(record.layout, 0U);
  EXPECT_EQ(record.hosts, 0U);
  EXPECT_TRUE(record.host.empty());
  EXPECT_TRUE(record.job.empty());
}

TEST(JobRecord, counts_warnings_and_contradicting_records) {
  const rankmap::FixedEnvironment environment({{"TORCHELASTIC_RUN_ID", "night"},
                                               {"RANK", "0"},
                                               {"WORLD_SIZE", "2"},
                                               {"LOCAL_RANK", "0"},
                                               {"LOCAL_WORLD_SIZE", "2"},
                                               {"TORCHELASTIC_RESTART_COUNT", "many"},
                                               {"OMPI_COMM_WORLD_RANK", "5"},
                                               {"OMPI_COMM_WORLD_SIZE", "8"},
                                               {"OMPI_COMM_WORLD_LOCAL_RANK", "5"}});
  const auto topology =
      Topology::from_environment(environment, {.launcher = rankmap::Launcher::torchrun});
  ASSERT_TRUE(topology) << rankmap_test::summary(topology);
  std::size_t conflicts = 0;
  for (const auto& other : topology->other_records()) {
    conflicts += other.relation == rankmap::Relation::conflict ? 1U : 0U;
  }
  const JobRecord record = describe(*topology);
  EXPECT_EQ(record.warnings, topology->warnings().size());
  EXPECT_EQ(record.warnings, 1);
  EXPECT_EQ(record.conflicts, conflicts);
  EXPECT_EQ(record.conflicts, 1);
  EXPECT_EQ(record.against, rankmap::Launcher::open_mpi);
  EXPECT_EQ(record.against_by, "OMPI_COMM_WORLD_RANK");
}

TEST(JobRecord, keeps_the_gravest_doubt) {
  using rankmap::Doubt;
  struct Row {
    std::map<std::string, std::string> variables;
    rankmap::Config config;
    Doubt doubt;
    std::string_view doubted;
    rankmap::Launcher against = rankmap::Launcher::none;
  };
  const Row rows[] = {
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}}, {}, Doubt::none, ""},
      {{{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "x"}},
       {},
       Doubt::value,
       "LOCAL_WORLD_SIZE"},
      {{{"RANK", "1"},
        {"WORLD_SIZE", "4"},
        {"LOCAL_RANK", "1"},
        {"MASTER_PORT", "x"},
        {"NUM_REPLICA_GROUPS", "2"}},
       {},
       Doubt::groups,
       "NUM_REPLICA_GROUPS"},
      {{{"TORCHELASTIC_RUN_ID", "night"},
        {"RANK", "3"},
        {"WORLD_SIZE", "8"},
        {"LOCAL_RANK", "0"},
        {"LOCAL_WORLD_SIZE", "2"},
        {"GROUP_RANK", "0"},
        {"GROUP_WORLD_SIZE", "4"}},
       {},
       Doubt::virtual_rank,
       "LOCAL_RANK"},
      {{{"TORCHELASTIC_RUN_ID", "night"},
        {"RANK", "5"},
        {"WORLD_SIZE", "8"},
        {"LOCAL_RANK", "0"},
        {"LOCAL_WORLD_SIZE", "4"},
        {"GROUP_RANK", "1"},
        {"GROUP_WORLD_SIZE", "2"}},
       {},
       Doubt::virtual_rank,
       "LOCAL_RANK"},
      {{{"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "4"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
        {"OMPI_NUM_APP_CTX", "2"}},
       {},
       Doubt::programs,
       "OMPI_NUM_APP_CTX"},
      {{{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"JOB_COMPLETION_INDEX", "2"}},
       {.one_process_per_node = true},
       Doubt::index,
       "JOB_COMPLETION_INDEX=2",
       rankmap::Launcher::kubernetes},
      // of a text that is too long, the variable alone
      {{{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"AWS_BATCH_JOB_NODE_INDEX", "0000002"}},
       {.one_process_per_node = true},
       Doubt::index,
       "AWS_BATCH_JOB_NODE_INDEX",
       rankmap::Launcher::aws_batch},
  };
  for (const Row& row : rows) {
    const rankmap::MapEnvironment environment(row.variables);
    const auto topology = Topology::from_environment(environment, row.config);
    ASSERT_TRUE(topology) << row.doubted << ": " << rankmap_test::summary(topology);
    const JobRecord record = describe(*topology);
    EXPECT_EQ(name(record.doubt), name(row.doubt)) << row.doubted;
    EXPECT_EQ(record.doubted, row.doubted);
    EXPECT_EQ(record.against, row.against) << row.doubted;
  }
}

TEST(JobRecord, tells_where_the_processes_meet) {
  struct Row {
    std::string_view address;
    std::string_view port;
    std::uint32_t kind;
    int number;
  };
  const Row rows[] = {
      {"n1", "29500", 1, 29500},      {"n1.cluster", "29500", 1, 29500}, {"10.0.0.1", "1", 2, 1},
      {"fe80::1", "65535", 2, 65535}, {"localhost", "29500", 3, 29500},  {"127.0.1.1", "7", 3, 7},
      {"1a", "29500", 1, 29500},
  };
  for (const Row& row : rows) {
    const rankmap::FixedEnvironment environment({{"RANK", "0"},
                                                 {"WORLD_SIZE", "2"},
                                                 {"LOCAL_RANK", "0"},
                                                 {"MASTER_ADDR", row.address},
                                                 {"MASTER_PORT", row.port}});
    const std::uint32_t meeting = describe(*Topology::from_environment(environment)).rendezvous;
    EXPECT_EQ(meeting >> 30U, row.kind) << row.address;
    EXPECT_EQ(static_cast<int>(meeting & 0xffffU), row.number) << row.address;
  }
  using rankmap::detail::meeting_point;
  EXPECT_EQ(meeting_point("n1", 1), meeting_point("N1.cluster", 1));
  EXPECT_NE(meeting_point("n1", 1), meeting_point("n2", 1));
  EXPECT_NE(meeting_point("10.0.0.1", 1), meeting_point("10.0.0.2", 1));
  for (const char* const own : {"127.0.0.1", "LocalHost", "localhost.localdomain", "ip6-localhost",
                                "ip6-loopback", "::1", "::", "0.0.0.0", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(meeting_point(own, 1), meeting_point("localhost", 1)) << own;
  }
  EXPECT_NE(meeting_point("localhost1", 1), meeting_point("localhost", 1));
  EXPECT_EQ(meeting_point("", 0), 0U);
}

TEST(JobRecord, joins_job_and_step) {
  const rankmap::FixedEnvironment environment({{"SLURM_PROCID", "0"},
                                               {"SLURM_LOCALID", "0"},
                                               {"SLURM_NTASKS", "1"},
                                               {"SLURM_STEP_NUM_TASKS", "1"},
                                               {"SLURM_STEP_ID", "3"},
                                               {"SLURM_JOB_ID", "4711"}});
  const auto topology = Topology::from_environment(environment);
  ASSERT_TRUE(topology) << rankmap_test::summary(topology);
  EXPECT_EQ(describe(*topology).job, "4711.3") << rankmap_test::summary(topology);
}

TEST(JobRecord, has_room_for_the_name_of_every_launcher) {
  for (int i = 0; i <= static_cast<int>(rankmap::Launcher::kubernetes); ++i) {
    const rankmap::StaticString<15> text(name(static_cast<rankmap::Launcher>(i)));
    EXPECT_FALSE(text.cut()) << text;
    EXPECT_FALSE(text.empty()) << i;
  }
}

/// What a record keeps of a host's name.
struct Text {
  std::string_view given;
  std::string_view kept;
};
constexpr Text texts[] = {
    {"n1", "n1"},
    {"n1.east.example", "n1.east.example"},
    {"say \"n\\1\"", "say \"n\\1\""},
    {"\xc3\xa9t\xc3\xa9-1", "\xc3\xa9t\xc3\xa9-1"},
    {"\xe8\x8a\x82\xe7\x82\xb9-1", "\xe8\x8a\x82\xe7\x82\xb9-1"},
    // 63 bytes are kept, of 64 the first 46 and a hash
    {"123456789012345678901234567890123456789012345678901234567890123",
     "123456789012345678901234567890123456789012345678901234567890123"},
    {"1234567890123456789012345678901234567890123456789012345678901234",
     "1234567890123456789012345678901234567890123456~1093289832d4d956"},
    // a quote and a backslash have two bytes in JSON
    {"12345678901234567890123456789012345678901234567890123456789012\"",
     "1234567890123456789012345678901234567890123456~"},
    {"12345678901234567890123456789012345678901234567890123456789012\\",
     "1234567890123456789012345678901234567890123456~"},
    // what cannot be shown is never kept
    {"n1\n", "n1?~"},
    {"n\x1b[31m1", "n?[31m1~"},
    {"n\x7f", "n?~"},
    {"n\xff\xfe", "n??~"},
    {"n\xc2\x9b", "n?~"},
    {"n\xe2\x80\xae", "n?~"},
};

constexpr JobRecord on_host(std::string_view host) {
  ProcessFacts process;
  process.host = host;
  return describe(topology_of_two(), process);
}
/// A text that ends in '~' is a beginning: 16 digits follow it.
constexpr bool is_kept(const Text& text) {
  const JobRecord record = on_host(text.given);
  const std::string_view host = record.host.view();
  const bool hashed = text.kept.back() == '~';
  return is_valid(record) && (hashed ? host.size() == text.kept.size() + 16 &&
                                           host.substr(0, text.kept.size()) == text.kept
                                     : host == text.kept);
}
static_assert(std::ranges::all_of(texts, is_kept));

TEST(JobRecord, keeps_texts_that_are_safe_to_print) {
  for (const Text& text : texts) {
    EXPECT_TRUE(is_kept(text)) << text.given << " became " << on_host(text.given).host;
  }
}

// Source: Unicode's DerivedCoreProperties, Default_Ignorable_Code_Point, and the marks of
// direction.
TEST(JobRecord, keeps_no_character_that_a_terminal_does_not_show) {
  for (const std::string_view character :
       {"\u00ad",     "\u034f",     "\u061c",     "\u115f",     "\u1160",    "\u17b4",
        "\u17b5",     "\u180b",     "\u180e",     "\u180f",     "\u200b",    "\u200f",
        "\u2028",     "\u202a",     "\u202e",     "\u2060",     "\u206f",    "\u3164",
        "\ufe00",     "\ufe0f",     "\ufeff",     "\uffa0",     "\ufff0",    "\U0001bca0",
        "\U0001bca3", "\U0001d173", "\U0001d17a", "\U000e0000", "\U000e0fff"}) {
    const std::string host = "n1" + std::string(character);
    EXPECT_EQ(on_host(host).host.view().substr(0, 4), "n1?~") << host;
  }
  for (const std::string_view character :
       {"\u034e", "\u0350", "\u061b", "\u1161", "\u180a", "\u1810", "\u3163", "\u3165", "\uff9f",
        "\uffa1", "\U0001d172", "\U0001d17b"}) {
    const std::string host = "n1" + std::string(character);
    EXPECT_EQ(on_host(host).host, host);
  }
}

TEST(JobRecord, keeps_different_texts_apart) {
  EXPECT_NE(on_host("n\xff").host, on_host("n\xfe").host);
  const std::string prefix(63, 'x');
  EXPECT_NE(on_host(prefix + "1").host, on_host(prefix + "2").host);
}

/// A list of CPUs, and what a record keeps of it.
struct Cpus {
  std::string_view given;
  std::string_view kept;
  int count;
};
constexpr Cpus cpu_sets[] = {
    {"0", "0", 1},
    {"3,1,2,0", "0-3", 4},
    {"0,48", "0,48", 2},
    {"0-1,48", "0-1,48", 3},
    {"0,2,4", "0-4:2", 3},
    {"0,2,4-6", "0-4:2,5-6", 5},
    {"0,2-5", "0,2-5", 5},
    {"0,3,5", "0,3,5", 3},
    {"0-126:2", "0-126:2", 64},
    {"1-127:2", "1-127:2", 64},
    {"24-29,72-77", "24-29,72-77", 12},
    {"0-8191", "0-8191", 8192},
    {"0,100,1000,1200,1300,1500,1700,2000,3000,4000", "0,100,1000-1200:200,~", 10},
    // too long for a list
    {"1000,1003,1005,1009,1100,1103,1105,1109,1200,1203,1205", "", 11},
};
constexpr JobRecord with_cpus(std::string_view list) {
  ProcessFacts process;
  process.cpus = *rankmap::parse_cpu_list(list);
  return describe(topology_of_two(), process);
}
constexpr bool is_kept(const Cpus& cpus) {
  const JobRecord record = with_cpus(cpus.given);
  if (!is_valid(record) || record.cpu_count != cpus.count ||
      (record.cpu_digest == 0) == record.cpus.empty())
    return false;
  if (!cpus.kept.empty() && cpus.kept.back() == '~') {
    return *rankmap::parse_cpu_list(record.cpus) == *rankmap::parse_cpu_list(cpus.given);
  }
  return record.cpus == cpus.kept;
}

TEST(JobRecord, folds_cpus_into_a_list_that_reads_back) {
  static_assert(is_kept(cpu_sets[1]) && is_kept(cpu_sets[5]));
  for (const Cpus& cpus : cpu_sets) {
    EXPECT_TRUE(is_kept(cpus)) << cpus.given << " became " << with_cpus(cpus.given).cpus;
  }
}

TEST(JobRecord, compares_cpus_that_are_too_many_to_list) {
  const JobRecord one = with_cpus(cpu_sets[13].given);
  EXPECT_EQ(one.cpu_digest, with_cpus(cpu_sets[13].given).cpu_digest);
  std::string other(cpu_sets[13].given);
  other.back() = '6';
  EXPECT_NE(one.cpu_digest, with_cpus(other).cpu_digest);
}

/// How runtimes write the identity of a device, and what a record keeps of it.
struct Identity {
  std::string_view uuid;
  std::string_view pci;
  std::string_view kept_uuid;
  std::string_view kept_pci;
};
constexpr Identity identities[] = {
    {"GPU-9E8D35E3-2A4B-11EE-BE56-0242AC120002", "0000:3B:00.0",
     "GPU-9e8d35e3-2a4b-11ee-be56-0242ac120002", "0000:3b:00.0"},
    {"MIG-9e8d35e3-2a4b-11ee-be56-0242ac120002", "00000000:3B:00.0",
     "MIG-9e8d35e3-2a4b-11ee-be56-0242ac120002", "0000:3b:00.0"},
    {"GPU-00000000-0000-0000-0000-000000000000", "3B:00.0", "", ""},
    {"0000000000000000", "0000:3b:00,0", "", ""},
    {"F00D0123456789AB", "", "f00d0123456789ab", ""},
    {"", "no address", "", ""},
};
constexpr JobRecord with_device(const DeviceFacts& facts) {
  Device device;
  device.kind = DeviceKind::cuda;
  device.count = 1;
  DeviceFacts all = facts;
  all.device = &device;
  return describe(topology_of_two(), {}, all);
}
constexpr bool is_kept(const Identity& identity) {
  DeviceFacts facts;
  facts.uuid = identity.uuid;
  facts.pci = identity.pci;
  const JobRecord record = with_device(facts);
  return is_valid(record) && record.device.is_known && record.device.uuid == identity.kept_uuid &&
         record.device.pci == identity.kept_pci;
}
static_assert(is_kept(identities[0]) && is_kept(identities[2]));

TEST(JobRecord, writes_the_identity_of_a_device_in_one_way) {
  for (const Identity& identity : identities) EXPECT_TRUE(is_kept(identity)) << identity.uuid;
}

TEST(JobRecord, shares_a_device_if_the_policy_or_the_caller_says_so) {
  EXPECT_FALSE(with_device({}).device.is_shared);
  DeviceFacts facts;
  facts.is_shared = true;
  EXPECT_TRUE(with_device(facts).device.is_shared);
  for (const std::string_view policy : {"wrap", "block", "strict"}) {
    Device device;
    device.kind = DeviceKind::rocm;
    device.policy = policy;
    DeviceFacts by_policy;
    by_policy.device = &device;
    EXPECT_EQ(describe(topology_of_two(), {}, by_policy).device.is_shared, policy != "strict");
  }
}

TEST(JobRecord, of_a_process_on_the_cpu_has_no_device) {
  const Device cpu;
  DeviceFacts facts;
  facts.device = &cpu;
  facts.visible_count = 3;
  const JobRecord record = describe(topology_of_two(), {}, facts);
  EXPECT_TRUE(record.device.is_known);
  EXPECT_EQ(record.device.kind, DeviceKind::cpu);
  EXPECT_EQ(record.device.index, -1);
  EXPECT_EQ(record.device.visible_count, -1);
}

TEST(JobRecord, hashes_identities_without_their_line_ends) {
  ProcessFacts one;
  one.boot_id = "boot-1\n";
  one.machine_id = "machine-1\n";
  ProcessFacts same;
  same.boot_id = "boot-1";
  same.machine_id = "machine-1";
  ProcessFacts other;
  other.boot_id = "boot-2";
  other.machine_id = " \n";
  EXPECT_EQ(describe(topology_of_two(), one), describe(topology_of_two(), same));
  EXPECT_EQ(describe(topology_of_two(), one).boot, rankmap::machine_identity("boot-1"));
  EXPECT_NE(describe(topology_of_two(), one).boot, describe(topology_of_two(), other).boot);
  EXPECT_EQ(describe(topology_of_two(), other).machine_id, 0U);
}

TEST(JobRecord, has_equal_digests_for_equal_layouts_and_hosts) {
  const auto of = [](std::string_view hosts, std::string_view tasks, rankmap::Distribution kind) {
    const auto topology = Topology::from_config(
        {.rank = 1, .hosts = hosts, .tasks_per_node = tasks, .distribution = kind});
    return describe(*topology);
  };
  using rankmap::Distribution;
  const JobRecord block = of("n1,n2", "2,2", Distribution::block);
  const JobRecord plane = of("n[1-2]", "2(x2)", Distribution::plane(2));
  const JobRecord cyclic = of("n2,n1", "2,2", Distribution::cyclic);
  EXPECT_NE(block.layout, 0U);
  EXPECT_EQ(block.layout, plane.layout);
  EXPECT_NE(block.layout, cyclic.layout);
  EXPECT_NE(block.hosts, 0U);
  EXPECT_EQ(block.hosts, plane.hosts);
  EXPECT_NE(block.hosts, cyclic.hosts);
}

// Red as a test that takes hours: the node of each rank is hashed, 2^31 of them twenty times.
TEST(JobRecord, has_no_digest_of_a_layout_that_takes_long) {
  const auto of = [](std::string_view tasks, rankmap::Distribution kind) {
    return describe(
        *Topology::from_config({.rank = 1, .tasks_per_node = tasks, .distribution = kind}));
  };
  using rankmap::Distribution;
  EXPECT_NE(of("2097152(x2)", Distribution::block).layout, 0U);
  EXPECT_EQ(of("2097152(x2),1", Distribution::block).layout, 0U);
  for (int i = 0; i != 20; ++i) {
    EXPECT_EQ(of("2000000000", Distribution::block).layout, 0U);
    const JobRecord uneven = of("2147483646,1", Distribution::cyclic);
    EXPECT_EQ(uneven.layout, 0U);
    EXPECT_EQ(uneven.world_size, 2147483647);
  }
}

TEST(JobRecord, is_invalid_outside_its_ranges) {
  using Change = void (*)(JobRecord&);
  const Change changes[] = {
      [](JobRecord& r) { r.rank = -1; },
      [](JobRecord& r) { r.rank = 4; },
      [](JobRecord& r) { r.world_size = 0; },
      [](JobRecord& r) { r.local_rank = -2; },
      [](JobRecord& r) { r.local_rank = 2; },
      [](JobRecord& r) {
        r.local_rank = 4;
        r.local_world_size = -1;
      },
      [](JobRecord& r) { r.local_world_size = 0; },
      [](JobRecord& r) { r.local_world_size = 5; },
      [](JobRecord& r) { r.node_rank = 2; },
      [](JobRecord& r) { r.node_count = -2; },
      [](JobRecord& r) { r.restart_count = -2; },
      [](JobRecord& r) { r.pid = -2; },
      [](JobRecord& r) { r.available_cpus = -2; },
      [](JobRecord& r) { r.threads = -2; },
      [](JobRecord& r) { r.launcher = "s\n"; },
      [](JobRecord& r) { r.source = "\xff"; },
      [](JobRecord& r) { r.job = "\t"; },
      [](JobRecord& r) { r.host = "\x1b[1m"; },
      [](JobRecord& r) {
        r.host =
            "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
            "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";
      },  // 66 bytes in JSON
      [](JobRecord& r) { r.cpus = "0,1,2,3"; },
      [](JobRecord& r) { r.cpus = "0-4"; },
      [](JobRecord& r) { r.cpus = "x"; },
      [](JobRecord& r) { r.cpus = "0-3,9x"; },  // four CPUs, as the record says, and no list
      [](JobRecord& r) { r.cpus = "0-3,2"; },
      [](JobRecord& r) { r.cpus = "3,0-2"; },
      [](JobRecord& r) { r.cpus = "0-3,4-9:0"; },
      [](JobRecord& r) {
        r.cpus = "";
        r.cpu_digest = 0;
      },
      [](JobRecord& r) { r.cpu_count = 8193; },
      [](JobRecord& r) { r.cpu_count = -2; },
      [](JobRecord& r) { r.cpu_count = -1; },
      [](JobRecord& r) {
        r.cpus = "";
        r.cpu_count = 0;
        r.cpu_digest = 0;
      },
      [](JobRecord& r) { r.cpu_digest ^= 1U; },
      [](JobRecord& r) { r.cores = 0; },
      [](JobRecord& r) { r.cores = -2; },
      [](JobRecord& r) { r.cores = 5; },
      [](JobRecord& r) { r.sibling_cpus = "4,5"; },
      [](JobRecord& r) { r.domain = "\n"; },
      [](JobRecord& r) { r.nic = "\x1b"; },
      [](JobRecord& r) { r.nic = ""; },
      [](JobRecord& r) { r.nic_numa_node = -2; },
      [](JobRecord& r) { r.library = "\x1b"; },
      [](JobRecord& r) { r.collectives = "\x1b"; },
      [](JobRecord& r) { r.device.index = -2; },
      [](JobRecord& r) { r.device.numa_node = -2; },
      [](JobRecord& r) { r.device.uuid = "\n"; },
      [](JobRecord& r) { r.device.pci = "0000:0B:00.0"; },
      [](JobRecord& r) { r.device.is_known = false; },
  };
  for (std::size_t i = 0; i != sizeof changes / sizeof changes[0]; ++i) {
    JobRecord record = full_record(3);
    EXPECT_TRUE(is_valid(record));
    changes[i](record);
    EXPECT_FALSE(is_valid(record)) << i;
  }
}

TEST(JobRecord, keeps_short_lists_of_channels_and_tells_long_ones_apart) {
  const auto recorded = [](std::string_view channels) {
    rankmap::ProcessFacts process;
    process.imex_channels = channels;
    return describe(*Topology::from_config({.rank = 0, .world_size = 1}), process).imex_channels;
  };
  for (const std::string_view text : {"", "none", "0", "0-2047"}) EXPECT_EQ(recorded(text), text);
  EXPECT_EQ(recorded("0,2,4,6,8").size(), 7U);
  EXPECT_NE(recorded("0,2,4,6,8"), recorded("0,2,4,6,9"));
}

}  // namespace
