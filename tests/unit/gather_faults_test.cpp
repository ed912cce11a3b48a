// SPDX-License-Identifier: MIT
//
// Collectives that lose, mix, damage or keep parts: four ranks gather over each, and a rank that
// answers must answer the truth. What a rank answers depends on what it sees itself, so a
// collective that shows each rank something else is every choice of these.
#include "support/job_records.hpp"

#include <rankmap/domain/gather_domains.hpp>
#include <rankmap/job/gather_job.hpp>
#include <rankmap/job/json.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::DomainPath;
using rankmap::Error;
using rankmap::JobRecord;
using rankmap::Layout;
using rankmap::Result;
using rankmap::Topology;
using Bytes = std::vector<std::byte>;
using Collective = std::function<bool(std::span<const std::byte>, std::span<std::byte>)>;

constexpr int world = 4;

/// Who gathers: this job, the same before its hosts had other names and its ranks were replaced,
/// another job of the same size, and one of twice the size.
enum class Job { now, before, other, larger };

constexpr int size_of(Job job) { return job == Job::larger ? 2 * world : world; }

/// What one rank gets: the answer as a text, or the error.
struct Answer {
  std::string text;
  std::string subject = {};  // of the error; of a table, all that is wrong with it
  bool is_error = false;
  bool is_refusal() const { return !subject.empty(); }
};

Answer refusal(const Error& error) {
  return {std::string(message(error).view()), std::string(error.subject.view()), true};
}

// ---- what gathers: each function with all that its answer says

std::string host_of(Job job, int rank) {
  constexpr std::string_view names[] = {"n", "m", "k", "n"};
  return std::string(names[static_cast<std::size_t>(job)]) + std::to_string(rank / 2);
}

Answer told(const Result<Topology>& result) {
  if (!result) return refusal(result.error());
  std::string text = std::to_string(result->rank()) + '/' + std::to_string(result->world_size()) +
                     " local " + std::to_string(result->local_rank()) + '/' +
                     std::to_string(*result->local_world_size()) + " node " +
                     std::to_string(*result->node_rank()) + '/' +
                     std::to_string(*result->node_count()) + " on " + std::string(result->host());
  for (int rank = 0; rank != result->world_size(); ++rank) {
    const rankmap::Place place = result->layout()->place_of(rank);
    text +=
        ", " + std::to_string(place.local) + " of " + std::string(result->host_of(rank)->view());
  }
  return {text + (result->warnings().empty() ? "" : ", warned")};
}

/// As of a bare communicator.
Answer hosts(Job job, int rank, const Collective& all_gather) {
  return told(rankmap::gather_hosts(rank, size_of(job), host_of(job, rank), all_gather));
}

/// As of a launcher that tells each rank its node.
Answer numbered_hosts(Job job, int rank, const Collective& all_gather) {
  const auto topology = Topology::from_config({.rank = rank,
                                               .world_size = size_of(job),
                                               .local_rank = rank % 2,
                                               .local_world_size = 2,
                                               .node_rank = rank / 2,
                                               .node_count = size_of(job) / 2});
  return told(gather_hosts(*topology, host_of(job, rank), all_gather));
}

/// Each rank on a node of its own, two in each rack.
Answer domains(Job job, int rank, const Collective& all_gather) {
  constexpr std::string_view labels[] = {"y", "z", "x", "y"};
  const bool is_even = job == Job::before ? rank % 2 == 0 : rank / 2 % 2 == 0;
  const auto path =
      DomainPath::from_labels({is_even ? "a" : "b", labels[static_cast<std::size_t>(job)]});
  const auto result = gather_domains(Layout::block(size_of(job), 1), rank, path, all_gather);
  if (!result) return refusal(result.error());
  std::string text;
  for (int level = 0; level != result->level_count(); ++level) {
    for (int node = 0; node != result->node_count(); ++node) {
      text += std::to_string(result->domain_of(level, node)) + ' ';
    }
  }
  return {text};
}

/// A table that shows an error has told it.
Answer table(Job job, int rank, const Collective& all_gather) {
  JobRecord mine = rankmap_test::full_record(rank % world);
  if (job == Job::before) mine.pid += 100;
  if (job == Job::other) mine.job = "4712.0";
  if (job == Job::larger) mine.world_size = size_of(job);
  const auto result = gather_job(mine, size_of(job), all_gather);
  if (!result) return refusal(result.error());
  Answer out;
  for (const JobRecord& row : result->rows()) out.text += rankmap_test::line_of(row) + '\n';
  for (const rankmap::Finding& finding : result->findings()) {
    if (finding.severity == rankmap::Severity::error) out.subject += message(finding).view();
  }
  return out;
}

