// The division of a program. Functions and kernels are assigned in order of falling size, each to the smallest part so
// far. A part costs about two milliseconds, so small programs are one part.
#include "backends/llvm/core/parts.h"
#include "backends/llvm/core/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_WEIGHT 400    // instructions of the IR that are worth a part
#define FUNCTION_WEIGHT 20 // what any function costs, in instructions
#define KERNEL_FACTOR 2    // kernels are emitted for full warps and with a mask

// The number of instructions that are in a region.
static uint64_t weight(const struct kiln_function *fn) {
  uint64_t size = 0;
  for (kiln_value v = 1; v < fn->inst_count; v++)
    size += fn->insts[v].region != 0;
  return FUNCTION_WEIGHT + (fn->is_kernel ? KERNEL_FACTOR : 1) * size;
}

// Offsets of local memory are those of the kernel emitted before.
static bool uses_local(const struct kiln_module *ir, const struct kiln_function *fn) {
  for (kiln_value v = 1; v < fn->inst_count; v++)
    if (fn->insts[v].op == KILN_OP_GLOBAL && ir->globals[fn->insts[v].imm].space == KILN_LOCAL)
      return true;
  return false;
}

static bool may_divide(const struct kiln_ll_family *family, const struct kiln_compile_job *job) {
  if (!family->divides || job->options.flags & KILN_BUILD_DEBUG_INFO)
    return false;
  for (uint32_t i = 0; i < job->module->function_count; i++)
    if (!job->module->functions[i]->is_kernel && uses_local(job->module, job->module->functions[i]))
      return false;
  return true;
}

struct share {
  uint64_t weight;
  uint32_t function;
};

static int heavier(const void *a, const void *b) {
  const struct share *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->function < y->function ? -1 : 1;
}

static void deal(struct kiln_ll_division *division, struct share *shares, uint32_t count) {
  uint64_t load[KILN_LL_MAX_PARTS] = {0};
  qsort(shares, count, sizeof *shares, heavier);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t least = 0;
    for (uint32_t p = 1; p < division->count; p++)
      least = load[p] < load[least] ? p : least;
    load[least] += shares[i].weight;
    division->part_of[shares[i].function] = least;
  }
}

static void find_shared(struct kiln_ll_division *division, const struct kiln_module *ir) {
  for (uint32_t i = 0; i < ir->function_count; i++) {
    const struct kiln_function *fn = ir->functions[i];
    for (kiln_value v = 1; v < fn->inst_count; v++)
      if (fn->insts[v].op == KILN_OP_CALL && fn->insts[v].region &&
          division->part_of[fn->insts[v].imm] != division->part_of[i])
        division->shared[fn->insts[v].imm] = true;
  }
}

bool kiln_ll_divide(const struct kiln_ll_family *family, const struct kiln_compile_job *job,
                    struct kiln_ll_division *out) {
  const struct kiln_module *ir = job->module;
  uint32_t count = ir->function_count;
  *out = (struct kiln_ll_division){
      .count = 1, .part_of = calloc(count + 1, sizeof *out->part_of), .shared = calloc(count + 1, sizeof *out->shared)};
  struct share *shares = calloc(count + 1, sizeof *shares);
  bool good = out->part_of && out->shared && shares;
  uint64_t total = 0;
  for (uint32_t i = 0; i < count && good; i++) {
    shares[i] = (struct share){weight(ir->functions[i]), i};
    total += shares[i].weight;
  }
  if (good && may_divide(family, job)) {
    uint64_t parts = total / PART_WEIGHT;
    parts = parts < count ? parts : count;
    out->count = parts < 1 ? 1 : parts < KILN_LL_MAX_PARTS ? (uint32_t)parts : KILN_LL_MAX_PARTS;
  }
  if (good && out->count > 1) {
    deal(out, shares, count);
    find_shared(out, ir);
  }
  free(shares);
  if (!good)
    kiln_ll_free_division(out);
  return good;
}

void kiln_ll_free_division(struct kiln_ll_division *division) {
  free(division->part_of);
  free(division->shared);
  *division = (struct kiln_ll_division){0};
}

// ---- texts

#define LINE " kiln part "

void kiln_ll_part_line(char out[64], const char *comment, uint32_t part, uint32_t count) {
  snprintf(out, 64, "%s" LINE "%u of %u\n", comment, part + 1, count);
}

uint32_t kiln_ll_find_parts(const char *text, size_t size, const char *comment,
                            struct kiln_str out[KILN_LL_MAX_PARTS]) {
  char line[64];
  size_t length = (size_t)snprintf(line, sizeof line, "%s" LINE, comment);
  uint32_t count = 0;
  const char *end = text + size;
  out[0] = (struct kiln_str){text, size};
  for (const char *at = text; at < end;) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    next = next ? next + 1 : end;
    if ((size_t)(end - at) >= length && !memcmp(at, line, length)) {
      if (count)
        out[count - 1].size = (size_t)(at - out[count - 1].data);
      if (count++ == KILN_LL_MAX_PARTS)
        return count;
      out[count - 1] = (struct kiln_str){next, (size_t)(end - next)};
    }
    at = next;
  }
  return count ? count : 1;
}
