// Every atomic operation, fence, access to memory, copy and exchange of sub-groups that the IR has, in every order,
// scope, space, type and alignment, compiled for NVIDIA targets: LLVM ends the process over what it does not select.
// The emulator's parser reads the code, and ptxas takes it, where there is one for the target.
//
//   cuda_matrix ARCH...
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kiln/kiln.h"
#include "tests/cuda/code/ptxas.h"
#include "tests/cuda/emulator/emulator.h"

static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const scopes[] = {"item", "sub_group", "group", "device", "system"};
static const char *const ints[] = {"add", "sub", "xchg", "and", "or", "xor", "smin", "smax", "umin", "umax"};
static const char *const floats[] = {"fadd", "fmin", "fmax", "xchg"};
static const char *const kinds[] = {"i8", "i16", "i32", "i64", "f16", "f32", "f64"};
enum { I8, I16, I32, I64, F16, F32, F64, KINDS };

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct text {
  struct kiln_strbuf buf;
  unsigned kernels, values;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_strbuf_vprintf(&t->buf, format, args);
  va_end(args);
}

static void begin(struct text *t) {
  put(t,
      "kernel @k%u(%%g: ptr.global \"int*\", %%l: ptr.local \"int*\", %%c: ptr.constant \"int*\", %%i32: i32, %%i64: "
      "i64, %%f32: f32, %%f64: f64) {\n  %%v = var 256, align 128 : ptr.private\n  %%gen = pcast %%g : ptr.generic\n"
      "  %%pg = pcast %%v : ptr.generic\n",
      t->kernels++);
  t->values = 0;
}

static void end(struct text *t) { put(t, "  return\n}\n\n"); }

// ---- what is compiled

static void atomic_ops(struct text *t, const char *pointer, const char *order, const char *scope) {
  for (unsigned k = I32; k < KINDS; k++) {
    bool is_float = k >= F16;
    if (k == F16)
      continue;
    const char *kind = kinds[k], *const *ops = is_float ? floats : ints;
    for (size_t i = 0; i < (is_float ? COUNT(floats) : COUNT(ints)); i++)
      put(t, "  %%x%u = atomic_rmw.%s %s, %%%s, %s %s\n", t->values++, ops[i], pointer, kind, order, scope);
    put(t, "  %%x%u = atomic_cas %s, %%%s, %%%s, %s %s\n", t->values++, pointer, kind, kind, order, scope);
    put(t, "  %%x%u = atomic_load %s, %s %s : %s\n", t->values++, pointer, order, scope, kind);
    put(t, "  atomic_store %s, %%%s, %s %s\n", pointer, kind, order, scope);
  }
}

static void atomics(struct text *t) {
  static const char *const pointers[] = {"%g", "%l", "%gen", "%v"};
  for (size_t p = 0; p < COUNT(pointers); p++)
    for (size_t o = 0; o < COUNT(orders); o++)
      for (size_t s = 0; s < COUNT(scopes); s++) {
        begin(t);
        atomic_ops(t, pointers[p], orders[o], scopes[s]);
        end(t);
      }
}

static void fences(struct text *t) {
  static const char *const memories[] = {"[]", "[local]", "[global]", "[local, global]", "[image]"};
  begin(t);
  for (size_t o = 0; o < COUNT(orders); o++)
    for (size_t s = 0; s < COUNT(scopes); s++)
      for (size_t m = 0; m < COUNT(memories); m++)
        put(t, "  store %%g, %%i32, align 4\n  fence %s %s %s\n", orders[o], scopes[s], memories[m]);
  for (size_t m = 0; m < COUNT(memories); m++)
    put(t, "  barrier %s\n  sub_group_barrier %s\n", memories[m], memories[m]);
  end(t);
}

static unsigned bits_of(unsigned kind) {
  static const unsigned bits[KINDS] = {8, 16, 32, 64, 16, 32, 64};
  return bits[kind];
}

static void accesses(struct text *t) {
  static const char *const froms[] = {"%g", "%l", "%c", "%gen", "%v", "%pg"}, *const tos[] = {"%v", "%g", "%l"};
  static const unsigned lanes[] = {1, 2, 3, 4, 8, 16};
  for (unsigned k = 0; k < KINDS; k++)
    for (size_t n = 0; n < COUNT(lanes); n++) {
      char type[16];
      snprintf(type, sizeof type, lanes[n] > 1 ? "%sx%u" : "%s", kinds[k], lanes[n]);
      begin(t);
      for (unsigned align = 1; align <= 128 && align <= 2 * bits_of(k) / 8 * lanes[n]; align *= 2)
        for (size_t f = 0; f < COUNT(froms); f++)
          for (int is_volatile = 0; is_volatile < 2; is_volatile++) {
            const char *flag = is_volatile ? ".volatile" : "", *to = tos[(f + is_volatile) % COUNT(tos)];
            put(t, "  %%x%u = load%s %s, align %u : %s\n", t->values, flag, froms[f], align, type);
            put(t, "  store%s %s, %%x%u, align %u\n", flag, to, t->values++, align);
          }
      end(t);
    }
}

