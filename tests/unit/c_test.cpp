// SPDX-License-Identifier: MIT
//
// The functions of rankmap.h say what C++ says.
#define RANKMAP_IMPLEMENTATION
#define RANKMAP_IMPLEMENTATION_JOB
#include <rankmap/rankmap.h>

#include "recordings/recording.hpp"
#include "support/variable.hpp"

#include <rankmap/device.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/environment/map_environment.hpp>
#include <rankmap/identity/identity.hpp>
#include <rankmap/job/refusals.hpp>
#include <rankmap/launcher/launcher.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler.hpp>

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::Errc;
using rankmap::Identity;
using rankmap::Need;
using rankmap::Result;
using rankmap::Sampler;
using rankmap_test::set_variable;
using rankmap_test::unset_variable;

// A program that was compiled with the first version must go on to agree with later ones.
static_assert(sizeof(rankmap_process) == 308 && offsetof(rankmap_process, host) == 52);
static_assert(sizeof(rankmap_error) == 1032 && offsetof(rankmap_error, text) == 8);
static_assert(sizeof(rankmap_device) == 196 && offsetof(rankmap_device, name) == 12);
static_assert(sizeof(rankmap_sampler) == 56 && offsetof(rankmap_sampler, consumed) == 48);
static_assert(sizeof(rankmap::SamplerStateText) <= RANKMAP_STATE_SIZE);

std::string text_of(const rankmap_process& process) {
  std::ostringstream out;
  for (const int number : {process.rank, process.world_size, process.local_rank,
                           process.local_world_size, process.node_rank, process.node_count}) {
    out << number << ' ';
  }
  out << process.launcher;
  return out.str();
}

std::string text_of(const Result<Identity>& identity) {
  if (!identity) return message(identity.error()).c_str();
  std::ostringstream out;
  for (const auto& number :
       {identity->rank(), identity->world_size(),
        identity->local_rank() == -1 ? std::optional<int>(0) : identity->local_rank(),
        identity->local_world_size(), identity->node_rank(), identity->node_count()}) {
    out << number.value_or(-1) << ' ';
  }
  out << name(identity->launcher());
  return out.str();
}

/// What the C face says of an environment of lines.
std::string said_of(const std::string& lines, int need) {
  std::vector<std::string> texts;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) texts.push_back(line);
  std::vector<const char*> variables;
  for (const std::string& text : texts) variables.push_back(text.c_str());
  variables.push_back(nullptr);
  rankmap_process process = RANKMAP_PROCESS_INIT;
  rankmap_error error = RANKMAP_ERROR_INIT;
  const int code = rankmap_from_variables(&process, variables.data(), need, &error);
  EXPECT_EQ(code, error.code);
  EXPECT_STREQ(process.host, "");
  if (code != RANKMAP_OK) {
    EXPECT_EQ(process.rank, -1) << "written on an error";
  }
  return code == RANKMAP_OK ? text_of(process) : error.text;
}

TEST(CFace, says_of_every_recorded_process_what_cpp_says) {
  constexpr struct {
    int need;
    Need cpp;
  } needs[] = {{RANKMAP_NEED_PROCESS, Need::process},
               {RANKMAP_NEED_LOCAL, Need::local},
               {RANKMAP_NEED_ALL, Need::all},
               {RANKMAP_NEED_HINT, Need::hint}};
  int refused = 0;
  int count = 0;
  for (const auto& recording : rankmap_test::read_recordings(rankmap_test::own_recordings())) {
    for (const auto& process : recording.processes) {
      SCOPED_TRACE(recording.name + ", rank " + std::to_string(process.rank));
      const rankmap::RecordedEnvironment environment(process.environment);
      for (const auto& [need, cpp] : needs) {
        const auto expected = Identity::from_environment(environment, cpp);
        EXPECT_EQ(said_of(process.environment, need), text_of(expected)) << "need " << need;
        if (!expected) ++refused;
      }
      ++count;
    }
  }
  EXPECT_GT(count, 500);
  EXPECT_GT(refused, 50);
}

TEST(CFace, needs_what_is_asked_for) {
  const std::string pod = "RANK=1\nWORLD_SIZE=4\n";
  EXPECT_EQ(said_of(pod, RANKMAP_NEED_PROCESS).substr(0, 7), "1 4 -1 ");
  EXPECT_EQ(said_of(pod, RANKMAP_NEED_ALL).substr(0, 9), "RANK=\"1\":");
  EXPECT_EQ(said_of("SLURM_LOCALID=3\n", RANKMAP_NEED_LOCAL).substr(0, 8), "-1 -1 3 ");
  EXPECT_EQ(said_of("SLURM_LOCALID=x\n", RANKMAP_NEED_HINT).substr(0, 18), "-1 -1 -1 -1 -1 -1 ");
}

TEST(CFace, not_distributed_is_the_only_process) {
  EXPECT_EQ(said_of("LOCAL_RANK=-1\n", RANKMAP_NEED_ALL).substr(0, 8), "0 1 0 1 ");
}

#if defined(__unix__)
TEST(CFace, reads_the_environment_of_this_process) {
  const auto expected = Identity::from_environment(Need::local);
  rankmap_process process = RANKMAP_PROCESS_INIT;
  rankmap_error error = RANKMAP_ERROR_INIT;
  const int code = rankmap_from_environment(&process, RANKMAP_NEED_LOCAL, &error);
  EXPECT_EQ(code == RANKMAP_OK ? text_of(process) : error.text, text_of(expected));
  set_variable("RANKMAP_LAUNCHER", "no such launcher");
  const auto refused = Identity::from_environment(Need::local);
  EXPECT_EQ(rankmap_from_environment(&process, RANKMAP_NEED_LOCAL, &error),
            RANKMAP_UNKNOWN_LAUNCHER);
  EXPECT_EQ(error.text, text_of(refused));
  unset_variable("RANKMAP_LAUNCHER");
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host), 0);
  EXPECT_STREQ(process.host, host);
}
#endif

