// Memory for the buffers of kiln run on the CPU: no memory is mapped before and after, so that a kernel that runs past
// the end is a fault, with its line under -g, and not a wrong result or a crash later on.
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"

enum { MOST_ALIGN = 128 }; // of any type

// The end of the buffer is the end of its last page, where its size is a multiple of what it must be aligned to.
// Kernels may also take it for vectors that its size is a multiple of.
static size_t alignment(size_t size, size_t needed) {
  size_t align = 1;
  while (align < MOST_ALIGN && size % (2 * align) == 0)
    align *= 2;
  return align > needed ? align : needed;
}

void *guarded_alloc(struct guarded *guarded, size_t size, size_t align, bool before) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  align = alignment(size, align && align <= page ? align : 1);
  size_t room = (size + align - 1) / align * align, pages = (room + page - 1) / page * page;
  unsigned char *start = mmap(NULL, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  if (mprotect(start + page, pages, PROT_READ | PROT_WRITE) != 0) {
    munmap(start, pages + 2 * page);
    return NULL;
  }
  *guarded = (struct guarded){start, pages + 2 * page};
  return start + page + (before ? 0 : pages - room);
}

void guarded_free(struct guarded *guarded) {
  if (guarded->start)
    munmap(guarded->start, guarded->size);
  *guarded = (struct guarded){NULL, 0};
}
