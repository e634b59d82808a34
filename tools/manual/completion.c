// Completions: a frame for each shell, into which the verbs and their options are put.
#include <string.h>

#include "manual.h"

#define STAGES "ir arranged plan ll s o cl dis bin"
#define BACKENDS "kiln backends --all 2>/dev/null | awk 'NR > 1 { print $1 }'"

static const char *const kinds[] = {[VALUES_NONE] = "none",       [VALUES_ANY] = "any",   [VALUES_FILE] = "file",
                                    [VALUES_BACKEND] = "backend", [VALUES_ARCH] = "arch", [VALUES_STAGE] = "stage"};

// Calls each for the options of a verb, with the line that explains them.
static void each_option(FILE *out, const struct verb *verb,
                        void (*each)(FILE *out, const struct verb *verb, const struct option *option,
                                     const struct line *line)) {
  const char *const texts[] = {verb->help, verb->kind == VERB_COMPILES ? help_compiles : "", help_every};
  for (unsigned i = 0; i < 3; i++)
    for (const char *next = *texts[i] ? texts[i] : NULL; next;) {
      struct line line;
      next = read_line(next, &line);
      struct option options[MOST_NAMES];
      unsigned count = line.kind == LINE_ITEM ? read_options(line.term, options) : 0;
      for (unsigned k = 0; k < count; k++)
        each(out, verb, &options[k], &line);
    }
}

static void put_name(FILE *out, const struct verb *verb, const struct option *option, const struct line *line) {
  (void)verb, (void)line;
  fprintf(out, " %s", option->name);
}

static void put_case(FILE *out, const struct verb *verb, const struct option *option, const struct line *line) {
  (void)line;
  if (option->values != VALUES_NONE)
    fprintf(out, "  %s:%s) kind=%s ;;\n", verb->name, option->name, kinds[option->values]);
}

static void put_verb_names(FILE *out) {
  for (const struct verb *verb = verbs; verb->name; verb++)
    fprintf(out, " %s", verb->name);
}

// The verbs of `kiln cache`: the first words of the items of its section "Verbs".
static void put_cache_verbs(FILE *out, const char *help) {
  bool inside = false;
  for (const char *next = help; next;) {
    struct line line;
    next = read_line(next, &line);
    if (line.kind == LINE_SECTION)
      inside = strcmp(line.text, "Verbs") == 0;
    else if (inside && line.kind == LINE_ITEM)
      fprintf(out, " %.*s", (int)strcspn(line.term, " "), line.term);
  }
}

// Shell code of bash and zsh that sets kind (what comes now) and options from verb, previous and count.
static void put_cases(FILE *out) {
  fputs("  local kind=file options\n  case $verb in\n", out);
  for (const struct verb *verb = verbs; verb->name; verb++) {
    fprintf(out, "  %s)", verb->name);
    if (!strstr(verb->arguments, "FILE") && !strstr(verb->arguments, "MANIFEST") &&
        !strstr(verb->arguments, "ARGUMENT"))
      fputs(" kind=none", out);
    fputs(" options=\"", out);
    each_option(out, verb, put_name);
    fputs("\" ;;\n", out);
  }
  fputs("  esac\n  case $verb:$previous in\n", out);
  for (const struct verb *verb = verbs; verb->name; verb++)
    each_option(out, verb, put_case);
  fputs("  cache:cache) kind=verb ;;\n  esac\n  local cache_verbs=\"", out);
  for (const struct verb *verb = verbs; verb->name; verb++)
    if (strcmp(verb->name, "cache") == 0)
      put_cache_verbs(out, verb->help);
  fputs("\" verbs=\"help", out);
  put_verb_names(out);
  fputs("\"\n", out);
}

static void put_bash(FILE *out) {
  fputs("# Completion of the kiln command for bash.\n"
        "_kiln() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words= i\n",
        out);
  put_cases(out);
  fputs("  local backend=cpu\n"
        "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "    case ${COMP_WORDS[i-1]} in -b|--backend) backend=${COMP_WORDS[i]} ;; esac\n"
        "  done\n"
        "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
        "    words=\"$verbs --help --version\"\n"
        "  elif [[ $verb == help ]]; then\n"
        "    words=$verbs\n"
        "  elif [[ $word == -* ]]; then\n"
        "    words=$options\n"
        "  else\n"
        "    case $kind in\n"
        "    verb) words=$cache_verbs ;;\n"
        "    backend) words=$(" BACKENDS ") ;;\n"
        "    arch) words=$(kiln targets -b \"$backend\" 2>/dev/null | awk '{ print $1 }') ;;\n"
        "    stage) words=\"" STAGES "\" ;;\n"
        "    file) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "    esac\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
        "}\n"
        "complete -o filenames -F _kiln kiln\n",
        out);
}

