// What a tuning record says: its text, and the key that it is kept under (cache/tune.h).
#ifndef KILN_JIT_TUNE_RECORD_H
#define KILN_JIT_TUNE_RECORD_H

#include "cache/tune.h"

enum { KILN_TUNE_MAX_PARAMETERS = 16, KILN_TUNE_MAX_CLASS = 16, KILN_TUNE_MAX_POINTS = 1024 };

// How measuring a point ended; rows of this order are words in the text.
enum kiln_tune_state {
  KILN_TUNE_OK,
  KILN_TUNE_WRONG,  // it computes something else than the default
  KILN_TUNE_FAILED, // it did not compile or launch
  KILN_TUNE_SLOW,   // given up after a first look, whose time it has
  KILN_TUNE_STATES
};
struct kiln_tune_measured {
  int64_t values[KILN_TUNE_MAX_PARAMETERS]; // of the parameters, in their order
  double median_ns, spread_ns;              // kept to a thousandth
  uint8_t state;                            // enum kiln_tune_state
};

struct kiln_tune_record {
  const char *kernel, *backend, *arch, *device, *source, *version, *search; // one line each; NULL: ""
  uint32_t parameter_count, class_count;
  const char *parameters[KILN_TUNE_MAX_PARAMETERS]; // names: letters, digits and '_'
  const char *class_names[KILN_TUNE_MAX_CLASS];
  uint64_t class_values[KILN_TUNE_MAX_CLASS];
  uint32_t best; // index in points; UINT32_MAX: no point is any good
  double best_ns, default_ns;
  uint64_t measured;    // points that were ever measured, also those that are not among points any more
  uint32_t point_count; // at most KILN_TUNE_MAX_POINTS in a text
  struct kiln_tune_measured *points;
  char *storage; // of a decoded record: what the names point into
};
// Appends the text. The best point comes first; where there are more points than fit, those without a result go, then
// the slowest. False: a name or a count is not what it must be; memory that runs out is out->failed.
bool kiln_tune_record_encode(const struct kiln_tune_record *record, struct kiln_strbuf *out);
// Reads a text, of any origin. NULL, or what is wrong with it; then *out needs no free.
const char *kiln_tune_record_decode(struct kiln_str text, struct kiln_tune_record *out);
void kiln_tune_record_free(struct kiln_tune_record *record); // of a decoded one

// Makes a key of the key record of the entry that the default point is compiled to, the kernel's name, a line about the
// device, and the size class. Lines "#pragma kernel …" of the source, and a #line after them, do not count: with one
// more value in a list a record is found again.
bool kiln_tune_record_key(struct kiln_str entry_record, const char *kernel, const char *device,
                          const uint8_t size_class[16], struct kiln_tune_key *out); // false: memory is exhausted

#endif
