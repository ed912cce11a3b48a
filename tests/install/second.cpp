// SPDX-License-Identifier: MIT
//
// A second translation unit of the same program: it links only while every definition is inline.
#include <rankmap/rankmap.hpp>

rankmap::Version (*second_unit())();
rankmap::Version (*second_unit())() {
  return [] { return rankmap::version; };
}

auto second_reader() {
  return static_cast<rankmap::Result<rankmap::Topology> (*)(const rankmap::Config&)>(
      &rankmap::Topology::from_environment);
}
