// The reader of tuning records on any bytes, as the text and as the whole file: what it takes is written again and read
// again as the same. Each input is read as it is, then with some of its bytes changed, cut or doubled: in replay.c as
// often as the environment says (KILN_MUTANTS), by a fixed sequence.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/tune_record.h"

static void fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz_tune: %s: %.2000s\n", what, text);
  abort();
}

// The first writing may change the text (lines that are not known go, the best point comes first), the second may not.
static void read_text(struct kiln_str text) {
  struct kiln_tune_record record, again;
  struct kiln_strbuf first = {0}, second = {0};
  for (const char *line = "kernel\0class\0best\0points\0"; *line; line += strlen(line) + 1) {
    struct kiln_str value = kiln_tune_line(text, line);
    if (value.size && (value.data < text.data || value.data + value.size > text.data + text.size))
      fail("a line is outside", line);
  }
  if (kiln_tune_record_decode(text, &record))
    return;
  if (record.point_count > KILN_TUNE_MAX_POINTS || (record.best != UINT32_MAX && record.best >= record.point_count))
    fail("a count is out of range", record.storage);
  if (!kiln_tune_record_encode(&record, &first) || first.failed)
    fail("what was read cannot be written", record.storage);
  if (kiln_tune_record_decode((struct kiln_str){first.data, first.size}, &again))
    fail("what was written cannot be read", first.data);
  if (!kiln_tune_record_encode(&again, &second) || second.failed || first.size != second.size ||
      memcmp(first.data, second.data, first.size) != 0)
    fail("it does not come back", first.data);
  if (first.size > KILN_TUNE_MAX_TEXT)
    fail("it is too large", "");
  kiln_tune_record_free(&record);
  kiln_tune_record_free(&again);
  kiln_strbuf_free(&first);
  kiln_strbuf_free(&second);
}

// The same bytes as the end of a file whose checksum is right.
static void read_file(const uint8_t *data, size_t size) {
  struct kiln_file_view view;
  struct kiln_tune_key key;
  struct kiln_str text;
  char *file = malloc(size + 1);
  if (!file)
    exit(3);
  memcpy(file, data, size);
  if (size >= 64)
    kiln_file_set_checksum(file, size);
  if (!kiln_file_decode(file, size, KILN_FILE_TUNING, &view) && !kiln_tune_read(&view, &key, &text))
    read_text(text);
  free(file);
}

static uint64_t state = 7;
static uint32_t next_random(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

// Bytes that a text has, or any.
static uint8_t any_byte(void) {
  static const char some[] = "\n :=._-0123456789aAk";
  return next_random() % 4 ? (uint8_t)some[next_random() % (sizeof some - 1)] : (uint8_t)next_random();
}

// Changes a copy with room for twice the bytes. Returns its size.
static size_t change(uint8_t *bytes, size_t size) {
  for (uint32_t i = 0, changes = 1 + next_random() % 3; i < changes && size; i++) {
    size_t at = next_random() % size, count = 1 + next_random() % 16;
    count = count < size - at ? count : size - at;
    switch (next_random() % 4) {
    case 0: // cut out
      memmove(bytes + at, bytes + at + count, size - at - count);
      size -= count;
      break;
    case 1: // double
      memmove(bytes + at + count, bytes + at, size - at);
      size += count;
      break;
    default:
      bytes[at] = any_byte();
    }
  }
  return size;
}

static void read_both(const uint8_t *data, size_t size) {
  read_text((struct kiln_str){(const char *)data, size});
  read_file(data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = getenv("KILN_MUTANTS");
  int mutants = text ? atoi(text) : 0;
  read_both(data, size);
  if (size > 1 << 16)
    return 0;
  uint8_t *bytes = malloc(size + 64);
  if (!bytes)
    exit(3);
  for (int i = 0; i < mutants; i++) {
    memcpy(bytes, data, size);
    read_both(bytes, change(bytes, size));
  }
  free(bytes);
  return 0;
}
