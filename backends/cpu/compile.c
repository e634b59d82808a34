// The compile side of the CPU backend: identity of the compiler without loading it, and compiles by way of
// kiln-llvm.so, which is loaded when the first one comes.
#include "backends/cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/identity.h"

// Raised when generated code changes for a reason that no build id shows.
#define CODE_VERSION "1"

static const char *const pipelines[4] = {
#define KILN_PIPELINE(level, text) [level] = text,
#include "backends/common/cpu_pipelines.def"
};

// ---- stages

#define FRAGMENT_COUNT 6
#define FRAGMENTS(level)                                                                                               \
  {                                                                                                                    \
    {"arranged", "arrange", "arranged"}, {"plan", "emit", "plan"}, {"ll", pipeline_##level, "ll"},                     \
        {"s", "codegen", "s"}, {"o", "codegen", "o"}, {"bin", "lld -shared", "so"},                                    \
  }
#define KILN_PIPELINE(level, text) static const char pipeline_##level[] = text;
#include "backends/common/cpu_pipelines.def"
static const struct kiln_fragment fragments[4][FRAGMENT_COUNT] = {FRAGMENTS(0), FRAGMENTS(1), FRAGMENTS(2),
                                                                  FRAGMENTS(3)};

uint32_t kiln_cpu_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                     const struct kiln_fragment **out) {
  (void)target;
  *out = fragments[options->optimize & 3];
  return FRAGMENT_COUNT;
}

// The C library's math functions are called by name and version: code depends on that interface, not on the bytes of
// the library that the compiling machine has, so that it may be compiled for another machine.
uint32_t kiln_cpu_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target;
  if (capacity) {
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "libm");
    snprintf(out->identity, sizeof out->identity, "libm.so.6 GLIBC_2.35");
  }
  return 1;
}

// ---- identity

enum kiln_status kiln_cpu_hash(const struct kiln_target *target, const struct kiln_options *options,
                               struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_strbuf record = {0};
  enum kiln_status status = kiln_llvm_identity(&record, report);
  if (status)
    return status;
  char number[32];
  kiln_identity_add(&record, "code", CODE_VERSION);
  snprintf(number, sizeof number, "%d", KILN_CPU_ABI);
  kiln_identity_add(&record, "abi", number);
  kiln_identity_add(&record, "passes", pipelines[options->optimize & 3]);
  kiln_identity_add_request(&record, target, options, KILN_CPU_OPTION_COUNT);
  struct kiln_runtime_lib lib;
  kiln_cpu_runtime_libs(target, &lib, 1);
  kiln_identity_add(&record, lib.name, lib.identity);
  return kiln_identity_end(&record, out, report);
}

// ---- compiling

static uint8_t asked_shape(const struct kiln_options *options) {
  uint8_t shape = 0;
  while (shape < KILN_CPU_SHAPE_COUNT && strcmp(options->values[KILN_CPU_SHAPE], kiln_cpu_shape_text(shape)) != 0)
    shape++;
  return shape;
}

// The schedule that the options ask for.
static enum kiln_status asked_schedule(const struct kiln_options *options, struct kiln_cpu_schedule *out,
                                       struct kiln_report *report) {
  long lanes = strtol(options->values[KILN_CPU_LANES], NULL, 0);
  if (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16 && lanes != 32 && lanes != 64)
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the option lanes of the cpu backend is 0, 1, 4, 8, 16, 32 or 64, not %ld", lanes);
  long registers = strtol(options->values[KILN_CPU_REGISTERS], NULL, 0);
  if (registers < 0 || registers > 64 || (registers && !lanes))
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the option registers of the cpu backend is at most 64, and goes with lanes: %ld and lanes=%ld",
                     registers, lanes);
  uint8_t shape = asked_shape(options);
  if (shape == KILN_CPU_SHAPE_COUNT)
    return kiln_fail(report, KILN_ERR_INVALID,
                     "the option shape of the cpu backend is auto, rows, columns, packed, flattened, blocked, "
                     "single or merged, not '%s'",
                     options->values[KILN_CPU_SHAPE]);
  const char *rows = options->values[KILN_CPU_ROWS_OPTION];
  if (strcmp(rows, "whole") && strcmp(rows, "any"))
    return kiln_fail(report, KILN_ERR_INVALID, "the option rows of the cpu backend is whole or any, not '%s'", rows);
  long ids = strtol(options->values[KILN_CPU_IDS], NULL, 0);
  if (ids != 32 && ids != 64)
    return kiln_fail(report, KILN_ERR_INVALID, "the option ids of the cpu backend is 32 or 64, not %ld", ids);
  *out = (struct kiln_cpu_schedule){.shape = shape,
                                    .lanes = (uint8_t)lanes,
                                    .registers = (uint8_t)registers,
                                    .rows = strcmp(rows, "any") ? KILN_CPU_ROWS_WHOLE : KILN_CPU_ROWS_ANY,
                                    .ids = (uint8_t)ids};
  return KILN_OK;
}

// What follows from it for the machine.
static void set_schedule(const struct kiln_cpu_schedule *schedule, const struct kiln_compile_job *job,
                         struct kiln_llvm_machine *machine) {
  // Unoptimised code is wanted fast: at one lane most of it needs no instruction selection but LLVM's quick one, which
  // knows no vectors.
  uint32_t lanes = job->options.optimize ? job->target.warp_size : 1;
  bool alone = schedule->lanes && !schedule->registers; // lanes of one register
  machine->lanes = alone ? schedule->lanes : lanes;
  // The rows of merged groups are one register.
  machine->cpu.interleave = !alone && job->options.optimize > 1 && schedule->shape != KILN_CPU_SHAPE_MERGED;
  machine->cpu.schedule = *schedule;
}

