// SPDX-License-Identifier: MIT
// From an order to its saved state, and back: whether a state was saved in this order.
#ifndef RANKMAP_SAMPLER_RESUME_HPP
#define RANKMAP_SAMPLER_RESUME_HPP

#include <rankmap/result.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// An order that can be saved: its saved_as() returns a SavedOrder, or the Error that prevents it.
template <class T>
concept NamedOrder = SampleOrder<T> && requires(const T& order) {
  Result<SavedOrder>(order.saved_as());
};

/// The state at the start of an epoch in this order. Errc::bad_sampler where its name is not valid
/// (SamplerAlgorithm::named); else the errors of its saved_as().
template <NamedOrder Order>
RANKMAP_NOINLINE constexpr Result<SamplerState> state_of(const Order& order) {
  const Result<SavedOrder> saved = order.saved_as();
  if (!saved) return saved.error();
  const Result<SamplerAlgorithm> algorithm = SamplerAlgorithm::named(saved->name);
  if (!algorithm) return algorithm.error();
  return SamplerState{saved->seed, saved->epoch, order.size(), 0, *algorithm, saved->digest};
}

namespace detail {
// From the start of an epoch to its end, which is the start of the next one.
constexpr Result<SamplerState> end_of_epoch(const SamplerState& start) {
  if (start.epoch == UINT64_MAX) {
    return error_at(Errc::bad_sampler, "epoch", concat(start.epoch),
                    "an epoch below 2^64 - 1, whose end is saved as the start of the next one",
                    "count epochs from 0");
  }
  SamplerState next = start;
  ++next.epoch;
  return next;
}

// resume_at, where `own` is the state at the start of the epoch.
RANKMAP_NOINLINE constexpr Result<std::uint64_t> consumed_of(const SamplerState& state,
                                                             const SamplerState& own) {
  if (state.algorithm != own.algorithm) {
    return error_at(Errc::bad_sampler, "SamplerState::algorithm", name(state.algorithm),
                    concat("this sampler's, ", name(own.algorithm)),
                    "resume with the sampler that saved it");
  }
  struct Row {
    bool good;
    std::string_view member;
    std::uint64_t found;
    std::uint64_t expected;
    std::string_view what;
    std::string_view remedy;
  };
  constexpr std::string_view same_data = "resume on the same data with the same seed";
  const bool seed_matters = own.algorithm != SamplerAlgorithm::sequential;
  const Row rows[] = {
      {state.size == own.size, "SamplerState::size", state.size, own.size, "samples", same_data},
      {state.digest == own.digest, "SamplerState::digest", state.digest, own.digest,
       "as in this order", "resume in the order that was saved"},
      {!seed_matters || state.seed == own.seed, "SamplerState::seed", state.seed, own.seed,
       "as this sampler's seed", same_data},
      {state.epoch == own.epoch, "SamplerState::epoch", state.epoch, own.epoch, "as in this order",
       "pass the order of the epoch that was saved"},
      {state.consumed <= state.size, "SamplerState::consumed", state.consumed, state.size,
       "samples at most", same_data}};
  for (const Row& row : rows) {
    if (row.good) continue;
    return error_at(Errc::bad_sampler, row.member, concat(row.found),
                    concat(row.expected, " ", row.what), row.remedy);
  }
  return state.consumed;
}
}  // namespace detail

/// Where an epoch in this order resumes: the `consumed` of the shares, in any world, that read what
/// is left. `order` is that of the epoch `state.epoch`.
/// Errc::bad_sampler where `state` was saved in another order: its name, size, digest, seed (except
/// for sequential, which depends on none) or epoch differs; where more samples are consumed than
/// there are; else the errors of state_of. O(1).
template <NamedOrder Order>
constexpr Result<std::uint64_t> resume_at(const SamplerState& state, const Order& order) {
  const Result<SamplerState> own = state_of(order);
  if (!own) return own.error();
  return detail::consumed_of(state, *own);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_RESUME_HPP
