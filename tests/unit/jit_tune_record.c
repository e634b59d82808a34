// The text of tuning records, and their keys.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "jit/tune_record.h"

static struct kiln_tune_measured some_points[3] = {
    {.values = {1, 32}, .median_ns = 2400000, .spread_ns = 9000, .state = KILN_TUNE_OK},
    {.values = {8, -64}, .median_ns = 412500.25, .spread_ns = 1200.5, .state = KILN_TUNE_OK},
    {.values = {INT64_MAX, INT64_MIN}, .state = KILN_TUNE_FAILED},
};

static struct kiln_tune_record some_record(void) {
  return (struct kiln_tune_record){.kernel = "gemm",
                                   .backend = "cpu",
                                   .arch = "x86-64-v4",
                                   .device = "AMD EPYC, 2 units",
                                   .source = "gemm.cl",
                                   .version = "0.1.0",
                                   .parameter_count = 2,
                                   .parameters = {"RM", "LX"},
                                   .class_count = 2,
                                   .class_names = {"M", "N"},
                                   .class_values = {512, 1024},
                                   .best = 1,
                                   .best_ns = 412500,
                                   .default_ns = 2400000,
                                   .measured = 58,
                                   .point_count = 3,
                                   .points = some_points};
}

static struct kiln_str encode(const struct kiln_tune_record *record, struct kiln_strbuf *out) {
  kiln_strbuf_clear(out);
  cr_assert(kiln_tune_record_encode(record, out) && !out->failed);
  return (struct kiln_str){out->data, out->size};
}

Test(tune_record, comes_back) {
  struct kiln_strbuf text = {0}, again = {0};
  struct kiln_tune_record record = some_record(), read;
  encode(&record, &text);
  cr_assert_str_eq(text.data, "tuning: 1\nkernel: gemm\nbackend: cpu\narch: x86-64-v4\ndevice: AMD EPYC, 2 units\n"
                              "source: gemm.cl\nversion: 0.1.0\nsearch: \nclass: M=512 N=1024\nbest: RM=8 LX=-64\n"
                              "best_us: 412.500\ndefault_us: 2400.000\npoints: 58\n\nRM LX\n"
                              "8 -64 412500.250 1200.500 ok\n1 32 2400000.000 9000.000 ok\n"
                              "9223372036854775807 -9223372036854775808 0.000 0.000 failed\n");
  cr_assert_eq(kiln_tune_record_decode((struct kiln_str){text.data, text.size}, &read), NULL);
  cr_assert(read.best == 0 && read.point_count == 3 && read.measured == 58 && read.class_count == 2);
  cr_assert(read.points[0].values[1] == -64 && read.points[2].values[1] == INT64_MIN);
  cr_assert_str_eq(read.search, "");
  encode(&read, &again);
  cr_assert_str_eq(again.data, text.data);
  kiln_tune_record_free(&read);
  struct kiln_str head = {text.data, text.size};
  cr_assert(kiln_str_eq(kiln_tune_line(head, "class"), kiln_str("M=512 N=1024")));
  cr_assert_eq(kiln_tune_line(head, "8 -64 412500.250 1200.500 ok").size, 0, "points are no lines");
  kiln_strbuf_free(&text);
  kiln_strbuf_free(&again);
}

Test(tune_record, without_parameters_or_points) {
  struct kiln_strbuf text = {0};
  struct kiln_tune_measured point = {.median_ns = 5, .state = KILN_TUNE_OK};
  struct kiln_tune_record read, none = {.best = UINT32_MAX}, one = {.best = 0, .point_count = 1, .points = &point};
  cr_assert_eq(kiln_tune_record_decode(encode(&none, &text), &read), NULL);
  cr_assert_eq(read.best, UINT32_MAX);
  kiln_tune_record_free(&read);
  cr_assert_eq(kiln_tune_record_decode(encode(&one, &text), &read), NULL);
  cr_assert(read.best == 0 && read.point_count == 1);
  kiln_tune_record_free(&read);
  one.best = UINT32_MAX;
  point.state = KILN_TUNE_WRONG;
  cr_assert_eq(kiln_tune_record_decode(encode(&one, &text), &read), NULL);
  cr_assert_eq(read.best, UINT32_MAX);
  kiln_tune_record_free(&read);
  kiln_strbuf_free(&text);
}

