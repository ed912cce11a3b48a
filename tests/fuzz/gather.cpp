// SPDX-License-Identifier: MIT
//
// What a collective brings: the records of a whole job, some of them damaged. Every rank holds the
// same bytes, so every rank must come to the same answer.
#include "fuzz.hpp"

#include <rankmap/topology/explain.hpp>
#include <rankmap/topology/gather_hosts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using rankmap::Result;
using rankmap::Topology;
using rankmap::detail::HostRecord;
using rankmap_fuzz::require;

void require_record(std::span<const std::byte> bytes) {
  HostRecord record;
  if (!HostRecord::read(bytes, record)) return;
  std::byte written[HostRecord::bytes] = {};
  record.write(written);
  require(std::memcmp(written, bytes.data(), sizeof written) == 0,
          "a record is written as it was read");
}

/// Where everyone is, by comparing everyone with everyone.
struct Places {
  std::vector<int> node_of_rank;
  std::vector<std::string> hosts;
};
Places find_slowly(const std::vector<HostRecord>& records, const std::vector<std::string>& names) {
  Places out;
  const bool numbered = std::all_of(records.begin(), records.end(),
                                    [](const HostRecord& r) { return r.node_rank >= 0; });
  std::vector<std::size_t> leaders;
  for (std::size_t rank = 0; rank != records.size(); ++rank) {
    const auto same = [&](std::size_t other) {
      return names[other] == names[rank] && records[other].identity == records[rank].identity &&
             (!numbered || records[other].node_rank == records[rank].node_rank);
    };
    const auto leader = std::find_if(leaders.begin(), leaders.end(), same);
    out.node_of_rank.push_back(static_cast<int>(leader - leaders.begin()));
    if (leader == leaders.end()) leaders.push_back(rank);
  }
  out.hosts.resize(leaders.size());
  for (std::size_t i = 0; i != leaders.size(); ++i) {
    const int node = numbered ? records[leaders[i]].node_rank : static_cast<int>(i);
    if (node >= static_cast<int>(leaders.size())) return {};
    out.hosts[static_cast<std::size_t>(node)] = names[leaders[i]];
  }
  for (std::size_t rank = 0; rank != records.size() && numbered; ++rank) {
    out.node_of_rank[rank] = records[rank].node_rank;
  }
  return out;
}

