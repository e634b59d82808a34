// Bump allocation in chunks that grow from 32 KiB to 8 MiB; what is larger than half a chunk gets a chunk of its own.
// From half a MiB on, chunks are whole huge pages, since a large compilation otherwise spends a third of its time on
// page faults; large chunks of one allocation are mappings, too, that grow without being copied. Chunks of whole huge
// pages may go to a pool rather than to the system. Under AddressSanitizer all comes from malloc, and the space between
// and after allocations is poisoned.
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/c_locale.h"

#ifdef KILN_ARENA_ASAN
#define POISON(start, size) ASAN_POISON_MEMORY_REGION(start, size)
enum { MAP_CHUNKS = 0 };
#else
#define POISON(start, size) ((void)(start), (void)(size))
enum { MAP_CHUNKS = 1 };
#endif

enum {
  FIRST_CHUNK = 32 << 10,
  HUGE_FROM = 512 << 10, // chunks are whole huge pages
  HUGE_PAGE = 2 << 20,
  LAST_CHUNK = 8 << 20,
  MAP_FROM = 1 << 20,    // a chunk of one allocation is a mapping
  POOL_LIMIT = 64 << 20, // bytes that a pool keeps
  PAGE = 4096,
  MAX_ALIGN = 64
};

struct kiln_arena_chunk {
  struct kiln_arena_chunk *next;
  size_t size;  // bytes after this header
  size_t taken; // in the first chunk of the list: bytes taken from the system by all
  bool mapped;  // by mmap; else by malloc
  bool is_own;  // of one allocation
};

static char *chunk_data(struct kiln_arena_chunk *chunk) { return (char *)(chunk + 1); }

static size_t whole_size(const struct kiln_arena_chunk *chunk) { return chunk->size + sizeof *chunk; }

// ---- pools ----------------------------------------------------------------------------------------------------------

void kiln_arena_pool_init(struct kiln_arena_pool *pool) {
  *pool = (struct kiln_arena_pool){0};
  pthread_mutex_init(&pool->lock, NULL);
}

void kiln_arena_pool_free(struct kiln_arena_pool *pool) {
  for (uint32_t i = 0; i < pool->count; i++)
    munmap(pool->chunks[i].memory, pool->chunks[i].size);
  pthread_mutex_destroy(&pool->lock);
}

// Leaves a mapped chunk to the pool. False: there is none, or it does not want it.
static bool give(struct kiln_arena_pool *pool, struct kiln_arena_chunk *chunk) {
  size_t size = whole_size(chunk);
  if (!pool || size % HUGE_PAGE)
    return false;
  pthread_mutex_lock(&pool->lock);
  bool wanted = size <= POOL_LIMIT - pool->bytes && pool->count < sizeof pool->chunks / sizeof *pool->chunks;
  if (wanted) {
    madvise(chunk, size, MADV_FREE); // what is in it is not needed
    pool->chunks[pool->count].memory = chunk;
    pool->chunks[pool->count++].size = size;
    pool->bytes += size;
  }
  pthread_mutex_unlock(&pool->lock);
  return wanted;
}

// The smallest memory of the pool of at least so many bytes, and of most at most. NULL: none.
static void *take(struct kiln_arena_pool *pool, size_t least, size_t most, size_t *size) {
  if (!pool)
    return NULL;
  pthread_mutex_lock(&pool->lock);
  void *memory = NULL;
  uint32_t best = pool->count;
  for (uint32_t i = 0; i < pool->count; i++)
    if (pool->chunks[i].size >= least && pool->chunks[i].size <= most &&
        (best == pool->count || pool->chunks[i].size < pool->chunks[best].size))
      best = i;
  if (best < pool->count) {
    memory = pool->chunks[best].memory;
    *size = pool->chunks[best].size;
    pool->bytes -= *size;
    pool->chunks[best] = pool->chunks[--pool->count];
  }
  pthread_mutex_unlock(&pool->lock);
  return memory;
}

// ---- chunks ---------------------------------------------------------------------------------------------------------

void kiln_arena_init(struct kiln_arena *arena, jmp_buf *exhausted) {
  *arena = (struct kiln_arena){.exhausted = exhausted};
}

void kiln_arena_free(struct kiln_arena *arena) {
  for (struct kiln_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
    next = chunk->next;
    KILN_ARENA_UNPOISON(chunk_data(chunk), chunk->size);
    if (chunk->mapped && give(arena->pool, chunk))
      continue;
    if (chunk->mapped)
      munmap(chunk, whole_size(chunk));
    else
      free(chunk);
  }
  arena->chunks = NULL;
  arena->cursor = arena->end = NULL;
  arena->used = 0;
}

