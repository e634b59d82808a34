#pragma once

#include <stdbool.h>
#include <stddef.h>

// Calls visit for each file of the folder and of those below it, sorted by the bytes of their names; name is the path
// from the folder on. Hidden files and folders are left out. Returns how many files there were; -1: no such folder.
int walk_files(const char *folder, void (*visit)(void *user, const char *path, const char *name), void *user);

// Whether the file belongs to a part of the files: of `share` parts, 0 or 1: there is but one, the one with the number.
// Its name decides, the same on all machines.
bool walk_is_in_share(const char *name, unsigned share, unsigned number);

// The build options that the first "// run:" line of a case of tests/exec has: its words with -D and -cl-.
void walk_take_options(const char *text, char *out, size_t size);
