// SPDX-License-Identifier: MIT
// How far a job has read its data: a few numbers for a checkpoint, with the same meaning for every
// rank, world size and platform.
#ifndef RANKMAP_SAMPLER_SAMPLER_STATE_HPP
#define RANKMAP_SAMPLER_SAMPLER_STATE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/message_text.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// The name of an order in saved state, for ever: 1 to 27 characters of a-z, 0-9, `.` and `-`.
class SamplerAlgorithm {
 public:
  static const SamplerAlgorithm sequential;     ///< Sequential: 0, 1, 2, ...
  static const SamplerAlgorithm feistel_1;      ///< Permutation
  static const SamplerAlgorithm torch_classic;  ///< torch.randperm up to PyTorch 2.5
  static const SamplerAlgorithm torch_26;       ///< torch.randperm from PyTorch 2.6 on

  /// The order of that name. Errc::bad_sampler where the text is no such name.
  static constexpr Result<SamplerAlgorithm> named(std::string_view text) {
    bool good = !text.empty() && text.size() <= longest;
    for (const char c : text) {
      good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-');
    }
    if (good) return SamplerAlgorithm(text);
    return detail::error_at(Errc::bad_sampler, "name of an order", text,
                            "1 to 27 characters of a-z, 0-9, \".\" and \"-\"",
                            "choose such a SavedOrder::name");
  }

  /// The name as text. It refers to `algorithm`.
  friend constexpr std::string_view name(const SamplerAlgorithm& algorithm RANKMAP_LIFETIMEBOUND) {
    return algorithm.name_.view();
  }
  friend constexpr bool operator==(const SamplerAlgorithm&, const SamplerAlgorithm&) = default;

 private:
  static constexpr std::size_t longest = 27;
  constexpr explicit SamplerAlgorithm(std::string_view name) : name_(name) {}
  StaticString<longest> name_;
};
inline constexpr SamplerAlgorithm SamplerAlgorithm::sequential{"sequential"};
inline constexpr SamplerAlgorithm SamplerAlgorithm::feistel_1{"feistel-1"};
inline constexpr SamplerAlgorithm SamplerAlgorithm::torch_classic{"torch-classic"};
inline constexpr SamplerAlgorithm SamplerAlgorithm::torch_26{"torch-2.6"};

/// How far all ranks together have read an epoch. `consumed` counts samples from the head of the
/// epoch's order. It counts no batches, whose size may change, and no samples of one rank, whose
/// share changes with the world size.
struct SamplerState {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t size = 0;      ///< samples in the data set
  std::uint64_t consumed = 0;  ///< in [0, size]
  SamplerAlgorithm algorithm = SamplerAlgorithm::feistel_1;
  std::uint64_t digest = 0;  ///< SavedOrder::digest of the order
  /// Read from a text of the first two versions, which have no checksum. It is not compared.
  bool unchecked = false;

  friend constexpr bool operator==(const SamplerState& a, const SamplerState& b) {
    return a.seed == b.seed && a.epoch == b.epoch && a.size == b.size && a.consumed == b.consumed &&
           a.algorithm == b.algorithm && a.digest == b.digest;
  }
};

/// What to print before a run goes on from `state`; empty where nothing is to be said.
constexpr std::string_view warning(const SamplerState& state) {
  if (!state.unchecked) return "";
  return "sampler state: it has no checksum, so nobody can tell whether it was changed or cut; "
         "compare it with the step of the checkpoint, and save it again";
}

namespace detail {

// The orders of the first version, of seed and epoch alone. Their indices are part of fingerprints.
inline constexpr SamplerAlgorithm first_algorithms[] = {
    SamplerAlgorithm::sequential, SamplerAlgorithm::feistel_1, SamplerAlgorithm::torch_classic,
    SamplerAlgorithm::torch_26};
inline constexpr std::uint64_t first_count = 4;

/// The index of `algorithm` among them; first_count where it is none of them.
constexpr std::uint64_t first_number(const SamplerAlgorithm& algorithm) {
  std::uint64_t number = 0;
  while (number != first_count && first_algorithms[number] != algorithm) ++number;
  return number;
}
constexpr bool is_first_version(const SamplerState& state) {
  return state.digest == 0 && first_number(state.algorithm) != first_count;
}

/// A number of a state's text, and what is written before it.
struct StateField {
  std::string_view label;
  std::uint64_t SamplerState::*value;
};
inline constexpr StateField state_fields[] = {{" seed=", &SamplerState::seed},
                                              {" epoch=", &SamplerState::epoch},
                                              {" size=", &SamplerState::size},
                                              {" consumed=", &SamplerState::consumed}};

/// What is written behind a state's text. Any one changed character is another checksum: each step
/// of the digest is invertible.
constexpr StaticString<23> state_check(std::string_view text) {
  StaticString<23> out(" check=");
  return append_hexadecimal(out, fnv_text(fnv_start, text), 16);
}

}  // namespace detail

/// A text that holds any state.
using SamplerStateText = StaticString<214>;

/// One line of printable ASCII: `rankmap-sampler-3 algorithm=feistel-1 seed=42 epoch=3 size=1000
/// consumed=512 check=c50f8e9519eb4167`. A digest other than 0 comes before the checksum, as
/// `order=`. `parse_sampler_state` reads the line back.
constexpr SamplerStateText to_string(const SamplerState& state) {
  SamplerStateText out("rankmap-sampler-3 algorithm=");
  out.append(name(state.algorithm));
  for (const detail::StateField& field : detail::state_fields) {
    out.append(field.label).append_number(state.*field.value);
  }
  if (state.digest != 0) out.append(" order=").append_number(state.digest);
  return out.append(detail::state_check(out));
}

