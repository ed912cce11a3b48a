// SPDX-License-Identifier: MIT
//
// A process without a record that shows traces of a launcher: which names are traces and which are
// not, and where the warnings are shown.
#include "support/files.hpp"
#include "support/summary.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/identity/detail/record.hpp>
#include <rankmap/identity/detail/traces.hpp>
#include <rankmap/launcher/launcher_table.hpp>
#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/json.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Config;
using rankmap::Launcher;
using rankmap::RecordedEnvironment;
using rankmap::Topology;
using rankmap_test::Case;
using rankmap_test::summary_of;

#define ALONE "none 0/1 local 0/1 node 0/1"
#define UNKNOWN_REMEDY                                                                   \
  "set RANKMAP_LAUNCHERS, or RANK, WORLD_SIZE and LOCAL_RANK, or RANKMAP_LAUNCHER=none " \
  "if alone; in the program, pass Config::rank, ::world_size, ::local_rank"
#define LEFTOVER_REMEDY                                                                         \
  "start the process with that launcher, or unset it if it was inherited; in the program, pass" \
  " Config::rank, ::world_size and ::local_rank"

constexpr Launcher torchrun[] = {Launcher::torchrun};

constexpr Case cases[] = {
    // Numbers under the names of ranks.
    {"FOO_RANK=3", ALONE "; warning FOO_RANK"},
    {"FOO_RANK=0", ALONE "; warning FOO_RANK"},
    {"FOO_LOCAL_RANK=0|FOO_SIZE=4", ALONE "; warning FOO_LOCAL_RANK"},
    {"EZPZ_RANK=1", ALONE "; warning EZPZ_RANK"},
    {"MPT_LRANK=3", ALONE "; warning MPT_LRANK"},
    {"MPIRANK=3|MPISIZE=8", ALONE "; warning MPIRANK"},
    {"NEURON_RANK_ID=1", ALONE "; warning NEURON_RANK_ID"},
    {"PMI_ID=3|PMI_PORT=h:1", ALONE "; warning PMI_ID"},
    {"TORCHX_REPLICA_IDX=1", ALONE "; warning TORCHX_REPLICA_IDX"},
    {"XRT_SHARD_ORDINAL=3|XRT_HOST_ORDINAL=1",
     ALONE "; warning XRT_HOST_ORDINAL; warning XRT_SHARD_ORDINAL"},
    {"POD_INDEX=1", ALONE "; warning POD_INDEX"},
    {"DET_NODE_RANK=1|CROSS_RANK=1", ALONE "; warning CROSS_RANK; warning DET_NODE_RANK"},
    // Whole words and numbers only.
    {"FOO_RANK=three|BAR_RANK=-1|BAZ_RANK=1.0|QUX_RANK=0x1|QUUX_RANK= 1|A_RANK=", ALONE},
    {"FOO_RANK=2147483647|BAR_RANK=2147483648|BAZ_RANK=99999999999999999999",
     ALONE "; warning FOO_RANK"},
    {"PAGERANK=3|FRANK=3|RANKING=3|RANK_BY=3|foo_rank=3|FOO-RANK=3|_=3", ALONE},
    // What is no rank although its name says so.
    {"SLURM_ARRAY_TASK_ID=3|SLURM_ARRAY_TASK_COUNT=8|SLURM_ARRAY_JOB_ID=7", ALONE},
    {"SGE_TASK_ID=3|JOB_ID=2|NSLOTS=4", ALONE},
    {"CLOUD_RUN_TASK_INDEX=2|CLOUD_RUN_TASK_COUNT=4", ALONE "; cloud_run nested"},
    {"BATCH_TASK_INDEX=2|BATCH_TASK_COUNT=4|BATCH_NODE_INDEX=1", ALONE "; gcp_batch nested"},
    {"BATCH_TASK_INDEX=2", ALONE "; warning BATCH_TASK_INDEX"},
    {"CI_NODE_INDEX=2|CI_NODE_TOTAL=4|CIRCLE_NODE_INDEX=1|JEST_WORKER_ID=1", ALONE},
    {"LORA_RANK=16|MAX_LORA_RANK=64", ALONE},
    {"PARSL_WORKER_RANK=3|PARSL_WORKER_COUNT=4", ALONE "; task_pool stale"},
    // An ordinary environment.
    {"SHLVL=2|WINDOWID=8388621|XDG_VTNR=2|COLUMNS=80|LINES=24|SSH_AGENT_PID=71|_=1|OLDPWD=/|"
     "SSH_CONNECTION=10.0.0.1 22 10.0.0.2 22|OMP_NUM_THREADS=8|CRONTAB=1|EUID=0|PPID=1|"
     "PBS_ARRAY_INDEX=3|LSB_JOBINDEX=3|CUDA_VISIBLE_DEVICES=0|NUM_WORKERS=4|JOB_ID=3|PORT=80",
     ALONE},

    // Leftovers of known launchers.
    {"SLURM_NODEID=1", ALONE "; warning SLURM_NODEID"},
    {"NODE_RANK=1|MASTER_ADDR=n1|MASTER_PORT=1", ALONE "; warning NODE_RANK"},
    {"RANK_ID=2", ALONE "; warning RANK_ID"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE=4|OMPI_COMM_WORLD_NODE_RANK=3",
     ALONE "; warning OMPI_COMM_WORLD_LOCAL_SIZE; warning OMPI_COMM_WORLD_NODE_RANK"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE=1", ALONE},
    {"PADDLE_TRAINERS_NUM=2|TRAINING_ROLE=PSERVER", ALONE "; warning PADDLE_TRAINERS_NUM"},
    {"ROLE_RANK=0|GROUP_RANK=0", ALONE "; warning GROUP_RANK; warning ROLE_RANK"},
    // The sizes of a job or of an allocation are those of a single process, too.
    {"FLUX_JOB_SIZE=8|FLUX_JOB_NNODES=2|PBS_NP=8|AZUREML_NODE_COUNT=4|PET_NPROC_PER_NODE=8", ALONE},
    {"SLURM_JOB_ID=7|SLURM_NTASKS=8|SLURM_NNODES=2|SLURM_JOB_NUM_NODES=2|SLURM_NPROCS=8", ALONE},
    // What is reported as another record is not reported twice.
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|SLURM_TASK_"
     "PID=7|SLURM_NTASKS=8",
     ALONE "; slurm stale"},
    {"RANK=0|LOCAL_RANK=0|SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_"
     "NODENAME=n1|SLURM_TASK_PID=7|SLURM_NTASKS=8|PYTORCH_VERSION=2.4",
     ALONE "; torch_env same; slurm stale"},
    {"PET_NODE_RANK=0|PET_NNODES=1|JOB_COMPLETION_INDEX=0",
     ALONE "; kubeflow nested; kubernetes nested"},
    {"SLURM_PROCID=0|SLURM_LOCALID=0|SLURM_NODEID=0|SLURM_JOB_ID=9|SLURMD_NODENAME=n1|SLURM_TASK_"
     "PID=7|SLURM_NTASKS=8|FOO_RANK=3",
     ALONE "; slurm stale; warning FOO_RANK"},

    // Beside a launcher whose task may be the daemon of another one.
    {"FOO_RANK=3|FLUX_TASK_RANK=1|FLUX_JOB_SIZE=2|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=2",
     "flux 1/2 local 0/1 node ?/2; warning FOO_RANK"},
    {"FOO_RANK=3|FLUX_TASK_RANK=1|FLUX_JOB_SIZE=2|FLUX_TASK_LOCAL_ID=1|FLUX_JOB_NNODES=1",
     "flux 1/2 local 1/2 node 0/1"},
    {"MV2_COMM_WORLD_RANK=1|MV2_COMM_WORLD_SIZE=2|MV2_COMM_WORLD_LOCAL_RANK=0|"
     "MV2_COMM_WORLD_LOCAL_SIZE=1|PMI_ID=1",
     "mvapich2 1/2 local 0/1 node ?/?"},
    {"SLURM_NODEID=1|FLUX_TASK_RANK=1|FLUX_JOB_SIZE=2|FLUX_TASK_LOCAL_ID=0|FLUX_JOB_NNODES=2",
     "flux 1/2 local 0/1 node ?/2"},
    {"FOO_RANK=3|SKYPILOT_NODE_RANK=1|SKYPILOT_NUM_NODES=2",
     "skypilot 1/2 local 0/1 node 1/2; warning FOO_RANK",
     {.one_process_per_node = true}},

    // Only a process without a launcher, of which nobody says what it is.
    {"RANK=1|WORLD_SIZE=2|LOCAL_RANK=1|FOO_RANK=3|SLURM_NODEID=1",
     "torch_env 1/2 local 1/? node ?/?"},
    {"FOO_RANK=3", "config 3/4 local 1/? node ?/?", {.rank = 3, .world_size = 4, .local_rank = 1}},
    {"FOO_RANK=3", "config 0/1 local -1/1 node 0/1", {.local_rank = -1}},
    {"FOO_RANK=3", ALONE, {.launcher = Launcher::none}},
    {"FOO_RANK=3|RANKMAP_LAUNCHER=none", ALONE},
    {"FOO_RANK=3|LOCAL_RANK=-1", "none 0/1 local -1/1 node 0/1; warning FOO_RANK"},
    // An excluded launcher is not reported.
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|GROUP_RANK=0|"
     "ROLE_RANK=0",
     ALONE,
     {.exclude = torchrun}},
    {"MODAL_TASK_ID=5|RANKMAP_IGNORE=modal", ALONE},
    // Nor is one that starts single processes; but whoever ignores that of one of many is warned.
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=1|LOCAL_RANK=0|LOCAL_WORLD_SIZE=1|"
     "RANKMAP_IGNORE=torchrun",
     ALONE},
    {"TORCHELASTIC_RUN_ID=j|RANK=0|WORLD_SIZE=2|LOCAL_RANK=0|LOCAL_WORLD_SIZE=2|"
     "RANKMAP_IGNORE=torchrun",
     ALONE "; warning TORCHELASTIC_RUN_ID"},
    {"SLURM_STEP_ID=0|SLURM_STEP_NODELIST=n1|SLURM_STEP_NUM_TASKS=4|SLURM_LOCALID=1|SLURM_NODEID=0|"
     "SLURM_GTIDS=0,1,2,3|RANKMAP_IGNORE=slurm",
     ALONE "; warning SLURM_LOCALID"},
    {"SLURM_NODEID=1|GROUP_RANK=0|RANKMAP_IGNORE=torchrun", ALONE "; warning SLURM_NODEID"},

    // Strictness.
    {"FOO_RANK=3",
     "FOO_RANK=\"3\": expected the variables of a known launcher too: it looks like a rank of a "
     "launcher that rankmap does not know; " UNKNOWN_REMEDY,
     {.strict = true}},
    {"SLURM_NODEID=1",
     "SLURM_NODEID=\"1\": expected more of its launcher's variables: alone it gives no rank "
     "(slurm); " LEFTOVER_REMEDY,
     {.strict = true}},
    {"NODE_RANK=1",  // of several launchers
     "NODE_RANK=\"1\": expected more of its launcher's variables: alone it gives no rank"
     "; " LEFTOVER_REMEDY,
     {.strict = true}},
    {"SLURM_ARRAY_TASK_ID=3", ALONE, {.strict = true}},
};

