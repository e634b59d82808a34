// Module variables of NVIDIA GPUs and names. Variables that the driver must find are visible in the PTX; pointers that
// PTX cannot write as initialisers are left to the driver. In programs that may be variants of another one, kernels
// read the addresses of the state from a table that the driver fills in (docs/cuda.md).
#include <stdlib.h>
#include <string.h>

#include "backends/llvm/gpu/nvptx.h"

// ---- names

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static bool is_plain(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

enum { MAX_NAME = 1000 };

// Whether PTX can have an entry of the name. Ours begin with kiln_; LLVM makes "_$_" of dots.
static bool is_good_entry(const char *name) {
  size_t size = strlen(name);
  if (!size || size > MAX_NAME || !strncmp(name, "kiln_", 5) || !strcmp(name, "WARP_SZ"))
    return false;
  for (size_t i = 0; i < size; i++)
    if (!is_plain(name[i]))
      return false;
  return is_letter(name[0]) || (name[0] == '_' && size > 1);
}

const char *kiln_ll_nvptx_kernel_name(struct kiln_ll *ll, const char *name, uint32_t number) {
  return is_good_entry(name) ? name : kiln_arena_printf(&ll->arena, "kiln_kernel_%u", number);
}

static void rename(LLVMValueRef value) {
  size_t size;
  const char *name = LLVMGetValueName2(value, &size);
  bool good = size && size < MAX_NAME;
  for (size_t i = 0; i < size; i++)
    good &= is_plain(name[i]) || name[i] == '.'; // LLVM replaces dots
  if (!good)
    LLVMSetValueName2(value, "kiln_renamed", strlen("kiln_renamed")); // LLVM adds a number
}

void kiln_ll_nvptx_rename(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      rename(f);
  for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
    if (LLVMGetLinkage(g) == LLVMInternalLinkage)
      rename(g);
}

// ---- variables that the driver finds

// The number of a module variable among those of the metadata. It gets a name of its own, by which it is found.
static uint32_t number_of(struct kiln_ll *ll, uint32_t index) {
  struct kiln_ll_nvptx *own = ll->nvptx;
  if (own->number_of[index])
    return own->number_of[index] - 1;
  char *name = kiln_arena_printf(&ll->arena, "kiln_variable_%u_%.60s", index, ll->ir->globals[index].name);
  for (char *at = name; *at; at++)
    if (!is_plain(*at))
      *at = '_';
  LLVMValueRef value = ll->globals[index];
  LLVMSetValueName2(value, name, strlen(name));
  LLVMSetLinkage(value, LLVMExternalLinkage);
  own->variables[own->variable_count++] = (struct kiln_str){name, strlen(name)};
  own->number_of[index] = own->variable_count;
  return own->variable_count - 1;
}

static void add_states(struct kiln_ll *ll) {
  struct kiln_ll_nvptx *own = ll->nvptx;
  for (uint32_t i = 0; i < ll->ir->global_count; i++)
    if (kiln_ll_is_state(&ll->ir->globals[i]))
      number_of(ll, i);
  own->state_count = own->variable_count;
  if (!own->state_count || (!ll->machine->nvptx.shares_state && !kiln_ll_gpu_has_images(ll->ir)))
    return;
  own->table = kiln_ll_gpu_state_table(ll, own->state_count, true);
}

LLVMValueRef kiln_ll_nvptx_state(struct kiln_ll_fn *f, uint32_t global) {
  struct kiln_ll *ll = f->ll;
  struct kiln_ll_nvptx *own = ll->nvptx;
  if (!own->table)
    return ll->globals[global];
  return kiln_ll_gpu_state_in(ll, own->table, own->number_of[global] - 1, ll->ir->globals[global].space);
}

// ---- pointers

// Whether PTX can write the pointers of a variable: as words of 8 bytes. (Bytes of addresses come with PTX 7.1.)
static bool has_whole_pointers(const struct kiln_global *global) {
  bool whole = global->size % 8 == 0;
  for (uint32_t r = 0; r < global->reloc_count; r++)
    whole &= global->relocs[r].offset % 8 == 0;
  return whole;
}

// Leaves a pointer of a variable to the driver. Pieces of the initialiser: bytes, pointer, bytes, …
static void leave_pointer(struct kiln_ll *ll, uint32_t index, uint32_t r) {
  struct kiln_ll_nvptx *own = ll->nvptx;
  const struct kiln_reloc *reloc = &ll->ir->globals[index].relocs[r];
  LLVMValueRef value = ll->globals[index], initializer = LLVMGetInitializer(value);
  unsigned count = (unsigned)LLVMGetNumOperands(initializer);
  LLVMValueRef *pieces = KILN_NEW_ARRAY(&ll->arena, LLVMValueRef, count + 1);
  for (unsigned i = 0; i < count; i++)
    pieces[i] = LLVMGetOperand(initializer, i);
  pieces[2 * r + 1] = LLVMConstNull(LLVMTypeOf(pieces[2 * r + 1]));
  LLVMSetInitializer(value, LLVMConstStructInContext(ll->context, pieces, count, true));
  LLVMSetGlobalConstant(value, false);
  LLVMSetExternallyInitialized(value, true);
  uint32_t variable = number_of(ll, index), target = number_of(ll, reloc->global);
  own->pointers[own->pointer_count++] = (struct kiln_cuda_meta_pointer){
      .variable = variable, .target = target, .offset = reloc->offset, .addend = (uint64_t)reloc->addend};
}

enum visit { NEW, ACTIVE, DONE };

// A variable that is being visited, and its next pointer.
struct visited {
  uint32_t index, next;
};

// Follows pointers from a variable; those that lead back to one on the way there are left to the driver.
static void visit(struct kiln_ll *ll, uint32_t start, uint8_t *states, struct visited *way) {
  uint32_t depth = 0;
  way[depth++] = (struct visited){start, 0};
  states[start] = ACTIVE;
  while (depth) {
    struct visited *at = &way[depth - 1];
    const struct kiln_global *global = &ll->ir->globals[at->index];
    if (at->next == global->reloc_count) {
      states[at->index] = DONE;
      depth--;
      continue;
    }
    uint32_t r = at->next++, target = global->relocs[r].global;
    if (states[target] == ACTIVE || !has_whole_pointers(global))
      leave_pointer(ll, at->index, r);
    if (states[target] == NEW) {
      states[target] = ACTIVE;
      way[depth++] = (struct visited){target, 0};
    }
  }
}

static void break_circles(struct kiln_ll *ll) {
  uint32_t count = ll->ir->global_count;
  uint8_t *states = KILN_NEW_ARRAY(&ll->arena, uint8_t, count + 1);
  struct visited *way = KILN_NEW_ARRAY(&ll->arena, struct visited, count + 1);
  for (uint32_t i = 0; i < count; i++)
    if (ll->globals[i] && states[i] == NEW)
      visit(ll, i, states, way);
}

void kiln_ll_nvptx_define_state(struct kiln_ll *ll) {
  struct kiln_ll_nvptx *own = ll->nvptx = KILN_NEW(&ll->arena, struct kiln_ll_nvptx);
  uint32_t globals = ll->ir->global_count, pointers = 0;
  for (uint32_t i = 0; i < globals; i++)
    pointers += ll->ir->globals[i].reloc_count;
  own->kernels = KILN_NEW_ARRAY(&ll->arena, struct kiln_cuda_meta_kernel, ll->ir->function_count + 1);
  own->variables = KILN_NEW_ARRAY(&ll->arena, struct kiln_str, globals + 1);
  own->number_of = KILN_NEW_ARRAY(&ll->arena, uint32_t, globals + 1);
  own->pointers = KILN_NEW_ARRAY(&ll->arena, struct kiln_cuda_meta_pointer, pointers + 1);
  add_states(ll);
  break_circles(ll);
  kiln_ll_nvptx_place_local(ll);
}
