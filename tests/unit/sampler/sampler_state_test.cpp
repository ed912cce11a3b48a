// SPDX-License-Identifier: MIT
#include <rankmap/sampler/sampler_state.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace {

using rankmap::Errc;
using rankmap::fingerprint;
using rankmap::parse_sampler_state;
using rankmap::Remainder;
using rankmap::SamplerAlgorithm;
using rankmap::SamplerState;
using rankmap::Shard;
using rankmap::ShardOrder;

struct TextCase {
  SamplerState state;
  std::string_view text;
};
constexpr TextCase text_cases[] = {
    {{42, 3, 1000, 512, SamplerAlgorithm::feistel_1},
     "rankmap-sampler-3 algorithm=feistel-1 seed=42 epoch=3 size=1000 consumed=512 "
     "check=c50f8e9519eb4167"},
    {{0, 0, 0, 0, SamplerAlgorithm::sequential},
     "rankmap-sampler-3 algorithm=sequential seed=0 epoch=0 size=0 consumed=0 "
     "check=00fc9959bd29f0a4"},
    {{1, 2, 3, 3, SamplerAlgorithm::torch_classic},
     "rankmap-sampler-3 algorithm=torch-classic seed=1 epoch=2 size=3 consumed=3 "
     "check=dadd5292f22d9847"},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, SamplerAlgorithm::torch_26},
     "rankmap-sampler-3 algorithm=torch-2.6 seed=18446744073709551615 epoch=18446744073709551615 "
     "size=18446744073709551615 consumed=18446744073709551615 check=9d54b12af3451a26"},
    {{42, 3, 1000, 512, *SamplerAlgorithm::named("reversed-1"), 0},
     "rankmap-sampler-3 algorithm=reversed-1 seed=42 epoch=3 size=1000 consumed=512 "
     "check=fc03bae82aec81ef"},
    {{42, 3, 1000, 512, SamplerAlgorithm::feistel_1, 7},
     "rankmap-sampler-3 algorithm=feistel-1 seed=42 epoch=3 size=1000 consumed=512 order=7 "
     "check=17eb3aee8d83facb"},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
      *SamplerAlgorithm::named("abcdefghijklmnopqrstuvwxyz."), UINT64_MAX},
     "rankmap-sampler-3 algorithm=abcdefghijklmnopqrstuvwxyz. seed=18446744073709551615 "
     "epoch=18446744073709551615 size=18446744073709551615 consumed=18446744073709551615 "
     "order=18446744073709551615 check=0c54e6cecf8365a6"},
};
static_assert(text_cases[6].text.size() == 214);
// As the first two versions of the library wrote them, without a checksum.
constexpr TextCase old_text_cases[] = {
    {{42, 3, 1000, 512, SamplerAlgorithm::feistel_1},
     "rankmap-sampler-1 algorithm=feistel-1 seed=42 epoch=3 size=1000 consumed=512"},
    {{0, 0, 0, 0, SamplerAlgorithm::sequential},
     "rankmap-sampler-1 algorithm=sequential seed=0 epoch=0 size=0 consumed=0"},
    {{1, 2, 3, 3, SamplerAlgorithm::torch_classic},
     "rankmap-sampler-1 algorithm=torch-classic seed=1 epoch=2 size=3 consumed=3"},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, SamplerAlgorithm::torch_26},
     "rankmap-sampler-1 algorithm=torch-2.6 seed=18446744073709551615 epoch=18446744073709551615 "
     "size=18446744073709551615 consumed=18446744073709551615"},
    {{42, 3, 1000, 512, *SamplerAlgorithm::named("reversed-1"), 0},
     "rankmap-sampler-2 algorithm=reversed-1 seed=42 epoch=3 size=1000 consumed=512 order=0"},
    {{42, 3, 1000, 512, SamplerAlgorithm::feistel_1, 7},
     "rankmap-sampler-2 algorithm=feistel-1 seed=42 epoch=3 size=1000 consumed=512 order=7"},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
      *SamplerAlgorithm::named("abcdefghijklmnopqrstuvwxyz."), UINT64_MAX},
     "rankmap-sampler-2 algorithm=abcdefghijklmnopqrstuvwxyz. seed=18446744073709551615 "
     "epoch=18446744073709551615 size=18446744073709551615 consumed=18446744073709551615 "
     "order=18446744073709551615"},
};
constexpr std::string_view no_checksum =
    "sampler state: it has no checksum, so nobody can tell whether it was changed or cut; compare "
    "it with the step of the checkpoint, and save it again";

