// Modules as a whole: what the emulator says of entries and variables, what launches it refuses, kinds of faults,
// counts.
#include <stdio.h>
#include <string.h>

#include "tests/cuda/emulator/emulator.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

static int faults;
static void fault(int line, const char *what, const char *detail) {
  printf("modules.c:%d: %s: %s\n", line, what, detail);
  faults++;
}
#define CHECK(condition, detail) ((condition) ? (void)0 : fault(__LINE__, #condition, detail))

static struct ptx_module *parse(const char *text, struct ptx_error *error) {
  return ptx_parse(text, strlen(text), error);
}

// ---- what modules say of themselves

static const char described[] =
    HEAD "\t.file 1 \"a.cl\"\n"
         ".global .align 4 .b8 bytes[3][2] = {{1, 2}, {3}, {5, 6}};\n"
         ".visible .global .align 8 .u64 places[3] = {generic(bytes)+4, 7, bytes};\n"
         ".global .align 8 .b8 packed[4] = {255, 0xFF(generic(bytes)), 0xFF00(generic(bytes)), 0};\n"
         ".const .align 4 .f32 half = 0f3F000000;\n"
         ".global .f64 third = 0.25;\n"
         ".extern .shared .align 16 .b8 dynamic[];\n"
         ".shared .align 8 .b8 first[12];\n.shared .align 16 .b8 second[16];\n.shared .b32 unused[1000];\n"
         ".func (.param .b32 r) inner(.param .b32 a)\n{\n  .reg .b32 %x;\n  ld.param.u32 %x, [a];\n"
         "  st.shared.u32 [second], %x;\n  st.param.b32 [r], %x;\n  ret;\n}\n"
         ".visible .entry plain(.param .u8 a, .param .align 16 .b8 b[20], .param .u64 .ptr .global .align 4 c)\n"
         ".maxntid 64, 2\n.minnctapersm 3\n{\n  .reg .b32 %r<4>;\n  .local .align 8 .b8 depot[24];\n"
         "  .pragma \"nounroll\";\n  .loc 1 2 3\n"
         "labelled:\n  .shared .align 4 .b8 own[4];\nand:\n  .reg .b32 %late;\nbraced:\n"
         "  st.shared.u32 [first], 1;\n"
         "  { .param .b32 x; .param .b32 y; st.param.b32 [x], 5; call (y), inner, (x); ld.param.b32 %r1, [y]; }\n"
         "  ret;\n}\n"
         ".entry sized()\n.reqntid 32\n{\n  ret;\n}\n"
         "\t.section .debug_abbrev\n{\n.b8 1 {\n} \n.b32 $L__end-$L__begin\n}\n";

static void check_entries(const struct ptx_module *module) {
  size_t count;
  const struct ptx_entry *entries = ptx_entries(module, &count);
  CHECK(count == 2 && !strcmp(entries[0].name, "plain") && !strcmp(entries[1].name, "sized"), "entries");
  if (count != 2)
    return;
  const struct ptx_parameter *p = entries[0].parameters;
  CHECK(entries[0].parameter_count == 3 && entries[0].parameter_bytes == 48, "parameters");
  CHECK(p[0].offset == 0 && p[0].size == 1 && p[1].offset == 16 && p[1].size == 20 && p[1].align == 16, "layout");
  CHECK(p[2].offset == 40 && p[2].size == 8 && p[2].align == 8 && !strcmp(p[2].name, "c"), "layout");
  CHECK(entries[0].shared_bytes == 32 && entries[0].local_bytes == 24, "memory"); // 12, aligned to 16, and 16
  CHECK(entries[0].max_threads[0] == 64 && entries[0].max_threads[1] == 2 && entries[0].max_threads[2] == 1, "maxntid");
  CHECK(entries[0].min_blocks == 3 && entries[0].need_threads[0] == 0 && entries[1].need_threads[0] == 32, "bounds");
}

static void check_variables(const struct ptx_module *module) {
  static const unsigned char want[6] = {1, 2, 3, 0, 5, 6};
  size_t count;
  const struct ptx_variable *v = ptx_variables(module, &count);
  CHECK(count == 5 && !strcmp(v[0].name, "bytes") && v[0].size == 6 && !v[0].is_constant && v[3].is_constant,
        "variables");
  if (count != 5)
    return;
  uint64_t places[3], bytes = (uint64_t)(uintptr_t)v[0].address;
  unsigned char packed[4];
  float half;
  double third;
  memcpy(places, v[1].address, sizeof places);
  memcpy(packed, v[2].address, sizeof packed);
  memcpy(&half, v[3].address, sizeof half);
  memcpy(&third, v[4].address, sizeof third);
  CHECK(!memcmp(v[0].address, want, sizeof want), "bytes");
  CHECK(places[0] == bytes + 4 && places[1] == 7 && places[2] == bytes, "places");
  CHECK(packed[0] == 255 && packed[1] == (bytes & 255) && packed[2] == (bytes >> 8 & 255), "packed");
  CHECK(half == 0.5f && third == 0.25, "floats");
}

