// Growing array in an arena: struct { T *items; uint32_t count, capacity; }.
#ifndef KILN_BASE_VEC_H
#define KILN_BASE_VEC_H

#include "base/arena.h"

#define KILN_VEC(T)                                                                                                    \
  struct {                                                                                                             \
    T *items;                                                                                                          \
    uint32_t count, capacity;                                                                                          \
  }

// Makes room for one more item.
#define KILN_VEC_RESERVE(arena, vec)                                                                                   \
  ((vec)->count < (vec)->capacity                                                                                      \
       ? (void)0                                                                                                       \
       : (void)((vec)->items = kiln_arena_grow((arena), (vec)->items, (vec)->capacity * sizeof *(vec)->items,          \
                                               ((vec)->capacity = (vec)->capacity ? (vec)->capacity * 2 : 8) *         \
                                                   sizeof *(vec)->items,                                               \
                                               16)))

#define KILN_VEC_PUSH(arena, vec, ...)                                                                                 \
  (KILN_VEC_RESERVE(arena, vec), (vec)->items[(vec)->count++] = (__VA_ARGS__))

#endif
