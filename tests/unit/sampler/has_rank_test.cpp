// SPDX-License-Identifier: MIT
#include <rankmap/sampler/has_rank.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/topology/topology.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace {

using rankmap::HasLocalRank;
using rankmap::HasRank;
using rankmap::Sampler;

struct Process {
  int rank() const { return 2; }
  int world_size() const { return 3; }
};
struct LocalProcess : Process {
  int local_rank() const { return 0; }
  bool is_distributed() const { return true; }
};
struct Unplaced : Process {
  int local_rank() const { return 0; }
};
static_assert(HasRank<Process> && HasRank<LocalProcess> && HasRank<rankmap::Topology>);
static_assert(HasLocalRank<LocalProcess> && HasLocalRank<rankmap::Topology>);
static_assert(!HasRank<int> && !HasLocalRank<Process> && !HasLocalRank<Unplaced>);

struct WideProcess {
  std::uint64_t rank_;
  long long world_;
  std::uint64_t rank() const { return rank_; }
  long long world_size() const { return world_; }
};
struct RealProcess {
  double rank() const { return 0; }
  int world_size() const { return 1; }
};
static_assert(HasRank<WideProcess> && !HasRank<RealProcess>);
static_assert(!std::is_constructible_v<Sampler, std::uint64_t, RealProcess>);

TEST(HasRank, accepts_integers_of_any_width) {
  EXPECT_EQ(Sampler(10, WideProcess{2, 3}).rank(), 2);
  EXPECT_EQ(Sampler(10, WideProcess{2, 3}).world_size(), 3);
}

TEST(HasRank, fails_where_no_int_holds_the_number) {
#if defined(__cpp_exceptions)
  const auto failure = [](WideProcess who) {
    try {
      return std::to_string(Sampler(10, who).rank());
    } catch (const rankmap::Exception& exception) {
      return std::string(exception.what());
    }
  };
  const std::string expected =
      ": expected a number that fits int; pass the number from the launcher";
  EXPECT_EQ(failure({std::uint64_t{1} << 32U, 3}), "rank=\"4294967296\"" + expected);
  EXPECT_EQ(failure({UINT64_MAX, 3}), "rank=\"18446744073709551615\"" + expected);
  EXPECT_EQ(failure({0, -4'294'967'295}), "world_size=\"-4294967295\"" + expected);
#endif
}

}  // namespace