static void check_described(void) {
  struct ptx_error error;
  struct ptx_module *module = parse(described, &error);
  CHECK(module, error.text);
  if (!module)
    return;
  CHECK(ptx_version(module) == 70 && ptx_target(module) == 80 && !ptx_target_is_exact(module), "head");
  check_entries(module);
  check_variables(module);
  ptx_free(module);
}

// ---- texts that are refused

static void check_refused(void) {
  static const struct {
    enum ptx_kind kind;
    const char *message, *text;
  } cases[] = {
      {PTX_SYNTAX, ".version", ".entry k() { ret; }"},
      {PTX_SYNTAX, "'}' expected", HEAD ".entry k() { ret;"},
      {PTX_SYNTAX, "line 4", HEAD ".entry k() { ret }"},
      {PTX_SYNTAX, "twice", HEAD ".entry k() { a: ret; a: ret; }"},
      {PTX_SYNTAX, "defined twice", HEAD ".entry k() { ret; }\n.entry k() { ret; }"},
      {PTX_SYNTAX, "where a directive", HEAD "ret;"},
      {PTX_SYNTAX, "more first values", HEAD ".global .b32 x[2] = {1, 2, 3};"},
      {PTX_SYNTAX, "64 bits", ".version 7.0\n.target sm_80\n.address_size 32\n"},
      {PTX_UNKNOWN_OPERATION, "has no body", HEAD ".extern .func f;\n.entry k() { call f; ret; }"},
      {PTX_UNKNOWN_OPERATION, "another module", HEAD ".extern .global .b32 x;"},
      {PTX_UNKNOWN_OPERATION, "brx.idx", HEAD ".entry k() { .reg .b32 %r; brx.idx %r, t; ret; }"},
      {PTX_UNKNOWN_OPERATION, "addresses are not", HEAD ".entry k() { .reg .b64 %d; call %d, (), p; ret; }"},
      {PTX_UNKNOWN_OPERATION, "prototypes", HEAD ".entry k() { p: .callprototype _ (); ret; }"},
      {PTX_TOO_NEW, "needs .version 7.8", HEAD ".entry k() { .reg .b16 %h; add.bf16 %h, %h, %h; ret; }"},
      {PTX_TOO_NEW, "needs .target sm_90",
       ".version 7.8\n.target sm_80\n.address_size 64\n.entry k() { .reg .b16 %h; add.bf16 %h, %h, %h; ret; }"},
      {PTX_SYNTAX, "50000 bytes of static shared memory",
       HEAD ".entry k() { .shared .b8 s[50000]; st.shared.u8 [s], 1; ret; }"},
      {PTX_TOO_NEW, "5000 bytes", HEAD ".entry k(.param .b8 a[5000]) { ret; }"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ptx_error error;
    struct ptx_module *module = parse(cases[i].text, &error);
    CHECK(!module && error.kind == cases[i].kind && strstr(error.text, cases[i].message), error.text);
    ptx_free(module);
  }
}

// ---- launches

static const char running[] =
    HEAD ".global .align 4 .b32 count;\n"
         ".entry k(.param .u64 what, .param .u64 where)\n.maxntid 64\n{\n"
         "  .reg .pred %p;\n  .reg .b32 %r<4>;\n  .reg .b64 %d<4>;\n  .shared .b32 s[8];\n"
         "  ld.param.u32 %r1, [what];\n  ld.param.u64 %d1, [where];\n  mov.u32 %r2, %tid.x;\n"
         "  atom.global.add.u32 %r3, [count], 1;\n"
         "  setp.ne.u32 %p, %r1, 1;\n  @%p bra two;\n  ld.global.u32 %r3, [%d1+1024];\n"
         "two:\n  setp.ne.u32 %p, %r1, 2;\n  @%p bra three;\n  ld.global.u32 %r3, [%d1+2];\n"
         "three:\n  setp.ne.u32 %p, %r1, 3;\n  @%p bra four;\n  trap;\n"
         "four:\n  setp.ne.u32 %p, %r1, 4;\n  @%p bra five;\n  and.b32 %r2, %r2, 1;\n  bar.sync %r2;\n"
         "five:\n  setp.ne.u32 %p, %r1, 5;\n  @%p bra six;\nagain:\n  bra again;\n"
         "six:\n  setp.ne.u32 %p, %r1, 6;\n  @%p bra done;\n  bar.warp.sync 0;\n"
         "done:\n  ret;\n}\n";

struct run {
  struct ptx_module *module;
  struct ptx_launch launch;
  uint64_t parameters[2];
  uint32_t words[4];
};

static bool go(struct run *run, uint32_t what, struct ptx_error *error) {
  size_t count;
  run->parameters[0] = what;
  return ptx_run(run->module, ptx_entries(run->module, &count), &run->launch, error);
}

static void check_kinds(struct run *run) {
  static const enum ptx_kind kinds[] = {PTX_OK,       PTX_ADDRESS, PTX_MISALIGNED, PTX_TRAP,
                                        PTX_DEADLOCK, PTX_TIMEOUT, PTX_MISUSE};
  for (uint32_t what = 0; what < sizeof kinds / sizeof *kinds; what++) {
    struct ptx_error error;
    bool good = go(run, what, &error);
    CHECK(good == (what == 0) && error.kind == kinds[what], error.text);
    CHECK(good || (strstr(error.text, "(k, line ") && strstr(error.text, "work-item ")), error.text);
  }
}

static void check_sizes(struct run *run) {
  static const struct {
    uint32_t grid[3], block[3], dynamic, sm;
    bool good;
  } cases[] = {
      {{2, 3, 1}, {4, 2, 8}, 0, 80, true},      {{1, 1, 1}, {64, 2, 1}, 0, 80, false},
      {{1, 0, 1}, {1, 1, 1}, 0, 80, false},     {{1, 65536, 1}, {1, 1, 1}, 0, 80, false},
      {{1, 1, 1}, {1, 1, 65}, 0, 80, false},    {{1, 1, 1}, {8, 1, 1}, 100000, 80, true},
      {{1, 1, 1}, {8, 1, 1}, 100000, 86, true}, {{1, 1, 1}, {8, 1, 1}, 167000, 80, false},
      {{1, 1, 1}, {1, 1, 1}, 0, 70, false},     {{1, 1, 1}, {1, 1, 1}, 0, 120, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ptx_error error;
    char number[16];
    snprintf(number, sizeof number, "case %zu", i);
    memcpy(run->launch.grid, cases[i].grid, sizeof cases[i].grid);
    memcpy(run->launch.block, cases[i].block, sizeof cases[i].block);
    run->launch.dynamic_shared_bytes = cases[i].dynamic;
    run->launch.sm = cases[i].sm;
    bool good = go(run, 0, &error);
    CHECK(good == cases[i].good && error.kind == (good ? PTX_OK : PTX_BAD_LAUNCH), number);
  }
  run->launch.parameter_bytes = 8;
  struct ptx_error error;
  CHECK(!go(run, 0, &error) && error.kind == PTX_BAD_LAUNCH && strstr(error.text, "parameters"), error.text);
}

static void check_counts(struct run *run) {
  struct ptx_error error;
  size_t count;
  for (uint64_t seed = 0; seed < 20; seed++) {
    run->launch.seed = seed;
    CHECK(go(run, 0, &error), error.text);
  }
  uint32_t total, atoms = 0, loads = 0;
  memcpy(&total, ptx_variables(run->module, &count)->address, sizeof total);
  CHECK(total == 20 * 6 * 32, "each work-item once, with every seed");
  const struct ptx_count *counts = ptx_counts(run->module, &count);
  for (size_t i = 0; i < count; i++) {
    CHECK(!i || strcmp(counts[i - 1].operation, counts[i].operation) < 0, "in order");
    atoms += !strcmp(counts[i].operation, "atom") && counts[i].executed == total;
    loads += !strcmp(counts[i].operation, "ld") && counts[i].executed == 2 * total;
  }
  CHECK(atoms == 1 && loads == 1, "counts");
}

static void check_launches(void (*check)(struct run *run)) {
  struct ptx_error error;
  struct run run = {.module = parse(running, &error)};
  CHECK(run.module, error.text);
  if (!run.module)
    return;
  struct ptx_memory *memory = ptx_memory_create();
  CHECK(memory && ptx_load(run.module, memory) && ptx_memory_add(memory, run.words, sizeof run.words), "memory");
  run.parameters[1] = (uint64_t)(uintptr_t)run.words;
  run.launch = (struct ptx_launch){.grid = {2, 3, 1},
                                   .block = {32, 1, 1},
                                   .parameters = run.parameters,
                                   .parameter_bytes = sizeof run.parameters,
                                   .memory = memory,
                                   .sm = 80,
                                   .max_steps = 100000};
  check(&run);
  ptx_unload(run.module, memory);
  ptx_memory_destroy(memory);
  ptx_free(run.module);
}

// ---- memory

static void check_memory(void) {
  static char bytes[64];
  struct ptx_memory *memory = ptx_memory_create();
  uint64_t at = (uint64_t)(uintptr_t)bytes;
  CHECK(memory && ptx_memory_add(memory, bytes + 32, 16) && ptx_memory_add(memory, bytes, 16), "add");
  CHECK(!ptx_memory_add(memory, bytes + 15, 8) && !ptx_memory_add(memory, bytes + 24, 9), "ranges overlap");
  CHECK(!ptx_memory_add(memory, bytes, 0), "an empty range");
  CHECK(ptx_memory_reaches(memory, at, 16) && !ptx_memory_reaches(memory, at + 8, 9), "ends");
  CHECK(!ptx_memory_reaches(memory, at + 16, 1) && ptx_memory_reaches(memory, at + 47, 1), "gaps");
  CHECK(!ptx_memory_remove(memory, bytes + 1) && ptx_memory_remove(memory, bytes), "remove");
  CHECK(!ptx_memory_reaches(memory, at, 1) && ptx_memory_reaches(memory, at + 32, 16), "removed");
  ptx_memory_destroy(memory);
}

int main(void) {
  check_described();
  check_refused();
  check_launches(check_kinds);
  check_launches(check_sizes);
  check_launches(check_counts);
  check_memory();
  printf("%d faults\n", faults);
  return faults != 0;
}