static void copies(struct text *t) {
  static const unsigned sizes[] = {1, 2, 3, 4, 7, 8, 12, 15, 16, 31, 64, 127, 128, 129, 144, 200, 255, 256};
  static const char *const pairs[][2] = {{"%v", "%g"}, {"%g", "%v"}, {"%l", "%g"}, {"%g", "%c"}, {"%gen", "%l"}};
  for (unsigned align = 1; align <= 32; align *= 2) {
    begin(t);
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (size_t p = 0; p < COUNT(pairs) && sizes[s] >= align; p++)
        put(t, "  copy %s, %s, bytes %u, align %u\n", pairs[p][0], pairs[p][1], sizes[s], align);
    end(t);
  }
}

static void exchange_ops(struct text *t, unsigned k) {
  static const char *const of_ints[] = {"add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"},
                           *const of_floats[] = {"fadd", "fmul", "fmin", "fmax"};
  const char *const *ops = k >= F16 ? of_floats : of_ints;
  for (size_t i = 0; i < (k >= F16 ? COUNT(of_floats) : COUNT(of_ints)); i++) {
    static const char *const forms[] = {"group_reduce", "group_scan_inclusive", "group_scan_exclusive"};
    for (size_t form = 0; form < COUNT(forms); form++) {
      put(t, "  %%x%u = %s.%s %%a, sub_group\n  store %%g, %%x%u, align 1\n", t->values, forms[form], ops[i],
          t->values);
      t->values++;
    }
    for (unsigned cluster = 1; cluster <= 32; cluster *= 2) {
      put(t, "  %%x%u = group_reduce.%s %%a, sub_group, cluster %u\n  store %%g, %%x%u, align 1\n", t->values, ops[i],
          cluster, t->values);
      t->values++;
    }
  }
  put(t, "  %%x%u = group_broadcast %%a, %%i32, sub_group\n  store %%g, %%x%u, align 1\n", t->values, t->values);
  put(t, "  %%y%u = sub_group_shuffle %%a, %%i32\n  store %%g, %%y%u, align 1\n", t->values, t->values);
}

// At the top of a kernel, and on one side of a branch.
static void exchanges(struct text *t) {
  for (unsigned k = 0; k < KINDS; k++)
    for (int branch = 0; branch < 2; branch++) {
      begin(t);
      put(t, "  %%id = global_id 0 : i64\n  %%q = padd %%g, %%id * 8\n  %%a = load %%q, align 1 : %s\n", kinds[k]);
      put(t, "  %%b = slt %%id, %%i64\n");
      if (branch)
        put(t, "  if %%b {\n");
      exchange_ops(t, k);
      put(t, "  %%all = group_all %%b, sub_group\n  %%any = group_any %%b, sub_group\n"
             "  %%both = band %%all, %%any\n  %%n = zext %%both : i32\n  store %%g, %%n, align 4\n"
             "  %%lanes = sub_group_ballot %%b : i64\n  store %%g, %%lanes, align 8\n");
      if (branch)
        put(t, "  yield\n  }\n");
      end(t);
    }
}

// ----

static int compile(struct kiln_context *ctx, const char *arch, const char *name, void (*write)(struct text *t)) {
  struct text t = {0};
  put(&t, "kiln_ir 1\n\n");
  write(&t);
  struct kiln_program *program = NULL;
  struct kiln_program_desc desc = {.source = t.buf.data, .size = t.buf.size, .name = name, .kind = KILN_SOURCE_IR_TEXT};
  int faults = kiln_program_create(ctx, &desc, &program) != KILN_OK;
  if (faults) {
    fprintf(stderr, "%s, %s: %s\n", name, arch, kiln_last_error());
  } else {
    struct kiln_program_info info;
    struct ptx_error error;
    size_t count = 0;
    kiln_program_info(program, &info);
    struct ptx_module *module = ptx_parse(info.artifact, info.artifact_size, &error);
    if (module)
      ptx_entries(module, &count);
    faults = !module || count != t.kernels;
    if (faults)
      fprintf(stderr, "%s, %s: %zu of %u kernels: %s\n", name, arch, count, t.kernels, module ? "" : error.text);
    ptx_free(module);
    char log[2000];
    const char *ptxas = find_ptxas(arch);
    int status = ptxas ? run_ptxas(ptxas, arch, info.artifact, info.artifact_size, log, sizeof log) : 0;
    if (status)
      fprintf(stderr, "%s, %s: ptxas says (%d): %s\n", name, arch, status, log);
    faults += status != 0;
  }
  printf("%s %s: %u kernels\n", arch, name, t.kernels);
  kiln_program_release(program);
  kiln_strbuf_free(&t.buf);
  return faults;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*write)(struct text *t);
  } parts[] = {
      {"atomics", atomics}, {"fences", fences}, {"accesses", accesses}, {"copies", copies}, {"exchanges", exchanges}};
  int faults = argc < 2;
  for (int a = 1; a < argc; a++) {
    struct kiln_context *ctx;
    struct kiln_context_desc desc = {.backend = "cuda", .arch = argv[a], .cache_mode = "off"};
    if (kiln_context_open(&desc, &ctx)) {
      fprintf(stderr, "%s: %s\n", argv[a], kiln_last_error());
      return 1;
    }
    for (size_t i = 0; i < COUNT(parts); i++)
      faults += compile(ctx, argv[a], parts[i].name, parts[i].write);
    kiln_context_close(ctx);
  }
  return faults != 0;
}