static_assert(rankmap_test::cases_hold<cases>);

TEST(Traces, are_seen_as_the_table_says) {
  for (const Case& c : cases) EXPECT_EQ(summary_of(c).view(), c.expected) << c.variables;
}

TEST(Traces, are_not_seen_if_an_environment_lists_nothing) {
  const auto lookup = [](std::string_view name) { return RecordedEnvironment("FOO_RANK=3")(name); };
  EXPECT_EQ(rankmap_test::summary(Topology::from_environment(lookup)).view(), ALONE);
}

// ---- whatever the order, and however many there are

std::string explained(std::string_view variables) {
  const auto topology = Topology::from_environment(RecordedEnvironment(variables, '|'));
  return std::string(topology ? explain(*topology).view() : message(topology.error()).view());
}

TEST(Traces, do_not_depend_on_the_order_of_variables) {
  std::vector<std::string> variables = {"E_RANK=5", "SLURM_NODEID=1", "B_RANK=2",
                                        "A_RANK=1", "C_RANK=3",       "SLURM_NODEID=7"};
  std::sort(variables.begin(), variables.end());
  std::set<std::string> explanations;
  do {
    std::string text;
    for (const std::string& variable : variables) text += variable + "|";
    explanations.insert(explained(text));
  } while (std::next_permutation(variables.begin(), variables.end()));
  EXPECT_EQ(explanations.size(), 1U) << *explanations.begin() << *explanations.rbegin();
}

