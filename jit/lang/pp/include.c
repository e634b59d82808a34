// #include: reading the name, looking for the file, and the record of where was looked.
//
// Headers from memory come first, by the name as written and, in one of them, beside it. Then, for "name", the folder
// of the including file, and the folders of -I in their order. Every path is looked at once per compilation, so that
// the record and what was read cannot differ.
#include "jit/lang/pp/pp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SIZE = 1 << 30 };

// ---- files ----------------------------------------------------------------------------------------------------------

// Size of a regular file; otherwise an errno value in *error.
static size_t file_size(const char *path, int *error) {
  struct stat stat_of;
  if (stat(path, &stat_of) != 0)
    *error = errno;
  else if (S_ISDIR(stat_of.st_mode))
    *error = EISDIR;
  else if (!S_ISREG(stat_of.st_mode))
    *error = EINVAL;
  else if (stat_of.st_size > MAX_SIZE)
    *error = EFBIG;
  else
    return (size_t)stat_of.st_size;
  return 0;
}

// Reads at most size bytes into buffer, where one more is free. Returns 0 or an errno value.
static int read_into(const char *path, char *buffer, size_t *size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  size_t done = 0;
  int error = 0;
  while (done < *size) {
    ssize_t count = read(fd, buffer + done, *size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      error = errno;
    if (count <= 0)
      break;
    done += (size_t)count;
  }
  close(fd);
  buffer[done] = 0;
  *size = done;
  return error;
}

static const char *read_text(struct kiln_pp *pp, const char *path, size_t *size, int *failed) {
  *size = file_size(path, failed);
  if (*failed != 0)
    return NULL;
  char *text = kiln_arena_alloc(pp->arena, *size + 1, 1); // before the file is open: this may not return
  *failed = read_into(path, text, size);
  return text;
}

static struct pp_header *record(struct kiln_pp *pp, struct kiln_name *key, const struct pp_header *found) {
  struct pp_header *header = KILN_NEW(pp->arena, struct pp_header);
  *header = *found;
  key->data = header;
  KILN_VEC_PUSH(pp->arena, &pp->includes,
                (struct kiln_pp_include){.path = header->path,
                                         .found = header->found,
                                         .from_memory = header->from_memory,
                                         .text = header->text,
                                         .size = header->size});
  return header;
}

// Looks at a path. NULL: no such file; *error is then its errno value if that is worth telling.
static struct pp_header *probe_file(struct kiln_pp *pp, const char *path, int *error) {
  struct kiln_name *key = kiln_names_intern(&pp->headers, path, strlen(path));
  struct pp_header *header = key->data;
  if (header == NULL) {
    int failed = 0;
    size_t size = 0;
    const char *text = NULL;
    if (pp->config.read)
      failed = pp->config.read(pp->config.read_user, path, &text, &size);
    else
      text = read_text(pp, path, &size, &failed);
    struct pp_header probe = {.path = key->text, .found = failed == 0, .text = text, .size = size};
    if (failed != 0) {
      probe.text = NULL;
      probe.size = 0;
      if (failed != ENOENT && failed != ENOTDIR)
        *error = failed;
    }
    header = record(pp, key, &probe);
  }
  return header->found ? header : NULL;
}

static struct pp_header *probe_memory(struct kiln_pp *pp, const char *name) {
  for (uint32_t i = 0; i < pp->config.header_count; i++) {
    const struct kiln_pp_header *given = &pp->config.headers[i];
    if (strcmp(given->name, name) != 0)
      continue;
    // Paths have no NUL in them, so this key is no path.
    size_t size = strlen(name);
    char *text = kiln_arena_alloc(pp->arena, size + 1, 1);
    text[0] = 0;
    memcpy(text + 1, name, size);
    struct kiln_name *key = kiln_names_intern(&pp->headers, text, size + 1);
    if (key->data != NULL)
      return key->data;
    return record(pp, key,
                  &(struct pp_header){.path = given->name,
                                      .found = true,
                                      .from_memory = true,
                                      .text = kiln_arena_strndup(pp->arena, given->text, given->size),
                                      .size = given->size});
  }
  return NULL;
}

// name in the folder of the file path; name itself when path has none.
static const char *beside(struct kiln_pp *pp, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? name : kiln_arena_printf(pp->arena, "%.*s/%s", (int)(slash - path), path, name);
}

// *next_dir: the include folder to begin with; receives the one after that of the file, or 0. beside_too: also look
// for it where there are no include folders: in memory, and beside the file that includes it.
static struct pp_header *find(struct kiln_pp *pp, const char *name, bool angled, bool beside_too, uint32_t *next_dir,
                              const char **culprit, int *error) {
  const struct pp_file *file = pp->file;
  struct pp_header *header = beside_too ? probe_memory(pp, name) : NULL;
  uint32_t first = *next_dir;
  *next_dir = 0;
  if (header == NULL && beside_too && file->from_memory && strchr(file->path, '/') != NULL)
    header = probe_memory(pp, beside(pp, file->path, name));
  if (header != NULL || name[0] == '/') {
    *culprit = name;
    return header != NULL ? header : probe_file(pp, name, error);
  }
  // A text that is no file ("<source>") has no folder.
  if (!angled && beside_too && !file->from_memory && file->path[0] != '<') {
    const char *path = beside(pp, file->path, name);
    header = probe_file(pp, path, error);
    *culprit = *error != 0 ? path : NULL;
  }
  for (uint32_t i = first; header == NULL && i < pp->config.include_dir_count; i++) {
    const char *dir = pp->config.include_dirs[i];
    size_t size = strlen(dir);
    bool slash = size > 0 && dir[size - 1] == '/';
    const char *path = kiln_arena_printf(pp->arena, "%s%s%s", dir, slash ? "" : "/", name);
    int failed = 0;
    header = probe_file(pp, path, &failed);
    *next_dir = header != NULL ? i + 1 : 0;
    if (failed != 0 && *error == 0) {
      *error = failed;
      *culprit = path;
    }
  }
  return header;
}

struct pp_header *kiln_pp_find_header(struct kiln_pp *pp, struct kiln_str name, bool angled) {
  const char *culprit = NULL;
  int error = 0;
  uint32_t dir = 0;
  return find(pp, kiln_arena_strndup(pp->arena, name.data, name.size), angled, true, &dir, &culprit, &error);
}

// ---- the directive --------------------------------------------------------------------------------------------------

// Joins the tokens after "<" up to ">".
static bool read_angled(struct kiln_pp *pp, const struct kiln_token *directive, struct kiln_token *out) {
  struct pp_tokens tokens = {0};
  struct kiln_token token;
  for (;;) {
    kiln_pp_read(pp, &token, true);
    if (token.kind == KILN_TOKEN_GREATER || token.kind == KILN_LEX_LINE_END || token.kind == KILN_TOKEN_END)
      break;
    kiln_pp_tokens_push(pp, &tokens, &token);
  }
  struct kiln_str text = kiln_pp_spelling(pp, tokens.items, tokens.count);
  kiln_pp_tokens_release(pp, &tokens);
  if (token.kind != KILN_TOKEN_GREATER) {
    kiln_diag(pp->diags, KILN_ERROR, token.location, 0, "expected '>' at the end of the file name of '%.*s'",
              (int)directive->size, directive->data);
    return false;
  }
  out->data = text.data;
  out->size = (uint32_t)text.size;
  return true;
}

bool kiln_pp_read_header_name(struct kiln_pp *pp, const struct kiln_token *directive, struct kiln_token *out,
                              bool *angled) {
  bool in_file = pp->top->kind == PP_FILE;
  bool good = in_file && kiln_lex_header_name(&pp->file->lexer, out, angled);
  if (!good) {
    kiln_pp_read(pp, out, true);
    *angled = out->kind == KILN_TOKEN_LESS;
    if (*angled) {
      if (!read_angled(pp, directive, out))
        return false;
    } else if (out->kind == KILN_TOKEN_STRING) {
      out->data++;
      out->size -= 2;
    } else {
      kiln_diag(pp->diags, KILN_ERROR, out->location, 0, "expected \"FILENAME\" or <FILENAME>");
      return false;
    }
  }
  if (out->size == 0 || memchr(out->data, 0, out->size) != NULL) {
    kiln_diag(pp->diags, KILN_ERROR, out->location, 0,
              out->size == 0 ? "empty filename in preprocessor directive" : "file name holds a null character");
    return false;
  }
  return true;
}

static void enter(struct kiln_pp *pp, struct pp_header *header, const struct kiln_token *directive, uint32_t next_dir) {
  if (pp->include_depth >= pp->config.max_include_depth) {
    kiln_diag(pp->diags, KILN_ERROR, directive->location, 0, "#include is nested more than %u deep",
              pp->config.max_include_depth);
    kiln_pp_stop(pp);
    return;
  }
  if (pp->include_total >= PP_MAX_INCLUDES) {
    kiln_diag(pp->diags, KILN_ERROR, directive->location, 0, "more than %d files are included", PP_MAX_INCLUDES);
    kiln_pp_stop(pp);
    return;
  }
  kiln_location first =
      kiln_sources_add(pp->sources, header->path, header->text, (uint32_t)header->size, directive->location);
  if (first == 0) {
    kiln_diag(pp->diags, KILN_ERROR, directive->location, 0, "source texts have more than 1 GiB together");
    kiln_pp_stop(pp);
    return;
  }
  pp->include_depth++;
  pp->include_total++;
  struct pp_file *file = KILN_NEW(pp->arena, struct pp_file);
  kiln_lexer_init(&file->lexer, &pp->lex, header->text, header->size, first);
  file->path = header->path;
  file->from_memory = header->from_memory;
  file->header = header;
  file->next_dir = next_dir;
  kiln_pp_push_file(pp, file);
}

void kiln_pp_include(struct kiln_pp *pp, const struct kiln_token *directive, bool next) {
  struct kiln_token name;
  bool angled;
  if (pp->collecting > 0) {
    kiln_diag(pp->diags, KILN_ERROR, directive->location, kiln_token_end(directive),
              "embedding a #%s directive within macro arguments is not supported", next ? "include_next" : "include");
    kiln_pp_finish_line(pp);
    return;
  }
  if (!kiln_pp_read_header_name(pp, directive, &name, &angled)) {
    kiln_pp_finish_line(pp);
    return;
  }
  while (pp->top->kind == PP_EXPANSION && pp->top->at == pp->top->end)
    kiln_pp_pop(pp);
  if (pp->top->kind == PP_FILE)
    kiln_pp_finish_line_checked(pp, next ? "include_next" : "include");
  else
    kiln_pp_finish_line(pp);
  const char *culprit = NULL, *text = kiln_arena_strndup(pp->arena, name.data, name.size);
  int error = 0;
  bool is_primary = next && pp->file->header == NULL;
  if (is_primary)
    kiln_diag_warning(pp->diags, KILN_W_INCLUDE_NEXT, directive->location, kiln_token_end(directive),
                      "#include_next in primary source file; will search from start of include path");
  uint32_t dir = next ? pp->file->next_dir : 0;
  struct pp_header *header = find(pp, text, angled, !next || is_primary, &dir, &culprit, &error);
  if (header == NULL) {
    if (error != 0)
      kiln_diag(pp->diags, KILN_FATAL, name.location, 0, "'%s' file cannot be read (%s: %s)", text, culprit,
                strerrordesc_np(error));
    else
      kiln_diag(pp->diags, KILN_FATAL, name.location, 0, "'%s' file not found", text);
    return;
  }
  if (header->once || (header->guard != NULL && kiln_pp_info(pp, header->guard) >> 8 != 0))
    return;
  enter(pp, header, directive, dir);
}
