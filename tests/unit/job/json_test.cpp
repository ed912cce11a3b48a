// SPDX-License-Identifier: MIT
#include "support/job_records.hpp"

#include <rankmap/detail/json_reader.hpp>
#include <rankmap/job/job_table.hpp>
#include <rankmap/job/json.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace {

using rankmap::DeviceKind;
using rankmap::JobRecord;
using rankmap::JobTable;
using rankmap::OriginKind;
using rankmap::detail::Json;
using rankmap_test::full_record;
using rankmap_test::line_of;

constexpr bool reads_back(const JobRecord& record) {
  bool same = false;
  write_json(record, [&](std::string_view line) {
    const auto table = JobTable::read(line);
    same = table && table->rows().size() == 1 && table->rows()[0] == record;
  });
  return same;
}
static_assert(reads_back(full_record(2)) && reads_back(JobRecord()));

// If this fails, programs and older versions of rankmap that read the lines break: raise
// JobRecord::schema, or restore the keys.
TEST(JobJson, writes_the_record_of_a_process) {
  EXPECT_EQ(line_of(full_record(2)),
            R"({"rankmap_job":1,"rank":[2,4],"local":[0,2],"node":[1,2],"launcher":"slurm",)"
            R"("job":"4711.0","restart":0,"host":"n2","boot":"d3a19744df4dbca7","pid":4713,)"
            R"("pid_ns":4026531836,"device":["cuda",0,1,2,0,null,0],)"
            R"("uuid":"GPU-9e8d35e3-0000-0000-0000-000000000002","pci":"0000:0b:00.0",)"
            R"("cpus":"0-3","available":8,"threads":4,"numa":"0","layout":"1d29c0db",)"
            R"("hosts":"5ea8a7e0","cores":[2,"8"],"domain":"b1","nic":["mlx5_1",0],)"
            R"("origin":"given","source":"Config::rank",)"
            R"("machine":"a3fa6266","check":"4d82321c"})");
  JobRecord doubtful;
  doubtful.conflicts = 1;
  doubtful.against = rankmap::Launcher::torch_env;
  doubtful.against_by = "RANK";
  doubtful.rendezvous = rankmap::detail::meeting_point("10.0.0.1", 29500);
  EXPECT_EQ(line_of(doubtful),
            R"({"rankmap_job":1,"rank":[0,1],"conflicts":1,"against":"torch_env",)"
            R"("against_by":"RANK","rendezvous":"9a37733c","check":"3983ef02"})");
  EXPECT_EQ(line_of(JobRecord()), R"({"rankmap_job":1,"rank":[0,1],"check":"26dc7278"})");
}

TEST(JobJson, is_one_object_of_printable_ascii) {
  for (const std::string_view host : {"n1", "\xe8\x8a\x82-1", "say \"n\\1\""}) {
    JobRecord record = full_record(1);
    record.host = host;
    record.machine_id = 0;  // which has no room with all else and the longest of these
    const std::string line = line_of(record);
    EXPECT_TRUE(Json::parse(line, "line")) << line;
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    EXPECT_TRUE(reads_back(record)) << line;
  }
}

