// Runs the lines of operations.txt, each as a kernel of its own:
//   VERSION/SM: statements -- values before -- values after
// Registers are %p0…7, %h0…7 (.b16), %r0…15 (.b32), %d0…15 (.b64); a value is written as p1=1, h0=1.5h, r1=0x10, r1=-2,
// r1=1.5f, d1=2.5, nanf, lane, lane*4. m is 256 bytes of global memory: d1=m+8 is an address, m+8=5 a word there. A
// value after may have a lane (r0@5=1) or a bound (r0~1.0f~1e-6). 32 work-items run, or as "blocks of N" says first. In
// place of the values after there may be
//   fails TEXT      it goes wrong, and the message has the text
//   rejected TEXT   it is no module, for ptxas neither
//   unknown TEXT    it is not modelled
// With --ptxas PROGRAM: whether that program agrees which lines are PTX, and from which version and device on. "find"
// is the one that KILN_PTXAS names, or ptxas in PATH.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/emulator/emulator.h"
#include "tests/cuda/emulator/values.h"

enum { MAX_ITEMS = 128, MAX_VALUES = 64, MEMORY = 256 };

struct value {
  char name[16];
  int lane; // -1: of all
  uint64_t bits;
  uint32_t lane_factor;
  bool is_nan, is_address;
  double number, bound; // bound 0: the bits
};
struct line {
  unsigned version, sm, items;
  char *body;
  struct value before[MAX_VALUES], after[MAX_VALUES];
  unsigned before_count, after_count;
  const char *verdict; // "fails" and the like, with the text behind it; NULL: values
  const char *message;
};

// ---- reading lines

static bool read_number(struct value *value, const char *text) {
  char *end;
  if (!strncmp(text, "lane", 4)) {
    value->lane_factor = text[4] == '*' ? (uint32_t)atoi(text + 5) : 1;
    return true;
  }
  if (text[0] == 'm') {
    value->is_address = true;
    value->bits = text[1] ? strtoull(text + 2, &end, 0) : 0;
    return true;
  }
  const char *digits = text + (text[0] == '-');
  if (!strpbrk(text, ".") && digits[0] != 'n' && strncmp(digits, "inf", 3) != 0) {
    value->bits = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    return *end == 0;
  }
  double number = strtod(text, &end);
  value->number = number;
  value->is_nan = isnan(number);
  value->bits = *end == 'h' ? put_F16(number) : *end == 'f' ? put_F32((F32)number) : put_F64(number);
  return true;
}

static bool read_value(struct value *value, char *word) {
  *value = (struct value){.lane = -1};
  char *sign = strpbrk(word, "=~"), *at = strchr(word, '@'), *bound = sign ? strchr(sign + 1, '~') : NULL;
  if (!sign)
    return false;
  if (*sign == '~' && bound) {
    value->bound = strtod(bound + 1, NULL);
    *bound = 0;
  }
  *sign = 0;
  if (at && at < sign) {
    *at = 0;
    value->lane = atoi(at + 1);
  }
  if (strlen(word) >= sizeof value->name)
    return false;
  strcpy(value->name, word);
  return read_number(value, sign + 1);
}

static bool read_values(struct value *values, unsigned *count, char *text) {
  for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n"))
    if (*count == MAX_VALUES || !read_value(&values[(*count)++], word))
      return false;
  return true;
}

static bool read_line(struct line *line, char *text) {
  static const char *const verdicts[] = {"fails", "rejected", "unknown"};
  *line = (struct line){.items = 32};
  char *colon = strstr(text, ": "), *before = strstr(text, " -- "), *after = before ? strstr(before + 4, "-- ") : NULL;
  if (!colon || !after || sscanf(text, "%u/%u:", &line->version, &line->sm) != 2)
    return false;
  line->body = colon + 2;
  *before = *after = 0;
  after += 3;
  if (sscanf(line->body, "blocks of %u;", &line->items) == 1)
    line->body = strchr(line->body, ';') + 1;
  if (!read_values(line->before, &line->before_count, before + 4))
    return false;
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
    size_t size = strlen(verdicts[i]);
    if (!strncmp(after, verdicts[i], size) && after[size] == ' ') {
      line->verdict = verdicts[i];
      line->message = after + size + 1;
      after[strcspn(after, "\n")] = 0;
      return true;
    }
  }
  return read_values(line->after, &line->after_count, after);
}

// ---- modules

static bool is_register(const struct value *value) { return value->name[0] != 'm'; }

