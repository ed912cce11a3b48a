// SPDX-License-Identifier: MIT
// Which samples are this process's, as rankmap.h says it.
#ifndef RANKMAP_C_DETAIL_SAMPLER_FACE_HPP
#define RANKMAP_C_DETAIL_SAMPLER_FACE_HPP

#include <rankmap/rankmap.h>
#include <rankmap/c/detail/structs.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/to_size.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/make_shard.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0::detail {

using SampledEpoch = Epoch<Shard, SamplerOrder>;

/// Checks that all members have a meaning here. A member that only the program's version knows must
/// be 0, since this version ignores it.
RANKMAP_RARE inline Optional<Error> check_sampler(const rankmap_sampler* sampler) {
  if (const auto error = check_struct(sampler)) return error;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(sampler);
  for (int i = static_cast<int>(sizeof *sampler); i < sampler->struct_size; ++i) {
    if (bytes[i] == 0) continue;
    return out_of_range("rankmap_sampler.struct_size", sampler->struct_size,
                        concat(sizeof *sampler, ", or 0 in every member behind these bytes"),
                        "build the program and rankmap's functions with one version");
  }
  const auto outside = [](std::string_view member, int found, int last, std::string_view names) {
    return out_of_range(member, found, concat("0 to ", last), concat("set it to one of ", names));
  };
  if (sampler->order < RANKMAP_ORDER_STRIDED || sampler->order > RANKMAP_ORDER_BLOCKED) {
    return outside("rankmap_sampler.order", sampler->order, RANKMAP_ORDER_BLOCKED,
                   "RANKMAP_ORDER_...");
  }
  if (sampler->remainder < RANKMAP_REMAINDER_PAD || sampler->remainder > RANKMAP_REMAINDER_UNEVEN) {
    return outside("rankmap_sampler.remainder", sampler->remainder, RANKMAP_REMAINDER_UNEVEN,
                   "RANKMAP_REMAINDER_...");
  }
  return {};
}

inline Result<SampledEpoch> sampled_epoch(const rankmap_sampler* sampler) {
  if (const auto error = check_sampler(sampler)) return *error;
  const SamplerOptions options = {.seed = sampler->seed,
                                  .shuffle = sampler->shuffle != 0,
                                  .order = static_cast<ShardOrder>(sampler->order),
                                  .remainder = static_cast<Remainder>(sampler->remainder)};
  const auto shard = make_shard(sampler->dataset_size, sampler->rank, sampler->world_size,
                                {options.order, options.remainder, sampler->consumed});
  if (!shard) return shard.error();
  return SampledEpoch(*shard, SamplerOrder(sampler->dataset_size, options, sampler->epoch));
}

/// fail() for an error of a SamplerState, which C knows as a line: in the words of rankmap.h.
RANKMAP_RARE inline int fail_of_line(rankmap_error* to, Error error) {
  constexpr std::string_view state = "SamplerState::";
  const std::string_view subject = error.subject;
  if (subject == "state_after(k)") {
    error.subject = "read";
    error.remedy = "set order to RANKMAP_ORDER_STRIDED to save at any step";
  } else if (subject.starts_with(state)) {
    error.subject = concat<63>("saved ", subject.substr(state.size()));
  } else if (error.remedy == "pass a text that to_string made") {
    error.remedy = "pass a line that rankmap_sampler_save wrote";
  }
  return fail(to, error);
}

}  // namespace rankmap::inline v0::detail

extern "C" {

RANKMAP_API int rankmap_sampler_size(const rankmap_sampler* sampler, uint64_t* size,
                                     rankmap_error* error) {
  using namespace rankmap::detail;
  const auto epoch = sampled_epoch(sampler);
  if (!epoch) return fail(error, epoch.error());
  if (size == nullptr) return fail(error, null_argument("size"));
  *size = epoch->size();
  return RANKMAP_OK;
}

RANKMAP_API int rankmap_sampler_fill(const rankmap_sampler* sampler, uint64_t first, uint64_t count,
                                     uint64_t* samples, rankmap_error* error) {
  using namespace rankmap::detail;
  const auto epoch = sampled_epoch(sampler);
  if (!epoch) return fail(error, epoch.error());
  const std::uint64_t size = epoch->size();
  if (first > size) {
    return fail(error,
                out_of_range("first", first, concat("0 to ", size, ", the samples of this rank"),
                             "ask rankmap_sampler_size"));
  }
  if (count > size - first || count > SIZE_MAX / sizeof *samples) {
    return fail(error,
                out_of_range("count", count,
                             concat("at most ", size - first, ", the samples from ", first, " on"),
                             "ask rankmap_sampler_size"));
  }
  if (count == 0) return RANKMAP_OK;
  if (samples == nullptr) return fail(error, null_argument("samples"));
  epoch->fill(first, std::span(samples, to_size(count)));
  return RANKMAP_OK;
}

RANKMAP_API int rankmap_sampler_owner(const rankmap_sampler* sampler, uint64_t sample, int* rank,
                                      uint64_t* index, rankmap_error* error) {
  using namespace rankmap::detail;
  const auto epoch = sampled_epoch(sampler);
  if (!epoch) return fail(error, epoch.error());
  if (rank == nullptr) return fail(error, null_argument("rank"));
  if (index == nullptr) return fail(error, null_argument("index"));
  const rankmap::ShardIndex owner = epoch->owner_of(sample);
  *rank = owner.rank;
  *index = owner.index;
  return RANKMAP_OK;
}

RANKMAP_API int rankmap_sampler_save(const rankmap_sampler* sampler, uint64_t read, char* text,
                                     rankmap_error* error) {
  using namespace rankmap::detail;
  const auto epoch = sampled_epoch(sampler);
  if (!epoch) return fail(error, epoch.error());
  if (text == nullptr) return fail(error, null_argument("text"));
  const auto state = epoch->state_after(read);
  if (!state) return fail_of_line(error, state.error());
  copy_text(to_string(*state), text, RANKMAP_STATE_SIZE);
  return RANKMAP_OK;
}

RANKMAP_API int rankmap_sampler_resume(rankmap_sampler* sampler, const char* text,
                                       rankmap_error* error) {
  using namespace rankmap::detail;
  using rankmap::Errc;
  if (const auto bad = check_sampler(sampler)) return fail(error, *bad);
  if (text == nullptr) return fail(error, null_argument("text"));
  const auto state = rankmap::parse_sampler_state(text);
  if (!state) return fail_of_line(error, state.error());
  if (state->unchecked) {  // C++ warns of it; here nobody would hear
    return fail(error, error_at(Errc::bad_sampler, "sampler state", text,
                                "\"rankmap-sampler-3\", whose text has a checksum",
                                "save it again with the rankmap of today"));
  }
  rankmap_sampler rest = *sampler;
  rest.epoch = state->epoch;
  rest.consumed = 0;
  const auto epoch = sampled_epoch(&rest);
  if (!epoch) return fail(error, epoch.error());
  const auto consumed = resume_at(*state, epoch->order());
  if (!consumed) return fail_of_line(error, consumed.error());
  sampler->epoch = state->epoch;
  sampler->consumed = *consumed;
  return RANKMAP_OK;
}

}  // extern "C"

#endif  // RANKMAP_C_DETAIL_SAMPLER_FACE_HPP
