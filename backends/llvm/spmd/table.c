// Elements of small constant tables (digits[x >> 4]): the table is held in registers, and a permutation selects each
// lane's element, if the machine has permutations for such elements.
#include <string.h>

#include "backends/llvm/spmd/cost.h"
#include "backends/llvm/spmd/group.h"
#include "backends/llvm/spmd/plan.h"

static const struct permutation {
  unsigned bytes, width; // of an element, of a register
  const char *feature, *one, *two;
} permutations[] = {
    {1, 64, "+avx512vbmi", "llvm.x86.avx512.permvar.qi.512", "llvm.x86.avx512.vpermi2var.qi.512"},
    {2, 64, "+avx512bw", "llvm.x86.avx512.permvar.hi.512", "llvm.x86.avx512.vpermi2var.hi.512"},
    {4, 64, "+avx512f", "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"},
    {4, 32, "+avx2", "llvm.x86.avx2.permd", NULL},
};

static bool has(const char *features, const char *feature) {
  size_t length = strlen(feature);
  for (const char *at = features; (at = strstr(at, feature)); at += length)
    if (at[length] == ',' || !at[length])
      return true;
  return false;
}

static const struct permutation *find(const struct kiln_ll_fn *f, unsigned bytes) {
  const struct kiln_llvm_machine *machine = f->ll->machine;
  for (unsigned i = 0; i < sizeof permutations / sizeof *permutations; i++) {
    const struct permutation *p = &permutations[i];
    if (p->bytes == bytes && has(machine->features, p->feature) && (p->width == 32) == !machine->wide_vectors)
      return p;
  }
  return NULL;
}

// The table that the load reads from; NULL: none that is known and small.
static const struct kiln_global *table_of(const struct kiln_ll_fn *f, kiln_value load, unsigned bytes, unsigned most) {
  const struct kiln_inst *in = kiln_inst(f->fn, load);
  kiln_value pointer = kiln_operands(f->fn, load)[0];
  const struct kiln_inst *add = kiln_inst(f->fn, pointer);
  if ((in->flags & KILN_MEM_VOLATILE) || kiln_type_lanes(in->type) > 1 ||
      f->fn->shapes[pointer].kind != KILN_SHAPE_VARYING || add->op != KILN_OP_PADD ||
      (int64_t)add->imm != (int64_t)bytes)
    return NULL;
  const struct kiln_inst *base = kiln_inst(f->fn, kiln_operands(f->fn, pointer)[0]);
  if (base->op != KILN_OP_GLOBAL)
    return NULL;
  const struct kiln_global *global = &f->ll->ir->globals[base->imm];
  bool is_table = global->space == KILN_CONSTANT && global->init && !global->reloc_count;
  return is_table && global->size % bytes == 0 && global->size <= most ? global : NULL;
}

// The same if the machine has permutations for it. Functions without AVX512BW load no narrow elements from tables
// (kiln_ll_takes_narrow_tables).
static const struct kiln_global *find_table(const struct kiln_ll_fn *f, kiln_value load,
                                            const struct permutation **permutation) {
  unsigned bytes = kiln_ll_element_bytes(kiln_value_type(f->fn, load));
  *permutation = find(f, bytes);
  return *permutation ? table_of(f, load, bytes, KILN_COST_TABLE_REGISTERS * (*permutation)->width) : NULL;
}

bool kiln_ll_takes_narrow_tables(const struct kiln_ll_fn *f) {
  const struct permutation *p;
  for (kiln_value v = 1; v < f->fn->inst_count; v++)
    if (f->fn->insts[v].op == KILN_OP_LOAD && f->fn->insts[v].region && find_table(f, v, &p) && p->bytes < 4)
      return true;
  return false;
}

