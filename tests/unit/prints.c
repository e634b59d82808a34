// The buffer of GPU kernels that print or fail, as a driver reads it back.
#include "backends/common/prints.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Two places: "%d and %d\n" of two i32, and a check's text.
struct places {
  uint32_t magic, count;
  uint32_t first[2], first_types[2];
  char first_format[12];
  uint32_t second[2];
  char second_format[8];
};

struct device {
  struct kiln_prints_head head;
  unsigned char records[256];
  uint64_t fails_from; // reading fails at this offset and after it; 0: nowhere
  char printed[256], logged[256];
};

static struct places places(void) {
  return (struct places){.magic = KILN_PRINTS_MAGIC,
                         .count = 2,
                         .first = {2, 11},
                         .first_types = {kiln_scalar_type(KILN_I32), kiln_scalar_type(KILN_I32)},
                         .first_format = "%d and %d\n",
                         .second = {0, 8},
                         .second_format = "too far"};
}

static void print(void *user, const char *text, size_t size) {
  struct device *d = user;
  strncat(d->printed, text, size);
}

static void take_log(void *user, enum kiln_log_level level, const char *text) {
  struct device *d = user;
  (void)level;
  strncat(d->logged, text, sizeof d->logged - 1);
}

static bool read_device(void *user, uint64_t offset, void *to, size_t size) {
  struct device *d = user;
  if (d->fails_from && offset >= d->fails_from)
    return false;
  unsigned char all[KILN_PRINTS_HEAD + sizeof d->records];
  memcpy(all, &d->head, KILN_PRINTS_HEAD);
  memcpy(all + KILN_PRINTS_HEAD, d->records, sizeof d->records);
  size_t there = offset < sizeof all ? sizeof all - offset : 0;
  memset(to, 0, size);
  memcpy(to, all + offset, size < there ? size : there);
  return true;
}

static void add_record(struct device *d, uint32_t bytes, uint32_t place, uint32_t x, uint32_t y) {
  uint32_t record[6] = {bytes, place, x, 0, y, 0};
  cr_assert_leq(d->head.asked + sizeof record, sizeof d->records);
  memcpy(d->records + d->head.asked, record, sizeof record);
  d->head.asked += sizeof record;
}

// Reads the buffer by so many bytes of these places.
static bool end(struct device *d, const void *data, size_t size, char message[512]) {
  struct kiln_driver_config config = {.print = print, .print_user = d, .log = take_log, .log_user = d};
  struct kiln_prints prints = {
      .config = &config, .places = data, .places_size = size, .kernel = "k", .read = read_device, .user = d};
  struct kiln_report *report = kiln_report_new();
  bool failed = true;
  message[0] = 0;
  enum kiln_status status = kiln_prints_end(&prints, &failed, message, 512, report);
  cr_expect_eq(status, KILN_OK, "%s", kiln_report_text(report));
  kiln_report_delete(report);
  return failed;
}

Test(prints, records_are_formatted_in_their_order) {
  struct device d = {.head = kiln_prints_begin()};
  struct places p = places();
  char message[512];
  add_record(&d, 24, 0, 1, 2);
  add_record(&d, 24, 0, 3, 4);
  cr_expect_not(end(&d, &p, sizeof p, message));
  cr_expect_str_eq(d.printed, "1 and 2\n3 and 4\n");
  cr_expect_str_eq(d.logged, "");
}

Test(prints, a_kernel_that_failed_says_why) {
  struct device d = {.head = kiln_prints_begin()};
  struct places p = places();
  char message[512];
  d.head.failed = 2;
  cr_expect(end(&d, &p, sizeof p, message));
  cr_expect_str_eq(message, "kernel 'k' failed: too far");
  d.head.failed = 3; // no place
  cr_expect_not(end(&d, &p, sizeof p, message));
}

Test(prints, a_full_buffer_is_logged) {
  struct device d = {.head = kiln_prints_begin()};
  struct places p = places();
  char message[512];
  add_record(&d, 24, 0, 1, 2);
  d.head.asked = KILN_PRINTS_BYTES + 24;
  end(&d, &p, sizeof p, message);
  cr_expect_str_eq(d.printed, "1 and 2\n");
  cr_expect(strstr(d.logged, "text was lost"), "%s", d.logged);
}

Test(prints, a_device_that_cannot_be_read_prints_nothing) {
  struct device d = {.head = kiln_prints_begin(), .fails_from = KILN_PRINTS_HEAD};
  struct places p = places();
  char message[512];
  add_record(&d, 24, 0, 1, 2);
  cr_expect_not(end(&d, &p, sizeof p, message));
  cr_expect_str_eq(d.printed, "");
}

// Records of another length, of a place that is missing, or without room for their arguments end the text.
Test(prints, damaged_records) {
  static const struct {
    uint32_t bytes, place;
  } wrong[] = {{0, 0}, {7, 0}, {16, 0}, {48, 0}, {UINT32_MAX, 0}, {24, 2}, {24, UINT32_MAX}};
  struct places p = places();
  unsigned ran = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++, ran++) {
    struct device d = {.head = kiln_prints_begin()};
    char message[512];
    add_record(&d, 24, 0, 1, 2);
    add_record(&d, wrong[i].bytes, wrong[i].place, 3, 4);
    end(&d, &p, sizeof p, message);
    cr_expect_str_eq(d.printed, "1 and 2\n", "%zu: %s", i, d.printed);
  }
  cr_assert_eq(ran, 7);
}

// The places cut off after every byte: what is whole is read.
Test(prints, damaged_places) {
  struct places p = places();
  size_t whole = offsetof(struct places, second);
  for (size_t size = 0; size <= sizeof p; size++) {
    struct device d = {.head = kiln_prints_begin()};
    char message[512], *copy = malloc(size ? size : 1); // so that a sanitizer sees reads behind the end
    memcpy(copy, &p, size);
    add_record(&d, 24, 0, 1, 2);
    d.head.failed = 2;
    cr_expect_eq(end(&d, copy, size, message), size == sizeof p, "%zu bytes", size);
    cr_expect_str_eq(d.printed, size >= whole ? "1 and 2\n" : "", "%zu bytes: %s", size, d.printed);
    free(copy);
  }
}
