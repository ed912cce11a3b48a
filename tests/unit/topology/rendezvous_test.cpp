// SPDX-License-Identifier: MIT
#include "support/files.hpp"

#include <rankmap/environment/ancestor.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/with_ancestors.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/rendezvous.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace {

using rankmap::Ancestors;
using rankmap::Errc;
using rankmap::OriginKind;
using rankmap::RecordedEnvironment;
using rankmap::Rendezvous;
using rankmap::Result;
using rankmap::Topology;
using rankmap::WithAncestors;
namespace port_rules = rankmap::port_rules;

TEST(Rendezvous, uses_the_default_port_of_the_backend) {
  EXPECT_EQ(rankmap::default_port("static"), 29500);
  EXPECT_EQ(rankmap::default_port("c10d"), 29400);
  EXPECT_EQ(rankmap::default_port("etcd-v2"), 2379);
  EXPECT_EQ(rankmap::default_port("mine"), std::nullopt);
  EXPECT_EQ(Rendezvous::from_text("j", "", "h")->port, 29500);
  EXPECT_EQ(Rendezvous::from_text("j", "c10d", "h")->port, 29400);
  EXPECT_EQ(Rendezvous::from_text("j", "mine", "h:5")->port, 5);
  EXPECT_EQ(message(Rendezvous::from_text("j", "mine", "h").error()).view(),
            "rdzv_endpoint=\"h\": expected a port, since this backend has no default one; write "
            "host:port");
}

// ---- the three settings

constexpr Rendezvous from_text = *Rendezvous::from_text("job 1", "c10d", "[fe80::1]:4000");
static_assert(from_text.address == "fe80::1" && from_text.port == 4000);
static_assert(from_text.id == "job 1" && from_text.backend == "c10d");
static_assert(from_text.init_method()->view() == "tcp://[fe80::1]:4000");

TEST(Rendezvous, from_text_takes_torchruns_three_settings) {
  EXPECT_EQ(from_text.kind, OriginKind::given);
  EXPECT_EQ(from_text.source, "rdzv_endpoint");
  const auto bare = Rendezvous::from_text("", "", "");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->address.view(), "localhost");
  EXPECT_EQ(bare->backend.view(), "static");
  EXPECT_TRUE(bare->id.empty());
  EXPECT_EQ(Rendezvous::from_text(std::string(256, 'i'), "", "h").error().subject.view(),
            "rdzv_id");
  EXPECT_EQ(Rendezvous::from_text("", std::string(32, 'b'), "h").error().subject.view(),
            "rdzv_backend");
  EXPECT_EQ(Rendezvous::from_text("", "", "h:x").error().subject.view(), "rdzv_endpoint");
}

TEST(Rendezvous, has_an_init_method) {
  EXPECT_EQ(Rendezvous::from_address("node01", "29500")->init_method()->view(),
            "tcp://node01:29500");
  EXPECT_EQ(Rendezvous::from_address("::1", "29500")->init_method()->view(), "tcp://[::1]:29500");
  EXPECT_EQ(Rendezvous::from_address("[::1]", "1")->init_method()->view(), "tcp://[::1]:1");
  const auto portless = Rendezvous::from_address("node01", "");
  ASSERT_TRUE(portless);
  EXPECT_EQ(message(portless->init_method().error()).view(),
            "Rendezvous::port=\"0\": expected a port from 1 to 65535, the same on every rank; set "
            "MASTER_PORT together with MASTER_ADDR; in the program, set Rendezvous::port");
  const std::string longest(255, 'x');
  EXPECT_EQ(Rendezvous::from_address(longest, "65535")->init_method()->view(),
            "tcp://" + longest + ":65535");
}

// ---- an address and a port

