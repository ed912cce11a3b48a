// SPDX-License-Identifier: MIT
#include "identity.hpp"

#include <rankmap/topology/topology.hpp>

#include <string>

const char* find_identity(Identity& out) {
  const auto me = rankmap::Topology::from_environment();
  if (!me) {
    static std::string text;
    text = message(me.error()).c_str();
    return text.c_str();
  }
  out = {me->rank(), me->world_size(), me->local_rank()};
  return nullptr;
}
