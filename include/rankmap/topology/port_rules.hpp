// SPDX-License-Identifier: MIT
// Named rules that compute a port from the numbers of a job and its step.
#ifndef RANKMAP_TOPOLOGY_PORT_RULES_HPP
#define RANKMAP_TOPOLOGY_PORT_RULES_HPP

#include <rankmap/version.hpp>

#include <cstdint>
#include <string_view>

namespace rankmap::inline v0 {

/// A rule that computes a port. `port(job, step)` returns 1 to 65535; `step` is 0 where there is
/// none. Your own rule is a PortRule too.
struct PortRule {
  std::string_view name;
  int (*port)(std::uint64_t job, std::uint64_t step);
};

/// rankmap's own rule, and those of other libraries under their names: a program can meet workers
/// that use one of them. The others ignore the step, so two steps of one job get the same port.
namespace port_rules {

/// 20000 to 29999, below Linux's ephemeral ports. Two steps of one job get different ports if their
/// numbers differ by less than 10000.
inline constexpr PortRule job_and_step = {
    "job_and_step", [](std::uint64_t job, std::uint64_t step) {
      return static_cast<int>(20000 + (job % 10000 + step % 10000 * 617) % 10000);
    }};
/// Lightning, pytorch-ignite: the last four digits of the job id + 15000.
inline constexpr PortRule lightning = {"lightning", [](std::uint64_t job, std::uint64_t) {
                                         return static_cast<int>(job % 10000 + 15000);
                                       }};
/// JAX under Slurm: job mod 4096 + 61440.
inline constexpr PortRule jax = {
    "jax", [](std::uint64_t job, std::uint64_t) { return static_cast<int>(job % 4096 + 61440); }};
/// enroot's PyTorch hook: job mod 4536 + 61000.
inline constexpr PortRule enroot = {"enroot", [](std::uint64_t job, std::uint64_t) {
                                      return static_cast<int>(job % 4536 + 61000);
                                    }};

}  // namespace port_rules

}  // namespace rankmap::inline v0

#endif  // RANKMAP_TOPOLOGY_PORT_RULES_HPP