static void put_access(FILE *out, const struct value *value, unsigned index, unsigned items, bool loads) {
  const char *name = value->name;
  char type[8];
  if (!is_register(value))
    return;
  snprintf(type, sizeof type, "b%d", name[0] == 'h' ? 16 : name[0] == 'd' ? 64 : 32);
  unsigned offset = index * items * 8;
  if (name[0] == 'p' && loads)
    fprintf(out, "  ld.global.b32 %%i, [%%in+%u];\n  setp.ne.u32 %%%s, %%i, 0;\n", offset, name);
  else if (name[0] == 'p')
    fprintf(out, "  selp.b32 %%i, 1, 0, %%%s;\n  st.global.b32 [%%out+%u], %%i;\n", name, offset);
  else if (loads)
    fprintf(out, "  ld.global.%s %%%s, [%%in+%u];\n", type, name, offset);
  else
    fprintf(out, "  st.global.%s [%%out+%u], %%%s;\n", type, offset, name);
}

static void put_head(FILE *out, unsigned version, unsigned sm) {
  fprintf(out,
          ".version %u.%u\n.target sm_%u\n.address_size 64\n"
          ".shared .align 16 .b8 s[64];\n.extern .shared .align 16 .b8 dynamic[];\n"
          ".global .align 8 .b32 g[4] = {1, 2, 0xffffffff, -4};\n.const .align 8 .b32 c[4] = {5, 6, 7, 8};\n"
          ".global .align 8 .u64 pointers[3] = {generic(g), generic(g)+8, c+4};\n"
          ".func (.param .b32 result) next(.param .b32 value)\n"
          "{\n  .reg .b32 %%x;\n  ld.param.b32 %%x, [value];\n  add.u32 %%x, %%x, 1;\n"
          "  st.param.b32 [result], %%x;\n  ret;\n}\n",
          version / 10, version % 10, sm);
}

static void put_kernel(FILE *out, const struct line *line, const char *name) {
  fprintf(
      out,
      ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 memory)\n{\n"
      "  .reg .pred %%p<8>;\n  .reg .b16 %%h<8>;\n  .reg .b32 %%r<16>, %%i;\n  .reg .b64 %%d<16>, %%in, %%out, %%o;\n"
      "  .local .align 16 .b8 l[64];\n"
      "  mov.u32 %%i, %%tid.x;\n  mul.wide.u32 %%o, %%i, 8;\n  ld.param.u64 %%in, [in];\n"
      "  add.u64 %%in, %%in, %%o;\n  ld.param.u64 %%out, [out];\n  add.u64 %%out, %%out, %%o;\n",
      name);
  for (unsigned i = 0; i < line->before_count; i++)
    put_access(out, &line->before[i], i, line->items, true);
  fprintf(out, "%s\n", line->body);
  for (unsigned i = 0; i < line->after_count; i++)
    put_access(out, &line->after[i], i, line->items, false);
  fprintf(out, "  ret;\n}\n");
}

static char *module_text(const struct line *line, unsigned version, unsigned sm, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  put_head(out, version, sm);
  put_kernel(out, line, "kernel");
  fclose(out);
  return text;
}

// ---- running them

struct bench {
  uint64_t in[MAX_VALUES * MAX_ITEMS], out[MAX_VALUES * MAX_ITEMS];
  char gap[64];
  _Alignas(16) char memory[MEMORY];
};

static uint64_t value_bits(const struct bench *b, const struct value *value, uint32_t lane) {
  if (value->is_address)
    return (uint64_t)(uintptr_t)b->memory + value->bits;
  return value->lane_factor ? (uint64_t)lane * value->lane_factor : value->bits;
}

static void set_values(struct bench *b, const struct line *line) {
  memset(b, 0, sizeof *b);
  for (unsigned i = 0; i < line->before_count; i++) {
    const struct value *value = &line->before[i];
    if (!is_register(value)) {
      uint32_t word = (uint32_t)value->bits;
      memcpy(b->memory + atoi(value->name + 2), &word, sizeof word);
    }
    for (unsigned lane = 0; is_register(value) && lane < line->items; lane++)
      b->in[i * line->items + lane] = value_bits(b, value, lane);
  }
}

static bool same(const struct value *value, uint64_t got, uint64_t want) {
  char kind = value->name[0];
  unsigned bits = kind == 'h' ? 16 : kind == 'd' ? 64 : 32;
  double number = bits == 16 ? get_F16(got) : bits == 64 ? get_F64(got) : (double)get_F32(got);
  if (value->is_nan)
    return isnan(number);
  if (value->bound > 0)
    return fabs(number - value->number) <= value->bound;
  return ((got ^ want) & type_mask(bits)) == 0;
}