constexpr bool holds(const TextCase& c) {
  return to_string(c.state) == c.text && *parse_sampler_state(c.text) == c.state &&
         !parse_sampler_state(c.text)->unchecked && !to_string(c.state).cut();
}
constexpr bool holds_without_checksum(const TextCase& c) {
  const auto state = parse_sampler_state(c.text);
  // Saved again, it has one.
  return *state == c.state && state->unchecked && warning(*state) == no_checksum &&
         warning(*parse_sampler_state(to_string(*state))).empty();
}
static_assert(std::ranges::all_of(text_cases, holds) && warning(SamplerState{}).empty());
static_assert(std::ranges::all_of(old_text_cases, holds_without_checksum));

TEST(SamplerState, reads_back_what_it_writes) {
  for (const TextCase& c : text_cases) {
    EXPECT_EQ(to_string(c.state).view(), c.text);
    ASSERT_TRUE(parse_sampler_state(c.text));
    EXPECT_TRUE(holds(c)) << c.text;
  }
}

TEST(SamplerState, reads_texts_without_a_checksum_and_warns) {
  for (const TextCase& c : old_text_cases) {
    ASSERT_TRUE(parse_sampler_state(c.text)) << c.text;
    EXPECT_TRUE(holds_without_checksum(c)) << c.text;
  }
}

struct BadCase {
  std::string_view text;
  std::int64_t position;
};
constexpr BadCase bad_cases[] = {
    {"", 0},
    {"rankmap-sampler-4 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1", 0},
    {"rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1", 70},
    {"rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 order=1", 78},
    {"rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 order=x", 77},
    {"rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 check=", 70},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=42 epoch=3 size=1000 consumed=512 "
     "check=0000000000000000",
     76},
    {"rankmap-sampler-2 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1", 70},
    {"rankmap-sampler-2 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 order=0", 78},
    {"rankmap-sampler-2 algorithm=reversed seed=1 epoch=1 size=1 consumed=1 order=0x1", 76},
    {"rankmap-sampler-2 algorithm=reversed seed=1 epoch=1 size=1 consumed=2 order=0", 77},
    {"rankmap-sampler-2 algorithm=reversed seed=1 epoch=1 size=1 consumed=1 order=0 ", 77},
    {"rankmap-sampler-2 algorithm=Reversed seed=1 epoch=1 size=1 consumed=1 order=0", 28},
    {"rankmap-sampler-2 algorithm= seed=1 epoch=1 size=1 consumed=1 order=0", 28},
    {"rankmap-sampler-2 algorithm=abcdefghijklmnopqrstuvwxyz-1 seed=1 epoch=1 size=1 consumed=1 "
     "order=0",
     28},
    {"rankmap-sampler-1 algorithm=reversed seed=1 epoch=1 size=1 consumed=1", 28},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 order=1", 70},
    {" rankmap-sampler-1 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1", 0},
    {"rankmap-sampler-1 algorithm=feistel-2 seed=1 epoch=1 size=1 consumed=1", 28},
    {"rankmap-sampler-1 algorithm=", 28},
    {"rankmap-sampler-1 algorithm=feistel-1", 37},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=", 43},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=-1 epoch=1 size=1 consumed=1", 43},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=0x1 epoch=1 size=1 consumed=1", 43},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=1  epoch=1 size=1 consumed=1", 44},
    {"rankmap-sampler-1 algorithm=feistel-1 epoch=1 seed=1 size=1 consumed=1", 37},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=18446744073709551616 epoch=1 size=1 consumed=1",
     43},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=2", 70},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 ", 70},
    {"rankmap-sampler-1 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1\n", 69},
    {std::string_view("rankmap-sampler-1 algorithm=feistel-1\0seed=1", 44), 28},
};

TEST(SamplerState, rejects_any_other_text_and_reports_where) {
  for (const BadCase& c : bad_cases) {
    const auto state = parse_sampler_state(c.text);
    ASSERT_FALSE(state) << c.text;
    EXPECT_EQ(state.error().code, Errc::bad_sampler);
    EXPECT_EQ(state.error().position, c.position) << c.text;
  }
}

