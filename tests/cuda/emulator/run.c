// Runs a kernel of a PTX file in the emulator, with arguments as "kiln run" has them:
//   ptx_run FILE KERNEL SM SEED GX,GY,GZ LX,LY,LZ [-c] [-o INDEX:FILE]... ARG...
// The sizes count work-items; groups are whole. ARG: buf:FILE, zero:TYPE:N, iota:TYPE:N, local:BYTES, TYPE=V. -o writes
// a buffer, -c prints how many operations were executed, all of them and by name.
#include <stdio.h>
#include <stdlib.h>

#include "tests/cuda/emulator/emulator.h"
#include "tests/cuda/emulator/values.h"

enum { MAX_ARGUMENTS = 32, MAX_PARAMETER_BYTES = 1024, FIRST_SHARED_90 = 0x400 };

struct buffer {
  char *bytes;
  size_t size;
};
struct job {
  struct ptx_module *module;
  const struct ptx_entry *entry;
  struct ptx_memory *memory;
  struct ptx_launch launch;
  struct buffer buffers[MAX_ARGUMENTS];
  char parameters[MAX_PARAMETER_BYTES];
  bool counts;
};

static _Noreturn void stop(const char *what, const char *detail) {
  fprintf(stderr, "ptx_run: %s: %s\n", what, detail);
  exit(1);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t capacity = 0;
  *size = 0;
  if (!file)
    stop("cannot read", path);
  do {
    capacity = capacity ? 2 * capacity : 65536;
    bytes = realloc(bytes, capacity);
    if (!bytes)
      stop("no memory for", path);
    *size += fread(bytes + *size, 1, capacity - *size, file);
  } while (*size == capacity);
  fclose(file);
  return bytes;
}

// The bits of a number as a type of "kiln run" has it.
static uint64_t number_bits(enum type type, const char *text) {
  if (type == T_F16)
    return put_F16(strtod(text, NULL));
  if (type == T_F32)
    return put_F32(strtof(text, NULL));
  if (type == T_F64)
    return put_F64(strtod(text, NULL));
  return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
}

// Its names of types: i32 is what s32 is here.
static enum type read_type(const char *text, size_t size) {
  char name[8] = "";
  if (size >= sizeof name)
    return T_NONE;
  memcpy(name, text, size);
  if (name[0] == 'i')
    name[0] = 's';
  return type_of_text(name, size);
}

static struct buffer make_buffer(const char *argument) {
  struct buffer buffer = {0};
  if (!strncmp(argument, "buf:", 4)) {
    buffer.bytes = read_file(argument + 4, &buffer.size);
    return buffer;
  }
  bool counts_up = !strncmp(argument, "iota:", 5);
  const char *name = argument + 5, *colon = strchr(name, ':');
  enum type type = colon ? read_type(name, (size_t)(colon - name)) : T_NONE;
  if (type == T_NONE)
    stop("no argument", argument);
  size_t count = strtoull(colon + 1, NULL, 0), bytes = type_bits(type) / 8;
  buffer.size = count * bytes;
  buffer.bytes = calloc(count, bytes);
  for (size_t i = 0; counts_up && buffer.bytes && i < count; i++) {
    char text[32];
    snprintf(text, sizeof text, "%zu", i);
    uint64_t bits = number_bits(type, text);
    memcpy(buffer.bytes + i * bytes, &bits, bytes);
  }
  return buffer;
}

static void put_argument(struct job *job, uint32_t index, const char *argument) {
  const struct ptx_parameter *parameter = &job->entry->parameters[index];
  const char *equals = strchr(argument, '=');
  uint64_t bits = 0;
  if (!strncmp(argument, "local:", 6)) {
    uint32_t begin = job->launch.sm >= 90 ? FIRST_SHARED_90 : 0;
    job->launch.dynamic_shared_bytes = (job->launch.dynamic_shared_bytes + 15) & ~15u;
    bits = begin + ((job->entry->shared_bytes + 15) & ~15u) + job->launch.dynamic_shared_bytes;
    job->launch.dynamic_shared_bytes += (uint32_t)strtoul(argument + 6, NULL, 0);
  } else if (equals) {
    bits = number_bits(read_type(argument, (size_t)(equals - argument)), equals + 1);
  } else {
    struct buffer *buffer = &job->buffers[index];
    *buffer = make_buffer(argument);
    if (!buffer->bytes || !ptx_memory_add(job->memory, buffer->bytes, buffer->size))
      stop("no memory for", argument);
    bits = (uint64_t)(uintptr_t)buffer->bytes;
  }
  memcpy(job->parameters + parameter->offset, &bits, parameter->size < 8 ? parameter->size : 8);
}

