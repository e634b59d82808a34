// The ARG, -o and -p forms of kiln run.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_BYTES ((uint64_t)1 << 40)
#define TYPE_NAMES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"

bool parse_count(const char *text, size_t size, uint64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
      return false;
  }
  *out = value;
  return size > 0;
}

int arg_bad(const struct arg_text *arg, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  say(stderr, "kiln: argument %u ('%s'): ", (unsigned)arg->index, arg->whole);
  say_v(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return EXIT_USAGE;
}

static int bad_number(const struct arg_text *arg, const struct value_type *type, const char *text, size_t size) {
  char range[64];
  format_range(type, range);
  return arg_bad(arg, "'%.*s' is not a number of type %s, which holds %s %s", (int)size, text, type->name,
                 type->kind == 'f' ? "numbers" : "whole numbers", range);
}

bool arg_field(struct arg_text *arg, const char **text, size_t *size) {
  if (!arg->rest)
    return false;
  *text = arg->rest;
  *size = strcspn(arg->rest, ":");
  arg->rest = arg->rest[*size] ? arg->rest + *size + 1 : NULL;
  return true;
}

static int type_field(struct arg_text *arg, const struct value_type **out) {
  const char *text;
  size_t size;
  if (!arg_field(arg, &text, &size))
    return arg_bad(arg, "the TYPE is missing; types are " TYPE_NAMES);
  *out = find_type(text, size);
  return *out ? EXIT_FINE : arg_bad(arg, "'%.*s' is not a type; types are " TYPE_NAMES, (int)size, text);
}

static int count_field(struct arg_text *arg, const struct value_type *type, uint64_t *out) {
  const char *text;
  size_t size;
  if (!arg_field(arg, &text, &size))
    return arg_bad(arg, "the number of elements is missing");
  if (!parse_count(text, size, out) || *out == 0)
    return arg_bad(arg, "'%.*s' is not a number of elements; it must be 1 or more", (int)size, text);
  if (*out > MAX_BYTES / type->size)
    return arg_bad(arg, "%llu elements are too many", (unsigned long long)*out);
  return EXIT_FINE;
}

static int no_more(struct arg_text *arg) {
  return arg->rest ? arg_bad(arg, "there is something left over: '%s'", arg->rest) : EXIT_FINE;
}

int arg_allocate(const struct arg_text *arg, size_t size, struct run_arg *out) {
  out->data = calloc(size ? size : 1, 1);
  out->size = size;
  return out->data ? EXIT_FINE
                   : fail(EXIT_ENVIRONMENT, "argument %u: no memory for %zu bytes", (unsigned)arg->index, size);
}

int arg_values(struct arg_text *arg, const struct value_type *type, const char *text, struct run_arg *out) {
  size_t count = 1;
  for (const char *p = text; *p; p++)
    count += *p == ',';
  int code = arg_allocate(arg, count * type->size, out);
  if (code != EXIT_FINE)
    return code;
  for (size_t i = 0; i < count; i++) {
    char word[64];
    size_t size = strcspn(text, ",");
    bool ok = size < sizeof word;
    if (ok) {
      memcpy(word, text, size);
      word[size] = 0;
      ok = parse_value(type, word, out->data + i * type->size);
    }
    if (!ok)
      return bad_number(arg, type, text, size);
    text += size + 1;
  }
  return EXIT_FINE;
}

static int parse_fill(struct arg_text *arg, const struct value_type *type, uint64_t count, struct run_arg *out) {
  unsigned char value[8];
  if (!arg->rest)
    return arg_bad(arg, "the value is missing");
  if (!parse_value(type, arg->rest, value))
    return bad_number(arg, type, arg->rest, strlen(arg->rest));
  for (uint64_t i = 0; i < count; i++)
    memcpy(out->data + i * type->size, value, type->size);
  return EXIT_FINE;
}

static int parse_rand(struct arg_text *arg, const struct value_type *type, uint64_t count, struct run_arg *out) {
  const char *text, *low = NULL, *high = NULL;
  size_t size, low_size;
  uint64_t seed = 1;
  if (arg_field(arg, &text, &size) && !parse_count(text, size, &seed))
    return arg_bad(arg, "'%.*s' is not a seed; it must be a whole number", (int)size, text);
  char low_text[64] = "";
  if (arg_field(arg, &low, &low_size)) {
    high = arg->rest;
    if (!high)
      return arg_bad(arg, "LO:HI needs both bounds");
    snprintf(low_text, sizeof low_text, "%.*s", (int)(low_size < 63 ? low_size : 63), low);
  }
  struct random_source source;
  if (!random_init(&source, type, seed, low ? low_text : NULL, high))
    return arg_bad(arg, "'%s:%s' are no bounds of type %s, the lower one first", low_text, high, type->name);
  for (uint64_t i = 0; i < count; i++)
    random_value(&source, type, out->data + i * type->size);
  return EXIT_FINE;
}

int arg_make(struct arg_text *arg, const char *form, const struct value_type *type, uint64_t count,
             struct run_arg *out) {
  int code = arg_allocate(arg, count * type->size, out);
  if (code != EXIT_FINE)
    return code;
  if (strcmp(form, "fill") == 0)
    return parse_fill(arg, type, count, out);
  if (strcmp(form, "rand") == 0)
    return parse_rand(arg, type, count, out);
  for (uint64_t i = 0; i < count && strcmp(form, "iota") == 0; i++)
    iota_value(type, i, out->data + i * type->size);
  return no_more(arg);
}

// zero, iota, fill, rand: TYPE:N and more.
static int parse_made(struct arg_text *arg, const char *form, struct run_arg *out) {
  const struct value_type *type;
  uint64_t count = 0;
  int code = type_field(arg, &type);
  if (code == EXIT_FINE)
    code = count_field(arg, type, &count);
  return code == EXIT_FINE ? arg_make(arg, form, type, count, out) : code;
}

static int parse_list(struct arg_text *arg, struct run_arg *out) {
  const struct value_type *type;
  int code = type_field(arg, &type);
  if (code != EXIT_FINE)
    return code;
  return arg->rest ? arg_values(arg, type, arg->rest, out) : arg_bad(arg, "the values are missing");
}

static int hex_digit(char c) {
  const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
  return at ? (int)((at - digits) % 16) : -1;
}

static int parse_bytes(struct arg_text *arg, struct run_arg *out) {
  const char *text = arg->rest ? arg->rest : "";
  size_t size = strlen(text);
  if (size == 0 || size % 2)
    return arg_bad(arg, "an even number of hexadecimal digits is needed");
  int code = arg_allocate(arg, size / 2, out);
  for (size_t i = 0; i < size / 2 && code == EXIT_FINE; i++) {
    int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return arg_bad(arg, "'%.2s' are no hexadecimal digits", text + 2 * i);
    out->data[i] = (unsigned char)(high * 16 + low);
  }
  out->kind = ARG_VALUE;
  return code;
}

static int parse_file(struct arg_text *arg, struct run_arg *out) {
  if (!arg->rest || !*arg->rest)
    return arg_bad(arg, "the file is missing");
  char *data;
  int code = read_whole_file(arg->rest, FILE_DATA, &data, &out->size);
  if (code != EXIT_FINE)
    return code;
  out->data = (unsigned char *)data;
  return out->size ? EXIT_FINE
                   : fail(EXIT_DATA, "argument %u ('%s'): the file is empty", (unsigned)arg->index, arg->whole);
}

static int parse_number(struct arg_text *arg, const char *what, uint64_t least, uint64_t most, uint64_t *out) {
  const char *text = arg->rest ? arg->rest : "";
  if (!parse_count(text, strlen(text), out) || *out < least || *out > most)
    return arg_bad(arg, "'%s' is not a %s", text, what);
  return EXIT_FINE;
}

int parse_arg(const char *text, uint32_t index, struct run_arg *out) {
  static const char *const made[] = {"zero", "iota", "fill", "rand"};
  memset(out, 0, sizeof *out);
  out->text = text;
  struct arg_text arg = {text, NULL, index};
  size_t equals = strcspn(text, "=:");
  if (text[equals] == '=') {
    const struct value_type *type = find_type(text, equals);
    if (!type)
      return arg_bad(&arg, "'%.*s' is not a type; types are " TYPE_NAMES, (int)equals, text);
    out->kind = ARG_VALUE;
    out->type = type;
    int code = arg_values(&arg, type, text + equals + 1, out);
    size_t count = out->size / type->size;
    if (code == EXIT_FINE && count != 1 && count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
      return arg_bad(&arg, "%zu components; a vector has 2, 3, 4, 8 or 16", count);
    return code;
  }
  arg.rest = text[equals] ? text + equals + 1 : NULL;
  char form[8] = "";
  if (equals < sizeof form)
    memcpy(form, text, equals);
  uint64_t number;
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    if (strcmp(form, made[i]) == 0)
      return parse_made(&arg, made[i], out);
  }
  if (strcmp(form, "buf") == 0)
    return parse_file(&arg, out);
  if (strcmp(form, "list") == 0)
    return parse_list(&arg, out);
  if (strcmp(form, "bytes") == 0)
    return parse_bytes(&arg, out);
  if (strcmp(form, "image") == 0)
    return parse_image(&arg, out);
  if (strcmp(form, "sampler") == 0)
    return parse_sampler(&arg, out);
  if (strcmp(form, "null") == 0) {
    out->kind = ARG_NULL;
    return no_more(&arg);
  }
  if (strcmp(form, "same") == 0) {
    out->kind = ARG_SAME;
    int code = parse_number(&arg, "number of an argument", 0, UINT32_MAX, &number);
    out->same = code == EXIT_FINE ? (uint32_t)number : 0;
    return code;
  }
  if (strcmp(form, "local") == 0) {
    out->kind = ARG_LOCAL;
    int code = parse_number(&arg, "number of bytes, which must be 1 or more", 1, MAX_BYTES, &number);
    out->size = code == EXIT_FINE ? number : 0;
    return code;
  }
  return arg_bad(&arg, "unknown form; the forms are buf:FILE zero:TYPE:N iota:TYPE:N fill:TYPE:N:V list:TYPE:v,v,... "
                       "rand:TYPE:N[:SEED[:LO:HI]] same:IDX null local:BYTES TYPE=V[,V...] bytes:HEX image:FILE "
                       "image:ORDER:TYPE:WxH[:VALUES] sampler:WORD,WORD");
}

int convert_arg(struct run_arg *arg, uint32_t index, const struct kiln_arg_info *info) {
  const struct arg_text text = {arg->text, NULL, index};
  size_t count, given = arg->type ? arg->size / arg->type->size : 0;
  const struct value_type *type = find_kernel_type(info->type_name, &count);
  if (info->kind != KILN_ARG_VALUE || !arg->type || !type)
    return EXIT_FINE;
  if (given != count) {
    arg_bad(&text, "%zu component%s given, but '%s' is of type %s", given, given == 1 ? "" : "s", info->name,
            info->type_name);
    return EXIT_DATA;
  }
  unsigned char *converted = calloc(1, info->size);
  if (!converted)
    return fail(EXIT_ENVIRONMENT, "memory is exhausted");
  for (size_t i = 0; i < count; i++) {
    const unsigned char *value = arg->data + i * arg->type->size;
    if (convert_value(arg->type, value, type, converted + i * type->size))
      continue;
    char digits[32], range[64];
    format_value(arg->type, value, digits);
    format_range(type, range);
    free(converted);
    arg_bad(&text, "'%s' is of type %s and cannot be %s; it holds %s %s", info->name, info->type_name, digits,
            type->kind == 'f' ? "numbers" : "whole numbers", range);
    return EXIT_DATA;
  }
  free(arg->data);
  arg->data = converted;
  arg->size = info->size;
  return EXIT_FINE;
}

int parse_output(const char *text, bool print, struct run_output *out) {
  memset(out, 0, sizeof *out);
  char option = print ? 'p' : 'o';
  uint64_t index;
  size_t size = strcspn(text, ":");
  if (!text[size] || !parse_count(text, size, &index) || index > UINT32_MAX)
    return fail(EXIT_USAGE, "-%c %s: it must have the form %s", option, text, print ? "IDX:TYPE[:N]" : "IDX:FILE");
  out->index = (uint32_t)index;
  text += size + 1;
  if (!print) {
    out->file = text;
    return *text ? EXIT_FINE : fail(EXIT_USAGE, "-o %u: the file is missing", (unsigned)index);
  }
  size = strcspn(text, ":");
  out->type = find_type(text, size);
  if (!out->type)
    return fail(EXIT_USAGE, "-p %u: '%.*s' is not a type; types are " TYPE_NAMES, (unsigned)index, (int)size, text);
  out->all = !text[size];
  if (!out->all && !parse_count(text + size + 1, strlen(text + size + 1), &out->count))
    return fail(EXIT_USAGE, "-p %u: '%s' is not a number of elements", (unsigned)index, text + size + 1);
  return EXIT_FINE;
}