TEST(Traces, are_the_first_four_names) {
  EXPECT_EQ(summary_of({"F_RANK=1|B_RANK=1|E_RANK=1|SLURM_NODEID=1|A_RANK=1|D_RANK=1|C_RANK=1", {}})
                .view(),
            ALONE "; warning A_RANK; warning B_RANK; warning C_RANK; warning D_RANK");
}

/// A process may be given a name twice. The look-up finds the first.
struct Twice {
  std::optional<std::string_view> operator()(std::string_view name) const {
    return name == "A_RANK" ? std::optional<std::string_view>("1") : std::nullopt;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::string_view text : {"1", "2", "1"}) visit("A_RANK", text);
  }
};

TEST(Traces, of_one_name_are_one) {
  const auto topology = Topology::from_environment(Twice());
  ASSERT_TRUE(topology);
  ASSERT_EQ(topology->warnings().size(), 1U);
  EXPECT_EQ(topology->warnings()[0].text, "1");
}

TEST(Traces, have_names_that_a_warning_can_hold) {
  for (const std::size_t size : {63U, 64U}) {
    const std::string name = std::string(size - 5, 'A') + "_RANK";
    const auto topology = Topology::from_environment(rankmap::MapEnvironment({{name, "1"}}));
    ASSERT_TRUE(topology);
    ASSERT_EQ(topology->warnings().size(), size == 63 ? 1U : 0U);
    if (size == 63) {
      EXPECT_EQ(topology->warnings()[0].variable, name);
    }
  }
  for (int byte = 1; byte != 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const std::string text = std::string("A") + c + "_RANK=1";
    const auto topology = Topology::from_environment(RecordedEnvironment(text, '\0'));
    ASSERT_TRUE(topology);
    EXPECT_EQ(topology->warnings().size(), plain || c == '_' ? 1U : 0U) << byte;
  }
}

