// Whom this process takes code from. A file counts when it belongs to this process's own user, to root, or to somebody
// whom the user named, and when nobody else can write to it or put another in its place.
#ifndef KILN_BASE_TRUST_H
#define KILN_BASE_TRUST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/str.h"

enum { KILN_MAX_TRUSTED = 16 };

// Who is trusted beyond the own user and root; zero: nobody.
struct kiln_trust {
  uint32_t users[KILN_MAX_TRUSTED], groups[KILN_MAX_TRUSTED];
  uint32_t user_count, group_count;
};

// Reads "user:NAME,group:NAME,…", each with a name or a number. False with what is wrong appended to problem;
// nothing where memory is exhausted.
bool kiln_trust_parse(const char *text, struct kiln_trust *out, struct kiln_strbuf *problem);

bool kiln_trusts_group(const struct kiln_trust *trust, uint32_t group);

// Why no code is taken from this file or folder (static text); NULL: it can be trusted. Of a trusted group, files may
// belong to any user and be written by the group.
const char *kiln_distrust(const struct kiln_trust *trust, const struct stat *info);

// Opens a folder (O_PATH) and describes it in *info. The path is walked from the root, so that each folder that is
// passed is the one that was looked at, and no link of a stranger is followed. -1 when it cannot be opened: *reason
// says why it is not trusted, or is NULL with the error in errno.
int kiln_trust_open_folder(const struct kiln_trust *trust, const char *path, struct stat *info, const char **reason);

// Why no code is taken from the file at path: it or its folder is not trusted, or the text of an error; NULL: it can be
// trusted. Of a link to a file both folders are looked at.
const char *kiln_distrust_file(const struct kiln_trust *trust, const char *path);

#endif