TEST(Rendezvous, from_address_leaves_out_what_is_written_too_much) {
  struct Row {
    std::string_view address;
    std::string_view port;
    std::string_view method;
  };
  constexpr Row rows[] = {
      {"10.0.0.1:29500", "29500", "tcp://10.0.0.1:29500"},
      {"10.0.0.1:29500", "", "tcp://10.0.0.1:29500"},
      {"tcp://10.0.0.1", "29500", "tcp://10.0.0.1:29500"},
      {"tcp://n1:29500", "29500", "tcp://n1:29500"},
      {"tcp://[fe80::1]:7", "7", "tcp://[fe80::1]:7"},
      {"[fe80::1]:7", "", "tcp://[fe80::1]:7"},
      {"fe80::1", "7", "tcp://[fe80::1]:7"},
      {"n1:29500", "29501", "error"},
      {"n1:x", "29500", "error"},
      {"n1:", "29500", "error"},
      {"n1:65536", "", "error"},
      {":7", "7", "error"},
      {"n1/x", "7", "error"},
      {"a:b:c", "7", "error"},
      {"n1:7,n2:7", "7", "error"},
      {"root@n1", "7", "error"},
      {"fe80::1::2", "7", "error"},
      {"http://n1", "7", "error"},
      {"tcp://", "7", "error"},
  };
  for (const Row& row : rows) {
    const auto found = Rendezvous::from_address(row.address, row.port);
    EXPECT_EQ(found ? found->init_method()->view() : "error", row.method) << row.address;
  }
  EXPECT_EQ(message(Rendezvous::from_address("n1:29500", "29501").error()).view(),
            "MASTER_ADDR=\"n1:29500\": expected no port, or that of MASTER_PORT; write the host "
            "alone");
}

TEST(Rendezvous, from_address_refuses_impossible_addresses_and_ports) {
  EXPECT_EQ(
      message(Rendezvous::from_address("", "1").error()).view(),
      "MASTER_ADDR=\"\": expected a host of 1 to 255 bytes without blanks; write a host name or an "
      "address");
  for (const std::string_view address : {" n1", "n1 ", "n1\r", "n1\tn2", "n1\n", "n\x7f"}) {
    EXPECT_FALSE(Rendezvous::from_address(address, "1")) << address;
  }
  EXPECT_EQ(message(Rendezvous::from_address("[::1", "1").error()).view(),
            "MASTER_ADDR=\"[::1\": expected both brackets around an address, or none; write a host "
            "name or an address");
  for (const std::string_view address : {"[", "]", "[]", "[::1", "n1]"}) {
    const auto refused = Rendezvous::from_address(address, "1");
    ASSERT_FALSE(refused) << address;
    EXPECT_EQ(refused.error().found.view(), address);
  }
  EXPECT_TRUE(Rendezvous::from_address("fe80::1%eth0", "1"));
  for (const int port : {-1, 65536}) {
    const auto refused = Rendezvous::from_address("n1", "", "MASTER_ADDR", "MASTER_PORT", port);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().subject.view(), "fallback_port");
    EXPECT_EQ(rankmap::parse_endpoint("n1", port).error().code, Errc::out_of_range);
  }
  EXPECT_FALSE(Rendezvous::from_address(std::string(256, 'x'), "1"));
  EXPECT_TRUE(Rendezvous::from_address("a", "65535"));
  EXPECT_EQ(
      message(Rendezvous::from_address("a", "65536").error()).view(),
      "MASTER_PORT=\"65536\": expected a decimal number in [0, 65536); set it to a free port");
  for (const std::string_view port : {"-1", "+1", " 1", "1x", "0x1", "99999999999999999999"}) {
    EXPECT_FALSE(Rendezvous::from_address("a", port)) << port;
  }
}

Result<Rendezvous> agent(std::string_view variables) {
  return Rendezvous::from_agent_environment(RecordedEnvironment(variables, '|'));
}

TEST(Rendezvous, from_agent_environment_reads_the_pet_settings) {
  const auto endpoint = agent(
      "PET_RDZV_ID=j|PET_RDZV_BACKEND=c10d|PET_RDZV_ENDPOINT=n1|PET_MASTER_ADDR=n9|"
      "MASTER_ADDR=n8|MASTER_PORT=1");
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->address.view(), "n1");
  EXPECT_EQ(endpoint->port, 29400);
  EXPECT_EQ(endpoint->id.view(), "j");
  EXPECT_EQ(endpoint->backend.view(), "c10d");
  EXPECT_EQ(endpoint->kind, OriginKind::read);
  EXPECT_EQ(endpoint->source, "PET_RDZV_ENDPOINT");

  const auto address = agent("PET_RDZV_ID=j|PET_MASTER_ADDR=n9|PET_MASTER_PORT=23456");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->address.view(), "n9");
  EXPECT_EQ(address->port, 23456);
  EXPECT_EQ(address->id.view(), "j");
  EXPECT_EQ(address->backend.view(), "static");
  EXPECT_EQ(address->source, "PET_MASTER_ADDR");
  EXPECT_EQ(agent("PET_MASTER_ADDR=n9")->port, 29500);
}

