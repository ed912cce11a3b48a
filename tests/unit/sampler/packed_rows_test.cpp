// SPDX-License-Identifier: MIT
//
// Rows are compared with those of first-fit decreasing as it is defined: with lists, one look at
// each row for each sample.
#include "support/kept_lists.hpp"
#include "support/list.hpp"

#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/packed_rows.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sample_order.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/sampler/shard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace {

using rankmap::PackedRows;
using rankmap::PackingOptions;
using rankmap::Permutation;
using rankmap::Sequential;
using rankmap::TooLong;
using rankmap_test::List;
using Numbers = std::vector<std::uint32_t>;
using Rows = std::vector<Numbers>;
using rankmap_test::takes_kept_memory_only;

static_assert(rankmap::InvertibleOrder<PackedRows> && rankmap::NamedOrder<PackedRows>);
static_assert(PackedRows().size() == 0);
// What it refers to must be kept by someone: a temporary does not compile.
static_assert(takes_kept_memory_only<std::uint32_t>(RANKMAP_CALL(
    PackedRows::make(Sequential(2), Numbers(), 8, RANKMAP_LIST, std::span<std::uint32_t>()))));

// The rows, with memory that lives as long as they do.
struct Packed {
  Numbers memory;
  PackedRows rows;
};
template <class Order, class Lengths, class Row>
Packed pack(const Order& order, const Lengths& lengths, Row row,
            const PackingOptions& options = {}) {
  Packed out;
  out.memory.resize(PackedRows::memory_for(order.size()));
  Numbers scratch(PackedRows::scratch_for(order.size()));
  out.rows = PackedRows::make(order, lengths, row, out.memory, scratch, options).value();
  return out;
}
Rows list_of(const PackedRows& rows) {
  Rows out;
  for (std::uint64_t row = 0; row != rows.size(); ++row) {
    const std::span<const std::uint32_t> samples = rows.samples(row);
    out.emplace_back(samples.begin(), samples.end());
  }
  return out;
}

// The definition: by descending length, and by place where that is equal, each sample into the
// first row with room.
template <class Order>
Rows model(const Order& order, const Numbers& lengths, std::uint64_t row, TooLong too_long) {
  std::vector<std::uint64_t> places(order.size());
  for (std::uint64_t place = 0; place != places.size(); ++place) places[place] = place;
  std::ranges::stable_sort(places, [&](std::uint64_t a, std::uint64_t b) {
    return lengths[order[a]] > lengths[order[b]];
  });
  std::vector<List> rows;
  List sums;
  for (const std::uint64_t place : places) {
    const std::uint64_t length = lengths[order[place]];
    std::size_t r = 0;
    if (length > row) {
      if (too_long == TooLong::drop) continue;
      r = rows.size();
    }
    while (r != rows.size() && sums[r] + length > row) ++r;
    if (r == rows.size()) {
      rows.emplace_back();
      sums.push_back(0);
    }
    rows[r].push_back(place);
    sums[r] += length;
  }
  Rows out;
  for (List& of_row : rows) {
    std::ranges::sort(of_row);
    out.emplace_back();
    for (const std::uint64_t place : of_row) {
      out.back().push_back(static_cast<std::uint32_t>(order[place]));
    }
  }
  return out;
}

TEST(PackedRows, are_those_of_lists_for_all_small_lengths) {
  std::uint64_t seed = 0;
  for (std::uint64_t size = 0; size <= 5; ++size) {
    Numbers lengths(size);
    bool more = true;
    while (more) {
      ++seed;
      for (const std::uint32_t row : {4U, 7U}) {
        const Permutation order(size, seed);
        const TooLong too_long = seed % 2 == 0 ? TooLong::drop : TooLong::alone;
        const Packed packed = pack(order, lengths, row, {.too_long = too_long});
        const Rows expected = model(order, lengths, row, too_long);
        ASSERT_EQ(list_of(packed.rows), expected) << seed;
        ASSERT_LE(packed.rows.min_rows(), packed.rows.size());
        ASSERT_EQ(packed.rows.dropped() == 0,
                  too_long == TooLong::alone ||
                      std::ranges::none_of(lengths, [&](auto length) { return length > row; }));
      }
      more = false;
      for (std::uint32_t& length : lengths) {  // the next list of lengths from 0 to 5
        if (++length != 6) {
          more = true;
          break;
        }
        length = 0;
      }
    }
  }
}

