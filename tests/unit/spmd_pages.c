// Rows under masks at the edges of memory: a row of which lanes are off may be loaded as a whole only within a page.
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "cpu_test.h"

#define COUNT 61 // elements: no multiple of anything

// b has COUNT elements, and there is no memory before its first nor behind its last one.
static const char source[] =
    "kernel void behind(global const T *b, global const uint *m, global uint *out) {\n"
    "  int i = get_global_id(0); uint s = 1;\n"
    "  if (i < 61) { if (m[i] & 1) s += b[i]; if ((m[i] & 2) && i < 58) s += b[i + 3]; out[i] = s; } }\n"
    "kernel void before(global const T *b, global const uint *m, global uint *out) {\n"
    "  int i = get_global_id(0); uint s = 1;\n"
    "  if (i < 61) { if (m[i] & 1) s += b[i]; if ((m[i] & 2) && i >= 5) s += b[i - 5]; out[i] = s; } }\n";

static unsigned element(const void *b, size_t size, int i) {
  return size == 1 ? ((const uint8_t *)b)[i] : size == 2 ? ((const uint16_t *)b)[i] : ((const uint32_t *)b)[i];
}

static void compare(struct machine *cpu, const char *options, size_t size, char *page, size_t page_size) {
  static uint32_t mask[COUNT], out[COUNT];
  struct kiln_program_desc desc = {.source = source, .options = options};
  struct kiln_program *program = NULL;
  cr_assert_eq(kiln_program_create(cpu->ctx, &desc, &program), KILN_OK, "%s: %s", options, kiln_last_error());
  for (int before = 0; before < 2; before++) {
    char *b = before ? page : page + page_size - COUNT * size;
    for (int i = 0; i < COUNT; i++)
      mask[i] = (uint32_t)i * 2654435761u >> 13;
    void *buffers[3] = {b, mask, out};
    size_t sizes[3] = {COUNT * size, sizeof mask, sizeof out};
    uint64_t global[3] = {128, 1, 1}, local[3] = {64, 1, 1};
    machine_run(cpu, program, before ? "before" : "behind", global, local, buffers, sizes, 3);
    for (int i = 0; i < COUNT; i++) {
      int beside = before ? i - 5 : i + 3;
      unsigned expected = 1 + (mask[i] & 1 ? element(b, size, i) : 0);
      expected += (mask[i] & 2) && beside >= 0 && beside < COUNT ? element(b, size, beside) : 0;
      cr_assert_eq(out[i], expected, "%s on %s, %s: element %d is %u, not %u", options, cpu->name,
                   before ? "before" : "behind", i, out[i], expected);
    }
  }
  kiln_program_release(program);
}

Test(spmd, rows_under_masks_stay_in_their_pages) {
  static const char *const archs[] = {"x86-64-v2", "x86-64-v3", NULL};
  static const char *const types[] = {"uchar", "ushort", "uint"};
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 3 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned runs = 0;
  cr_assert_neq(pages, MAP_FAILED);
  cr_assert_eq(mprotect(pages + size, size, PROT_READ | PROT_WRITE), 0);
  for (size_t i = 0; i < size; i++)
    pages[size + i] = (char)(i * 37);
  for (size_t a = 0; a < 3; a++) {
    struct machine cpu;
    if (!machine_open(&cpu, "cpu", archs[a]))
      continue;
    for (unsigned t = 0; t < 3; t++)
      for (unsigned lanes = 4; lanes <= 64; lanes *= 2, runs++) {
        char options[64];
        snprintf(options, sizeof options, "-D T=%s --kiln-lanes=%u", types[t], lanes);
        compare(&cpu, options, (size_t)1 << t, pages + size, size);
      }
    machine_close(&cpu);
  }
  cr_assert(runs >= 15, "%u runs", runs);
  munmap(pages, 3 * size);
}
