// SPDX-License-Identifier: MIT
//
// A collective of all ranks of a job in one process.
#ifndef RANKMAP_TESTS_SUPPORT_SIMULATED_GATHER_HPP
#define RANKMAP_TESTS_SUPPORT_SIMULATED_GATHER_HPP

#include <rankmap/detail/gathered_bytes.hpp>
#include <rankmap/result.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace rankmap_test {

/// Changes the records of all ranks, which get the right seals again.
using Spoil = std::function<void(std::vector<std::byte>&)>;

/// The results of all ranks, of which each calls `gather(rank, all_gather)` twice: first the
/// `bytes` of every rank are collected, then every rank receives all of them.
template <class Gather>
auto gather_all(std::size_t ranks, std::size_t bytes, const Gather& gather,
                const Spoil& spoil = {}) {
  std::vector<std::byte> all;
  for (std::size_t rank = 0; rank != ranks; ++rank) {
    int calls = 0;
    const auto caught = gather(rank, [&](std::span<const std::byte> mine, std::span<std::byte>) {
      EXPECT_EQ(mine.size(), bytes);
      all.insert(all.end(), mine.begin(), mine.end());
      ++calls;
      return false;
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(message(caught.error()).view(),
              "all_gather=\"false\": expected a collective that succeeds; see what the collective "
              "reports");
  }
  if (spoil) {
    rankmap::detail::toggle_marks(all, bytes);
    spoil(all);
    rankmap::detail::toggle_marks(all, bytes);
  }
  const auto receive = [&](std::span<const std::byte>, std::span<std::byte> to) {
    EXPECT_EQ(to.size(), all.size());
    std::copy(all.begin(), all.end(), to.begin());
  };
  std::vector<decltype(gather(0, receive))> out;
  for (std::size_t rank = 0; rank != ranks; ++rank) out.push_back(gather(rank, receive));
  return out;
}

/// Every rank has this error.
template <class T>
void expect_all(const std::vector<rankmap::Result<T>>& ranks, rankmap::Errc code,
                std::string_view text) {
  for (const auto& rank : ranks) {
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().code, code);
    EXPECT_EQ(message(rank.error()).view(), text);
  }
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_SIMULATED_GATHER_HPP
