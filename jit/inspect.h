// Opening cache folders and bundles for tools, as the environment says.
#ifndef KILN_JIT_INSPECT_H
#define KILN_JIT_INSPECT_H

#include "cache/admin.h"
#include "kiln/kiln.h"

// Opens a folder or bundle; NULL: the folder of the environment. kiln_place_close.
enum kiln_status kiln_inspect_open(const char *path, bool read_only, struct kiln_place *out);
// The same for a folder that is to be changed.
enum kiln_status kiln_inspect_open_folder(const char *path, struct kiln_place *out);

#endif
