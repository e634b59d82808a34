// Kernels with arguments, what interp computes from them, and what their PTX computes in the emulator.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/cuda/cuda.h"
#include "tests/cuda/emulator/emulator.h"

enum {
  HIDDEN_BYTES = 96,      // docs/cuda.md
  LOCAL_ALIGN = 128,      // of local arguments
  USUAL_GROUP = 128,      // work-items, where a run line gives no size
  FIRST_SHARED_90 = 0x400 // of shared memory, from sm_90 on
};

// ---- rows and run lines

// Whether a path ends with another path: a/b/c with b/c, but not with /c of b/cc.
static bool ends_with(const char *path, const char *end) {
  size_t size = strlen(path), end_size = strlen(end);
  return size >= end_size && !strcmp(path + size - end_size, end) &&
         (size == end_size || path[size - end_size - 1] == '/');
}

// The words after FILE of the first row of a table that names the file, allocated. A row goes on after a backslash.
static char *find_row(const char *table, const char *file) {
  char *text, *found = NULL;
  size_t size;
  if (kiln_file_read(table, &text, &size))
    return NULL;
  for (char *at = text; (at = strstr(at, "\\\n"));)
    at[0] = at[1] = ' ';
  for (char *line = strtok(text, "\n"); line && !found; line = strtok(NULL, "\n")) {
    size_t name = strcspn(line, " ");
    if (*line == '#' || !line[name])
      continue;
    line[name] = 0;
    if (ends_with(file, line))
      found = strdup(line + name + 1);
  }
  free(text);
  return found;
}

static bool read_sizes(const char *text, uint64_t sizes[3]) {
  unsigned long long parts[3] = {1, 1, 1};
  int count = text ? sscanf(text, "%llu,%llu,%llu", &parts[0], &parts[1], &parts[2]) : 0;
  for (int d = 0; d < 3; d++)
    sizes[d] = parts[d];
  return count > 0 && parts[0] && parts[1] && parts[2];
}

static bool add_argument(struct bench_kernel *k, const char *word) {
  if (!strncmp(word, "tolerance=", 10)) {
    k->tolerance = strtod(word + 10, NULL);
    return true;
  }
  if (word[0] == '-' && k->option_count < MAX_OPTIONS) {
    k->options[k->option_count++] = word;
    return true;
  }
  return k->arg_count < MAX_ARGUMENTS && parse_arg(word, k->arg_count, &k->args[k->arg_count]) == EXIT_FINE &&
         ++k->arg_count;
}

// KERNEL GLOBAL LOCAL [tolerance=N] [-D… | -cl-…]... ARG...
static bool read_row(struct bench_kernel *k) {
  k->name = strtok(k->words, " ");
  bool ok = k->name && read_sizes(strtok(NULL, " "), k->global) && read_sizes(strtok(NULL, " "), k->local);
  for (const char *word; ok && (word = strtok(NULL, " "));)
    ok = add_argument(k, word);
  return ok;
}

// The options of "kiln run" as far as they say what runs; others are no launches for this program.
static bool read_run_line(struct bench_kernel *k) {
  bool ok = true, has_global = false;
  for (const char *word = strtok(k->words, " "); word && ok; word = strtok(NULL, " ")) {
    if (!strcmp(word, "-g"))
      ok = has_global = read_sizes(strtok(NULL, " "), k->global);
    else if (!strcmp(word, "-l"))
      ok = read_sizes(strtok(NULL, " "), k->local);
    else if (!strcmp(word, "-k"))
      k->name = strtok(NULL, " ");
    else if (!strcmp(word, "-p") || !strcmp(word, "-o"))
      strtok(NULL, " ");
    else
      ok = (word[0] != '-' || word[1] == 'D' || !strncmp(word, "-cl-", 4)) && add_argument(k, word);
  }
  return ok && has_global;
}

// A size of groups that divides the launch.
static void choose_local(struct bench_kernel *k) {
  if (k->local[0])
    return;
  k->local[0] = k->local[1] = k->local[2] = 1;
  while (2 * k->local[0] <= USUAL_GROUP && k->global[0] % (2 * k->local[0]) == 0)
    k->local[0] *= 2;
}

