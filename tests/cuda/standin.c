// The functions of the stand-in: devices, contexts, memory, modules.
#include "tests/cuda/standin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRANULE 512
#define DEVICE_BYTES ((size_t)1 << 30)
#define MAX_STACK 16
#define FILLED ((size_t)16 << 20) // bytes of new memory that are set

struct standin standin;
pthread_mutex_t standin_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t fail_lock = PTHREAD_MUTEX_INITIALIZER;
static char fail_name[64];
static long fail_at, fail_seen;
static int fail_code;
static bool fail_later; // and all after that one
static bool started;    // cuInit was called,
static bool forked;     // … in a process that this one was forked from
static struct block *blocks;
static size_t device_bytes[MAX_DEVICES];
static _Thread_local kiln_cu_context stack[MAX_STACK];
static _Thread_local int depth;

void standin_broken(const char *function, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "cuda stand-in: %s: ", function);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  _Exit(70);
}

kiln_cu_result standin_fails(const char *name, kiln_cu_result usual) {
  if (!fail_at)
    return KILN_CU_SUCCESS;
  pthread_mutex_lock(&fail_lock);
  bool fails = !strcmp(name, fail_name) && (++fail_seen == fail_at || (fail_later && fail_seen > fail_at));
  pthread_mutex_unlock(&fail_lock);
  return !fails ? KILN_CU_SUCCESS : fail_code ? fail_code : usual;
}

// ---- the beginning

static void read_settings(void) {
  const char *gpus = getenv("KILN_STANDIN_GPUS"), *sm = getenv("KILN_STANDIN_SM"), *seed = getenv("KILN_STANDIN_SEED"),
             *driver = getenv("KILN_STANDIN_DRIVER"), *fail = getenv("KILN_STANDIN_FAIL"),
             *log = getenv("KILN_STANDIN_LOG"), *end;
  int major = 13, minor = 0;
  standin.devices = gpus ? atoi(gpus) : 1;
  CHECK(standin.devices >= 0 && standin.devices <= MAX_DEVICES, "KILN_STANDIN_GPUS");
  for (int i = 0; i < MAX_DEVICES; i++) {
    standin.sm[i] = sm && *sm ? atoi(sm) : i ? standin.sm[i - 1] : 90;
    sm = sm && (end = strchr(sm, ',')) ? end + 1 : NULL;
    standin.contexts[i].device = i;
    standin.contexts[i].magic = CONTEXT_MAGIC;
  }
  if (driver)
    CHECK(sscanf(driver, "%d.%d", &major, &minor) == 2, "KILN_STANDIN_DRIVER");
  standin.version = 1000 * major + 10 * minor;
  standin.seed = seed ? strtoull(seed, NULL, 10) : 0;
  standin.rounds = getenv("KILN_STANDIN_ROUNDS") != NULL;
  standin.log = !log ? NULL : !strcmp(log, "-") ? stderr : fopen(log, "a");
  CHECK(!log || standin.log, "KILN_STANDIN_LOG");
  if (fail)
    CHECK(sscanf(fail, "%63[^:]:%ld:%d", fail_name, &fail_at, &fail_code) >= 2, "KILN_STANDIN_FAIL");
  fail_later = fail && strchr(fail, '+');
}

static void on_fork(void) { forked = started; }

EXPORT kiln_cu_result cuInit(unsigned flags) {
  CHECK(!flags, "flags");
  if (started)
    return forked ? KILN_CU_NOT_INITIALIZED : KILN_CU_SUCCESS;
  read_settings();
  kiln_cu_result result = standin_fails(__func__, KILN_CU_UNKNOWN);
  if (result == KILN_CU_SUCCESS && !standin.devices)
    result = KILN_CU_NO_DEVICE;
  started = result == KILN_CU_SUCCESS;
  if (started)
    pthread_atfork(NULL, NULL, on_fork);
  return result;
}

kiln_cu_result standin_check_init(const char *function) {
  CHECK(started, "%s before cuInit", function);
  if (forked)
    return KILN_CU_NOT_INITIALIZED;
  return standin_fails(function, KILN_CU_INVALID_VALUE);
}

