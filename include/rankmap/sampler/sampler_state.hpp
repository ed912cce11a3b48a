// SPDX-License-Identifier: MIT
//
// Where a pass over the data stands, in five integers that mean the same to every rank, world size
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

/// Which order the samples stand in. A name is never given to another order.
enum class SamplerAlgorithm : std::uint8_t {
  sequential,     ///< 0, 1, 2, ...
  feistel_1,      ///< rankmap::Permutation
  torch_classic,  ///< torch.randperm up to PyTorch 2.5
  torch_26,       ///< torch.randperm from PyTorch 2.6 on
};

namespace detail {
struct AlgorithmName {
  SamplerAlgorithm algorithm;
  std::string_view name;
};
inline constexpr AlgorithmName algorithm_names[] = {
    {SamplerAlgorithm::sequential, "sequential"},
    {SamplerAlgorithm::feistel_1, "feistel-1"},
    {SamplerAlgorithm::torch_classic, "torch-classic"},
    {SamplerAlgorithm::torch_26, "torch-2.6"},
};
}  // namespace detail

/// The name of an algorithm in saved state.
constexpr std::string_view name(SamplerAlgorithm algorithm) {
  for (const detail::AlgorithmName& row : detail::algorithm_names) {
    if (row.algorithm == algorithm) return row.name;
  }
  return "unknown";
}

/// `consumed` counts samples, of all ranks together, at the head of the epoch's order: not batches,
/// whose size may change, and not one rank's share, which changes with the world.
struct SamplerState {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t size = 0;      ///< samples in the data set
  std::uint64_t consumed = 0;  ///< in [0, size]
  SamplerAlgorithm algorithm = SamplerAlgorithm::feistel_1;

  friend constexpr bool operator==(const SamplerState&, const SamplerState&) = default;
};

/// Fixed-size text that holds any state.
using SamplerStateText = StaticString<191>;

/// One line of printable ASCII: `rankmap-sampler-1 algorithm=feistel-1 seed=42 epoch=3 size=1000
/// consumed=512`. `parse_sampler_state` reads it back.
constexpr SamplerStateText to_string(const SamplerState& state) {
  SamplerStateText out;
  out.append("rankmap-sampler-1 algorithm=").append(name(state.algorithm));
  out.append(" seed=").append_number(state.seed);
  out.append(" epoch=").append_number(state.epoch);
  out.append(" size=").append_number(state.size);
  out.append(" consumed=").append_number(state.consumed);
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
/// place, for any other text, for an algorithm that this version does not know, and for more
/// samples consumed than there are.
constexpr Result<SamplerState> parse_sampler_state(std::string_view text) {
  SamplerState state;
  detail::StateReader reader(text);
  std::string_view found;
  if (!reader.field("rankmap-sampler-1 algorithm=", found)) {
    return reader.error("\"rankmap-sampler-1 algorithm=\"");
  }
  bool known = false;
  for (const detail::AlgorithmName& row : detail::algorithm_names) {
    if (row.name != found) continue;
    state.algorithm = row.algorithm;
    known = true;
  }
  if (!known) return reader.error("a known algorithm: sequential, feistel-1, torch-classic, ...");
  reader.skip(found.size());
  struct Entry {
    std::string_view label;
    std::uint64_t* value;
  };
  const Entry fields[] = {{" seed=", &state.seed},
                          {" epoch=", &state.epoch},
                          {" size=", &state.size},
                          {" consumed=", &state.consumed}};
  for (const Entry& field : fields) {
    if (!reader.number(field.label, *field.value)) {
      return reader.error(
          detail::concat<64>("\"", field.label, "\" and a decimal number below 2^64").view());
    }
  }
  if (!reader.at_end()) return reader.error("the end of the text");
  if (state.consumed > state.size) return reader.error("no more samples consumed than there are");
  return state;
}

/// The fingerprint of a job whose ranks are known to have one order and one remainder.
constexpr std::uint64_t fingerprint(const SamplerState& state, int world_size) {
  std::uint64_t digest = detail::fnv_start;
  for (const std::uint64_t word :
       {state.seed, state.epoch, state.size, state.consumed,
        static_cast<std::uint64_t>(state.algorithm), static_cast<std::uint64_t>(world_size)}) {
    digest = detail::fnv_word(digest, word);
  }
  return digest;
}

/// A number to compare across ranks before the first step: ranks that disagree in any of the five,
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