JobRecord random_record(std::minstd_rand& random) {
  const auto number = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit + 1)) - 1;
  };
  const auto word = [&] { return std::uint64_t{random()} << 33U ^ random(); };
  JobRecord r;
  r.world_size = number(2000) + 2;
  r.rank = number(r.world_size - 1);
  if (r.rank < 0) r.rank = 0;
  r.local_world_size = random() % 2 == 0 ? -1 : 1 + static_cast<int>(random()) % r.world_size;
  const int local_size = r.local_world_size < 0 ? r.world_size : r.local_world_size;
  r.local_rank = number(local_size);
  r.node_count = random() % 2 == 0 ? -1 : number(9) + 2;
  r.node_rank = r.node_count < 0 ? number(9) : number(r.node_count);
  r.restart_count = number(3);
  if (random() % 8 != 0) r.launcher = name(static_cast<rankmap::Launcher>(random() % 60));
  r.origin = static_cast<OriginKind>(random() % 4);
  if (random() % 2 == 0) r.source = "OMPI_COMM_WORLD_RANK";
  r.warnings = static_cast<std::uint8_t>(random() % 3);
  r.conflicts = static_cast<std::uint8_t>(random() % 3);
  if (random() % 4 == 0) r.against_by = "PMI_RANK";
  if (random() % 8 == 0) r.against = static_cast<rankmap::Launcher>(random() % 60);
  if (random() % 2 == 0) r.rendezvous = rankmap::detail::meeting_point("n1", 29500);
  if (random() % 2 == 0) r.job = "4711.0";
  if (random() % 2 == 0) r.host = "nid001234";
  if (random() % 2 == 0) r.boot = word();
  if (random() % 2 == 0) r.machine_id = static_cast<std::uint32_t>(random());
  if (random() % 2 == 0) r.pid_namespace = static_cast<std::uint32_t>(word());
  r.pid = number(4'000'000);
  r.device.is_known = random() % 2 == 0;
  if (r.device.is_known) r.device.kind = static_cast<DeviceKind>(random() % 10);
  if (r.device.kind != DeviceKind::cpu) {
    r.device.is_shared = random() % 2 == 0;
    r.device.index = number(8);
    r.device.count = number(2);
    r.device.visible_count = number(9);
    r.device.physical = number(8);
    r.device.sub_device = number(2);
    r.device.numa_node = number(4);
    if (random() % 2 == 0) r.device.pci = "0000:3b:00.0";
    if (random() % 2 == 0) r.device.uuid = "GPU-9e8d35e3-2a4b-11ee-be56-0242ac120002";
  }
  rankmap::CpuSet cpus;
  for (std::size_t i = random() % 30; i != 0; --i) cpus.insert(static_cast<int>(random() % 256));
  if (!cpus.empty()) {
    r.cpus = rankmap::detail::fold_cpus(cpus);
    r.cpu_count = cpus.size();
    if (r.cpus.empty()) r.cpu_digest = rankmap::detail::digest_of(cpus);
  }
  if (r.cpu_count > 0 && random() % 2 == 0) r.cores = 1 + r.cpu_count / 2;
  if (r.cpu_count > 0 && random() % 4 == 0) r.sibling_cpus = "64-67";
  if (random() % 2 == 0) r.domain = "s1.s12";
  if (random() % 2 == 0) r.nic = "mlx5_11";
  if (!r.nic.empty()) r.nic_numa_node = number(8);
  if (!r.nic.empty() && random() % 2 == 0) r.nic_rate = 400'000;
  if (r.nic_rate > 0) r.nic_fault = static_cast<rankmap::NicFault>(random() % 3);
  if (random() % 4 == 0) r.doubt = static_cast<rankmap::Doubt>(random() % 6);
  if (r.doubt != rankmap::Doubt::none) r.doubted = "NUM_REPLICA_GROUPS";
  if (random() % 2 == 0) r.kernel = "5.14.0-427.13.1.el9_4.x86_64";
  if (random() % 2 == 0) r.driver = "565.57.01";
  if (random() % 8 == 0) r.library = "libmpi.so.40";
  if (random() % 8 == 0) r.collectives = "librccl.so.1.0.60200";
  if (random() % 2 == 0) r.time = 1'790'000'000'000 + number(1 << 30);
  r.locked_memory = random() % 2 == 0 ? INT_MAX : number(1 << 20);
  r.shared_memory = number(1 << 20);
  r.huge_pages = number(1 << 20);
  if (random() % 8 == 0) r.imex_channels = "0-2047";
  if (random() % 8 == 0) r.partitions = "SPX/NPS1";
  r.cpu_quota = random() % 2 == 0 ? -1 : number(64'000);
  if (r.cpu_quota >= 0) r.quota_group = static_cast<std::uint32_t>(random());
  r.available_cpus = number(300);
  r.threads = number(64);
  if (random() % 2 == 0) r.numa_nodes = random() % 256;
  if (random() % 2 == 0) r.layout = static_cast<std::uint32_t>(random());
  if (random() % 2 == 0) r.hosts = static_cast<std::uint32_t>(random());
  return r;
}

TEST(JobJson, reads_back_every_record_of_usual_length) {
  std::minstd_rand random(7);
  int cut = 0;
  for (int round = 0; round != 4000; ++round) {
    const JobRecord record = random_record(random);
    ASSERT_TRUE(is_valid(record));
    const std::string line = line_of(record);
    ASSERT_LT(line.size(), JobRecord::bytes) << line;
    if (line.find(",\"cut\":") != std::string::npos) {
      ++cut;
    } else {
      ASSERT_TRUE(reads_back(record)) << line;
    }
  }
  EXPECT_LT(cut, 160);
}

