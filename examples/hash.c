// Searches the word of five letters that has a given hash (FNV-1a), compared with the same search in plain C.
// Usage: hash [--no-header] [WORD]
#include "example.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char source[] = "kernel void search(ulong wanted, global uint *found) {\n"
                             "  uint number = get_global_id(0), rest = number;\n"
                             "  ulong hash = 0xcbf29ce484222325ul;\n"
                             "  for (int i = 0; i < 5; i++) {\n"
                             "    hash = (hash ^ ('a' + rest % 26)) * 0x100000001b3ul;\n"
                             "    rest /= 26;\n"
                             "  }\n"
                             "  if (hash == wanted) atomic_min(found, number);\n"
                             "}\n";

enum { LETTERS = 5, WORDS = 26 * 26 * 26 * 26 * 26, RUNS = 5 };
#define NONE UINT32_MAX

static uint64_t hash_of(const char *word) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < LETTERS; i++)
    hash = (hash ^ (unsigned char)word[i]) * 0x100000001b3;
  return hash;
}

static void spell(uint32_t number, char word[LETTERS + 1]) {
  for (int i = 0; i < LETTERS; i++, number /= 26)
    word[i] = (char)('a' + number % 26);
  word[LETTERS] = 0;
}

static uint32_t search(uint64_t wanted) {
  uint32_t found = NONE;
  for (uint32_t number = 0; number < WORDS; number++) {
    char word[LETTERS + 1];
    spell(number, word);
    if (hash_of(word) == wanted && number < found)
      found = number;
  }
  return found;
}

static bool is_word(const char *text) {
  for (int i = 0; i < LETTERS; i++)
    if (!islower((unsigned char)text[i]))
      return false;
  return strlen(text) == LETTERS;
}

int main(int argc, char **argv) {
  bool header = argc < 2 || strcmp(argv[1], "--no-header") != 0;
  const char *secret = argc > 1 && is_word(argv[argc - 1]) ? argv[argc - 1] : "tiger";
  uint64_t wanted = hash_of(secret);

  struct kiln_context *context;
  struct kiln_kernel *kernel;
  struct start_times times = measure_start("hash.cl", source, "search", &context, &kernel);
  struct kiln_stream *stream;
  struct kiln_buffer *found;
  uint32_t number = NONE;
  check(kiln_stream_create(context, 0, &stream));
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = sizeof number}, &found));
  check(kiln_write(stream, found, 0, &number, sizeof number, NULL));
  struct kiln_arg args[] = {kiln_arg_value(&wanted, sizeof wanted), kiln_arg_buffer(found)};
  struct kiln_launch_desc launch = {.global = {WORDS}, .args = args, .arg_count = 2};
  double best = run_best(stream, kernel, &launch, RUNS);
  check(kiln_read(stream, found, 0, &number, sizeof number, NULL));
  check(kiln_stream_finish(stream));

  char word[LETTERS + 1] = "";
  spell(number, word);
  double begin = now_ms();
  uint32_t plain = search(wanted);
  double plain_ms = now_ms() - begin;
  if (header)
    print_header();
  print_row("hash", "11.9 million words", times, best, plain_ms, number != plain);
  printf("%016llx is the hash of '%s'\n", (unsigned long long)wanted, word);

  kiln_buffer_release(found);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_context_close(context);
  return number == plain && strcmp(word, secret) == 0 ? 0 : 1;
}
