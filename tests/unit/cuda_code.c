// What LLVM 19 and PTX get wrong, and what the driver relies on: the PTX and its metadata (docs/cuda.md).
#include "backends/cuda/code/meta.h"
#include "kiln/kiln.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jit/program.h"

// A program for a target; NULL with the message of kiln_last_error.
static struct kiln_program *try_compile(const char *source, enum kiln_source_kind kind, const char *arch,
                                        const char *options) {
  struct kiln_context_desc desc = {.backend = "cuda", .arch = arch, .cache_mode = "off"};
  struct kiln_context *ctx;
  struct kiln_program *program = NULL;
  cr_assert(kiln_context_open(&desc, &ctx) == KILN_OK, "%s", kiln_last_error());
  struct kiln_program_desc what = {.source = source, .name = "test", .kind = kind, .options = options};
  kiln_program_create(ctx, &what, &program);
  kiln_context_close(ctx); // the program keeps it
  return program;
}

struct code {
  struct kiln_program *program;
  const char *text;
};

static struct code compile(const char *source, const char *arch, const char *options) {
  struct code code = {.program = try_compile(source, KILN_SOURCE_OPENCL_C, arch, options)};
  cr_assert(code.program, "%s", kiln_last_error());
  struct kiln_program_info info;
  kiln_program_info(code.program, &info);
  code.text = info.artifact;
  return code;
}

static void has(struct code code, const char *what) {
  cr_assert(strstr(code.text, what), "no '%s':\n%s", what, code.text);
}

static void lacks(struct code code, const char *what) {
  cr_assert(!strstr(code.text, what), "'%s':\n%s", what, code.text);
}

