// SPDX-License-Identifier: MIT
#include "commands.hpp"

#include <rankmap/draw.hpp>
#include <rankmap/sampler.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace program {
namespace {

int shard(const Arguments& arguments) {
  if (arguments.words().empty()) {
    return unusable("shard: the number of samples is missing; see rankmap shard --help");
  }
  const auto size = read_count(arguments.words()[0], "samples", 0, std::int64_t{1} << 40U);
  if (!size) return not_usable;
  const auto world = read_count(arguments.value("--world").value_or("1"), "--world", 1,
                                std::numeric_limits<int>::max());
  if (!world) return not_usable;
  const auto samples = static_cast<std::uint64_t>(*size);
  const auto sampler_of = [&](int rank) {
    return rankmap::Sampler(samples, rank, static_cast<int>(*world), {.shuffle = false});
  };
  if (const auto path = arguments.value("--svg")) {
    std::string picture;
    draw_shards(sampler_of(0).epoch(0), [&](std::string_view piece) { picture += piece; });
    return save_picture(std::string(*path), picture) ? good : not_usable;
  }
  std::string text;
  for (int rank = 0; rank != static_cast<int>(*world); ++rank) {
    if (rank == 8 && *world > 9) {
      text += "...\n";
      rank = static_cast<int>(*world) - 1;
    }
    const auto epoch = sampler_of(rank).epoch(0);
    text += "rank " + std::to_string(rank) + ": " + std::to_string(epoch.size()) + " samples:";
    const std::uint64_t shown = std::min<std::uint64_t>(epoch.size(), 8);
    for (std::uint64_t k = 0; k != shown; ++k) {
      const std::string sample = std::to_string(epoch[k]);
      text += epoch.is_padding(k) ? " (" + sample + ')' : ' ' + sample;
    }
    text += shown == epoch.size() ? "\n" : " ...\n";
  }
  print(text);
  return good;
}

}  // namespace

Command shard_command() {
  return {"shard",
          "SAMPLES",
          "Which samples of a data set each rank reads, without a shuffle.",
          "A sample in parentheses is padding: another rank reads it, too.",
          "rankmap shard 22 --world 4",
          {{"--world", "RANKS", "how many ranks there are; default: 1"},
           {"--svg", "FILE", "a picture instead"}},
          1,
          shard};
}

}  // namespace program
