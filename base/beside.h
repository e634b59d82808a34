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
// whole path. What somebody else could have put there is passed over: somebody who is neither this process's user nor
// root, and who could not put another file in the place of libkiln or the program either. *reason: why (static text),
// of the last that was passed over, or NULL.
bool kiln_find_beside(const char *const *beside, size_t count, const char *fallback, int mode, char out[KILN_PATH_SIZE],
                      const char **reason);

#endif
