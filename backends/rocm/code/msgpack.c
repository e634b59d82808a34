// Reading MessagePack. Depth is bounded, and every count is checked against the bytes that are left.
#include "backends/rocm/code/msgpack.h"

#define MAX_DEPTH 16

static uint64_t take(struct kiln_msgpack *r, unsigned bytes) {
  if (r->failed || (size_t)(r->end - r->at) < bytes) {
    r->failed = true;
    return 0;
  }
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value = value << 8 | *r->at++;
  return value;
}

static struct kiln_msgpack_value bytes(struct kiln_msgpack *r, enum kiln_msgpack_kind kind, uint64_t count) {
  struct kiln_msgpack_value value = {.kind = kind, .text = (const char *)r->at};
  if (r->failed || (uint64_t)(r->end - r->at) < count) {
    r->failed = true;
    return (struct kiln_msgpack_value){.kind = KILN_MSGPACK_NIL};
  }
  value.count = (uint32_t)count;
  r->at += count;
  return value;
}

static struct kiln_msgpack_value group(struct kiln_msgpack *r, enum kiln_msgpack_kind kind, uint64_t count) {
  uint64_t least = kind == KILN_MSGPACK_MAP ? 2 * count : count; // a value has a byte at least
  if (r->failed || (uint64_t)(r->end - r->at) < least) {
    r->failed = true;
    return (struct kiln_msgpack_value){.kind = KILN_MSGPACK_NIL};
  }
  return (struct kiln_msgpack_value){.kind = kind, .count = (uint32_t)count};
}

static struct kiln_msgpack_value integer(uint64_t number, bool negative) {
  return (struct kiln_msgpack_value){.kind = negative ? KILN_MSGPACK_INT : KILN_MSGPACK_UINT, .number = number};
}

static struct kiln_msgpack_value signed_integer(struct kiln_msgpack *r, unsigned size) {
  uint64_t raw = take(r, size), sign = UINT64_C(1) << (8 * size - 1);
  uint64_t number = (raw ^ sign) - sign;
  return integer(number, (int64_t)number < 0);
}

struct kiln_msgpack_value kiln_msgpack_next(struct kiln_msgpack *r) {
  unsigned tag = (unsigned)take(r, 1);
  struct kiln_msgpack_value nil = {.kind = KILN_MSGPACK_NIL};
  if (r->failed)
    return nil;
  if (tag < 0x80)
    return integer(tag, false);
  if (tag < 0x90)
    return group(r, KILN_MSGPACK_MAP, tag & 15);
  if (tag < 0xa0)
    return group(r, KILN_MSGPACK_ARRAY, tag & 15);
  if (tag < 0xc0)
    return bytes(r, KILN_MSGPACK_STRING, tag & 31);
  if (tag >= 0xe0)
    return integer((uint64_t)(int64_t)(int8_t)tag, true);
  if (tag >= 0xc4 && tag <= 0xc6) // bin
    return bytes(r, KILN_MSGPACK_OTHER, take(r, 1u << (tag - 0xc4)));
  if (tag >= 0xc7 && tag <= 0xc9) // ext: a length, a type, the bytes
    return bytes(r, KILN_MSGPACK_OTHER, take(r, 1u << (tag - 0xc7)) + 1);
  if (tag == 0xca || tag == 0xcb) // float
    return bytes(r, KILN_MSGPACK_OTHER, tag == 0xca ? 4 : 8);
  if (tag >= 0xcc && tag <= 0xcf)
    return integer(take(r, 1u << (tag - 0xcc)), false);
  if (tag >= 0xd0 && tag <= 0xd3)
    return signed_integer(r, 1u << (tag - 0xd0));
  if (tag >= 0xd4 && tag <= 0xd8) // fixext
    return bytes(r, KILN_MSGPACK_OTHER, (1u << (tag - 0xd4)) + 1);
  if (tag >= 0xd9 && tag <= 0xdb)
    return bytes(r, KILN_MSGPACK_STRING, take(r, 1u << (tag - 0xd9)));
  if (tag == 0xdc || tag == 0xdd)
    return group(r, KILN_MSGPACK_ARRAY, take(r, tag == 0xdc ? 2 : 4));
  if (tag == 0xde || tag == 0xdf)
    return group(r, KILN_MSGPACK_MAP, take(r, tag == 0xde ? 2 : 4));
  if (tag == 0xc2 || tag == 0xc3)
    return (struct kiln_msgpack_value){.kind = KILN_MSGPACK_BOOL, .number = tag & 1};
  if (tag != 0xc0) // 0xc1 is never used
    r->failed = true;
  return nil;
}

static void skip(struct kiln_msgpack *r, struct kiln_msgpack_value value, unsigned depth) {
  if (value.kind != KILN_MSGPACK_ARRAY && value.kind != KILN_MSGPACK_MAP)
    return;
  if (depth > MAX_DEPTH) {
    r->failed = true;
    return;
  }
  uint64_t parts = value.kind == KILN_MSGPACK_MAP ? 2 * (uint64_t)value.count : value.count;
  for (uint64_t i = 0; i < parts && !r->failed; i++)
    skip(r, kiln_msgpack_next(r), depth + 1);
}

void kiln_msgpack_skip(struct kiln_msgpack *reader, struct kiln_msgpack_value value) { skip(reader, value, 0); }
