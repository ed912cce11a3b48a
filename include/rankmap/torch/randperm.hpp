// SPDX-License-Identifier: MIT
// torch.randperm, number for number: the source of the order in every sampler of PyTorch.
#ifndef RANKMAP_TORCH_RANDPERM_HPP
#define RANKMAP_TORCH_RANDPERM_HPP

#include <rankmap/enumerator.hpp>
#include <rankmap/torch/detail/lazy_shuffle.hpp>
#include <rankmap/torch/detail/uninitialized_buffer.hpp>
#include <rankmap/torch/generator.hpp>

#include <cstdint>
#include <span>

namespace rankmap::inline v0 {

/// Which of PyTorch's permutations. They are the same below `inside_out_from` elements. An
/// algorithm never changes under its name: to resume an old run, name the old one.
enum class TorchAlgorithm : std::uint8_t {
  up_to_2_5,  ///< PyTorch up to 2.5, at every size: forward shuffle, 32-bit draws
  from_2_6,   ///< PyTorch from 2.6 on: the same, but inside-out with 64-bit draws for large sizes
};

constexpr const char* name(TorchAlgorithm algorithm) {
  return detail::enumerator("up_to_2_5\0from_2_6", algorithm);
}

/// From this many elements on `from_2_6` differs from `up_to_2_5`: (2^32 - 1) / 20.
inline constexpr std::uint64_t inside_out_from = 214'748'364;

namespace detail {
constexpr bool is_inside_out(std::uint64_t size, TorchAlgorithm algorithm) {
  return algorithm == TorchAlgorithm::from_2_6 && size >= inside_out_from;
}
template <class T>
void randperm_into(TorchGenerator& generator, std::span<T> out, TorchAlgorithm algorithm) {
  const bool inside_out = is_inside_out(out.size(), algorithm);
  Buffer<std::uint32_t> queues;
  shuffle(GeneratorEngine::of(generator), out.data(), out.size(), inside_out, queues);
}
}  // namespace detail

/// The number of 32-bit draws that a permutation of `size` elements takes from its generator.
constexpr std::uint64_t randperm_draws(std::uint64_t size,
                                       TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  if (detail::is_inside_out(size, algorithm)) return 2 * size;
  return size == 0 ? 0 : size - 1;
}

/// torch.randperm(out.size(), generator=generator) as a whole, written to `out`, which may be
/// memory that the processes of a node share. It leaves the generator as PyTorch does.
///
/// Precondition: fewer than 2^32 elements. Cost: one pass. Above 16 million elements it takes
/// another third of the array while it runs; without that memory it is slower. Golden-tested
/// against PyTorch 1.13 and 2.6, on both sides of the threshold.
inline void randperm(TorchGenerator& generator, std::span<std::uint32_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  detail::randperm_into(generator, out, algorithm);
}
/// The same for any size.
inline void randperm(TorchGenerator& generator, std::span<std::uint64_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  detail::randperm_into(generator, out, algorithm);
}
/// From a fresh generator: torch.randperm(n, generator=torch.Generator().manual_seed(seed)).
inline void randperm(TorchSeed seed, std::span<std::uint32_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  TorchGenerator generator(seed);
  randperm(generator, out, algorithm);
}
inline void randperm(TorchSeed seed, std::span<std::uint64_t> out,
                     TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
  TorchGenerator generator(seed);
  randperm(generator, out, algorithm);
}

/// torch.randperm by place, made as far as it is read: place p costs O(p) time and memory the first
/// time, O(1) afterwards. Beyond the first thirty-second part the whole is made at once, in one
/// array of 32-bit numbers (64-bit from 2^32 elements on). From the threshold of `from_2_6` on the
/// first read makes the whole. Movable, not copyable; empty once moved from.
class TorchPermutation {
 public:
  TorchPermutation() = default;
  TorchPermutation(const TorchGenerator& generator, std::uint64_t size,
                   TorchAlgorithm algorithm = TorchAlgorithm::from_2_6) {
    const detail::Mt19937& engine = detail::GeneratorEngine::of(generator);
    const bool inside_out = detail::is_inside_out(size, algorithm);
    if (size < std::uint64_t{1} << 32U) {
      small_ = detail::LazyShuffle<std::uint32_t>(engine, size, inside_out);
    } else {
      large_ = detail::LazyShuffle<std::uint64_t>(engine, size, inside_out);
    }
  }
  TorchPermutation(TorchSeed seed, std::uint64_t size,
                   TorchAlgorithm algorithm = TorchAlgorithm::from_2_6)
      : TorchPermutation(TorchGenerator(seed), size, algorithm) {}
  /// The same in the memory of `finished`, which becomes empty. It needs no new memory where that
  /// one was as large and was read beyond its head; and it keeps all of it, for the next one.
  TorchPermutation(TorchSeed seed, std::uint64_t size, TorchAlgorithm algorithm,
                   TorchPermutation&& finished)
      : TorchPermutation(seed, size, algorithm) {
    if (is_small()) {
      small_.take_memory(finished.small_);
    } else {
      large_.take_memory(finished.large_);
    }
    finished = TorchPermutation();
  }

  std::uint64_t size() const { return small_.size() + large_.size(); }
  /// The element at `place` < size(). Not const, nor for two threads: it may continue the shuffle.
  std::uint64_t operator[](std::uint64_t place) {
    return is_small() ? small_.at(place) : large_.at(place);
  }
  /// As SampleOrder says, but not const, as operator[].
  void fill(std::uint64_t first, std::uint64_t* out, std::uint64_t count,
            std::uint64_t stride = 1) {
    if (count == 0) return;
    if (is_small()) return small_.fill(first, out, count, stride);
    large_.fill(first, out, count, stride);
  }
  /// Bytes of memory that it holds now.
  std::uint64_t bytes() const { return is_small() ? small_.bytes() : large_.bytes(); }

 private:
  bool is_small() const { return large_.size() == 0; }

  // At most one of them has elements.
  detail::LazyShuffle<std::uint32_t> small_;
  detail::LazyShuffle<std::uint64_t> large_;
};

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TORCH_RANDPERM_HPP
