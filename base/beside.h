// Files that are installed with the library, found from where its code lies.
#ifndef KILN_BASE_BESIDE_H
#define KILN_BASE_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

#define KILN_PATH_SIZE 4096

// The path of the shared object that holds this code. False: it is part of a program.
bool kiln_own_object(char out[KILN_PATH_SIZE]);

// The first of the paths that may be accessed as mode says (access(2)). Each of beside begins with '/' and is seen from
// the folder of the file that holds this code: libkiln.so, or a program that has it linked in. Last comes fallback, a
// whole path. The function skips a path where another user could have put the file, unless that user is root or could
// just as well have replaced libkiln or the program. *reason: why it skipped the last such path (static text), or NULL.
bool kiln_find_beside(const char *const *beside, size_t count, const char *fallback, int mode, char out[KILN_PATH_SIZE],
                      const char **reason);

#endif
