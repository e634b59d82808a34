// Modules as a whole: what they say of themselves, their memory, counts.
#include <stdlib.h>

#include "tests/cuda/emulator/machine.h"

// ---- memory of modules

struct pool_chunk {
  struct pool_chunk *next;
  _Alignas(16) char bytes[];
};

void *pool_take(struct pool *pool, size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (!pool->chunks || pool->size - pool->used < size) {
    size_t room = size > 65536 ? size : 65536;
    struct pool_chunk *chunk = calloc(1, sizeof *chunk + room);
    if (!chunk)
      abort();
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->used = 0;
    pool->size = room;
  }
  void *result = pool->chunks->bytes + pool->used;
  pool->used += size;
  return result;
}

char *pool_text(struct pool *pool, const char *text, size_t size) {
  char *copy = pool_take(pool, size + 1);
  memcpy(copy, text, size);
  return copy;
}

void pool_free(struct pool *pool) {
  while (pool->chunks) {
    struct pool_chunk *next = pool->chunks->next;
    free(pool->chunks);
    pool->chunks = next;
  }
}

void *grow(void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity)
    return items;
  *capacity = *capacity ? 2 * *capacity : 8;
  items = realloc(items, *capacity * item_size);
  if (!items)
    abort();
  return items;
}

// ---- what is reachable from a function

static void add_shared(struct function *f, struct variable *variable) {
  for (size_t i = 0; i < f->shared_count; i++)
    if (f->shared[i] == variable)
      return;
  f->shared = grow(f->shared, f->shared_count, &f->shared_capacity, sizeof variable);
  f->shared[f->shared_count++] = variable;
}

static void collect_shared(struct function *root, struct function *f, uint32_t mark) {
  if (f->mark == mark)
    return;
  f->mark = mark;
  for (size_t i = 0; i < f->fixup_count; i++)
    if (f->fixups[i].kind == FIX_SHARED)
      add_shared(root, (struct variable *)f->fixups[i].variable);
  for (size_t i = 0; i < f->callee_count; i++)
    collect_shared(root, f->callees[i], mark);
}

// Variables in the order in which the text declares them.
static int by_index(const void *a, const void *b) {
  const struct variable *x = *(struct variable *const *)a, *y = *(struct variable *const *)b;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void finish_entry(struct ptx_module *module, struct function *f, struct ptx_entry *entry) {
  collect_shared(f, f, (uint32_t)module->entry_count + 1);
  if (f->shared_count)
    qsort(f->shared, f->shared_count, sizeof *f->shared, by_index);
  uint64_t bytes = 0;
  for (size_t i = 0; i < f->shared_count; i++)
    if (!f->shared[i]->is_dynamic)
      bytes = ((bytes + f->shared[i]->align - 1) & ~(f->shared[i]->align - 1)) + f->shared[i]->size;
  struct ptx_parameter *parameters = pool_take(&module->pool, f->argument_count * sizeof *parameters);
  for (size_t i = 0; i < f->argument_count; i++) {
    const struct variable *v = f->arguments[i];
    parameters[i] = (struct ptx_parameter){v->name, (uint32_t)v->address, (uint32_t)v->size, (uint32_t)v->align};
  }
  *entry = f->entry;
  entry->name = f->name;
  entry->parameters = parameters;
  entry->parameter_count = (uint32_t)f->argument_count;
  entry->shared_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
  entry->local_bytes = f->local_bytes;
}

void module_finish(struct ptx_module *module) {
  module->entries = pool_take(&module->pool, module->function_count * sizeof *module->entries);
  module->entry_functions = pool_take(&module->pool, module->function_count * sizeof *module->entry_functions);
  for (size_t i = 0; i < module->function_count; i++) {
    struct function *f = module->functions[i];
    if (!f->is_entry || !f->is_defined)
      continue;
    finish_entry(module, f, &module->entries[module->entry_count]);
    module->entry_functions[module->entry_count++] = f;
  }
  module->symbols = pool_take(&module->pool, module->variable_count * sizeof *module->symbols);
  for (size_t i = 0; i < module->variable_count; i++) {
    const struct variable *v = module->variables[i];
    if (v->memory)
      module->symbols[module->symbol_count++] =
          (struct ptx_variable){v->name, v->memory, v->size, v->space == SPACE_CONST};
  }
}

void ptx_free(struct ptx_module *module) {
  if (!module)
    return;
  for (size_t i = 0; i < module->function_count; i++) {
    struct function *f = module->functions[i];
    free(f->arguments);
    free(f->results);
    free(f->locals);
    free(f->shared);
    free(f->code);
    free(f->slots);
    free(f->is_register);
    free(f->is_predicate);
    free(f->fixups);
    free(f->callees);
  }
  for (size_t i = 0; i < module->variable_count; i++)
    if (module->variables[i]->space == SPACE_GLOBAL)
      free(module->variables[i]->memory);
  free(module->functions);
  free(module->variables);
  free(module->counts);
  free(module->bank);
  free(module->text);
  pool_free(&module->pool);
  free(module);
}

uint32_t ptx_version(const struct ptx_module *module) { return module->version; }
uint32_t ptx_target(const struct ptx_module *module) { return module->target; }
bool ptx_target_is_exact(const struct ptx_module *module) { return module->is_exact; }
const struct ptx_entry *ptx_entries(const struct ptx_module *module, size_t *count) {
  *count = module->entry_count;
  return module->entries;
}
const struct ptx_variable *ptx_variables(const struct ptx_module *module, size_t *count) {
  *count = module->symbol_count;
  return module->symbols;
}

void ptx_unload(struct ptx_module *module, struct ptx_memory *memory) {
  for (size_t i = 0; i < module->symbol_count; i++)
    if (!module->symbols[i].is_constant && module->symbols[i].size)
      ptx_memory_remove(memory, module->symbols[i].address);
}

bool ptx_load(struct ptx_module *module, struct ptx_memory *memory) {
  for (size_t i = 0; i < module->symbol_count; i++)
    if (!module->symbols[i].is_constant && module->symbols[i].size &&
        !ptx_memory_add(memory, module->symbols[i].address, module->symbols[i].size)) {
      ptx_unload(module, memory);
      return false;
    }
  return true;
}

// ---- counts

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct ptx_count *)a)->operation, ((const struct ptx_count *)b)->operation);
}

static void count_operation(struct ptx_module *module, size_t *capacity, const char *name, uint64_t executed) {
  for (size_t i = 0; i < module->count_count; i++)
    if (!strcmp(module->counts[i].operation, name)) {
      module->counts[i].executed += executed;
      return;
    }
  module->counts = grow(module->counts, module->count_count, capacity, sizeof *module->counts);
  module->counts[module->count_count++] = (struct ptx_count){name, executed};
}

const struct ptx_count *ptx_counts(struct ptx_module *module, size_t *count) {
  size_t capacity = 0;
  free(module->counts);
  module->counts = NULL;
  module->count_count = 0;
  for (size_t i = 0; i < module->function_count; i++)
    for (size_t k = 0; k < module->functions[i]->code_size; k++)
      if (module->functions[i]->code[k].executed)
        count_operation(module, &capacity, module->functions[i]->code[k].name, module->functions[i]->code[k].executed);
  if (module->count_count)
    qsort(module->counts, module->count_count, sizeof *module->counts, by_name);
  *count = module->count_count;
  return module->counts;
}