static bool find_launch(struct bench_kernel *k, const char *const *tables, char text[256]) {
  for (; *tables && !k->words; tables++)
    k->words = find_row(*tables, k->file);
  if (k->words) {
    snprintf(text, 256, "its row must be: KERNEL GLOBAL LOCAL ARG...");
    return read_row(k);
  }
  const char *line = strstr(k->source, "// run:");
  snprintf(text, 256, line ? "its first run line is not for this" : "neither a row nor a run line says how it runs");
  if (line)
    k->words = strndup(line + 7, strcspn(line + 7, "\n"));
  return k->words && read_run_line(k);
}

// ---- interp

static struct run_arg *buffer_of(struct bench_kernel *k, uint32_t index) {
  struct run_arg *arg = &k->args[index];
  return arg->kind == ARG_SAME && arg->same < k->arg_count ? &k->args[arg->same] : arg;
}

static enum kiln_status make_argument(struct bench_kernel *k, struct kiln_stream *stream, uint32_t index,
                                      struct kiln_arg *out) {
  struct run_arg *arg = buffer_of(k, index);
  enum kiln_status status = KILN_OK;
  if (arg->kind == ARG_VALUE) {
    if (convert_arg(arg, index, &k->info->args[index]) != EXIT_FINE)
      return KILN_ERR_INVALID;
    *out = kiln_arg_value(arg->data, arg->size);
  } else if (arg->kind == ARG_LOCAL) {
    *out = kiln_arg_local(arg->size);
  } else if (arg->kind == ARG_NULL) {
    *out = kiln_arg_buffer(NULL);
  } else if (arg->kind == ARG_BUFFER) {
    if (!arg->buffer) {
      status = kiln_buffer_create(k->context, &(struct kiln_buffer_desc){.size = arg->size}, &arg->buffer);
      if (!status)
        status = kiln_write(stream, arg->buffer, 0, arg->data, arg->size, NULL);
    }
    *out = kiln_arg_buffer(arg->buffer);
  } else {
    return KILN_ERR_UNSUPPORTED;
  }
  return status;
}

static enum kiln_status interpret(struct bench_kernel *k) {
  struct kiln_arg args[MAX_ARGUMENTS];
  struct kiln_stream *stream;
  struct kiln_launch_desc launch = {.args = args, .arg_count = k->arg_count};
  enum kiln_status status = kiln_stream_create(k->context, 0, &stream);
  if (status)
    return status;
  for (uint32_t i = 0; i < k->arg_count && !status; i++)
    status = make_argument(k, stream, i, &args[i]);
  memcpy(launch.global, k->global, sizeof launch.global);
  memcpy(launch.local, k->local, sizeof launch.local);
  if (!status)
    status = kiln_launch(stream, k->kernel, &launch, NULL);
  for (uint32_t i = 0; i < k->arg_count && !status; i++) {
    struct run_arg *arg = &k->args[i];
    if (arg->kind != ARG_BUFFER)
      continue;
    k->wanted[i] = malloc(arg->size);
    status = k->wanted[i] ? kiln_read(stream, arg->buffer, 0, k->wanted[i], arg->size, NULL) : KILN_ERR_MEMORY;
  }
  if (!status)
    status = kiln_stream_finish(stream);
  kiln_stream_release(stream);
  return status;
}

// The build options as one text, allocated.
static char *join_options(const struct bench_kernel *k) {
  size_t size = 1;
  for (uint32_t i = 0; i < k->option_count; i++)
    size += strlen(k->options[i]) + 1;
  char *text = calloc(size, 1);
  for (uint32_t i = 0; text && i < k->option_count; i++)
    strcat(strcat(text, k->options[i]), " ");
  return text;
}

static enum kiln_status open_interp(struct bench_kernel *k) {
  struct kiln_context_desc desc = {.backend = "interp", .cache_mode = "off"};
  char *options = join_options(k);
  struct kiln_program_desc program = {.source = k->source, .size = k->source_size, .name = k->file, .options = options};
  enum kiln_status status = kiln_context_open(&desc, &k->context);
  if (!status)
    status = kiln_program_create(k->context, &program, &k->program);
  free(options);
  if (status)
    return status;
  if (!k->name) // the first one, as "kiln run" has it
    k->name = kiln_program_kernel_name(k->program, 0);
  status = kiln_kernel_create(k->program, k->name, &k->kernel);
  if (!status)
    k->info = kiln_kernel_info(k->kernel);
  return status;
}

