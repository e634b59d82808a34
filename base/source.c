// Source texts laid end to end, macro expansions, and the way back from a location to file, line and column.
#include "base/source.h"

#include <string.h>

enum {
  PLACES = 1 << 30,           // that files may take
  EXPANSION_PLACES = 1 << 28, // that macros may take
};

void kiln_sources_init(struct kiln_sources *sources, struct kiln_arena *arena) {
  *sources = (struct kiln_sources){.arena = arena};
}

kiln_location kiln_sources_add(struct kiln_sources *sources, const char *name, const char *text, uint32_t size,
                               kiln_location included_at) {
  uint32_t first = 1;
  if (sources->files.count != 0) {
    const struct kiln_source_file *last = &sources->files.items[sources->files.count - 1];
    first = last->first + last->size + 1;
  }
  if (size >= PLACES || first >= PLACES - size)
    return 0;
  KILN_VEC_PUSH(
      sources->arena, &sources->files,
      (struct kiln_source_file){.name = name, .text = text, .size = size, .first = first, .included_at = included_at});
  return first;
}

static uint32_t block_count(uint32_t locations) {
  return (locations + KILN_EXPANSION_BLOCK - 1) / KILN_EXPANSION_BLOCK;
}

// Makes room for an expansion. 0: there are too many locations.
__attribute__((noinline)) static kiln_location expand_in_more_room(struct kiln_sources *sources,
                                                                   const kiln_location *spelled, uint32_t count,
                                                                   kiln_location expanded, const char *macro) {
  if (count > EXPANSION_PLACES - sources->expansion_locations)
    return 0;
  KILN_VEC_RESERVE(sources->arena, &sources->expansions);
  while (sources->blocks.capacity < block_count(sources->expansion_locations + count)) {
    sources->blocks.items =
        kiln_vec_grow(sources->arena, sources->blocks.items, &sources->blocks.capacity, sizeof *sources->blocks.items);
  }
  return kiln_sources_expand(sources, spelled, count, expanded, macro);
}

kiln_location kiln_sources_expand(struct kiln_sources *sources, const kiln_location *spelled, uint32_t count,
                                  kiln_location expanded, const char *macro) {
  uint32_t locations = sources->expansion_locations, index = sources->expansions.count;
  if (count > EXPANSION_PLACES - locations || index == sources->expansions.capacity ||
      block_count(locations + count) > sources->blocks.capacity)
    return expand_in_more_room(sources, spelled, count, expanded, macro);
  kiln_location first = locations | KILN_LOCATION_MACRO;
  sources->expansion_locations = locations + count;
  while (sources->blocks.count < block_count(locations + count))
    sources->blocks.items[sources->blocks.count++] = index;
  if (!(expanded & KILN_LOCATION_MACRO) || expanded < sources->outermost_first) {
    kiln_location outermost = kiln_sources_expanded(sources, expanded);
    if (outermost != sources->outermost) {
      sources->outermost = outermost;
      sources->outermost_first = first;
    }
  }
  sources->expansions.items[sources->expansions.count++] =
      (struct kiln_expansions){first, expanded, sources->outermost, spelled, macro};
  return first;
}

void kiln_sources_line_mark(struct kiln_sources *sources, kiln_location location, uint32_t line, const char *name) {
  struct kiln_source_file *file = kiln_sources_file(sources, location);
  if (!file)
    return;
  if (!name) // the name in force stays
    name = file->marks.count ? file->marks.items[file->marks.count - 1].name : file->name;
  KILN_VEC_PUSH(sources->arena, &file->marks, (struct kiln_line_mark){location - file->first, line, name});
}

struct kiln_source_file *kiln_sources_file(const struct kiln_sources *sources, kiln_location location) {
  if (location == 0 || location & KILN_LOCATION_MACRO || sources->files.count == 0)
    return NULL;
  uint32_t low = 0, high = sources->files.count; // the last file that begins at or before location
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (sources->files.items[middle].first <= location)
      low = middle;
    else
      high = middle;
  }
  struct kiln_source_file *file = &sources->files.items[low];
  return location - file->first <= file->size ? file : NULL;
}

bool kiln_sources_expansion(const struct kiln_sources *sources, kiln_location location, struct kiln_expansion *out) {
  const struct kiln_expansions *all = kiln_sources_expansions(sources, location);
  if (all)
    *out = (struct kiln_expansion){all->spelled[location - all->first], all->expanded, all->macro};
  return all;
}

kiln_location kiln_sources_spelled(const struct kiln_sources *sources, kiln_location location) {
  while (location & KILN_LOCATION_MACRO) {
    const struct kiln_expansions *all = kiln_sources_expansions(sources, location);
    location = all ? all->spelled[location - all->first] : 0;
  }
  return location;
}

static void find_lines(struct kiln_arena *arena, struct kiln_source_file *file) {
  uint32_t count = 1;
  const char *text = file->text, *end = text + file->size;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
    count++;
  uint32_t *lines = kiln_arena_alloc(arena, count * sizeof *lines, _Alignof(uint32_t));
  lines[0] = 0;
  uint32_t line = 1;
  for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
    lines[line++] = (uint32_t)(at + 1 - text);
  file->lines = lines;
  file->line_count = count;
}

// Index of the line that holds offset. Places are mostly asked for in their order.
static uint32_t line_of(struct kiln_source_file *file, uint32_t offset) {
  uint32_t low = 0, high = file->line_count, last = file->last_line;
  for (uint32_t next = last; next < last + 2 && next < high; next++)
    if (file->lines[next] <= offset && (next + 1 == high || offset < file->lines[next + 1]))
      return file->last_line = next;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (file->lines[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  return file->last_line = low;
}

static const struct kiln_line_mark *mark_at(const struct kiln_source_file *file, uint32_t offset) {
  uint32_t low = 0, high = file->marks.count; // the first mark after offset
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (file->marks.items[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &file->marks.items[low - 1] : NULL;
}

struct kiln_position kiln_sources_position(const struct kiln_sources *sources, kiln_location location) {
  struct kiln_source_file *file = kiln_sources_file(sources, kiln_sources_expanded(sources, location));
  if (!file)
    return (struct kiln_position){.file = "", .line_text = ""};
  if (!file->lines)
    find_lines(sources->arena, file);
  uint32_t offset = kiln_sources_expanded(sources, location) - file->first;
  uint32_t index = line_of(file, offset);
  uint32_t start = file->lines[index];
  uint32_t end = index + 1 < file->line_count ? file->lines[index + 1] - 1 : file->size;
  if (end > start && file->text[end - 1] == '\r')
    end--;
  struct kiln_position position = {.file = file->name,
                                   .line = index + 1,
                                   .column = offset - start + 1,
                                   .line_text = file->text + start,
                                   .line_size = end - start};
  const struct kiln_line_mark *mark = mark_at(file, offset);
  if (mark) {
    position.file = mark->name;
    position.line = mark->line + (index - line_of(file, mark->offset));
  }
  return position;
}
