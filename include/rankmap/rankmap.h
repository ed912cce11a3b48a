/* SPDX-License-Identifier: MIT
 *
 * rankmap for C, for C++ before C++20, and for every language that can call C: who this process is,
 * which device is its own, which samples it reads.
 *
 * Any file includes this header, as C11 or C++11 and later. One C++20 file of the program has the
 * functions:
 *
 *     #define RANKMAP_IMPLEMENTATION
 *     #include <rankmap/rankmap.h>
 *
 * What holds for every function:
 * - It returns RANKMAP_OK, which is 0, or the code of an error, whose text is in `error`. `error`
 *   may be null. On an error nothing else is written, where nothing else is said.
 * - Texts that are passed in end with a zero byte and are not kept. Texts that come out are in the
 *   caller's own memory and end with a zero byte. Nothing has to be freed.
 * - There is no state but the file that RANKMAP_LAUNCHERS names, which is read once: it may be
 *   called from any thread, as long as no other thread changes the environment or the arguments.
 * - A text about the environment says what to do in the words of C++: Config::rank is the member
 *   `rank` that rankmap_from_values takes. The other texts say it in those of this header.
 * - `struct_size` is the first member of every struct, and the caller sets it to the size of the
 *   struct as he knows it, which RANKMAP_..._INIT does. So a program and a library of two versions
 *   agree: members that a program does not know are not written.
 * - In numbers of a process -1 means not known.
 */
#ifndef RANKMAP_RANKMAP_H
#define RANKMAP_RANKMAP_H

#include <stddef.h>
#include <stdint.h>

/* What stands before each function: for a shared library on Windows, define it before. */
#ifndef RANKMAP_API
#define RANKMAP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---------------------------------------------------------------------------------- */

/* What went wrong. A code keeps its number for ever. */
enum {
  RANKMAP_OK = 0,
  RANKMAP_NOT_A_NUMBER = 1,        /* text that had to be a decimal number is not */
  RANKMAP_NUMBER_TOO_LARGE = 2,    /* a number beyond what its field can hold */
  RANKMAP_OUT_OF_RANGE = 3,        /* a number outside the range that its field or another sets */
  RANKMAP_MISSING = 4,             /* a value that is needed, and that nobody says */
  RANKMAP_INCONSISTENT = 5,        /* two values of one record cannot both be true */
  RANKMAP_CONFLICT = 6,            /* two sources disagree, and strictness is asked for */
  RANKMAP_AMBIGUOUS = 7,           /* the environment allows more than one reading */
  RANKMAP_UNKNOWN_LAUNCHER = 8,    /* the launcher that RANKMAP_LAUNCHER names left no record */
  RANKMAP_BAD_HOST_LIST = 9,       /* a host list that does not follow its grammar */
  RANKMAP_BAD_TASK_COUNTS = 10,    /* a tasks-per-node text that does not follow its grammar */
  RANKMAP_BAD_ENDPOINT = 11,       /* an address, port or endpoint that cannot be used */
  RANKMAP_BAD_JSON = 12,           /* JSON outside the strict subset */
  RANKMAP_BAD_FILE = 13,           /* a file that is missing or not in its format */
  RANKMAP_LIMIT_EXCEEDED = 14,     /* input larger than the stated bound */
  RANKMAP_BAD_LAYOUT = 15,         /* ranks and nodes that do not form a layout */
  RANKMAP_DUPLICATE_PLACE = 16,    /* two ranks claim the same place */
  RANKMAP_GATHER_FAILED = 17,      /* a collective failed */
  RANKMAP_NO_DEVICE = 18,          /* no device where one was needed */
  RANKMAP_NOT_ENOUGH_DEVICES = 19, /* fewer devices than local processes */
  RANKMAP_BAD_DEVICE_LIST = 20,    /* a visibility variable that its vendor would not accept */
  RANKMAP_BAD_AXIS = 21,           /* a mesh axis that cannot be used */
  RANKMAP_BAD_DOMAIN = 22,         /* a text that does not say which domain a node is in */
  RANKMAP_NOT_ENOUGH_NODES = 23,   /* fewer nodes than are needed */
  RANKMAP_BAD_SAMPLER = 24,        /* saved state that does not fit */
  RANKMAP_BAD_LAUNCHER = 25        /* a declared launcher that does not follow the form */
};

