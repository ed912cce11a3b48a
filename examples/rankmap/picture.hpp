// SPDX-License-Identifier: MIT
//
// The nodes of a job with their ranks, devices and NICs as a picture, and what is wrong in red.
#ifndef RANKMAP_EXAMPLES_RANKMAP_PICTURE_HPP
#define RANKMAP_EXAMPLES_RANKMAP_PICTURE_HPP

#include <rankmap/draw.hpp>
#include <rankmap/hosts.hpp>
#include <rankmap/job.hpp>
#include <rankmap/layout.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace program {

// A name as a list of hosts can have it: one that is none would leave all others without theirs.
inline std::string listed_name(std::string_view host) {
  std::string name(host.empty() ? "unknown" : host);
  for (char& c : name) {
    if (!rankmap::HostList::from_names(std::array{std::string_view(&c, 1)})) c = '?';
  }
  return name;
}

// One SVG document; nothing if there is no rank, or if the world is larger than `most`. Of several
// jobs the one with most records is drawn. Ranks without a record are on a node of their own.
inline std::optional<std::string> draw_job(const rankmap::JobTable& table,
                                           const rankmap::Findings& findings) {
  constexpr int most = 1 << 20;
  using rankmap::JobRecord;
  const rankmap::JobRows rows = table.rows();
  std::map<std::string_view, std::size_t> jobs;
  for (const JobRecord& record : rows) ++jobs[record.job];
  std::string_view largest;
  for (const auto& [job, count] : jobs) {
    if (largest.data() == nullptr || count > jobs[largest]) largest = job;
  }
  // Unless the ids are what is wrong.
  const bool is_one_world = findings.find(rankmap::FindingKind::job_ids_differ) != nullptr;
  std::vector<const JobRecord*> ranks;
  for (const JobRecord& record : rows) {
    if ((record.job != largest && !is_one_world) || record.world_size > most) continue;
    if (static_cast<std::size_t>(record.world_size) > ranks.size()) {
      ranks.resize(static_cast<std::size_t>(record.world_size));
    }
    if (ranks[static_cast<std::size_t>(record.rank)] == nullptr) {
      ranks[static_cast<std::size_t>(record.rank)] = &record;
    }
  }
  if (ranks.empty()) return std::nullopt;

  // Nodes by their first ranks, with the names of their hosts.
  std::map<std::tuple<std::uint64_t, std::string_view, int>, int> numbers;
  std::vector<int> nodes;
  rankmap::HostListBuilder names;
  int missing = -1;
  for (const JobRecord* const record : ranks) {
    const int next = static_cast<int>(numbers.size()) + (missing < 0 ? 0 : 1);
    if (record == nullptr) {
      if (missing < 0) names.add("no-record");
      missing = missing < 0 ? next : missing;
      nodes.push_back(missing);
      continue;
    }
    const auto [place, is_new] =
        numbers.emplace(std::tuple(record->boot, record->host.view(), record->node_rank), next);
    if (is_new) names.add(listed_name(record->host));
    nodes.push_back(place->second);
  }
  const auto layout = rankmap::Layout::from_nodes(nodes);
  if (!layout) return std::nullopt;
  const auto hosts = names.finish();

  const auto device_of = [&](int rank) {
    const JobRecord* const record = ranks[static_cast<std::size_t>(rank)];
    std::string text = "?";
    if (record != nullptr && record->device.is_known) {
      text = name(record->device.kind);
      if (record->device.index >= 0) text += ':' + std::to_string(record->device.index);
    }
    if (record != nullptr && !record->nic.empty()) {
      text += ' ';
      text += record->nic.view();
    }
    return text;
  };
  const auto mark_of = [&](int rank) -> std::string_view {
    const rankmap::Finding* const finding = findings.about(rank);
    const bool is_bad = finding != nullptr && finding->severity != rankmap::Severity::note;
    return is_bad ? name(finding->kind) : std::string_view();
  };
  const auto local_of = [&](int rank) {
    const JobRecord* const record = ranks[static_cast<std::size_t>(rank)];
    return record != nullptr ? record->local_rank : -1;
  };
  std::string out;
  rankmap::DrawNodesOptions options;
  if (hosts) options.hosts = &*hosts;
  options.max_nodes = 4096;
  options.max_ranks = 4096;
  draw_nodes(
      *layout, [&out](std::string_view piece) { out += piece; }, options, device_of, mark_of,
      local_of);
  out.insert(out.rfind("</svg>"), "<style>.rankmap .p{stroke:#cf222e}</style>\n");
  return out;
}

// A page of HTML that needs no other file: the findings as the table has them, and the picture.
inline std::string html_page(std::string_view picture, std::string_view text) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>rankmap</title>\n<style>pre{overflow-x:auto}svg{max-width:100%;height:auto}</style>"
      "</head>\n<body>\n<pre>";
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out.append("</pre>\n").append(picture).append("</body></html>\n");
}

}  // namespace program

#endif  // RANKMAP_EXAMPLES_RANKMAP_PICTURE_HPP
