// Growing array in an arena: struct { T *items; uint32_t count, capacity; }.
#ifndef KILN_BASE_VEC_H
#define KILN_BASE_VEC_H

#include "base/arena.h"

#define KILN_VEC(T)                                                                                                    \
  struct {                                                                                                             \
    T *items;                                                                                                          \
    uint32_t count, capacity;                                                                                          \
  }

// The items in a block of twice the capacity, four times when they are many: what is not used is never touched, what is
// copied is.
static inline void *kiln_vec_grow(struct kiln_arena *arena, void *items, uint32_t *capacity, size_t item_size) {
  size_t old = *capacity, grown = old == 0 ? 8 : old * item_size < 4096 ? old * 2 : old * 4;
  // More items than a count can hold is out of memory like any other.
  items = kiln_arena_grow(arena, items, old * item_size, grown <= UINT32_MAX ? grown * item_size : SIZE_MAX, 16);
  *capacity = (uint32_t)grown;
  return items;
}

// Makes room for one more item.
#define KILN_VEC_RESERVE(arena, vec)                                                                                   \
  ((vec)->count < (vec)->capacity                                                                                      \
       ? (void)0                                                                                                       \
       : (void)((vec)->items = kiln_vec_grow((arena), (vec)->items, &(vec)->capacity, sizeof *(vec)->items)))

#define KILN_VEC_PUSH(arena, vec, ...) (KILN_VEC_RESERVE(arena, vec), (vec)->items[(vec)->count++] = (__VA_ARGS__))

#endif
