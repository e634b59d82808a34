// What LLVM and lld do to a process that does not watch out, each provoked: names that LLVM does not know, errors
// during emission, objects that lld cannot read, two compiles at once, signal handlers.
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/cpu/cpu.h"
#include "jit/report.h"
#include "tests/unit/default_options.h"

// What lld had allocated when a fatal error was cut short is lost.
KILN_API const char *__lsan_default_suppressions(void);
KILN_API const char *__lsan_default_suppressions(void) { return "leak:libLLVM\nleak:kiln-llvm\nleak:libstdc++\n"; }

static const char saxpy[] = "kiln_ir 1\n"
                            "kernel @saxpy(%a: f32, %x: ptr.global, %y: ptr.global) {\n"
                            "  %i = global_id 0 : i64\n"
                            "  %px = padd %x, %i * 4\n  %vx = load %px, align 4 : f32\n"
                            "  %py = padd %y, %i * 4\n  %vy = load %py, align 4 : f32\n"
                            "  %m = fmul %a, %vx\n  %s = sin %m\n  %t = fadd %s, %vy\n"
                            "  store %py, %t, align 4\n  return\n}\n";

static const struct kiln_llvm_machine x86 = {.family = KILN_LLVM_CPU,
                                             .triple = "x86_64-unknown-linux-gnu",
                                             .processor = "x86-64-v3",
                                             .features = "",
                                             .lanes = 1,
                                             .half_conversion = true};

static const struct kiln_llvm_api *load(void) {
  const struct kiln_llvm_api *api = NULL;
  struct kiln_report report = {0};
  enum kiln_status status = kiln_llvm_load(&api, &report);
  cr_assert_eq(status, KILN_OK, "%s", kiln_report_text(&report));
  return api;
}

static struct kiln_module *parse(const char *text) {
  struct kiln_module *module = NULL;
  enum kiln_status status = kiln_module_parse(text, strlen(text), "test.kir", &module);
  cr_assert_eq(status, KILN_OK, "%s", kiln_last_error());
  for (uint32_t i = 0; i < module->function_count; i++)
    kiln_function_annotate(module->functions[i]);
  return module;
}

static enum kiln_status compile(const struct kiln_module *module, const char *arch, struct kiln_artifact *out,
                                struct kiln_report *report) {
  const char *values[32];
  struct kiln_compile_job job = {.module = module, .options = default_options(2, values)};
  enum kiln_status status = kiln_cpu_backend.make_target(arch, &job.target, report);
  return status ? status : kiln_cpu_backend.compile(&job, out, report);
}

static void release(struct kiln_artifact *artifact) {
  free(artifact->data);
  free(artifact->meta);
  free(artifact->kernels);
}

Test(llvm_traps, an_unknown_cpu_is_an_error) {
  static const char *const wrong[] = {"znver9", "x86-64-v5", "", "native+nonsense", "haswell-fmaa", "x86-64+", "+avx2"};
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++, ran++) {
    struct kiln_report report = {0};
    struct kiln_target target;
    enum kiln_status status = kiln_cpu_backend.make_target(wrong[i], &target, &report);
    cr_expect_eq(status, KILN_ERR_NOT_FOUND, "'%s': %d", wrong[i], status);
    cr_expect(strstr(kiln_report_text(&report), "nearest"), "'%s': %s", wrong[i], kiln_report_text(&report));
    kiln_report_free(&report);
  }
  cr_assert_eq(ran, 7);
}

