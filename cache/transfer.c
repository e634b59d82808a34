#include "cache/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cache/bundle.h"
#include "cache/format.h"
#include "cache/sign.h"
#include "cache/tune.h"

// FETCHED is small, for it is not known how large the values are. A list of more than MAX_NAMES is refused.
enum { BATCH = 32, FETCHED = 8, MAX_NAMES = 1 << 20, PATIENCE_READS = 6 };
static const uint64_t batch_bytes = 8u << 20;

static bool fail(char problem[KILN_REMOTE_PROBLEM], const char *what) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "%s", what);
  return false;
}

static bool tell(kiln_transfer_fn *fn, void *user, const struct kiln_transfer *so_far,
                 char problem[KILN_REMOTE_PROBLEM]) {
  return !fn || fn(user, so_far) || fail(problem, "");
}

// ---- names ----------------------------------------------------------------------------------------------------------

struct names {
  char (*items)[KILN_REMOTE_NAME];
  size_t count, capacity;
  bool failed, too_many;
};

static bool add_name(void *user, const char *name) {
  struct names *names = user;
  // Entries and tuning records: manifests are made anew from what entries say of themselves.
  if (strspn(name, "0123456789abcdef") != 32 || (strcmp(name + 32, ".kiln") != 0 && strcmp(name + 32, ".tune") != 0))
    return true;
  names->too_many |= names->count == MAX_NAMES;
  if (names->too_many)
    return false;
  if (names->count == names->capacity) {
    size_t capacity = names->capacity ? names->capacity * 2 : 256;
    void *items = realloc(names->items, capacity * sizeof *names->items);
    names->failed |= !items;
    if (!items)
      return false;
    names->items = items;
    names->capacity = capacity;
  }
  strcpy(names->items[names->count++], name);
  return true;
}

