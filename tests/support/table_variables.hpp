// SPDX-License-Identifier: MIT
//
// The names of all variables that the launcher table reads. One that ends in '_' goes on with a
// number. A form of names, as "VC_*_NUM", is none.
#ifndef RANKMAP_TESTS_SUPPORT_TABLE_VARIABLES_HPP
#define RANKMAP_TESTS_SUPPORT_TABLE_VARIABLES_HPP

#include <rankmap/launcher/launcher_row.hpp>
#include <rankmap/launcher/launcher_table.hpp>

#include <set>
#include <string_view>

namespace rankmap_test {

inline std::set<std::string_view> variables_of(const rankmap::LauncherRow& row) {
  std::set<std::string_view> out;
  for (const rankmap::VariableNames& list :
       {row.detect_any, row.require_all, row.require_any, row.exclude_any, row.block_index,
        row.block_count, row.all_blocks, row.host, row.hosts, row.job_id, row.step_id,
        row.restart_count, row.address, row.port, row.copied_if}) {
    out.insert(list.begin(), list.end());
  }
  for (const rankmap::ValueSource& source : {row.rank, row.world_size, row.local_rank,
                                             row.local_world_size, row.node_rank, row.node_count}) {
    out.insert(source.names.begin(), source.names.end());
    out.insert(source.key);
  }
  const auto checked = rankmap::variables_of(row.check);
  out.insert(checked.begin(), checked.end());
  out.insert({row.require_text.variable, row.role.variable, row.single_host_if, row.agent_store_if,
              row.caution.variable});
  if (row.group_names.find('*') == row.group_names.npos) out.insert(row.group_names);
  for (const rankmap::SameText& pair : row.unless_changed) {
    out.insert({pair.variable, pair.other});
  }
  out.erase(std::string_view());
  return out;
}

inline std::set<std::string_view> table_variables() {
  std::set<std::string_view> out;
  for (const rankmap::LauncherRow& row : rankmap::launchers) out.merge(variables_of(row));
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_TABLE_VARIABLES_HPP