TEST(CFace, takes_explicit_values) {
  const struct {
    int given[6];
    std::string_view said;
  } rows[] = {
      {{3, 4, 1, 2, 1, 2}, "3 4 1 2 1 2 config"},
      {{0, 1, -1, -1, -1, -1}, "0 1 0 1 0 1 config"},
      {{3, 4, 3, -1, -1, 1}, "3 4 3 4 0 1 config"},
      {{3, 4, 1, -1, -1, -1}, "3 4 1 -1 -1 -1 config"},
      {{3, 4, -1, -1, -1, -1}, "3 4 -1 -1 -1 -1 config"},
      {{4, 4, 1, 2, 1, 2}, "rank=\"4\": expected a number in [0, 4), as world_size=\"4\" says;"},
      {{-2, 4, 1, 2, 1, 2}, "rank=\"-2\": expected"},
      {{-1, -1, 1, -1, -1, -1}, "rank is not set: expected the rank; pass rank and world_size"},
      {{0, 1, 1, 1, 0, 1}, "local_rank=\"1\": expected a number in [0, 1), as local_world_size"},
  };
  for (const auto& row : rows) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    std::memcpy(&process.rank, row.given, sizeof row.given);
    rankmap_error error = RANKMAP_ERROR_INIT;
    error.text[0] = 'x';
    const int code = rankmap_from_values(&process, &error);
    const std::string said = code == RANKMAP_OK ? text_of(process) : error.text;
    EXPECT_EQ(said.substr(0, row.said.size()), row.said) << said;
    EXPECT_EQ(code == RANKMAP_OK, row.said.find("config") != row.said.npos);
    EXPECT_EQ(code == RANKMAP_OK, error.text[0] == '\0') << "an earlier error is still there";
  }
}

TEST(CFace, has_the_devices_of_cpp) {
  const struct {
    int local_rank;
    int local_size;
    int count;
    int policy;
    std::string_view said;
  } rows[] = {
      {1, 2, 4, RANKMAP_DEVICE_STRICT, "cuda:1 1"},
      {5, 8, 4, RANKMAP_DEVICE_WRAP, "cuda:1 1"},
      {5, 8, 4, RANKMAP_DEVICE_BLOCK, "cuda:2 2"},
      {5, 8, 4, RANKMAP_DEVICE_STRICT, "not_enough_devices"},
      {5, -1, 4, RANKMAP_DEVICE_WRAP, "missing"},
      {0, 1, 0, RANKMAP_DEVICE_STRICT, "no_device"},
      {2, 3, 2, RANKMAP_DEVICE_WRAP, "not_enough_devices"},
      {2, 3, 2, RANKMAP_DEVICE_UNEVEN, "cuda:0 0"},
      {5, -1, 4, RANKMAP_DEVICE_UNEVEN, "cuda:1 1"},
      {0, 1, 1, 4, "out_of_range"},
      {-1, 1, 1, RANKMAP_DEVICE_STRICT, "missing"},
  };
  for (const auto& row : rows) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.rank = 0;
    process.world_size = 16;
    process.local_rank = row.local_rank;
    process.local_world_size = row.local_size;
    rankmap_device device = RANKMAP_DEVICE_INIT;
    rankmap_error error = RANKMAP_ERROR_INIT;
    const int code =
        rankmap_select_device(&process, "cuda", row.count, row.policy, &device, &error);
    const std::string said = code == RANKMAP_OK ? device.name + (' ' + std::to_string(device.index))
                                                : rankmap_error_name(code);
    EXPECT_EQ(said, row.said) << error.text;
    EXPECT_EQ(code == RANKMAP_OK, device.reason[0] != '\0');
  }
}

#if defined(__unix__)
TEST(CFace, knows_the_number_behind_a_visible_device) {
  set_variable("CUDA_VISIBLE_DEVICES", "4,6");
  rankmap_process process = RANKMAP_PROCESS_INIT;
  process.world_size = 2;
  process.local_rank = 1;
  process.local_world_size = 2;
  rankmap_device device = RANKMAP_DEVICE_INIT;
  EXPECT_EQ(rankmap_select_device(&process, "cuda", 2, RANKMAP_DEVICE_STRICT, &device, nullptr), 0);
  EXPECT_EQ(device.physical, 6);
  // The runtime shows fewer than the variable lists: who knows which.
  rankmap_error error = RANKMAP_ERROR_INIT;
  process.local_rank = 0;
  process.local_world_size = 1;
  EXPECT_EQ(rankmap_select_device(&process, "cuda", 1, RANKMAP_DEVICE_STRICT, &device, &error), 0)
      << error.text;
  EXPECT_EQ(device.physical, -1);
  EXPECT_EQ(rankmap_select_device(&process, "cpu", 0, RANKMAP_DEVICE_STRICT, &device, nullptr), 0);
  EXPECT_STREQ(device.name, "cpu");
  unset_variable("CUDA_VISIBLE_DEVICES");
}
#endif