// What is a multiple of huge pages begins at one.
static void *map(size_t size) {
  size_t spare = size % HUGE_PAGE ? 0 : HUGE_PAGE;
  char *memory = mmap(NULL, size + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  if (spare) {
    size_t before = -(uintptr_t)memory & (HUGE_PAGE - 1);
    if (before)
      munmap(memory, before);
    memory += before;
    munmap(memory + size, spare - before); // at least a page, as before is less than a huge page
  }
  madvise(memory, size, MADV_HUGEPAGE); // an advice: without it there are small pages
  return memory;
}

// is_own: for one allocation.
static struct kiln_arena_chunk *new_chunk(struct kiln_arena *arena, size_t size, bool is_own) {
  size_t taken = arena->chunks ? arena->chunks->taken : 0;
  size_t whole = size + sizeof(struct kiln_arena_chunk);
  size_t most = arena->limit ? arena->limit - taken : SIZE_MAX / 2;
  bool mapped = MAP_CHUNKS && whole >= MAP_FROM;
  // What an allocation does not need of a chunk of its own is wasted.
  struct kiln_arena_chunk *chunk = take(arena->pool, whole, is_own && whole < most / 2 ? 2 * whole : most, &whole);
  if (chunk) {
    mapped = true;
  } else {
    if (mapped && whole <= SIZE_MAX / 2)
      whole = (whole + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (whole > size && whole <= SIZE_MAX / 2 && whole <= most)
      chunk = mapped ? map(whole) : malloc(whole);
  }
  if (!chunk) {
    arena->over_limit = whole > most;
    longjmp(*arena->exhausted, 1);
  }
  chunk->size = whole - sizeof *chunk;
  chunk->taken = taken + whole;
  chunk->mapped = mapped;
  chunk->is_own = is_own;
  POISON(chunk_data(chunk), size);
  return chunk;
}

static char *align_up(char *cursor, size_t align) { return cursor + (-(uintptr_t)cursor & (align - 1)); }

void *kiln_arena_alloc_slow(struct kiln_arena *arena, size_t size, size_t align) {
  size_t next_size = FIRST_CHUNK;
  if (arena->chunks) {
    size_t doubled = arena->chunks->taken;
    if (doubled >= HUGE_FROM)
      doubled = (doubled + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    next_size = doubled < FIRST_CHUNK ? FIRST_CHUNK : doubled > LAST_CHUNK ? LAST_CHUNK : doubled;
  }
  next_size -= sizeof(struct kiln_arena_chunk);
  if (size > SIZE_MAX / 4) {
    arena->over_limit = true;
    longjmp(*arena->exhausted, 1);
  }
  if (size > next_size / 2) { // its own chunk, after the current one
    struct kiln_arena_chunk *chunk = new_chunk(arena, size + MAX_ALIGN, true);
    if (arena->chunks) {
      chunk->next = arena->chunks->next;
      arena->chunks->next = chunk;
      arena->chunks->taken = chunk->taken;
    } else {
      chunk->next = NULL;
      arena->chunks = chunk;
      arena->cursor = arena->end = chunk_data(chunk) + chunk->size;
    }
    char *result = align_up(chunk_data(chunk), align);
    KILN_ARENA_UNPOISON(result, size);
    arena->used += size;
    return result;
  }
  struct kiln_arena_chunk *chunk = new_chunk(arena, next_size, false);
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  arena->cursor = chunk_data(chunk);
  arena->end = arena->cursor + chunk->size;
  return kiln_arena_alloc(arena, size, align);
}

// Grows the mapping of an allocation that has one of its own. NULL: it has none, or there is no room.
static void *grow_mapping(struct kiln_arena *arena, void *old, size_t new_size, size_t align) {
  struct kiln_arena_chunk **link = &arena->chunks, *chunk;
  while ((chunk = *link) && !(chunk->is_own && chunk->mapped && align_up(chunk_data(chunk), align) == old))
    link = &chunk->next;
  size_t whole = (new_size + MAX_ALIGN + sizeof *chunk + PAGE - 1) & ~(size_t)(PAGE - 1);
  size_t before = chunk ? whole_size(chunk) : 0, more = whole - before;
  if (!chunk || new_size > SIZE_MAX / 4 || whole <= before ||
      (arena->limit != 0 && more > arena->limit - arena->chunks->taken))
    return NULL;
  bool is_current = arena->cursor == chunk_data(chunk) + chunk->size; // the first chunk of all; it is full
  struct kiln_arena_chunk *grown = mremap(chunk, before, whole, MREMAP_MAYMOVE);
  if (grown == MAP_FAILED)
    return NULL;
  *link = grown;
  grown->size = whole - sizeof *grown;
  arena->chunks->taken += more;
  if (is_current)
    arena->cursor = arena->end = chunk_data(grown) + grown->size;
  return align_up(chunk_data(grown), align);
}

void *kiln_arena_grow(struct kiln_arena *arena, void *old, size_t old_size, size_t new_size, size_t align) {
  if (old && (char *)old + old_size + KILN_ARENA_GAP == arena->cursor && new_size >= old_size &&
      new_size - old_size <= (size_t)(arena->end - arena->cursor)) {
    KILN_ARENA_UNPOISON(old, new_size);
    arena->cursor += new_size - old_size;
    arena->used += new_size - old_size;
    return old;
  }
  void *result = MAP_CHUNKS && old_size >= MAP_FROM / 2 ? grow_mapping(arena, old, new_size, align) : NULL;
  if (result) {
    arena->used += new_size - old_size;
    return result;
  }
  result = kiln_arena_alloc(arena, new_size, align);
  if (old_size != 0)
    memcpy(result, old, old_size < new_size ? old_size : new_size);
  return result;
}

char *kiln_arena_strndup(struct kiln_arena *arena, const char *text, size_t size) {
  if (size == SIZE_MAX)
    longjmp(*arena->exhausted, 1);
  char *result = kiln_arena_alloc(arena, size + 1, 1);
  if (size != 0)
    memcpy(result, text, size);
  result[size] = '\0';
  return result;
}

char *kiln_arena_printf(struct kiln_arena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  char buffer[256];
  int size = kiln_vsnprintf(buffer, sizeof buffer, format, args);
  va_end(args);
  char *result;
  if (size < 0) {
    result = kiln_arena_strndup(arena, "", 0);
  } else if ((size_t)size < sizeof buffer) {
    result = kiln_arena_strndup(arena, buffer, (size_t)size);
  } else {
    result = kiln_arena_alloc(arena, (size_t)size + 1, 1);
    kiln_vsnprintf(result, (size_t)size + 1, format, again);
  }
  va_end(again);
  return result;
}