TEST(SamplerState, says_what_to_do_with_a_text_that_it_rejects) {
  const auto remedy = [](std::string_view text) {
    const auto state = parse_sampler_state(text);
    return state ? std::string() : std::string(state.error().remedy.view());
  };
  for (const char* text : {"seed=42", "rankmap-sampler-", "rankmap-sampler-0 algorithm=feistel-1",
                           "rankmap-sampler-3 seed=42", "rankmap-sampler-x algorithm=feistel-1"}) {
    EXPECT_EQ(remedy(text), "pass a text that to_string made");
  }
  for (const char* text : {"rankmap-sampler-4 algorithm=feistel-1 seed=1", "rankmap-sampler-9"}) {
    EXPECT_EQ(remedy(text), "read it with the version of rankmap that wrote it");
  }
  for (const TextCase& c : text_cases) {
    std::string text(c.text);
    text.back() = text.back() == '0' ? '1' : '0';
    EXPECT_EQ(remedy(text), "go back to the checkpoint before: this one was changed or cut");
  }
  const auto cut = parse_sampler_state(
      "rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1 check=1");
  EXPECT_EQ(
      message(cut.error()).view(),
      "sampler state=\"rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 cons... (78 "
      "bytes)\" at byte 70: expected \" check=\" and the checksum of the text before it, at the "
      "end; go back to the checkpoint before: this one was changed or cut");
}

// With a checksum no other text is read: not one with a character changed, lost, doubled or put in,
// with two of them swapped, or cut anywhere at either end.
TEST(SamplerState, rejects_every_text_that_was_changed_cut_or_swapped) {
  for (const TextCase& c : text_cases) {
    const std::string good(c.text);
    for (std::size_t at = 0; at != good.size(); ++at) {
      EXPECT_FALSE(parse_sampler_state(good.substr(0, at))) << at;
      EXPECT_FALSE(parse_sampler_state(good.substr(at + 1))) << at;
      EXPECT_FALSE(parse_sampler_state(std::string(good).erase(at, 1))) << at;
      for (int byte = 0; byte != 256; ++byte) {
        std::string text = good;
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(parse_sampler_state(text).has_value(), text == good) << text;
        text = good;
        text.insert(at, 1, static_cast<char>(byte));
        EXPECT_FALSE(parse_sampler_state(text)) << text;
      }
      for (std::size_t other = 0; other != at; ++other) {
        std::string text = good;
        std::swap(text[at], text[other]);
        EXPECT_EQ(parse_sampler_state(text).has_value(), text == good) << text;
        text = good;  // a part is missing
        text.erase(other, at - other);
        EXPECT_FALSE(parse_sampler_state(text)) << text;
      }
    }
  }
}

