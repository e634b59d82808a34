// What the writers of man pages and completions share: the text of the help, line by line.
#ifndef KILN_TOOLS_MANUAL_H
#define KILN_TOOLS_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

struct verb { // a row of tools/kiln/verbs.def
  const char *name, *arguments, *summary, *help;
  enum { VERB_PLAIN, VERB_COMPILES } kind;
};

extern const struct verb verbs[]; // up to the one without a name
extern const char help_compiles[], help_every[], help_status[];

struct line {
  enum { LINE_ITEM, LINE_MORE, LINE_SECTION, LINE_TEXT } kind; // MORE: goes on with the meaning of an item
  char term[64];                                               // ITEM: an option or a word
  char text[256];
};
// Reads a line of a help text and returns the next one, NULL at the end.
const char *read_line(const char *help, struct line *out);

// What may follow an option.
enum values { VALUES_NONE, VALUES_ANY, VALUES_FILE, VALUES_BACKEND, VALUES_ARCH, VALUES_STAGE };
struct option {
  char name[32]; // "-b" or "--backend"
  enum values values;
};
enum { MOST_NAMES = 4 };
// The options that an item names: none for a word. Returns their number.
unsigned read_options(const char *term, struct option out[MOST_NAMES]);

// Both write a file and return false when that failed.
bool write_page(const char *folder, const struct verb *verb); // verb NULL: of the command as a whole
bool write_completion(const char *folder, const char *shell); // bash, zsh or fish

#endif
