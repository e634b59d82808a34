// Dot products of bytes on CPUs: one instruction where the machine has it (vpdpbusd, udot, sdot). Other x86 processors
// multiply and add pairs of 16 bits: the bytes at even places, then the bytes at odd places. (pmaddubsw would take
// bytes as they are, but saturates.)
#include "backends/llvm/cpu/kernel.h"
#include "backends/llvm/spmd/spmd.h"

enum { X86_SIGNS = 1 << KILN_DOT_FIRST_SIGNED | 1 << KILN_DOT_SECOND_SIGNED }; // of vpdpbusd, with operands exchanged

static LLVMValueRef called(struct kiln_ll *ll, const char *name, LLVMValueRef *args, unsigned count) {
  return kiln_ll_intrinsic(ll, name, NULL, 0, args, count);
}

// The even or the odd bytes of x as numbers of 16 bits.
static LLVMValueRef half_of_bytes(struct kiln_ll *ll, LLVMValueRef x, bool odd, bool is_signed) {
  LLVMBuilderRef b = ll->b;
  LLVMTypeRef type = LLVMVectorType(ll->i16, kiln_ll_lanes(x) * 2);
  LLVMValueRef eight = kiln_ll_splat(type, 8);
  x = LLVMBuildBitCast(b, x, type, "");
  if (!is_signed)
    return odd ? LLVMBuildLShr(b, x, eight, "") : LLVMBuildAnd(b, x, kiln_ll_splat(type, 255), "");
  return LLVMBuildAShr(b, odd ? x : LLVMBuildShl(b, x, eight, ""), eight, "");
}

static LLVMValueRef by_pairs(struct kiln_ll *ll, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  unsigned lanes = kiln_ll_lanes(sum);
  const char *name = lanes == 4   ? "llvm.x86.sse2.pmadd.wd"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.avx512.pmaddw.d.512";
  for (unsigned odd = 0; odd < 2; odd++) {
    LLVMValueRef pairs[] = {half_of_bytes(ll, x, odd, signs & KILN_DOT_FIRST_SIGNED),
                            half_of_bytes(ll, y, odd, signs & KILN_DOT_SECOND_SIGNED)};
    sum = LLVMBuildAdd(ll->b, sum, called(ll, name, pairs, 2), "");
  }
  return sum;
}

static LLVMValueRef as_bytes(struct kiln_ll *ll, LLVMValueRef x) {
  return LLVMBuildBitCast(ll->b, x, LLVMVectorType(ll->i8, kiln_ll_lanes(x) * 4), "");
}

// The dot products of vectors of as many lanes as a register has.
static LLVMValueRef of_register(struct kiln_ll *ll, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  if (!ll->machine->cpu.x86) {
    const char *name = signs ? "llvm.aarch64.neon.sdot" : "llvm.aarch64.neon.udot";
    LLVMTypeRef types[] = {LLVMTypeOf(sum), LLVMVectorType(ll->i8, 16)};
    LLVMValueRef args[] = {sum, as_bytes(ll, x), as_bytes(ll, y)};
    return kiln_ll_intrinsic(ll, name, types, 2, args, 3);
  }
  if (ll->machine->dot_signs != X86_SIGNS)
    return by_pairs(ll, signs, x, y, sum);
  unsigned lanes = kiln_ll_lanes(sum);
  const char *name = lanes == 4   ? "llvm.x86.avx512.vpdpbusd.128"
                     : lanes == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                                  : "llvm.x86.avx512.vpdpbusd.512";
  bool first = signs & KILN_DOT_FIRST_SIGNED;
  return called(ll, name, (LLVMValueRef[]){sum, first ? y : x, first ? x : y}, 3);
}

// The lanes of a vector from first on; lanes beyond its end are poison.
static LLVMValueRef part_of(struct kiln_ll *ll, LLVMValueRef x, unsigned first, unsigned count) {
  unsigned lanes = kiln_ll_lanes(x);
  LLVMValueRef places[16];
  if (first == 0 && count == lanes)
    return x;
  for (unsigned i = 0; i < count; i++)
    places[i] = first + i < lanes ? kiln_ll_i32(ll, first + i) : LLVMGetPoison(ll->i32);
  return LLVMBuildShuffleVector(ll->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(places, count), "");
}

// The dot products of vectors of fewer lanes than the smallest register has.
static LLVMValueRef of_few(struct kiln_ll *ll, unsigned signs, const LLVMValueRef *args) {
  unsigned lanes = kiln_ll_lanes(args[0]);
  LLVMTypeRef four = LLVMVectorType(ll->i32, 4);
  LLVMValueRef wide[3];
  for (unsigned i = 0; i < 3; i++)
    wide[i] = lanes > 1 ? part_of(ll, args[i], 0, 4)
                        : LLVMBuildInsertElement(ll->b, LLVMConstNull(four), args[i], kiln_ll_i32(ll, 0), "");
  LLVMValueRef result = of_register(ll, signs, wide[0], wide[1], wide[2]);
  return lanes > 1 ? part_of(ll, result, 0, lanes) : LLVMBuildExtractElement(ll->b, result, kiln_ll_i32(ll, 0), "");
}

LLVMValueRef kiln_ll_in_parts(struct kiln_ll *ll, kiln_ll_part_fn *emit, unsigned detail, unsigned most,
                              const LLVMValueRef args[3]) {
  unsigned lanes = kiln_ll_lanes(args[2]);
  if (lanes <= most)
    return emit(ll, detail, args[0], args[1], args[2]);
  LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(args[2]));
  for (unsigned first = 0; first < lanes; first += most) {
    LLVMValueRef parts[3];
    for (unsigned i = 0; i < 3; i++)
      parts[i] = part_of(ll, args[i], first, most);
    LLVMValueRef value = emit(ll, detail, parts[0], parts[1], parts[2]);
    LLVMTypeRef types[] = {LLVMTypeOf(result), LLVMTypeOf(value)};
    result = kiln_ll_intrinsic(ll, "llvm.vector.insert", types, 2,
                               (LLVMValueRef[]){result, value, kiln_ll_i64(ll, first)}, 3);
  }
  return result;
}

LLVMValueRef kiln_ll_cpu_dot4(struct kiln_ll_fn *f, unsigned signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
  struct kiln_ll *ll = f->ll;
  const LLVMValueRef args[] = {x, y, sum};
  unsigned lanes = kiln_ll_lanes(sum), most = ll->machine->cpu.int_bytes / 4;
  if (lanes < 4)
    return of_few(ll, signs, args);
  if (f->form && f->cpu.split_masks && most > 8 && ll->machine->dot_signs != X86_SIGNS)
    most = 8; // the function is compiled without AVX512BW, and so without pairs in 512 bits
  return kiln_ll_in_parts(ll, of_register, signs, most, args);
}
