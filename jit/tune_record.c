// The text of tuning records, such as
//
//   tuning: 1
//   kernel: gemm
//   …
//   class: M=512 N=512
//   best: RM=8 LX=64
//   best_us: 412.500
//   points: 58
//
//   RM LX
//   8 64 412500.000 1200.250 ok
//   1 32 2400000.000 9000.000 ok
//   16 128 0.000 0.000 failed
//
// Times of points are nanoseconds, median and spread. A line that is not known is passed over.
#include "jit/tune_record.h"

#include <stdlib.h>
#include <string.h>

static const char *const states[KILN_TUNE_STATES] = {
    [KILN_TUNE_OK] = "ok", [KILN_TUNE_WRONG] = "wrong", [KILN_TUNE_FAILED] = "failed", [KILN_TUNE_SLOW] = "slow"};

// Lines with text.
static const struct line {
  const char *name;
  size_t offset;
} lines[] = {
    {"kernel", offsetof(struct kiln_tune_record, kernel)}, {"backend", offsetof(struct kiln_tune_record, backend)},
    {"arch", offsetof(struct kiln_tune_record, arch)},     {"device", offsetof(struct kiln_tune_record, device)},
    {"source", offsetof(struct kiln_tune_record, source)}, {"version", offsetof(struct kiln_tune_record, version)},
    {"search", offsetof(struct kiln_tune_record, search)},
};
enum { LINES = sizeof lines / sizeof *lines };