#if defined(__unix__)
// What a program in C can pass, and not what one in C++ can.
TEST(CFace, says_in_the_words_of_c_what_to_do_about_a_device) {
  const struct {
    const char* environment;  // NAME=TEXT
    int local_size;
    int count;
    int policy;
    std::string_view in_the_program;
  } rows[] = {
      {"CUDA_VISIBLE_DEVICES=0", 4, 1, RANKMAP_DEVICE_STRICT,
       "take index 0 if each has its own, or share by RANKMAP_DEVICE_WRAP"},
      {"CUDA_VISIBLE_DEVICES=0-3", 4, 1, RANKMAP_DEVICE_STRICT,
       "share devices by RANKMAP_DEVICE_WRAP or _BLOCK"},
      {"CUDA_VISIBLE_DEVICES=MIG-1,MIG-2", 2, 1, RANKMAP_DEVICE_STRICT,
       "share it by RANKMAP_DEVICE_WRAP or _BLOCK"},
      {"CUDA_VISIBLE_DEVICES=0,1", 2, 4, RANKMAP_DEVICE_WRAP,
       "pass the count that the runtime shows, at most 2"},
      {"TORCHELASTIC_RUN_ID=j", 4, 2, RANKMAP_DEVICE_STRICT,
       "share by RANKMAP_DEVICE_WRAP or _BLOCK"},
      {"SLURM_GPU_BIND=closest", 4, 4, RANKMAP_DEVICE_WRAP, "take index 0 if each has its own"},
      {"FLAGS_selected_gpus=3", 4, 4, RANKMAP_DEVICE_WRAP, "take the visible device that it names"},
      {"OTHER=1", 4, 0, RANKMAP_DEVICE_BLOCK, "use the kind \"cpu\""},
      {"OTHER=1", 3, 2, RANKMAP_DEVICE_BLOCK, "pass RANKMAP_DEVICE_UNEVEN"},
      {"OTHER=1", -1, 2, RANKMAP_DEVICE_WRAP,
       "set rankmap_process.local_world_size, or pass RANKMAP_DEVICE_UNEVEN"},
      {"OTHER=1", -1, 2, RANKMAP_DEVICE_BLOCK, "set rankmap_process.local_world_size"},
  };
  for (const auto& row : rows) {
    const std::string variable(row.environment, std::strchr(row.environment, '='));
    set_variable(variable.c_str(), std::strchr(row.environment, '=') + 1);
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.world_size = 16;
    process.local_rank = 1;
    process.local_world_size = row.local_size;
    std::strcpy(process.launcher, variable == "FLAGS_selected_gpus" ? "paddle"
                                  : variable == "SLURM_GPU_BIND"    ? "slurm"
                                                                    : "torchrun");
    rankmap_device device = RANKMAP_DEVICE_INIT;
    rankmap_error error = RANKMAP_ERROR_INIT;
    EXPECT_NE(rankmap_select_device(&process, "cuda", row.count, row.policy, &device, &error), 0);
    const std::string_view said = error.text;
    const std::string_view before = "; in the program, ";
    const std::size_t at = said.find(before);
    EXPECT_EQ(at == said.npos ? said : said.substr(at + before.size()), row.in_the_program) << said;
    EXPECT_EQ(said.find("::"), said.npos) << said;
    unset_variable(variable.c_str());
  }
}
#endif

// Of a process that asked for its local rank alone the world size may be unknown.
TEST(CFace, a_process_of_a_world_of_unknown_size_is_one_of_several) {
  rankmap_process process = RANKMAP_PROCESS_INIT;
  process.local_rank = 2;
  process.local_world_size = 4;
  rankmap_device device = RANKMAP_DEVICE_INIT;
  EXPECT_EQ(rankmap_select_device(&process, "cuda", 4, RANKMAP_DEVICE_STRICT, &device, nullptr), 0);
  EXPECT_EQ(device.index, 2);
  EXPECT_EQ(rankmap_select_device(&process, "cuda", 2, RANKMAP_DEVICE_STRICT, &device, nullptr),
            RANKMAP_NOT_ENOUGH_DEVICES);
  process.local_rank = 4;
  EXPECT_EQ(rankmap_select_device(&process, "cuda", 8, RANKMAP_DEVICE_STRICT, &device, nullptr),
            RANKMAP_OUT_OF_RANGE);
}

/// Calls `test(sampler, options)` for the small worlds.
template <class Test>
void for_each_sampler(const Test& test) {
  for (const unsigned size : {0U, 1U, 7U, 12U}) {
    for (const int world : {1, 2, 5}) {
      for (int bits = 0; bits != 12; ++bits) {
        rankmap_sampler sampler = RANKMAP_SAMPLER_INIT;
        sampler.dataset_size = size;
        sampler.world_size = world;
        sampler.seed = 42;
        sampler.epoch = 3;
        sampler.shuffle = bits & 1;
        sampler.order = (bits >> 1) & 1;
        sampler.remainder = bits >> 2;
        const rankmap::SamplerOptions options = {
            .seed = 42,
            .shuffle = (bits & 1) != 0,
            .order = (bits & 2) != 0 ? rankmap::ShardOrder::blocked : rankmap::ShardOrder::strided,
            .remainder = static_cast<rankmap::Remainder>(bits >> 2)};
        for (sampler.rank = 0; sampler.rank != world; ++sampler.rank) test(sampler, options);
      }
    }
  }
}

