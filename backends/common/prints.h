// printf of GPU kernels, and checks that fail. A kernel appends records to a buffer; the driver formats them when the
// kernel has ended. What every place that prints looks like is in the artifact's metadata, in words of 32 bits:
//
//   magic, number of places; for each place: number of types, bytes of the format, the types, the format padded to
//   words
//
// The buffer: u64 bytes that were asked for, u64 bytes that there are after this head, u64 1 + the number of the place
// that made the launch fail (0: none did), u64 0; records one after another: u32 bytes of the record, u32 number of the
// place, the arguments as printf.h wants them.
#ifndef KILN_BACKENDS_PRINTS_H
#define KILN_BACKENDS_PRINTS_H

#include "kiln/backend.h"

#define KILN_PRINTS_MAGIC 0x4b525031u
#define KILN_PRINTS_HEAD 32          // bytes
#define KILN_PRINTS_FAILED 16        // offset of the place that failed
#define KILN_PRINTS_BYTES (1u << 20) // of the records, at most

// What the buffer begins with when a kernel starts.
struct kiln_prints_head {
  uint64_t asked, room, failed, unused;
};
_Static_assert(sizeof(struct kiln_prints_head) == KILN_PRINTS_HEAD, "the head of the buffer");
static inline struct kiln_prints_head kiln_prints_begin(void) {
  return (struct kiln_prints_head){.room = KILN_PRINTS_BYTES};
}

// How a driver reads the buffer of a kernel that has ended.
struct kiln_prints {
  const struct kiln_driver_config *config;
  const void *places; // of the artifact's metadata; anything may be wrong with them
  size_t places_size;
  const char *kernel; // its name
  // Copies bytes of the buffer. False: the device fails.
  bool (*read)(void *user, uint64_t offset, void *to, size_t size);
  // The text of a %s argument, as in struct kiln_printf_call.
  const char *(*string)(void *user, uint64_t address, size_t *size);
  void *user;
};

// Prints what the kernel printed, if the device can be read. *failed: the kernel failed, and message says how. Fails if
// there is no memory for the text.
enum kiln_status kiln_prints_end(const struct kiln_prints *prints, bool *failed, char *message, size_t message_size,
                                 struct kiln_report *report);

#endif