static bool check_values(const struct bench *b, const struct line *line, char *fault, size_t size) {
  for (unsigned i = 0; i < line->after_count; i++) {
    const struct value *value = &line->after[i];
    unsigned first = value->lane < 0 ? 0 : (unsigned)value->lane, last = value->lane < 0 ? line->items - 1 : first;
    for (unsigned lane = first; lane <= last; lane++) {
      uint64_t got = b->out[i * line->items + lane];
      uint32_t word;
      if (!is_register(value)) {
        memcpy(&word, b->memory + atoi(value->name + 2), sizeof word);
        got = word;
      }
      if (same(value, got, value_bits(b, value, lane)))
        continue;
      snprintf(fault, size, "%s of work-item %u is %#llx", value->name, lane, (unsigned long long)got);
      return false;
    }
  }
  return true;
}

static bool run_module(struct bench *b, const struct line *line, struct ptx_module *module, uint64_t seed,
                       struct ptx_error *error) {
  size_t count;
  const struct ptx_entry *entry = ptx_entries(module, &count);
  uint64_t parameters[3] = {(uintptr_t)b->in, (uintptr_t)b->out, (uintptr_t)b->memory};
  struct ptx_memory *memory = ptx_memory_create();
  bool ready = memory && ptx_memory_add(memory, b->in, sizeof b->in) && ptx_memory_add(memory, b->out, sizeof b->out) &&
               ptx_memory_add(memory, b->memory, sizeof b->memory) && ptx_load(module, memory);
  struct ptx_launch launch = {.grid = {1, 1, 1},
                              .block = {line->items, 1, 1},
                              .dynamic_shared_bytes = 32,
                              .parameters = parameters,
                              .parameter_bytes = sizeof parameters,
                              .memory = memory,
                              .sm = line->sm,
                              .seed = seed,
                              .max_steps = 1000000};
  set_values(b, line);
  bool good = ready && ptx_run(module, entry, &launch, error);
  ptx_unload(module, memory);
  ptx_memory_destroy(memory);
  return good;
}

static bool check_line(struct bench *b, const struct line *line, char *fault, size_t fault_size) {
  struct ptx_error error;
  size_t size;
  char *text = module_text(line, line->version, line->sm, &size);
  struct ptx_module *module = ptx_parse(text, size, &error);
  bool good = true;
  for (uint64_t seed = 0; seed < 4 && good; seed++) {
    bool ran = module && run_module(b, line, module, seed, &error);
    bool expected = !line->verdict || !strcmp(line->verdict, "fails") ? module != NULL : module == NULL;
    snprintf(fault, fault_size, "seed %llu: the message is \"%s\"", (unsigned long long)seed, error.text);
    if (line->verdict)
      good = expected && !ran && strstr(error.text, line->message);
    else
      good = ran && check_values(b, line, fault, fault_size);
  }
  ptx_free(module);
  free(text);
  return good;
}

// ---- what ptxas says

