// Requests and replies as bytes.
#include "jit/isolate_wire.h"

#include <stdlib.h>
#include <string.h>

// A size, and so many bytes.
static void put(struct kiln_strbuf *out, const void *data, uint64_t size) {
  kiln_strbuf_append(out, &size, sizeof size);
  kiln_strbuf_append(out, data, size);
}

static void put_text(struct kiln_strbuf *out, const char *text) { put(out, text, strlen(text) + 1); }
static void put_number(struct kiln_strbuf *out, uint64_t number) { put(out, &number, sizeof number); }

void kiln_wire_request_write(struct kiln_strbuf *out, const struct kiln_helper_request *request) {
  put_text(out, request->magic);
  put_text(out, request->version);
  put_number(out, request->seconds);
  put_number(out, request->cpu_seconds);
  put_number(out, request->bytes);
  put(out, &request->target, sizeof request->target);
  put(out, &request->compiler, sizeof request->compiler);
  put_number(out, request->options.flags);
  put_number(out, request->options.optimize);
  put_number(out, request->value_count);
  for (uint32_t i = 0; i < request->value_count; i++)
    put_text(out, request->options.values[i]);
  put_text(out, request->stop_after);
  put_number(out, request->wants_stages);
  put_number(out, request->threads);
  put_text(out, request->start_stage);
  put(out, request->start.size ? request->start.data : "", request->start.size + 1);
  put_number(out, request->start.size);
  put(out, request->ir.data, request->ir.size);
}

struct reader {
  const char *data;
  size_t size, at;
  bool failed;
};

static const char *get(struct reader *r, uint64_t *size) {
  if (r->failed || r->size - r->at < sizeof *size) {
    r->failed = true;
    return NULL;
  }
  memcpy(size, r->data + r->at, sizeof *size);
  r->at += sizeof *size;
  const char *data = r->data + r->at;
  if (*size > r->size - r->at) {
    r->failed = true;
    return NULL;
  }
  r->at += *size;
  return data;
}

static const char *get_text(struct reader *r) {
  uint64_t size = 0;
  const char *text = get(r, &size);
  if (!text || size == 0 || text[size - 1]) {
    r->failed = true;
    return "";
  }
  return text;
}

static void get_bytes(struct reader *r, void *out, size_t wanted) {
  uint64_t size = 0;
  const char *data = get(r, &size);
  r->failed |= !data || size != wanted;
  if (!r->failed)
    memcpy(out, data, wanted);
}

static uint64_t get_number(struct reader *r) {
  uint64_t number = 0;
  get_bytes(r, &number, sizeof number);
  return number;
}

bool kiln_wire_request_read(const char *data, size_t size, struct kiln_helper_request *out) {
  struct reader r = {data, size, 0, false};
  memset(out, 0, sizeof *out);
  out->magic = get_text(&r);
  out->version = get_text(&r);
  if (r.failed || strcmp(out->magic, KILN_HELPER_MAGIC) != 0)
    return false;
  out->seconds = get_number(&r);
  out->cpu_seconds = get_number(&r);
  out->bytes = get_number(&r);
  get_bytes(&r, &out->target, sizeof out->target);
  get_bytes(&r, &out->compiler, sizeof out->compiler);
  out->options.flags = (uint32_t)get_number(&r);
  out->options.optimize = (uint32_t)get_number(&r);
  uint64_t count = get_number(&r);
  if (r.failed || count > size)
    return false;
  const char **values = calloc(count + 1, sizeof *values);
  if (!values)
    return false;
  out->options.values = values;
  out->value_count = (uint32_t)count;
  for (uint64_t i = 0; i < count; i++)
    values[i] = get_text(&r);
  out->stop_after = get_text(&r);
  out->wants_stages = get_number(&r);
  out->threads = get_number(&r);
  out->start_stage = get_text(&r);
  uint64_t ir_size = 0, start_size = 0;
  out->start.data = get(&r, &start_size);
  out->start.size = get_number(&r);
  r.failed |= out->start.size + 1 != start_size;
  out->ir.data = get(&r, &ir_size);
  out->ir.size = ir_size;
  return !r.failed;
}

bool kiln_wire_record(const char *data, size_t size, size_t *at, struct kiln_helper_record_head *head,
                      const char **payload) {
  if (size - *at < sizeof *head)
    return false;
  memcpy(head, data + *at, sizeof *head);
  if (head->size > size - *at - sizeof *head)
    return false;
  *payload = data + *at + sizeof *head;
  *at += sizeof *head + head->size;
  return true;
}
