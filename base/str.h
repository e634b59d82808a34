// Strings: views, a malloc'ed builder, and interned names.
#ifndef KILN_BASE_STR_H
#define KILN_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kiln_str { // a view; not NUL-terminated
  const char *data;
  size_t size;
};

static inline struct kiln_str kiln_str(const char *text) { return (struct kiln_str){text, strlen(text)}; }
static inline bool kiln_str_eq(struct kiln_str a, struct kiln_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

// Text under construction; zero-initialise. data is NUL-terminated once anything was added. Out of memory sets
// failed and drops what follows.
struct kiln_strbuf {
  char *data;
  size_t size, capacity;
  bool failed;
};
void kiln_strbuf_free(struct kiln_strbuf *buf);
void kiln_strbuf_clear(struct kiln_strbuf *buf);
void kiln_strbuf_append(struct kiln_strbuf *buf, const void *data, size_t size);
void kiln_strbuf_puts(struct kiln_strbuf *buf, const char *text);
void kiln_strbuf_putc(struct kiln_strbuf *buf, char c);
__attribute__((format(printf, 2, 3))) void kiln_strbuf_printf(struct kiln_strbuf *buf, const char *format, ...);
void kiln_strbuf_vprintf(struct kiln_strbuf *buf, const char *format, va_list args);
// A JSON string with its quotes. What is not UTF-8 becomes U+FFFD; control characters are escaped.
void kiln_strbuf_json(struct kiln_strbuf *buf, const char *text);
// Text of any origin as a terminal or a log may show it: lines and tabs stay, control characters and what is not UTF-8
// become \xHH, characters that turn the direction of text \uHHHH.
void kiln_strbuf_shown(struct kiln_strbuf *buf, const char *text, size_t size);
// The text, which becomes the caller's to free(); NULL when failed. The builder is empty then.
char *kiln_strbuf_take(struct kiln_strbuf *buf);

// Interned names: equal text has the same pointer and the same small id (from 1). NUL-terminated.
struct kiln_name {
  uint32_t id, size, hash;
  uint32_t tag; // free for the owner of the table: keyword, builtin, …
  void *data;   // likewise: the macro that the name stands for, …
  char text[];
};
struct kiln_names {
  struct kiln_arena *arena;
  struct kiln_name **slots;
  uint32_t count, capacity;
};
void kiln_names_init(struct kiln_names *names, struct kiln_arena *arena);
struct kiln_name *kiln_names_intern(struct kiln_names *names, const char *text, size_t size);

// Edit distance, for "did you mean": the number of changed, added, dropped or swapped characters, at most limit + 1.
unsigned kiln_edit_distance(const char *a, const char *b, unsigned limit);

// The three names nearest to a wrong one: begins as {0}; names are offered one by one and live on.
struct kiln_near_names {
  const char *name[3];
  unsigned distance[3];
};
void kiln_near_names_offer(struct kiln_near_names *nearest, const char *wrong, const char *name);
// The nearest one, if it is so near that it was probably meant; else NULL.
const char *kiln_near_names_meant(const struct kiln_near_names *nearest, const char *wrong);
// At most 63 printable characters of a name, for a message.
void kiln_quote_name(char out[64], const char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif
