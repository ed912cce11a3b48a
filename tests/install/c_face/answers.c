/* SPDX-License-Identifier: MIT
 *
 * As C11 and later, and as C++11 and later: for each file of variables, NAME=value a line, what
 * rankmap.h says of a process with them as its own environment; then a shard and a shuffle.
 * Prints what expected.cpp prints. */
#if !defined(__cplusplus)
#define _POSIX_C_SOURCE 200809L
#endif
#include <rankmap/rankmap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char** environ;

/* Makes the variables of a file the environment. They stay for as long as the program runs. */
static int take_environment(const char* name) {
  static char text[1 << 20];
  static char* variables[4096];
  FILE* file = fopen(name, "rb");
  size_t size;
  size_t count = 0;
  char* line;
  if (file == NULL) return 0;
  size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  for (line = strtok(text, "\n"); line != NULL && count < 4095; line = strtok(NULL, "\n")) {
    variables[count++] = line;
  }
  variables[count] = NULL;
  environ = variables;
  return 1;
}

static void print_process(const char* file) {
  rankmap_process me = RANKMAP_PROCESS_INIT;
  rankmap_error error = RANKMAP_ERROR_INIT;
  if (!take_environment(file)) {
    printf("cannot read %s\n", file);
  } else if (rankmap_from_environment(&me, RANKMAP_NEED_LOCAL, &error) != RANKMAP_OK) {
    printf("%s\n", error.text);
  } else {
    printf("%d of %d, local %d of %d, node %d of %d, by %s\n", me.rank, me.world_size,
           me.local_rank, me.local_world_size, me.node_rank, me.node_count, me.launcher);
  }
}

static void print_samples(int shuffle) {
  rankmap_sampler sampler = RANKMAP_SAMPLER_INIT;
  uint64_t samples[4];
  uint64_t i;
  int rank = 0;
  char state[RANKMAP_STATE_SIZE];
  sampler.dataset_size = 10;
  sampler.world_size = 3;
  sampler.seed = 42;
  sampler.shuffle = shuffle;
  for (sampler.rank = 0; sampler.rank != 3; ++sampler.rank) {
    if (rankmap_sampler_fill(&sampler, 0, 4, samples, NULL) != RANKMAP_OK) return;
    for (i = 0; i != 4; ++i) printf("%d ", (int)samples[i]);
  }
  sampler.rank = 0;
  if (rankmap_sampler_owner(&sampler, 7, &rank, &i, NULL) != RANKMAP_OK) return;
  if (rankmap_sampler_save(&sampler, 2, state, NULL) != RANKMAP_OK) return;
  printf("7: %d\n%s\n", rank, state);
}

int main(int count, char** files) {
  int i;
  for (i = 1; i < count; ++i) print_process(files[i]);
  print_samples(0);
  print_samples(1);
  printf("%s\n", rankmap_version());
  return 0;
}
