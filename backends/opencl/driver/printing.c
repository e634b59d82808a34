// Text of printf: the buffer of prints.h is read back when the kernel has ended, and formatted.
#include <stdlib.h>
#include <string.h>

#include "backends/common/printf.h"
#include "backends/opencl/driver/driver.h"
#include "backends/opencl/print/prints.h"

enum kiln_status kiln_cl_print_begin(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_report *report) {
  cl_mem *buffer = &drv->devices[stream->device].prints;
  size_t size = KILN_CL_PRINT_HEAD + KILN_CL_PRINT_BYTES;
  cl_int code = CL_SUCCESS;
  if (!*buffer)
    *buffer = drv->api.clCreateBuffer(drv->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (!*buffer)
    return kiln_cl_report(report, code, "allocating the buffer of printf");
  static const uint32_t zero, head[4] = {0, KILN_CL_PRINT_BYTES, 0, 0};
  code = drv->api.clEnqueueFillBuffer(stream->queue, *buffer, &zero, sizeof zero, 0, size, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = drv->api.clEnqueueWriteBuffer(stream->queue, *buffer, CL_TRUE, 0, sizeof head, head, 0, NULL, NULL);
  return code == CL_SUCCESS ? KILN_OK : kiln_cl_report(report, code, "clearing the buffer of printf");
}

// ---- the metadata: docs at prints.h. Whatever does not fit is left out.

struct reader {
  const uint32_t *at, *end;
};

static bool take(struct reader *r, size_t words, const uint32_t **out) {
  if ((size_t)(r->end - r->at) < words)
    return false;
  *out = r->at;
  r->at += words;
  return true;
}

static bool skip_place(struct reader *r, struct kiln_printf_call *call) {
  const uint32_t *head, *types, *format;
  if (!take(r, 2, &head) || !take(r, head[0], &types) || !take(r, ((size_t)head[1] + 3) / 4, &format))
    return false;
  call->types = types;
  call->count = head[0];
  call->format = (const char *)format;
  call->format_size = head[1];
  return true;
}

static bool begin(const struct cl_meta_view *meta, struct reader *r, const uint32_t **head) {
  const uint32_t *kernels;
  *r = (struct reader){meta->prints, meta->prints + meta->prints_size / 4};
  return take(r, 2, head) && take(r, meta->kernel_count, &kernels);
}

static bool find_place(const struct cl_meta_view *meta, uint32_t number, struct kiln_printf_call *call) {
  struct reader r;
  const uint32_t *head;
  if (!begin(meta, &r, &head) || number >= head[0])
    return false;
  for (uint32_t i = 0; i <= number; i++)
    if (!skip_place(&r, call))
      return false;
  return true;
}

struct record {
  const struct cl_meta_view *meta;
  const unsigned char *data;
  uint32_t size;
};

static const char *ended(const char *text, size_t room, size_t *size) {
  const char *end = memchr(text, 0, room);
  *size = end ? (size_t)(end - text) : room;
  return text;
}

static const char *find_string(void *user, uint64_t address, size_t *size) {
  const struct record *record = user;
  if (address & KILN_CL_PRINT_COPY) {
    uint64_t offset = address & ~KILN_CL_PRINT_COPY;
    return offset < record->size ? ended((const char *)record->data + offset, record->size - offset, size) : NULL;
  }
  struct reader r;
  struct kiln_printf_call place;
  const uint32_t *head, *string, *text;
  if (!begin(record->meta, &r, &head))
    return NULL;
  for (uint32_t i = 0; i < head[0]; i++)
    if (!skip_place(&r, &place))
      return NULL;
  for (uint32_t i = 0; i < head[1]; i++) {
    if (!take(&r, 2, &string) || !take(&r, ((size_t)string[1] + 3) / 4, &text))
      return NULL;
    if (string[0] + 1ull == address) // 0 is null
      return ended((const char *)text, string[1], size);
  }
  return NULL;
}

// ---- records

// False: there was no memory for the text, and nothing was printed.
static bool print_records(struct kiln_drv *drv, const struct cl_meta_view *meta, const unsigned char *data,
                          uint32_t size) {
  struct kiln_strbuf text = {0};
  for (uint32_t at = 0; size - at >= 8;) {
    uint32_t head[2];
    memcpy(head, data + at, sizeof head);
    struct record record = {meta, data + at, head[0]};
    struct kiln_printf_call call = {.string = find_string, .user = &record, .args = data + at + 8};
    if (head[0] < 8 || head[0] > size - at || !find_place(meta, head[1], &call) ||
        kiln_printf_args_bytes(&call) > head[0] - 8)
      break; // after the last one
    kiln_printf_format(&text, &call);
    at += head[0];
  }
  return kiln_printf_put(&drv->config, &text);
}

// Why the kernel failed, by the head of the buffer. False: memory is exhausted.
static bool read_failure(const struct kiln_drv_kernel *kernel, uint32_t place, char **failure) {
  struct kiln_printf_call call = {0};
  struct kiln_strbuf text = {0};
  *failure = NULL;
  if (!place || !find_place(&kernel->module->meta, place - 1, &call))
    return true;
  kiln_strbuf_printf(&text, "kernel '%s' failed: ", kernel->name);
  call.count = 0;
  kiln_printf_format(&text, &call);
  *failure = kiln_strbuf_take(&text);
  return *failure != NULL;
}

enum kiln_status kiln_cl_print_end(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                   const struct kiln_drv_kernel *kernel, char **failure, struct kiln_report *report) {
  cl_mem buffer = drv->devices[stream->device].prints;
  uint32_t head[4] = {0};
  cl_int code = drv->api.clEnqueueReadBuffer(stream->queue, buffer, CL_TRUE, 0, sizeof head, head, 0, NULL, NULL);
  uint32_t size = head[0] < KILN_CL_PRINT_BYTES ? head[0] : KILN_CL_PRINT_BYTES;
  unsigned char *data = calloc(1, (size_t)size + 8);
  if (!data)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
  if (code == CL_SUCCESS && size)
    code = drv->api.clEnqueueReadBuffer(stream->queue, buffer, CL_TRUE, KILN_CL_PRINT_HEAD, size, data, 0, NULL, NULL);
  bool printed = code != CL_SUCCESS ||
                 (print_records(drv, &kernel->module->meta, data, size) && read_failure(kernel, head[3], failure));
  if (code == CL_SUCCESS && head[2] && drv->config.log)
    drv->config.log(drv->config.log_user, KILN_LOG_WARNING, "printf: the buffer of 1 MiB was full, and text was lost");
  free(data);
  if (!printed)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
  return code == CL_SUCCESS ? KILN_OK : kiln_cl_report(report, code, "reading the text of printf");
}
