// SPDX-License-Identifier: MIT
// How Slurm spells a binding of GPUs to tasks, and a request that implies one.
#ifndef RANKMAP_DEVICE_DETAIL_GPU_BINDING_HPP
#define RANKMAP_DEVICE_DETAIL_GPU_BINDING_HPP

#include <rankmap/detail/list_entries.hpp>
#include <rankmap/detail/parse_number.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankmap::inline v0::detail {

struct GpuBinding {
  enum class Is : std::uint8_t {
    absent,    ///< no binding of GPUs
    none,      ///< every task gets all of them
    per_task,  ///< `count` for each task, no two the same
    // A task whose entry of a list names no GPU of the job gets the first GPU, which another task
    // has, too. And only some tasks can see which GPUs the job has.
    chosen,  ///< some for each task, by lists (map, mask), closest, or in a way not known here. By
             ///< `single`, one for each task, and `count` tasks on one
  };
  Is is = Is::absent;
  std::uint64_t count = 0;  ///< 0: not known
};

/// The part of `gres/gpu:per_task:1+gres/nic:closest` that is about GPUs, without the resource.
constexpr std::string_view gpu_part(std::string_view bindings) {
  for (ListEntries parts(bindings, '+'); parts.next();) {
    const std::string_view part = parts.text();
    for (const std::string_view resource : {"gpu:", "gres/gpu:"}) {
      if (part.substr(0, resource.size()) == resource) return part.substr(resource.size());
    }
  }
  return {};
}

/// A binding as --gpu-bind has it: `verbose,per_task:1`. A number that cannot be read is 0.
RANKMAP_RARE constexpr GpuBinding gpu_binding(std::string_view text) {
  for (const std::string_view word : {"verbose,", "v,"}) {
    if (text.substr(0, word.size()) == word) text.remove_prefix(word.size());
  }
  if (text.empty()) return {};
  const auto [type, rest] = split_at(text, ':');
  const Number number = parse_number(rest.value_or(""));
  using Is = GpuBinding::Is;
  if (type == "none") return {Is::none, 0};
  if (type == "per_task" && number.value != 0) return {Is::per_task, number.value};
  return {Is::chosen, type == "single" ? number.value : 0};
}

/// How many GPUs one of Slurm's requests (`cpu=2,gres/gpu:a100=1`, `a100:1,v100:2`, `1`) is for.
/// `resource`: the name of GPUs in it; empty if the request is for GPUs alone.
RANKMAP_RARE constexpr std::uint64_t requested_gpus(std::string_view request,
                                                    std::string_view resource) {
  std::uint64_t typed = 0;
  for (ListEntries entries(request); entries.next();) {
    std::string_view entry = entries.text();
    if (entry.substr(0, resource.size()) != resource) continue;
    entry.remove_prefix(resource.size());
    if (!resource.empty() && entry.find_first_of(":=") != 0) continue;
    const std::size_t mark = entry.find_last_of(":=");
    const Number number = parse_number(entry.substr(mark + 1));
    if (!number) continue;
    const bool is_total = mark == (resource.empty() ? std::string_view::npos : 0);
    if (is_total) return number.value;
    typed += number.value;
  }
  return typed;
}

}  // namespace rankmap::inline v0::detail

#endif  // RANKMAP_DEVICE_DETAIL_GPU_BINDING_HPP