bool bench_open(struct bench_kernel *k, const char *file, const char *const *tables, char text[256]) {
  *k = (struct bench_kernel){.file = file};
  if (kiln_file_read(file, &k->source, &k->source_size)) {
    snprintf(text, 256, "it cannot be read");
    return false;
  }
  if (!find_launch(k, tables, text))
    return false;
  enum kiln_status status = open_interp(k);
  if (!status)
    choose_local(k);
  if (!status && k->info->arg_count != k->arg_count) {
    snprintf(text, 256, "%s has %u arguments, its launch gives %u", k->name, k->info->arg_count, k->arg_count);
    return false;
  }
  if (!status)
    status = interpret(k);
  if (status)
    snprintf(text, 256, "interp: %s", kiln_last_error());
  return !status;
}

void bench_close(struct bench_kernel *k) {
  for (uint32_t i = 0; i < k->arg_count; i++) {
    kiln_buffer_release(k->args[i].buffer);
    free(k->args[i].data);
    free(k->wanted[i]);
  }
  kiln_kernel_release(k->kernel);
  kiln_program_release(k->program);
  kiln_context_close(k->context);
  free(k->source);
  free(k->words);
}

uint64_t bench_items(const struct bench_kernel *k) { return k->global[0] * k->global[1] * k->global[2]; }

// ---- the emulator

struct emulation {
  struct ptx_module *module;
  const struct ptx_entry *entry;
  struct ptx_memory *memory;
  struct ptx_launch launch;
  unsigned char *buffers[MAX_ARGUMENTS];
  unsigned char *parameters;
};

// Kiln's hidden block, of a common launch.
static void put_hidden(const struct bench_kernel *k, unsigned char *block) {
  uint32_t dimensions = k->global[2] > 1 ? 3 : k->global[1] > 1 ? 2 : 1;
  for (int d = 0; d < 3; d++) {
    uint32_t groups = (uint32_t)(k->global[d] / k->local[d]), size = (uint32_t)k->local[d];
    memcpy(block + 36 + 4 * d, &groups, 4);
    memcpy(block + 48 + 4 * d, &size, 4);
    memcpy(block + 64 + 8 * d, &k->global[d], 8);
  }
  memcpy(block + 60, &dimensions, 4);
}

static uint32_t align_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

// A local argument: an offset among the dynamic ones (4 bytes), or, from other compilers, an address.
static uint64_t place_local(struct emulation *e, const struct ptx_parameter *parameter, size_t size) {
  uint32_t offset = align_up(e->launch.dynamic_shared_bytes, LOCAL_ALIGN);
  e->launch.dynamic_shared_bytes = offset + (uint32_t)size;
  if (parameter->size == 4)
    return offset;
  return (e->launch.sm >= 90 ? FIRST_SHARED_90 : 0) + align_up(e->entry->shared_bytes, 16) + offset;
}

static bool put_argument(struct emulation *e, const struct bench_kernel *k, uint32_t i) {
  const struct ptx_parameter *parameter = &e->entry->parameters[i];
  const struct run_arg *arg = &k->args[i];
  uint64_t bits = 0;
  if (arg->kind == ARG_VALUE) {
    memcpy(e->parameters + parameter->offset, arg->data, arg->size < parameter->size ? arg->size : parameter->size);
    return true;
  }
  if (arg->kind == ARG_LOCAL) {
    bits = place_local(e, parameter, arg->size);
  } else if (arg->kind == ARG_SAME) {
    bits = (uint64_t)(uintptr_t)e->buffers[arg->same];
  } else if (arg->kind == ARG_BUFFER) {
    e->buffers[i] = aligned_alloc(256, align_up((uint32_t)arg->size, 256));
    if (!e->buffers[i] || !ptx_memory_add(e->memory, e->buffers[i], arg->size))
      return false;
    memcpy(e->buffers[i], arg->data, arg->size);
    bits = (uint64_t)(uintptr_t)e->buffers[i];
  }
  memcpy(e->parameters + parameter->offset, &bits, parameter->size < 8 ? parameter->size : 8);
  return true;
}

