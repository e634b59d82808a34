// The functions of the stand-in: agents, pools, memory, code objects.
#include "tests/rocm/standin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define GRANULE 4096
#define CPU 1
#define FIRST_GPU 16
#define POOL_KERNARG 100
#define POOL_HOST 101
#define POOL_DEVICE 200 // plus the number of the GPU
#define POOL_GROUP 300

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;
static unsigned gpus;
static char isa[96], fail_name[64];
static long fail_at, fail_seen;
static bool fail_later;          // and all after that one
static uint64_t hung, was_reset; // bits of GPUs
static struct block *blocks;
static struct executable *executables;
static int readers;
static struct {
  hsa_amd_system_event_callback_t callback;
  void *user;
} handlers[8];
static unsigned handler_count;

void standin_broken(const char *function, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "hsa stand-in: %s: ", function);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  _Exit(70);
}

bool standin_fails(const char *name) {
  pthread_mutex_lock(&lock);
  bool fails = !strcmp(name, fail_name) && (++fail_seen == fail_at || (fail_later && fail_seen > fail_at));
  pthread_mutex_unlock(&lock);
  return fails;
}
#define MAY_FAIL()                                                                                                     \
  do {                                                                                                                 \
    CHECK(started > 0, "the runtime is not initialised");                                                              \
    if (standin_fails(__func__))                                                                                       \
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;                                                                        \
  } while (0)

static bool is_gpu(hsa_agent_t agent) { return agent.handle >= FIRST_GPU && agent.handle < FIRST_GPU + gpus; }

// ---- life

EXPORT hsa_status_t hsa_init(void) {
  const char *number = getenv("KILN_STANDIN_GPUS"), *name = getenv("KILN_STANDIN_ISA"),
             *fail = getenv("KILN_STANDIN_FAIL");
  pthread_mutex_lock(&lock);
  gpus = number ? (unsigned)atoi(number) : 1;
  snprintf(isa, sizeof isa, "%s", name ? name : "amdgcn-amd-amdhsa--gfx1100");
  fail_name[0] = 0;
  fail_at = fail_seen = 0;
  if (fail)
    sscanf(fail, "%63[^:]:%ld", fail_name, &fail_at);
  fail_later = fail && strchr(fail, '+');
  started++;
  pthread_mutex_unlock(&lock);
  if (standin_fails("hsa_init")) {
    started--;
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  return HSA_STATUS_SUCCESS;
}

void standin_check_signals(void);

EXPORT hsa_status_t hsa_shut_down(void) {
  CHECK(started > 0, "more often than hsa_init");
  if (--started)
    return HSA_STATUS_SUCCESS;
  if (hung)
    standin_hang();
  handler_count = 0;
  CHECK(!blocks, "memory at %p (%zu bytes, pool %llu) was not freed", (void *)blocks->base, blocks->size,
        (unsigned long long)blocks->pool);
  CHECK(!executables, "an executable was not destroyed");
  CHECK(!readers, "a code object reader was not destroyed");
  standin_check_signals();
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_status_string(hsa_status_t status, const char **text) {
  *text = status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? "stand-in: out of resources"
          : status == HSA_STATUS_ERROR_EXCEPTION      ? "stand-in: exception"
                                                      : "stand-in: error";
  return HSA_STATUS_SUCCESS;
}

// ---- agents

EXPORT hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data) {
  MAY_FAIL();
  hsa_status_t status = callback((hsa_agent_t){CPU}, data);
  for (unsigned i = 0; i < gpus && !status; i++)
    status = callback((hsa_agent_t){FIRST_GPU + i}, data);
  return status;
}

EXPORT hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value) {
  CHECK(started > 0 && (agent.handle == CPU || is_gpu(agent)), "no such agent");
  uint32_t number = attribute; // of this enumeration or of AMD's extension
  switch (number) {
  case HSA_AGENT_INFO_DEVICE:
    *(hsa_device_type_t *)value = is_gpu(agent) ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
    return HSA_STATUS_SUCCESS;
  case HSA_AGENT_INFO_NAME:
    strcpy(value, strrchr(isa, '-') + 1);
    return HSA_STATUS_SUCCESS;
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    *(uint32_t *)value = 64; // small, so that queues are often full
    return HSA_STATUS_SUCCESS;
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    *(uint32_t *)value = 1024;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    *(uint32_t *)value = 60;
    return HSA_STATUS_SUCCESS;
  case HSA_AGENT_INFO_CACHE_SIZE:
    memcpy(value, (uint32_t[4]){32 << 10, 6 << 20}, 4 * sizeof(uint32_t));
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
    *(uint32_t *)value = 128;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    *(uint32_t *)value = 2400;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_BDFID:
    *(uint32_t *)value = (uint32_t)(0xc1 + agent.handle - FIRST_GPU) << 8;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_DOMAIN:
    *(uint32_t *)value = 0;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    snprintf(value, 64, "Stand-in %u", (unsigned)agent.handle - FIRST_GPU);
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

EXPORT hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void *), void *data) {
  CHECK(is_gpu(agent), "no GPU");
  return callback((hsa_isa_t){7}, data);
}

