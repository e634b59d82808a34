// Device code on entries: the section, damaged or not; entries with more of it, in memory and on disk.
#include "cache_test.h"

static struct kiln_device_piece piece_of(const char *identity, const char *code) {
  return (struct kiln_device_piece){identity, test_str(code)};
}

static struct kiln_str view(const struct kiln_strbuf *buf) { return (struct kiln_str){buf->data, buf->size}; }

// A section that is cut, or has another byte anywhere, gives whole pieces or none.
Test(cache_device, damaged_sections) {
  struct kiln_strbuf section = {0};
  struct kiln_device_piece pieces[] = {piece_of("sm_80, ptxas 12.9.86", "some code"), piece_of("a", ""),
                                       piece_of("sm_80, driver 550.54", "sixteen bytes, 16")};
  for (int i = 0; i < 3; i++)
    kiln_device_piece_put(&section, &pieces[i]);
  cr_assert_eq(section.size % 16, 0);
  size_t cursor = 0;
  struct kiln_device_piece piece;
  for (int i = 0; i < 3; i++) {
    cr_assert(kiln_device_piece_next(view(&section), &cursor, &piece));
    cr_assert_str_eq(piece.identity, pieces[i].identity);
    cr_assert(kiln_str_eq(piece.code, pieces[i].code));
  }
  cr_assert_not(kiln_device_piece_next(view(&section), &cursor, &piece));
  cr_assert(kiln_device_piece_find(view(&section), "sm_80, driver 550.54", &piece));
  cr_assert_not(kiln_device_piece_find(view(&section), "sm_80", &piece));
  for (size_t at = 0; at < 2 * section.size; at++) {
    size_t size = at < section.size ? at : section.size;
    char *copy = malloc(size + 1); // so that a sanitizer sees a read past its end
    memcpy(copy, section.data, size);
    if (at >= section.size)
      copy[at - section.size] ^= 0x80;
    struct kiln_str cut = {copy, size};
    for (cursor = 0; kiln_device_piece_next(cut, &cursor, &piece);) {
      cr_assert_leq(cursor, size);
      cr_assert(strlen(piece.identity) < KILN_MAX_IDENTITY && piece.code.data + piece.code.size <= copy + size);
    }
    free(copy);
  }
  kiln_strbuf_free(&section);
}

static struct kiln_cache_entry *find(struct kiln_cache *cache, struct kiln_cache_flight **flight) {
  struct kiln_key key = {0};
  struct kiln_cache_entry *entry = NULL;
  *flight = NULL;
  kiln_key_add_text(&key, "source", "k");
  struct kiln_cache_request request = {.key = &key, .toolchain = &test_toolchain};
  kiln_cache_find(cache, &request, &entry, flight);
  kiln_key_free(&key);
  return entry;
}

static struct kiln_cache_entry *add(struct kiln_cache *cache, const struct kiln_cache_entry *entry,
                                    struct kiln_device_piece piece) {
  struct kiln_strbuf section = {0};
  kiln_device_piece_put(&section, &piece);
  struct kiln_cache_entry *with = kiln_cache_add_device_pieces(cache, entry, view(&section));
  cr_assert(with);
  cr_assert(kiln_str_eq(with->artifact, entry->artifact));
  kiln_strbuf_free(&section);
  return with;
}

// Two caches have the entry as it was first; each adds to it, and neither takes the other's away.
Test(cache_device, two_add_to_one_entry, .init = test_setup, .fini = test_teardown) {
  struct kiln_cache *one = test_open(), *two = test_open(), *three;
  struct kiln_cache_flight *flight;
  struct kiln_cache_entry *first, *second, *with;
  struct kiln_device_piece piece;
  cr_assert_null(find(one, &flight));
  struct kiln_cache_product product = {.artifact = test_str("artifact")};
  product.sections[KILN_SECTION_REFLECTION] = test_str("reflection");
  cr_assert(kiln_cache_publish(flight, &product, &first));
  second = find(two, &flight);
  cr_assert(second);
  kiln_cache_entry_release(add(one, first, piece_of("a", "code of a")));
  kiln_cache_entry_release(add(two, second, piece_of("b", "code of b")));
  kiln_cache_entry_release(add(two, second, piece_of("b", "better code of b")));
  with = find(two, &flight); // in memory
  cr_assert(kiln_device_piece_find(with->sections[KILN_SECTION_DEVICE], "b", &piece));
  cr_assert(kiln_str_eq(piece.code, test_str("better code of b")));
  kiln_cache_entry_release(with);
  three = test_open();
  with = find(three, &flight); // on disk
  cr_assert(with);
  cr_assert(kiln_device_piece_find(with->sections[KILN_SECTION_DEVICE], "a", &piece));
  cr_assert(kiln_device_piece_find(with->sections[KILN_SECTION_DEVICE], "b", &piece));
  cr_assert(kiln_str_eq(piece.code, test_str("better code of b")));
  cr_assert_eq((uintptr_t)piece.code.data % 16, 0);
  kiln_cache_entry_release(with);
  kiln_cache_entry_release(first);
  kiln_cache_entry_release(second);
  kiln_cache_close(one);
  kiln_cache_close(two);
  kiln_cache_close(three);
}
