// SPDX-License-Identifier: MIT
// Which CPUs are mine: sets of CPUs in the kernel's two spellings, the share of a local rank, and
// torchrun's rule for OMP_NUM_THREADS. Reads no file and binds nothing.
#ifndef RANKMAP_DEVICE_CPU_AFFINITY_HPP
#define RANKMAP_DEVICE_CPU_AFFINITY_HPP

#include <rankmap/detail/ascii.hpp>
#include <rankmap/detail/check_rank.hpp>
#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/optional.hpp>
#include <rankmap/detail/parse_number.hpp>
#include <rankmap/device/detail/cpu_text.hpp>
#include <rankmap/device/ids.hpp>
#include <rankmap/environment/environment.hpp>
#include <rankmap/result.hpp>
#include <rankmap/static_string.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rankmap::inline v0 {

/// A set of CPUs by number, 0 to 8191 (the maximum of Linux). 1 KiB, without allocation.
class CpuSet {
 public:
  static constexpr int capacity = detail::cpu_capacity;

  /// Precondition of both: 0 <= cpu < capacity. O(1).
  constexpr void insert(int cpu) { words_[word(cpu)] |= bit(cpu); }
  constexpr bool contains(int cpu) const { return (words_[word(cpu)] & bit(cpu)) != 0; }

  /// How many. O(capacity / 64).
  constexpr int size() const {
    int count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return count;
  }
  constexpr bool empty() const { return next(0) < 0; }
  /// The lowest CPU that is not below `from`, or -1; to visit all of them. O(distance).
  constexpr int next(int from) const {
    for (int cpu = from < 0 ? 0 : from; cpu < capacity; cpu = (cpu | 63) + 1) {
      const std::uint64_t rest = words_[word(cpu)] >> (static_cast<unsigned>(cpu) % 64);
      if (rest != 0) return cpu + std::countr_zero(rest);
    }
    return -1;
  }