struct Gather {
  std::string_view name;
  std::size_t bytes;  // of a part
  Answer (*ask)(Job, int rank, const Collective&);
};
constexpr Gather gathers[] = {{"hosts", 256, hosts},
                              {"hosts with numbers", 256, numbered_hosts},
                              {"domains", 256, domains},
                              {"table", rankmap::JobRecord::bytes, table}};

/// What the ranks of a job send, one after the other.
Bytes sent_by(const Gather& gather, Job job) {
  Bytes sent;
  for (int rank = 0; rank != size_of(job); ++rank) {
    (void)gather.ask(job, rank, [&](std::span<const std::byte> mine, std::span<std::byte>) {
      EXPECT_EQ(mine.size(), gather.bytes);
      sent.insert(sent.end(), mine.begin(), mine.end());
      return false;
    });
  }
  return sent;
}

Collective collective_of(const Bytes& all) {
  return [&all](std::span<const std::byte>, std::span<std::byte> to) {
    EXPECT_EQ(to.size(), all.size());
    std::copy(all.begin(), all.end(), to.begin());
    return true;
  };
}

// ---- what goes wrong: each function visits every gathering that its fault makes

struct Parts {
  std::size_t bytes;
  Bytes sent;
  Bytes before;
  Bytes other;
  Bytes larger;

  std::size_t end() const { return sent.size(); }
  void copy(const Bytes& from, std::size_t from_rank, Bytes& to, std::size_t slot) const {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_rank * bytes), bytes,
                to.begin() + static_cast<std::ptrdiff_t>(slot * bytes));
  }
};
using Visit = std::function<void(const Bytes&)>;

/// Every way to fill the four slots with the four parts or nothing: parts that are lost, swapped,
/// moved on and repeated, and the one way that is right.
void place_parts_anywhere(const Parts& parts, const Visit& visit) {
  for (int way = 0; way != 5 * 5 * 5 * 5; ++way) {
    Bytes all(parts.end());
    int rest = way;
    for (std::size_t slot = 0; slot != world; ++slot, rest /= 5) {
      const auto from = static_cast<std::size_t>(rest % 5);
      if (from != world) parts.copy(parts.sent, from, all, slot);
    }
    visit(all);
  }
}

/// Each part ends in zeros from each byte on.
void cut_a_part(const Parts& parts, const Visit& visit) {
  for (std::size_t at = 0; at != parts.end(); ++at) {
    Bytes all = parts.sent;
    const std::size_t next = at / parts.bytes * parts.bytes + parts.bytes;
    for (std::size_t i = at; i != next; ++i) all[i] = std::byte{0};
    visit(all);
  }
}

/// Nothing is written from each byte on, as by a collective of fewer bytes.
void write_too_few(const Parts& parts, const Visit& visit) {
  for (std::size_t size = 0; size != parts.end(); ++size) {
    Bytes all = parts.sent;
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(size), all.end(), std::byte{0});
    visit(all);
  }
}

/// The parts are closer together or further apart, as by a collective of other records.
void space_parts_wrong(const Parts& parts, const Visit& visit) {
  for (std::size_t apart = 1; apart != 2 * parts.bytes; ++apart) {
    if (apart == parts.bytes) continue;
    Bytes all(parts.end());
    for (std::size_t i = 0; i != parts.end(); ++i) {
      const std::size_t to = i / parts.bytes * apart + i % parts.bytes;
      if (to < parts.end()) all[to] = parts.sent[i];
    }
    visit(all);
  }
}

/// All bytes are moved on, the last ones to the front.
void move_all_bytes(const Parts& parts, const Visit& visit) {
  for (std::size_t by = 1; by != parts.end(); ++by) {
    Bytes all = parts.sent;
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(by), all.end());
    visit(all);
  }
}

/// Each part ends as each other one from each byte on.
void mix_two_parts(const Parts& parts, const Visit& visit) {
  for (std::size_t at = 0; at != parts.end(); ++at) {
    const std::size_t slot = at / parts.bytes;
    for (std::size_t other = 0; other != world; ++other) {
      if (other == slot) continue;
      Bytes all = parts.sent;
      for (std::size_t i = at % parts.bytes; i != parts.bytes; ++i) {
        all[slot * parts.bytes + i] = parts.sent[other * parts.bytes + i];
      }
      visit(all);
    }
  }
}

void flip_a_bit(const Parts& parts, const Visit& visit) {
  for (std::size_t bit = 0; bit != 8 * parts.end(); ++bit) {
    Bytes all = parts.sent;
    all[bit / 8] ^= std::byte{1} << (bit % 8);
    visit(all);
  }
}

