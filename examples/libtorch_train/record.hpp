// SPDX-License-Identifier: MIT
//
// What a rank read, step by step, for whoever wants to add it up. Without a folder: nothing.
#ifndef LIBTORCH_TRAIN_RECORD_HPP
#define LIBTORCH_TRAIN_RECORD_HPP

#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/topology/topology.hpp>

#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

class Record {
 public:
  Record(const std::string& folder, const rankmap::Topology& me, std::string_view device) {
    if (folder.empty()) return;
    std::filesystem::create_directories(folder);
    const std::string path = folder + "/rank-" + std::to_string(me.rank());
    samples_.open(path + ".txt");
    if (me.is_main()) losses_.open(folder + "/losses.txt");
    char host[256] = {};
    ::gethostname(host, sizeof(host) - 1);
    samples_ << "rank " << me.rank() << " of " << me.world_size() << ", local rank "
             << me.local_rank() << ", host " << host << ", device " << device << ", process "
             << ::getpid() << std::endl;
  }

  /// Ahead of the step's collective, so that no step that others finish is missing here if this
  /// process dies. Behind the '+' stands padding.
  void read(const rankmap::SamplerState& before, const std::vector<std::size_t>& samples,
            std::size_t real) {
    if (!samples_.is_open()) return;
    samples_ << before.epoch << ' ' << before.consumed << ':';
    for (std::size_t i = 0; i != samples.size(); ++i) {
      samples_ << (i == real ? " + " : " ") << samples[i];
    }
    samples_ << std::endl;
  }
  void loss(const rankmap::SamplerState& before, double loss) {
    if (!losses_.is_open()) return;
    char text[32] = {};
    std::snprintf(text, sizeof(text), "%.17g", loss);
    losses_ << before.epoch << ' ' << before.consumed << ": " << text << std::endl;
  }

 private:
  std::ofstream samples_;
  std::ofstream losses_;
};

#endif  // LIBTORCH_TRAIN_RECORD_HPP
