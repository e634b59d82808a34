// Runs a dispatch packet: its arguments are read back from the kernarg block by the code object's metadata, checked,
// and given to the same kernel of the same source on the cpu backend.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/prints.h"
#include "kiln/kiln.h"
#include "tests/rocm/standin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kiln_context *context;
static struct kiln_stream *stream;
static struct kiln_program *program;
static char *text, *line; // of the source and of the command line

static void *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  CHECK(file, "cannot read %s", path);
  char *data = calloc(1, 1 << 20);
  *size = fread(data, 1, (1 << 20) - 1, file);
  fclose(file);
  return data;
}

static void add_option(char *options, const char *word) {
  strncat(options, word, 4000 - strlen(options));
  strcat(options, " ");
}

// The source and options of the program: from the environment or from the command line.
static const char *find_source(char *options) {
  const char *source = getenv("KILN_STANDIN_SOURCE");
  if (source)
    return source;
  size_t size;
  line = read_all("/proc/self/cmdline", &size);
  for (char *word = line; word < line + size; word += strlen(word) + 1) {
    word += strncmp(word, "--options=", 10) ? 0 : 10;
    size_t length = strlen(word);
    if (!source && length > 3 && !strcmp(word + length - 3, ".cl"))
      source = word;
    if (!strncmp(word, "-D", 2) || !strncmp(word, "-cl-", 4) || !strncmp(word, "-I", 2)) {
      add_option(options, word);
      if (length == 2)
        add_option(options, word += 3);
    }
  }
  CHECK(source, "which program runs here? Set KILN_STANDIN_SOURCE");
  return source;
}

// Programs with sub-groups run on the interpreter, which has them in the size of the wave; the CPU's are smaller.
static void open_program(uint32_t wave_size) {
  if (program)
    return;
  char options[4096] = "";
  const char *path = find_source(options);
  size_t size;
  text = read_all(path, &size);
  char arch[16];
  snprintf(arch, sizeof arch, "warp%u", wave_size);
  bool has_sub_groups = strstr(text, "sub_group") || strstr(text, "work_group_");
  struct kiln_context_desc desc = {
      .backend = has_sub_groups ? "interp" : "cpu", .arch = has_sub_groups ? arch : "native", .num_threads = 1};
  struct kiln_program_desc source = {.source = text, .size = size, .name = path, .options = options};
  CHECK(!kiln_context_open(&desc, &context), "%s", kiln_last_error());
  CHECK(!kiln_stream_create(context, 0, &stream), "%s", kiln_last_error());
  CHECK(!kiln_program_create(context, &source, &program), "%s", kiln_last_error());
}

// ---- programs by their code objects

static char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = calloc(1, *size + 1);
  if (fread(data, 1, *size, file) != *size)
    *size = 0;
  fclose(file);
  return data;
}

// The IR that the code object was made from, beside a copy of it in the folder. freed by the caller.
static char *find_ir(const char *folder, const struct executable *e, size_t *size) {
  char path[1200], *found = NULL;
  DIR *directory = opendir(folder);
  CHECK(directory, "cannot read %s", folder);
  for (struct dirent *entry; !found && (entry = readdir(directory));) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".hsaco") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    char *code = read_whole(path, size);
    if (code && *size == e->code_size && !memcmp(code, e->code, e->code_size)) {
      snprintf(path, sizeof path, "%s/%.*s.kir", folder, (int)(dot - entry->d_name), entry->d_name);
      found = read_whole(path, size);
    }
    free(code);
  }
  closedir(directory);
  CHECK(found, "the code object with %s is not in %s", e->object.kernels[0].name, folder);
  return found;
}

static struct kiln_context *oracle;
static struct kiln_stream *oracle_stream;

static void find_program(struct executable *e, const char *folder) {
  char arch[16];
  snprintf(arch, sizeof arch, "warp%u", e->object.kernels[0].wave_size);
  struct kiln_context_desc desc = {.backend = "interp", .arch = arch, .cache_mode = "off", .num_threads = 1};
  if (!oracle) {
    CHECK(!kiln_context_open(&desc, &oracle), "%s", kiln_last_error());
    CHECK(!kiln_stream_create(oracle, 0, &oracle_stream), "%s", kiln_last_error());
  }
  size_t size;
  char *ir = standin_print_ir(find_ir(folder, e, &size), &e->prints);
  struct kiln_program_desc source = {
      .source = ir, .size = strlen(ir), .name = "standin.kir", .kind = KILN_SOURCE_IR_TEXT};
  CHECK(!kiln_program_create(oracle, &source, &e->program), "%s", kiln_last_error());
  free(ir);
}

void standin_run_forget(struct executable *e) {
  kiln_program_release(e->program);
  free(e->code);
}

static uint64_t hidden(const struct kiln_rocm_kernel *code, const char *block, const char *name, bool *present) {
  for (uint32_t i = 0; i < code->arg_count; i++)
    if (!strcmp(code->args[i].value_kind, name)) {
      uint64_t value = 0;
      CHECK(code->args[i].size <= 8, "%s has %u bytes", name, code->args[i].size);
      memcpy(&value, block + code->args[i].offset, code->args[i].size);
      *present = true;
      return value;
    }
  *present = false;
  return 0;
}

