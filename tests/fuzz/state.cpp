// SPDX-License-Identifier: MIT
//
// Saved sampler state: what is read back is what was written, byte for byte.
#include "fuzz.hpp"

#include <rankmap/sampler/file_shard.hpp>
#include <rankmap/sampler/file_state.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::SamplerAlgorithm;
using rankmap::SamplerState;
using rankmap_fuzz::require;

constexpr SamplerAlgorithm algorithms[] = {
    SamplerAlgorithm::sequential, SamplerAlgorithm::feistel_1, SamplerAlgorithm::torch_classic,
    SamplerAlgorithm::torch_26};

// FNV-1a of 64 bits, in hexadecimal.
std::string check_of(std::string_view text) {
  std::uint64_t digest = 0xcbf2'9ce4'8422'2325U;
  for (const char c : text) {
    digest ^= static_cast<unsigned char>(c);
    digest *= 0x100'0000'01b3U;
  }
  std::string out(16, '0');
  for (std::size_t at = 16; at != 0; digest /= 16) out[--at] = "0123456789abcdef"[digest % 16];
  return out;
}

std::optional<SamplerState> read_slowly(std::string_view text) {
  auto words = rankmap_fuzz::split(text, ' ');
  if (words.empty()) return std::nullopt;
  const bool third = words[0] == "rankmap-sampler-3";
  if (third) {
    const std::string check = check_of(text.substr(0, text.rfind(' ')));
    if (words.size() < 7 || words.back() != "check=" + check) return std::nullopt;
    words.pop_back();
  }
  const bool second = words[0] == "rankmap-sampler-2" || (third && words.size() == 7);
  if (!second && !third && words[0] != "rankmap-sampler-1") return std::nullopt;
  if (words.size() != (second ? 7U : 6U)) return std::nullopt;
  SamplerState state;
  bool known = false;
  for (const SamplerAlgorithm& algorithm : algorithms) {
    if (words[1] != "algorithm=" + std::string(name(algorithm))) continue;
    state.algorithm = algorithm;
    known = true;
  }
  if (!known) {
    const std::string_view word = words[1];
    if ((!second && !third) || word.substr(0, 10) != "algorithm=" || word.size() < 11 ||
        word.size() > 37 ||
        word.substr(10).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") !=
            std::string_view::npos) {
      return std::nullopt;
    }
    state.algorithm = SamplerAlgorithm::named(word.substr(10)).value();
  }
  std::uint64_t* const numbers[] = {&state.seed, &state.epoch, &state.size, &state.consumed,
                                    &state.digest};
  constexpr std::string_view labels[] = {"seed=", "epoch=", "size=", "consumed=", "order="};
  for (std::size_t i = 0; i + 2 != words.size(); ++i) {
    const std::string_view word = words[i + 2];
    if (word.substr(0, labels[i].size()) != labels[i]) return std::nullopt;
    const std::string digits(word.substr(labels[i].size()));
    if (digits.empty() || digits.size() > 20 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    if (digits.size() == 20 && digits > "18446744073709551615") return std::nullopt;
    *numbers[i] = std::stoull(digits);
    if (std::to_string(*numbers[i]) != digits) return std::nullopt;
  }
  if (second && (known || third) && state.digest == 0) return std::nullopt;  // it is not written
  if (state.consumed > state.size) return std::nullopt;
  return state;
}

/// A sampler made from the state goes on where it says, or refuses.
void require_resumes(const SamplerState& state) {
  const auto sampler = rankmap::Sampler::make(state.size, 1, 3, {.seed = state.seed});
  if (!sampler) {
    rankmap_fuzz::require_good_error(sampler.error(), 64);
    return;
  }
  const auto epoch = sampler->resume(state);
  if (!epoch) {
    rankmap_fuzz::require_good_error(epoch.error(), 64);
    return;
  }
  const std::uint64_t left = state.size - state.consumed;
  require(epoch->size() == left / 3 + (left % 3 != 0 ? 1 : 0), "what is left is dealt");
  if (epoch->empty()) return;
  require((*epoch)[0] < state.size && (*epoch)[epoch->size() - 1] < state.size,
          "samples are samples of the data set");
}

/// The line of an order in which each rank reads a run of its own: what is accepted is read
/// back as it was written, and takes in each leg no more than there is.
void require_legs(std::string_view input) {
  const rankmap_fuzz::HeapBytes heap;
  const auto state = rankmap::parse_file_state(input);
  require(heap.asked() == 0, "legs are read without memory");
  if (!state) {
    rankmap_fuzz::require_good_error(state.error(), input.size());
    return;
  }
  const auto back = rankmap::parse_file_state(to_string(*state));
  require(back && *back == *state, "legs are read back as they were written");
  std::uint64_t taken = 0;
  for (std::uint32_t i = 0; i != state->leg_count; ++i) {
    const auto ranks = static_cast<std::uint64_t>(state->legs[i].world_size);
    require(state->legs[i].taken <= (state->order.size - taken) / ranks,
            "a leg takes what is left");
    taken += ranks * state->legs[i].taken;
  }
  require(taken == state->order.consumed, "legs are what was consumed");
  // As if it had been saved in this order: its digest is no secret.
  rankmap::FileState forged = *state;
  const rankmap::Permutation order(state->order.size >> 1U, 1);
  forged.order = rankmap::state_of(order).value();
  forged.order.consumed = taken;
  forged.order.digest =
      rankmap::detail::digest_of_legs(forged.order.digest, {state->legs, state->leg_count});
  const auto shard = rankmap::FileShard::resume(order, 1, 3, forged);
  if (!shard) {
    rankmap_fuzz::require_good_error(shard.error(), 64);
    return;
  }
  require(shard->remaining() == order.size() - taken, "what is left is dealt");
  for (const std::uint64_t k : {std::uint64_t{0}, shard->size() / 2, shard->size() - 1}) {
    if (shard->empty()) break;
    require((*shard)[k] < order.size(), "places are places of the order");
    if (shard->is_padding(k)) continue;
    require(shard->owner_of((*shard)[k]) == rankmap::ShardIndex{1, k}, "a place has its owner");
  }
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  require_legs(input);
  const HeapBytes heap;
  const auto state = rankmap::parse_sampler_state(input);
  require(heap.asked() == 0, "state is read without memory");
  std::string_view line = input;
  if (line.starts_with("rankmap-sampler-3")) {  // a line with a checksum may have its line end
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  const auto slow = read_slowly(line);
  require(state.has_value() == slow.has_value(), "state is accepted by its grammar",
          state ? std::string_view("accepted") : message(state.error()).view());
  if (state) {
    require(*state == *slow, "state has the numbers that are written");
    const std::string written(to_string(*state).view());
    require(state->unchecked || written == line, "state is written as it was read");
    require(warning(*state).empty() != state->unchecked, "state without a checksum has a warning");
    const auto again = rankmap::parse_sampler_state(written);
    require(again && *again == *state && !again->unchecked, "state is saved with a checksum");
    require_resumes(*state);
  } else {
    require_good_error(state.error(), input.size());
  }

  Bytes bytes(input);
  SamplerState made;
  made.algorithm = algorithms[bytes.byte() % 4];
  made.seed = bytes.word() >> (bytes.byte() % 64);
  made.epoch = bytes.word() >> (bytes.byte() % 64);
  made.size = bytes.word() >> (bytes.byte() % 64);
  made.consumed = bytes.word() >> (bytes.byte() % 64);
  if (bytes.byte() % 2 == 1) made.digest = bytes.word();
  const auto text = to_string(made);
  require(!text.cut() && is_printable(text), "state is one printable line", text);
  const auto back = rankmap::parse_sampler_state(text);
  require(back.has_value() == (made.consumed <= made.size), "written state is read back", text);
  if (back) {
    require(*back == made, "written state is read back", text);
    require_resumes(made);
  }
}