Test(cuda_code, versions) {
  static const char *const cases[][3] = {
      {"sm_50", "", ".version 6.0"},     {"sm_70", "", ".version 6.0"},   {"sm_75", "", ".version 6.3"},
      {"sm_80", "", ".version 7.0"},     {"sm_90", "", ".version 7.8"},   {"sm_90a", "", ".target sm_90a"},
      {"sm_120", "", ".target sm_90\n"}, {"sm_60", "-g", ".version 7.5"}, {"sm_90", "-g", ".version 7.8"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct code code = compile("kernel void k(global int *p) { *p = 1; }", cases[i][0], cases[i][1]);
    has(code, cases[i][2]);
    kiln_program_release(code.program);
  }
}

Test(cuda_code, parameters) {
  const char *source = "struct s { int a[2000]; };\n"
                       "kernel void k(char2 c, float3 f, local int *l, struct s s, global int *p) {\n"
                       "  *p = c.y + (int)f.z + l[1] + s.a[p[1]]; }\n";
  struct code code = compile(source, "sm_70", "");
  has(code, ".version 8.1");
  has(code, ".param .align 2 .b8 k_param_0[2]");
  has(code, ".param .align 16 .b8 k_param_1[16]");
  has(code, ".param .u32 k_param_2");
  has(code, ".param .align 8 .b8 k_param_5[96]");
  has(code, ".extern .shared .align 128 .b8 kiln_dynamic[]");
  lacks(code, "ld.param.u32 \t%r1, [k_param_0]"); // one word would lose an element
  kiln_program_release(code.program);
  cr_assert_null(try_compile(source, KILN_SOURCE_OPENCL_C, "sm_61", ""));
  cr_assert(strstr(kiln_last_error(), "takes at most 4352"), "%s", kiln_last_error());
}

Test(cuda_code, groups) {
  struct code code = compile("kernel void k(global int *p) { *p = 1; }", "sm_80", "");
  has(code, ".maxntid 256, 1, 1");
  lacks(code, ".reqntid");
  kiln_program_release(code.program);
  code = compile("kernel __attribute__((reqd_work_group_size(8, 8, 2))) void k(global int *p) { *p = 1; }", "sm_80",
                 "--kiln-max-group-size=1024");
  has(code, ".maxntid 128, 1, 1");
  lacks(code, ".reqntid");
  kiln_program_release(code.program);
  cr_assert_null(try_compile("kernel __attribute__((reqd_work_group_size(2048, 1, 1))) void k(global int *p) {}",
                             KILN_SOURCE_OPENCL_C, "sm_80", ""));
  cr_assert(strstr(kiln_last_error(), "2048"), "%s", kiln_last_error());
}

// The common kernel pays nothing for launches of other kinds.
Test(cuda_code, launches) {
  const char *source = "kernel void k(global int *p) { p[get_global_id(0)] = get_global_offset(0); }";
  struct code code = compile(source, "sm_80", "");
  lacks(code, "[k_param_1");
  kiln_program_release(code.program);
  code = compile(source, "sm_80", "--kiln-launches=any");
  has(code, "[k_param_1");
  kiln_program_release(code.program);
}

static void read_meta(struct code code, struct kiln_cuda_meta *meta) {
  struct kiln_code binary = kiln_binary_code(code.program->binary);
  const char *fault = kiln_cuda_meta_read(binary.meta, binary.meta_size, meta);
  cr_assert_null(fault, "%s", fault);
}

Test(cuda_code, names) {
  const char *source = "kiln_ir 1\n"
                       "kernel @_(%p: ptr.global \"int*\") {\n  store %p, 1:i32, align 4\n  return\n}\n"
                       "kernel @WARP_SZ(%p: ptr.global \"int*\") {\n  store %p, 2:i32, align 4\n  return\n}\n"
                       "kernel @add(%p: ptr.global \"int*\") {\n  store %p, 3:i32, align 4\n  return\n}\n";
  struct code code = {.program = try_compile(source, KILN_SOURCE_IR_TEXT, "sm_80", "")};
  cr_assert(code.program, "%s", kiln_last_error());
  struct kiln_program_info info;
  struct kiln_cuda_meta meta;
  kiln_program_info(code.program, &info);
  code.text = info.artifact;
  has(code, ".entry kiln_kernel_0(");
  has(code, ".entry kiln_kernel_1(");
  has(code, ".entry add(");
  cr_assert_str_eq(kiln_program_kernel_name(code.program, 0), "_");
  read_meta(code, &meta);
  cr_assert_eq(meta.kernel_count, 3);
  cr_assert(!strncmp(meta.kernels[1].name.data, "kiln_kernel_1", meta.kernels[1].name.size));
  kiln_cuda_meta_free(&meta);
  kiln_program_release(code.program);
}

Test(cuda_code, pointers_in_a_circle) {
  const char *source = "struct node { global struct node *next; int value; };\n"
                       "extern global struct node b;\n"
                       "global struct node a = {&b, 1};\n"
                       "global struct node b = {&a, 2};\n"
                       "kernel void k(global int *p) { *p = a.next->next->value; a.value++; }\n";
  struct code code = compile(source, "sm_80", "-cl-std=CL2.0");
  struct kiln_cuda_meta meta;
  read_meta(code, &meta);
  cr_assert_eq(meta.state_count, 2);
  cr_assert_eq(meta.pointer_count, 1, "%u pointers", meta.pointer_count);
  cr_assert_eq(meta.flags & KILN_CUDA_META_TABLE, 0);
  cr_assert_neq(meta.pointers[0].variable, meta.pointers[0].target);
  kiln_cuda_meta_free(&meta);
  kiln_program_release(code.program);
  code = compile(source, "sm_80", "-cl-std=CL2.0 --kiln-launches=any"); // may be a variant of another program
  has(code, "kiln_variables");
  read_meta(code, &meta);
  cr_assert_eq(meta.flags & KILN_CUDA_META_TABLE, KILN_CUDA_META_TABLE);
  kiln_cuda_meta_free(&meta);
  kiln_program_release(code.program);
}

Test(cuda_code, loads_of_bytes) {
  const char *source = "kernel void k(global uchar *p) { vstore16(vload16(1, p + 1) + (uchar16)1, 0, p); }";
  struct code code = compile(source, "sm_80", "");
  lacks(code, "ld.global.v4");
  has(code, "ld.global.u8");
  kiln_program_release(code.program);
}

Test(cuda_code, loads_of_halves) {
  struct code code =
      compile("kernel void k(global half *p, global float *r) { vstore16(vloada_half16(0, p), 0, r); }", "sm_80", "");
  has(code, "cvt.f32.f16");
  kiln_program_release(code.program);
}

Test(cuda_code, large_copies) {
  const char *source = "struct s { long a[40]; };\n"
                       "kernel void k(global struct s *p) { p[1] = p[0]; }";
  struct code code = compile(source, "sm_80", "");
  lacks(code, "ld.global.u8");
  kiln_program_release(code.program);
}

Test(cuda_code, division) {
  const char *source = "kernel void k(global float *p) { p[0] = p[1] / p[2] + sqrt(p[3]); }";
  struct code code = compile(source, "sm_80", "");
  has(code, "div.full.f32");
  has(code, "sqrt.approx.f32");
  kiln_program_release(code.program);
  code = compile(source, "sm_80", "-cl-fp32-correctly-rounded-divide-sqrt");
  has(code, "div.rn.f32");
  has(code, "sqrt.rn.f32");
  kiln_program_release(code.program);
  code = compile(source, "sm_80", "-cl-denorms-are-zero");
  has(code, "div.full.ftz.f32");
  kiln_program_release(code.program);
}

// LLVM takes its intrinsic of the instruction for a conversion that knows no infinity, and forgets the choice.
Test(cuda_code, conversions_saturate) {
  const char *source =
      "kernel void k(global float *x, global int *r) { float f = *x; *r = (int)(isnan(f) ? INFINITY : f); }";
  struct code code = compile(source, "sm_80", "");
  has(code, "selp.f32");
  has(code, "cvt.rzi.s32.f32");
  kiln_program_release(code.program);
}

Test(cuda_code, no_contraction) {
  const char *source = "#pragma OPENCL FP_CONTRACT OFF\n"
                       "kernel void k(global float *p) { p[0] = p[1] * p[2] + p[3]; }";
  struct code code = compile(source, "sm_80", "");
  has(code, "mul.rn.f32");
  has(code, "add.rn.f32");
  kiln_program_release(code.program);
}

Test(cuda_code, failing_checks_end_the_work_item) {
  const char *source = "kernel void k(global int *p) { int s = 0; for (int i = 0; i < p[1]; i++) s += p[i]; *p = s; }";
  struct code code = compile(source, "sm_80", "");
  lacks(code, "trap;");
  kiln_program_release(code.program);
}

// Writes a stage to a file, with a line before its first return if there is one, and a declaration behind it.
static void write_stage(struct code code, const char *stage, const char *path, const char *line) {
  void *data;
  size_t size;
  cr_assert(kiln_program_stage(code.program, stage, &data, &size) == KILN_OK, "%s", kiln_last_error());
  const char *at = line ? memmem(data, size, "  ret void", 10) : data;
  FILE *file = fopen(path, "w");
  cr_assert(at && file);
  fwrite(data, 1, (size_t)(at - (const char *)data), file);
  fputs(line ? line : "", file);
  fwrite(at, 1, size - (size_t)(at - (const char *)data), file);
  fputs(line ? "\ndeclare float @llvm.sin.f32(float)\n" : "", file);
  fclose(file);
  kiln_free(data);
}

// What LLVM would end the process over is refused by name.
Test(cuda_code, refuses_by_name) {
  static const struct {
    const char *line, *name;
  } cases[] = {
      {"  fence seq_cst\n", "fence"},
      {"  %x = load atomic i32, ptr addrspace(1) %p acquire, align 4\n", "orders"},
      {"  store atomic i32 1, ptr addrspace(1) %p release, align 4\n", "orders"},
      {"  %x = call float @llvm.sin.f32(float 1.0)\n", "llvm.sin.f32"},
      {"  %x = frem float 3.0, 2.0\n", "frem"},
      {"  %x = sdiv i128 3, 2\n", "128 bits"},
      {"  %y = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst, align 4\n", "atomicrmw"},
  };
  char folder[] = "/tmp/kiln-cuda-XXXXXX", ir[64], ll[64];
  cr_assert(mkdtemp(folder));
  snprintf(ir, sizeof ir, "%s/k.kir", folder);
  snprintf(ll, sizeof ll, "%s/k.ll", folder);
  struct code code = compile("kernel void k(global int *p) { *p = 1; }", "sm_80", "");
  write_stage(code, "ir", ir, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char command[600], answer[2000];
    write_stage(code, "ll", ll, cases[i].line);
    snprintf(command, sizeof command, "%s/kiln compile %s -b cuda -a sm_80 -o /dev/null 2>&1", KILN_BUILD_DIR, ll);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    answer[fread(answer, 1, sizeof answer - 1, pipe)] = 0;
    pclose(pipe);
    cr_assert(strstr(answer, cases[i].name) && strstr(answer, "LLVM 19 has no code"), "%s: %s", cases[i].line, answer);
  }
  remove(ir);
  remove(ll);
  rmdir(folder);
  kiln_program_release(code.program);
}
