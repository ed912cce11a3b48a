// SPDX-License-Identifier: MIT
#include <rankmap/rankmap.h>

#include <cstdio>

static_assert(__cplusplus < 201402L, "this file stands for one that cannot be raised");

int main() {
  rankmap_process me = RANKMAP_PROCESS_INIT;
  rankmap_error error = RANKMAP_ERROR_INIT;
  if (rankmap_from_environment(&me, RANKMAP_NEED_ALL, &error) != RANKMAP_OK) {
    std::printf("%s\n", error.text);
    return 1;
  }
  std::printf("rank %d of %d\n", me.rank, me.world_size);
  return 0;
}