TEST(PackedRows, are_those_of_lists_for_many_lengths) {
  for (const std::uint64_t size : {100U, 1000U, 3000U}) {
    const Permutation drawn(1000, size);
    Numbers lengths(size);
    for (std::size_t i = 0; i != size; ++i) {
      lengths[i] = static_cast<std::uint32_t>(drawn[i % 1000] * (i + 1) % 613);
    }
    for (const std::uint32_t row : {612U, 700U, 2048U, 100'000'000U}) {
      const Permutation order(size, 1);
      ASSERT_EQ(list_of(pack(order, lengths, row).rows),
                model(order, lengths, row, TooLong::refuse));
    }
  }
}

// Lengths as they are published: about log-normal for instructions, geometric for turns of a chat,
// and uniform, which is the hardest of them: as many samples have more than half a row as not.
Numbers drawn_lengths(char kind, std::size_t size, std::uint32_t most) {
  Numbers out(size);
  const Permutation random(std::uint64_t{1} << 53U, 11);
  for (std::size_t i = 0; i != size; ++i) {
    const double u = (static_cast<double>(random[2 * i]) + 0.5) * 0x1p-53;
    const double v = static_cast<double>(random[2 * i + 1]) * 0x1p-53;
    double length = 0;
    if (kind == 'l') {
      const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
      length = std::exp(5.5 + 0.9 * normal);
    } else if (kind == 'g') {
      length = std::log(u) / std::log1p(-1.0 / 180);
    } else {
      length = u * most;
    }
    out[i] = static_cast<std::uint32_t>(std::clamp(std::ceil(length), 1.0, double(most)));
  }
  return out;
}
// A row is closed as soon as the next sample of the order does not fit.
template <class Order>
std::uint64_t rows_in_order(const Order& order, const Numbers& lengths, std::uint64_t row) {
  std::uint64_t rows = 1;
  std::uint64_t sum = 0;
  for (std::uint64_t place = 0; place != order.size(); ++place) {
    const std::uint64_t length = lengths[order[place]];
    rows += sum + length > row ? 1U : 0U;
    sum = sum + length > row ? length : sum + length;
  }
  return rows;
}

