// Removing what a Kiln with a known fault has made: entries of versions older than one.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "jit/inspect.h"
#include "jit/report.h"

enum { PARTS = 4 };

// Reads "0.10.3"; what follows the numbers, as in "1.0-rc2", does not count. False when no number begins it.
static bool read_version(struct kiln_str text, uint32_t out[PARTS]) {
  size_t at = 0;
  memset(out, 0, PARTS * sizeof *out);
  for (int part = 0; part < PARTS; part++) {
    size_t first = at;
    for (; at < text.size && text.data[at] >= '0' && text.data[at] <= '9'; at++)
      out[part] = out[part] < 100000000 ? out[part] * 10 + (uint32_t)(text.data[at] - '0') : out[part];
    if (at == first)
      return part != 0;
    if (at == text.size || text.data[at] != '.')
      return true;
    at++;
  }
  return true;
}

struct pruning {
  uint32_t version[PARTS];
  uint64_t removed, bytes;
};

// A tuning record holds no code.
static bool is_older(const struct pruning *p, const struct kiln_item *item) {
  uint32_t version[PARTS];
  if (item->file.id.suffix == KILN_SUFFIX_TUNING)
    return false;
  if (!read_version(kiln_made_value(item->made, "kiln"), version))
    return true; // of a Kiln that did not say yet
  for (int i = 0; i < PARTS; i++)
    if (version[i] != p->version[i])
      return version[i] < p->version[i];
  return false;
}

static bool remove_older(void *user, const struct kiln_item *item) {
  struct pruning *p = user;
  if (!item->defect && is_older(p, item) && kiln_store_remove(item->store, item->file.id)) {
    p->removed++;
    p->bytes += item->file.size;
  }
  return true;
}

// Of a bundle: whether it stays.
static bool keep_newer(void *user, const struct kiln_item *item) {
  struct pruning *p = user;
  bool older = is_older(p, item);
  p->removed += older;
  p->bytes += older ? item->file.size : 0;
  return !older;
}

static bool find_older(void *user, const struct kiln_item *item) {
  (void)keep_newer(user, item);
  return true;
}

static enum kiln_status prune_bundle(struct kiln_place *place, struct pruning *p) {
  const char *path = place->stores[0].path;
  struct pruning found = *p;
  kiln_place_visit(place, KILN_VISIT_ENTRIES, false, find_older, &found);
  if (found.removed == 0)
    return KILN_OK; // it stays as it is
  int error = kiln_inspect_write_bundle(place, keep_newer, p, path, NULL);
  if (error)
    p->removed = p->bytes = 0; // the old bundle is still there
  return kiln_inspect_bundle_error(error, path);
}

enum kiln_status kiln_cache_prune_versions(const char *place_path, const char *version, uint64_t *removed,
                                           uint64_t *removed_bytes) {
  struct pruning p = {.removed = 0};
  if (!version || !read_version(kiln_str(version), p.version))
    return kiln_error(KILN_ERR_INVALID, "'%s' is no version; write numbers and dots, such as 0.2",
                      version ? version : "");
  struct kiln_place place;
  enum kiln_status status = kiln_inspect_open(place_path, false, &place);
  if (status != KILN_OK)
    return status;
  if (place.stores[0].bundle)
    status = prune_bundle(&place, &p);
  else
    kiln_place_visit(&place, KILN_VISIT_ENTRIES, false, remove_older, &p);
  kiln_place_close(&place);
  if (removed)
    *removed = p.removed;
  if (removed_bytes)
    *removed_bytes = p.bytes;
  return status;
}
