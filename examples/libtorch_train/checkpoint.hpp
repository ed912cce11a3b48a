// SPDX-License-Identifier: MIT
//
// One file with the model, the optimizer and where the pass over the data stands.
#ifndef LIBTORCH_TRAIN_CHECKPOINT_HPP
#define LIBTORCH_TRAIN_CHECKPOINT_HPP

#include <rankmap/sampler/sampler_state.hpp>

#include <torch/nn/modules/container/sequential.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize.h>

#include <filesystem>
#include <string>

/// Whoever dies while it writes leaves the file before.
inline void save_checkpoint(const std::string& path, const torch::nn::Sequential& model,
                            const torch::optim::Optimizer& optimizer,
                            const rankmap::SamplerState& state) {
  torch::serialize::OutputArchive whole;
  torch::serialize::OutputArchive weights;
  torch::serialize::OutputArchive steps;
  model->save(weights);
  optimizer.save(steps);
  whole.write("model", weights);
  whole.write("optimizer", steps);
  whole.write("sampler", c10::IValue(std::string(to_string(state).view())));
  whole.save_to(path + ".new");
  std::filesystem::rename(path + ".new", path);
}

inline rankmap::SamplerState load_checkpoint(const std::string& path, torch::nn::Sequential& model,
                                             torch::optim::Optimizer& optimizer) {
  torch::serialize::InputArchive whole;
  torch::serialize::InputArchive weights;
  torch::serialize::InputArchive steps;
  whole.load_from(path);
  whole.read("model", weights);
  whole.read("optimizer", steps);
  model->load(weights);
  optimizer.load(steps);
  c10::IValue state;
  whole.read("sampler", state);
  return rankmap::parse_sampler_state(state.toStringRef()).value();
}

#endif  // LIBTORCH_TRAIN_CHECKPOINT_HPP