std::string shared_text(const Result<Topology>& result) {
  if (!result) return std::string(message(result.error()).view());
  std::string out(result->hosts().str().view());
  for (int rank = 0; rank != result->world_size(); ++rank) {
    const rankmap::Place place = result->layout()->place_of(rank);
    out += ' ' + std::to_string(place.node) + ':' + std::to_string(place.local);
  }
  return out;
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  Bytes bytes(input);
  const int world = bytes.in(1, 12);
  const bool numbered = bytes.in(0, 1) == 1;
  const bool local_known = bytes.in(0, 1) == 1;
  std::vector<HostRecord> records(static_cast<std::size_t>(world));
  std::vector<std::string> names(records.size());
  for (int rank = 0; rank != world; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    HostRecord& record = records[at];
    record.rank = rank;
    record.world_size = world;
    names[at] = "n" + std::to_string(bytes.in(0, 3));
    record.identity = static_cast<std::uint64_t>(bytes.in(0, 1));
    int local = 0;
    for (std::size_t other = 0; other != at; ++other) {
      local += names[other] == names[at] && records[other].identity == record.identity ? 1 : 0;
    }
    if (local_known) record.local_rank = local;
    if (numbered) record.node_rank = bytes.in(0, 3);
  }
  // A bare communicator where a rank's numbers are refused.
  std::vector<Result<Topology>> topologies;
  for (const HostRecord& record : records) {
    rankmap::Config config = {.rank = record.rank, .world_size = world};
    if (local_known) config.local_rank = record.local_rank;
    if (numbered) config.node_rank = record.node_rank;
    topologies.push_back(Topology::from_config(config));
  }
  const auto gathered = [&](std::size_t at, const auto& collective) {
    const rankmap::HostIdentity host(names[at], records[at].identity);
    return topologies[at] ? gather_hosts(*topologies[at], host, collective)
                          : rankmap::gather_hosts(static_cast<int>(at), world, host, collective);
  };
  std::vector<std::byte> all;
  for (std::size_t at = 0; at != records.size(); ++at) {
    (void)gathered(at, [&](std::span<const std::byte> mine, std::span<std::byte>) {
      all.insert(all.end(), mine.begin(), mine.end());
      return false;
    });
  }
  const auto slice = [](std::vector<std::byte>& bytes_of_all, std::size_t at) {
    return std::span(bytes_of_all).subspan(at * HostRecord::bytes, HostRecord::bytes);
  };
  rankmap::detail::toggle_marks(all, HostRecord::bytes);
  std::vector<std::byte> sent = all;
  for (std::size_t at = 0; at != records.size(); ++at) {
    require(HostRecord::read(slice(sent, at), records[at]), "a rank sends a record");
  }
  bool damaged = false;
  for (int patches = bytes.in(0, 20); patches != 0 && !bytes.empty(); --patches) {
    const std::size_t at = (std::size_t{bytes.byte()} * 256 + bytes.byte()) % all.size();
    all[at] = static_cast<std::byte>(bytes.byte());
    damaged = true;
  }
  for (int patches = bytes.in(0, 4); patches != 0 && !bytes.empty(); --patches) {
    const std::size_t record = bytes.byte() % records.size();
    const auto number = static_cast<std::size_t>(bytes.in(1, 6));  // behind the first four bytes
    const std::uint64_t value = bytes.word();
    for (std::size_t i = 0; i != 4; ++i) {
      all[record * HostRecord::bytes + 4 * number + i] = static_cast<std::byte>(value >> (8 * i));
    }
    damaged = true;
  }
  for (std::size_t i = 0; i != records.size(); ++i) {
    require_record(slice(all, i));
  }

  std::vector<bool> is_own(records.size());
  for (std::size_t at = 0; at != records.size(); ++at) {
    is_own[at] = std::ranges::equal(slice(sent, at), slice(all, at));
  }
  rankmap::detail::toggle_marks(all,
                                HostRecord::bytes);  // so that what is behind the seals is reached
  const auto collective = [&](std::span<const std::byte>, std::span<std::byte> out) {
    require(out.size() == all.size(), "the collective has room for every rank");
    std::memcpy(out.data(), all.data(), all.size());
  };
  std::optional<std::string> told;
  for (int rank = 0; rank != world; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const HeapBytes heap;
    const auto result = gathered(at, collective);
    require(heap.asked() <= std::size_t{1} << 16U, "memory is bounded by the job");
    const std::string text = shared_text(result);
    if (!is_own[at]) {
      require(!result, "a rank refuses what it did not send", text);
      const bool is_alone = result.error().subject == "record of rank " + std::to_string(rank) &&
                            result.error().found == "a different one";
      if (is_alone) continue;  // no other rank can see it
    }
    if (!told) told = text;
    require(text == *told, "every rank comes to the same answer", text);
    if (!result) {
      require_good_error(result.error(), 256);
      continue;
    }
    const auto place = result->layout()->place_of(rank);
    require(result->rank() == rank && result->world_size() == world, "a rank stays who it is");
    require(result->node_rank() == place.node, "a rank is where the layout has it");
    require(result->local_rank() == place.local || !result->warnings().empty(),
            "another local rank than that of the layout has a warning");
    require(result->host() == result->hosts()[static_cast<std::size_t>(place.node)].view(),
            "the own host is that of the own node");
    require(!explain(*result).cut(), "explain() tells it all");
    if (damaged) continue;
    const Places slow = find_slowly(records, names);
    for (int other = 0; other != world; ++other) {
      const auto node = slow.node_of_rank.at(static_cast<std::size_t>(other));
      require(result->layout()->node_of(other) == node, "ranks share the node of their host");
      require(result->host_of(other)->view() == slow.hosts.at(static_cast<std::size_t>(node)),
              "hosts are those of the ranks");
    }
  }
}
