// A reader of MessagePack: what the metadata of code objects is made of.
#ifndef KILN_BACKENDS_ROCM_CODE_MSGPACK_H
#define KILN_BACKENDS_ROCM_CODE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_msgpack {
  const unsigned char *at, *end;
  bool failed;    // damaged; everything read from then on is nothing
  bool no_memory; // for the users: failed for want of memory
};

enum kiln_msgpack_kind {
  KILN_MSGPACK_NIL,
  KILN_MSGPACK_BOOL,
  KILN_MSGPACK_UINT, // also integers that are not negative
  KILN_MSGPACK_INT,  // negative
  KILN_MSGPACK_STRING,
  KILN_MSGPACK_ARRAY, // count values follow
  KILN_MSGPACK_MAP,   // count pairs follow
  KILN_MSGPACK_OTHER, // bytes, floats, extensions
};

struct kiln_msgpack_value {
  enum kiln_msgpack_kind kind;
  uint64_t number; // of BOOL, UINT, INT
  uint32_t count;  // of ARRAY, MAP; bytes of STRING, OTHER
  const char *text;
};

struct kiln_msgpack_value kiln_msgpack_next(struct kiln_msgpack *reader);
// Passes over what belongs to value.
void kiln_msgpack_skip(struct kiln_msgpack *reader, struct kiln_msgpack_value value);

#endif