// Asks the remote for the names of its entries.
static bool list_names(struct kiln_remotes *remotes, uint32_t at, struct names *names,
                       char problem[KILN_REMOTE_PROBLEM]) {
  if (!kiln_remotes_list(remotes, at, add_name, names, problem))
    return false;
  return names->failed     ? fail(problem, "memory is exhausted")
         : names->too_many ? fail(problem, "its list does not end: it has more than a million entries")
                           : true;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

// In order, each once: a list may name something twice.
static void sort_names(struct names *names) {
  size_t unique = 0;
  if (names->count != 0)
    qsort(names->items, names->count, sizeof *names->items, by_name);
  for (size_t i = 0; i < names->count; i++)
    if (unique == 0 || strcmp(names->items[unique - 1], names->items[i]) != 0)
      memmove(names->items[unique++], names->items[i], KILN_REMOTE_NAME);
  names->count = unique;
}

// ---- push -----------------------------------------------------------------------------------------------------------

struct piece {
  struct kiln_store *store;
  struct kiln_stored file;
};
struct pieces {
  struct kiln_store *store; // that is being walked
  struct piece *items;
  size_t count, capacity;
  bool failed;
};

static bool add_piece(void *user, const struct kiln_stored *file) {
  struct pieces *pieces = user;
  if (pieces->count == pieces->capacity) {
    size_t capacity = pieces->capacity ? pieces->capacity * 2 : 256;
    struct piece *items = realloc(pieces->items, capacity * sizeof *items);
    pieces->failed = !items;
    if (!items)
      return false;
    pieces->items = items;
    pieces->capacity = capacity;
  }
  pieces->items[pieces->count++] = (struct piece){pieces->store, *file};
  return true;
}

static void name_piece(const struct piece *piece, struct kiln_remote_item *out) {
  char hex[33];
  kiln_hash128_hex(piece->file.id.key, hex);
  snprintf(out->name, sizeof out->name, "%s.%s", hex, kiln_suffixes[piece->file.id.suffix]);
}

// Reads a file as it is to be sent. theirs: the remote's value of that name, of a manifest or a tuning record. What is
// wrong, or NULL. out->data NULL: they have one that is as good.
static const char *load(const struct kiln_place *place, const struct piece *piece,
                        const struct kiln_remote_item *theirs, struct kiln_remote_item *out) {
  struct kiln_image_file file;
  struct kiln_file_view view;
  const char *reason = NULL;
  if (kiln_store_read(piece->store, piece->file.id.key, piece->file.id.suffix, &file, &reason) != KILN_READ_OK)
    return reason ? reason : "it cannot be read";
  enum kiln_store_suffix suffix = piece->file.id.suffix;
  bool manifest = suffix == KILN_SUFFIX_MANIFEST, made = false;
  const char *defect = kiln_file_decode(file.data, file.size, kiln_kind_of(suffix), &view);
  char *data = NULL;
  size_t size = 0;
  if (!defect && manifest) {
    struct kiln_str old = {theirs->data, theirs->found ? theirs->size : 0}; // what it has and ours has not is kept
    made = kiln_manifest_encode(view.sections[KILN_SECTION_KEY], view.sections[KILN_FILE_SETS], old, &data, &size);
    defect = made ? NULL : "memory is exhausted";
  } else if (!defect && place->signer && kiln_signer_check(place->signer, file.data, file.size)) {
    made = kiln_signer_seal(place->signer, (struct kiln_str){file.data, file.size}, &data, &size);
    defect = made ? NULL : "it is not signed, and COMPILE_CACHE_KEY has no secret to sign it with";
  }
  if (!defect && (made ? size : file.size) > KILN_REMOTE_MAX_VALUE)
    defect = "it is larger than 64 MiB";
  if (defect) {
    free(data);
    free(file.data);
    return defect;
  }
  out->data = made ? data : file.data;
  out->size = made ? size : file.size;
  if (made)
    free(file.data);
  struct kiln_str ours = {out->data, out->size};
  bool same = manifest && theirs->found && kiln_str_eq(ours, (struct kiln_str){theirs->data, theirs->size});
  if (same || (suffix == KILN_SUFFIX_TUNING && kiln_remote_keeps(theirs, ours, place->signer))) {
    free(out->data);
    out->data = NULL;
  }
  return NULL;
}

static bool push_batch(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at, struct piece *pieces,
                       uint32_t count, struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote_item there[BATCH] = {0}, theirs[BATCH] = {0}, send[BATCH] = {0};
  struct kiln_file_view view;
  uint32_t asked = 0, sends = 0, of[BATCH];
  for (uint32_t i = 0; i < count; i++) {
    name_piece(&pieces[i], &there[i]);
    if (pieces[i].file.id.suffix != KILN_SUFFIX_ENTRY) {
      of[i] = asked;
      theirs[asked++] = there[i];
    }
  }
  bool ok = kiln_remotes_call(remotes, at, KILN_REMOTE_EXISTS, there, count, problem) &&
            (asked == 0 || kiln_remotes_call(remotes, at, KILN_REMOTE_GET, theirs, asked, problem));
  for (uint32_t i = 0; i < count && ok; i++) {
    bool entry = pieces[i].file.id.suffix == KILN_SUFFIX_ENTRY;
    memcpy(send[sends].name, there[i].name, sizeof there[i].name);
    if (entry && there[i].found) {
      out->present++;
      continue;
    }
    const char *defect = load(place, &pieces[i], entry ? NULL : &theirs[of[i]], &send[sends]);
    if (defect) {
      out->refused++;
      snprintf(out->reason, sizeof out->reason, "%.47s: %.180s", there[i].name, defect);
    }
    out->present += !defect && !send[sends].data;
    sends += !defect && send[sends].data;
  }
  ok = ok && (sends == 0 || kiln_remotes_call(remotes, at, KILN_REMOTE_PUT, send, sends, problem));
  for (uint32_t i = 0; i < sends; i++) {
    if (ok && !send[i].found) {
      out->refused++;
      snprintf(out->reason, sizeof out->reason, "%.47s: %.180s", send[i].name, problem);
    } else if (ok) {
      out->moved++;
      out->bytes += send[i].size;
      ok = kiln_file_decode(send[i].data, send[i].size, KILN_FILE_ENTRY, &view) ||
           kiln_remotes_announce(remotes, at, view.sections[KILN_SECTION_KEY], problem);
    }
    free(send[i].data);
  }
  for (uint32_t i = 0; i < asked; i++)
    free(theirs[i].data);
  out->done += ok ? count : 0;
  return ok;
}

// Where the protocol has no lists, a value keeps the names. Two who push at once may lose names, never values.
static bool push_index(struct kiln_remotes *remotes, uint32_t at, const struct pieces *pieces,
                       char problem[KILN_REMOTE_PROBLEM]) {
  struct names names = {0};
  struct kiln_strbuf text = {0};
  struct kiln_remote_item item;
  bool ok = list_names(remotes, at, &names, problem);
  for (size_t i = 0; i < pieces->count && ok; i++) {
    name_piece(&pieces->items[i], &item);
    (void)add_name(&names, item.name);
  }
  sort_names(&names);
  for (size_t i = 0; i < names.count; i++)
    kiln_strbuf_printf(&text, "%s\n", names.items[i]);
  ok = ok && ((!names.failed && !names.too_many && !text.failed) || fail(problem, "memory is exhausted"));
  item = (struct kiln_remote_item){.name = "index", .data = text.data, .size = text.size};
  ok = ok && kiln_remotes_call(remotes, at, KILN_REMOTE_PUT, &item, 1, problem) && item.found;
  kiln_strbuf_free(&text);
  free(names.items);
  return ok;
}

bool kiln_place_push(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at, kiln_transfer_fn *fn,
                     void *user, struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]) {
  struct pieces pieces = {0};
  *out = (struct kiln_transfer){0};
  for (uint32_t i = 0; i < place->count && !pieces.failed; i++) {
    pieces.store = &place->stores[i];
    kiln_store_walk(pieces.store, add_piece, &pieces);
  }
  out->total = pieces.count;
  bool ok = !pieces.failed || fail(problem, "memory is exhausted");
  for (size_t first = 0, count; first < pieces.count && ok; first += count) {
    uint64_t bytes = 0;
    for (count = 0; count < BATCH && first + count < pieces.count && bytes < batch_bytes; count++)
      bytes += pieces.items[first + count].file.size;
    ok = push_batch(place, remotes, at, pieces.items + first, (uint32_t)count, out, problem) &&
         tell(fn, user, out, problem);
  }
  if (ok && pieces.count != 0 && !kiln_remotes_has_list(remotes, at))
    ok = push_index(remotes, at, &pieces, problem);
  free(pieces.items);
  return ok;
}

