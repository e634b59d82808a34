#include "tests/memory/exhaust.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The C library's own.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *block);

enum { MAX_RANGES = 4, MAX_BLOCKS = 1 << 18, MAX_FRAMES = 12 };

struct range {
  uintptr_t begin, end;
};
struct block {
  void *block; // NULL: free; GONE: was taken
  void *caller;
  uint32_t number;
};
static char gone;
#define GONE ((void *)&gone)

// The functions below have no other way to their data.
static struct {
  pthread_mutex_t lock;
  struct range ranges[MAX_RANGES];
  uint32_t range_count;
  uint32_t calls, first, failed; // first: the call that fails; 0: none
  bool ever;
  void *frames[MAX_FRAMES]; // of the first failed call
  int frame_count;
  struct block blocks[MAX_BLOCKS]; // a hash table
  uint32_t live, number, mark;     // mark: the number when calls began to be counted
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_ours(const void *caller) {
  for (uint32_t i = 0; i < state.range_count; i++)
    if ((uintptr_t)caller >= state.ranges[i].begin && (uintptr_t)caller < state.ranges[i].end)
      return true;
  return false;
}

static bool fails(const void *caller) {
  if (!state.first || !is_ours(caller))
    return false;
  pthread_mutex_lock(&state.lock);
  uint32_t call = ++state.calls;
  bool fail = state.first && (state.ever ? call >= state.first : call == state.first);
  bool is_first = fail && !state.failed++;
  pthread_mutex_unlock(&state.lock);
  if (is_first)
    state.frame_count = backtrace(state.frames, MAX_FRAMES);
  if (fail)
    errno = ENOMEM;
  return fail;
}

static uint32_t slot_of(const void *block) { return (uint32_t)(((uintptr_t)block >> 4) * 0x9e3779b1u) % MAX_BLOCKS; }

// Notes a block that Kiln has got.
static void *given(void *block, void *caller) {
  if (!block || !is_ours(caller))
    return block;
  pthread_mutex_lock(&state.lock);
  uint32_t slot = slot_of(block);
  while (state.blocks[slot].block && state.blocks[slot].block != GONE)
    slot = (slot + 1) % MAX_BLOCKS;
  state.blocks[slot] = (struct block){block, caller, ++state.number};
  state.live++;
  pthread_mutex_unlock(&state.lock);
  return block;
}

static void taken(const void *block) {
  if (!block || !state.range_count)
    return;
  pthread_mutex_lock(&state.lock);
  uint32_t slot = slot_of(block);
  while (state.blocks[slot].block && state.blocks[slot].block != block)
    slot = (slot + 1) % MAX_BLOCKS;
  if (state.blocks[slot].block) {
    bool is_last = !state.blocks[(slot + 1) % MAX_BLOCKS].block;
    state.blocks[slot].block = is_last ? NULL : GONE;
    state.live--;
  }
  pthread_mutex_unlock(&state.lock);
}

// ---- the allocation functions

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) { return fails(CALLER) ? NULL : given(__libc_malloc(size), CALLER); }

void *calloc(size_t count, size_t size) { return fails(CALLER) ? NULL : given(__libc_calloc(count, size), CALLER); }

void *realloc(void *old, size_t size) {
  if (fails(CALLER))
    return NULL;
  taken(old); // before another thread can get it
  void *block = __libc_realloc(old, size);
  return given(block ? block : old, CALLER) && block ? block : NULL;
}

int posix_memalign(void **out, size_t align, size_t size) {
  void *block = fails(CALLER) ? NULL : given(__libc_memalign(align, size), CALLER);
  if (block)
    *out = block;
  return block ? 0 : ENOMEM;
}

void free(void *block) {
  taken(block);
  __libc_free(block);
}

static char *copy(const char *text, size_t size, void *caller) {
  char *block = fails(caller) ? NULL : given(__libc_malloc(size + 1), caller);
  if (block) {
    memcpy(block, text, size);
    block[size] = 0;
  }
  return block;
}

char *strdup(const char *text) { return copy(text, strlen(text), CALLER); }

char *strndup(const char *text, size_t size) { return copy(text, strnlen(text, size), CALLER); }

int vasprintf(char **out, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  *out = size < 0 || fails(CALLER) ? NULL : given(__libc_malloc((size_t)size + 1), CALLER);
  if (*out)
    vsnprintf(*out, (size_t)size + 1, format, again);
  va_end(again);
  return *out ? size : -1;
}

// These are not the C library's whole answer to a lack of memory, but they are how Kiln asks for mappings and threads.
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  static __typeof__(mmap) *real;
  if (!real)
    real = (__typeof__(mmap) *)dlsym(RTLD_NEXT, "mmap");
  return fails(CALLER) ? MAP_FAILED : real(address, size, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  static __typeof__(pthread_create) *real;
  if (!real)
    real = (__typeof__(pthread_create) *)dlsym(RTLD_NEXT, "pthread_create");
  return fails(CALLER) ? EAGAIN : real(thread, attributes, run, argument);
}

// ---- for the test

static int note_library(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *name = strrchr(info->dlpi_name, '/');
  if (!name || (strncmp(name, "/libkiln.so", 11) != 0 && strcmp(name, "/libkiln-opencl.so") != 0 &&
                strcmp(name, "/kiln-llvm.so") != 0))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && state.range_count < MAX_RANGES) {
      uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
      state.ranges[state.range_count++] = (struct range){begin, begin + segment->p_memsz};
    }
  }
  return 0;
}

void exhaust_find_libraries(void) {
  void *frames[1];
  backtrace(frames, 1); // loads what it needs
  state.range_count = 0;
  dl_iterate_phdr(note_library, NULL);
}

void exhaust_from(uint32_t call, bool ever) {
  pthread_mutex_lock(&state.lock);
  state.calls = state.failed = 0;
  state.first = call;
  state.ever = ever;
  state.frame_count = 0;
  state.mark = state.number;
  pthread_mutex_unlock(&state.lock);
}

uint32_t exhaust_end(void) {
  pthread_mutex_lock(&state.lock);
  state.first = 0;
  uint32_t failed = state.failed;
  pthread_mutex_unlock(&state.lock);
  return failed;
}

uint32_t exhaust_live(void) { return state.live; }

void exhaust_print_place(bool live) {
  if (!live) {
    backtrace_symbols_fd(state.frames, state.frame_count, STDERR_FILENO);
    return;
  }
  for (uint32_t i = 0; i < MAX_BLOCKS; i++) {
    const struct block *block = &state.blocks[i];
    if (block->block && block->block != GONE && block->number > state.mark)
      backtrace_symbols_fd(&block->caller, 1, STDERR_FILENO);
  }
}