TEST(Rendezvous, from_agent_environment_refuses_unusable_settings) {
  for (const std::string_view none : {"", "PET_RDZV_ENDPOINT=", "MASTER_ADDR=a|MASTER_PORT=1"}) {
    ASSERT_FALSE(agent(none));
    EXPECT_EQ(message(agent(none).error()).view(),
              "PET_RDZV_ENDPOINT is not set: expected host:port; set it, or PET_MASTER_ADDR and "
              "PET_MASTER_PORT");
  }
  EXPECT_EQ(agent("PET_RDZV_ENDPOINT=a:x").error().code, Errc::bad_endpoint);
  EXPECT_EQ(message(agent("PET_RDZV_BACKEND=c10d|PET_MASTER_ADDR=n9").error()).view(),
            "PET_RDZV_ENDPOINT is not set: expected host:port; set it: only the static backend "
            "takes PET_MASTER_ADDR");
  EXPECT_EQ(agent("PET_MASTER_ADDR=a|PET_MASTER_PORT=x").error().subject.view(), "PET_MASTER_PORT");
}

TEST(Rendezvous, from_agent_environment_names_the_bad_variable) {
  EXPECT_EQ(agent("PET_RDZV_ENDPOINT=a:x").error().subject.view(), "PET_RDZV_ENDPOINT");
  EXPECT_EQ(
      agent("PET_RDZV_ENDPOINT=a|PET_RDZV_ID=" + std::string(300, 'i')).error().subject.view(),
      "PET_RDZV_ID");
  EXPECT_EQ(agent("PET_MASTER_ADDR=a|PET_RDZV_ID=" + std::string(300, 'i')).error().subject.view(),
            "PET_RDZV_ID");
}

// ---- derived by a named rule, on request

std::string env_name(int rank) { return "rank-" + std::to_string(rank) + ".env"; }

Topology recorded(const std::string& scenario, int rank) {
  const std::string text = rankmap_test::recording(scenario, rank);
  return Topology::from_environment(RecordedEnvironment(text)).value();
}

TEST(Rendezvous, derived_by_a_rule_is_the_same_on_every_rank) {
  struct Row {
    rankmap::PortRule rule;
    std::string_view name;
    int port;
  };
  // Job 3, step 0, with rank 0 on node01. If this fails, programs with another version of rankmap
  // wait at another port.
  const Row rows[] = {
      {port_rules::job_and_step, "job_and_step", 20003},
      {port_rules::lightning, "lightning", 15003},
      {port_rules::jax, "jax", 61443},
      {port_rules::enroot, "enroot", 61003},
  };
  for (const Row& row : rows) {
    for (int rank = 0; rank != 4; ++rank) {
      const auto derived = rankmap::derive_rendezvous(recorded("slurm-2x2", rank), row.rule);
      ASSERT_TRUE(derived) << message(derived.error()).view();
      EXPECT_EQ(derived->address.view(), "node01");
      EXPECT_EQ(derived->port, row.port) << row.name;
      EXPECT_EQ(derived->kind, OriginKind::derived);
      EXPECT_EQ(derived->source, row.name);
    }
  }
}

TEST(Rendezvous, is_never_derived_without_request) {
  EXPECT_FALSE(recorded("slurm-2x2", 0).rendezvous());
}

TEST(Rendezvous, is_not_derived_without_the_host_of_rank_0) {
  const auto derived =
      rankmap::derive_rendezvous(recorded("slurm-arbitrary", 2), port_rules::job_and_step);
  ASSERT_FALSE(derived);
  EXPECT_EQ(message(derived.error()).view(),
            "host_of(0) is not set: expected the host of rank 0; set MASTER_ADDR and MASTER_PORT; "
            "in the program, call gather_hosts() first");
}

