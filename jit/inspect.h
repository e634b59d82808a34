// Opening cache folders and bundles for tools, as the environment says.
#ifndef KILN_JIT_INSPECT_H
#define KILN_JIT_INSPECT_H

#include "cache/admin.h"
#include "kiln/kiln.h"

// Opens a folder or bundle; NULL: the folder of the environment. kiln_place_close.
enum kiln_status kiln_inspect_open(const char *path, bool read_only, struct kiln_place *out);
// The same for a folder that is to be changed.
enum kiln_status kiln_inspect_open_folder(const char *path, struct kiln_place *out);
// Writes a bundle of the entries and tuning records that are accepted, in place of what path names. Returns 0 or an
// errno value.
int kiln_inspect_write_bundle(struct kiln_place *place, bool (*accept)(void *user, const struct kiln_item *item),
                              void *user, const char *path, uint64_t *entries);
// The status and message of what that returned.
enum kiln_status kiln_inspect_bundle_error(int error, const char *path);

#endif