  /// Those in both sets, and those in either. O(capacity / 64).
  friend constexpr CpuSet operator&(CpuSet a, const CpuSet& b) {
    for (std::size_t i = 0; i != word_count; ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  friend constexpr CpuSet operator|(CpuSet a, const CpuSet& b) {
    for (std::size_t i = 0; i != word_count; ++i) a.words_[i] |= b.words_[i];
    return a;
  }
  friend constexpr bool operator==(const CpuSet&, const CpuSet&) = default;

 private:
  friend constexpr Result<CpuSet> parse_cpu_mask(std::string_view text, std::string_view subject);

  static constexpr std::size_t word_count = static_cast<std::size_t>(capacity) / 64;
  static constexpr std::size_t word(int cpu) { return static_cast<std::size_t>(cpu) / 64; }
  static constexpr std::uint64_t bit(int cpu) {
    return std::uint64_t{1} << (static_cast<unsigned>(cpu) % 64);
  }
  std::uint64_t words_[word_count] = {};
};

/// The set that a list spells: `0-3,8`, as in /sys/devices/system/node/node0/cpulist,
/// Cpus_allowed_list, cpuset.cpus and taskset -c; `0-14:2` is every second one.
///
/// `text`: up to 64 KiB; blanks and line ends around entries and empty entries are ignored; an
/// empty text is the empty set. `subject`: the name of the text in an error. Errors: not_a_number
/// (with the byte), out_of_range (a range from high to low, a stride of 0), number_too_large (8192
/// and above), limit_exceeded (the length). O(length + CPUs). Source: cpuset(7), "List format".
constexpr Result<CpuSet> parse_cpu_list(std::string_view text,
                                        std::string_view subject = "cpu list") {
  if (const auto error = detail::cpu_text_too_long(text, subject)) return *error;
  CpuSet cpus;
  for (detail::ListEntries entries(text); entries.next();) {
    const std::string_view entry = detail::trimmed(entries.text());
    if (entry.empty()) continue;
    const auto [low, rest] = detail::split_at(entry, '-');
    const auto [high, step] = detail::split_at(rest.value_or(low), ':');
    const detail::Number first = detail::parse_number(low);
    const detail::Number last = detail::parse_number(high);
    const detail::Number stride = detail::parse_number(step.value_or("1"));
    const auto failed = [&](Errc code, std::string_view expected) {
      return detail::error_at(code, subject, text, expected, "correct the list", entries.begin());
    };
    for (const detail::Number& number : {first, last, stride}) {
      if (!number && number.state != detail::NumberState::too_large) {
        return failed(Errc::not_a_number, "numbers and ranges such as 0-3,8");
      }
      if (!number || number.value >= std::uint64_t{CpuSet::capacity}) {
        return failed(Errc::number_too_large, "CPUs below 8192");
      }
    }
    if (last.value < first.value || stride.value == 0) {
      return failed(Errc::out_of_range, "a range from low to high, with a stride of 1 or more");
    }
    for (std::uint64_t cpu = first.value; cpu <= last.value; cpu += stride.value) {
      cpus.insert(static_cast<int>(cpu));
    }
  }
  return cpus;
}

/// The set that a hexadecimal mask spells: `ff`, the kernel's 32-bit words with the highest first
/// (`ffffffff,00000006`, as in cpumap, local_cpus and Cpus_allowed), hwloc's (`0xffffffff,,0x6`: an
/// empty word is zero) and taskset's (`0xffffffff00000006`).
///
/// `text`: up to 64 KiB; "0x" is optional. A list of masks with more than 8 digits is Slurm's, for
/// slurm_task_cpu_mask. Errors: not_a_number (with the byte), number_too_large (CPUs 8192 and
/// above), limit_exceeded (the length). O(length). Source: cpuset(7), "Mask format".
constexpr Result<CpuSet> parse_cpu_mask(std::string_view text,
                                        std::string_view subject = "cpu mask") {
  CpuSet cpus;
  const auto error = detail::read_mask(text, 0, text.size(), subject, cpus.words_);
  if (error) return *error;
  return cpus;
}

/// The mask of one task in Slurm's list of masks (`SLURM_CPU_BIND_LIST`, `--cpu-bind=mask_cpu:`):
/// `0xfe,0xfe00` gives task 1 the CPUs 9 to 15. A list that is too short is repeated, and
/// `mask*count` means count times the same mask.
///
/// Every task has the same list, so each knows the CPUs of all, and a bad mask is the same error on
/// each. The variable has masks only if SLURM_CPU_BIND_TYPE is `mask_cpu:`; with `map_cpu:` it has
/// the numbers of CPUs. `local_rank`: 0 or more. Errors: out_of_range (the local rank; a count of
/// 0), and those of parse_cpu_mask. O(length). Source: srun(1), --cpu-bind.
constexpr Result<CpuSet> slurm_task_cpu_mask(std::string_view masks, LocalRank local_rank,
                                             std::string_view subject = "SLURM_CPU_BIND_LIST") {
  if (local_rank.value < 0) {
    return detail::out_of_range("local rank", local_rank.value, "0 or more", "pass the local rank");
  }
  detail::CountedMask entry;
  std::uint64_t total = 0;
  for (detail::ListEntries entries(masks); entries.next(); total += entry.count) {
    const std::size_t at = entries.begin();
    entry = detail::counted_mask(entries.text());
    const auto error = detail::read_mask(masks, at, at + entry.mask.size(), subject, {});
    if (error) return *error;
    if (entry.count == 0) {
      return detail::error_at(Errc::out_of_range, subject, masks,
                              "counts from 1 to 1000000 after '*'", "correct the count", at);
    }
  }
  std::uint64_t n = static_cast<std::uint64_t>(local_rank.value) % total;
  for (detail::ListEntries entries(masks); entries.next(); n -= entry.count) {
    entry = detail::counted_mask(entries.text());
    if (n < entry.count) break;
  }
  return parse_cpu_mask(entry.mask, subject);
}

namespace detail {

constexpr Optional<Error> check_local_rank(LocalRank rank, int local_world_size) {
  return check_rank(rank.value, local_world_size,
                    {"local_rank", "local_world_size", "pass the local rank, counted from 0"});
}

/// The part of `all` that belongs to the nth of `size`, each of which is called `owner`.
/// `subject`: what `all` is called where those are too few. Precondition: 0 <= nth < size.
constexpr Result<CpuSet> nth_share(const CpuSet& all, int nth, int size, std::string_view owner,
                                   std::string_view subject, std::string_view remedy) {
  const int total = all.size();
  if (total < size) {
    return error_at(Errc::not_enough_devices, subject, concat(total),
                    concat(size, " or more, one for each ", owner), remedy);
  }
  const int each = total / size;
  const int longer = total % size;  // this many get one more
  int before = each * nth + (nth < longer ? nth : longer);
  int mine = each + (nth < longer ? 1 : 0);
  CpuSet share;
  for (int cpu = all.next(0); cpu >= 0 && mine != 0; cpu = all.next(cpu + 1)) {
    if (before-- > 0) continue;
    share.insert(cpu);
    --mine;
  }
  return share;
}

}  // namespace detail

/// The part of `available` for a local rank: contiguous by CPU, the remainder to the first ranks.
///
/// `available`: what this job may use, such as Cpus_allowed_list; all processes must pass the same.
/// `local_world_size`: 1 or more. The shares are disjoint, and together all of `available`. Cores
/// and caches are not considered: core_share gives whole cores. Errors: out_of_range (the rank or
/// the size), not_enough_devices (fewer CPUs than processes). O(capacity). Source: torch.numa's
/// "exclusive" rule.
constexpr Result<CpuSet> cpu_share(const CpuSet& available, LocalRank local_rank,
                                   int local_world_size) {
  if (const auto bad = detail::check_local_rank(local_rank, local_world_size)) return *bad;
  return detail::nth_share(
      available, local_rank.value, local_world_size, "local process", "available CPUs",
      "start fewer processes, or give them more CPUs; in the program, do not bind them");
}

/// The NUMA node that holds all of `cpus`: an index into `nodes` (the cpulist of each node), or -1,
/// "not known" and never node 0: on several nodes, on none, or no CPUs. O(nodes * capacity / 64).
constexpr int numa_node_of(const CpuSet& cpus, std::span<const CpuSet> nodes) {
  if (cpus.empty()) return -1;
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    if ((cpus & nodes[i]) == cpus) return static_cast<int>(i);
  }
  return -1;
}

/// The value that torchrun would give OMP_NUM_THREADS: 1 for more than one process on the node, if
/// it is not set (empty is set); else nothing. O(environment). Source: torch/distributed/run.py.
template <Environment Env>
constexpr std::optional<int> torchrun_omp_num_threads(const Env& env, int local_world_size) {
  if (local_world_size > 1 && !env("OMP_NUM_THREADS")) return 1;
  return std::nullopt;
}

/// How many threads a process may start if nothing binds it: CPUs (0 or more) divided by processes
/// (1 or more), rounded down, at least 1. O(1). Source: accelerate's PartialState.
constexpr int threads_per_process(int cpus, int local_world_size) {
  return cpus / local_world_size > 1 ? cpus / local_world_size : 1;
}

/// The set as a list, "0-3,8", as parse_cpu_list reads it; cut() after 255 bytes. O(capacity).
constexpr StaticString<255> to_string(const CpuSet& cpus) {
  StaticString<255> out;
  for (int first = cpus.next(0); first >= 0;) {
    int last = first;
    while (last + 1 < CpuSet::capacity && cpus.contains(last + 1)) ++last;
    if (!out.empty()) out.append(',');
    out.append_number(first);
    if (last != first) out.append('-').append_number(last);
    first = cpus.next(last + 1);
  }
  return out;
}

}  // namespace rankmap::inline v0

#endif  // RANKMAP_DEVICE_CPU_AFFINITY_HPP