TEST(CFace, has_the_samples_of_cpp) {
  for_each_sampler([](rankmap_sampler sampler, const rankmap::SamplerOptions& options) {
    const Sampler cpp(sampler.dataset_size, sampler.rank, sampler.world_size, options);
    for (sampler.consumed = 0; sampler.consumed <= sampler.dataset_size; sampler.consumed += 3) {
      const auto epoch = cpp.epoch(3, sampler.consumed);
      std::uint64_t size = 0;
      ASSERT_EQ(rankmap_sampler_size(&sampler, &size, nullptr), 0);
      ASSERT_EQ(size, epoch.size());
      std::vector<std::uint64_t> samples(size);
      ASSERT_EQ(rankmap_sampler_fill(&sampler, 0, size, samples.data(), nullptr), 0);
      EXPECT_EQ(samples, std::vector<std::uint64_t>(epoch.begin(), epoch.end()));
      std::uint64_t last = 0;
      if (size > 1) {
        ASSERT_EQ(rankmap_sampler_fill(&sampler, size - 1, 1, &last, nullptr), 0);
        EXPECT_EQ(last, samples.back());
      }
      EXPECT_EQ(rankmap_sampler_fill(&sampler, 1, size, nullptr, nullptr), RANKMAP_OUT_OF_RANGE);
      for (std::uint64_t sample = 0; sample != sampler.dataset_size; ++sample) {
        int rank = -2;
        std::uint64_t index = 0;
        ASSERT_EQ(rankmap_sampler_owner(&sampler, sample, &rank, &index, nullptr), 0);
        EXPECT_EQ((rankmap::ShardIndex{rank, index}), epoch.owner_of(sample));
      }
    }
  });
}

TEST(CFace, resumes_what_it_saved) {
  for_each_sampler([](const rankmap_sampler& sampler, const rankmap::SamplerOptions& options) {
    const auto epoch =
        Sampler(sampler.dataset_size, sampler.rank, sampler.world_size, options).epoch(3);
    for (std::uint64_t k = 0; k <= epoch.steps(1); ++k) {
      char text[RANKMAP_STATE_SIZE] = {};
      rankmap_error error = RANKMAP_ERROR_INIT;
      const int code = rankmap_sampler_save(&sampler, k, text, &error);
      const auto state = epoch.state_after(k);
      ASSERT_EQ(code == RANKMAP_OK, state.has_value());
      if (!state) {
        EXPECT_EQ(code, RANKMAP_BAD_SAMPLER);
        EXPECT_EQ(std::string_view(error.text).substr(0, 5), "read=");
        continue;
      }
      EXPECT_EQ(std::string_view(text), to_string(*state).view());
      rankmap_sampler rest = sampler;
      rest.rank = 0;
      rest.world_size = 3;
      rest.epoch = 77;  // whatever it was
      rest.consumed = 77;
      ASSERT_EQ(rankmap_sampler_resume(&rest, text, &error), 0) << error.text;
      EXPECT_EQ(rest.epoch, state->epoch);
      EXPECT_EQ(rest.consumed, state->consumed);
      const std::string read_by_fgets = std::string(text) + "\n";
      ASSERT_EQ(rankmap_sampler_resume(&rest, read_by_fgets.c_str(), &error), 0) << error.text;
    }
    // Of the whole epoch, also where this rank has the smaller share or nothing.
    char text[RANKMAP_STATE_SIZE] = {};
    rankmap_sampler next = sampler;
    ASSERT_EQ(rankmap_sampler_save(&sampler, UINT64_MAX, text, nullptr), 0);
    ASSERT_EQ(rankmap_sampler_resume(&next, text, nullptr), 0);
    EXPECT_EQ(next.epoch, 4U);
    EXPECT_EQ(next.consumed, 0U);
  });
}

TEST(CFace, refuses_a_state_that_is_not_its_own) {
  rankmap_sampler sampler = RANKMAP_SAMPLER_INIT;
  sampler.dataset_size = 10;
  char text[RANKMAP_STATE_SIZE];
  rankmap_error error = RANKMAP_ERROR_INIT;
  ASSERT_EQ(rankmap_sampler_save(&sampler, 4, text, nullptr), 0);
  const auto refuses = [&](rankmap_sampler other, const char* state) {
    const rankmap_sampler before = other;
    EXPECT_EQ(rankmap_sampler_resume(&other, state, &error), RANKMAP_BAD_SAMPLER);
    EXPECT_EQ(std::memcmp(&before, &other, sizeof other), 0) << "written on an error";
    return std::string(error.text);
  };
  rankmap_sampler other = sampler;
  other.seed = 1;
  EXPECT_EQ(refuses(other, text),
            "saved seed=\"0\": expected 1 as this sampler's seed; resume on the same data "
            "with the same seed");
  other = sampler;
  other.dataset_size = 11;
  EXPECT_EQ(refuses(other, text).substr(0, 10), "saved size");
  other = sampler;
  other.shuffle = 0;
  EXPECT_EQ(refuses(other, text).substr(0, 15), "saved algorithm");
  // what this header does not have is in no remedy
  EXPECT_EQ(
      refuses(sampler, ""),
      "sampler state=\"\" at byte 0: expected \"rankmap-sampler-3 algorithm=\"; pass a line that "
      "rankmap_sampler_save wrote");
  other = sampler;
  other.order = RANKMAP_ORDER_BLOCKED;
  other.world_size = 2;
  char none[RANKMAP_STATE_SIZE];
  EXPECT_EQ(rankmap_sampler_save(&other, 2, none, &error), RANKMAP_BAD_SAMPLER);
  EXPECT_STREQ(error.text,
               "read=\"2\": expected 0 or the end of the epoch for a blocked order; set order to "
               "RANKMAP_ORDER_STRIDED to save at any step");
  text[60] = 'x';
  refuses(sampler, text);
  EXPECT_EQ(
      refuses(sampler, "rankmap-sampler-1 algorithm=feistel-1 seed=0 epoch=0 size=10 consumed=4"),
      "sampler state=\"rankmap-sampler-1 algorithm=feistel-1 seed=0 epoch=0 size=10 con... (71 "
      "bytes)\": expected \"rankmap-sampler-3\", whose text has a checksum; save it again with the "
      "rankmap of today");
}

