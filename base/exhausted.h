// Whether something failed because the process has run out of what it needs to open files at all: what fails then is
// often told as absent.
#ifndef KILN_BASE_EXHAUSTED_H
#define KILN_BASE_EXHAUSTED_H

// EMFILE or ENFILE where next to no file can be opened, ENOMEM where next to no memory can be mapped; else 0.
int kiln_exhausted(void);
// Says so to a user, as the end of a sentence: "too many files are open …".
const char *kiln_exhausted_text(int error);

#endif
