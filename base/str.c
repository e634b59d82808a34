// String builder, interned names, edit distance.
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "base/hash.h"

void kiln_strbuf_free(struct kiln_strbuf *buf) {
  free(buf->data);
  *buf = (struct kiln_strbuf){0};
}

void kiln_strbuf_clear(struct kiln_strbuf *buf) {
  buf->size = 0;
  buf->failed = false;
  if (buf->data)
    buf->data[0] = '\0';
}

// Makes room for size more bytes and a NUL.
static bool strbuf_reserve(struct kiln_strbuf *buf, size_t size) {
  if (buf->failed)
    return false;
  if (size < buf->capacity - buf->size)
    return true;
  size_t need = buf->size + size + 1;
  size_t capacity = buf->capacity < 64 ? 128 : buf->capacity * 2;
  capacity = capacity < need ? need : capacity;
  char *data = size < SIZE_MAX / 4 ? realloc(buf->data, capacity) : NULL;
  if (!data) {
    buf->failed = true;
    return false;
  }
  buf->data = data;
  buf->capacity = capacity;
  return true;
}

void kiln_strbuf_append(struct kiln_strbuf *buf, const void *data, size_t size) {
  if (!strbuf_reserve(buf, size))
    return;
  if (size != 0)
    memcpy(buf->data + buf->size, data, size);
  buf->size += size;
  buf->data[buf->size] = '\0';
}

void kiln_strbuf_puts(struct kiln_strbuf *buf, const char *text) { kiln_strbuf_append(buf, text, strlen(text)); }

void kiln_strbuf_putc(struct kiln_strbuf *buf, char c) { kiln_strbuf_append(buf, &c, 1); }

void kiln_strbuf_vprintf(struct kiln_strbuf *buf, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  if (strbuf_reserve(buf, 64)) {
    size_t room = buf->capacity - buf->size;
    int size = kiln_vsnprintf(buf->data + buf->size, room, format, args);
    if (size < 0) {
      buf->data[buf->size] = '\0';
      buf->failed = true;
    } else if ((size_t)size < room) {
      buf->size += (size_t)size;
    } else if (buf->data[buf->size] = '\0', strbuf_reserve(buf, (size_t)size)) {
      kiln_vsnprintf(buf->data + buf->size, buf->capacity - buf->size, format, again);
      buf->size += (size_t)size;
    }
  }
  va_end(again);
}

void kiln_strbuf_printf(struct kiln_strbuf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(buf, format, args);
  va_end(args);
}

// Bytes of the UTF-8 character at p; 0 when there is none.
static size_t utf8_size(const unsigned char *p) {
  size_t size = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < size; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  }
  bool wrong = (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) || (*p == 0xf0 && p[1] < 0x90) ||
               (*p == 0xf4 && p[1] >= 0x90); // too long, a surrogate, past the last one
  return wrong ? 0 : size;
}

