// For tests of the preprocessor: runs it over a text and gives the tokens and the diagnostics as strings.
#ifndef KILN_TESTS_UNIT_PP_SUPPORT_H
#define KILN_TESTS_UNIT_PP_SUPPORT_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "jit/lang/lex/token.h"

struct pp_run {
  struct kiln_pp_config config; // set include_dirs, headers and so on before pp_run
  const char *defines[8];       // "DNAME=VALUE" or "UNAME"
  const char *name;             // NULL: "t.cl"
  // results
  struct kiln_strbuf tokens; // spellings joined by a space
  struct kiln_strbuf log;
  unsigned errors, warnings;
  uint32_t token_count;
  bool used_file;
  uint32_t include_count;
  char includes[32][128]; // "+path", "-path" (not found), "=name" (from memory)
  bool exhausted;
};

static void pp_collect(struct pp_run *run, struct kiln_pp *pp) {
  struct kiln_token token;
  for (kiln_pp_next(pp, &token); token.kind != KILN_TOKEN_END; kiln_pp_next(pp, &token)) {
    if (run->token_count++ > 0)
      kiln_strbuf_putc(&run->tokens, ' ');
    if (token.kind == KILN_TOKEN_PRAGMA)
      kiln_strbuf_puts(&run->tokens, "#pragma ");
    kiln_strbuf_append(&run->tokens, token.data, token.size);
  }
  kiln_pp_next(pp, &token); // the end stays
  if (token.kind != KILN_TOKEN_END)
    kiln_strbuf_puts(&run->tokens, "<tokens behind the end>");
}

static void pp_run(struct pp_run *run, const char *text, size_t size) {
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  jmp_buf exhausted;
  kiln_arena_init(&arena, &exhausted);
  kiln_names_init(&names, &arena);
  kiln_sources_init(&sources, &arena);
  kiln_diags_init(&diags, &sources);
  if (setjmp(exhausted) != 0) {
    run->exhausted = true;
  } else {
    run->config.arena = &arena;
    run->config.names = &names;
    run->config.sources = &sources;
    run->config.diags = &diags;
    struct kiln_pp *pp = kiln_pp_new(&run->config);
    for (int i = 0; i < 8 && run->defines[i] != NULL; i++) {
      if (run->defines[i][0] == 'D')
        kiln_pp_define(pp, run->defines[i] + 1);
      else
        kiln_pp_undefine(pp, run->defines[i] + 1);
    }
    kiln_pp_start(pp, run->name != NULL ? run->name : "t.cl", text, size);
    pp_collect(run, pp);
    run->used_file = kiln_pp_used_file(pp);
    const struct kiln_pp_include *includes;
    run->include_count = kiln_pp_includes(pp, &includes);
    for (uint32_t i = 0; i < run->include_count && i < 32; i++)
      snprintf(run->includes[i], sizeof run->includes[i], "%c%s",
               includes[i].from_memory ? '=' : (includes[i].found ? '+' : '-'), includes[i].path);
  }
  run->errors = diags.errors;
  run->warnings = diags.warnings;
  if (diags.text.size > 0)
    kiln_strbuf_append(&run->log, diags.text.data, diags.text.size);
  kiln_diags_free(&diags);
  kiln_arena_free(&arena);
}

static void pp_done(struct pp_run *run) {
  kiln_strbuf_free(&run->tokens);
  kiln_strbuf_free(&run->log);
}

static inline const char *pp_text(const struct kiln_strbuf *buf) { return buf->data != NULL ? buf->data : ""; }

struct pp_case {
  const char *input, *tokens;
  const char *log; // lines "t.cl:LINE:COL: …" that must be there, in order, and no other; NULL: none
};

// The lines of a log that begin with the file's name, each with a newline.
static inline void pp_headlines(const char *log, struct kiln_strbuf *out) {
  while (*log != 0) {
    size_t size = strcspn(log, "\n");
    if (strncmp(log, "t.cl:", 5) == 0 || strncmp(log, "<command line>:", 15) == 0) {
      kiln_strbuf_append(out, log, size);
      kiln_strbuf_putc(out, '\n');
    }
    log += size + (log[size] == '\n');
  }
}

// Runs all cases; the number of them must be count.
#define PP_CHECK(cases)                                                                                                \
  do {                                                                                                                 \
    size_t ran = 0;                                                                                                    \
    for (size_t i_ = 0; i_ < sizeof(cases) / sizeof *(cases); i_++, ran++) {                                           \
      const struct pp_case *c_ = &(cases)[i_];                                                                         \
      struct pp_run run_ = {0};                                                                                        \
      struct kiln_strbuf lines_ = {0};                                                                                 \
      pp_run(&run_, c_->input, strlen(c_->input));                                                                     \
      pp_headlines(pp_text(&run_.log), &lines_);                                                                       \
      cr_expect_str_eq(pp_text(&run_.tokens), c_->tokens, "tokens of %s\n got: %s\nwant: %s", c_->input,               \
                       pp_text(&run_.tokens), c_->tokens);                                                             \
      cr_expect_str_eq(pp_text(&lines_), c_->log ? c_->log : "", "log of %s\n got: %s\nwant: %s", c_->input,           \
                       pp_text(&lines_), c_->log ? c_->log : "");                                                      \
      kiln_strbuf_free(&lines_);                                                                                       \
      pp_done(&run_);                                                                                                  \
    }                                                                                                                  \
    cr_assert_eq(ran, sizeof(cases) / sizeof *(cases), "%zu cases ran", ran);                                          \
    cr_assert_gt(ran, 0, "no case ran");                                                                               \
  } while (0)

#endif
