// Arena: memory that is released all at once. One arena owns everything of a compilation.
#ifndef KILN_BASE_ARENA_H
#define KILN_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

struct kiln_arena_chunk;

struct kiln_arena {
  struct kiln_arena_chunk *chunks;
  char *cursor, *end;
  size_t used;  // bytes handed out, for statistics
  size_t limit; // bytes that may be taken from the system; 0: no limit
  // Where an allocation that cannot be served goes with longjmp(*exhausted, 1); set by the owner before first use.
  // The jump never leaves the library: the owner's frame is ours.
  jmp_buf *exhausted;
};

void kiln_arena_init(struct kiln_arena *arena, jmp_buf *exhausted);
void kiln_arena_free(struct kiln_arena *arena);

// Never NULL; not initialised. align is a power of two, at most 64.
void *kiln_arena_alloc(struct kiln_arena *arena, size_t size, size_t align);
void *kiln_arena_zalloc(struct kiln_arena *arena, size_t size, size_t align);
// Grows an array: a block of new_size that begins with the old_size bytes of old (in place where possible).
void *kiln_arena_grow(struct kiln_arena *arena, void *old, size_t old_size, size_t new_size, size_t align);
// A NUL-terminated copy.
char *kiln_arena_strndup(struct kiln_arena *arena, const char *text, size_t size);
__attribute__((format(printf, 2, 3))) char *kiln_arena_printf(struct kiln_arena *arena, const char *format, ...);

#define KILN_NEW(arena, type) ((type *)kiln_arena_zalloc((arena), sizeof(type), _Alignof(type)))
#define KILN_NEW_ARRAY(arena, type, count)                                                                             \
  ((type *)kiln_arena_zalloc((arena), sizeof(type) * (size_t)(count), _Alignof(type)))

#endif