/// Numbers and texts as long as a record can hold them.
JobRecord longest_record() {
  JobRecord r = full_record(1);
  r.rank = INT_MAX - 1;
  r.world_size = INT_MAX;
  r.local_rank = INT_MAX - 1;
  r.local_world_size = INT_MAX;
  r.node_rank = INT_MAX - 1;
  r.node_count = INT_MAX;
  r.restart_count = INT_MAX;
  r.launcher = "kubernetes_jobs";
  r.source = std::string_view(std::string(31, 's'));
  r.warnings = 255;
  r.conflicts = 255;
  r.job = std::string_view(std::string(23, 'j'));
  r.host = std::string_view(std::string(63, 'h'));
  r.pid = INT_MAX;
  r.pid_namespace = UINT32_MAX;
  r.device.kind = DeviceKind::neuron;
  r.device.is_shared = true;
  for (int* const number : {&r.device.index, &r.device.count, &r.device.visible_count,
                            &r.device.physical, &r.device.sub_device, &r.device.numa_node}) {
    *number = INT_MAX;
  }
  r.device.uuid = std::string_view(std::string(47, 'u'));
  const auto cpus = *rankmap::parse_cpu_list("1000,1003,1008,2000,2005,2009,3000,3001,4000,8191");
  r.cpus = rankmap::detail::fold_cpus(cpus);
  r.cpu_count = cpus.size();
  if (r.cpus.empty()) r.cpu_digest = rankmap::detail::digest_of(cpus);
  r.available_cpus = INT_MAX;
  r.threads = INT_MAX;
  for (int* const number : {&r.nic_rate, &r.locked_memory, &r.shared_memory, &r.huge_pages}) {
    *number = INT_MAX;
  }
  r.doubt = rankmap::Doubt::virtual_rank;
  r.doubted = std::string_view(std::string(31, 'd'));
  r.against_by = std::string_view(std::string(26, 'a'));
  r.kernel = std::string_view(std::string(31, 'k'));
  r.driver = std::string_view(std::string(23, 'v'));
  r.library = std::string_view(std::string(23, 'l'));
  r.collectives = std::string_view(std::string(23, 'c'));
  r.imex_channels = std::string_view(std::string(7, 'i'));
  r.partitions = std::string_view(std::string(19, 'p'));
  r.time = INT64_MAX;
  r.numa_nodes = 0xb6d9'6db6'db6d'b6dbU;
  return r;
}

TEST(JobJson, leaves_out_the_least_important_keys_of_a_long_record) {
  const JobRecord record = longest_record();
  ASSERT_TRUE(is_valid(record));
  const std::string line = line_of(record);
  EXPECT_LT(line.size(), JobRecord::bytes);
  const auto table = JobTable::read(line);
  ASSERT_TRUE(table) << line;
  const JobRecord read = table->rows()[0];
  JobRecord expected = record;  // what is not there is not known
  expected.numa_nodes = 0;
  expected.layout = 0;
  expected.hosts = 0;
  expected.cores = -1;
  expected.sibling_cpus = {};
  expected.domain = {};
  expected.nic = {};
  expected.nic_numa_node = expected.nic_rate = -1;
  expected.rendezvous = 0;
  expected.origin = OriginKind::unknown;
  expected.source = {};
  expected.machine_id = 0;
  expected.kernel = {};
  expected.driver = {};
  expected.library = {};
  expected.collectives = {};
  expected.imex_channels = {};
  expected.partitions = {};
  expected.time = -1;
  expected.locked_memory = expected.shared_memory = expected.huge_pages = -1;
  EXPECT_EQ(read, expected) << line;
  EXPECT_NE(line.find(",\"cut\":18,\"check\":"), std::string::npos) << line;
}

TEST(JobJson, ignores_keys_that_it_does_not_know) {
  std::string line = R"({"rankmap_job":1,"news":{"a":[1]},"rank":[2,4])";
  rankmap::StaticString<8> sum;
  rankmap::detail::append_hexadecimal(sum, rankmap::detail::checksum(line), 8);
  line += ",\"check\":\"" + std::string(sum.view()) + "\"}";
  const auto table = JobTable::read(line);
  ASSERT_TRUE(table) << line;
  EXPECT_EQ(table->rows()[0].rank, 2);
}

}  // namespace