Test(llvm_traps, an_unknown_triple_is_an_error) {
  struct kiln_llvm_machine machine = x86;
  machine.triple = "pdp11-unknown-none";
  struct kiln_report report = {0};
  void *out = NULL;
  size_t size;
  cr_expect_eq(load()->assemble(&machine, "define void @f() {\n ret void\n}\n", &out, &size, &report),
               KILN_ERR_UNAVAILABLE);
  cr_expect(strstr(kiln_report_text(&report), "pdp11"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
}

Test(llvm_traps, passes_that_are_left_out_exist) {
  struct kiln_report report = {0};
  struct kiln_llvm_machine arm = x86;
  arm.triple = "aarch64-unknown-linux-gnu";
  arm.processor = "generic";
  const char *unused = load()->unused_left_out(&x86, &report);
  cr_expect_null(unused, "x86-64: %s", unused);
  unused = load()->unused_left_out(&arm, &report);
  cr_expect_null(unused, "aarch64: %s", unused);
  struct kiln_llvm_machine amd = {
      .family = KILN_LLVM_AMDGPU, .triple = "amdgcn-amd-amdhsa", .processor = "gfx90a", .features = "", .lanes = 1};
  unused = load()->unused_left_out(&amd, &report);
  cr_expect_null(unused, "amdgcn: %s", unused);
  struct kiln_llvm_machine nvidia = {
      .family = KILN_LLVM_NVPTX, .triple = "nvptx64-nvidia-cuda", .processor = "sm_80", .features = "", .lanes = 1};
  unused = load()->unused_left_out(&nvidia, &report);
  cr_expect_null(unused, "nvptx: %s", unused);
  kiln_strbuf_free(&report.text);
}

Test(llvm_traps, a_function_that_nothing_calls_has_no_code_on_amdgpu) {
  // LLVM crashes where one is left, or what only it calls.
  static const char dead[] = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
                             "  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
                             "define internal void @leaf(ptr addrspace(5) %p) noinline {\n"
                             "  store i32 1, ptr addrspace(5) %p\n  ret void\n}\n"
                             "define internal void @dead(ptr addrspace(5) %p) noinline {\n"
                             "  call void @leaf(ptr addrspace(5) %p)\n  ret void\n}\n";
  static const char *const processors[] = {"gfx90a", "gfx1100"};
  for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
    struct kiln_llvm_machine machine = {.family = KILN_LLVM_AMDGPU,
                                        .triple = "amdgcn-amd-amdhsa",
                                        .processor = processors[i],
                                        .features = "",
                                        .lanes = 1};
    struct kiln_report report = {0};
    void *out = NULL;
    size_t size = 0;
    enum kiln_status status = load()->assemble(&machine, dead, &out, &size, &report);
    cr_expect_eq(status, KILN_OK, "%s: %s", processors[i], kiln_report_text(&report));
    cr_expect(size > 0 && !memmem(out, size, "leaf", 4) && !memmem(out, size, "dead", 4), "%s: %zu bytes",
              processors[i], size);
    free(out);
    kiln_report_free(&report);
  }
}

Test(llvm_traps, an_error_diagnostic_fails_the_compile) {
  // Inline assembly that does not assemble is reported through the diagnostic handler; emission says that it went well.
  static const char bad[] =
      "define void @f() {\n  call void asm sideeffect \"no_such_instruction\", \"\"()\n  ret void\n}\n";
  struct kiln_report report = {0};
  void *out = NULL;
  size_t size;
  enum kiln_status status = load()->assemble(&x86, bad, &out, &size, &report);
  cr_expect_eq(status, KILN_ERR_COMPILE, "%d: %s", status, kiln_report_text(&report));
  cr_expect_null(out);
  cr_expect(strstr(kiln_report_text(&report), "no_such_instruction") || strstr(kiln_report_text(&report), "invalid"),
            "%s", kiln_report_text(&report));
  kiln_report_free(&report);

  // Beside it, the same function without the fault is fine.
  status = load()->assemble(&x86, "define void @f() {\n ret void\n}\n", &out, &size, &report);
  cr_expect_eq(status, KILN_OK, "%s", kiln_report_text(&report));
  free(out);
}

static unsigned char *make_object(size_t *size) {
  void *object = NULL;
  struct kiln_report report = {0};
  enum kiln_status status =
      load()->assemble(&x86, "define float @f(float %x) {\n ret float %x\n}\n", &object, size, &report);
  cr_assert_eq(status, KILN_OK, "%s", kiln_report_text(&report));
  return object;
}

static enum kiln_status link_bytes(const void *data, size_t size, struct kiln_report *report) {
  void *out = NULL;
  size_t out_size = 0;
  enum kiln_status status = load()->link(KILN_LLVM_CPU, x86.triple, data, size, &out, &out_size, report);
  cr_expect(status ? out == NULL : out != NULL && out_size > 0);
  free(out);
  return status;
}

Test(llvm_traps, a_bad_object_does_not_end_the_process) {
  size_t size, failed = 0, ran = 0;
  unsigned char *object = make_object(&size);
  struct kiln_report report = {0};
  cr_assert_eq(link_bytes(object, size, &report), KILN_OK, "%s", kiln_report_text(&report));
  cr_expect_neq(link_bytes("", 0, &report), KILN_OK);
  cr_expect_neq(
      link_bytes("garbage that is no object at all, but long enough for a header of ELF files ok?", 79, &report),
      KILN_OK);
  // Truncated at every length, and with every byte of the tables inverted.
  unsigned char *copy = malloc(size);
  for (size_t n = 0; n < size; n += 7, ran++)
    failed += link_bytes(object, n, &report) != KILN_OK;
  cr_expect_eq(failed, ran);
  for (size_t i = 0; i < size; i++, ran++) {
    memcpy(copy, object, size);
    copy[i] ^= 0xff;
    link_bytes(copy, size, &report); // an error or a library
    kiln_report_free(&report);
  }
  cr_assert_gt(ran, 600, "%zu", ran);
  // And lld still works.
  cr_expect_eq(link_bytes(object, size, &report), KILN_OK, "%s", kiln_report_text(&report));
  free(copy);
  free(object);
  kiln_report_free(&report);
}

// What lld writes passes through a pipe: less than it holds and more, at once and page by page.
Test(llvm_traps, libraries_of_all_sizes_are_whole) {
  static const unsigned sizes[] = {1, 4096, 20000, 60000, 65536, 70000, 100000, 262144, 300000, 3000000};
  unsigned ran = 0;
  for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++, ran++) {
    unsigned bytes = sizes[i / 2];
    char text[256];
    snprintf(text, sizeof text,
             "@a = constant [%u x i8] zeroinitializer, align %u\n@b = global i32 7, align 4096\n@c = global i32 0\n",
             bytes, i % 2 ? 4096 : 1);
    struct kiln_report report = {0};
    void *object = NULL, *out = NULL;
    size_t size = 0, out_size = 0;
    cr_assert_eq(load()->assemble(&x86, text, &object, &size, &report), KILN_OK, "%s", kiln_report_text(&report));
    cr_expect_eq(load()->link(KILN_LLVM_CPU, x86.triple, object, size, &out, &out_size, &report), KILN_OK, "%u: %s",
                 bytes, kiln_report_text(&report));
    // The heads of sections are the last of it.
    Elf64_Ehdr header = {0};
    if (out)
      memcpy(&header, out, sizeof header);
    cr_expect(out_size > bytes && header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr) == out_size, "%u: %zu", bytes,
              out_size);
    free(object);
    free(out);
  }
  cr_expect_eq(ran, 20);
}

