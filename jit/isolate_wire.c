// Requests and replies as bytes.
#include "jit/isolate_wire.h"

#include <stdlib.h>
#include <string.h>

// A size, and so many bytes.
static void put(struct kiln_strbuf *out, const void *data, uint64_t size) {
  kiln_strbuf_append(out, &size, sizeof size);
  kiln_strbuf_append(out, data, size);
}

// Text that is followed by a NUL.
static void put_string(struct kiln_strbuf *out, const char *text, size_t size) { put(out, text, size + 1); }
static void put_text(struct kiln_strbuf *out, const char *text) { put_string(out, text, strlen(text)); }
static void put_number(struct kiln_strbuf *out, uint64_t number) { put(out, &number, sizeof number); }

static void put_texts(struct kiln_strbuf *out, const char *const *texts, uint32_t count) {
  put_number(out, count);
  for (uint32_t i = 0; i < count; i++)
    put_text(out, texts[i]);
}

static void put_source(struct kiln_strbuf *out, const struct kiln_source *source) {
  put_number(out, source->kind);
  put_text(out, source->name);
  put_string(out, source->text, source->size);
  put_number(out, source->is_object);
  put_number(out, source->header_count);
  for (uint32_t i = 0; i < source->header_count; i++) {
    put_text(out, source->headers[i].name);
    put_string(out, source->headers[i].text, source->headers[i].size);
  }
  const struct kiln_recorded *recorded = source->recorded;
  put_number(out, recorded != NULL);
  put_number(out, recorded ? recorded->include_count : 0);
  for (uint32_t i = 0; recorded && i < recorded->include_count; i++) {
    put_text(out, recorded->includes[i].path);
    put_string(out, recorded->includes[i].text, recorded->includes[i].size);
  }
}

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
  put_texts(out, request->options.values, request->value_count);
  put_text(out, request->stop_after);
  put_number(out, request->wants_stages);
  put_number(out, request->threads);
  put_text(out, request->start_stage);
  put_string(out, request->start.size ? request->start.data : "", request->start.size);
  put_number(out, request->whole);
  put(out, request->ir.data, request->ir.size);
  if (!request->whole)
    return;
  put_number(out, request->debug);
  put(out, &request->lang, sizeof request->lang); // its pointers mean nothing there
  put_texts(out, request->lang.defines, request->lang.define_count);
  put_texts(out, request->lang.include_dirs, request->lang.include_dir_count);
  put_source(out, &request->source);
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

static struct kiln_str get_string(struct reader *r) {
  uint64_t size = 0;
  const char *text = get(r, &size);
  if (!text || size == 0 || text[size - 1]) {
    r->failed = true;
    return kiln_str("");
  }
  return (struct kiln_str){text, size - 1};
}

static const char *get_text(struct reader *r) { return get_string(r).data; }

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

// A list of as many items as the next number says, none of which is smaller there than a number.
static void *get_list(struct reader *r, uint32_t *count, size_t item_size) {
  uint64_t number = get_number(r);
  r->failed |= number > r->size / sizeof number || number > UINT32_MAX;
  void *items = r->failed ? NULL : calloc(number + 1, item_size);
  r->failed |= !items;
  *count = items ? (uint32_t)number : 0;
  return items;
}

static const char **get_texts(struct reader *r, uint32_t *count) {
  const char **texts = get_list(r, count, sizeof *texts);
  for (uint32_t i = 0; i < *count; i++)
    texts[i] = get_text(r);
  return texts;
}

static void get_source(struct reader *r, struct kiln_helper_request *out) {
  struct kiln_source *source = &out->source;
  source->kind = (enum kiln_source_kind)get_number(r);
  source->name = get_text(r);
  struct kiln_str text = get_string(r);
  source->text = text.data;
  source->size = text.size;
  source->is_object = get_number(r) != 0;
  struct kiln_pp_header *headers = get_list(r, &source->header_count, sizeof *headers);
  source->headers = headers;
  for (uint32_t i = 0; i < source->header_count; i++) {
    headers[i].name = get_text(r);
    text = get_string(r);
    headers[i].text = text.data;
    headers[i].size = text.size;
  }
  source->recorded = get_number(r) ? &out->recorded : NULL;
  struct kiln_recorded *recorded = &out->recorded;
  recorded->includes = get_list(r, &recorded->include_count, sizeof *recorded->includes);
  for (uint32_t i = 0; i < recorded->include_count; i++) {
    recorded->includes[i].path = (char *)(uintptr_t)get_text(r);
    text = get_string(r);
    recorded->includes[i].text = (char *)(uintptr_t)text.data;
    recorded->includes[i].size = text.size;
  }
  source->start_stage = *out->start_stage ? out->start_stage : NULL;
  source->start_data = out->start.data;
  source->start_size = out->start.size;
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
  out->options.values = get_texts(&r, &out->value_count);
  out->stop_after = get_text(&r);
  out->wants_stages = get_number(&r);
  out->threads = get_number(&r);
  out->start_stage = get_text(&r);
  out->start = get_string(&r);
  out->whole = get_number(&r);
  uint64_t ir_size = 0;
  out->ir.data = get(&r, &ir_size);
  out->ir.size = ir_size;
  if (out->whole) {
    out->debug = get_number(&r);
    get_bytes(&r, &out->lang, sizeof out->lang);
    out->lang.defines = get_texts(&r, &out->lang.define_count);
    out->lang.include_dirs = get_texts(&r, &out->lang.include_dir_count);
    get_source(&r, out);
  }
  if (r.failed)
    kiln_wire_request_free(out);
  return !r.failed;
}

void kiln_wire_request_free(struct kiln_helper_request *request) {
  free((void *)(uintptr_t)request->options.values);
  free((void *)(uintptr_t)request->lang.defines);
  free((void *)(uintptr_t)request->lang.include_dirs);
  free((void *)(uintptr_t)request->source.headers);
  free(request->recorded.includes);
  memset(request, 0, sizeof *request);
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
