// Arena: memory that is released all at once. One arena owns everything of a compilation.
#ifndef KILN_BASE_ARENA_H
#define KILN_BASE_ARENA_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef KILN_ASAN
#include <sanitizer/asan_interface.h>
#define KILN_ARENA_UNPOISON(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
enum { KILN_ARENA_GAP = 16 };
#else
#define KILN_ARENA_UNPOISON(start, size) ((void)(start), (void)(size))
enum { KILN_ARENA_GAP = 0 };
#endif

struct kiln_arena_chunk;

// Large chunks that arenas gave back, for the next ones: their pages need not be made and cleared again. The system may
// take the pages back when memory is short. Holds a bounded amount; any thread may use it.
struct kiln_arena_pool {
  pthread_mutex_t lock;
  struct {
    void *memory;
    size_t size;
  } chunks[16];
  uint32_t count;
  size_t bytes;
};
void kiln_arena_pool_init(struct kiln_arena_pool *pool);
void kiln_arena_pool_free(struct kiln_arena_pool *pool); // after all arenas that use it

struct kiln_arena {
  struct kiln_arena_chunk *chunks;
  char *cursor, *end;
  size_t used;                  // bytes handed out, for statistics
  size_t limit;                 // bytes that may be taken from the system; 0: no limit
  bool over_limit;              // why an allocation was not served
  struct kiln_arena_pool *pool; // where large chunks come from and go to; NULL: the system
  // Where an allocation that cannot be served goes with longjmp(*exhausted, 1); set by the owner before first use.
  // The jump never leaves the library: the owner's frame is ours.
  jmp_buf *exhausted;
};

void kiln_arena_init(struct kiln_arena *arena, jmp_buf *exhausted);
void kiln_arena_free(struct kiln_arena *arena);

void *kiln_arena_alloc_slow(struct kiln_arena *arena, size_t size, size_t align); // where the current chunk has no room
// Never NULL; not initialised. align is a power of two, at most 64.
static inline void *kiln_arena_alloc(struct kiln_arena *arena, size_t size, size_t align) {
  size_t padding = -(uintptr_t)arena->cursor & (align - 1);
  size_t room = (size_t)(arena->end - arena->cursor);
  if (!arena->cursor || room < padding + KILN_ARENA_GAP || room - padding - KILN_ARENA_GAP < size)
    return kiln_arena_alloc_slow(arena, size, align);
  char *result = arena->cursor + padding;
  KILN_ARENA_UNPOISON(result, size);
  arena->cursor = result + size + KILN_ARENA_GAP;
  arena->used += size;
  return result;
}
static inline void *kiln_arena_zalloc(struct kiln_arena *arena, size_t size, size_t align) {
  return memset(kiln_arena_alloc(arena, size, align), 0, size);
}
// Grows an array: a block of new_size that begins with the old_size bytes of old (in place where possible).
void *kiln_arena_grow(struct kiln_arena *arena, void *old, size_t old_size, size_t new_size, size_t align);
// A NUL-terminated copy.
char *kiln_arena_strndup(struct kiln_arena *arena, const char *text, size_t size);
__attribute__((format(printf, 2, 3))) char *kiln_arena_printf(struct kiln_arena *arena, const char *format, ...);

#define KILN_NEW(arena, type) ((type *)kiln_arena_zalloc((arena), sizeof(type), _Alignof(type)))
#define KILN_NEW_ARRAY(arena, type, count)                                                                             \
  ((type *)kiln_arena_zalloc((arena), sizeof(type) * (size_t)(count), _Alignof(type)))

#endif