TEST(SamplerState, reads_or_rejects_every_changed_byte_of_an_old_text) {
  const std::string good(old_text_cases[0].text);
  for (std::size_t at = 0; at != good.size(); ++at) {
    EXPECT_FALSE(parse_sampler_state(good.substr(0, at)) && at + 3 < good.size()) << at;
    for (int byte = 0; byte != 256; ++byte) {
      std::string text = good;
      text[at] = static_cast<char>(byte);
      const auto state = parse_sampler_state(text);
      if (!state) continue;
      std::string again(to_string(*state).view());
      again[16] = '1';
      EXPECT_EQ(again.substr(0, again.size() - 23), text);
    }
  }
  EXPECT_FALSE(parse_sampler_state(std::string(10'000'000, '1')));
  EXPECT_FALSE(parse_sampler_state(good.substr(0, 43) + std::string(10'000'000, '1')));
  const std::string zero = "rankmap-sampler-3 algorithm=feistel-1 seed=1 epoch=1 size=1 consumed=1";
  const auto with_check = [](std::string text) {
    std::uint64_t digest = 0xcbf2'9ce4'8422'2325U;
    for (const char c : text) {
      digest = (digest ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
    }
    text += " check=";
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[digest >> shift & 15U];
    return text;
  };
  EXPECT_TRUE(parse_sampler_state(with_check(zero)));
  EXPECT_FALSE(parse_sampler_state(with_check(zero + " order=0")));
  EXPECT_TRUE(parse_sampler_state(with_check(zero + " order=1")));
  EXPECT_FALSE(parse_sampler_state(with_check(zero + "1")));  // of one sample
  EXPECT_FALSE(parse_sampler_state(with_check(zero) + ' '));
}

// fgets keeps the newline of a saved line, and a copied file may have another one.
TEST(SamplerState, reads_a_line_with_its_line_end) {
  for (const TextCase& c : text_cases) {
    const std::string good(c.text);
    const auto state = parse_sampler_state(good);
    for (const char* end : {"\n", "\r\n", "\r"}) EXPECT_EQ(parse_sampler_state(good + end), state);
    for (const char* end : {"\n\n", "\n\r", "\r\r\n", " \n", "\n ", "\t", "\v"}) {
      EXPECT_FALSE(parse_sampler_state(good + end)) << end;
    }
    EXPECT_FALSE(parse_sampler_state(good.substr(0, good.size() - 1) + "\n"));
    EXPECT_FALSE(parse_sampler_state("\n" + good));
  }
  EXPECT_FALSE(parse_sampler_state("\n"));
}

TEST(SamplerAlgorithm, accepts_only_the_characters_of_names) {
  EXPECT_EQ(name(SamplerAlgorithm::sequential), "sequential");
  EXPECT_EQ(*SamplerAlgorithm::named("torch-2.6"), SamplerAlgorithm::torch_26);
  for (int byte = 0; byte != 256; ++byte) {
    const char text[] = {static_cast<char>(byte)};
    const bool good = std::string_view("abcdefghijklmnopqrstuvwxyz0123456789.-").find(text[0]) !=
                      std::string_view::npos;
    EXPECT_EQ(SamplerAlgorithm::named({text, 1}).has_value(), good) << byte;
  }
  EXPECT_TRUE(SamplerAlgorithm::named(std::string(27, 'a')));
  EXPECT_FALSE(SamplerAlgorithm::named(std::string(28, 'a')));
  EXPECT_FALSE(SamplerAlgorithm::named(""));
}

TEST(SamplerState, has_a_fingerprint_of_every_number_and_the_world) {
  std::set<std::uint64_t> all;
  for (const TextCase& c : text_cases) {
    for (const int world : {1, 2, 3}) all.insert(fingerprint(c.state, world));
  }
  SamplerState swapped = text_cases[0].state;
  swapped.seed = 3;
  swapped.epoch = 42;
  all.insert(fingerprint(swapped, 1));
  EXPECT_EQ(all.size(), 22U);
  static_assert(fingerprint(SamplerState{}, 1) == fingerprint(SamplerState{}, 1));
}

// FNV-1a over the eight bytes of each number, the lowest first, computed by another program.
constexpr SamplerState known{42, 3, 1000, 512, SamplerAlgorithm::feistel_1};
static_assert(fingerprint(known, 4) == 0x5f4d'8b32'92ae'877aU);
static_assert(fingerprint(known, Shard(1000, 2, 4, {ShardOrder::blocked, Remainder::uneven})) ==
              0x3551'72fc'c33c'59f9U);

TEST(SamplerState, has_a_fingerprint_of_name_and_digest) {
  std::set<std::uint64_t> all;
  for (const std::string_view order : {"sequential", "feistel-1", "reversed-1", "reversed-2"}) {
    for (const std::uint64_t digest : {0U, 1U, 2U}) {
      all.insert(fingerprint({.algorithm = *SamplerAlgorithm::named(order), .digest = digest}, 1));
    }
  }
  EXPECT_EQ(all.size(), 12U);
}

TEST(SamplerState, has_a_fingerprint_of_every_byte_of_a_number) {
  std::set<std::uint64_t> all;
  for (int byte = 0; byte != 8; ++byte) {
    const std::uint64_t number = std::uint64_t{0x5a} << (8 * byte);
    all.insert(fingerprint({.seed = number}, 1));
    all.insert(fingerprint({.epoch = number}, 1));
  }
  EXPECT_EQ(all.size(), 16U);
}

TEST(SamplerState, has_a_fingerprint_of_shard_order_and_remainder) {
  std::set<std::uint64_t> all;
  for (const int world : {1, 2}) {
    for (const ShardOrder order : {ShardOrder::strided, ShardOrder::blocked}) {
      for (const Remainder remainder : {Remainder::pad, Remainder::drop, Remainder::uneven}) {
        const std::uint64_t of_rank_0 =
            fingerprint(SamplerState{}, Shard(10, 0, world, {order, remainder, 4}));
        all.insert(of_rank_0);
        // All ranks have the same number.
        EXPECT_EQ(of_rank_0,
                  fingerprint(SamplerState{}, Shard(10, world - 1, world, {order, remainder})));
      }
    }
  }
  EXPECT_EQ(all.size(), 12U);
  EXPECT_NE(fingerprint({.seed = 1}, Shard(10, 0, 2)), fingerprint({.seed = 2}, Shard(10, 0, 2)));
}

}  // namespace
