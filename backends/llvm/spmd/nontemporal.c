// Non-temporal stores (plan/nontemporal.c): the code holds both kinds of stores, and the launch says which one runs.
#include "backends/llvm/spmd/launch.h"
#include "backends/llvm/spmd/spmd.h"
#include "backends/llvm/spmd/version.h"

static void store_vector(struct kiln_ll_fn *f, LLVMValueRef vector, LLVMValueRef address, unsigned align,
                         bool nontemporal) {
  struct kiln_ll *ll = f->ll;
  LLVMValueRef store = LLVMBuildStore(ll->b, vector, address);
  LLVMSetAlignment(store, align);
  if (!nontemporal)
    return;
  LLVMMetadataRef one = LLVMValueAsMetadata(kiln_ll_i32(ll, 1));
  kiln_ll_attach(ll->context, store, "nontemporal", &one, 1);
}

void kiln_ll_store_nontemporal(struct kiln_ll_fn *f, kiln_value store, LLVMValueRef value, unsigned align) {
  struct kiln_ll *ll = f->ll;
  LLVMBuilderRef b = ll->b;
  kiln_value pointer = kiln_operands(f->fn, store)[0];
  uint32_t param = f->form->nontemporal[pointer];
  unsigned n = kiln_type_lanes(kiln_value_type(f->fn, kiln_operands(f->fn, store)[1])),
           whole = kiln_ll_stored_bytes(f, store);
  LLVMValueRef vector = kiln_ll_to_lanes(f, value, n, n), address = kiln_ll_held(f, pointer);
  LLVMValueRef shift = kiln_ll_i64(ll, param - 1), zero = kiln_ll_i64(ll, 0);
  LLVMValueRef large =
      LLVMBuildAnd(b, LLVMBuildLShr(b, kiln_ll_word(f, KILN_LL_LARGE), shift, ""), kiln_ll_i64(ll, 1), "");
  LLVMValueRef small = LLVMBuildSub(b, large, kiln_ll_i64(ll, 1), ""); // all bits, or none
  LLVMValueRef past = LLVMBuildPtrToInt(b, address, ll->i64, "");      // bytes past the start of a register
  LLVMValueRef test = LLVMBuildAnd(b, LLVMBuildOr(b, past, small, ""), kiln_ll_i64(ll, whole - 1), "");
  struct kiln_ll_versions versions;
  kiln_ll_begin_versions(f, &versions, LLVMBuildICmp(b, LLVMIntEQ, test, zero, ""), "around");
  store_vector(f, vector, address, whole, true);
  kiln_ll_other_version(f, &versions);
  store_vector(f, vector, address, align, false);
  kiln_ll_end_versions(f, &versions);
}
