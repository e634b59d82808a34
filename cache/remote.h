// The remote tier: programs that other machines have compiled, on a server that keeps values under names. docs/fleet.md
// describes it for operators.
//
// The protocols are spoken by modules (cache/remote/, one shared object each) that are loaded when a cache first asks a
// remote. A module answers for one connection, used by one thread at a time. What it returns is not trusted: the
// caller decodes it and checks its signature (cache/sign.h).
#ifndef KILN_CACHE_REMOTE_H
#define KILN_CACHE_REMOTE_H

#include "cache/cache.h"

// ---- modules --------------------------------------------------------------------------------------------------------

#define KILN_REMOTE_ABI 2
#define KILN_REMOTE_SYMBOL "kiln_remote_module" // of type kiln_remote_entry

enum { KILN_REMOTE_NAME = 48, KILN_REMOTE_SETS = 16, KILN_REMOTE_MAX_VALUE = 64 << 20, KILN_REMOTE_TOOLCHAINS = 4 };

// A value on the server: "HEX.kiln" (entry), "HEX.inc" (manifest), "HEX.tune" (tuning record), "HEX.tools" (toolchains
// of a target).
struct kiln_remote_item {
  char name[KILN_REMOTE_NAME];
  char *data; // malloc'ed, from get
  size_t size;
  bool found; // by get, exists; for put: it was stored
};

// Where a remote is and how to speak to it: an element of COMPILE_CACHE_REMOTE. Strings are never NULL.
struct kiln_remote_place {
  char *url;                       // without user and password, for messages
  char *scheme, *host, *port;      // of unix: the path of the socket is host
  char *path;                      // of HTTP: with its '/'; of Redis: the number of the database or ""
  char *user, *password;           // from the URL or files
  char *prefix;                    // of names
  char *header;                    // HTTP: one more line, such as "Authorization: Bearer …"
  char *ca, *certificate, *secret; // files for TLS: who is trusted; who we are
  char *layout;                    // HTTP: "" or "bazel"
  bool tls, read_only, without_signatures;
  uint32_t connect_ms, read_ms; // limits of one connection, of one exchange
  uint32_t lease_ms;            // how long one node may compile while others wait; 0: they do not wait
  uint32_t expire_s;            // Redis: how long values are kept; 0: the server decides
};

enum { KILN_REMOTE_PROBLEM = 256 };
struct kiln_remote_lease {
  char name[KILN_REMOTE_NAME], token[40];
  bool taken; // it is ours
  bool busy;  // somebody else has it; neither: the server gives none
};

// Takes a name that a server listed. False: there is enough.
typedef bool kiln_remote_name_fn(void *user, const char *name);

// Calls return false when the server did not answer as it should, within the limits; problem then says why. The
// connection is made when it is first needed, and made anew after a failure.
struct kiln_remote_module {
  uint32_t abi, struct_size;
  const char *version;
  // NULL with problem: the place cannot be used at all.
  void *(*open)(const struct kiln_remote_place *place, char problem[KILN_REMOTE_PROBLEM]);
  void (*close)(void *link);
  // Each in one round trip, where the protocol can.
  bool (*get)(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]);
  bool (*exists)(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]);
  bool (*put)(void *link, struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]);
  // Takes the lease unless somebody has it, then gets the items. NULL: there are no leases.
  bool (*lease)(void *link, struct kiln_remote_lease *lease, struct kiln_remote_item *items, uint32_t count,
                char problem[KILN_REMOTE_PROBLEM]);
  // Ends a lease if it is still ours.
  bool (*release)(void *link, const struct kiln_remote_lease *lease, char problem[KILN_REMOTE_PROBLEM]);
  // Calls fn with the name of every value, some perhaps twice, until fn returns false. NULL: the protocol cannot.
  bool (*list)(void *link, kiln_remote_name_fn *fn, void *user, char problem[KILN_REMOTE_PROBLEM]);
};
typedef const struct kiln_remote_module *kiln_remote_entry(void);

// ---- the remotes of a cache -----------------------------------------------------------------------------------------

struct kiln_store;
struct kiln_signer;
struct kiln_remotes;

struct kiln_remote_counters {
#define KILN_REMOTE_COUNTER(name, metric, help) uint64_t name;
#include "cache/remote_counters.def"
};

struct kiln_remotes_config {
  const char *places;         // COMPILE_CACHE_REMOTE
  struct kiln_signer *signer; // NULL: entries are not signed
  struct kiln_store *state;   // folder that keeps what processes share: who is down, counters; NULL: none
  bool read_only;
  bool patient; // for tools: limits are ten seconds, and a remote that failed is asked again
  kiln_cache_log_fn *log;
  void *log_user;
};
// NULL with problem when the list of places is wrong.
struct kiln_remotes *kiln_remotes_open(const struct kiln_remotes_config *config, char problem[KILN_REMOTE_PROBLEM]);
// Waits for uploads, a second at most; adds the counters to the folder's.
void kiln_remotes_close(struct kiln_remotes *remotes);
// Waits until what was posted has been sent, or given up.
void kiln_remotes_flush(struct kiln_remotes *remotes);
void kiln_remotes_counters(struct kiln_remotes *remotes, struct kiln_remote_counters *out);
// Appends what is wrong with each remote that is not asked now: "remote URL: …; remote URL: …".
void kiln_remotes_problems(struct kiln_remotes *remotes, struct kiln_strbuf *out);
// What all processes have added to a folder's counters.
void kiln_remote_totals(struct kiln_store *state, struct kiln_remote_counters *out);

