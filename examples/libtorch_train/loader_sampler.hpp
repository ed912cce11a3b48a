// SPDX-License-Identifier: MIT
//
// rankmap's samplers for torch::data::make_data_loader.
//
// What goes wrong with libtorch's own DistributedRandomSampler, and does not with this:
// - The loader keeps a copy, so that set_epoch on the original is lost and every epoch has one and
//   the same order. Copies of this one share where they stand.
// - With allow_duplicates = false the last samples of the data set are never visited.
// - With more than twice as many ranks as samples it gives indices behind the end.
// - A rank outside the world reads other ranks' samples instead of failing.
// - Its saved state belongs to one rank of one world.
#ifndef LIBTORCH_TRAIN_LOADER_SAMPLER_HPP
#define LIBTORCH_TRAIN_LOADER_SAMPLER_HPP

#include <rankmap/sampler/sampler_state.hpp>

#include <torch/data/samplers/base.h>
#include <torch/serialize.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// `Order` is rankmap::DistributedSampler, for PyTorch's order, or rankmap::Sampler.
template <class Order>
class LoaderSampler : public torch::data::samplers::Sampler<> {
 public:
  using Epoch = decltype(std::declval<const Order&>().epoch(0, 0));

  explicit LoaderSampler(const Order& order) : shared_(std::make_shared<Shared>(order)) {}

  /// What the next pass of the loader reads: a whole epoch, or what is left of a saved one.
  void set_epoch(std::uint64_t epoch) { begin(shared_->order.epoch(epoch)); }
  void resume(const rankmap::SamplerState& state) { begin(shared_->order.resume(state).value()); }

  /// The pass that was set last. Which samples a loader has asked for says nothing of those that
  /// were trained on: count them, and save epoch().state_after(count).
  const Epoch& epoch() const { return shared_->epoch; }

  void reset(torch::optional<std::size_t> new_size = torch::nullopt) override {
    TORCH_CHECK(!new_size || *new_size == shared_->order.dataset_size(), "this sampler is for ",
                shared_->order.dataset_size(), " samples, not for ", *new_size,
                "; make a new one for other data");
    shared_->next = 0;
  }

  torch::optional<std::vector<std::size_t>> next(std::size_t batch_size) override {
    std::vector<std::size_t> batch;
    for (; batch.size() != batch_size && shared_->next != shared_->epoch.size(); ++shared_->next) {
      batch.push_back(shared_->epoch[shared_->next]);
    }
    if (batch.empty()) return torch::nullopt;
    return batch;
  }

  /// What was asked for so far, in a line that any rank of any world can go on from.
  void save(torch::serialize::OutputArchive& archive) const override {
    const auto state = shared_->epoch.state_after(shared_->next).value();
    archive.write("rankmap", c10::IValue(std::string(to_string(state).view())));
  }
  void load(torch::serialize::InputArchive& archive) override {
    c10::IValue state;
    archive.read("rankmap", state);
    resume(rankmap::parse_sampler_state(state.toStringRef()).value());
  }

 private:
  struct Shared {
    explicit Shared(const Order& of) : order(of), epoch(of.epoch(0, 0)) {}
    Order order;
    Epoch epoch;
    std::uint64_t next = 0;
  };

  void begin(Epoch epoch) {
    shared_->epoch = std::move(epoch);
    shared_->next = 0;
  }

  std::shared_ptr<Shared> shared_;
};

#endif  // LIBTORCH_TRAIN_LOADER_SAMPLER_HPP