// The registers that hold the table, a power of two, padded with zeros.
static unsigned registers(struct kiln_ll *ll, const struct kiln_global *global, const struct permutation *p,
                          LLVMValueRef out[KILN_COST_TABLE_REGISTERS]) {
  unsigned count = 0, n = p->width / p->bytes;
  LLVMTypeRef type = kiln_ll_int(ll, p->bytes * 8);
  for (uint64_t at = 0; at < global->size || (count & (count - 1)); count++) {
    LLVMValueRef elements[64];
    for (unsigned i = 0; i < n; i++, at += p->bytes) {
      uint64_t bits = 0;
      if (at < global->size)
        memcpy(&bits, (const char *)global->init + at, p->bytes);
      elements[i] = LLVMConstInt(type, bits, false);
    }
    out[count] = LLVMConstVector(elements, n);
  }
  return count;
}

// For each index, whether a bit is set.
static LLVMValueRef has_bit(struct kiln_ll *ll, LLVMValueRef index, unsigned bit) {
  LLVMTypeRef type = LLVMTypeOf(index);
  return LLVMBuildICmp(ll->b, LLVMIntNE, LLVMBuildAnd(ll->b, index, kiln_ll_splat(type, bit), ""),
                       kiln_ll_splat(type, 0), "");
}

// A permutation uses only as many bits of the index as its elements need.
static LLVMValueRef take(struct kiln_ll *ll, const struct permutation *p, LLVMValueRef *table, unsigned count,
                         LLVMValueRef index) {
  unsigned n = p->width / p->bytes;
  if (count == 1) {
    LLVMValueRef args[2] = {table[0], index};
    return kiln_ll_intrinsic(ll, p->one, NULL, 0, args, 2);
  }
  if (count == 2 && p->two) {
    LLVMValueRef args[3] = {table[0], index, table[1]};
    return kiln_ll_intrinsic(ll, p->two, NULL, 0, args, 3);
  }
  LLVMValueRef low = take(ll, p, table, count / 2, index), high = take(ll, p, table + count / 2, count / 2, index);
  return LLVMBuildSelect(ll->b, has_bit(ll, index, n * count / 2), high, low, "");
}

bool kiln_ll_is_table_load(const struct kiln_ll_fn *f, kiln_value load) {
  const struct permutation *p;
  return find_table(f, load, &p) && kiln_ll_has_operands(f, load, kiln_operands(f->fn, load)[0]);
}

LLVMValueRef kiln_ll_load_table(struct kiln_ll_fn *f, kiln_value load) {
  struct kiln_ll *ll = f->ll;
  kiln_type type = kiln_value_type(f->fn, load);
  unsigned lanes = f->spmd->lanes;
  const struct permutation *p;
  const struct kiln_global *global = find_table(f, load, &p);
  LLVMValueRef table[KILN_COST_TABLE_REGISTERS], result, parts[KILN_LL_MAX_LANES];
  unsigned count = registers(ll, global, p, table), n = p->width / p->bytes;
  kiln_value wide = kiln_operands(f->fn, kiln_operands(f->fn, load)[0])[1];
  // The index is within the table, so the low bits of its operands suffice.
  const struct kiln_inst *extension = kiln_inst(f->fn, wide);
  bool is_extended = (extension->op == KILN_OP_ZEXT || extension->op == KILN_OP_SEXT) &&
                     kiln_ll_shape(f, wide).kind == KILN_SHAPE_VARYING && kiln_ll_has_operands(f, load, wide);
  LLVMValueRef index = kiln_ll_wide(f, is_extended ? kiln_operands(f->fn, wide)[0] : wide);
  index = LLVMBuildIntCast2(ll->b, index, LLVMVectorType(kiln_ll_int(ll, p->bytes * 8), lanes), false, "");
  for (unsigned at = 0; at < lanes; at += n)
    parts[at / n] = take(ll, p, table, count, kiln_ll_slice(ll, index, at, n));
  result = kiln_ll_concatenate(ll, parts, (lanes + n - 1) / n);
  result = lanes < n ? kiln_ll_slice(ll, result, 0, lanes) : result;
  return LLVMBuildBitCast(ll->b, result, LLVMVectorType(kiln_ll_type(ll, type), lanes), "");
}