// A lease in hand.
struct kiln_remote_hold {
  struct kiln_remote *remote; // NULL: none
  struct kiln_remote_lease lease;
};

// One look-up. A value is only what somebody wrote there: check decides whether it is what was looked for and takes it
// over then (returns NULL), or says why it is refused; with a signer its signature is checked, too. fetch reads a
// manifest and gives the keys of the entries to ask for next.
struct kiln_remote_lookup {
  struct kiln_hash128 key; // of the entry without includes, and of the manifest
  const char *(*check)(void *user, struct kiln_remote_item *item, struct kiln_signer *signer);
  uint32_t (*fetch)(void *user, const struct kiln_remote_item *manifest, struct kiln_hash128 keys[KILN_REMOTE_SETS]);
  void *user;
  bool with_lease;    // take the lease, or wait for who has it
  uint64_t deadline;  // of that, at the latest
  const char *place;  // receives where it was found
  const char *reason; // receives why a value that was there was refused; NULL: none was
  bool found;
  uint32_t listed; // of this module's
};
// Asks the remotes in order. Whether it was found. If not and with_lease, *hold may be ours: it is ended by
// kiln_remotes_post or _release.
bool kiln_remotes_find(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookup, struct kiln_remote_hold *hold);
void kiln_remotes_release(struct kiln_remotes *remotes, struct kiln_remote_hold *hold);
// Asks the remotes in order for a tuning record: lookup->key is that of its file; of the calls, check alone is made.
bool kiln_remotes_find_tuning(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookup);
// Many look-ups in few exchanges, without leases; each says whether it was found.
void kiln_remotes_find_many(struct kiln_remotes *remotes, struct kiln_remote_lookup *lookups, uint32_t count);

// With which toolchains others have compiled for a target (XXH3 of its label), the latest first; remembered for a
// minute. Returns how many.
uint32_t kiln_remotes_toolchains(struct kiln_remotes *remotes, struct kiln_hash128 label,
                                 struct kiln_hash128 out[KILN_REMOTE_TOOLCHAINS]);

// Sends an entry to every remote that can be written, in the background; then ends the lease. head, fields: as in the
// key record; with fields the manifest is brought up to date. entry is retained.
void kiln_remotes_post(struct kiln_remotes *remotes, struct kiln_cache_entry *entry, struct kiln_str head,
                       struct kiln_str fields, const struct kiln_remote_hold *hold);
// The same for a tuning record, whose file has this key. A remote that has one with as many points keeps it.
void kiln_remotes_post_tuning(struct kiln_remotes *remotes, struct kiln_cache_entry *entry, struct kiln_hash128 key);
// Whether a remote's value is a good tuning record, signed where that is asked for, and at least as good as image, a
// file of the same key.
bool kiln_remote_keeps(const struct kiln_remote_item *theirs, struct kiln_str image, struct kiln_signer *signer);

// ---- for tools ------------------------------------------------------------------------------------------------------

uint32_t kiln_remotes_count(const struct kiln_remotes *remotes);
const struct kiln_remote_place *kiln_remotes_place(const struct kiln_remotes *remotes, uint32_t at);
enum kiln_remote_call { KILN_REMOTE_GET, KILN_REMOTE_EXISTS, KILN_REMOTE_PUT };
bool kiln_remotes_call(struct kiln_remotes *remotes, uint32_t at, enum kiln_remote_call call,
                       struct kiln_remote_item *items, uint32_t count, char problem[KILN_REMOTE_PROBLEM]);
// Writes there with which toolchain the entry of this record was made.
bool kiln_remotes_announce(struct kiln_remotes *remotes, uint32_t at, struct kiln_str record,
                           char problem[KILN_REMOTE_PROBLEM]);
// Names of all values; where the protocol has no lists, those in the value "index", which kiln cache push writes.
bool kiln_remotes_list(struct kiln_remotes *remotes, uint32_t at, kiln_remote_name_fn *fn, void *user,
                       char problem[KILN_REMOTE_PROBLEM]);
bool kiln_remotes_has_list(struct kiln_remotes *remotes, uint32_t at);

// Reads one place of the list; *text moves past it. False with problem when it is wrong; an empty url at the end.
bool kiln_remote_place_read(const char **text, struct kiln_remote_place *out, char problem[KILN_REMOTE_PROBLEM]);
void kiln_remote_place_free(struct kiln_remote_place *place);

#endif
