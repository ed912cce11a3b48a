// SPDX-License-Identifier: MIT
//
// Whole permutations of hundreds of millions, on either side of the size from which PyTorch 2.6
// uses another algorithm. The recordings come from a real PyTorch 1.13 and a real PyTorch 2.6
// (golden/record_torch.py --large). A gigabyte of memory; optimised in every build.
#include <rankmap/torch/randperm.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "golden/torch_rows.hpp"

namespace {

using golden::List;
using rankmap::TorchAlgorithm;

struct Recording {
  const char* file;
  TorchAlgorithm algorithm;
  std::uint64_t size;
};

void PrintTo(const Recording& recording, std::ostream* out) {
  *out << (recording.algorithm == TorchAlgorithm::up_to_2_5 ? "classic_" : "torch26_")
       << recording.size;
}

class RandpermLarge : public testing::TestWithParam<Recording> {};

TEST_P(RandpermLarge, equals_pytorch_from_end_to_end) {
  int found = 0;
  for (const auto& row : golden::rows(GetParam().file)) {
    const std::uint64_t size = golden::number(row[1]);
    if (size != GetParam().size) continue;
    ++found;
    std::vector<std::uint32_t> p(size);
    rankmap::randperm(golden::seed_of(row[0]), p, GetParam().algorithm);
    const auto at = [&p](std::uint64_t i) { return std::uint64_t{p[i]}; };
    EXPECT_EQ(List(p.begin(), p.begin() + 8), golden::numbers(row[3]));
    EXPECT_EQ(List(p.end() - 8, p.end()), golden::numbers(row[4]));
    EXPECT_EQ(golden::mixed_sum(1000, at), row[2]);
    EXPECT_EQ(golden::mixed_sum(size, at), row[5]);
  }
  EXPECT_EQ(found, 1);
}

constexpr auto classic = TorchAlgorithm::up_to_2_5;
constexpr auto torch26 = TorchAlgorithm::from_2_6;
INSTANTIATE_TEST_SUITE_P(
    recorded, RandpermLarge,
    testing::Values(Recording{"torch_randperm_large.tsv", classic, 100'000'000},
                    Recording{"torch_randperm_large.tsv", classic, 214'748'363},
                    Recording{"torch_randperm_large.tsv", classic, 214'748'364},
                    Recording{"torch_randperm_large.tsv", classic, 214'748'365},
                    Recording{"torch26_randperm_large.tsv", torch26, 214'748'363},
                    Recording{"torch26_randperm_large.tsv", torch26, 214'748'364},
                    Recording{"torch26_randperm_large.tsv", torch26, 214'748'365}));

}  // namespace