TEST(CFace, refuses_members_out_of_range) {
  const struct {
    void (*change)(rankmap_sampler&);
    std::string_view text;
  } rows[] = {
      {[](rankmap_sampler& s) { s.order = 256; },
       "rankmap_sampler.order=\"256\": expected 0 to 1; set it to one of RANKMAP_ORDER_..."},
      {[](rankmap_sampler& s) { s.remainder = -1; },
       "rankmap_sampler.remainder=\"-1\": expected 0 to 2; set it to one of "
       "RANKMAP_REMAINDER_..."},
      {[](rankmap_sampler& s) { s.struct_size = 0; },
       "rankmap_sampler.struct_size=\"0\": expected a size from 56 to 65536; set it to "
       "sizeof(rankmap_sampler), as its INIT does"},
      {[](rankmap_sampler& s) { s.rank = 1; }, "rank=\"1\": expected a rank in [0, 1)"},
      {[](rankmap_sampler& s) { s.world_size = 0; }, "world_size=\"0\": expected "},
      {[](rankmap_sampler& s) { s.consumed = 11; }, "consumed=\"11\": expected "},
      {[](rankmap_sampler& s) { s.dataset_size = UINT64_MAX; }, "dataset_size=\"18446744"},
  };
  for (const auto& row : rows) {
    rankmap_sampler sampler = RANKMAP_SAMPLER_INIT;
    sampler.dataset_size = 10;
    row.change(sampler);
    std::uint64_t size = 77;
    rankmap_error error = RANKMAP_ERROR_INIT;
    EXPECT_EQ(rankmap_sampler_size(&sampler, &size, &error), RANKMAP_OUT_OF_RANGE);
    EXPECT_EQ(std::string_view(error.text).substr(0, row.text.size()), row.text) << error.text;
    EXPECT_EQ(size, 77U) << "written on an error";
  }
}

TEST(CFace, refuses_null_pointers_and_what_nobody_needs) {
  rankmap_error error = RANKMAP_ERROR_INIT;
  EXPECT_EQ(rankmap_from_environment(nullptr, RANKMAP_NEED_ALL, &error), RANKMAP_MISSING);
  EXPECT_STREQ(error.text, "rankmap_process is not set: expected no null pointer; pass an address");
  rankmap_process process = RANKMAP_PROCESS_INIT;
  EXPECT_EQ(rankmap_from_variables(&process, nullptr, RANKMAP_NEED_ALL, nullptr), RANKMAP_MISSING);
  for (const int need : {-1, 4}) {
    EXPECT_EQ(rankmap_from_environment(&process, need, &error), RANKMAP_OUT_OF_RANGE);
    EXPECT_EQ(std::string_view(error.text),
              "need=\"" + std::to_string(need) +
                  "\": expected 0 to 3; pass one of RANKMAP_NEED_PROCESS, _LOCAL, _ALL, _HINT");
  }
  rankmap_device device = RANKMAP_DEVICE_INIT;
  process.local_rank = 0;
  EXPECT_EQ(rankmap_select_device(&process, nullptr, 1, 0, &device, nullptr), RANKMAP_MISSING);
  EXPECT_EQ(rankmap_select_device(&process, "gpu", 1, 0, &device, &error), RANKMAP_OUT_OF_RANGE);
  EXPECT_STREQ(error.text,
               "kind=\"gpu\": expected cuda, rocm, npu, xpu, mlu, musa, hpu, neuron, tpu or cpu; "
               "pass one of these");
  rankmap_sampler sampler = RANKMAP_SAMPLER_INIT;
  sampler.dataset_size = 1;
  std::uint64_t index = 0;
  EXPECT_EQ(rankmap_sampler_size(&sampler, nullptr, nullptr), RANKMAP_MISSING);
  EXPECT_EQ(rankmap_sampler_fill(&sampler, 0, 1, nullptr, nullptr), RANKMAP_MISSING);
  EXPECT_EQ(rankmap_sampler_owner(&sampler, 0, nullptr, &index, nullptr), RANKMAP_MISSING);
  EXPECT_EQ(rankmap_sampler_save(&sampler, 0, nullptr, nullptr), RANKMAP_MISSING);
  EXPECT_EQ(rankmap_sampler_resume(&sampler, nullptr, nullptr), RANKMAP_MISSING);
}

TEST(CFace, warns_of_a_process_that_may_be_one_of_many) {
  rankmap_process process = RANKMAP_PROCESS_INIT;
  rankmap_error error = {sizeof error, 5, "of an earlier call"};
  const char* const traces[] = {"FOO_RANK=3", nullptr};
  ASSERT_EQ(rankmap_from_variables(&process, traces, RANKMAP_NEED_ALL, &error), RANKMAP_OK);
  EXPECT_EQ(error.code, RANKMAP_OK);
  EXPECT_EQ(std::string_view(error.text).substr(0, 22), "FOO_RANK=\"3\": expected");
  const char* const wrong[] = {"RANK=x", "WORLD_SIZE=2", "LOCAL_RANK=0", nullptr};
  ASSERT_EQ(rankmap_from_variables(&process, wrong, RANKMAP_NEED_HINT, &error), RANKMAP_OK);
  EXPECT_EQ(process.rank, -1);
  EXPECT_EQ(std::string_view(error.text).substr(0, 18), "RANK=\"x\": expected");
  const char* const alone[] = {nullptr};
  ASSERT_EQ(rankmap_from_variables(&process, alone, RANKMAP_NEED_ALL, &error), RANKMAP_OK);
  EXPECT_STREQ(error.text, "");
}

