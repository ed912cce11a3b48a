// SPDX-License-Identifier: MIT
#include "support/domain_paths.hpp"
#include "support/simulated_gather.hpp"

#include <rankmap/detail/fnv.hpp>
#include <rankmap/domain/clique.hpp>
#include <rankmap/domain/gather_domains.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Domains;
using rankmap::Errc;
using rankmap::gather_domains;
using rankmap::Layout;
using rankmap::Result;
using rankmap_test::domains_of;
using rankmap_test::expect_all;
using rankmap_test::paths_of;
using Bytes = std::vector<std::byte>;

/// What one rank passes.
struct Process {
  Layout layout;
  int rank;
  Result<DomainPath> path;
};

std::vector<Process> job(const Layout& layout, std::string_view paths) {
  std::vector<Process> out;
  for (const DomainPath& path : paths_of(paths)) {
    out.push_back({layout, static_cast<int>(out.size()), path});
  }
  return out;
}

std::vector<Result<Domains>> gather(const std::vector<Process>& job,
                                    const rankmap_test::Spoil& spoil = {}) {
  return rankmap_test::gather_all(
      job.size(), 256,
      [&](std::size_t at, const auto& all_gather) {
        return gather_domains(job[at].layout, job[at].rank, job[at].path, all_gather);
      },
      spoil);
}

TEST(GatherDomains, gives_all_ranks_the_same_domains) {
  for (const auto& rank : gather(job(Layout::block(3, 2), "ax ax - - bx bx"))) {
    ASSERT_TRUE(rank) << message(rank.error()).view();
    EXPECT_EQ(*rank, domains_of("ax - bx"));
  }
  for (const auto& rank : gather(job(Layout::cyclic(3, 2), "ax ay b ax ay b"))) {
    ASSERT_TRUE(rank);
    EXPECT_EQ(*rank, domains_of("ax ay b"));
  }
  const int counts[] = {1, 0, 1};
  const auto holes = Layout::from_counts(counts, rankmap::Distribution::block).value();
  for (const auto& rank : gather(job(holes, "a a"))) EXPECT_EQ(*rank, domains_of("a - a"));
}

// Every world of two nodes with two ranks: fine exactly where the ranks of a node agree.
TEST(GatherDomains, refuses_ranks_of_one_node_with_different_paths) {
  rankmap_test::for_each_world(4, {"-", "a", "ab", "b"}, [](const std::vector<DomainPath>& paths) {
    std::vector<Process> processes;
    for (const DomainPath& path : paths) {
      processes.push_back({Layout::block(2, 2), static_cast<int>(processes.size()), path});
    }
    const bool agree = same_labels(paths[0], paths[1]) && same_labels(paths[2], paths[3]);
    for (const auto& rank : gather(processes)) {
      ASSERT_EQ(rank.has_value(), agree);
      if (!agree) {
        ASSERT_EQ(rank.error().code, Errc::inconsistent);
      }
    }
  });
  expect_all(gather(job(Layout::block(2, 2), "ab ab ac ad")), Errc::inconsistent,
             "domains of ranks 2 and 3=\"a/c\" and \"a/d\": expected one path for both, since they "
             "are on node 1; see which of them reads variables of another node");
  expect_all(gather(job(Layout::block(1, 2), "ab -")), Errc::inconsistent,
             "domains of ranks 0 and 1=\"a/b\" and \"?\": expected one path for both, since they "
             "are on node 0; see which of them reads variables of another node");
}

TEST(GatherDomains, sends_an_error_to_all_ranks) {
  auto processes = job(Layout::block(2, 1), "a a");
  processes[1].path = rankmap::parse_clique("32766");
  expect_all(
      gather(processes), Errc::gather_failed,
      "domain of rank 1=\"nvidia.com/gpu.clique=\\\"32766\\\": expected <ClusterUUID>.<Clique"
      "Id>, such as abc9829a-d4c8-491c-8da5-ad28fb34876b... (216 bytes)\": expected the path of "
      "its node; correct it there, or pass an empty "
      "path where nothing is known");
  for (const int wrong : {-1, 0, 2, 2147483647}) {
    processes = job(Layout::block(2, 1), "a a");
    processes[1].rank = wrong;
    const std::string text =
        "record of rank 1=\"rank " + std::to_string(wrong) +
        " of 2\": expected the record of rank 1 of 2; start one program on all "
        "ranks; in the program, gather 256 bytes a rank, in rank order, over "
        "the whole job";
    expect_all(gather(processes), Errc::gather_failed, text);
  }
}