Test(tune_record, text_of_any_kind_stays_one_line) {
  struct kiln_strbuf text = {0};
  struct kiln_tune_record record = some_record(), read;
  record.device = "one\ntwo: \x1b[31m\n\nRM";
  cr_assert_eq(kiln_tune_record_decode(encode(&record, &text), &read), NULL);
  cr_assert_str_eq(read.device, "one_two: _[31m__RM");
  kiln_tune_record_free(&read);
  record.parameters[0] = "R M";
  cr_assert_not(kiln_tune_record_encode(&record, &text));
  record.parameters[0] = "RM";
  record.best = 2; // it failed
  cr_assert_not(kiln_tune_record_encode(&record, &text));
  kiln_strbuf_free(&text);
}

// The best one stays, and the fastest of the others; failed ones go first.
Test(tune_record, points_that_are_too_many) {
  enum { COUNT = 2000 };
  static struct kiln_tune_measured points[COUNT];
  struct kiln_strbuf text = {0};
  struct kiln_tune_record record = some_record(), read;
  for (int i = 0; i < COUNT; i++)
    points[i] = (struct kiln_tune_measured){
        .values = {i}, .median_ns = COUNT - i, .state = i % 2 ? KILN_TUNE_FAILED : KILN_TUNE_OK};
  record.points = points;
  record.point_count = COUNT;
  record.best = 10;
  cr_assert_eq(kiln_tune_record_decode(encode(&record, &text), &read), NULL);
  cr_assert_eq(read.point_count, KILN_TUNE_MAX_POINTS);
  cr_assert(read.points[0].values[0] == 10 && read.points[1].values[0] == COUNT - 2);
  uint32_t failed = 0;
  for (uint32_t i = 0; i < read.point_count; i++)
    failed += read.points[i].state == KILN_TUNE_FAILED;
  cr_assert_eq(failed, KILN_TUNE_MAX_POINTS - COUNT / 2);
  kiln_tune_record_free(&read);
  // Long values: as many as the text can have.
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < KILN_TUNE_MAX_PARAMETERS; k++)
      points[i].values[k] = INT64_MIN + i;
  static char names[KILN_TUNE_MAX_PARAMETERS][16];
  for (int k = 0; k < KILN_TUNE_MAX_PARAMETERS; k++) {
    snprintf(names[k], sizeof names[k], "P%d", k);
    record.parameters[k] = names[k];
  }
  record.parameter_count = KILN_TUNE_MAX_PARAMETERS;
  cr_assert_eq(kiln_tune_record_decode(encode(&record, &text), &read), NULL);
  cr_assert(text.size <= KILN_TUNE_MAX_TEXT && read.point_count > 700 && read.point_count < KILN_TUNE_MAX_POINTS,
            "%u points in %zu bytes", read.point_count, text.size);
  kiln_tune_record_free(&read);
  kiln_strbuf_free(&text);
}

Test(tune_record, wrong_texts) {
  static const char head[] = "tuning: 1\npoints: 1\nbest: A=1\n\nA\n";
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"", "it is empty"},
      {"tuning: 2\npoints: 1\n\n\n", "it has another format"},
      {"points: 1\n\nA\n", "its head is not whole"},
      {"tuning: 1\n\nA\n", "its head is not whole"},
      {"tuning: 1\npoints: 1\n", "its head is not whole"},
      {"tuning: 1\npoints: 1\n\n", "its points are missing"},
      {"tuning: 1\npoints: 1\nnothing\n\nA\n", "a line has no name"},
      {"tuning: 1\npoints: -1\n\nA\n", "a line cannot be read"},
      {"tuning: 1\npoints: 99999999999999999999\n\nA\n", "a line cannot be read"},
      {"tuning: 1\npoints: 1\nclass: M\n\nA\n", "a line cannot be read"},
      {"tuning: 1\npoints: 1\nclass: M=1 N=-2\n\nA\n", "a line cannot be read"},
      {"tuning: 1\npoints: 1\nbest_us: 1.5\n\nA\n", "a line cannot be read"},
      {"tuning: 1\npoints: 1\n\nA A\n", "a parameter is there twice"},
      {"tuning: 1\npoints: 1\n\nA?\n", "its parameters cannot be read"},
      {"tuning: 1\npoints: 1\n\na b c d e f g h i j k l m n o p q\n", "its parameters cannot be read"},
      {"tuning: 1\npoints: 1\n\nA\n1 1.000 1.000 ok", "its end is missing"},
      {"tuning: 1\npoints: 1\n\nA\n1 1.000 1.000\n", "a point cannot be read"},
      {"tuning: 1\npoints: 1\n\nA\n1 1.000 1.000 good\n", "a point cannot be read"},
      {"tuning: 1\npoints: 1\n\nA\n1 1.000 1.000 ok ok\n", "a point cannot be read"},
      {"tuning: 1\npoints: 1\n\nA\n9223372036854775808 1.000 1.000 ok\n", "a point cannot be read"},
      {"tuning: 1\npoints: 1\nbest: A=1\n\nA\n", "its best point is not its first"},
      {"tuning: 1\npoints: 1\nbest: A=1\n\nA\n2 1.000 1.000 ok\n", "its best point is not its first"},
      {"tuning: 1\npoints: 1\nbest: A=1\n\nA\n1 1.000 1.000 slow\n", "its best point is not its first"},
      {"tuning: 1\npoints: 1\nbest: B=1\n\nA\n1 1.000 1.000 ok\n", "its best point is not its first"},
  };
  struct kiln_tune_record read;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *problem = kiln_tune_record_decode(kiln_str(cases[i].text), &read);
    cr_assert(problem && strcmp(problem, cases[i].problem) == 0, "'%s': %s", cases[i].text,
              problem ? problem : "taken");
  }
  struct kiln_strbuf many = {0};
  kiln_strbuf_puts(&many, head);
  for (int i = 0; i <= KILN_TUNE_MAX_POINTS; i++)
    kiln_strbuf_puts(&many, "1 1.000 1.000 ok\n");
  const char *problem = kiln_tune_record_decode((struct kiln_str){many.data, many.size}, &read);
  cr_assert(problem && strcmp(problem, "it has too many points") == 0);
  many.data[3] = '\0';
  problem = kiln_tune_record_decode((struct kiln_str){many.data, 100}, &read);
  cr_assert(problem && strcmp(problem, "it is no text") == 0);
  kiln_strbuf_free(&many);
}