static int run_ptxas(const char *ptxas, unsigned sm, const char *text, size_t size) {
  char path[] = "/tmp/kiln-ptx-XXXXXX", arch[16];
  int file = mkstemp(path), status = -1;
  if (file < 0 || write(file, text, size) != (ssize_t)size)
    return -1;
  close(file);
  snprintf(arch, sizeof arch, "sm_%u", sm);
  char *arguments[] = {(char *)ptxas, "-arch", arch, "-O0", "-o", "/dev/null", path, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  if (posix_spawnp(&child, ptxas, &actions, NULL, arguments, environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  unlink(path);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether ptxas and the emulator say the same of the line as code for that version and device.
static bool agree(const struct line *line, const char *ptxas, unsigned version, unsigned sm, char *fault, size_t size) {
  struct ptx_error error;
  size_t text_size;
  char *text = module_text(line, version, sm, &text_size);
  struct ptx_module *module = ptx_parse(text, text_size, &error);
  bool is_unknown = line->verdict && !strcmp(line->verdict, "unknown");
  int status = run_ptxas(ptxas, sm, text, text_size);
  bool accepts = status == 0, good = status != -1 && status != 127 && accepts == (module != NULL || is_unknown);
  snprintf(fault, size, "as .version %u.%u for sm_%u: ptxas %s it (%d), the emulator says \"%s\"", version / 10,
           version % 10, sm, accepts ? "accepts" : "rejects", status, error.text);
  ptx_free(module);
  free(text);
  return good;
}

// Lines of the same version and device as kernels of one module: a process less for each. What it does not accept is
// looked at line by line.
struct batch {
  unsigned version, sm, count;
  FILE *out;
  char *text;
  size_t size;
  bool accepted;
};
enum { MAX_BATCHES = 64 };

static struct batch *find_batch(struct batch *batches, const struct line *line) {
  struct batch *batch = batches;
  while (batch->out && (batch->version != line->version || batch->sm != line->sm))
    if (++batch == batches + MAX_BATCHES)
      return NULL;
  return batch;
}

static void add_to_batch(struct batch *batches, const struct line *line) {
  struct batch *batch = find_batch(batches, line);
  char name[24];
  if (!batch || (line->verdict && !strcmp(line->verdict, "rejected")))
    return;
  if (!batch->out) {
    *batch = (struct batch){.version = line->version, .sm = line->sm};
    batch->out = open_memstream(&batch->text, &batch->size);
    put_head(batch->out, line->version, line->sm);
  }
  snprintf(name, sizeof name, "kernel%u", batch->count++);
  put_kernel(batch->out, line, name);
}

static void try_batches(struct batch *batches, const char *ptxas) {
  for (struct batch *batch = batches; batch < batches + MAX_BATCHES && batch->out; batch++) {
    fclose(batch->out);
    batch->accepted = run_ptxas(ptxas, batch->sm, batch->text, batch->size) == 0;
    free(batch->text);
  }
}

// Whether nothing that ptxas was asked already contradicts the emulator.
static bool agree_as_batch(const struct batch *batch, const struct line *line) {
  struct ptx_error error;
  size_t size;
  if (!batch || !batch->accepted || (line->verdict && !strcmp(line->verdict, "rejected")))
    return false;
  char *text = module_text(line, line->version, line->sm, &size);
  struct ptx_module *module = ptx_parse(text, size, &error);
  bool good = module || (line->verdict && !strcmp(line->verdict, "unknown"));
  ptx_free(module);
  free(text);
  return good;
}

static bool check_ptxas(const struct line *line, const struct batch *batch, const char *ptxas, char *fault,
                        size_t size) {
  static const unsigned versions[] = {60, 61, 62, 63, 65, 70, 71, 73, 74, 76, 77, 78, 80},
                        devices[] = {60, 61, 70, 75, 80, 89, 90};
  unsigned older = 0, smaller = 0;
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    older = versions[i] < line->version ? versions[i] : older;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    smaller = devices[i] < line->sm ? devices[i] : smaller;
  return (agree_as_batch(batch, line) || agree(line, ptxas, line->version, line->sm, fault, size)) &&
         (!older || agree(line, ptxas, older, line->sm, fault, size)) &&
         (!smaller || agree(line, ptxas, line->version, smaller, fault, size));
}

// Exits where there is no ptxas to ask.
static const char *find_ptxas(const char *name) {
  const char *given = getenv("KILN_PTXAS");
  if (!strcmp(name, "find"))
    name = given && *given ? given : "ptxas";
  int status = run_ptxas(name, 60, ".version 6.0\n.target sm_60\n", 28);
  if (status != 0) {
    printf("%s does not compile for sm_60 (%d): set KILN_PTXAS to that of CUDA 12.9 or older\n", name, status);
    exit(77);
  }
  return name;
}

struct check {
  const char *path, *ptxas; // ptxas NULL: run them
  FILE *file;
  struct bench *bench;
  struct line *line;
  struct batch batches[MAX_BATCHES];
  bool collects; // batches, and checks nothing
  int checks, faults;
};

static bool check_one(struct check *check, char *text, char *fault, size_t size) {
  snprintf(fault, size, "cannot read the line");
  if (!read_line(check->line, text))
    return false;
  if (!check->ptxas)
    return check_line(check->bench, check->line, fault, size);
  if (!check->collects)
    return check_ptxas(check->line, find_batch(check->batches, check->line), check->ptxas, fault, size);
  add_to_batch(check->batches, check->line);
  return true;
}

static void check_lines(struct check *check) {
  char text[2048], fault[800];
  rewind(check->file);
  check->checks = check->faults = 0;
  for (int number = 1; fgets(text, sizeof text, check->file); number++) {
    if (text[0] == '#' || text[0] == '\n')
      continue;
    check->checks++;
    if (check_one(check, text, fault, sizeof fault))
      continue;
    check->faults++;
    if (!check->collects)
      printf("%s:%d: %s\n", check->path, number, fault);
  }
}

int main(int argc, char **argv) {
  static struct check check;
  check.ptxas = argc == 4 && !strcmp(argv[1], "--ptxas") ? find_ptxas(argv[2]) : NULL;
  check.path = argv[argc - 1];
  check.file = argc == 2 || check.ptxas ? fopen(check.path, "r") : NULL;
  if (!check.file) {
    fprintf(stderr, "usage: ptx_check [--ptxas PROGRAM] FILE\n");
    return 2;
  }
  check.bench = aligned_alloc(16, (sizeof *check.bench + 15) & ~(size_t)15);
  check.line = malloc(sizeof *check.line);
  if (!check.bench || !check.line)
    return 2;
  if (check.ptxas) {
    check.collects = true;
    check_lines(&check);
    try_batches(check.batches, check.ptxas);
    check.collects = false;
  }
  check_lines(&check);
  free(check.line);
  free(check.bench);
  fclose(check.file);
  printf("%d checks, %d faults\n", check.checks, check.faults);
  return check.faults || !check.checks;
}