TEST(GatherDomains, refuses_different_layouts) {
  auto processes = job(Layout::block(2, 2), "a a a a");
  processes[3].layout = Layout::cyclic(2, 2);
  constexpr std::string_view text =
      "layout of rank 3=\"a different one\": expected the layout of rank 0; start all ranks with "
      "the "
      "same variables; in the program, pass the same layout on all ranks";
  expect_all(gather(processes), Errc::inconsistent, text);
  const int with_hole[] = {2, 2, 0};
  processes[3].layout = Layout::from_counts(with_hole, rankmap::Distribution::block).value();
  expect_all(gather(processes), Errc::inconsistent, text);
}

// Ranks whose programs have another release compare theirs with it: of two nodes, 0 0 1 1.
constexpr std::uint64_t golden_digest() {
  const Layout layout = Layout::from_counts("2(x2)", rankmap::Distribution::block).value();
  return rankmap::detail::layout_digest(
      layout, rankmap::detail::layout_step(rankmap::detail::fnv_start, layout.node_count()));
}
static_assert(golden_digest() == 0xcde3'f4ec'7a1b'b6b2U);

TEST(GatherDomains, compares_layouts_by_the_digest_of_earlier_releases) {
  EXPECT_EQ(golden_digest(), 0xcde3'f4ec'7a1b'b6b2U);
}

TEST(GatherDomains, keeps_the_longest_paths) {
  const std::string label(27, 'x');
  const auto full =
      DomainPath::from_labels({label, label, label, label, label, label, label, label}).value();
  const auto other =
      DomainPath::from_labels({label, label, label, label, label, label, label, label.substr(1)})
          .value();
  std::vector<Process> processes = {{Layout::block(2, 1), 0, full},
                                    {Layout::block(2, 1), 1, other}};
  for (const auto& rank : gather(processes)) {
    ASSERT_TRUE(rank);
    EXPECT_TRUE(rank->same_domain(6, 0, 1));
    EXPECT_FALSE(rank->same_domain(7, 0, 1));
  }
}

TEST(GatherDomains, reads_a_record_only_as_it_would_be_written) {
  using rankmap::detail::DomainRecord;
  DomainRecord failed;
  failed.failed = true;
  failed.reason = "no file";
  DomainRecord known;
  known.path = DomainPath::from_labels({"a", "bc"}).value();
  int read = 0;
  for (const DomainRecord& sent : {DomainRecord(), failed, known}) {
    std::byte good[DomainRecord::bytes] = {};
    sent.write(good);
    for (std::size_t at = 0; at != sizeof good; ++at) {
      for (const unsigned change : {1U, 0x20U, 0x80U, 0xffU}) {
        std::byte bytes[DomainRecord::bytes] = {};
        std::copy(std::begin(good), std::end(good), bytes);
        bytes[at] ^= static_cast<std::byte>(change);
        DomainRecord record;
        if (!record.read(bytes)) continue;
        ++read;
        std::byte again[DomainRecord::bytes] = {};
        record.write(again);
        EXPECT_TRUE(std::equal(std::begin(bytes), std::end(bytes), again)) << at;
      }
    }
  }
  EXPECT_GT(read, 100);  // other numbers are other records
}

// Each byte of a record set to each of some values: every rank comes to the same answer, except
// that the rank of the record may refuse it alone.
TEST(GatherDomains, survives_any_bytes) {
  const auto processes = job(Layout::block(2, 1), "ab cd");
  for (std::size_t at = 0; at != 512; ++at) {
    for (const int value : {0, 1, 8, 9, 127, 216, 217, 255}) {
      const auto ranks = gather(processes, [&](Bytes& all) { all[at] = std::byte(value); });
      const auto& own = ranks[at / 256];
      const auto& other = ranks[1 - at / 256];
      if (!other) {
        ASSERT_FALSE(own);
        ASSERT_EQ(own.error(), other.error());
      } else if (own) {
        ASSERT_EQ(*own, *other);
      } else {
        ASSERT_EQ(own.error().subject, "record of rank " + std::to_string(at / 256));
        ASSERT_EQ(own.error().found, "a different one");
      }
    }
  }
}

}  // namespace