/* An error. `text` is one line of printable ASCII: the variable or argument, the text found, what
 * was expected, and what to do. A call that succeeds leaves it as it is, but for the three that
 * find a process: they empty it, and rankmap_from_environment and rankmap_from_variables may put a
 * warning there. */
typedef struct rankmap_error {
  int struct_size;
  int code;
  char text[1024];
} rankmap_error;
/* clang-format off */
#define RANKMAP_ERROR_INIT \
  { sizeof(rankmap_error), RANKMAP_OK, {0} }
/* clang-format on */

/* The name of a code, "out_of_range"; "ok" for 0 and "unknown" for any other number. It lives as
 * long as the program. O(1). */
RANKMAP_API const char* rankmap_error_name(int code);

/* The version of rankmap that the functions are from: "0.1.0". It lives as long as the program. */
RANKMAP_API const char* rankmap_version(void);

/* ---- who this process is --------------------------------------------------------------------- */

/* What a program cannot do without. Anything else may be -1. */
enum {
  RANKMAP_NEED_PROCESS = 0, /* rank and world size */
  RANKMAP_NEED_LOCAL = 1,   /* the local rank */
  RANKMAP_NEED_ALL = 2,     /* rank, world size and local rank */
  RANKMAP_NEED_HINT = 3     /* nothing: whatever is certain; the environment is never an error */
};

/* One process of a job. */
typedef struct rankmap_process {
  int struct_size;
  int rank;             /* in the job: 0 <= rank < world_size */
  int world_size;       /* processes of the job: 1 and more */
  int local_rank;       /* on its node: 0 <= local_rank < local_world_size */
  int local_world_size; /* processes of its node */
  int node_rank;        /* of its node: 0 <= node_rank < node_count */
  int node_count;       /* nodes of the job, as its launcher counts them */
  char launcher[24];    /* "slurm", "torchrun", "open_mpi", ...; "none": none is known */
  char host[256];       /* this machine, by its own name; empty where that is not known */
} rankmap_process;
/* clang-format off */
#define RANKMAP_PROCESS_INIT \
  { sizeof(rankmap_process), -1, -1, -1, -1, -1, -1, {0}, {0} }
/* clang-format on */

/* Who this process is, by its environment: the innermost launcher with a complete record says it.
 * Without a launcher it is rank 0 of 1. RANKMAP_LAUNCHER and the other variables of whoever runs
 * the job count as they do in C++.
 *
 * out: filled in. need: one of RANKMAP_NEED_...
 * error: on success the code is RANKMAP_OK, and the text the first warning, or empty. A process
 * that may be one of many is never rank 0 of 1 without one, nor is a HINT silent about an error.
 * Errors are about what is needed: RANKMAP_MISSING, _NOT_A_NUMBER, _NUMBER_TOO_LARGE,
 * _OUT_OF_RANGE, _INCONSISTENT: a record has a wrong or missing value. _AMBIGUOUS: it numbers pods
 * or machines where a rank is needed, or either of two launchers may be the inner one.
 * _UNKNOWN_LAUNCHER: RANKMAP_LAUNCHER. _CONFLICT: RANKMAP_STRICT. _OUT_OF_RANGE: `need` or
 * `struct_size`.
 * Cost: a fraction of a millisecond, so call it once, early, and keep the struct. */
RANKMAP_API int rankmap_from_environment(rankmap_process* out, int need, rankmap_error* error);

/* The same for any other environment, as tests and programs that start others have it.
 *
 * variables: texts "NAME=value", and a null pointer behind the last, as environ has them. The
 * processes above this one are not asked, the file of RANKMAP_LAUNCHERS is not read, which is a
 * warning, and `host` stays empty. Errors: as above. */
RANKMAP_API int rankmap_from_variables(rankmap_process* out, const char* const* variables, int need,
                                       rankmap_error* error);

/* Who a process is by explicit values. No variable is read.
 *
 * process: rank and world_size are set, and as many of the other numbers as are known; -1 is not
 * known. What follows from them is filled in, `launcher` becomes "config", and `host` is this
 * machine. Errors: RANKMAP_MISSING, _OUT_OF_RANGE, _INCONSISTENT, with the number at fault. O(1).
 */