// The choices that the option names, as bits of struct kiln_llvm_machine.cpu.off.
static enum kiln_status choices_off(const char *list, uint32_t *out, struct kiln_report *report) {
  static const struct {
    const char *text;
    bool may_be_off;
  } choices[] = {
#define KILN_CHOICE(NAME, text, may_be_off) {text, may_be_off},
#include "backends/common/choices.def"
  };
  for (const char *word = list; *word;) {
    size_t size = strcspn(word, ","), i = 0;
    while (i < sizeof choices / sizeof *choices &&
           !(choices[i].may_be_off && strlen(choices[i].text) == size && !memcmp(choices[i].text, word, size)))
      i++;
    if (i == sizeof choices / sizeof *choices)
      return kiln_fail(
          report, KILN_ERR_INVALID,
          "the option no of the cpu backend takes words of the plan, and '%.*s' is none that can be left out",
          (int)size, word);
    *out |= UINT32_C(2) << i;
    word += size + (word[size] == ',');
  }
  return KILN_OK;
}

void kiln_cpu_limit_caps(const struct kiln_options *options, struct kiln_caps *caps) {
  enum {
    UNTOLD,
#define KILN_CHOICE(NAME, text, may_be_off) NAME,
#include "backends/common/choices.def"
  };
  uint32_t off = 0;
  caps->kernel = options->values[KILN_CPU_ONE_KERNEL];
  if (choices_off(options->values[KILN_CPU_NO], &off, NULL)) // kiln_cpu_compile says what is wrong with it
    return;
  if (off >> REMAINDER_LOOP & 1)
    caps->unroll_transpose = caps->scalar_replacement = false;
  if (off >> SMALL_MASKS & 1)
    caps->small_masks = 0;
  if (off >> UNIT_VERSION & 1)
    caps->unit_versions = false;
  caps->single_items = asked_shape(options) == KILN_CPU_SHAPE_SINGLE;
  if (asked_shape(options) != KILN_CPU_SHAPE_MERGED)
    caps->merged_groups = 0;
}

// Which dot products of bytes it has: x86 by vpdpbusd, or by pairs of 16 bits for all signs, Arm by udot and sdot.
static void set_dots(const struct kiln_cpu *cpu, struct kiln_llvm_machine *machine) {
  enum {
    NONE = 1 << 0,
    FIRST = 1 << KILN_DOT_FIRST_SIGNED,
    SECOND = 1 << KILN_DOT_SECOND_SIGNED,
    BOTH = 1 << (KILN_DOT_FIRST_SIGNED | KILN_DOT_SECOND_SIGNED),
  };
  machine->cpu.bfloat_pairs = kiln_cpu_has_bfloat_pairs(cpu);
  machine->cpu.int_bytes = kiln_cpu_has(cpu, KILN_CPU_AVX512BW) ? 64 : kiln_cpu_has(cpu, KILN_CPU_AVX2) ? 32 : 16;
  if (!machine->cpu.x86)
    machine->dot_signs = kiln_cpu_has(cpu, KILN_CPU_DOTPROD) ? NONE | BOTH : 0;
  else if (kiln_cpu_has(cpu, KILN_CPU_AVX512VNNI) || kiln_cpu_has(cpu, KILN_CPU_AVXVNNI))
    machine->dot_signs = FIRST | SECOND;
  else
    machine->dot_signs = NONE | FIRST | SECOND | BOTH;
}

enum kiln_status kiln_cpu_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                  struct kiln_report *report) {
  const struct kiln_llvm_api *api;
  struct kiln_cpu cpu;
  enum kiln_status status = kiln_cpu_from_target(&job->target, &cpu, report);
  if (!status)
    status = kiln_llvm_load(&api, report);
  if (status)
    return status;
  struct kiln_cpu_schedule schedule = {0};
  uint32_t off = 0;
  status = asked_schedule(&job->options, &schedule, report);
  if (!status)
    status = choices_off(job->options.values[KILN_CPU_NO], &off, report);
  if (status)
    return status;
  long cut = strtol(job->options.values[KILN_CPU_CUT], NULL, 0);
  if (cut < 0 || cut > UINT32_MAX)
    return kiln_fail(report, KILN_ERR_INVALID, "the option cut of the cpu backend is a number of instructions, not %ld",
                     cut);
  char features[1024];
  kiln_cpu_llvm_features(&cpu, features, sizeof features);
  bool x86 = cpu.model->arch == KILN_CPU_X86_64;
  struct kiln_llvm_machine machine = {
      .family = KILN_LLVM_CPU,
      .triple = x86 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu",
      .processor = cpu.model->llvm_name,
      .features = features,
      .cut = (uint32_t)cut,
      .stops = strcmp(job->options.values[KILN_CPU_STOP], "1") == 0,
      .half_conversion = !x86 || kiln_cpu_has(&cpu, KILN_CPU_F16C),
      .cpu = {.x86 = x86,
              .has_avx512 = kiln_cpu_has(&cpu, KILN_CPU_AVX512F),
              .mask_bytes = kiln_cpu_has(&cpu, KILN_CPU_AVX512F) ? 1
                            : kiln_cpu_has(&cpu, KILN_CPU_AVX)   ? 4
                                                                 : 16,
              .off = off},
  };
  set_schedule(&schedule, job, &machine);
  set_dots(&cpu, &machine);
  status = api->compile(&machine, job, out, report);
  struct kiln_cpu_meta meta;
  if (!status && out->meta && out->meta_size >= sizeof meta) { // not of a stage
    memcpy(&meta, out->meta, sizeof meta);
    meta.check = kiln_cpu_check(out->data, out->size, out->meta, out->meta_size);
    memcpy(out->meta, &meta, sizeof meta);
  }
  return status;
}
