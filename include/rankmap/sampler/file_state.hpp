// SPDX-License-Identifier: MIT
// How far a job has read an order of which each rank reads one contiguous run: a line for a
// checkpoint, from which any number of ranks goes on.
#ifndef RANKMAP_SAMPLER_FILE_STATE_HPP
#define RANKMAP_SAMPLER_FILE_STATE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/static_string.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// A stretch of an epoch with one number of ranks.
struct FileLeg {
  int world_size = 1;
  std::uint64_t taken = 0;  ///< samples that each rank read in it
  friend constexpr bool operator==(const FileLeg&, const FileLeg&) = default;
};

/// What a FileShard saves: the state of the order, and the legs of the epoch so far. The used
/// samples are no prefix of the order, so one number cannot say which they are: after each leg
/// every rank has left the end of its run.
struct FileState {
  static constexpr std::size_t max_legs = 64;
  [[deprecated("use max_legs")]] static constexpr std::size_t most_legs = max_legs;

  /// `consumed` is the sum over the legs; the legs are part of the digest.
  SamplerState order;
  FileLeg legs[max_legs] = {};
  std::uint32_t leg_count = 0;

  friend constexpr bool operator==(const FileState&, const FileState&) = default;
};

namespace detail {

/// The digest of an order in saved state once these legs are read; its own where there are none.
constexpr std::uint64_t digest_of_legs(std::uint64_t digest, std::span<const FileLeg> legs) {
  for (const FileLeg& leg : legs) digest = fnv_words(digest, leg.world_size, leg.taken);
  return digest;
}

/// What is wrong with the legs of a state; nothing for one that state_after made.
constexpr Optional<Error> check_legs(const FileState& state) {
  const auto error = [](std::string_view subject, auto found, std::string_view expected) {
    return error_at(Errc::bad_sampler, subject, concat(found), expected,
                    "pass a state that state_after made");
  };
  if (state.leg_count > FileState::max_legs) {
    return error("FileState::leg_count", state.leg_count,
                 concat("at most ", FileState::max_legs, " legs"));
  }
  std::uint64_t left = state.order.size;
  for (std::size_t i = 0; i != state.leg_count; ++i) {
    const FileLeg& leg = state.legs[i];
    if (leg.world_size < 1) {
      return error(concat("FileState::legs[", i, "].world_size"), leg.world_size, "at least 1");
    }
    const auto ranks = static_cast<std::uint64_t>(leg.world_size);
    if (leg.taken == 0 || leg.taken > left / ranks) {
      return error(concat("FileState::legs[", i, "].taken"), leg.taken,
                   concat("1 to ", left / ranks, " samples a rank, of the ", left, " left"));
    }
    left -= leg.taken * ranks;
  }
  if (state.order.consumed != state.order.size - left) {
    return error("FileState::order.consumed", state.order.consumed,
                 concat(state.order.size - left, " samples, the sum over the legs"));
  }
  return {};
}

}  // namespace detail

/// A text that holds any such state.
using FileStateText = StaticString<2303>;

/// The line of the order's state, with ` legs=4x120,6x30` behind it where the epoch has begun: four
/// ranks read 120 samples each, then six read 30 each. parse_file_state reads the line back.
constexpr FileStateText to_string(const FileState& state) {
  FileStateText out(to_string(state.order).view());
  for (std::size_t i = 0; i != state.leg_count; ++i) {
    out.append(i == 0 ? " legs=" : ",").append_number(state.legs[i].world_size);
    out.append("x").append_number(state.legs[i].taken);
  }
  return out;
}

/// Reads a text from `to_string`, with one line end behind it or none, and nothing else.
/// Errc::bad_sampler for any other text, and for legs that do not add up to what was consumed.
/// O(length), no allocation.
constexpr Result<FileState> parse_file_state(std::string_view text) {
  constexpr std::string_view label = " legs=";
  FileState state;
  const std::size_t end_of_order = text.find(label);
  const bool has_legs = end_of_order != std::string_view::npos;
  if (has_legs) text = detail::without_line_end(text);
  const Result<SamplerState> order = has_legs
                                         ? detail::read_sampler_state(text.substr(0, end_of_order))
                                         : parse_sampler_state(text);
  if (!order) return order.error();
  state.order = *order;
  const std::size_t begin = has_legs ? end_of_order + label.size() : text.size();
  std::size_t at = begin;
  const auto error = [&](std::string_view expected) {
    return detail::error_at(Errc::bad_sampler, "legs of a sampler state",
                            text.substr(end_of_order + 1), expected,
                            "pass a text that to_string made", at - end_of_order - 1);
  };
  // Stays at the number where it is none from 1 to `most`.
  const auto number = [&](std::uint64_t& out, std::uint64_t most) {
    const std::size_t start = at;
    const bool fits = detail::read_digits(text, at, out) && at != start;
    const bool good = fits && text[start] != '0' && out <= most;
    if (!good) at = start;
    return good;
  };
  for (detail::ListEntries entries(text.substr(begin)); has_legs && entries.next();) {
    at = begin + entries.begin();
    if (state.leg_count == FileState::max_legs) {
      return error(detail::concat("at most ", FileState::max_legs, " legs"));
    }
    FileLeg& leg = state.legs[state.leg_count++];
    std::uint64_t ranks = 0;
    if (!number(ranks, INT32_MAX)) return error("a number of ranks from 1 on");
    leg.world_size = static_cast<int>(ranks);
    if (at == text.size() || text[at] != 'x') return error("an \"x\" behind the ranks");
    ++at;
    if (!number(leg.taken, UINT64_MAX)) return error("the samples of a rank, from 1 on");
    if (at != begin + entries.begin() + entries.text().size()) {
      return error("a \",\" or the end of the text");
    }
  }
  if (const auto bad = detail::check_legs(state)) return *bad;
  return state;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_FILE_STATE_HPP