RANKMAP_API int rankmap_from_values(rankmap_process* process, rankmap_error* error);

/* ---- which device is mine -------------------------------------------------------------------- */

/* How the processes of a node share its devices. */
enum {
  RANKMAP_DEVICE_STRICT = 0, /* each has its own, at its local rank; too few are an error */
  RANKMAP_DEVICE_WRAP = 1,   /* local rank modulo devices: neighbours use different ones */
  RANKMAP_DEVICE_BLOCK = 2,  /* local rank times devices, divided by processes: neighbours share */
  RANKMAP_DEVICE_UNEVEN = 3  /* as WRAP, where some devices may have more processes than others */
};

/* A device of a process. */
typedef struct rankmap_device {
  int struct_size;
  int index;        /* among the devices that the process sees: the argument of cudaSetDevice */
  int physical;     /* its number before a variable hides others; -1: not known */
  char name[24];    /* "cuda:1", "npu:0", "cpu" */
  char reason[160]; /* why it is this one; one line */
} rankmap_device;
/* clang-format off */
#define RANKMAP_DEVICE_INIT \
  { sizeof(rankmap_device), -1, -1, {0}, {0} }
/* clang-format on */

/* The device of a process.
 *
 * process: this one, with its local rank; with WRAP and BLOCK its local_world_size, too.
 * kind: "cuda", "rocm", "npu", "xpu", "mlu", "musa", "hpu", "neuron", "tpu" or "cpu".
 * visible_count: what cudaGetDeviceCount and its relatives report to this process, 0 or more.
 * policy: one of RANKMAP_DEVICE_...
 * The visibility variables of the process tell whether its launcher gave it devices of its own.
 * Errors: RANKMAP_NO_DEVICE, _NOT_ENOUGH_DEVICES, _BAD_DEVICE_LIST, _MISSING, _OUT_OF_RANGE. */
RANKMAP_API int rankmap_select_device(const rankmap_process* process, const char* kind,
                                      int visible_count, int policy, rankmap_device* out,
                                      rankmap_error* error);

/* ---- which samples are mine ------------------------------------------------------------------ */

/* Which places of an epoch a rank takes. */
enum {
  RANKMAP_ORDER_STRIDED = 0, /* rank r takes r, r + W, r + 2W, ... */
  RANKMAP_ORDER_BLOCKED = 1  /* rank r takes one contiguous run */
};
/* What becomes of samples that do not divide evenly. */
enum {
  RANKMAP_REMAINDER_PAD = 0,   /* all ranks get the larger share; some samples are read twice */
  RANKMAP_REMAINDER_DROP = 1,  /* all ranks get the smaller share; some samples are not read */
  RANKMAP_REMAINDER_UNEVEN = 2 /* each sample once; shares may differ by one */
};

/* The samples of one rank in one epoch. All members are set by the caller, and all ranks of a job
 * set the same, but for `rank`. With `shuffle` 0 it is a shard of 0, 1, 2, ...; with a world_size
 * of 1 it is the shuffle of the whole data set. */
typedef struct rankmap_sampler {
  int struct_size;
  int rank;              /* 0 <= rank < world_size */
  int world_size;        /* 1 and more */
  int shuffle;           /* 0: in order; else each epoch has a shuffle of its own */
  int order;             /* one of RANKMAP_ORDER_... */
  int remainder;         /* one of RANKMAP_REMAINDER_... */
  uint64_t dataset_size; /* samples of the data set, below 2^63 */
  uint64_t seed;
  uint64_t epoch;    /* from 0 */
  uint64_t consumed; /* samples that all ranks together have read of this epoch already */
} rankmap_sampler;
/* clang-format off */
#define RANKMAP_SAMPLER_INIT \
  { sizeof(rankmap_sampler), 0, 1, 1, RANKMAP_ORDER_STRIDED, RANKMAP_REMAINDER_PAD, 0, 0, 0, 0 }
/* clang-format on */

/* How many samples this rank reads of the epoch. Errors of all functions of a sampler:
 * RANKMAP_OUT_OF_RANGE, for a member outside its range. O(1). */