// Of C0 and C1, and DEL.
static bool is_control(const unsigned char *p, size_t size) {
  return (size == 1 && (*p < 0x20 || *p == 0x7f)) || (size == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

// U+061C, U+200E and U+200F, U+202A to U+202E, U+2066 to U+2069: what follows is shown in another order.
static unsigned direction_mark(const unsigned char *p, size_t size) {
  unsigned c = size == 2   ? (p[0] & 31u) << 6 | (p[1] & 63u)
               : size == 3 ? (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u)
                           : 0;
  bool turns = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return turns ? c : 0;
}

void kiln_strbuf_json(struct kiln_strbuf *buf, const char *text) {
  kiln_strbuf_putc(buf, '"');
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    size_t size = utf8_size(p);
    if (*p == '"' || *p == '\\')
      kiln_strbuf_printf(buf, "\\%c", *p);
    else if (*p == '\n' || *p == '\t')
      kiln_strbuf_puts(buf, *p == '\n' ? "\\n" : "\\t");
    else if (is_control(p, size))
      kiln_strbuf_printf(buf, "\\u%04x", size == 2 ? (unsigned)p[1] : (unsigned)*p);
    else if (direction_mark(p, size))
      kiln_strbuf_printf(buf, "\\u%04x", direction_mark(p, size));
    else if (size)
      kiln_strbuf_append(buf, p, size);
    else
      kiln_strbuf_puts(buf, "\\ufffd");
    p += size ? size : 1;
  }
  kiln_strbuf_putc(buf, '"');
}

void kiln_strbuf_shown(struct kiln_strbuf *buf, const char *text, size_t size) {
  for (size_t at = 0; at < size;) {
    size_t plain = at;
    while (plain < size && text[plain] >= ' ' && text[plain] <= '~')
      plain++;
    kiln_strbuf_append(buf, text + at, plain - at);
    at = plain;
    if (at == size)
      break;
    unsigned char p[4] = {0}; // the zeros make a character that the text cuts off invalid
    memcpy(p, text + at, size - at < sizeof p ? size - at : sizeof p);
    size_t step = utf8_size(p);
    bool line = *p == '\n' || *p == '\t' || (*p == '\r' && p[1] == '\n');
    unsigned mark = direction_mark(p, step);
    if (mark != 0)
      kiln_strbuf_printf(buf, "\\u%04x", mark);
    else if (step != 0 && (line || !is_control(p, step)))
      kiln_strbuf_append(buf, p, *p == '\r' ? 0 : step);
    else
      for (size_t i = 0; i < (step ? step : 1); i++)
        kiln_strbuf_printf(buf, "\\x%02x", (unsigned)p[i]);
    at += step ? step : 1;
  }
}

char *kiln_strbuf_take(struct kiln_strbuf *buf) {
  kiln_strbuf_append(buf, "", 0);
  char *data = buf->data;
  if (buf->failed) {
    free(data);
    data = NULL;
  }
  *buf = (struct kiln_strbuf){0};
  return data;
}

void kiln_names_init(struct kiln_names *names, struct kiln_arena *arena) {
  *names = (struct kiln_names){.arena = arena};
}

static void names_grow(struct kiln_names *names) {
  uint32_t capacity = names->capacity ? names->capacity * 2 : 512;
  struct kiln_name **slots = KILN_NEW_ARRAY(names->arena, struct kiln_name *, capacity);
  for (uint32_t i = 0; i < names->capacity; i++) {
    struct kiln_name *name = names->slots[i];
    if (name) {
      uint32_t at = name->hash & (capacity - 1);
      while (slots[at])
        at = (at + 1) & (capacity - 1);
      slots[at] = name;
    }
  }
  names->slots = slots;
  names->capacity = capacity;
}

struct kiln_name *kiln_names_intern(struct kiln_names *names, const char *text, size_t size) {
  if (names->count >= names->capacity / 2)
    names_grow(names);
  uint32_t hash = (uint32_t)kiln_hash64(text, size);
  uint32_t at = hash & (names->capacity - 1);
  for (struct kiln_name *name; (name = names->slots[at]); at = (at + 1) & (names->capacity - 1))
    if (name->hash == hash && name->size == size && (size == 0 || memcmp(name->text, text, size) == 0))
      return name;
  struct kiln_name *name = kiln_arena_alloc(names->arena, sizeof *name + size + 1, _Alignof(struct kiln_name));
  *name = (struct kiln_name){.id = ++names->count, .size = (uint32_t)size, .hash = hash};
  if (size != 0)
    memcpy(name->text, text, size);
  name->text[size] = '\0';
  names->slots[at] = name;
  return name;
}

static unsigned min_of(unsigned a, unsigned b) { return a < b ? a : b; }

// Three rows of the usual table. What is longer than a row once the common ends are gone counts as far away.
unsigned kiln_edit_distance(const char *a, const char *b, unsigned limit) {
  enum { ROW = 256 };
  size_t m = strlen(a), n = strlen(b);
  while (m && n && *a == *b)
    a++, b++, m--, n--;
  while (m && n && a[m - 1] == b[n - 1])
    m--, n--;
  if ((m > n ? m - n : n - m) > limit || m >= ROW || n >= ROW)
    return limit + 1;
  unsigned rows[3][ROW];
  unsigned *before = rows[0], *previous = rows[1], *current = rows[2];
  for (size_t j = 0; j <= n; j++)
    previous[j] = (unsigned)j;
  for (size_t i = 1; i <= m; i++) {
    current[0] = (unsigned)i;
    unsigned best = current[0];
    for (size_t j = 1; j <= n; j++) {
      unsigned cost = previous[j - 1] + (a[i - 1] != b[j - 1]);
      cost = min_of(cost, min_of(previous[j], current[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost = min_of(cost, before[j - 2] + 1);
      current[j] = cost;
      best = min_of(best, cost);
    }
    if (best > limit)
      return limit + 1;
    unsigned *spare = before;
    before = previous, previous = current, current = spare;
  }
  return min_of(previous[n], limit + 1);
}

void kiln_near_names_offer(struct kiln_near_names *nearest, const char *wrong, const char *name) {
  unsigned distance = kiln_edit_distance(wrong, name, 32);
  for (int i = 0; i < 3; i++) {
    if (nearest->name[i] && nearest->distance[i] <= distance)
      continue;
    memmove(&nearest->name[i + 1], &nearest->name[i], (size_t)(2 - i) * sizeof *nearest->name);
    memmove(&nearest->distance[i + 1], &nearest->distance[i], (size_t)(2 - i) * sizeof *nearest->distance);
    nearest->name[i] = name;
    nearest->distance[i] = distance;
    return;
  }
}

const char *kiln_near_names_meant(const struct kiln_near_names *nearest, const char *wrong) {
  return nearest->name[0] && nearest->distance[0] <= strlen(wrong) / 4 + 1 ? nearest->name[0] : NULL;
}

void kiln_quote_name(char out[64], const char *name, size_t size) {
  if (size > 63)
    size = 63;
  for (size_t i = 0; i < size; i++)
    out[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
  out[size] = 0;
}