// The implicit arguments tell the same sizes as the packet. Returns the offset of the dimension.
static uint64_t check_hidden(const struct kiln_rocm_kernel *code, const char *block, unsigned d, uint32_t grid,
                             uint16_t group) {
  char name[40];
  bool present;
  snprintf(name, sizeof name, "hidden_block_count_%c", "xyz"[d]);
  uint64_t count = hidden(code, block, name, &present);
  CHECK(!present || count == grid / group, "%s: %s is %llu", code->name, name, (unsigned long long)count);
  snprintf(name, sizeof name, "hidden_group_size_%c", "xyz"[d]);
  uint64_t size = hidden(code, block, name, &present);
  CHECK(!present || size == group, "%s: %s is %llu", code->name, name, (unsigned long long)size);
  snprintf(name, sizeof name, "hidden_remainder_%c", "xyz"[d]);
  uint64_t rest = hidden(code, block, name, &present);
  CHECK(!present || rest == grid % group, "%s: %s is %llu", code->name, name, (unsigned long long)rest);
  snprintf(name, sizeof name, "hidden_global_offset_%c", "xyz"[d]);
  return hidden(code, block, name, &present);
}

// Bytes of the local argument i: up to the next one, or to the end of local memory.
static size_t local_bytes(const struct kiln_rocm_kernel *code, const char *block, uint32_t i, uint32_t total) {
  uint32_t from, end = total;
  memcpy(&from, block + code->args[i].offset, 4);
  CHECK(from >= code->local_bytes && from < total, "%s: local argument %u at %u of %u", code->name, i, from, total);
  for (uint32_t k = 0; k < code->arg_count; k++)
    if (code->args[k].kind == KILN_ROCM_ARG_LOCAL && k != i) {
      uint32_t other;
      memcpy(&other, block + code->args[k].offset, 4);
      CHECK(other != from, "%s: local arguments %u and %u are at the same place", code->name, i, k);
      if (other > from && other < end)
        end = other;
    }
  return end - from;
}

struct call {
  struct kiln_arg args[64];
  struct kiln_buffer *buffers[64];
  uint32_t count;
  struct kiln_context *context;
};

static void take_args(struct call *call, const struct kiln_rocm_kernel *code, const char *block, uint32_t total_local) {
  for (uint32_t i = 0; i < code->arg_count; i++) {
    const struct kiln_rocm_arg *arg = &code->args[i];
    uint64_t address;
    if (arg->kind == KILN_ROCM_ARG_HIDDEN)
      continue;
    CHECK(call->count < 64, "too many arguments");
    struct kiln_arg *to = &call->args[call->count];
    *to = (struct kiln_arg){.kind = KILN_ARG_VALUE, .data = block + arg->offset, .size = arg->size};
    if (arg->kind == KILN_ROCM_ARG_GLOBAL) {
      memcpy(&address, block + arg->offset, 8);
      *to = (struct kiln_arg){.kind = KILN_ARG_BUFFER};
      if (address) {
        const struct block *memory = standin_block((void *)(uintptr_t)address, 1);
        CHECK(memory, "%s: argument %u is no address of the device", code->name, i);
        struct kiln_buffer_desc desc = {.host = (void *)(uintptr_t)address,
                                        .size = (size_t)(memory->base + memory->size - (char *)(uintptr_t)address)};
        CHECK(!kiln_buffer_create(call->context, &desc, &call->buffers[call->count]), "%s", kiln_last_error());
        to->buffer = call->buffers[call->count];
      }
    } else if (arg->kind == KILN_ROCM_ARG_LOCAL) {
      *to = (struct kiln_arg){.kind = KILN_ARG_LOCAL, .size = local_bytes(code, block, i, total_local)};
    }
    call->count++;
  }
}

static char *print_buffer(const struct kiln_rocm_kernel *code, const char *block, hsa_agent_t agent) {
  uint32_t base = 0;
  uint64_t address;
  for (uint32_t i = code->arg_count; i-- > 0;)
    if (code->args[i].kind == KILN_ROCM_ARG_HIDDEN)
      base = code->args[i].offset;
  memcpy(&address, block + base + KILN_ROCM_PRINT_ARGUMENT, 8);
  const struct block *memory = standin_block((void *)(uintptr_t)address, KILN_ROCM_PRINT_HEAD + KILN_ROCM_PRINT_BYTES);
  CHECK(memory && memory->pool == 200 + agent.handle - 16, "there is no buffer for printf on the device");
  return (char *)(uintptr_t)address;
}