RANKMAP_API int rankmap_sampler_size(const rankmap_sampler* sampler, uint64_t* size,
                                     rankmap_error* error);

/* Writes `count` samples of this rank from its `first` on to `samples`: numbers below dataset_size.
 * Errors: RANKMAP_OUT_OF_RANGE where the rank has not as many. O(count), in no memory but
 * `samples`. */
RANKMAP_API int rankmap_sampler_fill(const rankmap_sampler* sampler, uint64_t first, uint64_t count,
                                     uint64_t* samples, rankmap_error* error);

/* Which rank reads a sample, and at which index of its share; the rank is -1 where none does, as in
 * a part of the epoch that is over. This inverts the shuffle. O(1). */
RANKMAP_API int rankmap_sampler_owner(const rankmap_sampler* sampler, uint64_t sample, int* rank,
                                      uint64_t* index, rankmap_error* error);

/* What rankmap_sampler_save writes at most, with its zero byte. */
#define RANKMAP_STATE_SIZE 256

/* Writes a line to keep in a checkpoint, once each rank has read its first `read` samples of this
 * epoch. It is the same on every rank, and any number of ranks can go on from it. Once `read` is
 * the size of the largest share or more, as UINT64_MAX is, it is the start of the next epoch. With
 * RANKMAP_REMAINDER_UNEVEN a rank with the smaller share passes the `read` of the others.
 *
 * text: at least RANKMAP_STATE_SIZE bytes. Errors: RANKMAP_BAD_SAMPLER in the middle of an epoch
 * of a blocked order. O(1). */
RANKMAP_API int rankmap_sampler_save(const rankmap_sampler* sampler, uint64_t read, char* text,
                                     rankmap_error* error);

/* Sets `epoch` and `consumed` of a sampler to where a saved line stopped. Its other members must be
 * set, and may have another rank and world size than the sampler that was saved. The line may have
 * its line end, as fgets reads it.
 * Errors: RANKMAP_BAD_SAMPLER where the line was changed, or is of other data, another seed or
 * another order. O(1). */
RANKMAP_API int rankmap_sampler_resume(rankmap_sampler* sampler, const char* text,
                                       rankmap_error* error);

/* ---- the whole job --------------------------------------------------------------------------- */

/* These two weigh more than all the others: they are there if the one C++20 file defines
 * RANKMAP_IMPLEMENTATION_JOB as well. */

/* What rankmap_job_line writes at most, with its zero byte. */
#define RANKMAP_LINE_SIZE 768

/* Writes a line of JSON, without its newline, with what this process says of itself, to be gathered
 * by any means and read by rankmap_job_table or `rankmap table`.
 *
 * process: this one. device: its device, or null. text: at least RANKMAP_LINE_SIZE bytes.
 * Errors: RANKMAP_OUT_OF_RANGE for a process that is not filled in. O(1). */
RANKMAP_API int rankmap_job_line(const rankmap_process* process, const rankmap_device* device,
                                 char* text, rankmap_error* error);

/* Writes who is where in a job, and what is wrong with it, for people.
 *
 * lines: one of each process, in any order and between other output, with newlines between them.
 * Lines in which a process says why it has no record count, too: the table shows what they say.
 * text: `capacity` bytes, for at most 80 columns and some 100 lines; what does not fit is cut.
 * size: the length of the whole text, or null. errors: how many errors were found in the job, or
 * null. Both are written on RANKMAP_LIMIT_EXCEEDED, too, which says that `capacity` does not
 * suffice, or, if `size` is 0, that there are more records than a table takes. On any other error
 * both are 0: RANKMAP_MISSING for no record, RANKMAP_OUT_OF_RANGE for records of other versions
 * alone.
 * O(lines log lines), in memory that it frees. */
RANKMAP_API int rankmap_job_table(const char* lines, char* text, size_t capacity, size_t* size,
                                  int* errors, rankmap_error* error);

#ifdef __cplusplus
}
#endif

#endif /* RANKMAP_RANKMAP_H */

/* Outside the guard: the header may have been included before. */
#ifdef RANKMAP_IMPLEMENTATION
#include <rankmap/c.hpp> /* not found? Copy all of include/, and put it on the include path */
#endif