TEST(CFace, writes_nothing_into_an_error_of_a_negative_size) {
  for (const int size : {INT_MIN, -1, 0, 7}) {
    rankmap_error error = {size, 77, "as it was"};
    EXPECT_EQ(rankmap_from_environment(nullptr, RANKMAP_NEED_ALL, &error), RANKMAP_MISSING);
    EXPECT_EQ(error.code, 77) << size;
    EXPECT_STREQ(error.text, "as it was") << size;
  }
}

/// A struct of a program whose version of rankmap.h has one more member.
struct LaterProcess {
  rankmap_process known;
  int one_more;
};
struct LaterSampler {
  rankmap_sampler known;
  std::uint64_t one_more;
};

TEST(CFace, agrees_with_a_program_of_a_later_version) {
  LaterProcess later = {RANKMAP_PROCESS_INIT, 77};
  later.known.struct_size = sizeof later;
  const char* const variables[] = {"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=1", nullptr};
  ASSERT_EQ(rankmap_from_variables(&later.known, variables, RANKMAP_NEED_LOCAL, nullptr), 0);
  EXPECT_EQ(later.known.rank, 1);
  EXPECT_EQ(later.known.struct_size, static_cast<int>(sizeof later));
  EXPECT_EQ(later.one_more, 77) << "written, though nobody knows it";

  LaterSampler sampler = {RANKMAP_SAMPLER_INIT, 0};
  sampler.known.struct_size = sizeof sampler;
  std::uint64_t size = 0;
  EXPECT_EQ(rankmap_sampler_size(&sampler.known, &size, nullptr), 0);
  sampler.one_more = 1;
  rankmap_error error = RANKMAP_ERROR_INIT;
  EXPECT_EQ(rankmap_sampler_size(&sampler.known, &size, &error), RANKMAP_OUT_OF_RANGE);
  EXPECT_STREQ(error.text,
               "rankmap_sampler.struct_size=\"64\": expected 56, or 0 in every member behind these "
               "bytes; build the program and rankmap's functions with one version");
}

TEST(CFace, writes_as_much_of_an_error_as_the_struct_takes) {
  const std::string whole = "rankmap_process is not set: expected no null pointer; pass an address";
  for (const int size : {-1, 0, 4, 8, 9, 30, 1032, 1 << 20}) {
    rankmap_error error = RANKMAP_ERROR_INIT;
    error.struct_size = size;
    std::memset(error.text, '#', sizeof error.text);
    EXPECT_EQ(rankmap_from_environment(nullptr, 0, &error), RANKMAP_MISSING);
    EXPECT_EQ(error.code, size < 8 ? 0 : RANKMAP_MISSING);
    const std::size_t room = size <= 8 ? 0 : static_cast<std::size_t>(size) - 8;
    if (room == 0) {
      EXPECT_EQ(error.text[0], '#');
    } else if (room <= whole.size()) {
      EXPECT_EQ(error.text, whole.substr(0, room - 1));
      EXPECT_EQ(error.text[room], '#');
    } else {
      EXPECT_EQ(error.text, whole);
    }
  }
}

/// The lines of a job of `size` processes on one host, the last of which says that it is `last`.
std::string job_lines(int size, int last) {
  std::string out = "a line of another program\n";
  for (int rank = 0; rank != size; ++rank) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.rank = rank + 1 == size ? last : rank;
    process.world_size = size;
    process.local_rank = process.rank;
    process.local_world_size = size;
    process.node_rank = 0;
    process.node_count = 1;
    std::strcpy(process.launcher, "slurm");
    std::strcpy(process.host, "n1");
    rankmap_device device = RANKMAP_DEVICE_INIT;
    device.index = rank;
    std::strcpy(device.name, "cuda:0");
    char line[RANKMAP_LINE_SIZE] = {};
    rankmap_error error = RANKMAP_ERROR_INIT;
    EXPECT_EQ(rankmap_job_line(&process, rank == 0 ? nullptr : &device, line, &error), 0)
        << error.text;
    out += line;
    out += '\n';
  }
  return out;
}

// Two hosts of a long name that differ at its end.
TEST(CFace, a_line_keeps_long_names_of_hosts_apart) {
  std::string found[2];
  for (int i = 0; i != 2; ++i) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.rank = 0;
    process.world_size = 1;
    process.local_rank = 0;
    const std::string host = std::string(80, 'h') + std::to_string(i);
    host.copy(process.host, host.size());
    char line[RANKMAP_LINE_SIZE];
    ASSERT_EQ(rankmap_job_line(&process, nullptr, line, nullptr), 0);
    const std::string text(line);
    const std::size_t at = text.find("\"host\":\"");
    found[i] = text.substr(at, text.find('"', at + 8) - at);
    EXPECT_NE(found[i].find('~'), std::string::npos) << text;
  }
  EXPECT_NE(found[0], found[1]);
}

