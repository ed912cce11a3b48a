// SPDX-License-Identifier: MIT
//
// Data-parallel training with libtorch, under torchrun, mpirun, srun or no launcher at all, without
// a line that depends on which. Stopped at any moment it goes on from its checkpoint under any
// number of processes, and every sample is read once.
#include <rankmap/rankmap.hpp>

#include <torch/cuda.h>
#include <torch/data/dataloader.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "checkpoint.hpp"
#include "loader_sampler.hpp"
#include "mixed_sampler.hpp"
#include "options.hpp"
#include "process_group.hpp"
#include "record.hpp"
#include "waves.hpp"

namespace {

/// One step of all ranks together, as one process would make it with the whole batch. Returns the
/// mean loss over that batch. A rank without a real sample takes part with zeros.
double step(torch::nn::Sequential& model, torch::optim::Optimizer& optimizer,
            const torch::Tensor& points, const torch::Tensor& values, ProcessGroup& group) {
  namespace F = torch::nn::functional;
  optimizer.zero_grad();
  const auto loss =
      F::mse_loss(model->forward(points), values, F::MSELossFuncOptions().reduction(torch::kSum));
  loss.backward();

  // Sums over the ranks, divided by the samples of all: right also where shares differ.
  std::vector<torch::Tensor> parts;
  for (const auto& weight : model->parameters()) parts.push_back(weight.grad().flatten());
  parts.push_back(loss.detach().reshape({1}));
  parts.push_back(torch::full({1}, points.size(0), points.options()));
  auto sums = torch::cat(parts).cpu();
  group.sum(sums);
  const auto means = (sums / sums[-1]).to(points.device());

  std::int64_t at = 0;
  for (auto& weight : model->parameters()) {
    weight.mutable_grad() = means.narrow(0, at, weight.numel()).view_as(weight).clone();
    at += weight.numel();
  }
  optimizer.step();
  return means[at].item<double>();
}

/// PyTorch's order, as the loop needs it. What only fills a rank up to the others is somebody
/// else's, and comes last in its batch.
class PyTorchOrder {
 public:
  PyTorchOrder(const Options& options, const rankmap::Topology& me)
      : order_(options.samples, me, {.seed = options.seed}),
        sampler_(order_),
        batch_size_(options.batch / static_cast<std::uint64_t>(me.world_size())) {}
  std::size_t batch_size() const { return batch_size_; }
  LoaderSampler<rankmap::DistributedSampler> sampler() const { return sampler_; }
  rankmap::SamplerState start() const { return order_.epoch(0).state_after(0).value(); }
  void resume(const rankmap::SamplerState& state) {
    sampler_.resume(state);
    mine_ = 0;
  }
  std::size_t real(std::size_t size) const {
    std::size_t count = 0;
    while (count != size && !sampler_.epoch().is_padding(mine_ + count)) ++count;
    return count;
  }
  rankmap::SamplerState train(std::size_t size) {
    mine_ += size;
    return sampler_.epoch().state_after(mine_).value();
  }

 private:
  rankmap::DistributedSampler order_;
  LoaderSampler<rankmap::DistributedSampler> sampler_;
  std::size_t batch_size_;
  std::uint64_t mine_ = 0;  // samples of this rank in this pass, padding included
};

/// Trains from the checkpoint, or from the start of `order`.
template <class Order>
void train(const Options& options, const rankmap::Topology& me, Order order) {
  const auto device =
      rankmap::select_device(me, rankmap::DeviceKind::cuda,
                             static_cast<int>(torch::cuda::device_count()),
                             rankmap::device_policy::or_cpu{rankmap::device_policy::strict{}})
          .value();
  const torch::Device place(std::string(to_torch_string(device).view()));
  ProcessGroup group(me);

  torch::manual_seed(options.seed);  // the same first weights on every rank
  torch::nn::Sequential model;       // one after another: arguments have no order, and each draws
  model->push_back(torch::nn::Linear(2, 16));
  model->push_back(torch::nn::Tanh());
  model->push_back(torch::nn::Linear(16, 1));
  model->to(place, torch::kFloat64);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));

  rankmap::SamplerState state = order.start();
  const bool resumed = !options.checkpoint.empty() && std::filesystem::exists(options.checkpoint);
  if (resumed) state = load_checkpoint(options.checkpoint, model, optimizer);
  if (!group.agree(fingerprint(state, me.world_size()))) {
    throw std::runtime_error(
        "the ranks begin at different places or with different options; this one at \"" +
        std::string(to_string(state).view()) +
        "\": expected one checkpoint and one command line for all");
  }
  if (me.is_main()) {
    std::printf("launcher %s, world of %d, rank 0 on %s, %s %s\n",
                std::string(me.launcher_name()).c_str(), me.world_size(), to_string(device).c_str(),
                resumed ? "goes on from" : "begins at", to_string(state).c_str());
  }

  Record record(options.record, me, to_string(device).view());
  const auto loader = torch::data::make_data_loader(
      Waves(options.samples), order.sampler(),
      torch::data::DataLoaderOptions(order.batch_size()).workers(options.workers));
  std::uint64_t steps = 0;
  while (state.epoch < options.epochs) {
    order.resume(state);
    for (const Batch& batch : *loader) {
      const auto began = std::chrono::steady_clock::now();
      const std::size_t real = order.real(batch.samples.size());
      record.read(state, batch.samples, real);

      const auto rows = static_cast<std::int64_t>(real);
      const double loss = step(model, optimizer, batch.points.narrow(0, 0, rows).to(place),
                               batch.values.narrow(0, 0, rows).to(place), group);
      record.loss(state, loss);

      state = order.train(batch.samples.size());
      if (++steps % options.every == 0 || state.consumed == 0) {
        if (me.is_main() && !options.checkpoint.empty()) {
          save_checkpoint(options.checkpoint, model, optimizer, state);
        }
        if (me.is_main()) {
          std::printf("epoch %d, %4d of %d samples, loss %.6f\n", static_cast<int>(state.epoch),
                      static_cast<int>(state.consumed), static_cast<int>(state.size), loss);
          std::fflush(stdout);
        }
      }
      std::this_thread::sleep_until(began + std::chrono::milliseconds(options.pace));
    }
  }
}

void train(const Options& options, const rankmap::Topology& me) {
  const auto world = static_cast<std::uint64_t>(me.world_size());
  if (options.mix != 0) {
    return train(
        options, me,
        MixedSampler(options.samples, options.batch, me.rank(), me.world_size(), options.seed));
  }
  if (options.batch % world != 0) {
    throw std::runtime_error("--batch " + std::to_string(options.batch) +
                             ": expected a multiple of the " + std::to_string(world) +
                             " processes");
  }
  train(options, me, PyTorchOrder(options, me));
}

}  // namespace

int main(int argc, char** argv) {
  const auto me = rankmap::Topology::from_environment();
  if (!me) {
    std::fprintf(stderr, "libtorch_train: %s\n", message(me.error()).c_str());
    return 1;
  }
  try {
    train(parse_options(argc, argv), *me);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtorch_train, rank %d: %s\n", me->rank(), error.what());
    return 1;
  }
  return 0;
}
