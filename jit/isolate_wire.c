// Requests and replies as bytes. One walk over a request serves both ways: each step writes what is there, or reads
// into it.
#include "jit/isolate_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct wire {
  struct kiln_strbuf *out; // NULL: reading
  const char *data;
  size_t size, at;
  bool failed;
};

// A size, and so many bytes. Writing changes neither.
static void bytes(struct wire *w, const char **data, size_t *size) {
  uint64_t count = *size;
  if (w->out) {
    kiln_strbuf_append(w->out, &count, sizeof count);
    kiln_strbuf_append(w->out, *data, *size);
    return;
  }
  if (w->failed || w->size - w->at < sizeof count) {
    count = UINT64_MAX;
  } else {
    memcpy(&count, w->data + w->at, sizeof count);
    w->at += sizeof count;
  }
  w->failed |= count > w->size - w->at;
  *data = w->failed ? "" : w->data + w->at;
  *size = w->failed ? 0 : count;
  w->at += *size;
}

// Text that is followed by a NUL.
static void string(struct wire *w, const char **text, size_t *size) {
  const char *data = *text;
  size_t all = *size + 1;
  bytes(w, &data, &all);
  if (w->out)
    return;
  w->failed |= all == 0 || data[all - 1];
  *text = w->failed ? "" : data;
  *size = w->failed ? 0 : all - 1;
}

static void text(struct wire *w, const char **text) {
  size_t size = w->out ? strlen(*text) : 0;
  string(w, text, &size);
}

static void plain(struct wire *w, void *value, size_t size) {
  const char *data = value;
  size_t there = size;
  bytes(w, &data, &there);
  w->failed |= there != size;
  if (!w->out && !w->failed)
    memcpy(value, data, size);
}

// A list, none of whose items is smaller there than a number. Reading makes it.
static void *list(struct wire *w, const void *items, uint32_t *count, size_t item_size) {
  uint64_t number = *count;
  plain(w, &number, sizeof number);
  if (w->out)
    return (void *)(uintptr_t)items;
  w->failed |= number > w->size / sizeof number || number > UINT32_MAX;
  void *made = w->failed ? NULL : calloc(number + 1, item_size);
  w->failed |= !made;
  *count = made ? (uint32_t)number : 0;
  return made;
}

static const char **texts(struct wire *w, const char *const *items, uint32_t *count) {
  const char **list_of = list(w, items, count, sizeof *list_of);
  for (uint32_t i = 0; i < *count; i++)
    text(w, &list_of[i]);
  return list_of;
}

static void include(struct wire *w, struct kiln_recorded_file *file) {
  const char *path = file->path, *data = file->text;
  size_t size = file->size;
  text(w, &path);
  string(w, &data, &size);
  if (!w->out)
    *file = (struct kiln_recorded_file){(char *)(uintptr_t)path, (char *)(uintptr_t)data, size};
}

static void source(struct wire *w, struct kiln_helper_request *request) {
  struct kiln_source *source = &request->source;
  plain(w, &source->kind, sizeof source->kind);
  text(w, &source->name);
  string(w, &source->text, &source->size);
  plain(w, &source->is_object, sizeof source->is_object);
  struct kiln_pp_header *headers = list(w, source->headers, &source->header_count, sizeof *headers);
  source->headers = headers;
  for (uint32_t i = 0; i < source->header_count; i++) {
    text(w, &headers[i].name);
    string(w, &headers[i].text, &headers[i].size);
  }
  bool is_recorded = source->recorded != NULL;
  plain(w, &is_recorded, sizeof is_recorded);
  struct kiln_recorded *recorded = &request->recorded;
  source->recorded = is_recorded ? recorded : NULL;
  recorded->includes = list(w, recorded->includes, &recorded->include_count, sizeof *recorded->includes);
  for (uint32_t i = 0; i < recorded->include_count; i++)
    include(w, &recorded->includes[i]);
}

static void language(struct wire *w, struct kiln_lang_options *lang) {
  const char *formats = w->out && lang->image_formats ? lang->image_formats : "";
  plain(w, lang, sizeof *lang); // its pointers mean nothing there
  text(w, &formats);
  lang->image_formats = *formats ? formats : NULL;
  lang->defines = texts(w, lang->defines, &lang->define_count);
  lang->include_dirs = texts(w, lang->include_dirs, &lang->include_dir_count);
  struct kiln_spec_value *values = list(w, lang->spec_values, &lang->spec_value_count, sizeof *values);
  lang->spec_values = values;
  for (uint32_t i = 0; i < lang->spec_value_count; i++) {
    plain(w, &values[i].id, sizeof values[i].id);
    text(w, &values[i].text);
  }
}