// A record has room for 15 bytes, and a program may call its launcher as it likes.
TEST(CFace, a_line_keeps_long_names_of_launchers_apart) {
  std::string lines;
  std::string found[2];
  for (int i = 0; i != 2; ++i) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.rank = process.local_rank = i;
    process.world_size = 2;
    std::strcpy(process.launcher, i == 0 ? "launcher_of_ours_1" : "launcher_of_ours_2");
    char line[RANKMAP_LINE_SIZE];
    ASSERT_EQ(rankmap_job_line(&process, nullptr, line, nullptr), 0);
    lines += std::string(line) + '\n';
    const std::string text(line);
    const std::size_t at = text.find("\"launcher\":\"") + 12;
    found[i] = text.substr(at, text.find('"', at) - at);
    EXPECT_EQ(found[i].substr(0, 7), "launch~") << text;
  }
  EXPECT_NE(found[0], found[1]);
  char text[4096];
  ASSERT_EQ(rankmap_job_table(lines.c_str(), text, sizeof text, nullptr, nullptr, nullptr), 0);
  EXPECT_NE(std::string_view(text).find("mixed_launchers"), std::string_view::npos) << text;
}

TEST(CFace, a_line_keeps_any_name_of_a_launcher) {
  struct Row {
    const char* name;
    const char* kept;
  };
  for (const Row& row : {
           Row{"m\u00fcllers_l\u00e4uncher", "m?ller~"},  // it would be cut within a character
           Row{"\u767a\u5c04\u53f0\u767a\u5c04\u53f0", "??????~"},
           Row{"\xff\xfe", "??~"},
           Row{"a\nb", "a?b~"},
           Row{"\"a\\b\"a\\b\"a\\b\"", "?a?b?a~"},
           Row{"caf\u00e9", "caf\\u00e9\""},
       }) {
    rankmap_process process = RANKMAP_PROCESS_INIT;
    process.rank = process.local_rank = 0;
    process.world_size = 1;
    std::strcpy(process.launcher, row.name);
    char line[RANKMAP_LINE_SIZE];
    rankmap_error error = RANKMAP_ERROR_INIT;
    ASSERT_EQ(rankmap_job_line(&process, nullptr, line, &error), 0) << error.text;
    const std::string text(line);
    const std::size_t at = text.find("\"launcher\":\"") + 12;
    EXPECT_EQ(text.substr(at, std::strlen(row.kept)), row.kept) << text;
  }
}

// Arrays that a program filled to their ends, and what stands behind them in its memory.
TEST(CFace, a_line_reads_no_text_beyond_its_array) {
  std::string found[2];
  for (int i = 0; i != 2; ++i) {
    struct {
      rankmap_process process = RANKMAP_PROCESS_INIT;
      char behind[8] = {};
    } memory;
    memory.process.rank = 0;
    memory.process.world_size = 1;
    memory.process.local_rank = 0;
    std::memset(memory.process.launcher, 'l', sizeof memory.process.launcher);
    std::memset(memory.process.host, 'h', sizeof memory.process.host);
    std::memset(memory.behind, 'a' + i, sizeof memory.behind - 1);
    rankmap_device device = RANKMAP_DEVICE_INIT;
    std::memset(device.name, 'd', sizeof device.name);
    char line[RANKMAP_LINE_SIZE] = {};
    ASSERT_EQ(rankmap_job_line(&memory.process, &device, line, nullptr), 0);
    found[i] = line;
  }
  EXPECT_EQ(found[0], found[1]);
}

// A struct without a byte behind it: what reads further is seen by asan alone.
TEST(CFace, a_device_is_chosen_by_no_text_beyond_the_array_of_a_launcher) {
  const auto process = std::make_unique<rankmap_process>(rankmap_process RANKMAP_PROCESS_INIT);
  process->rank = process->local_rank = 1;
  process->world_size = process->local_world_size = 4;
  std::memset(process->launcher, 'l', sizeof process->launcher);
  std::memset(process->host, 'h', sizeof process->host);
  rankmap_device device = RANKMAP_DEVICE_INIT;
  ASSERT_EQ(rankmap_select_device(process.get(), "mlu", 4, RANKMAP_DEVICE_STRICT, &device, nullptr),
            0);
  EXPECT_EQ(device.index, 1);
}

TEST(CFace, shows_a_whole_job) {
  const std::string lines = job_lines(4, 3);
  EXPECT_NE(lines.find("\"rank\":[3,4],\"local\":[3,4],\"node\":[0,1]"), lines.npos) << lines;
  EXPECT_NE(lines.find("\"device\":[\"cuda\",3,1,"), lines.npos) << lines;
  char text[4096] = {};
  std::size_t size = 0;
  int errors = -1;
  ASSERT_EQ(rankmap_job_table(lines.c_str(), text, sizeof text, &size, &errors, nullptr), 0);
  EXPECT_EQ(std::string_view(text).substr(0, 53),
            "4 processes on 1 node; world size 4; launcher slurm\n\n");
  EXPECT_EQ(std::strlen(text), size);
  EXPECT_EQ(errors, 0) << text;

  const std::string twice = job_lines(4, 2);
  ASSERT_EQ(rankmap_job_table(twice.c_str(), text, sizeof text, &size, &errors, nullptr), 0);
  EXPECT_NE(std::string_view(text).find("error: missing_ranks, rank 3"), std::string_view::npos);
  EXPECT_GE(errors, 1);

  // A text that does not fit is cut, and says what it needs.
  rankmap_error error = RANKMAP_ERROR_INIT;
  char few[32];
  std::memset(few, '#', sizeof few);
  std::size_t needed = 0;
  EXPECT_EQ(rankmap_job_table(twice.c_str(), few, 20, &needed, nullptr, &error),
            RANKMAP_LIMIT_EXCEEDED);
  EXPECT_EQ(needed, size);
  EXPECT_EQ(few, std::string(text, 19));
  EXPECT_EQ(few[20], '#');
  EXPECT_EQ(error.text, "capacity=\"20\": expected at least " + std::to_string(size + 1) +
                            " bytes; pass a larger text");
  EXPECT_EQ(rankmap_job_table(twice.c_str(), nullptr, 0, &needed, nullptr, nullptr),
            RANKMAP_LIMIT_EXCEEDED);
  // On other errors both numbers are 0.
  size = 99;
  errors = 99;
  EXPECT_EQ(rankmap_job_table("nothing\n", text, sizeof text, &size, &errors, &error),
            RANKMAP_MISSING);
  EXPECT_STREQ(error.text,
               "lines=\"1 line, torn pieces: 0\": expected the record of a process: "
               "{\"rankmap_job\":1,...}; print one line for each process, of at most 768 bytes and "
               "in one write");
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(rankmap_job_table(nullptr, text, sizeof text, nullptr, nullptr, nullptr),
            RANKMAP_MISSING);
  rankmap_process unset = RANKMAP_PROCESS_INIT;
  char line[RANKMAP_LINE_SIZE] = {};
  EXPECT_EQ(rankmap_job_line(&unset, nullptr, line, &error), RANKMAP_OUT_OF_RANGE);
  EXPECT_STREQ(error.text,
               "rankmap_process=\"-1\": expected a rank in [0, world_size), and other numbers in "
               "their ranges or -1; pass what rankmap_from_environment or rankmap_from_values "
               "filled in");
  EXPECT_STREQ(line, "");
}

