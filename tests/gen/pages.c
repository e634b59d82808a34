#include "tests/gen/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATTERN = 0xa5 };

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

void gen_pages_make(struct gen_pages *pages, size_t size, size_t align, enum gen_side side) {
  size_t page = page_size(), room = round_up(size, page);
  unsigned char *all = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED || mprotect(all + page, room, PROT_READ | PROT_WRITE))
    exit(3);
  pages->size = size, pages->room = all + page, pages->room_size = room;
  pages->data = pages->room + (side == GEN_AT_END ? room - round_up(size, align) : 0);
  memset(pages->room, PATTERN, room);
}

static bool is_pattern(const unsigned char *from, const unsigned char *to) {
  while (from < to && *from == PATTERN)
    from++;
  return from == to;
}

bool gen_pages_are_intact(const struct gen_pages *pages) {
  return is_pattern(pages->room, pages->data) && is_pattern(pages->data + pages->size, pages->room + pages->room_size);
}

void gen_pages_free(struct gen_pages *pages) {
  if (pages->data)
    munmap(pages->room - page_size(), pages->room_size + 2 * page_size());
  *pages = (struct gen_pages){0};
}