namespace detail {

/// Without the line end that a file has behind a line, or the '\r' that std::getline leaves of it.
constexpr std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// As parse_sampler_state(), of a text without a line end.
RANKMAP_NOINLINE constexpr Result<SamplerState> read_sampler_state(std::string_view text) {
  SamplerState state;
  std::size_t at = 0;
  const auto error = [&](std::string_view expected,
                         std::string_view otherwise = "pass a text that to_string made") {
    const bool has_legs = text.find(" legs=", at) != std::string_view::npos;
    const std::string_view remedy =
        has_legs ? "read the state of a FileShard by parse_file_state" : otherwise;
    return error_at(Errc::bad_sampler, "sampler state", text, expected, remedy, at);
  };
  // The text behind `label`, up to the next blank. False where the label is not next.
  const auto take = [&](std::string_view label, std::string_view& out) {
    if (text.substr(at, label.size()) != label) return false;
    at += label.size();
    out = text.substr(at, text.find(' ', at) - at);
    return true;
  };
  const auto number = [&](std::string_view label, std::uint64_t& out) {
    std::string_view digits;
    if (!take(label, digits)) return false;
    const Number parsed = parse_number(digits);
    if (!parsed || (digits.size() > 1 && digits[0] == '0')) return false;
    out = parsed.value;
    at += digits.size();
    return true;
  };
  std::string_view found;
  const bool third = take("rankmap-sampler-3 algorithm=", found);
  const bool second = !third && take("rankmap-sampler-2 algorithm=", found);
  if (!third && !second && !take("rankmap-sampler-1 algorithm=", found)) {
    const bool is_later = text.starts_with("rankmap-sampler-") && text.size() > 16 &&
                          text[16] > '3' && text[16] <= '9';
    if (is_later) {
      return error("\"rankmap-sampler-3 algorithm=\"",
                   "read it with the version of rankmap that wrote it");
    }
    return error("\"rankmap-sampler-3 algorithm=\"");
  }
  state.unchecked = !third;
  const Result<SamplerAlgorithm> algorithm = SamplerAlgorithm::named(found);
  const bool is_first = !second && !third;
  if (is_first && (!algorithm || first_number(*algorithm) == first_count)) {
    return error("a known algorithm: sequential, feistel-1, torch-classic, ...");
  }
  if (!algorithm) return error(algorithm.error().expected);
  state.algorithm = *algorithm;
  at += found.size();
  for (const StateField& field : state_fields) {
    if (!number(field.label, state.*field.value)) {
      return error(concat("\"", field.label, "\" and a decimal number below 2^64"));
    }
  }
  const bool has_digest = !is_first && number(" order=", state.digest);
  if (second && !has_digest) return error("\" order=\" and a decimal number below 2^64");
  if (third) {
    if (text.substr(at) != state_check(text.substr(0, at)).view()) {
      return error("\" check=\" and the checksum of the text before it, at the end",
                   "go back to the checkpoint before: this one was changed or cut");
    }
    at = text.size();
  }
  if (at != text.size()) return error("the end of the text");
  if (second && is_first_version(state)) {
    return error("\"rankmap-sampler-1\" for this order without a digest");
  }
  if (third && has_digest && state.digest == 0) return error("no \" order=\" of 0");
  if (state.consumed > state.size) return error("consumed of at most size");
  return state;
}

}  // namespace detail

/// Reads a text from `to_string`, with one line end behind it or none, and nothing else: one more
/// blank is an error, and so is any character that was changed, lost or moved. The texts of the
/// first two versions, without a checksum or a line end, are read as well; the state is `unchecked`
/// then and has a warning. The order may have any name; resume_at compares it. Errc::bad_sampler,
/// with the position, for any other text, and for more samples consumed than there are. O(length),
/// no allocation.
constexpr Result<SamplerState> parse_sampler_state(std::string_view text) {
  const bool has_checksum = text.starts_with("rankmap-sampler-3");
  return detail::read_sampler_state(has_checksum ? detail::without_line_end(text) : text);
}

/// As the one with a shard, for a job whose ranks are known to agree in ShardOrder and Remainder.
constexpr std::uint64_t fingerprint(const SamplerState& state, int world_size) {
  std::uint64_t order = detail::first_number(state.algorithm);
  if (!detail::is_first_version(state)) {
    order =
        detail::fnv_text(detail::fnv_word(detail::fnv_start, state.digest), name(state.algorithm));
  }
  return detail::fnv_words(detail::fnv_start, state.seed, state.epoch, state.size, state.consumed,
                           order, world_size);
}

/// A number to compare across ranks before the first step. It differs where ranks disagree in any
/// part of the state, or in the world size, order or remainder of their shards. They would read
/// overlapping samples without any other sign of it. `shard` is that of any rank, such as `share()`
/// of an epoch.
constexpr std::uint64_t fingerprint(const SamplerState& state, const Shard& shard) {
  const ShardOptions options = shard.options();
  return detail::fnv_words(fingerprint(state, shard.world_size()), options.order,
                           options.remainder);
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_SAMPLER_STATE_HPP
