// SPDX-License-Identifier: MIT
// Batches of samples of similar length, as in Hugging Face's transformers, number for number.
#ifndef RANKMAP_TORCH_LENGTH_GROUPED_SAMPLER_HPP
#define RANKMAP_TORCH_LENGTH_GROUPED_SAMPLER_HPP

#include <rankmap/detail/algorithm.hpp>
#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/temporary_list.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/strided_indices.hpp>
#include <rankmap/torch/generator.hpp>
#include <rankmap/torch/randperm.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rankmap::inline v0 {

/// The order of one epoch of a LengthGroupedSampler. It refers to the memory it was written to.
class LengthGroupedOrder : public ListedOrder<std::uint32_t> {
 public:
  constexpr LengthGroupedOrder() = default;
  constexpr LengthGroupedOrder(std::span<const std::uint32_t> samples, const SavedOrder& saved)
      : ListedOrder(samples.data(), samples.size()), saved_(saved) {}
  template <detail::TemporaryList Samples>
  LengthGroupedOrder(Samples&&, const SavedOrder&) = delete;  // they would be gone

  /// torch-length-groups; lengths, batch and multiple are the digest.
  constexpr SavedOrder saved_as() const noexcept { return saved_; }

 private:
  SavedOrder saved_;
};

/// LengthGroupedSampler and DistributedLengthGroupedSampler of transformers (trainer_pt_utils.py):
/// a torch.randperm is cut into runs of `multiple` batches, and each run is sorted by length, the
/// longest first; equal lengths keep their order. The longest sample of all comes first, so that a
/// batch that does not fit in memory fails at once. Golden-tested.
///
/// The distributed form is a Shard of the order with Remainder::pad, or Remainder::drop for
/// drop_last: ranks take samples of similar length in each step.
class LengthGroupedSampler {
 public:
  /// It refers to the lengths, one for each sample, which must outlive it. `batch_size` is at least
  /// 1. A `multiple` of 0 is that of transformers: 50, less for fewer than 200 batches, and at
  /// least 1. Errc::out_of_range: 2^32 samples or more, a batch_size of 0. O(samples).
  static Result<LengthGroupedSampler> make(std::span<const std::uint32_t> lengths,
                                           std::uint64_t batch_size, std::uint64_t multiple = 0) {
    const std::uint64_t size = lengths.size();
    if (size > UINT32_MAX) {
      return detail::out_of_range("lengths.size()", size, "fewer than 2^32 samples",
                                  "group parts of them");
    }
    if (batch_size == 0) {
      return detail::out_of_range("batch_size", batch_size, "at least 1 sample",
                                  "pass the samples of a batch");
    }
    if (multiple == 0) multiple = size / batch_size / 4 < 50 ? size / batch_size / 4 : 50;
    if (multiple == 0) multiple = 1;
    LengthGroupedSampler sampler;
    sampler.lengths_ = lengths;
    sampler.run_ = multiple <= size / batch_size ? batch_size * multiple : size;
    sampler.digest_ = detail::fnv_word(detail::fnv_start, sampler.run_);
    for (const std::uint32_t length : lengths) {
      sampler.digest_ = detail::fnv_word(sampler.digest_, length);
    }
    return sampler;
  }
  // Temporary lengths would be gone: give them a name that outlives the sampler.
  template <detail::TemporaryList Lengths>
  static Result<LengthGroupedSampler> make(Lengths&&, std::uint64_t, std::uint64_t = 0) = delete;

  constexpr std::uint64_t size() const { return lengths_.size(); }
  /// Samples that are sorted together: the elements of scratch that a pass needs.
  constexpr std::uint64_t run() const { return run_; }

  /// list(LengthGroupedSampler(batch_size, lengths=lengths, generator=generator)): writes one pass
  /// to `out`, of size() elements, and leaves the generator as PyTorch does. `scratch` has at least
  /// run() elements. Errc::out_of_range for memory of another size. O(samples log run()).
  Result<ListedOrder<std::uint32_t>> pass(
      TorchGenerator& generator, std::span<std::uint32_t> out, std::span<std::uint32_t> scratch,
      TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) const {
    if (out.size() != lengths_.size() || scratch.size() < run_) {
      const bool is_out = out.size() != lengths_.size();
      return detail::out_of_range(
          is_out ? "out.size()" : "scratch.size()", is_out ? out.size() : scratch.size(),
          detail::concat(is_out ? "" : "at least ", is_out ? lengths_.size() : run_, " elements"),
          "pass a span of this size");
    }
    randperm(generator, out, algorithm);
    group(out, scratch);
    return ListedOrder<std::uint32_t>(out.data(), out.size());
  }

  /// The order that a DistributedLengthGroupedSampler deals out in epoch `epoch`: a pass of a new
  /// generator of seed + epoch. Errc::out_of_range for memory of another size and a sum outside
  /// [-2^63, 2^64); Errc::bad_sampler for a negative seed or epoch, which saved state cannot hold.
  Result<LengthGroupedOrder> epoch(TorchSeed seed, TorchSeed epoch, std::span<std::uint32_t> out,
                                   std::span<std::uint32_t> scratch,
                                   TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) const {
    for (const TorchSeed& number : {seed, epoch}) {
      if (const auto bad = detail::check_sign(number, "seed or epoch")) return *bad;
    }
    const Result<TorchSeed> sum = TorchSeed::sum(seed, epoch);
    if (!sum) return sum.error();
    TorchGenerator generator(*sum);
    const Result<ListedOrder<std::uint32_t>> order = pass(generator, out, scratch, algorithm);
    if (!order) return order.error();
    const std::uint64_t digest =
        detail::fnv_word(digest_, algorithm == TorchAlgorithm::from_2_6 ? 1 : 0);
    return LengthGroupedOrder(out, {"torch-length-groups", seed.bits(), epoch.bits(), digest});
  }

 private:
  LengthGroupedSampler() = default;

  void group(std::span<std::uint32_t> samples, std::span<std::uint32_t> scratch) const {
    const auto is_longer = [this](std::uint32_t a, std::uint32_t b) {
      return lengths_[a] > lengths_[b];
    };
    std::size_t longest = 0;
    for (std::size_t at = 0; at < samples.size(); at += detail::to_size(run_)) {
      const std::uint64_t count = detail::count_within(at, run_, samples.size());
      detail::merge_sort(samples.data() + at, scratch.data(), detail::to_size(count), is_longer);
      if (is_longer(samples[at], samples[longest])) longest = at;
    }
    if (samples.empty()) return;
    std::swap(samples[0], samples[longest]);
  }

  std::span<const std::uint32_t> lengths_;
  std::uint64_t run_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_LENGTH_GROUPED_SAMPLER_HPP
