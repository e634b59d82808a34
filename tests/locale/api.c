// A host that has chosen a locale, for the process or for its thread: constants, texts and keys are those of the C
// locale, so that programs in the cache are everybody's; and the host's locale is still there after each call.
#include <ftw.h>
#include <locale.h>
#include <unistd.h>

#include "tests/api/api_test.h"

// ---- what is compiled -----------------------------------------------------------------------------------------------

static const char source[] =
    "constant float table[2] = {0.1f, 1234567.875f};\n"
    "kernel void k(global float *o, float x) {\n"
    "  o[0] = 0.5f; o[1] = 1.5f; o[2] = 1234.5f; o[3] = 1e-7f; o[4] = 1.25e30f; o[5] = x > 0.5f ? 3.25f : 4.75f;\n"
    "  o[6] = 0.1f + x; o[7] = x > 2.5f ? 1 : 2; o[8] = x * FACTOR; o[9] = table[0]; o[10] = table[1]; o[11] = "
    "0x1.8p1f;\n"
    "  float s = 0.25f;\n"
    "  for (int i = 0; i < 3; i++) s += x;\n"
    "  o[12] = s;\n"
    "  printf(\"%g %.2f %e %a %v2g %d\\n\", o[2] + x, x / 8, o[3], x * 0.75f, (float2)(0.5f, 1.5f), 1234567);\n"
    "}\n";
static const float want[13] = {0.5f, 1.5f, 1234.5f, 1e-7f,        1.25e30f, 3.25f, 0.1f + 1.0f,
                               2,    2.5f, 0.1f,    1234567.875f, 3,        3.25f};
static const char printed[] = "1235.5 0.12 1.000000e-07 0x1.8p-1 0.5,1.5 1234567\n";

static char text[1000];
static size_t text_size;

static void keep(void *user, const char *more, size_t size) {
  (void)user;
  EXPECT(text_size + size < sizeof text, "too much is printed");
  memcpy(text + text_size, more, size);
  text_size += size;
  text[text_size] = 0;
}

struct built {
  enum kiln_cache_outcome outcome;
  char key[33];
  char *ir;
};

static struct built build(const char *cache_dir) {
  struct kiln_context_desc desc = {.backend = backend, .cache_dir = cache_dir, .cache_mode = "rw", .print = keep};
  struct kiln_program_desc program_desc = {.source = source, .name = "locale.cl", .options = "-DFACTOR=2.5f"};
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct built built;
  size_t size;
  float x = 1, o[13] = {0};
  text_size = 0;
  FINE(kiln_context_open(&desc, &ctx));
  FINE(kiln_stream_create(ctx, 0, &stream));
  FINE(kiln_program_create(ctx, &program_desc, &program));
  FINE(kiln_kernel_create(program, NULL, &kernel));
  struct kiln_buffer *buffer = api_buffer(sizeof o, NULL);
  struct kiln_arg args[] = {kiln_arg_buffer(buffer), kiln_arg_value(&x, sizeof x)};
  FINE(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = args, .arg_count = 2}, NULL));
  FINE(kiln_read(stream, buffer, 0, o, sizeof o, NULL));
  FINE(kiln_stream_finish(stream));
  for (int i = 0; i < 13; i++)
    EXPECT(o[i] == want[i], "result %d is %a instead of %a", i, (double)o[i], (double)want[i]);
  EXPECT(strcmp(text, printed) == 0, "'%s' is printed instead of '%s'", text, printed);
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  built.outcome = info.cache;
  snprintf(built.key, sizeof built.key, "%s", info.key);
  FINE(kiln_program_stage(program, "ir", (void **)&built.ir, &size));
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  api_close();
  return built;
}

// ---- folders --------------------------------------------------------------------------------------------------------

// JSON separates numbers by a comma and a blank, or by lines: one between two digits is a decimal comma.
static int see_json(const char *path, const struct stat *unused, int type, struct FTW *also_unused) {
  (void)unused, (void)also_unused;
  size_t length = strlen(path);
  if (type != FTW_F || length < 5 || strcmp(path + length - 5, ".json"))
    return 0;
  FILE *file = fopen(path, "r");
  EXPECT(file, "%s", path);
  int before = 0, c = fgetc(file), next;
  for (; c != EOF; before = c, c = next) {
    next = fgetc(file);
    EXPECT(!(c == ',' && before >= '0' && before <= '9' && next >= '0' && next <= '9'), "%s has a decimal comma", path);
  }
  fclose(file);
  return 0;
}

static int delete (const char *path, const struct stat *unused, int type, struct FTW *also_unused) {
  (void)unused, (void)type, (void)also_unused;
  return remove(path);
}

// ---- locales --------------------------------------------------------------------------------------------------------

static bool has_comma(void) {
  char number[20];
  snprintf(number, sizeof number, "%.1f", 0.5);
  return strcmp(number, "0,5") == 0;
}

static void choose_for_process(const char *name) { EXPECT(setlocale(LC_ALL, name), "there is no locale %s", name); }

// One after the other in the same cache: what the first makes the second finds.
static void check(const char *name, bool only_thread, bool comma_first) {
  char folder[] = "/tmp/kiln-locale-XXXXXX", dumps[sizeof folder + 6];
  EXPECT(mkdtemp(folder), "mkdtemp");
  snprintf(dumps, sizeof dumps, "%s/dumps", folder);
  setenv("COMPILE_DUMP_DIR", dumps, 1);
  locale_t thread = newlocale(LC_ALL_MASK, name, (locale_t)0);
  struct built built[2];
  for (int i = 0; i < 2; i++) {
    bool comma = comma_first == (i == 0);
    if (comma && only_thread)
      uselocale(thread);
    else if (comma)
      choose_for_process(name);
    EXPECT(has_comma() == comma, "%s", name);
    built[i] = build(folder);
    EXPECT(has_comma() == comma, "%s: the host's locale has changed", name);
    uselocale(LC_GLOBAL_LOCALE);
    setlocale(LC_ALL, "C");
  }
  EXPECT(built[0].outcome == KILN_CACHE_MISS && built[1].outcome == KILN_CACHE_HIT_DISK, "%d, %d",
         (int)built[0].outcome, (int)built[1].outcome);
  EXPECT(strcmp(built[0].key, built[1].key) == 0, "%s, %s", built[0].key, built[1].key);
  EXPECT(strcmp(built[0].ir, built[1].ir) == 0, "%s\n%s", built[0].ir, built[1].ir);
  kiln_free(built[0].ir);
  kiln_free(built[1].ir);
  freelocale(thread);
  nftw(folder, see_json, 16, FTW_PHYS);
  nftw(folder, delete, 16, FTW_PHYS | FTW_DEPTH);
}

int main(int argc, char **argv) {
  unsetenv("COMPILE_CACHE");
  api_open(argc, argv);
  api_close();
  // In Turkish the small letter of I is none of ASCII's.
  setenv("COMPILE_CACHE_MAX_SIZE", "1GIB", 1);
  check("tr_TR.ISO-8859-9", false, true);
  check("de_DE.UTF-8", false, false);
  check("de_DE.UTF-8", true, true);
  return 0;
}