Test(llvm_traps, an_unknown_symbol_is_an_error) {
  void *object = NULL;
  size_t size;
  struct kiln_report report = {0};
  cr_assert_eq(load()->assemble(&x86,
                                "declare void @system(ptr)\ndefine void @f() {\n call void @system(ptr null)\n"
                                " ret void\n}\n",
                                &object, &size, &report),
               KILN_OK);
  cr_expect_eq(link_bytes(object, size, &report), KILN_ERR_INTERNAL);
  cr_expect(strstr(kiln_report_text(&report), "'system'"), "%s", kiln_report_text(&report));
  free(object);
  kiln_report_free(&report);
}

Test(llvm_traps, signal_dispositions_do_not_change) {
  struct sigaction before[NSIG], after;
  for (int s = 1; s < NSIG; s++)
    sigaction(s, NULL, &before[s]);
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
  struct kiln_module *module = parse(saxpy);
  struct kiln_artifact artifact;
  struct kiln_report report = {0};
  cr_assert_eq(compile(module, "x86-64-v3", &artifact, &report), KILN_OK, "%s", kiln_report_text(&report));
  release(&artifact);
  size_t size;
  unsigned char *object = make_object(&size);
  object[size / 2] ^= 0xff;
  link_bytes(object, size, &report);
  kiln_report_free(&report);
  free(object);
  kiln_module_free(module);
  int ran = 0;
  for (int s = 1; s < NSIG; s++, ran++)
    if (!sigaction(s, NULL, &after))
      cr_expect_eq(memcmp(&before[s].sa_handler, &after.sa_handler, sizeof after.sa_handler), 0, "signal %d", s);
  pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
  for (int s = 1; s < NSIG; s++)
    cr_expect_eq(sigismember(&mask_before, s), sigismember(&mask_after, s), "mask of signal %d", s);
  cr_assert_gt(ran, 30);
}

