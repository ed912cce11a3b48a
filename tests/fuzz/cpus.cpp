// SPDX-License-Identifier: MIT
//
// Lists and masks of processors, against sets that are filled one number at a time.
#include "fuzz.hpp"

#include <rankmap/device/cpu_affinity.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using rankmap::CpuSet;
using rankmap::Result;
using rankmap_fuzz::require;

std::vector<int> members(const CpuSet& cpus) {
  std::vector<int> out;
  for (int cpu = cpus.next(0); cpu != -1;
       cpu = cpu + 1 < CpuSet::capacity ? cpus.next(cpu + 1) : -1) {
    out.push_back(cpu);
  }
  require(static_cast<int>(out.size()) == cpus.size(), "a set has as many as it visits");
  return out;
}

/// Runs of two or more with a '-': what to_string() writes, without its limit.
std::string written(const std::vector<int>& cpus) {
  std::string out;
  for (auto it = cpus.begin(); it != cpus.end();) {
    const int first = *it;
    int last = first;
    for (++it; it != cpus.end() && *it == last + 1; ++it) last = *it;
    if (!out.empty()) out += ',';
    out += std::to_string(first);
    if (last != first) out += '-' + std::to_string(last);
  }
  return out;
}

void require_sound(const Result<CpuSet>& cpus, std::string_view text) {
  if (!cpus) {
    rankmap_fuzz::require_good_error(cpus.error(), text.size());
    return;
  }
  const auto set = members(*cpus);
  require(set.empty() || (set.front() >= 0 && set.back() < CpuSet::capacity),
          "processors have numbers below the capacity", text);
  const auto list = to_string(*cpus);
  const std::string whole = written(set);
  require(list.view() == whole.substr(0, 255), "a set is written as a list", text);
  const auto back = rankmap::parse_cpu_list(whole);
  require(back && *back == *cpus, "a list reads back as the set", whole);
}

}  // namespace

std::vector<std::string> rankmap_fuzz::line_heads() { return {}; }

void rankmap_fuzz::run(std::string_view input) {
  if (input.size() > 4096) return;
  const HeapBytes heap;
  const auto list = rankmap::parse_cpu_list(input);
  const auto mask = rankmap::parse_cpu_mask(input);
  const auto first = rankmap::slurm_task_cpu_mask(input, rankmap::LocalRank(0));
  const auto far = rankmap::slurm_task_cpu_mask(input, rankmap::LocalRank(2147483647));
  require(heap.asked() == 0, "sets of processors take no memory");
  require_sound(list, input);
  require_sound(mask, input);
  require_sound(first, input);
  require_sound(far, input);
  if (mask && input.find_first_not_of("0123456789abcdefABCDEFx") == std::string_view::npos &&
      !input.empty()) {
    require(first && *first == *mask, "a single mask is that of every task", input);
    require(far && *far == *mask, "a single mask is that of every task", input);
  }
  if (!list || list->empty()) return;
  CpuSet all;
  const int workers = (std::min)(3, list->size());
  for (int local = 0; local != workers; ++local) {
    const auto share = rankmap::cpu_share(*list, rankmap::LocalRank(local), workers);
    require(share.has_value() && !share->empty(), "every worker has a processor", input);
    require((all & *share).empty(), "workers share no processor", input);
    all = all | *share;
  }
  require(all == *list, "the shares are all processors", input);
}
