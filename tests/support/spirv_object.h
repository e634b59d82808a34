// A module of SPIR-V that is an object: its kernel calls three functions that it imports.
#ifndef KILN_TESTS_SPIRV_OBJECT_H
#define KILN_TESTS_SPIRV_OBJECT_H

#include <stdint.h>

// kernel void k(global uint *out) { *out = popcount(_Z7mangledj(plain(*out))); }, whose three functions are imports;
// popcount by the name _Z8popcountj.
static const uint32_t spirv_object[] = {
    0x7230203, 0x10000,    0,       0x13,    0,          0x20011,    6,          0x20011,    4,          0x20011,
    5,         0x3000e,    2,       2,       0x4000f,    6,          1,          0x6b,       0x60047,    2,
    0x29,      0x69616c70, 0x6e,    1,       0x70047,    3,          0x29,       0x6d375a5f, 0x6c676e61, 0x6a6465,
    1,         0x80047,    4,       0x29,    0x70385a5f, 0x6f63706f, 0x6a746e75, 0,          1,          0x20013,
    5,         0x40015,    6,       0x20,    0,          0x40020,    7,          5,          6,          0x40021,
    8,         5,          7,       0x40021, 9,          6,          6,          0x50036,    6,          2,
    0,         9,          0x30037, 6,       0xa,        0x10038,    0x50036,    6,          3,          0,
    9,         0x30037,    6,       0xb,     0x10038,    0x50036,    6,          4,          0,          9,
    0x30037,   6,          0xc,     0x10038, 0x50036,    5,          1,          0,          8,          0x30037,
    7,         0xd,        0x200f8, 0xe,     0x6003d,    6,          0xf,        0xd,        2,          4,
    0x50039,   6,          0x10,    2,       0xf,        0x50039,    6,          0x11,       3,          0x10,
    0x50039,   6,          0x12,    4,       0x11,       0x5003e,    0xd,        0x12,       2,          4,
    0x100fd,   0x10038,
};

#endif