TEST(Traces, outlive_the_environment) {
  std::string text = "FOO_RANK=3";
  const auto topology = Topology::from_environment(RecordedEnvironment(text, '|'));
  std::fill(text.begin(), text.end(), 'x');
  ASSERT_TRUE(topology);
  ASSERT_EQ(topology->warnings().size(), 1U);
  EXPECT_EQ(topology->warnings()[0].variable, "FOO_RANK");
  EXPECT_EQ(topology->warnings()[0].text, "3");
}

// ---- where they are shown

TEST(Traces, have_a_line_each_in_an_explanation) {
  const std::string text = explained("FOO_RANK=3|SLURM_NODEID=1");
  EXPECT_EQ(text.substr(text.find("warning")),
            "warning           FOO_RANK=\"3\": expected the variables of a known launcher too: it "
            "looks like a rank of a launcher that rankmap does not know; " UNKNOWN_REMEDY
            "\n"
            "warning           SLURM_NODEID=\"1\" (slurm): expected more of its launcher's "
            "variables: alone it gives no rank; " LEFTOVER_REMEDY "\n");
}

TEST(Traces, are_written_to_json) {
  const auto topology =
      Topology::from_environment(RecordedEnvironment("FOO_RANK=3|SLURM_NODEID=1", '|'));
  ASSERT_TRUE(topology);
  std::string text;
  write_json(*topology, [&](std::string_view piece) { text += piece; });
  const std::size_t begin = text.find("\"warnings\"");
  EXPECT_EQ(text.substr(begin, text.find("]", begin) + 1 - begin),
            R"("warnings":[{"variable":"FOO_RANK","text":"3",)"
            R"("expected":"the variables of a known launcher too: it looks like a rank of a )"
            R"(launcher that rankmap does not know","remedy":")" UNKNOWN_REMEDY R"(",)"
            R"("launcher":null},{"variable":"SLURM_NODEID","text":"1",)"
            R"("expected":"more of its launcher's variables: alone it gives no rank",)"
            R"("remedy":")" LEFTOVER_REMEDY R"(","launcher":"slurm"}])");
}