static bool load(struct emulation *e, const struct bench_kernel *k, const char *ptx, size_t size, char text[256]) {
  struct ptx_error error;
  size_t count = 0;
  e->module = ptx_parse(ptx, size, &error);
  if (!e->module) {
    snprintf(text, 256, "%.250s", error.text);
    return false;
  }
  const struct ptx_entry *entries = ptx_entries(e->module, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(entries[i].name, k->name))
      e->entry = &entries[i];
  e->memory = ptx_memory_create();
  if (!e->entry || !e->memory || !ptx_load(e->module, e->memory)) {
    snprintf(text, 256, e->entry ? "no memory" : "there is no entry '%s'", k->name);
    return false;
  }
  uint32_t parameters = e->entry->parameter_count;
  bool hidden = parameters == k->arg_count + 1 && e->entry->parameters[k->arg_count].size == HIDDEN_BYTES;
  e->parameters = calloc(e->entry->parameter_bytes + 8, 1);
  bool ok = e->parameters && (parameters == k->arg_count || hidden);
  for (uint32_t i = 0; i < k->arg_count && ok; i++)
    ok = put_argument(e, k, i);
  if (!ok)
    snprintf(text, 256, "the entry has %u parameters", parameters);
  else if (hidden)
    put_hidden(k, e->parameters + e->entry->parameters[k->arg_count].offset);
  return ok;
}

static void unload(struct emulation *e, const struct bench_kernel *k) {
  if (e->module && e->memory)
    ptx_unload(e->module, e->memory);
  ptx_memory_destroy(e->memory);
  ptx_free(e->module);
  for (uint32_t i = 0; i < k->arg_count; i++)
    free(e->buffers[i]);
  free(e->parameters);
}

// The largest difference between floats of two buffers.
static double float_difference(const unsigned char *a, const unsigned char *b, size_t size) {
  double most = 0;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    float x, y;
    memcpy(&x, a + i, 4);
    memcpy(&y, b + i, 4);
    double difference = fabs((double)x - (double)y) / fmax(1, fabs((double)x));
    most = memcmp(a + i, b + i, 4) && !(difference <= most) ? (isnan(difference) ? INFINITY : difference) : most;
  }
  return most;
}

// False: an argument is not as interp leaves it.
static bool compare(const struct emulation *e, const struct bench_kernel *k, struct bench_run *out, char text[256]) {
  for (uint32_t i = 0; i < k->arg_count; i++) {
    if (!e->buffers[i] || !memcmp(e->buffers[i], k->wanted[i], k->args[i].size))
      continue;
    double difference = float_difference(k->wanted[i], e->buffers[i], k->args[i].size);
    out->difference = fmax(out->difference, difference);
    if (difference <= k->tolerance && k->args[i].size % 4 == 0)
      continue;
    snprintf(text, 256, "argument %u is not interp's (as floats, they differ by %.2g)", i, difference);
    return false;
  }
  return true;
}

bool bench_run(const struct bench_kernel *k, uint32_t sm, const char *ptx, size_t size, struct bench_run *out,
               char text[256]) {
  struct emulation e = {.launch = {.sm = sm}};
  struct ptx_error error;
  *out = (struct bench_run){0};
  bool ok = load(&e, k, ptx, size, text);
  if (ok) {
    for (int d = 0; d < 3; d++) {
      e.launch.grid[d] = (uint32_t)(k->global[d] / k->local[d]);
      e.launch.block[d] = (uint32_t)k->local[d];
    }
    e.launch.parameters = e.parameters;
    e.launch.parameter_bytes = e.entry->parameter_bytes;
    e.launch.memory = e.memory;
    ok = ptx_run(e.module, e.entry, &e.launch, &error);
    if (!ok)
      snprintf(text, 256, "%.250s", error.text);
  }
  size_t count = 0;
  const struct ptx_count *counts = ok ? ptx_counts(e.module, &count) : NULL;
  for (size_t i = 0; i < count; i++)
    out->executed += counts[i].executed;
  ok = ok && compare(&e, k, out, text);
  unload(&e, k);
  return ok;
}