/// Parts of a job of twice the size, in some slots.
void take_parts_of_a_larger_job(const Parts& parts, const Visit& visit) {
  for (unsigned slots = 1; slots != 1U << world; ++slots) {
    Bytes all = parts.sent;
    for (std::size_t slot = 0; slot != world; ++slot) {
      if ((slots >> slot & 1U) != 0) parts.copy(parts.larger, slot, all, slot);
    }
    visit(all);
  }
}

/// Each slot has the part of its rank: of this gather, of one before it, or of another job.
void take_parts_of_other_gathers(const Parts& parts, const Visit& visit) {
  for (int way = 1; way != 3 * 3 * 3 * 3; ++way) {
    Bytes all = parts.sent;
    int rest = way;
    for (std::size_t slot = 0; slot != world; ++slot, rest /= 3) {
      if (rest % 3 != 0) parts.copy(rest % 3 == 1 ? parts.before : parts.other, slot, all, slot);
    }
    visit(all);
  }
}

// ---- what must come of it

/// How many ranks refused, how many answered the truth, and how many answered anything else.
struct Outcomes {
  int refused = 0;
  int right = 0;
  int wrong = 0;
  friend bool operator==(const Outcomes&, const Outcomes&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcomes& counts) {
    return out << '{' << counts.refused << ", " << counts.right << ", " << counts.wrong << '}';
  }
};

struct Fault {
  std::string_view name;
  void (*make)(const Parts&, const Visit&);
  std::array<Outcomes, std::size(gathers)> expected;  // by each of `gathers`
};
constexpr Fault faults[] = {
    {"parts anywhere",
     place_parts_anywhere,
     {{{2496, 4, 0}, {2496, 4, 0}, {2496, 4, 0}, {2404, 96, 0}}}},
    {"a part cut",
     cut_a_part,
     {{{800, 3296, 0}, {800, 3296, 0}, {496, 3600, 0}, {10416, 1872, 0}}}},
    {"too few bytes",
     write_too_few,
     {{{3272, 824, 0}, {3272, 824, 0}, {3196, 900, 0}, {11820, 468, 0}}}},
    {"parts at a wrong distance",
     space_parts_wrong,
     {{{2040, 0, 0}, {2040, 0, 0}, {2040, 0, 0}, {6136, 0, 0}}}},
    {"bytes moved on",  // by whole parts a table is the same
     move_all_bytes,
     {{{4092, 0, 0}, {4092, 0, 0}, {4092, 0, 0}, {12272, 12, 0}}}},
    {"two parts mixed",
     mix_two_parts,
     {{{1680, 10608, 0}, {1808, 10480, 0}, {1040, 11248, 0}, {16672, 20192, 0}}}},
    {"a bit flipped", flip_a_bit, {{{32768, 0, 0}, {32768, 0, 0}, {32768, 0, 0}, {98304, 0, 0}}}},
    {"parts of a larger job",
     take_parts_of_a_larger_job,
     {{{60, 0, 0}, {60, 0, 0}, {60, 0, 0}, {60, 0, 0}}}},
};

/// The slots in which another part is than their ranks sent, as digits.
std::string changed_slots(const Parts& parts, const Bytes& all) {
  std::string changed;
  for (std::size_t slot = 0; slot != world; ++slot) {
    const auto part = std::span(all).subspan(slot * parts.bytes, parts.bytes);
    const auto sent = std::span(parts.sent).subspan(slot * parts.bytes, parts.bytes);
    if (!std::equal(part.begin(), part.end(), sent.begin())) changed += std::to_string(slot);
  }
  return changed;
}

/// What the ranks answer to what all of them see. A refusal names a slot that was changed. If a
/// rank refuses whose own part is there, all refuse, with the same error. A rank whose own part is
/// not there never answers anything but the truth.
void count_answers(const Gather& gather, const Parts& parts, const Bytes& all,
                   const std::vector<std::string>& truth, Outcomes& outcomes) {
  const std::string changed = changed_slots(parts, all);
  std::array<Answer, world> answers;
  const Answer* shared = nullptr;
  for (int rank = 0; rank != world; ++rank) {
    Answer& answer = answers[static_cast<std::size_t>(rank)];
    answer = gather.ask(Job::now, rank, collective_of(all));
    const bool is_changed = changed.find(static_cast<char>('0' + rank)) != std::string::npos;
    if (answer.is_refusal()) {
      ++outcomes.refused;
      EXPECT_NE(answer.subject.find_first_of(changed), std::string::npos) << answer.text;
      if (!is_changed) shared = &answer;
    } else if (answer.text == truth[static_cast<std::size_t>(rank)]) {
      ++outcomes.right;
    } else {
      ++outcomes.wrong;
      EXPECT_FALSE(is_changed) << "rank " << rank << ": " << answer.text;
    }
  }
  if (shared == nullptr) return;
  for (const Answer& answer : answers) {
    EXPECT_TRUE(answer.is_refusal()) << answer.text;
    if (shared->is_error) {
      EXPECT_EQ(answer.text, shared->text);
    }
  }
}

