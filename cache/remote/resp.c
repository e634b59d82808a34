#include "cache/remote/resp.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE = 4096 }; // the longest; errors of Redis have some hundred characters

static const char malformed[] = "its answer is no answer of Redis", too_long[] = "its answer is too long";

bool kiln_resp_fail(char problem[KILN_REMOTE_PROBLEM], const char *what) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "%s", what);
  for (char *c = problem; *c; c++)
    *c = *c >= ' ' && *c <= '~' ? *c : '?';
  return false;
}

void kiln_resp_put(struct kiln_strbuf *out, uint32_t count, const char *const *words, const size_t *sizes) {
  kiln_strbuf_printf(out, "*%u\r\n", (unsigned)count);
  for (uint32_t i = 0; i < count; i++) {
    size_t size = sizes ? sizes[i] : strlen(words[i]);
    kiln_strbuf_printf(out, "$%zu\r\n", size);
    kiln_strbuf_append(out, words[i], size);
    kiln_strbuf_puts(out, "\r\n");
  }
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

// Receives at least one byte. Every byte that the server sends comes through here.
static size_t receive(struct kiln_resp *resp, struct kiln_resp_limits *limits, char *out, size_t size,
                      char problem[KILN_REMOTE_PROBLEM]) {
  if (limits->bytes == 0) {
    kiln_resp_fail(problem, too_long);
    return 0;
  }
  size = size < limits->bytes ? size : (size_t)limits->bytes;
  size_t got = kiln_net_receive(&resp->net, out, size, limits->deadline, problem);
  limits->bytes -= got;
  return got;
}

// Reads up to CR LF, which is left out. The line stays in the buffer, with a NUL after its end, until more is read.
static char *read_line(struct kiln_resp *resp, struct kiln_resp_limits *limits, size_t *size,
                       char problem[KILN_REMOTE_PROBLEM]) {
  for (size_t seen = 0;;) {
    char *start = resp->buffer + resp->begin;
    size_t there = resp->end - resp->begin;
    char *newline = memchr(start + seen, '\n', there - seen);
    seen = newline ? (size_t)(newline - start) + 1 : there;
    if (seen > LINE || (newline && (seen < 3 || newline[-1] != '\r'))) {
      kiln_resp_fail(problem, malformed);
      return NULL;
    }
    if (newline) {
      newline[-1] = '\0';
      *size = seen - 2;
      resp->begin += seen;
      return start;
    }
    if (resp->begin != 0) {
      memmove(resp->buffer, start, there);
      resp->begin = 0;
      resp->end = there;
    }
    size_t got = receive(resp, limits, resp->buffer + there, sizeof resp->buffer - there, problem);
    if (got == 0)
      return NULL;
    resp->end += got;
  }
}

static bool read_bytes(struct kiln_resp *resp, struct kiln_resp_limits *limits, char *out, size_t size,
                       char problem[KILN_REMOTE_PROBLEM]) {
  size_t there = resp->end - resp->begin, part = there < size ? there : size;
  memcpy(out, resp->buffer + resp->begin, part);
  resp->begin += part;
  while (part < size) {
    size_t got = receive(resp, limits, out + part, size - part, problem);
    if (got == 0)
      return false;
    part += got;
  }
  return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool parse_number(const char *text, int64_t *out) {
  enum { DIGITS = 18 }; // more would not fit
  bool negative = *text == '-';
  text += negative;
  size_t size = strlen(text);
  if (size == 0 || size > DIGITS || strspn(text, "0123456789") != size)
    return false;
  int64_t number = 0;
  for (; *text; text++)
    number = number * 10 + (*text - '0');
  *out = negative ? -number : number;
  return true;
}

static bool copy_line(const char *line, size_t size, struct kiln_resp_value *out, char problem[KILN_REMOTE_PROBLEM]) {
  out->text = malloc(size + 1);
  if (!out->text)
    return kiln_resp_fail(problem, "memory is exhausted");
  memcpy(out->text, line, size);
  out->text[size] = '\0';
  out->size = size;
  return true;
}

static bool read_string(struct kiln_resp *resp, struct kiln_resp_limits *limits, size_t size,
                        struct kiln_resp_value *out, char problem[KILN_REMOTE_PROBLEM]) {
  char end[2];
  char *text = malloc(size + 1);
  bool ok = text ? read_bytes(resp, limits, text, size, problem) && read_bytes(resp, limits, end, sizeof end, problem)
                 : kiln_resp_fail(problem, "memory is exhausted");
  if (ok && memcmp(end, "\r\n", sizeof end) != 0)
    ok = kiln_resp_fail(problem, malformed);
  if (!ok) {
    free(text);
    return false;
  }
  text[size] = '\0';
  *out = (struct kiln_resp_value){.type = KILN_RESP_STRING, .text = text, .size = size};
  return true;
}

bool kiln_resp_read(struct kiln_resp *resp, struct kiln_resp_limits *limits, size_t most, struct kiln_resp_value *out,
                    char problem[KILN_REMOTE_PROBLEM]) {
  size_t size;
  int64_t number = 0;
  *out = (struct kiln_resp_value){.type = KILN_RESP_NIL};
  char *line = read_line(resp, limits, &size, problem);
  if (!line)
    return false;
  switch (*line) {
  case '+':
  case '-':
    out->type = *line == '+' ? KILN_RESP_STATUS : KILN_RESP_ERROR;
    return copy_line(line + 1, size - 1, out, problem);
  case ':':
    out->type = KILN_RESP_INTEGER;
    return parse_number(line + 1, &out->number) || kiln_resp_fail(problem, malformed);
  case '$':
    if (!parse_number(line + 1, &number) || number < -1)
      return kiln_resp_fail(problem, malformed);
    if (number == -1)
      return true;
    if ((uint64_t)number > most || (uint64_t)number > limits->bytes + (resp->end - resp->begin))
      return kiln_resp_fail(problem, too_long);
    return read_string(resp, limits, (size_t)number, out, problem);
  case '*': // an old form of nil; no other list is asked for here
    return (parse_number(line + 1, &number) && number == -1) ||
           kiln_resp_fail(problem, "it answers with a list where a value was asked for");
  default:
    return kiln_resp_fail(problem, malformed);
  }
}

bool kiln_resp_read_list(struct kiln_resp *resp, struct kiln_resp_limits *limits, uint32_t most, uint32_t *count,
                         char problem[KILN_REMOTE_PROBLEM]) {
  size_t size;
  int64_t number;
  char *line = read_line(resp, limits, &size, problem);
  if (!line)
    return false;
  if (*line == '-')
    return kiln_resp_fail(problem, line + 1);
  if (*line != '*' || !parse_number(line + 1, &number) || number < 0)
    return kiln_resp_fail(problem, "its answer is no list");
  if (number > most)
    return kiln_resp_fail(problem, too_long);
  *count = (uint32_t)number;
  return true;
}
