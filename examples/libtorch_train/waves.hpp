// SPDX-License-Identifier: MIT
//
// A data set that makes itself: sample i is a point of the plane and a smooth function there. A
// batch knows which samples it holds.
#ifndef LIBTORCH_TRAIN_WAVES_HPP
#define LIBTORCH_TRAIN_WAVES_HPP

#include <torch/data/datasets/base.h>

#include <cstddef>
#include <cstdint>
#include <vector>

struct Batch {
  std::vector<std::size_t> samples;
  torch::Tensor points;  // {samples, 2}
  torch::Tensor values;  // {samples, 1}
};

class Waves : public torch::data::datasets::BatchDataset<Waves, Batch> {
 public:
  explicit Waves(std::uint64_t size) : size_(size) {}

  Batch get_batch(torch::ArrayRef<std::size_t> samples) override {
    auto number = torch::empty({static_cast<std::int64_t>(samples.size()), 1}, torch::kFloat64);
    for (std::size_t i = 0; i != samples.size(); ++i) {
      number[static_cast<std::int64_t>(i)][0] = static_cast<double>(samples[i]);
    }
    const auto x = torch::sin(number * 0.37);
    const auto y = torch::cos(number * 0.91);
    return {samples.vec(), torch::cat({x, y}, 1), x * y + torch::sin(x * 3)};
  }
  torch::optional<std::size_t> size() const override { return size_; }

 private:
  std::size_t size_;
};

#endif  // LIBTORCH_TRAIN_WAVES_HPP