Parts parts_of(const Gather& gather) {
  return {gather.bytes, sent_by(gather, Job::now), sent_by(gather, Job::before),
          sent_by(gather, Job::other), sent_by(gather, Job::larger)};
}

std::vector<std::string> truth_of(const Gather& gather, const Parts& parts) {
  std::vector<std::string> truth;
  for (int rank = 0; rank != world; ++rank) {
    const Answer answer = gather.ask(Job::now, rank, collective_of(parts.sent));
    EXPECT_FALSE(answer.is_refusal()) << answer.text;
    truth.push_back(answer.text);
  }
  return truth;
}

Outcomes outcomes_of(void (*make)(const Parts&, const Visit&), const Gather& gather) {
  const Parts parts = parts_of(gather);
  const std::vector<std::string> truth = truth_of(gather, parts);
  Outcomes outcomes;
  make(parts, [&](const Bytes& all) { count_answers(gather, parts, all, truth, outcomes); });
  return outcomes;
}

TEST(GatherFaults, are_refused_or_do_no_harm) {
  for (const Fault& fault : faults) {
    for (std::size_t i = 0; i != std::size(gathers); ++i) {
      SCOPED_TRACE(std::string(fault.name) + ", " + std::string(gathers[i].name));
      EXPECT_EQ(outcomes_of(fault.make, gathers[i]), fault.expected[i]);
    }
  }
}

// A part that its rank sent once is a record like any other: its rank alone can tell.
TEST(GatherFaults, a_part_of_another_gather_is_refused_by_its_rank) {
  constexpr Outcomes expected[] = {{216, 0, 104}, {312, 0, 8}, {216, 4, 100}, {292, 0, 28}};
  for (std::size_t i = 0; i != std::size(gathers); ++i) {
    SCOPED_TRACE(gathers[i].name);
    EXPECT_EQ(outcomes_of(take_parts_of_other_gathers, gathers[i]), expected[i]);
  }
}

// The host of ranks 2 and 3 was m1 before. Ranks 0 and 1 cannot know that it is not any more.
TEST(GatherFaults, an_earlier_name_of_a_host_is_believed_by_others) {
  const Parts parts = parts_of(gathers[0]);
  Bytes all = parts.sent;
  for (const std::size_t slot : {2U, 3U}) parts.copy(parts.before, slot, all, slot);
  EXPECT_EQ(hosts(Job::now, 0, collective_of(all)).text,
            "0/4 local 0/2 node 0/2 on n0, 0 of n0, 1 of n0, 0 of m1, 1 of m1");
  EXPECT_EQ(hosts(Job::now, 2, collective_of(all)).text,
            "record of rank 2=\"a different one\": expected the one that rank 2 sent; see what the "
            "collective does with the bytes of this rank");
  // A collective that shows each rank its own part is not found out by anyone.
  EXPECT_EQ(hosts(Job::now, 2, collective_of(parts.sent)).text,
            "2/4 local 0/2 node 1/2 on n1, 0 of n0, 1 of n0, 0 of n1, 1 of n1");
}

// Each byte but the mark is under the toggle_mark, also where the records above have zeros.
TEST(GatherFaults, a_seal_shows_every_changed_bit) {
  std::array<std::byte, 256> good = {};
  for (std::size_t i = 0; i != good.size(); ++i) good[i] = static_cast<std::byte>(i * 7 + 1);
  for (std::size_t bit = 0; bit != 8 * good.size(); ++bit) {
    std::array<std::byte, 256> bytes = good;
    rankmap::detail::toggle_mark(bytes);
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    rankmap::detail::toggle_mark(bytes);
    EXPECT_FALSE(std::equal(bytes.begin(), bytes.begin() + 4, good.begin())) << bit;
  }
}

TEST(GatherFaults, what_the_collective_reports_is_not_lost) {
  for (const Gather& gather : gathers) {
    SCOPED_TRACE(gather.name);
    const Parts parts = parts_of(gather);
    const auto fails = [&](std::span<const std::byte>, std::span<std::byte> to) {
      std::copy(parts.sent.begin(), parts.sent.end(), to.begin());
      return false;
    };
    EXPECT_EQ(gather.ask(Job::now, 1, fails).subject, "all_gather");
    const auto throws = [](std::span<const std::byte>, std::span<std::byte>) -> bool {
      throw std::runtime_error("a rank died");
    };
    EXPECT_THROW((void)gather.ask(Job::now, 1, throws), std::runtime_error);
  }
}

}  // namespace
