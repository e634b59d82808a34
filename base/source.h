// Source texts and locations in them. A location is one 32-bit number, as in clang: either an offset into the texts
// laid end to end, or, with the top bit set, a token that came out of a macro expansion.
#ifndef KILN_BASE_SOURCE_H
#define KILN_BASE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

typedef uint32_t kiln_location; // 0: unknown
#define KILN_LOCATION_MACRO 0x80000000u

struct kiln_source_file {
  const char *name; // as shown
  const char *text; // followed by a NUL
  uint32_t size;
  kiln_location first;       // location of the first character; the one after the last character is a location too
  kiln_location included_at; // of the #include; 0: the main file
  uint32_t *lines;           // offsets of line starts, made on first use
  uint32_t line_count;
  uint32_t last_line; // index of the one that was asked for last
  // #line: locations from which another name and line number hold
  KILN_VEC(struct kiln_line_mark) marks;
};
struct kiln_line_mark {
  uint32_t offset, line; // the line that holds offset is shown as this number
  const char *name;
};
struct kiln_expansion {   // of one token
  kiln_location spelled;  // where the token's characters are (in the macro's body, or an argument)
  kiln_location expanded; // where the macro was used; may itself be in a macro
  const char *macro;      // name
};
struct kiln_expansions { // of all tokens of one use of a macro: their locations follow each other
  kiln_location first;
  kiln_location expanded, outermost; // where the macro was used; where that is in a file
  const kiln_location *spelled;      // by token
  const char *macro;
};

enum { KILN_EXPANSION_BLOCK = 16 };
struct kiln_sources {
  struct kiln_arena *arena;
  KILN_VEC(struct kiln_source_file) files;
  KILN_VEC(struct kiln_expansions) expansions; // in the order of their locations
  KILN_VEC(uint32_t) blocks;                   // which of them holds every 16th location
  uint32_t expansion_locations;
  kiln_location outermost, outermost_first; // of all expansions whose first location is not below outermost_first
};

// A location for people.
struct kiln_position {
  const char *file;
  uint32_t line, column; // from 1; column in bytes
  const char *line_text; // not NUL-terminated
  uint32_t line_size;
};

void kiln_sources_init(struct kiln_sources *sources, struct kiln_arena *arena);
// Keeps text, which must be followed by a NUL and outlive sources. Returns the place of its first character, or 0
// when all texts together pass 1 GiB.
kiln_location kiln_sources_add(struct kiln_sources *sources, const char *name, const char *text, uint32_t size,
                               kiln_location included_at);
// The location of the first of count tokens (at least one) that a use of a macro makes; the others follow. Keeps
// spelled, one location per token. 0 when there are too many.
kiln_location kiln_sources_expand(struct kiln_sources *sources, const kiln_location *spelled, uint32_t count,
                                  kiln_location expanded, const char *macro);
// How a token came to its location; false when it is of no macro.
bool kiln_sources_expansion(const struct kiln_sources *sources, kiln_location location, struct kiln_expansion *out);
void kiln_sources_line_mark(struct kiln_sources *sources, kiln_location location, uint32_t line, const char *name);
// The file that a location (of a file, not of a macro) is in. Logarithmic.
struct kiln_source_file *kiln_sources_file(const struct kiln_sources *sources, kiln_location location);
// NULL for a location of no macro.
static inline const struct kiln_expansions *kiln_sources_expansions(const struct kiln_sources *sources,
                                                                    kiln_location location) {
  uint32_t index = location & ~KILN_LOCATION_MACRO;
  if (!(location & KILN_LOCATION_MACRO) || index >= sources->expansion_locations)
    return NULL;
  const struct kiln_expansions *end = sources->expansions.items + sources->expansions.count;
  const struct kiln_expansions *at = sources->expansions.items + sources->blocks.items[index / KILN_EXPANSION_BLOCK];
  while (at + 1 < end && at[1].first <= location)
    at++;
  return at;
}
// Where the outermost use of a macro is; the location itself when it is not from a macro.
static inline kiln_location kiln_sources_expanded(const struct kiln_sources *sources, kiln_location location) {
  if (!(location & KILN_LOCATION_MACRO))
    return location;
  const struct kiln_expansions *all = kiln_sources_expansions(sources, location);
  return all ? all->outermost : 0;
}
// Where the characters are.
kiln_location kiln_sources_spelled(const struct kiln_sources *sources, kiln_location location);
// Position of kiln_sources_expanded(location).
struct kiln_position kiln_sources_position(const struct kiln_sources *sources, kiln_location location);

#endif
