// SPDX-License-Identifier: MIT
//
// Where a pass over the data stands, in a few numbers that mean the same to every rank, world size
// and platform: what to put into a checkpoint.
#ifndef RANKMAP_SAMPLER_SAMPLER_STATE_HPP
#define RANKMAP_SAMPLER_SAMPLER_STATE_HPP

#include <rankmap/detail/fnv.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/result.hpp>
#include <rankmap/sampler/shard.hpp>
#include <rankmap/static_string.hpp>
#include <rankmap/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// What saved state calls an order: 1 to 27 characters of a-z, 0-9, `.` and `-`. A name is never
/// given to another order.
class SamplerAlgorithm {
 public:
  static const SamplerAlgorithm sequential;     ///< Sequential: 0, 1, 2, ...
  static const SamplerAlgorithm feistel_1;      ///< Permutation
  static const SamplerAlgorithm torch_classic;  ///< torch.randperm up to PyTorch 2.5
  static const SamplerAlgorithm torch_26;       ///< torch.randperm from PyTorch 2.6 on

  /// Errc::bad_sampler where the text is no such name.
  static constexpr Result<SamplerAlgorithm> named(std::string_view text) {
    bool good = !text.empty() && text.size() <= longest;
    for (const char c : text) {
      good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-');
    }
    if (good) return SamplerAlgorithm(text);
    return detail::error_at(Errc::bad_sampler, "name of an order", text,
                            "1 to 27 characters of a-z, 0-9, \".\" and \"-\"",
                            "name it so in SavedOrder::name");
  }

