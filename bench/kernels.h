// The kernel set of the benchmark: table, data, and who runs it.
#ifndef KILN_BENCH_KERNELS_H
#define KILN_BENCH_KERNELS_H

#include <kiln/kiln.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { BENCH_MAX_ARGS = 8, BENCH_MAX_RUNS = 64 };

enum bench_fill {
  BENCH_SCALAR,
  BENCH_ZERO,
  BENCH_RANDOM,
  BENCH_ROWS,
  BENCH_COLUMNS,
  BENCH_ROOTS,
  BENCH_SPHERES,
  BENCH_PLACES
};

__extension__ typedef _Float16 bench_half;

struct bench_arg {
  char type; // 'f', 'i', 'c', 's' or 'h': float, 32-bit integer, byte, 16-bit integer, half
  enum bench_fill fill;
  bool output;
  size_t count; // of a buffer, of channels of an image
  double low, high;
  struct kiln_image_desc image; // width 0: no image
};

typedef void bench_plain_fn(void *const *args); // argument k is the buffer, or the address of the scalar

struct bench {
  const char *name, *source;
  uint32_t dimensions;
  size_t global[2], local[2];
  double tolerance, share;
  bench_plain_fn *plain;
  struct bench_arg args[BENCH_MAX_ARGS];
};

struct bench_set {
  const struct bench *kernels;
  unsigned count;
};
extern const struct bench_set bench_kernels, bench_images; // kernels.def, images.def

size_t bench_arg_bytes(const struct bench_arg *arg); // of a buffer
unsigned bench_arg_count(const struct bench *bench);

// The arguments as host memory, filled.
struct bench_data {
  void *args[BENCH_MAX_ARGS];
};
bool bench_data_make(const struct bench *bench, struct bench_data *out);
void bench_data_free(struct bench_data *data);
// Whether the outputs are as expected; prints the first that is not.
bool bench_data_equal(const struct bench *bench, const struct bench_data *expected, const struct bench_data *data,
                      const char *who);

// Someone who runs kernels. run: one launch, which has ended when it returns.
struct bench_runner {
  const char *name;
  void *state;
  bool (*load)(void *state, const struct bench *bench, const struct bench_data *data); // compiles, copies the data
  bool (*run)(void *state);
  bool (*fetch)(void *state, struct bench_data *data); // copies outputs
  void (*unload)(void *state);
};
bool bench_kiln_open(const char *backend, const char *arch, const char *options, bool verbose,
                     struct bench_runner *out);
// The kernels with images as they are, or their forms for buffers. Without the cache, so that each load compiles.
bool bench_kiln_open_images(const char *backend, const char *arch, const char *options, bool buffers,
                            struct bench_runner *out);
bool bench_opencl_open(struct bench_runner *out); // false: no platform
// The versions written by hand, compiled for arch ("native": this machine); false: not for that one. load fails for a
// kernel without one.
bool bench_reference_open(const char *arch, struct bench_runner *out);
void bench_plain_open(struct bench_runner *out); // plain C, on one thread

// HAND: of kernels with images plain C; BUFFERS: their forms for buffers.
enum bench_side { BENCH_KILN, BENCH_PEER, BENCH_HAND, BENCH_BUFFERS, BENCH_SIDES };

struct bench_result {
  const struct bench *bench;
  double ms[BENCH_SIDES]; // medians; 0: not measured
  double best[BENCH_SIDES];
  double start[BENCH_SIDES]; // least time of a build and the first launch
  double spread;             // of kiln: (slowest - fastest) / median
  bool ok;
};
// By how much side is faster than other, over the kernels that both ran; by_hand: only those with a version by hand.
double bench_geometric_mean(const struct bench_result *results, unsigned count, enum bench_side side,
                            enum bench_side other, bool by_hand);
void bench_print_table(const struct bench_result *results, unsigned count, const char *peer);
void bench_print_images(const struct bench_result *results, unsigned count, const char *peer);
void bench_print_json(const struct bench_result *results, unsigned count, const char *backend);
bool bench_write_chart(const struct bench_result *results, unsigned count, const char *path);

// Measures the kernels of the set whose name contains filter (NULL: all), the sides (NULL: absent) taking turns, by the
// clock. starts: how often a build and the first launch are measured.
unsigned bench_measure(struct bench_result *results, const struct bench_set *set, const char *filter, unsigned runs,
                       unsigned starts, clockid_t clock, struct bench_runner *runners[BENCH_SIDES]);

#endif