static void walk(struct wire *w, struct kiln_helper_request *request) {
  struct kiln_options *options = &request->options;
  text(w, &request->magic);
  if (strcmp(request->magic, KILN_HELPER_MAGIC) != 0) {
    w->failed = true;
    return;
  }
  text(w, &request->version);
  plain(w, &request->seconds, sizeof request->seconds);
  plain(w, &request->cpu_seconds, sizeof request->cpu_seconds);
  plain(w, &request->bytes, sizeof request->bytes);
  plain(w, &request->target, sizeof request->target);
  plain(w, &request->compiler, sizeof request->compiler);
  plain(w, &options->flags, sizeof options->flags);
  plain(w, &options->optimize, sizeof options->optimize);
  options->values = texts(w, options->values, &request->value_count);
  text(w, &request->stop_after);
  plain(w, &request->wants_stages, sizeof request->wants_stages);
  plain(w, &request->threads, sizeof request->threads);
  text(w, &request->start_stage);
  string(w, &request->start.data, &request->start.size);
  plain(w, &request->whole, sizeof request->whole);
  bytes(w, &request->ir.data, &request->ir.size);
  if (!request->whole)
    return;
  plain(w, &request->debug, sizeof request->debug);
  language(w, &request->lang);
  source(w, request);
}

void kiln_wire_request_write(struct kiln_strbuf *out, const struct kiln_helper_request *request) {
  struct wire w = {.out = out};
  struct kiln_helper_request copy = *request;
  if (request->source.recorded)
    copy.recorded = *request->source.recorded;
  if (!copy.start.size)
    copy.start.data = "";
  walk(&w, &copy);
}

bool kiln_wire_request_read(const char *data, size_t size, struct kiln_helper_request *out) {
  struct wire w = {.data = data, .size = size};
  memset(out, 0, sizeof *out);
  walk(&w, out);
  out->source.start_stage = out->whole && *out->start_stage ? out->start_stage : NULL;
  out->source.start_data = out->start.data;
  out->source.start_size = out->start.size;
  if (w.failed)
    kiln_wire_request_free(out);
  return !w.failed;
}

void kiln_wire_request_free(struct kiln_helper_request *request) {
  free((void *)(uintptr_t)request->options.values);
  free((void *)(uintptr_t)request->lang.defines);
  free((void *)(uintptr_t)request->lang.include_dirs);
  free((void *)(uintptr_t)request->lang.spec_values);
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

static bool has_number(const char *payload, uint64_t size, uint32_t most) {
  uint32_t number;
  if (size < sizeof number)
    return false;
  memcpy(&number, payload, sizeof number);
  return number <= most;
}

static bool include_fits(const char *payload, uint64_t size) {
  struct kiln_helper_include include;
  if (size <= sizeof include)
    return false;
  memcpy(&include, payload, sizeof include);
  return include.found <= 1 && !memchr(payload + sizeof include, 0, size - sizeof include);
}

static bool summary_fits(const char *payload, uint64_t size) {
  struct kiln_helper_summary summary;
  if (size != sizeof summary)
    return false;
  memcpy(&summary, payload, sizeof summary);
  return summary.used_file_name <= 1 && isfinite(summary.front_ms);
}

bool kiln_wire_record_fits(const struct kiln_helper_record_head *head, const char *payload, const uint32_t *kernels,
                           uint32_t *seen) {
  uint64_t size = head->size;
  if (head->kind >= KILN_RECORD_KINDS)
    return false;
  bool again = *seen >> head->kind & 1;
  *seen |= 1u << head->kind;
  switch ((enum kiln_helper_record)head->kind) {
  case KILN_RECORD_LOG:
    return has_number(payload, size, KILN_LOG_DEBUG);
  case KILN_RECORD_STAGE:
    return memchr(payload, 0, size) != NULL;
  case KILN_RECORD_RESULT:
    return !again && has_number(payload, size, KILN_ERR_CANCELLED);
  case KILN_RECORD_DATA:
  case KILN_RECORD_META:
    return !again;
  case KILN_RECORD_KERNELS:
    return !again && kernels && size == *kernels * sizeof(struct kiln_kernel_resources);
  case KILN_RECORD_REFLECTION:
  case KILN_RECORD_RESOURCES:
  case KILN_RECORD_DIAGNOSTICS:
  case KILN_RECORD_WARNINGS:
    return !again && !kernels; // who reads them checks what is in them
  case KILN_RECORD_INCLUDE:
    return !kernels && include_fits(payload, size);
  case KILN_RECORD_SUMMARY:
    return !again && !kernels && summary_fits(payload, size);
  case KILN_RECORD_KINDS:
    break;
  }
  return false;
}