EXPORT kiln_cu_result cuDriverGetVersion(int *version) {
  *version = standin.version;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuGetErrorString(kiln_cu_result result, const char **text) {
  *text = result == KILN_CU_INVALID_VALUE ? "stand-in: invalid argument" : "stand-in: error";
  return KILN_CU_SUCCESS;
}

// ---- devices

#define DEVICE(device)                                                                                                 \
  kiln_cu_result failure = standin_check_init(__func__);                                                               \
  if (failure)                                                                                                         \
    return failure;                                                                                                    \
  CHECK((device) >= 0 && (device) < standin.devices, "device %d", device)

EXPORT kiln_cu_result cuDeviceGetCount(int *count) {
  *count = standin.devices;
  return standin_check_init(__func__);
}

EXPORT kiln_cu_result cuDeviceGet(kiln_cu_device *device, int ordinal) {
  DEVICE(ordinal);
  *device = ordinal;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDeviceGetName(char *name, int size, kiln_cu_device device) {
  DEVICE(device);
  snprintf(name, (size_t)size, "Stand-in %d", device);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDeviceTotalMem_v2(size_t *bytes, kiln_cu_device device) {
  DEVICE(device);
  *bytes = DEVICE_BYTES;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDeviceGetPCIBusId(char *id, int size, kiln_cu_device device) {
  DEVICE(device);
  snprintf(id, (size_t)size, "0000:%02x:00.0", 0xc1 + device);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDeviceGetByPCIBusId(kiln_cu_device *device, const char *id) {
  unsigned bus = 0;
  if (sscanf(id, "0000:%x:00.0", &bus) != 1 || bus < 0xc1 || bus >= 0xc1u + (unsigned)standin.devices)
    return KILN_CU_INVALID_DEVICE;
  *device = (int)bus - 0xc1;
  return standin_check_init(__func__);
}

// With what a kernel asks for (cuFuncSetAttribute).
uint32_t standin_shared_bytes(int sm) {
  return sm >= 90 && sm < 120                ? 232448
         : sm == 80 || sm == 87              ? 166912
         : sm == 86 || sm == 89 || sm >= 120 ? 101376
         : sm == 75                          ? 65536
         : sm >= 70                          ? 98304
                                             : 49152;
}

EXPORT kiln_cu_result cuDeviceGetAttribute(int *value, int attribute, kiln_cu_device device) {
  DEVICE(device);
  switch ((enum kiln_cu_attribute)attribute) {
  case KILN_CU_MAX_THREADS_PER_BLOCK:
    *value = 1024;
    return KILN_CU_SUCCESS;
  case KILN_CU_MAX_SHARED:
    *value = 49152;
    return KILN_CU_SUCCESS;
  case KILN_CU_CLOCK_KHZ:
    *value = 1500000;
    return KILN_CU_SUCCESS;
  case KILN_CU_MULTIPROCESSORS:
    *value = 60;
    return KILN_CU_SUCCESS;
  case KILN_CU_L2_BYTES:
    *value = 4 << 20;
    return KILN_CU_SUCCESS;
  case KILN_CU_CAPABILITY_MAJOR:
    *value = standin.sm[device] / 10;
    return KILN_CU_SUCCESS;
  case KILN_CU_CAPABILITY_MINOR:
    *value = standin.sm[device] % 10;
    return KILN_CU_SUCCESS;
  case KILN_CU_MAX_SHARED_OPTIN:
    *value = (int)standin_shared_bytes(standin.sm[device]);
    return KILN_CU_SUCCESS;
  }
  return KILN_CU_INVALID_VALUE;
}

// ---- contexts

EXPORT kiln_cu_result cuDevicePrimaryCtxRetain(kiln_cu_context *context, kiln_cu_device device) {
  DEVICE(device);
  pthread_mutex_lock(&standin_lock);
  *context = &standin.contexts[device];
  if (!(*context)->retained++)
    (*context)->memory = ptx_memory_create();
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDevicePrimaryCtxRelease_v2(kiln_cu_device device) {
  DEVICE(device);
  kiln_cu_context context = &standin.contexts[device];
  CHECK(!context->sticky, "the context of a device that failed is released");
  pthread_mutex_lock(&standin_lock);
  CHECK(context->retained > 0, "more often than it was retained");
  if (!--context->retained) {
    CHECK(!context->blocks, "%d blocks of memory were not freed", context->blocks);
    CHECK(!context->streams, "%d streams were not destroyed", context->streams);
    CHECK(!context->events, "%d events were not destroyed", context->events);
    CHECK(!context->modules, "%d modules were not unloaded", context->modules);
    CHECK(!context->links, "%d links were not destroyed", context->links);
    ptx_memory_destroy(context->memory);
    context->memory = NULL;
  }
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuDevicePrimaryCtxReset_v2(kiln_cu_device device) {
  standin_broken(__func__, "others in the process use the context of device %d, too", device);
}

static kiln_cu_result check_context(kiln_cu_context context) {
  if (forked)
    return KILN_CU_NOT_INITIALIZED;
  CHECK(context && context->magic == CONTEXT_MAGIC && context->retained, "no context");
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuCtxPushCurrent_v2(kiln_cu_context context) {
  CHECK(depth < MAX_STACK, "contexts are not popped");
  kiln_cu_result result = check_context(context);
  if (result == KILN_CU_SUCCESS)
    stack[depth++] = context;
  return result;
}

EXPORT kiln_cu_result cuCtxPopCurrent_v2(kiln_cu_context *context) {
  CHECK(depth > 0, "no context is current");
  *context = stack[--depth];
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuCtxGetDevice(kiln_cu_device *device) {
  CHECK(depth > 0, "no context is current");
  *device = stack[depth - 1]->device;
  return standin_check_init(__func__);
}

EXPORT kiln_cu_result cuCtxGetCurrent(kiln_cu_context *context) {
  *context = depth ? stack[depth - 1] : NULL;
  return KILN_CU_SUCCESS;
}

kiln_cu_context standin_enter(const char *function, kiln_cu_result usual, kiln_cu_result *result) {
  CHECK(started, "%s before cuInit", function);
  CHECK(forked || depth > 0, "%s: no context is current", function);
  *result = KILN_CU_NOT_INITIALIZED;
  if (forked)
    return NULL;
  *result = __atomic_load_n(&stack[depth - 1]->sticky, __ATOMIC_ACQUIRE);
  if (*result == KILN_CU_SUCCESS)
    *result = standin_fails(function, usual);
  return *result == KILN_CU_SUCCESS ? stack[depth - 1] : NULL;
}

// ---- memory

void standin_add_block(char *base, size_t size, enum block_kind kind, int device) {
  struct block *block = malloc(sizeof *block);
  *block = (struct block){blocks, base, size, kind, device};
  blocks = block;
}

const struct block *standin_block(uint64_t address, size_t size) {
  const struct block *block = blocks;
  while (block && !(address >= (uintptr_t)block->base && address - (uintptr_t)block->base <= block->size &&
                    size <= block->size - (address - (uintptr_t)block->base)))
    block = block->next;
  return block;
}

bool standin_remove_block(const void *base, enum block_kind kind, struct block *out) {
  struct block **at = &blocks;
  while (*at && ((*at)->base != base || (*at)->kind != kind))
    at = &(*at)->next;
  struct block *block = *at;
  if (!block)
    return false;
  *at = block->next;
  *out = *block;
  free(block);
  return true;
}

bool standin_is_pinned(const void *host, size_t size) {
  pthread_mutex_lock(&standin_lock);
  const struct block *block = standin_block((uintptr_t)host, size);
  bool is_pinned = block && (block->kind == BLOCK_PINNED || block->kind == BLOCK_REGISTERED);
  pthread_mutex_unlock(&standin_lock);
  return is_pinned;
}

// What is pinned is reachable from all devices.
static void reach_all(const void *base, size_t size, bool add) {
  for (int i = 0; i < standin.devices; i++) {
    struct ptx_memory *memory = standin.contexts[i].memory;
    if (memory)
      CHECK(add ? ptx_memory_add(memory, base, size) : ptx_memory_remove(memory, base), "memory at %p", base);
  }
}

EXPORT kiln_cu_result cuMemAlloc_v2(kiln_cu_pointer *address, size_t size) {
  ENTER(KILN_CU_OUT_OF_MEMORY);
  CHECK(size, "no bytes");
  pthread_mutex_lock(&standin_lock);
  char *base = size <= DEVICE_BYTES - device_bytes[context->device]
                   ? aligned_alloc(GRANULE, (size + GRANULE - 1) / GRANULE * GRANULE)
                   : NULL;
  if (base) {
    memset(base, 0xcd, size < FILLED ? size : FILLED);
    device_bytes[context->device] += size;
    context->blocks++;
    standin_add_block(base, size, BLOCK_DEVICE, context->device);
    CHECK(ptx_memory_add(context->memory, base, size), "the emulator has no memory");
  }
  pthread_mutex_unlock(&standin_lock);
  *address = (uintptr_t)base;
  return base ? KILN_CU_SUCCESS : KILN_CU_OUT_OF_MEMORY;
}

EXPORT kiln_cu_result cuMemFree_v2(kiln_cu_pointer address) {
  ENTER(KILN_CU_INVALID_VALUE);
  struct block block;
  standin_await_context(context); // as the real one does
  pthread_mutex_lock(&standin_lock);
  CHECK(standin_remove_block((void *)(uintptr_t)address, BLOCK_DEVICE, &block), "%p is not allocated",
        (void *)(uintptr_t)address);
  CHECK(block.device == context->device, "the memory is another device's");
  ptx_memory_remove(context->memory, block.base);
  device_bytes[context->device] -= block.size;
  context->blocks--;
  memset(block.base, 0xdd, block.size < FILLED ? block.size : FILLED);
  free(block.base);
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
  ENTER(KILN_CU_OUT_OF_MEMORY);
  CHECK(flags == KILN_CU_HOST_PORTABLE && size, "arguments");
  pthread_mutex_lock(&standin_lock);
  *memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  memset(*memory, 0xcd, size);
  context->blocks++;
  standin_add_block(*memory, size, BLOCK_PINNED, context->device);
  reach_all(*memory, size, true);
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemFreeHost(void *memory) {
  ENTER(KILN_CU_INVALID_VALUE);
  struct block block;
  standin_await_context(context);
  pthread_mutex_lock(&standin_lock);
  CHECK(standin_remove_block(memory, BLOCK_PINNED, &block), "%p is not allocated", memory);
  standin.contexts[block.device].blocks--;
  reach_all(memory, block.size, false);
  memset(memory, 0xdd, block.size);
  free(memory);
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) {
  ENTER(KILN_CU_INVALID_VALUE);
  CHECK(flags == KILN_CU_HOST_PORTABLE && size > 4096, "%zu bytes, flags %u", size, flags);
  pthread_mutex_lock(&standin_lock);
  bool overlaps = false; // pages that are registered
  for (const struct block *block = blocks; block; block = block->next)
    overlaps |= block->kind == BLOCK_REGISTERED && ((uintptr_t)block->base & ~4095ul) < (uintptr_t)memory + size &&
                ((uintptr_t)memory & ~4095ul) < (uintptr_t)block->base + block->size;
  if (!overlaps) {
    context->blocks++;
    standin_add_block(memory, size, BLOCK_REGISTERED, context->device);
  }
  pthread_mutex_unlock(&standin_lock);
  return overlaps ? KILN_CU_ALREADY_REGISTERED : KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuMemHostUnregister(void *memory) {
  ENTER(KILN_CU_INVALID_VALUE);
  struct block block;
  pthread_mutex_lock(&standin_lock);
  CHECK(standin_remove_block(memory, BLOCK_REGISTERED, &block), "%p is not registered", memory);
  standin.contexts[block.device].blocks--;
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuPointerGetAttribute(void *value, int attribute, kiln_cu_pointer address) {
  kiln_cu_result result = standin_check_init(__func__);
  if (result)
    return result;
  pthread_mutex_lock(&standin_lock);
  const struct block *block = standin_block(address, 1);
  if (block && attribute == KILN_CU_POINTER_MEMORY_TYPE)
    *(int *)value =
        block->kind == BLOCK_DEVICE || block->kind == BLOCK_VARIABLE ? KILN_CU_MEMORY_DEVICE : KILN_CU_MEMORY_HOST;
  else if (block && attribute == KILN_CU_POINTER_DEVICE)
    *(int *)value = block->device;
  else
    result = KILN_CU_INVALID_VALUE;
  pthread_mutex_unlock(&standin_lock);
  return result;
}

EXPORT kiln_cu_result cuMemGetAddressRange_v2(kiln_cu_pointer *base, size_t *size, kiln_cu_pointer address) {
  ENTER(KILN_CU_INVALID_VALUE);
  pthread_mutex_lock(&standin_lock);
  const struct block *block = standin_block(address, 1);
  bool is_ours =
      block && (block->kind == BLOCK_DEVICE || block->kind == BLOCK_VARIABLE) && block->device == context->device;
  if (is_ours) {
    *base = (uintptr_t)block->base;
    *size = block->size;
  }
  pthread_mutex_unlock(&standin_lock);
  return is_ours ? KILN_CU_SUCCESS : KILN_CU_NOT_FOUND;
}

// ---- modules

// The first version of PTX that a driver does not take.
static uint32_t first_unknown_ptx(int cuda) {
  uint32_t first = 0;
#define KILN_PTX(version, needs)                                                                                       \
  if ((needs) > cuda && !first)                                                                                        \
    first = version;
#include "backends/cuda/driver/versions.def"
  return first ? first : UINT32_MAX;
}

void standin_put_log(unsigned count, const int *names, void **values, const char *text) {
  char *buffer = NULL;
  size_t size = 0;
  for (unsigned i = 0; i < count; i++) {
    CHECK(names[i] == KILN_CU_JIT_ERROR_LOG || names[i] == KILN_CU_JIT_ERROR_LOG_SIZE, "option %d", names[i]);
    if (names[i] == KILN_CU_JIT_ERROR_LOG)
      buffer = values[i];
    else
      size = (size_t)(uintptr_t)values[i];
  }
  if (buffer && size)
    snprintf(buffer, size, "%s", text);
}

static kiln_cu_result check_ptx(const struct ptx_module *ptx, int sm) {
  if (ptx_version(ptx) >= first_unknown_ptx(standin.version))
    return KILN_CU_UNSUPPORTED_PTX_VERSION;
  if ((int)ptx_target(ptx) > sm || (ptx_target_is_exact(ptx) && (int)ptx_target(ptx) != sm))
    return KILN_CU_NO_BINARY_FOR_GPU;
  return KILN_CU_SUCCESS;
}

kiln_cu_result standin_compile(const char *text, int device, struct ptx_module **out, struct ptx_error *error) {
  const char *counts = getenv("KILN_STANDIN_COMPILES");
  FILE *file = counts ? fopen(counts, "a") : NULL;
  if (file) {
    fputs("compiled\n", file);
    fclose(file);
  }
  *out = ptx_parse(text, strlen(text), error);
  kiln_cu_result result = *out ? check_ptx(*out, standin.sm[device]) : KILN_CU_INVALID_PTX;
  if (*out && result) {
    ptx_free(*out);
    *out = NULL;
  }
  return result;
}

// The text in one of our own cubins, for the device.
static kiln_cu_result open_cubin(const char *image, int device, struct ptx_module **out) {
  struct ptx_error error = {0};
  int sm, length = 0;
  *out = NULL;
  if (sscanf(image + STANDIN_CUBIN_HEAD, STANDIN_CUBIN "%d\n%n", &sm, &length) != 1 || !length)
    return KILN_CU_NO_BINARY_FOR_GPU; // a real one
  if (sm / 10 != standin.sm[device] / 10 || sm > standin.sm[device])
    return KILN_CU_NO_BINARY_FOR_GPU;
  const char *text = image + STANDIN_CUBIN_HEAD + length;
  *out = ptx_parse(text, strlen(text), &error);
  return *out ? KILN_CU_SUCCESS : KILN_CU_INVALID_IMAGE;
}

EXPORT kiln_cu_result cuModuleLoadDataEx(kiln_cu_module *out, const void *image, unsigned count, int *names,
                                         void **values) {
  ENTER(KILN_CU_INVALID_PTX);
  struct ptx_error error = {0};
  struct ptx_module *ptx;
  pthread_mutex_lock(&standin_lock);
  bool is_cubin = memcmp(image, "\177ELF", 4) == 0;
  kiln_cu_result result =
      is_cubin ? open_cubin(image, context->device, &ptx) : standin_compile(image, context->device, &ptx, &error);
  if (!ptx)
    standin_put_log(count, names, values, error.text);
  if (ptx) {
    CHECK(ptx_load(ptx, context->memory), "the emulator does not load the module");
    size_t variables;
    const struct ptx_variable *v = ptx_variables(ptx, &variables);
    for (size_t i = 0; i < variables; i++)
      standin_add_block(v[i].address, v[i].size, BLOCK_VARIABLE, context->device);
    *out = calloc(1, sizeof **out);
    **out = (struct kiln_cu_module_data){.magic = MODULE_MAGIC, .context = context, .ptx = ptx};
    context->modules++;
  }
  pthread_mutex_unlock(&standin_lock);
  return result;
}

EXPORT kiln_cu_result cuModuleUnload(kiln_cu_module module) {
  ENTER(KILN_CU_INVALID_VALUE);
  CHECK(module && module->magic == MODULE_MAGIC && module->context == context, "no module of the context");
  standin_await_context(context);
  pthread_mutex_lock(&standin_lock);
  size_t variables;
  const struct ptx_variable *v = ptx_variables(module->ptx, &variables);
  struct block block;
  for (size_t i = 0; i < variables; i++)
    standin_remove_block(v[i].address, BLOCK_VARIABLE, &block);
  for (kiln_cu_function function = module->functions, next; function; function = next) {
    next = function->next;
    function->magic = 0;
    free(function);
  }
  ptx_unload(module->ptx, context->memory);
  ptx_free(module->ptx);
  module->magic = 0;
  free(module);
  context->modules--;
  pthread_mutex_unlock(&standin_lock);
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuModuleGetFunction(kiln_cu_function *out, kiln_cu_module module, const char *name) {
  ENTER(KILN_CU_NOT_FOUND);
  CHECK(module && module->magic == MODULE_MAGIC && module->context == context, "no module of the context");
  size_t count;
  const struct ptx_entry *entries = ptx_entries(module->ptx, &count), *entry = NULL;
  for (size_t i = 0; i < count; i++)
    entry = strcmp(entries[i].name, name) ? entry : &entries[i];
  if (!entry)
    return KILN_CU_NOT_FOUND;
  kiln_cu_function function = calloc(1, sizeof *function);
  *function = (struct kiln_cu_function_data){
      .magic = FUNCTION_MAGIC, .module = module, .entry = entry, .next = module->functions};
  function->max_dynamic = entry->shared_bytes < 49152 ? 49152 - entry->shared_bytes : 0;
  module->functions = function;
  *out = function;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuModuleGetGlobal_v2(kiln_cu_pointer *address, size_t *size, kiln_cu_module module,
                                           const char *name) {
  ENTER(KILN_CU_NOT_FOUND);
  CHECK(module && module->magic == MODULE_MAGIC && module->context == context, "no module of the context");
  size_t count;
  const struct ptx_variable *variables = ptx_variables(module->ptx, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(variables[i].name, name)) {
      *address = (uintptr_t)variables[i].address;
      *size = variables[i].size;
      return KILN_CU_SUCCESS;
    }
  return KILN_CU_NOT_FOUND;
}

static void check_function(kiln_cu_function function, kiln_cu_context context) {
  CHECK(function && function->magic == FUNCTION_MAGIC && function->module->context == context,
        "no function of the context");
}

EXPORT kiln_cu_result cuFuncLoad(kiln_cu_function function) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_function(function, context);
  function->loaded = true;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuFuncGetAttribute(int *value, int attribute, kiln_cu_function function) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_function(function, context);
  const struct ptx_entry *entry = function->entry;
  const uint32_t *limit = entry->need_threads[0] ? entry->need_threads : entry->max_threads;
  uint32_t items = limit[0] * (limit[1] ? limit[1] : 1) * (limit[2] ? limit[2] : 1);
  function->loaded = true;
  if (attribute == KILN_CU_FUNCTION_MAX_THREADS)
    *value = items ? (int)items : 1024;
  else if (attribute == KILN_CU_FUNCTION_SHARED)
    *value = (int)entry->shared_bytes;
  else
    return KILN_CU_INVALID_VALUE;
  return KILN_CU_SUCCESS;
}

EXPORT kiln_cu_result cuFuncSetAttribute(kiln_cu_function function, int attribute, int value) {
  ENTER(KILN_CU_INVALID_VALUE);
  check_function(function, context);
  CHECK(attribute == KILN_CU_FUNCTION_MAX_DYNAMIC_SHARED && value >= 0, "attribute %d", attribute);
  if ((uint32_t)value + function->entry->shared_bytes > standin_shared_bytes(standin.sm[context->device]))
    return KILN_CU_INVALID_VALUE;
  function->max_dynamic = (uint32_t)value;
  return KILN_CU_SUCCESS;
}