// ---- pull -----------------------------------------------------------------------------------------------------------

// Of tuning records the one with more points stays: they are fetched and compared.
static bool is_here(const struct kiln_place *place, const char *name) {
  char path[4096];
  bool here = false;
  if (strcmp(name + 32, ".tune") == 0)
    return false;
  for (uint32_t i = 0; i < place->count && !here; i++) {
    here = snprintf(path, sizeof path, "%s/%.2s/%s", place->stores[i].path, name, name + 2) < (int)sizeof path &&
           access(path, F_OK) == 0;
  }
  return here;
}

// Goes the way of a bundle, so that all checks are those of an import.
static bool import(struct kiln_place *place, const struct kiln_remote_item *items, uint32_t count,
                   struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_bundle_builder builder = {.fd = -1};
  struct kiln_import_result result = {0};
  struct kiln_bundle *bundle = NULL;
  char *data = NULL;
  size_t size;
  for (uint32_t i = 0; i < count; i++) {
    const char *defect =
        items[i].found ? kiln_bundle_add(&builder, (struct kiln_str){items[i].data, items[i].size}) : NULL;
    if (defect) {
      out->refused++;
      snprintf(out->reason, sizeof out->reason, "%.47s: %.180s", items[i].name, defect);
    }
  }
  bool ok = kiln_bundle_finish(&builder, &data, &size) == 0 && !kiln_bundle_open_memory(data, size, false, &bundle);
  if (!ok)
    fail(problem, "memory is exhausted");
  else if (kiln_place_import(place, bundle, &result) != 0)
    ok = fail(problem, "the cache folder cannot be written");
  kiln_bundle_close(bundle);
  free(data);
  kiln_bundle_builder_free(&builder);
  out->moved += result.added;
  out->present += result.present;
  out->refused += result.refused;
  if (result.defect)
    snprintf(out->reason, sizeof out->reason, "%s", result.defect);
  return ok;
}

static bool pull_batch(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at,
                       char (*names)[KILN_REMOTE_NAME], uint32_t count, struct kiln_transfer *out,
                       char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_remote_item items[BATCH] = {0};
  uint32_t wanted = 0;
  for (uint32_t i = 0; i < count; i++)
    if (is_here(place, names[i]))
      out->present++;
    else
      memcpy(items[wanted++].name, names[i], KILN_REMOTE_NAME);
  bool ok = wanted == 0 || (kiln_remotes_call(remotes, at, KILN_REMOTE_GET, items, wanted, problem) &&
                            import(place, items, wanted, out, problem));
  for (uint32_t i = 0; i < wanted; i++) {
    out->bytes += items[i].found ? items[i].size : 0;
    free(items[i].data);
  }
  out->done += ok ? count : 0;
  return ok;
}

bool kiln_place_pull(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at, kiln_transfer_fn *fn,
                     void *user, struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]) {
  struct names names = {0};
  *out = (struct kiln_transfer){0};
  bool ok = list_names(remotes, at, &names, problem);
  sort_names(&names);
  out->total = names.count;
  // A server that only promises entries, or has none that can be used, is not listened to for ever.
  uint64_t patience = PATIENCE_READS * (uint64_t)1000000 * kiln_remotes_place(remotes, at)->read_ms;
  uint64_t useful = 0, last = kiln_now_ns();
  for (size_t first = 0, count; first < names.count && ok; first += count) {
    count = names.count - first < FETCHED ? names.count - first : FETCHED;
    ok = pull_batch(place, remotes, at, names.items + first, (uint32_t)count, out, problem) &&
         tell(fn, user, out, problem);
    if (out->moved + out->present != useful) {
      useful = out->moved + out->present;
      last = kiln_now_ns();
    } else if (ok && kiln_now_ns() - last > patience) {
      ok = fail(problem, "it takes too long: it lists entries and sends none that can be used");
    }
  }
  free(names.items);
  return ok;
}