static void *compile_many(void *user) {
  const char *arch = user;
  struct kiln_module *module = parse(saxpy);
  size_t fine = 0;
  void *first = NULL;
  size_t first_size = 0;
  for (int i = 0; i < 10; i++) {
    struct kiln_artifact artifact;
    struct kiln_report report = {0};
    if (compile(module, arch, &artifact, &report)) {
      fprintf(stderr, "%s\n", kiln_report_text(&report));
      kiln_report_free(&report);
      continue;
    }
    // The same input gives the same bytes.
    if (!first) {
      first = malloc(artifact.size);
      memcpy(first, artifact.data, first_size = artifact.size);
    }
    fine += artifact.size == first_size && !memcmp(artifact.data, first, first_size);
    release(&artifact);
  }
  free(first);
  kiln_module_free(module);
  return (void *)fine;
}

Test(llvm_traps, threads_compile_at_once) {
  static const char *const archs[] = {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    cr_assert_eq(pthread_create(&threads[i], NULL, compile_many, (void *)(uintptr_t)archs[i]), 0);
  for (int i = 0; i < 4; i++) {
    void *fine;
    pthread_join(threads[i], &fine);
    cr_expect_eq((size_t)fine, 10, "%s: %zu of 10 compiles", archs[i], (size_t)fine);
  }
}

Test(llvm_traps, no_descriptors_leak) {
  struct kiln_module *module = parse(saxpy);
  struct kiln_report report = {0};
  struct kiln_artifact artifact;
  cr_assert_eq(compile(module, "x86-64", &artifact, &report), KILN_OK);
  release(&artifact);
  int before = dup(0);
  close(before);
  for (int i = 0; i < 5; i++) {
    cr_assert_eq(compile(module, "x86-64", &artifact, &report), KILN_OK);
    release(&artifact);
  }
  int after = dup(0);
  close(after);
  cr_expect_eq(before, after, "descriptor %d was free before, %d is after", before, after);
  kiln_module_free(module);
}

struct stages {
  char names[128];
  size_t sizes;
};

static void on_stage(void *user, const char *stage, const void *data, size_t size) {
  struct stages *stages = user;
  strncat(stages->names, stage, 16);
  strcat(stages->names, " ");
  stages->sizes += size;
  cr_expect_not_null(data);
}

Test(llvm_traps, stages_are_told_in_order) {
  static const struct {
    const char *stop, *stages;
  } cases[] = {{NULL, "arranged plan ll s o bin "}, {"arranged", "arranged "},    {"plan", "arranged plan "},
               {"ll", "arranged plan ll "},         {"s", "arranged plan ll s "}, {"o", "arranged plan ll s o "},
               {"bin", "arranged plan ll s o bin "}};
  struct kiln_module *module = parse(saxpy);
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++, ran++) {
    struct stages stages = {{0}, 0};
    const char *values[32];
    struct kiln_compile_job job = {.module = module,
                                   .options = default_options(2, values),
                                   .stop_after = cases[i].stop,
                                   .stage = on_stage,
                                   .stage_user = &stages};
    job.options.flags = KILN_BUILD_DEBUG_INFO;
    struct kiln_artifact artifact;
    struct kiln_report report = {0};
    cr_assert_eq(kiln_cpu_backend.make_target("x86-64-v2", &job.target, &report), KILN_OK);
    enum kiln_status status = kiln_cpu_backend.compile(&job, &artifact, &report);
    cr_expect_eq(status, KILN_OK, "%s", kiln_report_text(&report));
    cr_expect_str_eq(stages.names, cases[i].stages);
    release(&artifact);
  }
  cr_assert_eq(ran, 7);
  kiln_module_free(module);
}

