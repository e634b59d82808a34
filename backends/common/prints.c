// Text of printf from the buffer of a GPU kernel.
#include "backends/common/prints.h"
#include "backends/common/printf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The description of a place; false: the metadata is damaged.
static bool find_place(const struct kiln_prints *prints, uint32_t number, struct kiln_printf_call *call) {
  const unsigned char *data = prints->places;
  size_t at = 8;
  uint32_t head[2], place[2];
  if (prints->places_size < at)
    return false;
  memcpy(head, data, sizeof head);
  if (head[0] != KILN_PRINTS_MAGIC || number >= head[1])
    return false;
  for (uint32_t i = 0;; i++) {
    if (prints->places_size - at < sizeof place)
      return false;
    memcpy(place, data + at, sizeof place);
    at += sizeof place;
    uint64_t types = 4 * (uint64_t)place[0], format = ((uint64_t)place[1] + 3) / 4 * 4;
    if (types + format > prints->places_size - at)
      return false;
    if (i == number) {
      call->types = (const kiln_type *)(const void *)(data + at);
      call->count = place[0];
      call->format = (const char *)data + at + types;
      call->format_size = place[1];
      return true;
    }
    at += types + format;
  }
}

// False: there was no memory for the text, and nothing was printed.
static bool print_records(const struct kiln_prints *prints, const unsigned char *data, uint64_t size) {
  struct kiln_strbuf text = {0};
  for (uint64_t at = 0; size - at >= 8;) {
    uint32_t record[2];
    struct kiln_printf_call call = {.string = prints->string, .user = prints->user, .args = data + at + 8};
    memcpy(record, data + at, sizeof record);
    if (record[0] < 8 || record[0] > size - at || !find_place(prints, record[1], &call) ||
        kiln_printf_args_bytes(&call) > record[0] - 8)
      break;
    kiln_printf_format(&text, &call);
    at += record[0];
  }
  return kiln_printf_put(prints->config, &text);
}

// Why the kernel failed. The text of a place is a format without arguments.
static bool tell_failure(const struct kiln_prints *prints, uint64_t place, char *message, size_t size) {
  struct kiln_printf_call call = {0};
  struct kiln_strbuf text = {0};
  if (!place || place > UINT32_MAX || !find_place(prints, (uint32_t)(place - 1), &call))
    return false;
  call.count = 0;
  kiln_printf_format(&text, &call);
  snprintf(message, size, "kernel '%s' failed: %.400s", prints->kernel, text.failed || !text.size ? "" : text.data);
  kiln_strbuf_free(&text);
  return true;
}

enum kiln_status kiln_prints_end(const struct kiln_prints *prints, bool *failed, char *message, size_t message_size,
                                 struct kiln_report *report) {
  struct kiln_prints_head head;
  *failed = false;
  if (!prints->read(prints->user, 0, &head, sizeof head))
    return KILN_OK;
  *failed = tell_failure(prints, head.failed, message, message_size);
  if (!head.asked)
    return KILN_OK;
  uint64_t size = head.asked < KILN_PRINTS_BYTES ? head.asked : KILN_PRINTS_BYTES;
  unsigned char *data = calloc(1, size);
  bool printed = data != NULL;
  if (data && prints->read(prints->user, KILN_PRINTS_HEAD, data, size)) {
    printed = print_records(prints, data, size);
    if (head.asked > KILN_PRINTS_BYTES && prints->config->log)
      prints->config->log(prints->config->log_user, KILN_LOG_WARNING,
                          "printf: the buffer of 1 MiB was full, and text was lost");
  }
  free(data);
  return printed ? KILN_OK : kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the text of printf");
}
