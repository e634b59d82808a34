// The metadata of a program in PTX, written and read.
#include "backends/cuda/code/meta.h"

#include <stdlib.h>
#include <string.h>

// ---- reading

struct reader {
  const uint8_t *at;
  size_t left;
  bool failed;
};

static uint32_t word(struct reader *r) {
  uint32_t value = 0;
  if (r->left < 4) {
    r->failed = true;
    return 0;
  }
  memcpy(&value, r->at, 4);
  r->at += 4;
  r->left -= 4;
  return value;
}

static uint64_t long_word(struct reader *r) {
  uint64_t low = word(r);
  return low | (uint64_t)word(r) << 32;
}

static struct kiln_str text(struct reader *r) {
  uint64_t size = word(r), padded = (size + 3) / 4 * 4;
  struct kiln_str result = {(const char *)r->at, (size_t)size};
  if (r->failed || padded > r->left) {
    r->failed = true;
    return (struct kiln_str){"", 0};
  }
  r->at += padded;
  r->left -= padded;
  return result;
}

// Room for count entries, each of which takes at least so many bytes in what is left.
static void *room(struct reader *r, uint32_t count, size_t least, size_t size) {
  if (count > r->left / least) {
    r->failed = true;
    return NULL;
  }
  return calloc(count + (size_t)1, size);
}

const char *kiln_cuda_meta_read(const void *data, size_t size, struct kiln_cuda_meta *out) {
  struct reader r = {data, size, false};
  memset(out, 0, sizeof *out);
  if (word(&r) != KILN_CUDA_META_MAGIC)
    return "it has no metadata";
  out->target = word(&r);
  out->version = word(&r);
  out->flags = word(&r);
  uint32_t kernels = word(&r), variables = word(&r), states = word(&r), pointers = word(&r);
  if (states > variables)
    return "its metadata are damaged";
  out->kernels = room(&r, kernels, 20, sizeof *out->kernels);
  out->variables = room(&r, variables, 4, sizeof *out->variables);
  out->pointers = room(&r, pointers, 24, sizeof *out->pointers);
  if (r.failed)
    return "its metadata are cut short";
  if (!out->kernels || !out->variables || !out->pointers)
    return "out of memory";
  out->kernel_count = kernels;
  out->variable_count = variables;
  out->state_count = states;
  out->pointer_count = pointers;
  for (uint32_t i = 0; i < kernels; i++) {
    struct kiln_cuda_meta_kernel *kernel = &out->kernels[i];
    kernel->flags = word(&r);
    kernel->local_bytes = word(&r);
    kernel->max_group_size = word(&r);
    kernel->parameter_bytes = word(&r);
    kernel->name = text(&r);
  }
  for (uint32_t i = 0; i < variables; i++)
    out->variables[i] = text(&r);
  for (uint32_t i = 0; i < pointers; i++) {
    struct kiln_cuda_meta_pointer *pointer = &out->pointers[i];
    pointer->variable = word(&r);
    pointer->offset = long_word(&r);
    pointer->target = word(&r);
    pointer->addend = long_word(&r);
    if (!r.failed && (pointer->variable >= variables || pointer->target >= variables))
      return "its metadata are damaged";
  }
  out->prints = r.left ? r.at : NULL;
  out->prints_size = r.left;
  return r.failed ? "its metadata are cut short" : NULL;
}

void kiln_cuda_meta_free(struct kiln_cuda_meta *meta) {
  free(meta->kernels);
  free(meta->variables);
  free(meta->pointers);
  memset(meta, 0, sizeof *meta);
}

// ---- writing

static void put(struct kiln_strbuf *out, uint32_t value) { kiln_strbuf_append(out, &value, sizeof value); }

static void put_long(struct kiln_strbuf *out, uint64_t value) { kiln_strbuf_append(out, &value, sizeof value); }

static void put_text(struct kiln_strbuf *out, struct kiln_str value) {
  put(out, (uint32_t)value.size);
  kiln_strbuf_append(out, value.data, value.size);
  for (size_t i = value.size; i % 4; i++)
    kiln_strbuf_putc(out, 0);
}

void kiln_cuda_meta_write(const struct kiln_cuda_meta *meta, struct kiln_strbuf *out) {
  put(out, KILN_CUDA_META_MAGIC);
  put(out, meta->target);
  put(out, meta->version);
  put(out, meta->flags);
  put(out, meta->kernel_count);
  put(out, meta->variable_count);
  put(out, meta->state_count);
  put(out, meta->pointer_count);
  for (uint32_t i = 0; i < meta->kernel_count; i++) {
    const struct kiln_cuda_meta_kernel *kernel = &meta->kernels[i];
    put(out, kernel->flags);
    put(out, kernel->local_bytes);
    put(out, kernel->max_group_size);
    put(out, kernel->parameter_bytes);
    put_text(out, kernel->name);
  }
  for (uint32_t i = 0; i < meta->variable_count; i++)
    put_text(out, meta->variables[i]);
  for (uint32_t i = 0; i < meta->pointer_count; i++) {
    put(out, meta->pointers[i].variable);
    put_long(out, meta->pointers[i].offset);
    put(out, meta->pointers[i].target);
    put_long(out, meta->pointers[i].addend);
  }
  kiln_strbuf_append(out, meta->prints, meta->prints_size);
}