EXPORT hsa_status_t hsa_isa_get_info_alt(hsa_isa_t which, hsa_isa_info_t attribute, void *value) {
  CHECK(which.handle == 7, "no such ISA");
  if (attribute == HSA_ISA_INFO_NAME_LENGTH)
    *(uint32_t *)value = (uint32_t)strlen(isa);
  else if (attribute == HSA_ISA_INFO_NAME)
    memcpy(value, isa, strlen(isa)); // without a NUL, as the contract allows
  else
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void *data) {
  CHECK(started > 0 && handler_count < sizeof handlers / sizeof *handlers, "too many handlers");
  handlers[handler_count].callback = callback;
  handlers[handler_count++].user = data;
  return HSA_STATUS_SUCCESS;
}

void standin_event(int kind, hsa_agent_t agent) {
  hsa_amd_event_t event = {.event_type = (hsa_amd_event_type_t)kind,
                           .memory_fault = {agent, 0xdead000, HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT}};
  uint32_t reset[2] = {1, 1}; // its type, and its cause: it hung
  uint64_t bit = UINT64_C(1) << (agent.handle - FIRST_GPU);
  if (kind == STANDIN_RESET) {
    memcpy((char *)&event.memory_fault + sizeof agent, reset, sizeof reset);
    __atomic_or_fetch(&was_reset, bit, __ATOMIC_RELAXED);
  }
  if (kind != STANDIN_SHUTDOWN)
    __atomic_or_fetch(&hung, bit, __ATOMIC_RELAXED);
  bool taken = false;
  for (unsigned i = 0; i < handler_count; i++)
    taken |= handlers[i].callback(&event, handlers[i].user) == HSA_STATUS_SUCCESS;
  CHECK(taken, "nobody handles an event of kind %d, and the process ends", kind);
}

bool standin_is_hung(hsa_agent_t agent) {
  return __atomic_load_n(&hung, __ATOMIC_RELAXED) >> (agent.handle - FIRST_GPU) & 1;
}

bool standin_copies_end(hsa_agent_t agent) {
  return !(__atomic_load_n(&was_reset, __ATOMIC_RELAXED) >> (agent.handle - FIRST_GPU) & 1);
}

void standin_hang(void) {
  for (;;)
    pause();
}

// ---- pools and memory

EXPORT hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent,
                                                       hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *),
                                                       void *data) {
  uint64_t first = agent.handle == CPU ? POOL_HOST : POOL_DEVICE + agent.handle - FIRST_GPU;
  uint64_t second = agent.handle == CPU ? POOL_KERNARG : POOL_GROUP + agent.handle - FIRST_GPU;
  hsa_status_t status = callback((hsa_amd_memory_pool_t){first}, data);
  return status ? status : callback((hsa_amd_memory_pool_t){second}, data);
}

