// printf: appends a record to the buffer of the launch (backends/common/prints.h). When the buffer is full, the
// record is lost and printf returns -1.
#include "backends/llvm/gpu/gpu.h"

#include <string.h>

#include "backends/common/prints.h"
#include "backends/llvm/cxx/cxx.h"

static void put_word(struct kiln_strbuf *out, uint32_t word) { kiln_strbuf_append(out, &word, sizeof word); }

// Describes the printf call in the artifact's metadata and returns its number.
static uint32_t add_location(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  const struct kiln_global *format = &ll->ir->globals[in->imm];
  if (!ll->prints.size) {
    put_word(&ll->prints, KILN_PRINTS_MAGIC);
    put_word(&ll->prints, 0); // the count
  }
  put_word(&ll->prints, in->operand_count);
  put_word(&ll->prints, (uint32_t)format->size);
  for (uint32_t i = 0; i < in->operand_count; i++)
    put_word(&ll->prints, kiln_value_type(f->fn, kiln_operands(f->fn, inst)[i]));
  for (uint64_t i = 0; i < (format->size + 3) / 4 * 4; i++)
    kiln_strbuf_putc(&ll->prints, i < format->size && format->init ? ((const char *)format->init)[i] : 0);
  return ll->print_count++;
}

static void store(struct kiln_ll *ll, LLVMValueRef value, LLVMValueRef place, unsigned align) {
  LLVMSetAlignment(LLVMBuildStore(ll->b, value, place), align);
}

// Pointers become generic ones.
static LLVMValueRef argument(struct kiln_ll_fn *f, kiln_value inst, uint32_t index) {
  kiln_type type = kiln_value_type(f->fn, kiln_operands(f->fn, inst)[index]);
  LLVMValueRef value = kiln_ll_operand(f, inst, index);
  bool converts = kiln_type_kind(type) == KILN_PTR && kiln_type_space(type) != KILN_GENERIC;
  return converts ? f->ll->hooks->to_generic(f, value, kiln_type_space(type)) : value;
}

static void set_device_scope(struct kiln_ll *ll, LLVMValueRef access) {
  if (ll->hooks->gpu->device_scope)
    kiln_ll_set_scope(access, ll->hooks->gpu->device_scope);
}

// Stores the location of the failure, of which that of any work-item will do, and ends the work-item. The builder
// continues in an unreachable block.
static void fail(struct kiln_ll_fn *f, kiln_value inst, LLVMValueRef base) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef place = kiln_ll_i64(ll, add_location(f, inst) + UINT64_C(1));
  LLVMValueRef noted = LLVMBuildStore(ll->b, place, kiln_ll_address_at(ll, base, KILN_PRINTS_FAILED));
  LLVMSetOrdering(noted, LLVMAtomicOrderingMonotonic);
  LLVMSetAlignment(noted, 8);
  set_device_scope(ll, noted);
  kiln_ll_intrinsic(ll, ll->hooks->gpu->end, NULL, 0, NULL, 0);
  LLVMBuildUnreachable(ll->b);
  LLVMPositionBuilderAtEnd(ll->b, kiln_ll_block(f, "ended"));
}

LLVMValueRef kiln_ll_gpu_print(struct kiln_ll_fn *f, kiln_value inst) {
  struct kiln_ll *ll = f->ll;
  const struct kiln_inst *in = kiln_inst(f->fn, inst);
  uint32_t bytes = 8;
  for (uint32_t i = 0; i < in->operand_count; i++)
    bytes += (kiln_type_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[i])) + 7) / 8 * 8;
  LLVMValueRef base = ll->hooks->gpu->print_buffer(f);
  if (in->flags & KILN_PRINT_FAIL) {
    fail(f, inst, base);
    return LLVMConstNull(ll->i32);
  }
  LLVMValueRef size = kiln_ll_i64(ll, bytes);
  LLVMValueRef from = LLVMBuildAtomicRMW(ll->b, LLVMAtomicRMWBinOpAdd, base, size, LLVMAtomicOrderingMonotonic, false);
  set_device_scope(ll, from);
  LLVMValueRef room = LLVMBuildLoad2(ll->b, ll->i64, kiln_ll_address_at(ll, base, 8), "");
  LLVMValueRef fits = LLVMBuildICmp(ll->b, LLVMIntULE, LLVMBuildAdd(ll->b, from, size, ""), room, "");
  LLVMBasicBlockRef write = kiln_ll_block(f, "print"), done = kiln_ll_block(f, "printed");
  LLVMBuildCondBr(ll->b, fits, write, done);
  LLVMPositionBuilderAtEnd(ll->b, write);
  LLVMValueRef record =
      kiln_ll_pointer_add(ll, base, LLVMBuildAdd(ll->b, from, kiln_ll_i64(ll, KILN_PRINTS_HEAD), ""), 1);
  store(ll, kiln_ll_i32(ll, bytes), record, 8);
  store(ll, kiln_ll_i32(ll, add_location(f, inst)), kiln_ll_address_at(ll, record, 4), 4);
  uint32_t offset = 8;
  for (uint32_t i = 0; i < in->operand_count; i++) {
    LLVMValueRef place = kiln_ll_address_at(ll, record, offset);
    store(ll, argument(f, inst, i), place, 8);
    offset += (kiln_type_bytes(kiln_value_type(f->fn, kiln_operands(f->fn, inst)[i])) + 7) / 8 * 8;
  }
  LLVMBuildBr(ll->b, done);
  LLVMPositionBuilderAtEnd(ll->b, done);
  return LLVMBuildSelect(ll->b, fits, LLVMConstNull(ll->i32), LLVMConstAllOnes(ll->i32), "");
}

enum kiln_status kiln_ll_gpu_meta(const struct kiln_ll_part *parts, const struct kiln_ll_division *division,
                                  struct kiln_artifact *out, struct kiln_report *report) {
  struct kiln_ll *ll = parts[0].ll; // the only one
  (void)division;
  if (!ll->prints.size)
    return KILN_OK;
  if (ll->prints.failed)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for the formats of printf");
  memcpy(ll->prints.data + 4, &ll->print_count, 4);
  out->meta_size = ll->prints.size;
  out->meta = kiln_strbuf_take(&ll->prints);
  return KILN_OK;
}