static void read_sizes(const char *text, uint32_t sizes[3]) {
  for (int d = 0; d < 3; d++)
    sizes[d] = 1;
  sscanf(text, "%u,%u,%u", &sizes[0], &sizes[1], &sizes[2]);
}

static void load(struct job *job, char **arguments) {
  struct ptx_error error;
  size_t size, count;
  char *text = read_file(arguments[0], &size);
  job->module = ptx_parse(text, size, &error);
  free(text);
  if (!job->module)
    stop(arguments[0], error.text);
  const struct ptx_entry *entries = ptx_entries(job->module, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(entries[i].name, arguments[1]))
      job->entry = &entries[i];
  if (!job->entry || job->entry->parameter_bytes > MAX_PARAMETER_BYTES)
    stop("no such kernel", arguments[1]);
  job->memory = ptx_memory_create();
  if (!job->memory || !ptx_load(job->module, job->memory))
    stop("no memory for", arguments[0]);
}

static void run(struct job *job) {
  struct ptx_error error;
  size_t count;
  job->launch.parameters = job->parameters;
  job->launch.parameter_bytes = sizeof job->parameters;
  job->launch.memory = job->memory;
  if (!ptx_run(job->module, job->entry, &job->launch, &error))
    stop("the kernel failed", error.text);
  const struct ptx_count *counts = ptx_counts(job->module, &count);
  uint64_t all = 0;
  for (size_t i = 0; i < count; i++)
    all += counts[i].executed;
  if (!job->counts)
    return;
  printf("all %llu\n", (unsigned long long)all);
  for (size_t i = 0; i < count; i++)
    printf("%s %llu\n", counts[i].operation, (unsigned long long)counts[i].executed);
}

static void write_buffer(const struct job *job, const char *output) {
  const char *colon = strchr(output, ':');
  uint32_t index = (uint32_t)atoi(output);
  FILE *file = colon && index < MAX_ARGUMENTS && job->buffers[index].bytes ? fopen(colon + 1, "wb") : NULL;
  if (!file || fwrite(job->buffers[index].bytes, 1, job->buffers[index].size, file) != job->buffers[index].size ||
      fclose(file) != 0)
    stop("cannot write", output);
}

int main(int argc, char **argv) {
  static struct job job;
  const char *outputs[MAX_ARGUMENTS];
  uint32_t output_count = 0, index = 0;
  if (argc < 7)
    stop("usage", "FILE KERNEL SM SEED GLOBAL LOCAL [-c] [-o INDEX:FILE]... ARG...");
  job.launch.sm = (uint32_t)atoi(argv[3]);
  job.launch.seed = strtoull(argv[4], NULL, 0);
  load(&job, argv + 1);
  read_sizes(argv[5], job.launch.grid);
  read_sizes(argv[6], job.launch.block);
  for (int d = 0; d < 3; d++)
    job.launch.grid[d] /= job.launch.block[d] ? job.launch.block[d] : 1;
  for (int i = 7; i < argc; i++) {
    if (!strcmp(argv[i], "-c"))
      job.counts = true;
    else if (!strcmp(argv[i], "-o") && i + 1 < argc && output_count < MAX_ARGUMENTS)
      outputs[output_count++] = argv[++i];
    else if (index < job.entry->parameter_count && index < MAX_ARGUMENTS)
      put_argument(&job, index++, argv[i]);
    else
      stop("too many arguments", argv[i]);
  }
  if (index != job.entry->parameter_count)
    stop("too few arguments for", argv[2]);
  run(&job);
  for (uint32_t i = 0; i < output_count; i++)
    write_buffer(&job, outputs[i]);
  ptx_unload(job.module, job.memory);
  ptx_memory_destroy(job.memory);
  ptx_free(job.module);
  for (uint32_t i = 0; i < MAX_ARGUMENTS; i++)
    free(job.buffers[i].bytes);
  return 0;
}