EXPORT hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute,
                                                 void *value) {
  bool group = pool.handle >= POOL_GROUP;
  uint32_t number = attribute; // of this enumeration or of AMD's extension
  switch (number) {
  case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
    *(hsa_amd_segment_t *)value = group ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
    CHECK(!group, "flags of group memory");
    *(uint32_t *)value = pool.handle == POOL_KERNARG ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT |
                                                           HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                                                     : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    *(size_t *)value = group ? 65536 : (size_t)1 << 30;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
    *(bool *)value = !group;
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    *(size_t *)value = GRANULE;
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

void standin_add_block(char *base, size_t size, uint64_t pool, uint64_t agents) {
  struct block *block = malloc(sizeof *block);
  pthread_mutex_lock(&lock);
  *block = (struct block){blocks, base, size, pool, agents};
  blocks = block;
  pthread_mutex_unlock(&lock);
}

const struct block *standin_block(const void *address, size_t size) {
  pthread_mutex_lock(&lock);
  struct block *block = blocks;
  while (block &&
         !((const char *)address >= block->base && (size_t)((const char *)address - block->base) <= block->size &&
           size <= block->size - (size_t)((const char *)address - block->base)))
    block = block->next;
  pthread_mutex_unlock(&lock);
  return block;
}

// Takes a block out; NULL: there is none at base.
static struct block *take_block(const void *base, bool pinned) {
  pthread_mutex_lock(&lock);
  struct block **at = &blocks;
  while (*at && ((*at)->base != base || ((*at)->pool == 0) != pinned))
    at = &(*at)->next;
  struct block *block = *at;
  if (block)
    *at = block->next;
  pthread_mutex_unlock(&lock);
  return block;
}

void standin_remove_block(const void *base) { free(take_block(base, false)); }

EXPORT hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                                 void **result) {
  MAY_FAIL();
  CHECK(flags == 0 && size > 0, "%zu bytes, flags %u", size, flags);
  bool device = pool.handle >= POOL_DEVICE && pool.handle < POOL_DEVICE + gpus;
  CHECK(device || pool.handle == POOL_KERNARG, "pool %llu", (unsigned long long)pool.handle);
  CHECK(!device || size % GRANULE == 0, "%zu bytes are no multiple of the granule", size);
  if (size > (size_t)1 << 30)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  size_t whole = (size + GRANULE - 1) / GRANULE * GRANULE;
  char *base = aligned_alloc(GRANULE, whole);
  memset(base, 0xcd, whole);
  standin_add_block(base, size, pool.handle, device ? UINT64_C(1) << (pool.handle - POOL_DEVICE) : 0);
  *result = base;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_pool_free(void *memory) {
  struct block *block = take_block(memory, false);
  CHECK(block, "%p is not allocated", memory);
  memset(block->base, 0xdd, block->size);
  free(block->base);
  free(block);
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
                                                const void *memory) {
  MAY_FAIL();
  CHECK(!flags && count, "flags or no agents");
  struct block *block = (struct block *)(uintptr_t)standin_block(memory, 1);
  CHECK(block && block->base == memory, "%p is not allocated", memory);
  for (uint32_t i = 0; i < count; i++) {
    CHECK(is_gpu(agents[i]), "no GPU");
    block->agents |= UINT64_C(1) << (agents[i].handle - FIRST_GPU);
  }
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int count, void **result) {
  MAY_FAIL();
  CHECK(host && size && count == 1 && is_gpu(agents[0]), "arguments");
  CHECK(size > GRANULE, "to pin %zu bytes takes longer than to copy them", size);
  standin_add_block(host, size, 0, UINT64_C(1) << (agents[0].handle - FIRST_GPU));
  *result = host;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_memory_unlock(void *host) {
  struct block *block = take_block(host, true);
  CHECK(block, "%p is not pinned", host);
  free(block);
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_amd_pointer_info(const void *pointer, hsa_amd_pointer_info_t *info, void *(*alloc)(size_t),
                                         uint32_t *count, hsa_agent_t **agents) {
  (void)alloc, (void)count, (void)agents;
  const struct block *block = standin_block(pointer, 1);
  info->type = block ? HSA_EXT_POINTER_TYPE_HSA : HSA_EXT_POINTER_TYPE_UNKNOWN;
  info->agentBaseAddress = info->hostBaseAddress = block ? block->base : NULL;
  info->sizeInBytes = block ? block->size : 0;
  bool device = block && block->pool >= POOL_DEVICE && block->pool < POOL_DEVICE + gpus;
  info->agentOwner.handle = device ? FIRST_GPU + block->pool - POOL_DEVICE : CPU;
  return HSA_STATUS_SUCCESS;
}

// ---- code objects

static struct {
  const void *data;
  size_t size;
} reader_table[64];

EXPORT hsa_status_t hsa_code_object_reader_create_from_memory(const void *data, size_t size,
                                                              hsa_code_object_reader_t *reader) {
  MAY_FAIL();
  int i = 0;
  while (i < 64 && reader_table[i].data)
    i++;
  CHECK(i < 64, "too many readers");
  reader_table[i].data = data;
  reader_table[i].size = size;
  reader->handle = (uint64_t)i + 1;
  readers++;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  CHECK(reader.handle >= 1 && reader.handle <= 64 && reader_table[reader.handle - 1].data, "no reader");
  reader_table[reader.handle - 1].data = NULL;
  readers--;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_create_alt(hsa_profile_t profile, hsa_default_float_rounding_mode_t mode,
                                              const char *options, hsa_executable_t *result) {
  MAY_FAIL();
  CHECK(profile == HSA_PROFILE_FULL && mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT && !options, "arguments");
  struct executable *e = calloc(1, sizeof *e);
  e->magic = EXECUTABLE_MAGIC;
  e->next = executables;
  executables = e;
  result->handle = (uintptr_t)e;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                          hsa_code_object_reader_t reader, const char *options,
                                                          hsa_loaded_code_object_t *loaded) {
  MAY_FAIL();
  struct executable *e = (struct executable *)(uintptr_t)executable.handle;
  CHECK(e->magic == EXECUTABLE_MAGIC && !e->frozen && is_gpu(agent) && !options && !loaded, "arguments");
  CHECK(reader.handle >= 1 && reader_table[reader.handle - 1].data, "the reader is gone");
  const char *fault =
      kiln_rocm_object_read(reader_table[reader.handle - 1].data, reader_table[reader.handle - 1].size, &e->object);
  if (fault)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  e->agent = agent;
  e->code_size = reader_table[reader.handle - 1].size;
  e->code = malloc(e->code_size);
  memcpy(e->code, reader_table[reader.handle - 1].data, e->code_size);
  e->kernels = calloc(e->object.kernel_count + 1, sizeof *e->kernels);
  for (uint32_t k = 0; k < e->object.kernel_count; k++)
    e->kernels[k] = (struct kernel){KERNEL_MAGIC, e, &e->object.kernels[k]};
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char *options) {
  MAY_FAIL();
  struct executable *e = (struct executable *)(uintptr_t)executable.handle;
  CHECK(e->magic == EXECUTABLE_MAGIC && e->kernels && !e->frozen && !options, "arguments");
  e->frozen = true;
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  struct executable *e = (struct executable *)(uintptr_t)executable.handle, **at = &executables;
  while (*at && *at != e)
    at = &(*at)->next;
  CHECK(*at, "no such executable");
  *at = e->next;
  kiln_rocm_object_free(&e->object);
  standin_run_forget(e);
  while (e->variables) {
    struct variable *next = e->variables->next;
    free(e->variables);
    e->variables = next;
  }
  free(e->kernels);
  e->magic = 0;
  free(e);
  return HSA_STATUS_SUCCESS;
}

EXPORT hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char *name,
                                                      const hsa_agent_t *agent, hsa_executable_symbol_t *symbol) {
  MAY_FAIL();
  struct executable *e = (struct executable *)(uintptr_t)executable.handle;
  CHECK(e->magic == EXECUTABLE_MAGIC && e->frozen && agent && agent->handle == e->agent.handle, "arguments");
  for (uint32_t k = 0; k < e->object.kernel_count; k++)
    if (!strcmp(e->object.kernels[k].symbol, name)) {
      symbol->handle = (uintptr_t)&e->kernels[k];
      return HSA_STATUS_SUCCESS;
    }
  uint64_t address = standin_run_variable(e, name);
  if (address) {
    struct variable *variable = malloc(sizeof *variable);
    *variable = (struct variable){VARIABLE_MAGIC, address, e->variables};
    e->variables = variable;
    symbol->handle = (uintptr_t)variable;
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

EXPORT hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol,
                                                   hsa_executable_symbol_info_t attribute, void *value) {
  MAY_FAIL();
  const struct kernel *kernel = (const struct kernel *)(uintptr_t)symbol.handle;
  if (kernel->magic == VARIABLE_MAGIC) { // both begin with it
    CHECK(attribute == HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, "of a variable");
    *(uint64_t *)value = ((const struct variable *)(const void *)kernel)->address;
    return HSA_STATUS_SUCCESS;
  }
  CHECK(kernel->magic == KERNEL_MAGIC, "no symbol");
  uint32_t number = attribute; // of this enumeration or of AMD's extension
  switch (number) {
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    *(uint64_t *)value = (uintptr_t)kernel;
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    *(uint32_t *)value = kernel->code->descriptor_local;
    return HSA_STATUS_SUCCESS;
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    *(uint32_t *)value = kernel->code->descriptor_private;
    return HSA_STATUS_SUCCESS;
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
