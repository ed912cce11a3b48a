/* SPDX-License-Identifier: MIT
 *
 * A C program under a real launcher: who it is, by rankmap.h. `check_printed.py` knows what it has
 * to say. */
#include <rankmap/rankmap.h>

#include <stdio.h>

int main(void) {
  rankmap_process me = RANKMAP_PROCESS_INIT;
  rankmap_error error = RANKMAP_ERROR_INIT;
  if (rankmap_from_environment(&me, RANKMAP_NEED_ALL, &error) != RANKMAP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  printf("rank %d of %d: local rank %d of %d on %s\n", me.rank, me.world_size, me.local_rank,
         me.local_world_size, me.host);
  return 0;
}
