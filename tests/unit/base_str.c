// String builder, names, edit distance, hashes.
#include "base/str.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

Test(strbuf, building) {
  struct kiln_strbuf buf = {0};
  kiln_strbuf_puts(&buf, "ab");
  kiln_strbuf_putc(&buf, 'c');
  kiln_strbuf_append(&buf, "\0d", 2);
  kiln_strbuf_printf(&buf, "%05d", 42);
  cr_assert(buf.size == 10 && memcmp(buf.data, "abc\0d00042", 11) == 0);
  kiln_strbuf_clear(&buf);
  cr_assert(buf.size == 0 && buf.data[0] == '\0');
  for (int i = 0; i < 1000; i++) {
    kiln_strbuf_printf(&buf, "%*d", i, i % 10);
  }
  cr_assert(buf.size == 499500 + 1 && strlen(buf.data) == buf.size, "%zu bytes", buf.size);
  char *text = kiln_strbuf_take(&buf);
  cr_assert(strlen(text) == 499501 && buf.data == NULL);
  free(text);
  text = kiln_strbuf_take(&buf); // an empty one gives ""
  cr_assert_str_eq(text, "");
  free(text);
}

Test(strbuf, shown) {
  static const struct {
    const char *text, *shown, *json;
    size_t size;
  } cases[] = {
      {"", "", "\"\"", 0},
      {"a\tb\nc", "a\tb\nc", "\"a\\tb\\nc\"", 5},
      {"a\r\nb", "a\nb", "\"a\\u000d\\nb\"", 4},
      {"a\rb\r", "a\\x0db\\x0d", "\"a\\u000db\\u000d\"", 4},
      {"\033[31m\a", "\\x1b[31m\\x07", "\"\\u001b[31m\\u0007\"", 6},
      {"\177", "\\x7f", "\"\\u007f\"", 1},
      {"\302\233\302\240", "\\xc2\\x9b\302\240", "\"\\u009b\302\240\"", 4},
      {"\303\274\360\237\230\200", "\303\274\360\237\230\200", "\"\303\274\360\237\230\200\"", 6},
      {"\342\200\256\330\234\342\201\246", "\\u202e\\u061c\\u2066", "\"\\u202e\\u061c\\u2066\"", 8},
      {"\377\303", "\\xff\\xc3", "\"\\ufffd\\ufffd\"", 2},
      {"\303\274", "\\xc3", NULL, 1}, // what follows the text is no part of it
      {"a\0b", "a\\x00b", NULL, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_strbuf shown = {0}, json = {0};
    kiln_strbuf_shown(&shown, cases[i].text, cases[i].size);
    cr_expect_str_eq(shown.data ? shown.data : "", cases[i].shown, "case %zu", i);
    kiln_strbuf_json(&json, cases[i].text);
    cr_expect(!cases[i].json || strcmp(json.data, cases[i].json) == 0, "case %zu: %s", i, json.data);
    kiln_strbuf_free(&shown);
    kiln_strbuf_free(&json);
  }
}

Test(strbuf, exhausted_memory) {
  struct kiln_strbuf buf = {0};
  kiln_strbuf_puts(&buf, "x");
  kiln_strbuf_append(&buf, "", SIZE_MAX / 2);
  cr_assert(buf.failed);
  kiln_strbuf_puts(&buf, "dropped");
  cr_assert(kiln_strbuf_take(&buf) == NULL && !buf.failed);
}

Test(names, interning) {
  jmp_buf exhausted;
  struct kiln_arena arena;
  struct kiln_names names;
  kiln_arena_init(&arena, &exhausted);
  cr_assert(setjmp(exhausted) == 0);
  kiln_names_init(&names, &arena);
  static struct kiln_name *all[20000];
  for (uint32_t turn = 0; turn < 2; turn++) {
    for (uint32_t i = 0; i < 20000; i++) {
      char text[16];
      int size = snprintf(text, sizeof text, "n%u", i);
      struct kiln_name *name = kiln_names_intern(&names, text, (size_t)size);
      cr_assert(name->id == i + 1 && name->size == (uint32_t)size && strcmp(name->text, text) == 0, "name %u", i);
      cr_assert(turn == 0 || all[i] == name, "name %u moved", i);
      all[i] = name;
    }
  }
  cr_assert(names.count == 20000);
  struct kiln_name *empty = kiln_names_intern(&names, "", 0);
  cr_assert(empty->size == 0 && empty == kiln_names_intern(&names, NULL, 0));
  cr_assert(kiln_names_intern(&names, "a\0b", 3) != kiln_names_intern(&names, "a\0c", 3));
  cr_assert(empty->tag == 0 && empty->data == NULL);
  kiln_arena_free(&arena);
}

Test(edit_distance, table) {
  static const struct {
    const char *a, *b;
    unsigned limit, distance;
  } cases[] = {
      {"", "", 3, 0},
      {"abc", "abc", 3, 0},
      {"abc", "abd", 3, 1},
      {"abc", "ab", 3, 1},
      {"", "abc", 3, 3},
      {"abc", "", 2, 3},
      {"acb", "abc", 3, 1},
      {"kitten", "sitting", 5, 3},
      {"abcd", "efgh", 2, 3},
      {"znver4", "znver3", 2, 1},
      {"get_globl_id", "get_global_id", 3, 1},
      {"ca", "abc", 5, 3},
  };
  size_t count = sizeof cases / sizeof *cases;
  for (size_t i = 0; i < count; i++) {
    unsigned got = kiln_edit_distance(cases[i].a, cases[i].b, cases[i].limit);
    cr_assert(got == cases[i].distance, "%s, %s: %u instead of %u", cases[i].a, cases[i].b, got, cases[i].distance);
  }
  static char longer[5000], other[5000];
  memset(longer, 'a', sizeof longer - 1);
  memset(other, 'a', sizeof other - 1);
  cr_assert(kiln_edit_distance(longer, other, 2) == 0);
  other[2500] = 'b';
  cr_assert(kiln_edit_distance(longer, other, 2) == 1);
  other[0] = other[4998] = 'b';
  cr_assert(kiln_edit_distance(longer, other, 2) == 3);
}

Test(hash, known_values) {
  char hex[33];
  kiln_hash128_hex(kiln_hash128("", 0), hex); // as the xxh128sum command prints them
  cr_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
  kiln_hash128_hex(kiln_hash128(NULL, 0), hex);
  cr_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
  cr_assert(kiln_hash64("", 0) == 0x2d06800538d394c2u);
}
