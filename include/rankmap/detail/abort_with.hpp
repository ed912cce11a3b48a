// SPDX-License-Identifier: MIT
// Ends a program that passes meaningless arguments, for constructors that are too cheap to include
// an error. Nobody would notice that plausible numbers are wrong.
#ifndef RANKMAP_DETAIL_ABORT_WITH_HPP
#define RANKMAP_DETAIL_ABORT_WITH_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace rankmap::inline v0::detail {

/// Prints the message and aborts, or traps on a device. A constant that is wrong does not compile.
RANKMAP_HD inline void abort_with(const char* subject, long long found, const char* expected,
                                  const char* remedy) {
#if defined(__CUDA_ARCH__)
  __trap();
#elif defined(__HIP_DEVICE_COMPILE__)
  __builtin_trap();
#else
  std::fprintf(stderr, "rankmap: %s=\"%lld\": expected %s; %s\n", subject, found, expected, remedy);
  std::abort();
#endif
}

/// For a world size below 1, and a rank outside [0, world_size).
RANKMAP_HD constexpr void abort_on_bad_rank(int rank, int world_size, const char* remedy) {
  if (world_size < 1) abort_with("world_size", world_size, "at least 1", remedy);
  if (rank < 0 || rank >= world_size) abort_with("rank", rank, "a rank in [0, world_size)", remedy);
}

/// A size of 2^63 or more is a negative number that was converted.
RANKMAP_HD constexpr void abort_on_bad_size(std::uint64_t dataset_size) {
  if (dataset_size >> 63U == 0) return;
  abort_with("dataset_size", static_cast<long long>(dataset_size), "0 to 2^63 - 1 samples",
             "pass the number of samples");
}

/// For a batch without samples.
RANKMAP_HD constexpr void abort_on_no_batch(std::uint64_t batch_size) {
  if (batch_size == 0) {
    abort_with("batch_size", 0, "at least 1 sample", "pass the samples of a batch");
  }
}

/// For more used samples than the data set has.
RANKMAP_HD constexpr void abort_on_bad_consumed(std::uint64_t consumed,
                                                std::uint64_t dataset_size) {
  if (consumed <= dataset_size) return;
  abort_with("consumed", static_cast<long long>(consumed), "at most the size of the data set",
             "start the next epoch with 0");
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DETAIL_ABORT_WITH_HPP