// Under mpirun on several hosts only rank 0 knows its host. If it alone derived a rendezvous, it
// would wait there for ever.
TEST(Rendezvous, is_derived_on_every_recorded_rank_or_on_none) {
  int derived_jobs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(RANKMAP_TEST_DIR "/recordings")) {
    std::optional<std::string> first;
    for (int rank = 0; std::filesystem::exists(folder.path() / env_name(rank)); ++rank) {
      const std::string text = rankmap_test::text_of((folder.path() / env_name(rank)).string());
      const auto topology = Topology::from_environment(RecordedEnvironment(text));
      if (!topology) continue;
      const auto derived = rankmap::derive_rendezvous(*topology, port_rules::job_and_step);
      const std::string said(derived ? derived->init_method()->view() : "nothing");
      if (!first) first = said;
      EXPECT_EQ(said, *first) << folder.path() << ", rank " << rank;
    }
    if (first && *first != "nothing") ++derived_jobs;
  }
  EXPECT_GT(derived_jobs, 10);
}

TEST(Rendezvous, is_derived_on_one_node_from_its_host) {
  for (int rank = 0; rank != 4; ++rank) {
    const auto derived =
        rankmap::derive_rendezvous(recorded("ompi-one-node", rank), port_rules::job_and_step);
    ASSERT_TRUE(derived) << message(derived.error()).view();
    EXPECT_EQ(derived->init_method()->view(), "tcp://vm:29217");
  }
}

TEST(Rendezvous, has_agent_store_if_the_launcher_runs_one) {
  // Agents with the static backend run a store; those with c10d do not.
  EXPECT_TRUE(recorded("torchrun-static", 0).rendezvous()->has_agent_store);
  EXPECT_TRUE(recorded("torchrun-static", 3).rendezvous()->has_agent_store);
  EXPECT_FALSE(recorded("torchrun-uneven", 0).rendezvous()->has_agent_store);
  // An inherited variable does not apply to another launcher's address.
  const auto other = Topology::from_environment(RecordedEnvironment(
      "OMPI_COMM_WORLD_RANK=0|OMPI_COMM_WORLD_SIZE=2|OMPI_COMM_WORLD_LOCAL_RANK=0|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=2|MASTER_ADDR=a|MASTER_PORT=1|TORCHELASTIC_USE_AGENT_STORE=True",
      '|'));
  EXPECT_FALSE(other.value().rendezvous()->has_agent_store);
}

// Any free port is one that the other ranks cannot know.
TEST(Rendezvous, warns_of_port_0_where_others_have_to_know_it) {
  const auto warning = [](const std::string& text) {
    const std::string whole = "RANK=0|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1|" + text;
    const auto me = Topology::from_environment(RecordedEnvironment(whole, '|'));
    EXPECT_EQ(me.value().rendezvous()->port, 0) << text;
    return me->warnings().empty() ? "" : std::string(message(me->warnings()[0]));
  };
  EXPECT_EQ(
      warning("WORLD_SIZE=2|MASTER_ADDR=a|MASTER_PORT=0"),
      "MASTER_PORT=\"0\": expected a port from 1 to 65535; set the same free port on every rank");
  EXPECT_EQ(warning("WORLD_SIZE=2|MASTER_ADDR=tcp://a:0"),
            "MASTER_ADDR=\"tcp://a:0\": expected a port from 1 to 65535; set the same free port on "
            "every rank");
  EXPECT_EQ(warning("WORLD_SIZE=2|MASTER_ADDR=a"), "");
  EXPECT_EQ(warning("WORLD_SIZE=1|MASTER_ADDR=a|MASTER_PORT=0"), "");
}