static void put_zsh(FILE *out) {
  fputs("#compdef kiln\n"
        "# Completion of the kiln command for zsh.\n"
        "_kiln() {\n"
        "  local word=$words[CURRENT] previous=$words[CURRENT-1] verb=$words[2]\n",
        out);
  put_cases(out);
  fputs("  local backend=cpu i\n"
        "  for ((i = 3; i < CURRENT; i++)); do\n"
        "    case $words[i-1] in -b|--backend) backend=$words[i] ;; esac\n"
        "  done\n"
        "  if ((CURRENT == 2)); then\n"
        "    compadd -- ${=verbs} --help --version\n"
        "  elif [[ $verb == help ]]; then\n"
        "    compadd -- ${=verbs}\n"
        "  elif [[ $word == -* ]]; then\n"
        "    compadd -- ${=options}\n"
        "  else\n"
        "    case $kind in\n"
        "    verb) compadd -- ${=cache_verbs} ;;\n"
        "    backend) compadd -- $(" BACKENDS ") ;;\n"
        "    arch) compadd -- $(kiln targets -b $backend 2>/dev/null | awk '{ print $1 }') ;;\n"
        "    stage) compadd -- " STAGES " ;;\n"
        "    file) _files ;;\n"
        "    esac\n"
        "  fi\n"
        "}\n"
        "_kiln \"$@\"\n",
        out);
}

// Text of a description in fish, in single quotes.
static void put_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\')
      fputc('\\', out);
    fputc(*text, out);
  }
  fputs("'\n", out);
}

static void put_fish_option(FILE *out, const struct verb *verb, const struct option *option, const struct line *line) {
  static const char *const values[] = {[VALUES_NONE] = "",
                                       [VALUES_ANY] = " -x",
                                       [VALUES_FILE] = " -r -F",
                                       [VALUES_BACKEND] = " -x -a '(__kiln_backends)'",
                                       [VALUES_ARCH] = " -x -a '(__kiln_archs)'",
                                       [VALUES_STAGE] = " -x -a '" STAGES "'"};
  bool is_long = option->name[1] == '-';
  fprintf(out, "complete -c kiln -n '__fish_seen_subcommand_from %s' -%c %s%s -d ", verb->name, is_long ? 'l' : 's',
          option->name + (is_long ? 2 : 1), values[option->values]);
  put_quoted(out, line->text);
}

static void put_fish(FILE *out) {
  fputs("# Completion of the kiln command for fish.\n"
        "function __kiln_backends\n  "
        "kiln backends --all 2>/dev/null | awk 'NR > 1 { print $1 }'\nend\n"
        "function __kiln_archs\n"
        "  set -l words (commandline -opc)\n"
        "  set -l backend cpu\n"
        "  for i in (seq 2 (count $words))\n"
        "    contains -- $words[(math $i - 1)] -b --backend; and set backend $words[$i]\n"
        "  end\n"
        "  kiln targets -b $backend 2>/dev/null | awk '{ print $1 }'\n"
        "end\n",
        out);
  for (const struct verb *verb = verbs; verb->name; verb++) {
    fprintf(out, "complete -c kiln -n __fish_use_subcommand -f -a %s -d ", verb->name);
    put_quoted(out, verb->summary);
    each_option(out, verb, put_fish_option);
    if (strcmp(verb->name, "cache") == 0) {
      fputs("complete -c kiln -n '__fish_seen_subcommand_from cache' -a '", out);
      put_cache_verbs(out, verb->help);
      fputs("'\n", out);
    }
  }
}

bool write_completion(const char *folder, const char *shell) {
  char path[4096];
  snprintf(path, sizeof path, "%s/kiln.%s", folder, shell);
  FILE *out = fopen(path, "w");
  if (!out)
    return false;
  if (strcmp(shell, "bash") == 0)
    put_bash(out);
  else if (strcmp(shell, "zsh") == 0)
    put_zsh(out);
  else
    put_fish(out);
  return fclose(out) == 0;
}
