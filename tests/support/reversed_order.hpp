// SPDX-License-Identifier: MIT
//
// Orders that nothing in rankmap names.
#ifndef RANKMAP_TESTS_SUPPORT_REVERSED_ORDER_HPP
#define RANKMAP_TESTS_SUPPORT_REVERSED_ORDER_HPP

#include <rankmap/sampler/sample_order.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankmap_test {

/// The last sample first.
class Reversed {
 public:
  constexpr Reversed() = default;
  constexpr explicit Reversed(std::uint64_t size, std::uint64_t epoch = 0)
      : size_(size), epoch_(epoch) {}
  constexpr std::uint64_t size() const { return size_; }
  constexpr std::uint64_t operator[](std::uint64_t place) const { return size_ - 1 - place; }
  constexpr std::uint64_t index_of(std::uint64_t sample) const { return size_ - 1 - sample; }
  constexpr rankmap::SavedOrder saved_as() const { return {"reversed-1", 0, epoch_}; }

 private:
  std::uint64_t size_ = 0;
  std::uint64_t epoch_ = 0;
};

/// The same, made as it is read, with a parameter that saved state has to keep.
class LazilyReversed {
 public:
  LazilyReversed() = default;
  LazilyReversed(std::uint64_t size, std::uint64_t parameter)
      : samples_(std::make_unique<std::vector<std::uint64_t>>()),
        size_(size),
        parameter_(parameter) {}
  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t place) {
    while (samples_->size() <= place) samples_->push_back(size_ - 1 - samples_->size());
    return (*samples_)[place];
  }
  rankmap::SavedOrder saved_as() const { return {"lazily-reversed-1", 0, 0, parameter_}; }

 private:
  std::unique_ptr<std::vector<std::uint64_t>> samples_;
  std::uint64_t size_ = 0;
  std::uint64_t parameter_ = 0;
};

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_REVERSED_ORDER_HPP