// Two workers of torchrun that each call mpirun would make one group of ranks of two jobs.
TEST(Rendezvous, is_not_that_of_an_older_launch) {
  const std::string mpi =
      "|OMPI_COMM_WORLD_RANK=1|OMPI_COMM_WORLD_SIZE=3|OMPI_COMM_WORLD_LOCAL_RANK=1|"
      "OMPI_COMM_WORLD_LOCAL_SIZE=3";
  const std::string torch = "RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|MASTER_PORT=7";
  const auto method = [](const Result<Topology>& me) {
    return !me.value().rendezvous() ? std::string("none")
                                    : std::string(me->rendezvous()->init_method()->view());
  };
  const auto below = [&](const std::string& text, const Ancestors& ancestors) {
    return Topology::from_environment(WithAncestors(RecordedEnvironment(text, '|'), ancestors));
  };
  const auto mpirun = [](const std::string& text) -> Ancestors {
    return {{"prted", RecordedEnvironment(text, '|')}, {"bash", RecordedEnvironment("A=1", '|')}};
  };
  const std::string script = torch + "|MASTER_ADDR=a";
  const std::string of_torchrun = "TORCHELASTIC_RUN_ID=x|" + script;
  const auto older = below(of_torchrun + mpi, mpirun(of_torchrun));
  EXPECT_EQ(method(older), "none");
  EXPECT_NE(explain(older.value()).view().find("MASTER_ADDR=\"a\" is that of torchrun\n"),
            std::string_view::npos)
      << explain(*older);
  EXPECT_EQ(method(below(script + mpi, mpirun(script))), "none");

  const std::string anew = torch + "|MASTER_ADDR=b";
  EXPECT_EQ(method(below(anew + mpi, {{"prted", RecordedEnvironment(anew, '|')},
                                      {"bash", RecordedEnvironment(script, '|')},
                                      {"bash", RecordedEnvironment("A=1", '|')}})),
            "tcp://b:7")
      << "set for mpirun";
  // A rank alone is no launch; nor are a rank and the size of this one, as scripts export them.
  for (const std::string alone : {"", "RANK=0|", "RANK=0|WORLD_SIZE=3|"}) {
    const std::string text = alone + "MASTER_ADDR=a|MASTER_PORT=7";
    EXPECT_EQ(method(below(text + mpi, mpirun(text))), "tcp://a:7") << alone;
  }
  const std::string pod = "RANK=0|WORLD_SIZE=2|MASTER_ADDR=a|MASTER_PORT=7";
  EXPECT_EQ(method(below(pod + mpi, mpirun(pod))), "none");
}

TEST(Rendezvous, is_not_derived_without_a_numeric_job_id) {
  const auto topology = Topology::from_config(
      {.rank = 0, .world_size = 2, .hosts = "a,b", .one_process_per_node = true});
  ASSERT_TRUE(topology);
  const auto derived = rankmap::derive_rendezvous(*topology, port_rules::lightning);
  ASSERT_FALSE(derived);
  EXPECT_EQ(message(derived.error()).view(),
            "job_id()=\"\": expected a decimal job number to compute a port from; set MASTER_ADDR "
            "and MASTER_PORT; in the program, use Rendezvous::from_address");
}

TEST(Rendezvous, is_not_derived_from_a_step_id_that_is_not_numeric) {
  const auto derived = [](std::string_view step) {
    const std::string text =
        "SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_GTIDS=0|SLURM_STEP_NUM_TASKS=2|"
        "SLURM_STEP_NODELIST=a,b|SLURM_STEP_TASKS_PER_NODE=1(x2)|SLURM_JOB_ID=3|SLURM_STEP_ID=" +
        std::string(step);
    return rankmap::derive_rendezvous(
        Topology::from_environment(RecordedEnvironment(text, '|')).value(),
        port_rules::job_and_step);
  };
  EXPECT_EQ(derived("1")->port, 20620);
  EXPECT_EQ(derived("")->port, 20003);
  for (const std::string_view step : {"x", "-1", "18446744073709551616"}) {
    ASSERT_FALSE(derived(step)) << step;
    EXPECT_EQ(message(derived(step).error()).view(),
              "step_id()=\"" + std::string(step) +
                  "\": expected a decimal step number to compute a port from; set MASTER_ADDR and "
                  "MASTER_PORT; in the program, use Rendezvous::from_address");
  }
}

}  // namespace
