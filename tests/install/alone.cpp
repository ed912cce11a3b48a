// SPDX-License-Identifier: MIT
//
// What a project builds that asks for rankmap in one way or another: whether it is found and linked
// shows in any program, and this one takes a third of the time of main.cpp. That every header is
// there is package/header_list's.
#include <rankmap/identity.hpp>

#include <cstdio>

int main() {
  const auto me = rankmap::Identity::from_environment();
  if (!me) {
    std::printf("%s\n", message(me.error()).c_str());
    return 1;
  }
  std::printf("rank %d of %d\n", me->rank().value_or(-1), me->world_size().value_or(-1));
  return 0;
}