// Every import of compiled code is a row of math.def: by name, and with the version that glibc has here.
Test(llvm_traps, imports_are_those_of_the_table) {
  static const char *const ops[] = {"sin",  "cos",   "exp",    "log",  "cbrt", "tgamma", "lgamma", "floor", "ceil",
                                    "rint", "round", "truncf", "sqrt", "erf",  "expm1",  "log1p",  "exp10", "logb"};
  static const char *const archs[] = {"x86-64", "x86-64-v3", "aarch64"};
  unsigned ran = 0;
  for (size_t a = 0; a < 3; a++)
    for (int wide = 0; wide < 3; wide++) {
      struct kiln_strbuf text = {0};
      static const char *const types[] = {"f16", "f32", "f64"};
      kiln_strbuf_puts(&text, "kiln_ir 1\nkernel @k(%p: ptr.global) {\n");
      for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        kiln_strbuf_printf(
            &text, "  %%v%zu = load %%p, align 8 : %s\n  %%r%zu = %s %%v%zu\n  store.volatile %%p, %%r%zu, align 8\n",
            i, types[wide], i, ops[i], i, i);
      kiln_strbuf_printf(&text,
                         "  %%m = load %%p, align 8 : %s\n  %%f = fma %%m, %%m, %%m\n  %%g = frem %%f, %%m\n"
                         "  %%c = ftof.rte %%g : %s\n  store %%p, %%c, align 2\n  %%q = padd %%p, 64:i64 * 64\n"
                         "  copy %%p, %%q, bytes 4000, align 1\n  return\n}\n",
                         types[wide], types[(wide + 1) % 3]);
      struct kiln_module *module = parse(text.data);
      struct kiln_artifact artifact;
      struct kiln_report report = {0};
      enum kiln_status status = compile(module, archs[a], &artifact, &report);
      cr_expect_eq(status, KILN_OK, "%s %s: %s", archs[a], types[wide], kiln_report_text(&report));
      release(&artifact);
      kiln_module_free(module);
      kiln_strbuf_free(&text);
      kiln_report_free(&report);
      ran++;
    }
  cr_assert_eq(ran, 9);
}

// A wrong version would bind to an older function of the same name, or to none.
Test(llvm_traps, versions_of_imports_are_the_default_ones) {
  static const struct {
    const char *name, *since;
  } rows[] = {
#define KILN_LIBM(OP, f32, since32, f64, since64) {f32, #since32}, {f64, #since64},
#define KILN_IMPORT(library, name, since) {name, #since},
#include "backends/llvm/core/math.def"
  };
  unsigned ran = 0;
#if defined(__x86_64__) && !defined(KILN_SANITIZED)
  void *libm = dlopen("libm.so.6", RTLD_NOW);
  cr_assert_not_null(libm);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, ran++) {
    char version[32];
    snprintf(version, sizeof version, "GLIBC_%s", rows[i].since);
    for (char *c = version + 6; *c; c++)
      *c = *c == '_' ? '.' : *c;
    void *versioned = dlvsym(libm, rows[i].name, version), *plain = dlsym(libm, rows[i].name);
    cr_expect(versioned && versioned == plain, "%s@%s: %p, but the default is %p", rows[i].name, version, versioned,
              plain);
  }
  dlclose(libm);
  cr_assert_gt(ran, 70);
#else
  (void)rows, (void)ran;
#endif
}
