// SPDX-License-Identifier: MIT
//
// A host table as one short text, for tables of expected answers.
#ifndef RANKMAP_TESTS_SUPPORT_HOST_TABLE_HPP
#define RANKMAP_TESTS_SUPPORT_HOST_TABLE_HPP

#include <rankmap/hosts/host_name.hpp>
#include <rankmap/hosts/host_table.hpp>

#include <cstddef>
#include <string>

namespace rankmap_test {

/// "host:slots host:slots ... @own", with slots only where the source gives them.
inline std::string picture(const rankmap::HostTable& table) {
  std::string out;
  std::size_t i = 0;
  for (const rankmap::HostName& host : table.hosts()) {
    if (i != 0) out += ' ';
    out += host.view();
    if (const auto slots = table.slots(i)) out += ":" + std::to_string(*slots);
    ++i;
  }
  if (table.own_index()) out += " @" + std::to_string(*table.own_index());
  return out;
}

}  // namespace rankmap_test

#endif  // RANKMAP_TESTS_SUPPORT_HOST_TABLE_HPP
