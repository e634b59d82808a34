// Copies whole cache folders to a remote and back: kiln cache push and pull.
#ifndef KILN_CACHE_TRANSFER_H
#define KILN_CACHE_TRANSFER_H

#include "cache/admin.h"
#include "cache/remote.h"

struct kiln_transfer {
  uint64_t total, done;             // files
  uint64_t moved, present, refused; // of those done
  uint64_t bytes;                   // of those moved
  char reason[KILN_REMOTE_PROBLEM]; // why the last one was refused; ""
};
typedef bool kiln_transfer_fn(void *user, const struct kiln_transfer *so_far); // false: stop

// Sends what a folder or bundle has and one remote has not. With a signer entries are signed on the way. False with
// problem when the remote fails, or fn says stop (problem "" then).
bool kiln_place_push(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at, kiln_transfer_fn *fn,
                     void *user, struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]);
// Fetches what the remote has and the folder has not, into the folder's "imported" part; checked as a bundle is.
bool kiln_place_pull(struct kiln_place *place, struct kiln_remotes *remotes, uint32_t at, kiln_transfer_fn *fn,
                     void *user, struct kiln_transfer *out, char problem[KILN_REMOTE_PROBLEM]);

#endif