// docs/reference/sampler/token_batches.md has these figures.
TEST(PackedRows, are_at_most_two_percent_above_the_lower_bound) {
  struct Case {
    char kind;
    std::size_t samples;
    std::uint32_t row;
    std::uint64_t in_order, least, rows;
  };
  const Case cases[] = {
      {'l', 20'000, 4096, 1992, 1805, 1805},
      {'g', 20'000, 2048, 1934, 1764, 1764},
      {'u', 20'000, 2048, 13'351, 9965, 9985},
      {'l', 1'000'000, 4096, 98'712, 89'373, 89'379},
      {'g', 1'000'000, 2048, 96'317, 87'893, 87'893},
      {'u', 1'000'000, 2048, 666'871, 500'322, 500'470},
  };
  for (const Case& c : cases) {
    const Numbers lengths = drawn_lengths(c.kind, c.samples, c.row);
    const Permutation order(lengths.size(), 42);
    const Packed packed = pack(order, lengths, c.row);
    std::uint64_t sum = 0;
    for (const std::uint32_t length : lengths) sum += length;
    EXPECT_EQ(packed.rows.min_rows(), (sum + c.row - 1) / c.row);
    EXPECT_LE(packed.rows.size() * 100, packed.rows.min_rows() * 102) << c.kind;
    EXPECT_EQ(packed.rows.size(), c.rows);
    EXPECT_EQ(packed.rows.min_rows(), c.least);
    EXPECT_EQ(rows_in_order(order, lengths, c.row), c.in_order);
    if (c.samples == 20'000) {
      EXPECT_EQ(packed.rows.size(), model(order, lengths, c.row, TooLong::refuse).size());
    }
  }
}

// Every sample once over an epoch, in any world, stopped after any step and gone on in any other.
TEST(PackedRows, go_on_in_another_world) {
  Numbers lengths(60);
  for (std::uint32_t i = 0; i != 60; ++i) lengths[i] = 1 + i * 37 % 50;
  const Packed packed = pack(Permutation(60, 42, 3), lengths, 64);
  const PackedRows& rows = packed.rows;
  std::uint64_t stops = 0;
  for (int world = 1; world <= 5; ++world) {
    const auto epoch_of = [&](int rank, int ranks, std::uint64_t consumed) {
      return rankmap::Epoch(
          rankmap::Shard(rows.size(), rank, ranks,
                         {.remainder = rankmap::Remainder::uneven, .consumed = consumed}),
          rows);
    };
    for (std::uint64_t stop = 0; stop <= epoch_of(0, world, 0).steps(1); ++stop) {
      for (int next = 1; next <= 5; ++next) {
        std::vector<int> times(60);
        const auto count = [&](std::uint64_t row) {
          std::uint64_t sum = 0;
          for (const std::uint32_t sample : rows.samples(row)) {
            ++times[sample];
            sum += lengths[sample];
          }
          EXPECT_LE(sum, 64U);
        };
        for (int rank = 0; rank != world; ++rank) {
          const auto epoch = epoch_of(rank, world, 0);
          for (std::uint64_t k = 0; k != std::min(stop, epoch.size()); ++k) count(epoch[k]);
        }
        const auto state = epoch_of(0, world, 0).state_after(stop).value();
        if (state.epoch == 3) {
          const Packed again = pack(Permutation(60, 42, 3), lengths, 64);
          const std::uint64_t consumed = resume_at(state, again.rows).value();
          for (int rank = 0; rank != next; ++rank) {
            for (const std::uint64_t row : epoch_of(rank, next, consumed)) count(row);
          }
        }
        ASSERT_EQ(times, std::vector<int>(60, 1)) << world << " to " << next;
        ++stops;
      }
    }
  }
  EXPECT_GT(stops, 100U);
}

TEST(PackedRows, are_shuffled_with_seed_and_epoch_of_the_samples) {
  const Numbers lengths(2000, 5);
  const Packed first = pack(Permutation(2000, 42, 3), lengths, 5);
  const Packed second = pack(Permutation(2000, 42, 4), lengths, 5);
  const Packed plain = pack(Permutation(2000, 42, 3), lengths, 5, {.shuffle = false});
  const Permutation expected(2000, 42, 3, 1);
  for (std::uint64_t place = 0; place != 2000; ++place) {
    ASSERT_EQ(first.rows[place], expected[place]);
    ASSERT_EQ(first.rows.index_of(first.rows[place]), place);
    ASSERT_EQ(plain.rows[place], place);
    ASSERT_EQ(plain.rows.index_of(place), place);
  }
  EXPECT_NE(first.rows[0], second.rows[0]);
  EXPECT_EQ(list_of(first.rows), list_of(plain.rows));
  EXPECT_NE(list_of(first.rows), list_of(second.rows)) << "equal lengths, but another order";
}

// What is saved belongs to these rows and to no others.
TEST(PackedRows, are_saved_with_all_that_they_depend_on) {
  const Numbers lengths = {3, 1, 2, 5};
  const auto digest = [](const auto& order, const Numbers& of, std::uint32_t row,
                         const PackingOptions& options = {}) {
    return pack(order, of, row, options).rows.saved_as().digest;
  };
  const std::uint64_t base = digest(Permutation(4, 42), lengths, 5);
  EXPECT_EQ(base, digest(Permutation(4, 43, 2), lengths, 5)) << "seed and epoch stand beside it";
  EXPECT_NE(base, digest(Permutation(4, 42, 0, 1), lengths, 5));
  EXPECT_NE(base, digest(Sequential(4), lengths, 5));
  EXPECT_NE(base, digest(Permutation(3, 42), lengths, 5));
  EXPECT_NE(base, digest(Permutation(4, 42), lengths, 6));
  EXPECT_NE(base, digest(Permutation(4, 42), {3, 1, 2, 4}, 5));
  EXPECT_NE(base, digest(Permutation(4, 42), lengths, 5, {.too_long = TooLong::drop}));
  EXPECT_NE(base, digest(Permutation(4, 42), lengths, 5, {.shuffle = false}));
  const rankmap::SavedOrder saved = pack(Permutation(4, 42, 7), lengths, 5).rows.saved_as();
  EXPECT_STREQ(saved.name, "packed-1");
  EXPECT_EQ(saved.seed, 42U);
  EXPECT_EQ(saved.epoch, 7U);
}

// A sum of rounded lengths is never above the row, and a length that is the row fits.
TEST(PackedRows, take_lengths_of_any_type) {
  const std::vector<double> seconds = {12.5, 30, 0, 17.5, 0.5, 29.5, 7.25};
  const Rows expected = {{1, 2}, {4, 5}, {0, 3}, {6}};
  EXPECT_EQ(list_of(pack(Sequential(7), seconds, 30.0).rows), expected);
  EXPECT_EQ(list_of(pack(Sequential(7), seconds, 30).rows), expected);
  std::vector<double> scaled = seconds;
  for (double& length : scaled) length *= 1e-150;
  EXPECT_EQ(pack(Sequential(7), scaled, 30e-150).rows.size(), 4U);
  // A little more than a quarter of a row: three of them fit.
  const std::vector<double> quarters(4, 0.25 + 0x1p-40);
  EXPECT_EQ(pack(Sequential(4), quarters, 1.0).rows.size(), 2U);
  EXPECT_EQ(pack(Sequential(4), std::vector<double>(4, 0.25), 1.0).rows.size(), 1U);
  const std::vector<float> floats = {0.1F, 0.2F, 0.7F, 1.0F};
  for (const double row : {1.0, 1.1, 0.70000005}) {
    const Packed packed = pack(Sequential(4), floats, row, {.too_long = TooLong::drop});
    for (const Numbers& samples : list_of(packed.rows)) {
      long double sum = 0;
      for (const std::uint32_t sample : samples) sum += floats[sample];
      EXPECT_LE(sum, row);
    }
  }
  const std::vector<std::uint64_t> wide = {std::uint64_t{1} << 40U, 5, std::uint64_t{1} << 31U};
  const Packed packed = pack(Sequential(3), wide, std::uint64_t{1} << 31U, {TooLong::drop});
  EXPECT_EQ(list_of(packed.rows), (Rows{{2}, {1}}));
  EXPECT_EQ(packed.rows.dropped(), 1U);
  const std::vector<std::uint16_t> narrow = {40, 50};
  const std::vector<int> whole = {40, 50};
  EXPECT_EQ(pack(Sequential(2), narrow, 90).rows.size(), 1U);
  EXPECT_EQ(pack(Sequential(2), whole, 89).rows.size(), 2U);
}

TEST(PackedRows, leave_a_sample_alone_that_is_longer_than_a_row) {
  const Numbers lengths = {4, 0, 9, 0, 6, 11};
  const Packed packed = pack(Sequential(6), lengths, 8, {.too_long = TooLong::alone});
  EXPECT_EQ(list_of(packed.rows), (Rows{{2}, {5}, {1, 3, 4}, {0}}));
  EXPECT_EQ(packed.rows.min_rows(), 4U);
  EXPECT_EQ(packed.rows.dropped(), 0U);
}

// An order may give a sample more than once.
TEST(PackedRows, pack_what_is_drawn_with_replacement) {
  const std::uint32_t drawn[] = {2, 0, 2, 2};
  struct Drawn : rankmap::ListedOrder<std::uint32_t> {
    using rankmap::ListedOrder<std::uint32_t>::ListedOrder;
    rankmap::SavedOrder saved_as() const { return {"drawn-1", 1, 2, 3}; }
  };
  EXPECT_EQ(list_of(pack(Drawn(drawn, 4), Numbers{3, 1, 4}, 8).rows), (Rows{{2, 2}, {0, 2}}));
}

constexpr std::uint64_t rows_in_constant() {
  constexpr std::array<std::uint32_t, 5> lengths = {3, 4, 5, 1, 3};
  std::array<std::uint32_t, PackedRows::memory_for(5)> memory = {};
  std::array<std::uint32_t, PackedRows::scratch_for(5)> scratch = {};
  const PackedRows rows =
      PackedRows::make(Sequential(5), lengths, 8, memory, scratch, {.shuffle = false}).value();
  return rows.size() * 1000 + rows.samples(0).size() * 100 + rows.samples(1)[0] * 10 + rows[1];
}
static_assert(rows_in_constant() == 2211);

TEST(PackedRows, name_what_is_wrong) {
  Numbers memory(7);
  Numbers scratch(12);
  const auto reason_of = [&](const auto& lengths, auto row, const PackingOptions& options = {}) {
    const auto rows = PackedRows::make(Sequential(3), lengths, row, memory, scratch, options);
    return rows ? std::string("none") : std::string(message(rows.error()).view());
  };
  const Numbers lengths = {3, 9, 4};
  EXPECT_EQ(reason_of(lengths, 9), "none");
  EXPECT_EQ(reason_of(lengths, 8),
            "lengths[1]=\"9\": expected at most the row, 8; cut the sample, raise the row, or "
            "choose drop or alone of TooLong");
  EXPECT_EQ(reason_of(lengths, 8, {.too_long = TooLong::drop}), "none");
  EXPECT_EQ(reason_of(lengths, 0), "row=\"0\": expected 1 to 2^31; pass the length of a row");
  EXPECT_EQ(reason_of(lengths, -8), "row=\"-8\": expected 1 to 2^31; pass the length of a row");
  EXPECT_EQ(reason_of(lengths, 2147483649U),
            "row=\"2147483649\": expected 1 to 2^31; pass the length of a row");
  EXPECT_EQ(reason_of(lengths, 9, {.too_long = static_cast<TooLong>(3)}),
            "PackingOptions::too_long=\"3\": expected one of: refuse, drop, alone; pass an "
            "enumerator of TooLong");
  EXPECT_EQ(reason_of(Numbers{3, 9}, 9),
            "sample=\"2\": expected below lengths.size(), 2, and 2^32; pass a length for each "
            "sample of the order");
  EXPECT_EQ(reason_of(std::vector<int>{3, -9, 4}, 9),
            "lengths[1]=\"-9\": expected a finite number from 0 on; correct the length");
  using Seconds = std::vector<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      reason_of(Seconds{3, 30.25, 4}, 30.125),
      "lengths[1]=\"30.25\": expected at most the row, 30.125; cut the sample, raise the row, "
      "or choose drop or alone of TooLong");
  EXPECT_EQ(reason_of(Seconds{3, -1, 4}, 30.0),
            "lengths[1]=\"a negative number\": expected a finite number from 0 on; correct the "
            "length");
  EXPECT_EQ(reason_of(Seconds{3, infinity, 4}, 30.0, {.too_long = TooLong::drop}),
            "lengths[1]=\"not a finite number\": expected a finite number from 0 on; correct the "
            "length");
  EXPECT_EQ(reason_of(Seconds{3, std::nan(""), 4}, 30.0, {.too_long = TooLong::alone}),
            "lengths[1]=\"not a finite number\": expected a finite number from 0 on; correct the "
            "length");
  EXPECT_EQ(reason_of(Seconds{3, 2e12, 4}, 30.0),
            "lengths[1]=\"2000000000000\": expected at most the row, 30; cut the sample, raise the "
            "row, or choose drop or alone of TooLong");
  EXPECT_EQ(reason_of(Seconds{0.3, 0.30000000000000004}, 0.3),
            "lengths[1]=\"0.30000000000000004\": expected at most the row, 0.3; cut the sample, "
            "raise the row, or choose drop or alone of TooLong");
  EXPECT_EQ(reason_of(Seconds{0x1.8p-30, 0x1p80, 0}, 0x1.8p-20),
            "lengths[1]=\"9223372036854775808 * 2^17\": expected at most the row, 3 * 2^-21; cut "
            "the sample, raise the row, or choose drop or alone of TooLong");
  EXPECT_EQ(reason_of(Seconds{3, 1, 4}, 0.0),
            "row=\"0\": expected a number from 1e-200 to 1e200; pass the length of a row");
  EXPECT_EQ(reason_of(Seconds{3, 1, 4}, infinity),
            "row=\"not a finite number\": expected a number from 1e-200 to 1e200; pass the length "
            "of a row");
  memory.pop_back();
  EXPECT_EQ(reason_of(lengths, 9),
            "memory.size()=\"6\": expected at least 7 elements; pass a span of "
            "PackedRows::memory_for(order.size()) elements");
  memory.resize(7);
  scratch.pop_back();
  EXPECT_EQ(reason_of(lengths, 9),
            "scratch.size()=\"11\": expected at least 12 elements; pass a span of "
            "PackedRows::scratch_for(order.size()) elements");
  const auto large =
      PackedRows::make(Sequential(std::uint64_t{1} << 31U), lengths, 9, memory, scratch);
  EXPECT_EQ(message(large.error()).view(),
            "order.size()=\"2147483648\": expected fewer than 2^31 places; pack a part of the "
            "order");
}

}  // namespace