static const char **text_at(const struct kiln_tune_record *record, int line) {
  return (const char **)((char *)(uintptr_t)record + lines[line].offset);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static bool is_name(const char *text) {
  return text && *text &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

static bool are_names(const char *const *names, uint32_t count, uint32_t limit) {
  bool good = count <= limit;
  for (uint32_t i = 0; i < count && good; i++)
    good = is_name(names[i]);
  return good;
}

// A time with three digits after the point, whatever the locale is. What is no time, or beyond 30 years, is 0.
static void put_time(struct kiln_strbuf *out, double time) {
  uint64_t thousandths = time > 0 && time < 1e18 ? (uint64_t)(time * 1000 + 0.5) : 0;
  kiln_strbuf_printf(out, "%llu.%03llu", (unsigned long long)(thousandths / 1000),
                     (unsigned long long)(thousandths % 1000));
}

// One line: what would end it, or is no text, becomes '_'.
static void put_line(struct kiln_strbuf *out, const char *name, const char *text) {
  kiln_strbuf_printf(out, "%s: ", name);
  for (; text && *text; text++)
    kiln_strbuf_putc(out, (unsigned char)*text < ' ' || *text == 127 ? '_' : *text);
  kiln_strbuf_putc(out, '\n');
}

static void put_point(const struct kiln_tune_record *record, const struct kiln_tune_measured *point,
                      struct kiln_strbuf *out) {
  for (uint32_t i = 0; i < record->parameter_count; i++)
    kiln_strbuf_printf(out, "%lld ", (long long)point->values[i]);
  put_time(out, point->median_ns);
  kiln_strbuf_putc(out, ' ');
  put_time(out, point->spread_ns);
  kiln_strbuf_printf(out, " %s\n", states[point->state]);
}

static void put_head(const struct kiln_tune_record *record, struct kiln_strbuf *out) {
  kiln_strbuf_puts(out, "tuning: 1\n");
  for (int i = 0; i < LINES; i++)
    put_line(out, lines[i].name, *text_at(record, i));
  kiln_strbuf_puts(out, "class:");
  for (uint32_t i = 0; i < record->class_count; i++)
    kiln_strbuf_printf(out, " %s=%llu", record->class_names[i], (unsigned long long)record->class_values[i]);
  kiln_strbuf_puts(out, "\nbest:");
  for (uint32_t i = 0; record->best < record->point_count && i < record->parameter_count; i++)
    kiln_strbuf_printf(out, " %s=%lld", record->parameters[i], (long long)record->points[record->best].values[i]);
  kiln_strbuf_puts(out, "\nbest_us: ");
  put_time(out, record->best_ns / 1000);
  kiln_strbuf_puts(out, "\ndefault_us: ");
  put_time(out, record->default_ns / 1000);
  kiln_strbuf_printf(out, "\npoints: %llu\n\n", (unsigned long long)record->measured);
}

// Those with a result first, and of them the fastest.
static int by_use(const void *a, const void *b) {
  const struct kiln_tune_measured *x = *(const struct kiln_tune_measured *const *)a,
                                  *y = *(const struct kiln_tune_measured *const *)b;
  int of_x = x->state == KILN_TUNE_OK ? 0 : 1, of_y = y->state == KILN_TUNE_OK ? 0 : 1;
  if (of_x != of_y)
    return of_x - of_y;
  if (x->median_ns < y->median_ns || x->median_ns > y->median_ns)
    return x->median_ns < y->median_ns ? -1 : 1;
  return x < y ? -1 : x > y;
}

bool kiln_tune_record_encode(const struct kiln_tune_record *record, struct kiln_strbuf *out) {
  size_t start = out->size;
  uint32_t count = 0;
  bool good = are_names(record->parameters, record->parameter_count, KILN_TUNE_MAX_PARAMETERS) &&
              are_names(record->class_names, record->class_count, KILN_TUNE_MAX_CLASS);
  for (uint32_t i = 0; i < record->point_count && good; i++)
    good = record->points[i].state < KILN_TUNE_STATES;
  if (!good || (record->best < record->point_count && record->points[record->best].state != KILN_TUNE_OK))
    return false;
  const struct kiln_tune_measured **order = malloc((record->point_count + 1u) * sizeof *order);
  out->failed |= !order;
  if (!order)
    return true;
  for (uint32_t i = 0; i < record->point_count; i++)
    if (i != record->best)
      order[count++] = &record->points[i];
  if (count >= KILN_TUNE_MAX_POINTS || record->parameter_count > 8) // perhaps too many
    qsort(order, count, sizeof *order, by_use);
  put_head(record, out);
  for (uint32_t i = 0; i < record->parameter_count; i++)
    kiln_strbuf_printf(out, "%s%s", i ? " " : "", record->parameters[i]);
  kiln_strbuf_putc(out, '\n');
  uint32_t written = record->best < record->point_count;
  if (written)
    put_point(record, &record->points[record->best], out);
  for (uint32_t i = 0; i < count && written < KILN_TUNE_MAX_POINTS && !out->failed; i++, written++) {
    size_t before = out->size;
    put_point(record, order[i], out);
    if (out->size - start > KILN_TUNE_MAX_TEXT) {
      out->size = before;
      out->data[before] = '\0';
      break;
    }
  }
  free(order);
  return true;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// Words of a block whose lines and words have been ended by NULs.

static bool read_u64(const char *text, uint64_t *out) {
  *out = 0;
  if (!*text)
    return false;
  for (; *text >= '0' && *text <= '9'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (*out > (UINT64_MAX - digit) / 10)
      return false;
    *out = *out * 10 + digit;
  }
  return !*text;
}

static bool read_i64(const char *text, int64_t *out) {
  bool minus = *text == '-';
  uint64_t value;
  if (!read_u64(text + minus, &value) || value > (uint64_t)INT64_MAX + minus)
    return false;
  *out = minus ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

// "412500.250"
static bool read_time(char *text, double *out) {
  char *point = strchr(text, '.');
  uint64_t whole, thousandths;
  if (!point || strlen(point + 1) != 3)
    return false;
  *point = '\0';
  if (!read_u64(text, &whole) || !read_u64(point + 1, &thousandths) || whole >= (uint64_t)1e15)
    return false;
  *out = (double)(whole * 1000 + thousandths) / 1000;
  return true;
}

// Ends the next word and moves *text past it. NULL at the end of the line.
static char *next_word(char **text) {
  char *word = *text + strspn(*text, " ");
  if (!*word)
    return NULL;
  *text = word + strcspn(word, " ");
  if (**text)
    *(*text)++ = '\0';
  return word;
}

// "M=512 N=512": the caller reads the values.
static bool read_pairs(char *text, const char **names, const char **values, uint32_t limit, uint32_t *count) {
  *count = 0;
  for (char *word; (word = next_word(&text));) {
    char *equals = strchr(word, '=');
    if (!equals || *count == limit)
      return false;
    *equals = '\0';
    if (!is_name(word))
      return false;
    names[*count] = word;
    values[(*count)++] = equals + 1;
  }
  return true;
}

static bool read_point(char *line, uint32_t parameter_count, struct kiln_tune_measured *out) {
  *out = (struct kiln_tune_measured){.state = KILN_TUNE_STATES};
  char *word = NULL;
  for (uint32_t i = 0; i < parameter_count; i++)
    if (!(word = next_word(&line)) || !read_i64(word, &out->values[i]))
      return false;
  if (!(word = next_word(&line)) || !read_time(word, &out->median_ns) || !(word = next_word(&line)) ||
      !read_time(word, &out->spread_ns) || !(word = next_word(&line)))
    return false;
  for (uint8_t state = 0; state < KILN_TUNE_STATES; state++)
    out->state = strcmp(word, states[state]) == 0 ? state : out->state;
  return out->state < KILN_TUNE_STATES && !next_word(&line);
}

// Ends the next line and moves *at past it. NULL: the text is over.
static char *next_line(char **at, char *end) {
  char *line = *at;
  if (line >= end)
    return NULL;
  char *newline = memchr(line, '\n', (size_t)(end - line));
  if (!newline)
    return NULL; // it was cut
  *newline = '\0';
  *at = newline + 1;
  return line;
}

struct head {
  bool has_format, has_points;
  const char *best_names[KILN_TUNE_MAX_PARAMETERS], *best_values[KILN_TUNE_MAX_PARAMETERS];
  uint32_t best_count;
};

// One line "name: value".
static const char *read_head_line(char *line, struct kiln_tune_record *out, struct head *head) {
  char *colon = strchr(line, ':');
  const char *values[KILN_TUNE_MAX_CLASS];
  bool good = true;
  if (!colon)
    return "a line has no name";
  *colon = '\0';
  char *value = colon + 1 + (colon[1] == ' ');
  for (int i = 0; i < LINES; i++)
    if (strcmp(line, lines[i].name) == 0)
      *text_at(out, i) = value;
  if (strcmp(line, "tuning") == 0) {
    head->has_format = true;
    if (strcmp(value, "1") != 0)
      return "it has another format";
  } else if (strcmp(line, "class") == 0) {
    good = read_pairs(value, out->class_names, values, KILN_TUNE_MAX_CLASS, &out->class_count);
    for (uint32_t i = 0; i < out->class_count && good; i++)
      good = read_u64(values[i], &out->class_values[i]);
  } else if (strcmp(line, "best") == 0) {
    good = read_pairs(value, head->best_names, head->best_values, KILN_TUNE_MAX_PARAMETERS, &head->best_count);
  } else if (strcmp(line, "best_us") == 0) {
    good = read_time(value, &out->best_ns);
    out->best_ns *= 1000;
  } else if (strcmp(line, "default_us") == 0) {
    good = read_time(value, &out->default_ns);
    out->default_ns *= 1000;
  } else if (strcmp(line, "points") == 0) {
    good = head->has_points = read_u64(value, &out->measured);
  }
  return good ? NULL : "a line cannot be read";
}

static const char *read_points(char **at, char *end, struct kiln_tune_record *out) {
  char *line = next_line(at, end);
  if (!line)
    return "its points are missing";
  for (char *word; (word = next_word(&line));) {
    if (out->parameter_count == KILN_TUNE_MAX_PARAMETERS || !is_name(word))
      return "its parameters cannot be read";
    for (uint32_t i = 0; i < out->parameter_count; i++)
      if (strcmp(out->parameters[i], word) == 0)
        return "a parameter is there twice";
    out->parameters[out->parameter_count++] = word;
  }
  uint32_t count = 0;
  for (const char *c = *at; c < end; c++)
    count += *c == '\n';
  if (count > KILN_TUNE_MAX_POINTS)
    return "it has too many points";
  out->points = malloc((count + 1u) * sizeof *out->points);
  if (!out->points)
    return "memory is exhausted";
  while ((line = next_line(at, end)))
    if (!read_point(line, out->parameter_count, &out->points[out->point_count++]))
      return "a point cannot be read";
  return *at == end ? NULL : "its end is missing";
}

// The best point is the first one: that of the line "best".
static const char *check_best(struct kiln_tune_record *out, const struct head *head) {
  out->best = UINT32_MAX;
  bool usable = out->point_count != 0 && out->points[0].state == KILN_TUNE_OK;
  if (head->best_count == 0 && (out->parameter_count != 0 || !usable))
    return NULL;
  bool same = usable && head->best_count == out->parameter_count;
  for (uint32_t i = 0; i < head->best_count && same; i++) {
    int64_t value;
    same = strcmp(head->best_names[i], out->parameters[i]) == 0 && read_i64(head->best_values[i], &value) &&
           value == out->points[0].values[i];
  }
  out->best = 0;
  return same ? NULL : "its best point is not its first";
}

static const char *decode(struct kiln_str text, struct kiln_tune_record *out) {
  struct head head = {.has_format = false};
  const char *defect = NULL;
  if (text.size > KILN_TUNE_MAX_TEXT)
    return "it is too large";
  if (memchr(text.data, '\0', text.size))
    return "it is no text";
  out->storage = malloc(text.size + 1);
  if (!out->storage)
    return "memory is exhausted";
  memcpy(out->storage, text.data, text.size);
  out->storage[text.size] = '\0';
  for (int i = 0; i < LINES; i++)
    *text_at(out, i) = "";
  char *at = out->storage, *end = at + text.size, *line;
  while ((line = next_line(&at, end)) && *line && !defect)
    defect = read_head_line(line, out, &head);
  if (!defect && (!line || !head.has_format || !head.has_points))
    defect = "its head is not whole";
  if (!defect)
    defect = read_points(&at, end, out);
  return defect ? defect : check_best(out, &head);
}

const char *kiln_tune_record_decode(struct kiln_str text, struct kiln_tune_record *out) {
  *out = (struct kiln_tune_record){.best = UINT32_MAX};
  const char *defect = text.size ? decode(text, out) : "it is empty";
  if (defect)
    kiln_tune_record_free(out);
  return defect;
}

void kiln_tune_record_free(struct kiln_tune_record *record) {
  free(record->storage);
  free(record->points);
  *record = (struct kiln_tune_record){.best = UINT32_MAX};
}

// ---- keys -----------------------------------------------------------------------------------------------------------

// Where the line that begins at a place ends, with the lines that a backslash joins to it.
static size_t end_of_line(struct kiln_str text, size_t at) {
  for (;;) {
    const char *newline = memchr(text.data + at, '\n', text.size - at);
    if (!newline)
      return text.size;
    size_t next = (size_t)(newline - text.data) + 1;
    bool joined = (next >= 2 && text.data[next - 2] == '\\') ||
                  (next >= 3 && text.data[next - 2] == '\r' && text.data[next - 3] == '\\');
    at = next;
    if (!joined || at == text.size)
      return at;
  }
}

static size_t skip_blanks(struct kiln_str text, size_t at, size_t end) {
  while (at < end && (text.data[at] == ' ' || text.data[at] == '\t'))
    at++;
  return at;
}

// Whether the line at [at, end) is "#", then these words.
static bool is_directive(struct kiln_str text, size_t at, size_t end, const char *const *words) {
  at = skip_blanks(text, at, end);
  if (at == end || text.data[at] != '#')
    return false;
  at++;
  for (; *words; words++) {
    size_t size = strlen(*words);
    at = skip_blanks(text, at, end);
    if (end - at <= size || memcmp(text.data + at, *words, size) != 0)
      return false;
    at += size;
    if (text.data[at] != ' ' && text.data[at] != '\t')
      return false;
  }
  return true;
}

// Appends a source without the lines that describe the tuning.
static void put_source(struct kiln_strbuf *out, struct kiln_str source) {
  static const char *const pragma[] = {"pragma", "kernel", NULL}, *const line[] = {"line", NULL};
  bool removed = false;
  for (size_t at = 0, end; at < source.size; at = end) {
    end = end_of_line(source, at);
    removed = is_directive(source, at, end, pragma) || (removed && is_directive(source, at, end, line));
    if (!removed)
      kiln_strbuf_append(out, source.data + at, end - at);
  }
}

bool kiln_tune_record_key(struct kiln_str entry_record, const char *kernel, const char *device,
                          const uint8_t size_class[16], struct kiln_tune_key *out) {
  struct kiln_key same = {0};
  struct kiln_key_field field;
  for (size_t cursor = 0, start = 0; kiln_key_next(entry_record, &cursor, &field); start = cursor) {
    struct kiln_strbuf source = {0};
    if (kiln_str_eq(field.name, kiln_str("source"))) {
      put_source(&source, field.data);
      kiln_key_add(&same, "source", source.data ? source.data : "", source.size);
    } else {
      kiln_strbuf_append(&same.record, entry_record.data + start, cursor - start);
    }
    same.record.failed |= source.failed;
    kiln_strbuf_free(&source);
  }
  kiln_key_add_text(&same, "kernel", kernel);
  kiln_key_add_text(&same, "device", device);
  struct kiln_hash128 name = kiln_hash128(kernel, strlen(kernel));
  struct kiln_hash128 family = kiln_hash128(same.record.data, same.record.failed ? 0 : same.record.size);
  memcpy(out->bytes, name.bytes, 4);
  memcpy(out->bytes + 4, family.bytes, 12);
  memcpy(out->bytes + 16, size_class, 16);
  bool ok = !same.record.failed;
  kiln_key_free(&same);
  return ok;
}