// ---- the tables

/// Whether a process with this variable alone is told in silence that it is alone.
bool is_silent(const std::string& variable) {
  const auto topology = Topology::from_environment(RecordedEnvironment(variable, '|'));
  return topology && topology->other_records().empty() && topology->warnings().empty();
}

TEST(Traces, leave_no_number_of_the_table_in_silence) {
  using rankmap::TopologyField;
  std::set<std::string_view> checked;
  for (const rankmap::LauncherRow& row : rankmap::launchers) {
    for (const TopologyField field :
         {TopologyField::rank, TopologyField::local_rank, TopologyField::node_rank,
          TopologyField::world_size, TopologyField::local_world_size, TopologyField::node_count}) {
      const bool is_size = field == TopologyField::world_size ||
                           field == TopologyField::local_world_size ||
                           field == TopologyField::node_count;
      const rankmap::ValueSource& source = rankmap::detail::source_of(row, field);
      if (source.format != rankmap::ValueFormat::number) continue;
      if (is_size && row.level != rankmap::RecordLevel::worker) continue;
      for (const std::string_view name : source.names) {
        const bool harmless = rankmap::detail::is_harmless(name);
        EXPECT_EQ(is_silent(std::string(name) + "=2"), harmless) << name;
        checked.insert(name);
      }
    }
  }
  EXPECT_GT(checked.size(), 80U);
}

TEST(Traces, tables_are_on_the_page_of_launchers) {
  const std::string page = rankmap_test::text_of(RANKMAP_TEST_DIR "/../docs/launchers.md");
  const auto expect_row = [&](std::string_view word) {
    const std::string row = "| `" + std::string(word) + "` | ";
    EXPECT_NE(page.find(row), std::string::npos) << "docs/launchers.md should have\n" << row;
  };
  for (const auto& word : rankmap::detail::rank_words) expect_row(word);
  for (const auto& name : rankmap::detail::harmless_names) expect_row(name);
}

/// A word that another one already covers has no effect.
TEST(Traces, words_do_not_cover_each_other) {
  const auto expect_distinct = [](const auto& words) {
    for (const auto& word : words) {
      EXPECT_EQ(std::count_if(
                    std::begin(words), std::end(words),
                    [&](const auto& other) { return rankmap::detail::ends_in_word(word, other); }),
                1)
          << word;
    }
  };
  expect_distinct(rankmap::detail::rank_words);
  expect_distinct(rankmap::detail::harmless_names);
}

}  // namespace
