// SPDX-License-Identifier: MIT
//
// A mixture of two data sets, each read in shuffled blocks, in batches that cost all ranks alike:
// another sampler for torch::data::make_data_loader.
#ifndef LIBTORCH_TRAIN_MIXED_SAMPLER_HPP
#define LIBTORCH_TRAIN_MIXED_SAMPLER_HPP

#include <rankmap/sampler.hpp>

#include <torch/data/samplers/base.h>
#include <torch/serialize.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// The first three quarters of the samples are one data set, the others another one, which comes
/// half as often: so each of its samples comes several times in an epoch. What a program knows of
/// its data stands here.
struct MixedData {
  explicit MixedData(std::uint64_t samples) : sizes{samples - samples / 4, samples / 4} {}

  std::array<std::uint64_t, 2> weights = {2, 1};
  std::array<std::uint64_t, 2> sizes;
  std::uint64_t block = 16;  // samples of a file
  std::uint64_t files = 4;   // whose samples are shuffled together
  std::uint64_t cost(std::uint64_t sample) const { return 1 + sample * 7919 % 512; }
};

/// The mixture says whose turn a place is; the set's own order, blocks in windows, has the sample.
class MixedOrder {
 public:
  MixedOrder() = default;
  /// It refers to the data.
  MixedOrder(const MixedData& data, std::uint64_t seed, std::uint64_t epoch)
      : data_(&data),
        mixture_(data.weights, data.sizes, /*block=*/48, seed + epoch),
        size_(mixture_.length(rankmap::MixtureStop::all_exhausted)),
        seed_(seed),
        epoch_(epoch) {}

  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t place) const {
    const auto [set, index, pass] = mixture_.turn(place);
    const rankmap::BlockShuffle files(data_->sizes[set], data_->block, data_->files, seed_ + epoch_,
                                      pass);
    return mixture_.joined({set, files[index], pass});
  }
  rankmap::SavedOrder saved_as() const {
    const auto mixture = mixture_.order(rankmap::MixtureStop::all_exhausted).saved_as();
    return {"mixed-files-1", seed_, epoch_, mixture.digest};
  }

 private:
  const MixedData* data_ = nullptr;
  rankmap::Mixture mixture_;
  std::uint64_t size_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t epoch_ = 0;
};

/// Every rank cuts each global batch in the same parts of equal cost, and reads its own. Copies
/// share where they are, since the loader keeps one.
class MixedSampler : public torch::data::samplers::Sampler<> {
 public:
  /// `batch`: the samples of all ranks in a step.
  MixedSampler(std::uint64_t samples, std::uint64_t batch, int rank, int world, std::uint64_t seed)
      : shared_(std::make_shared<Shared>(samples)),
        batch_(batch),
        seed_(seed),
        rank_(rank),
        world_(world) {}

  rankmap::SamplerState start() const {
    return rankmap::state_of(MixedOrder(shared_->data, seed_, 0)).value();
  }
  void resume(const rankmap::SamplerState& state) {
    const MixedOrder order(shared_->data, seed_, state.epoch);
    const std::uint64_t consumed = rankmap::resume_at(state, order).value();
    const rankmap::Shard all(order.size(), 0, 1, {.consumed = consumed});
    shared_->batches = rankmap::Epoch(all, order).batches(batch_);
    shared_->asked = 0;
    shared_->trained = 0;
  }
  /// The state after the next batch that was trained on, of those that the loader has asked for:
  /// the loader gives them back in order, whatever its workers do.
  rankmap::SamplerState train(std::size_t) {
    return shared_->batches[shared_->trained++].state_after().value();
  }
  /// How many samples of a batch are this rank's own: all, since there is no padding.
  std::size_t real(std::size_t size) const { return size; }
  const MixedSampler& sampler() const { return *this; }
  /// What the loader asks for; a step has as many samples as the rank's part.
  std::size_t batch_size() const { return batch_; }

  void reset(torch::optional<std::size_t> = torch::nullopt) override {}

  torch::optional<std::vector<std::size_t>> next(std::size_t) override {
    if (shared_->asked == shared_->batches.size()) return torch::nullopt;
    const auto batch = shared_->batches[shared_->asked++];
    std::vector<std::uint64_t> costs;
    for (const std::uint64_t sample : batch) costs.push_back(shared_->data.cost(sample));
    std::vector<std::uint32_t> part_of(costs.size());
    rankmap::balance(costs, world_, part_of).value();
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i != part_of.size(); ++i) {
      if (part_of[i] == static_cast<std::uint32_t>(rank_)) mine.push_back(batch[i]);
    }
    return mine;  // empty at the end of an epoch with fewer samples than ranks
  }

  /// The program saves the state after what was trained on, and not what was asked for.
  void save(torch::serialize::OutputArchive&) const override {}
  void load(torch::serialize::InputArchive&) override {}

 private:
  struct Shared {
    explicit Shared(std::uint64_t samples) : data(samples) {}
    MixedData data;
    rankmap::EpochBatches<rankmap::Epoch<rankmap::Shard, MixedOrder>> batches;
    std::uint64_t asked = 0;
    std::uint64_t trained = 0;
  };

  std::shared_ptr<Shared> shared_;
  std::uint64_t batch_;
  std::uint64_t seed_;
  int rank_;
  int world_;
};

#endif  // LIBTORCH_TRAIN_MIXED_SAMPLER_HPP
