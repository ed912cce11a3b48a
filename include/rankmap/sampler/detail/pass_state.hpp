// SPDX-License-Identifier: MIT
//
// Saving and going on, the same for every sampler: where a pass over a share stands, and whether a
// saved state belongs to the order that is to go on with it.
#ifndef RANKMAP_SAMPLER_DETAIL_PASS_STATE_HPP
#define RANKMAP_SAMPLER_DETAIL_PASS_STATE_HPP

#include <rankmap/detail/optional.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankmap::inline v0::detail {

/// The state once every rank is through its first k places of `shard`, in the pass that `state`
/// names; at its end, the beginning of the next one. Errc::bad_sampler where there is none.
constexpr Result<SamplerState> state_after(SamplerState state, const Shard& shard,
                                           std::uint64_t k) {
  state.consumed = shard.consumed_after(k);
  if (k < shard.steps(1)) return state;
  if (state.epoch == UINT64_MAX) {
    return error_at(Errc::bad_sampler, "epoch", concat<24>(state.epoch).view(),
                    "an epoch below 2^64 - 1, whose end is saved as the beginning of the next one",
                    "count epochs from 0");
  }
  ++state.epoch;
  state.consumed = 0;
  return state;
}

/// Errc::bad_sampler where `state` was saved for other data, another seed or another order than
/// `own`, whose epoch and consumed do not matter.
constexpr Optional<Error> find_mismatch(const SamplerState& state, const SamplerState& own) {
  if (state.algorithm != own.algorithm) {
    return error_at(Errc::bad_sampler, "SamplerState::algorithm", name(state.algorithm),
                    concat<64>("this sampler's, ", name(own.algorithm)).view(),
                    "resume with the sampler that saved it");
  }
  const auto mismatch = [](std::string_view subject, std::uint64_t found, std::uint64_t expected,
                           std::string_view what) {
    return error_at(Errc::bad_sampler, subject, concat<24>(found).view(),
                    concat<96>(expected, " ", what).view(),
                    "resume on the same data with the same seed");
  };
  if (state.size != own.size) {
    return mismatch("SamplerState::size", state.size, own.size, "samples");
  }
  if (own.algorithm != SamplerAlgorithm::sequential && state.seed != own.seed) {
    return mismatch("SamplerState::seed", state.seed, own.seed, "as this sampler's seed");
  }
  if (state.consumed > state.size) {
    return mismatch("SamplerState::consumed", state.consumed, state.size, "samples at most");
  }
  return std::nullopt;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_SAMPLER_DETAIL_PASS_STATE_HPP