// The commonest fault of a launch: no process knows its rank.
TEST(CFace, shows_what_processes_without_a_record_say) {
  std::string lines;
  for (const std::string_view host : {"n1", "n2"}) {
    rankmap::Error cause;
    cause.subject = "RANK";
    cause.expected = rankmap::StaticString<159>("a number");
    rankmap::ProcessFacts process;
    process.host = host;
    rankmap::write_json(rankmap::describe(cause, process),
                        [&lines](std::string_view piece) { lines += piece; });
    lines += '\n';
  }
  char text[4096] = {};
  std::size_t size = 0;
  int errors = -1;
  rankmap_error error = RANKMAP_ERROR_INIT;
  ASSERT_EQ(rankmap_job_table(lines.c_str(), text, sizeof text, &size, &errors, &error), 0)
      << error.text;
  EXPECT_NE(std::string_view(text).find("error: refused"), std::string_view::npos) << text;
  EXPECT_NE(std::string_view(text).find("expected a number"), std::string_view::npos) << text;
  EXPECT_GE(errors, 1);
  EXPECT_EQ(size, std::strlen(text));
}

TEST(CFace, has_a_code_and_a_name_for_every_error) {
  struct Row {
    Errc code;
    int number;
  };
  const Row rows[] = {
      {Errc::not_a_number, RANKMAP_NOT_A_NUMBER},
      {Errc::number_too_large, RANKMAP_NUMBER_TOO_LARGE},
      {Errc::out_of_range, RANKMAP_OUT_OF_RANGE},
      {Errc::missing, RANKMAP_MISSING},
      {Errc::inconsistent, RANKMAP_INCONSISTENT},
      {Errc::conflict, RANKMAP_CONFLICT},
      {Errc::ambiguous, RANKMAP_AMBIGUOUS},
      {Errc::unknown_launcher, RANKMAP_UNKNOWN_LAUNCHER},
      {Errc::bad_host_list, RANKMAP_BAD_HOST_LIST},
      {Errc::bad_task_counts, RANKMAP_BAD_TASK_COUNTS},
      {Errc::bad_endpoint, RANKMAP_BAD_ENDPOINT},
      {Errc::bad_json, RANKMAP_BAD_JSON},
      {Errc::bad_file, RANKMAP_BAD_FILE},
      {Errc::limit_exceeded, RANKMAP_LIMIT_EXCEEDED},
      {Errc::bad_layout, RANKMAP_BAD_LAYOUT},
      {Errc::duplicate_place, RANKMAP_DUPLICATE_PLACE},
      {Errc::gather_failed, RANKMAP_GATHER_FAILED},
      {Errc::no_device, RANKMAP_NO_DEVICE},
      {Errc::not_enough_devices, RANKMAP_NOT_ENOUGH_DEVICES},
      {Errc::bad_device_list, RANKMAP_BAD_DEVICE_LIST},
      {Errc::bad_axis, RANKMAP_BAD_AXIS},
      {Errc::bad_domain, RANKMAP_BAD_DOMAIN},
      {Errc::not_enough_nodes, RANKMAP_NOT_ENOUGH_NODES},
      {Errc::bad_sampler, RANKMAP_BAD_SAMPLER},
      {Errc::bad_launcher, RANKMAP_BAD_LAUNCHER},
  };
  int number = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(row.number, ++number);
    EXPECT_EQ(rankmap::detail::c_code(row.code), row.number);
    EXPECT_EQ(rankmap_error_name(row.number), rankmap::name(row.code));
  }
  EXPECT_EQ(number, static_cast<int>(Errc::bad_launcher) + 1);
  EXPECT_STREQ(rankmap_error_name(RANKMAP_OK), "ok");
  EXPECT_STREQ(rankmap_error_name(RANKMAP_BAD_LAUNCHER + 1), "unknown");
  EXPECT_STREQ(rankmap_error_name(-1), "unknown");
}

TEST(CFace, has_the_version_of_the_headers) {
  EXPECT_EQ(rankmap_version(), std::to_string(rankmap::version.major_number) + '.' +
                                   std::to_string(rankmap::version.minor_number) + '.' +
                                   std::to_string(rankmap::version.patch_number));
}

}  // namespace