// What the device does with the kernel "say" of driver.cl: one record for its only printf.
static void say(const struct kiln_rocm_kernel *code, const char *block, hsa_agent_t agent) {
  uint64_t head[2];
  char *buffer = print_buffer(code, block, agent);
  memcpy(head, buffer, sizeof head);
  CHECK(head[0] == 0 && head[1] == KILN_ROCM_PRINT_BYTES, "the head of the buffer");
  char *string = buffer + head[1]; // a constant of the program
  strcpy(string, "ten");
  struct {
    uint32_t size, place;
    int32_t number, pad;
    uint64_t string;
    float vector[2];
  } record = {sizeof record, 0, 42, 0, (uintptr_t)string, {1.5f, -2}};
  memcpy(buffer + KILN_ROCM_PRINT_HEAD, &record, sizeof record);
  head[0] = sizeof record;
  memcpy(buffer, head, sizeof head);
}

void standin_run(const hsa_kernel_dispatch_packet_t *packet, hsa_agent_t agent) {
  const struct kernel *kernel = (const struct kernel *)(uintptr_t)packet->kernel_object;
  CHECK(kernel && kernel->magic == KERNEL_MAGIC, "the packet has no kernel object");
  const struct kiln_rocm_kernel *code = kernel->code;
  const char *block = packet->kernarg_address;
  CHECK(kernel->executable->magic == EXECUTABLE_MAGIC && kernel->executable->frozen, "the executable is gone");
  CHECK(kernel->executable->agent.handle == agent.handle, "%s is loaded on another device", code->name);
  CHECK(packet->group_segment_size >= code->local_bytes, "%s: local memory", code->name);
  CHECK(packet->private_segment_size >= code->private_bytes, "%s: scratch", code->name);
  if (code->kernarg_bytes) {
    const struct block *memory = standin_block(block, code->kernarg_bytes);
    CHECK(memory && memory->pool == 100, "%s: the arguments are not in kernarg memory", code->name);
    CHECK(memory->agents >> (agent.handle - 16) & 1, "%s: the device cannot reach the arguments", code->name);
    CHECK((uintptr_t)block % 16 == 0, "%s: the arguments are not aligned", code->name);
  }
  uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
  uint16_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z};
  unsigned dims = packet->setup & 3;
  struct kiln_launch_desc launch = {.work_dim = dims};
  uint64_t items = 1;
  CHECK(dims >= 1 && dims <= 3, "%u dimensions", dims);
  for (unsigned d = 0; d < 3; d++) {
    CHECK(grid[d] && group[d], "%s: an empty grid", code->name);
    CHECK(d < dims || (grid[d] == 1 && group[d] == 1), "%s: dimension %u is not used", code->name, d);
    uint64_t offset = check_hidden(code, block, d, grid[d], group[d]);
    items *= group[d];
    if (d < dims) {
      launch.global[d] = grid[d];
      launch.local[d] = group[d];
      launch.offset[d] = offset;
    }
    CHECK(!code->required_group_size[d] || code->required_group_size[d] == group[d], "%s: group size", code->name);
  }
  CHECK(items <= code->max_group_size, "%s: groups of %llu", code->name, (unsigned long long)items);
  if (!strcmp(code->name, "say")) {
    say(code, block, agent);
    return;
  }
  pthread_mutex_lock(&lock);
  struct executable *executable = kernel->executable;
  const char *folder = getenv("KILN_STANDIN_DUMP");
  if (!folder)
    open_program(code->wave_size);
  else if (!executable->program)
    find_program(executable, folder);
  struct kiln_stream *runs_on = folder ? oracle_stream : stream;
  struct call call = {.count = 0, .context = folder ? oracle : context};
  take_args(&call, code, block, packet->group_segment_size);
  if (folder && executable->prints) {
    struct kiln_buffer_desc desc = {.host = print_buffer(code, block, agent),
                                    .size = KILN_ROCM_PRINT_HEAD + KILN_ROCM_PRINT_BYTES};
    CHECK(!kiln_buffer_create(oracle, &desc, &call.buffers[call.count]), "%s", kiln_last_error());
    call.args[call.count] = (struct kiln_arg){.kind = KILN_ARG_BUFFER, .buffer = call.buffers[call.count]};
    call.count++;
  }
  struct kiln_kernel *function = NULL;
  CHECK(!kiln_kernel_create(folder ? executable->program : program, code->name, &function), "%s", kiln_last_error());
  launch.args = call.args;
  launch.arg_count = call.count;
  CHECK(!kiln_launch(runs_on, function, &launch, NULL), "%s", kiln_last_error());
  CHECK(!kiln_stream_finish(runs_on), "%s", kiln_last_error());
  for (uint32_t i = 0; i < call.count; i++)
    kiln_buffer_release(call.buffers[i]);
  kiln_kernel_release(function);
  pthread_mutex_unlock(&lock);
}

void standin_run_end(void) {
  kiln_stream_release(oracle_stream);
  kiln_context_close(oracle);
  oracle_stream = NULL;
  oracle = NULL;
  kiln_program_release(program);
  kiln_stream_release(stream);
  kiln_context_close(context);
  free(text);
  free(line);
  text = line = NULL;
  program = NULL;
  stream = NULL;
  context = NULL;
}