  /// The name in saved state. Views `algorithm`.
  friend constexpr std::string_view name(const SamplerAlgorithm& algorithm) {
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

/// `consumed` counts samples, of all ranks together, at the head of the epoch's order: not batches,
/// whose size may change, and not one rank's share, which changes with the world.
struct SamplerState {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t size = 0;      ///< samples in the data set
  std::uint64_t consumed = 0;  ///< in [0, size]
  SamplerAlgorithm algorithm = SamplerAlgorithm::feistel_1;
  std::uint64_t digest = 0;  ///< of all else that the order depends on: SavedOrder::digest

  friend constexpr bool operator==(const SamplerState&, const SamplerState&) = default;
};

namespace detail {

// The orders of the first version of saved state; fingerprints have their numbers. They depend on
// seed and epoch alone.
inline constexpr SamplerAlgorithm first_algorithms[] = {
    SamplerAlgorithm::sequential, SamplerAlgorithm::feistel_1, SamplerAlgorithm::torch_classic,
    SamplerAlgorithm::torch_26};
inline constexpr std::uint64_t first_count = 4;

/// Which of them it is; first_count where it is none.
constexpr std::uint64_t first_number(const SamplerAlgorithm& algorithm) {
  std::uint64_t number = 0;
  while (number != first_count && first_algorithms[number] != algorithm) ++number;
  return number;
}
constexpr bool is_first_version(const SamplerState& state) {
  return state.digest == 0 && first_number(state.algorithm) != first_count;
}

}  // namespace detail

/// Fixed-size text that holds any state.
using SamplerStateText = StaticString<191>;

/// One line of printable ASCII: `rankmap-sampler-1 algorithm=feistel-1 seed=42 epoch=3 size=1000
/// consumed=512`; for orders other than those of SamplerAlgorithm `rankmap-sampler-2` and an
/// `order=`, the digest, at the end. `parse_sampler_state` reads it back.
constexpr SamplerStateText to_string(const SamplerState& state) {
  SamplerStateText out;
  const bool is_first = detail::is_first_version(state);
  out.append(is_first ? "rankmap-sampler-1" : "rankmap-sampler-2");
  out.append(" algorithm=").append(name(state.algorithm));
  out.append(" seed=").append_number(state.seed);
  out.append(" epoch=").append_number(state.epoch);
  out.append(" size=").append_number(state.size);
  out.append(" consumed=").append_number(state.consumed);
  if (!is_first) out.append(" order=").append_number(state.digest);
  return out;
}

namespace detail {

/// Reads the fields of a saved state one after another.
class StateReader {
 public:
  constexpr explicit StateReader(std::string_view text) : text_(text) {}

  /// What stands behind `label`, up to the next blank; the place of an error otherwise.
  constexpr bool field(std::string_view label, std::string_view& out) {
    if (text_.substr(at_, label.size()) != label) return false;
    at_ += label.size();
    const std::size_t end = text_.find(' ', at_);
    out = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    return true;
  }
  constexpr bool number(std::string_view label, std::uint64_t& out) {
    std::string_view text;
    if (!field(label, text)) return false;
    const Number parsed = parse_number(text);
    if (!parsed || (text.size() > 1 && text[0] == '0')) return false;
    out = parsed.value;
    at_ += text.size();
    return true;
  }
  constexpr void skip(std::size_t count) { at_ += count; }
  constexpr bool at_end() const { return at_ == text_.size(); }

  constexpr Error error(std::string_view expected) const {
    return error_at(Errc::bad_sampler, "sampler state", text_, expected,
                    "pass a text that to_string made", static_cast<std::int64_t>(at_));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// Reads what `to_string` wrote; nothing else, not even a blank more. Errc::bad_sampler, with the
/// place, for any other text, and for more samples consumed than there are. Whether the order is
/// known shows where it is resumed. O(length), no allocation.
constexpr Result<SamplerState> parse_sampler_state(std::string_view text) {
  SamplerState state;
  detail::StateReader reader(text);
  std::string_view found;
  const bool second = reader.field("rankmap-sampler-2 algorithm=", found);
  if (!second && !reader.field("rankmap-sampler-1 algorithm=", found)) {
    return reader.error("\"rankmap-sampler-1 algorithm=\"");
  }
  const Result<SamplerAlgorithm> algorithm = SamplerAlgorithm::named(found);
  if (!second && (!algorithm || detail::first_number(*algorithm) == detail::first_count)) {
    return reader.error("a known algorithm: sequential, feistel-1, torch-classic, ...");
  }
  if (!algorithm) return reader.error(algorithm.error().expected);
  state.algorithm = *algorithm;
  reader.skip(found.size());
  struct Entry {
    std::string_view label;
    std::uint64_t* value;
  };
  const Entry fields[] = {{" seed=", &state.seed},
                          {" epoch=", &state.epoch},
                          {" size=", &state.size},
                          {" consumed=", &state.consumed},
                          {" order=", &state.digest}};
  for (const Entry& field : fields) {
    if (field.value == &state.digest && !second) break;
    if (!reader.number(field.label, *field.value)) {
      return reader.error(
          detail::concat<64>("\"", field.label, "\" and a decimal number below 2^64").view());
    }
  }
  if (!reader.at_end()) return reader.error("the end of the text");
  if (second && detail::is_first_version(state)) {
    return reader.error("\"rankmap-sampler-1\" for this order without a digest");
  }
  if (state.consumed > state.size) return reader.error("no more samples consumed than there are");
  return state;
}

/// The fingerprint of a job whose ranks are known to have one order and one remainder.
constexpr std::uint64_t fingerprint(const SamplerState& state, int world_size) {
  std::uint64_t order = detail::first_number(state.algorithm);
  if (!detail::is_first_version(state)) {
    order = detail::fnv_word(detail::fnv_start, state.digest);
    for (const char c : name(state.algorithm)) {
      order = detail::fnv_step(order, static_cast<unsigned char>(c));
    }
  }
  std::uint64_t digest = detail::fnv_start;
  for (const std::uint64_t word : {state.seed, state.epoch, state.size, state.consumed, order,
                                   static_cast<std::uint64_t>(world_size)}) {
    digest = detail::fnv_word(digest, word);
  }
  return digest;
}

/// A number to compare across ranks before the first step: ranks that disagree in any of its parts,
/// or in the world size, the order or the remainder of their shards, would read overlapping
/// samples, and nothing else would tell them. `shard`: of any rank, such as `shard()` of an epoch.
constexpr std::uint64_t fingerprint(const SamplerState& state, const Shard& shard) {
  const ShardOptions& options = shard.options();
  const std::uint64_t of_world = fingerprint(state, shard.world_size());
  const std::uint64_t of_order =
      detail::fnv_word(of_world, static_cast<std::uint64_t>(options.order));
  return detail::fnv_word(of_order, static_cast<std::uint64_t>(options.remainder));
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_SAMPLER_SAMPLER_STATE_HPP
