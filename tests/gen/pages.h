// Memory for a buffer between pages that nothing may access: an access outside of the buffer is a fault, or changes
// what is beside it in its own pages.
#ifndef KILN_TESTS_GEN_PAGES_H
#define KILN_TESTS_GEN_PAGES_H

#include <stdbool.h>
#include <stddef.h>

struct gen_pages {
  unsigned char *data; // of the buffer; NULL: none
  size_t size;
  unsigned char *room; // the pages that may be accessed
  size_t room_size;
};

// Where the buffer lies in its pages.
enum gen_side {
  GEN_AT_END,   // it ends with them, or less than align bytes before
  GEN_AT_START, // it begins with them
  GEN_SIDES
};

// Ends the process when memory is exhausted. align: a power of two, at most that of a page.
void gen_pages_make(struct gen_pages *pages, size_t size, size_t align, enum gen_side side);
// Whether the bytes beside the buffer are what they were.
bool gen_pages_are_intact(const struct gen_pages *pages);
void gen_pages_free(struct gen_pages *pages);

#endif
