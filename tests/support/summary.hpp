// SPDX-License-Identifier: MIT
//
// A topology or an error as one short text: a table of environments can have its answers in the
// same rows, and be checked at compile time and at run time.
#ifndef RANKMAP_TESTS_SUMMARY_HPP
#define RANKMAP_TESTS_SUMMARY_HPP

#include "constant_rows.hpp"

#include <rankmap/environment/environment.hpp>
#include <rankmap/identity/origin.hpp>
#include <rankmap/result.hpp>
#include <rankmap/topology/topology.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace rankmap_test {

/// Room for one message.
using Summary = rankmap::Message;

/// `torchrun 3/4 local 1/2 node 1/2; slurm nested`: launcher, rank of world, local rank of local
/// size, node of nodes ("?" where unknown), then every other record and its relation, then
/// "warning VARIABLE" for each warning. An error is its message.
constexpr Summary summary(const rankmap::Result<rankmap::Topology>& result) {
  if (!result) return message(result.error());
  const rankmap::Topology& topology = *result;
  Summary out;
  const auto number = [&](std::optional<int> value) {
    if (value) {
      out.append_number(*value);
    } else {
      out.append('?');
    }
  };
  out.append(name(topology.launcher())).append(' ');
  number(topology.rank());
  out.append('/');
  number(topology.world_size());
  out.append(" local ");
  number(topology.local_rank());
  out.append('/');
  number(topology.local_world_size());
  out.append(" node ");
  number(topology.node_rank());
  out.append('/');
  number(topology.node_count());
  for (const rankmap::OtherRecord& other : topology.other_records()) {
    out.append("; ").append(name(other.launcher)).append(' ').append(name(other.relation));
  }
  for (const rankmap::Warning& warning : topology.warnings()) {
    out.append("; warning ").append(warning.variable);
  }
  return out;
}

/// One row of a table: variables separated by '|', and the summary that they give.
struct Case {
  std::string_view variables;
  std::string_view expected;
  rankmap::Config config = {};
};

constexpr Summary summary_of(const Case& c) {
  return summary(rankmap::Topology::from_environment(rankmap::RecordedEnvironment(c.variables, '|'),
                                                     c.config));
}

/// Each row is a constant evaluation of its own, since compilers limit the steps of one.
template <const auto& Table, std::size_t I>
inline constexpr bool row_holds = summary_of(Table[I]).view() == Table[I].expected;
/// Whether the rows of a table of cases hold, as far as the compiler checks them.
template <const auto& Table>
inline constexpr bool cases_hold = constant_rows_hold<std::size(Table)>([](auto i) {
  return row_holds<Table, i>;
});

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUMMARY_HPP