// ---- keys -----------------------------------------------------------------------------------------------------------

static const uint8_t size_class[16] = {9, 10};

static struct kiln_tune_key key_of(const char *source, const char *options, const char *kernel, const char *device) {
  struct kiln_key entry = {0};
  struct kiln_tune_key key;
  kiln_key_add_text(&entry, "backend", "cpu");
  kiln_key_add_text(&entry, "source", source);
  kiln_key_add_text(&entry, "options", options);
  cr_assert(
      kiln_tune_record_key((struct kiln_str){entry.record.data, entry.record.size}, kernel, device, size_class, &key));
  kiln_key_free(&entry);
  return key;
}

Test(tune_record, lines_about_tuning_are_no_part_of_the_key) {
  static const char plain[] = "kernel void f() {}\n#pragma unroll\n#line 7\n";
  static const char *const same[] = {
      "#pragma kernel tune(A = 1, 2)\nkernel void f() {}\n#pragma unroll\n#line 7\n",
      "kernel void f() {}\n#pragma unroll\n \t# \tpragma  kernel tune(A = 1, \\\n 2)\n#line 7\n",
      "#pragma kernel tune(A = 1, \\\r\n 2)\r\n#pragma kernel set(B = A)\n#line 1 \"k.cl\"\nkernel void f() "
      "{}\n#pragma "
      "unroll\n#line 7\n",
      "kernel void f() {}\n#pragma unroll\n#line 7\n#pragma kernel tune(A)",
  };
  static const char *const others[] = {
      "kernel void f() {}\n#pragma unroll\n",
      "kernel void f() {}\n#line 7\n",
      "#pragma kernels x\nkernel void f() {}\n#pragma unroll\n#line 7\n",
      "#pragma kernel tune(A = 1)\\\nkernel void f() {}\n#pragma unroll\n#line 7\n",
  };
  struct kiln_tune_key key = key_of(plain, "2:-g", "f", "one"), other;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    other = key_of(same[i], "2:-g", "f", "one");
    // The second one's #line follows a line that is gone.
    cr_assert((memcmp(&other, &key, sizeof key) == 0) == (i != 1), "source %zu", i);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    other = key_of(others[i], "2:-g", "f", "one");
    cr_assert(memcmp(&other, &key, sizeof key) != 0, "source %zu", i);
  }
}

Test(tune_record, what_is_part_of_the_key) {
  struct kiln_tune_key key = key_of("s", "o", "f", "one"), same = key_of("s", "o", "f", "one"),
                       others[] = {key_of("t", "o", "f", "one"), key_of("s", "p", "f", "one"),
                                   key_of("s", "o", "f", "two"), key_of("s", "o", "g", "one")};
  cr_assert(memcmp(&key, &same, sizeof key) == 0);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(memcmp(others[i].bytes, key.bytes, 4) == 0, i != 3, "%d: the kernel's name alone is in front", i);
    cr_assert(memcmp(others[i].bytes + 4, key.bytes + 4, 12) != 0, "%d", i);
    cr_assert(memcmp(others[i].bytes + 16, size_class, 16) == 0, "%d", i);
  }
}
