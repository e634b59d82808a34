// Writes the man pages and shell completions of the kiln command, from the text of its help.
//   kiln_manual FOLDER      FOLDER/kiln.1, kiln-VERB.1, kiln.bash, kiln.zsh, kiln.fish
#include <string.h>

#include "manual.h"

const struct verb verbs[] = {
#define VERB(name, arguments, summary, help, kind) {#name, arguments, summary, help, VERB_##kind},
#include "tools/kiln/verbs.def"
    {NULL, NULL, NULL, NULL, VERB_PLAIN},
};

#define HELP(name, text) const char help_##name[] = text;
#include "tools/kiln/verbs.def"

enum { TEXT_COLUMN = 26 }; // where the meaning of an item begins

static void copy(char *out, size_t room, const char *from, size_t size) {
  while (size && from[size - 1] == ' ')
    size--;
  snprintf(out, room, "%.*s", (int)size, from);
}

const char *read_line(const char *help, struct line *out) {
  size_t size = strcspn(help, "\n");
  const char *text = help;
  *out = (struct line){.kind = LINE_TEXT};
  size_t blanks = strspn(help, " ");
  if (blanks >= TEXT_COLUMN) {
    out->kind = LINE_MORE;
    text += blanks;
  } else if (blanks) {
    bool has_meaning = size > TEXT_COLUMN && help[TEXT_COLUMN - 1] == ' ';
    size_t term = has_meaning ? TEXT_COLUMN : size;
    out->kind = LINE_ITEM;
    copy(has_meaning ? out->term : out->text, has_meaning ? sizeof out->term : sizeof out->text, help + blanks,
         term - blanks);
    text += term;
  } else if (size && help[size - 1] == ':') {
    out->kind = LINE_SECTION;
    size--;
  }
  if (text < help + size)
    copy(out->text, sizeof out->text, text, (size_t)(help + size - text));
  help += strcspn(help, "\n");
  return *help && help[1] ? help + 1 : NULL;
}

static enum values values_of(const char *word) {
  static const struct {
    const char *word;
    enum values values;
  } known[] = {{"BACKEND", VALUES_BACKEND}, {"B[,B]", VALUES_BACKEND}, {"ARCH", VALUES_ARCH}, {"A[,A]", VALUES_ARCH},
               {"STAGE", VALUES_STAGE},     {"FILE", VALUES_FILE},     {"OUT", VALUES_FILE},  {"BUNDLE", VALUES_FILE},
               {"DIR", VALUES_FILE},        {"PLACE", VALUES_FILE}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(word, known[i].word) == 0)
      return known[i].values;
  return *word ? VALUES_ANY : VALUES_NONE;
}

unsigned read_options(const char *term, struct option out[MOST_NAMES]) {
  unsigned count = 0;
  while (*term == '-' && count < MOST_NAMES) {
    size_t name = strcspn(term, " ,");
    char word[32] = "";
    copy(out[count].name, sizeof out[count].name, term, name);
    term += name;
    if (*term == ' ') {
      const char *next = strstr(term, ", -");
      size_t size = next ? (size_t)(next - term) : strlen(term);
      copy(word, sizeof word, term + 1, size - 1);
      term += size;
    }
    out[count++].values = values_of(word);
    term += strspn(term, ", ");
  }
  for (unsigned i = count; i-- > 1;) // "-b, --backend BACKEND": what follows the last follows all
    if (out[i - 1].values == VALUES_NONE)
      out[i - 1].values = out[i].values;
  return count;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: kiln_manual FOLDER\n", stderr);
    return 2;
  }
  bool ok = write_page(argv[1], NULL);
  for (const struct verb *verb = verbs; verb->name; verb++)
    ok &= write_page(argv[1], verb);
  static const char *const shells[] = {"bash", "zsh", "fish"};
  for (unsigned i = 0; i < 3; i++)
    ok &= write_completion(argv[1], shells[i]);
  if (!ok)
    fprintf(stderr, "kiln_manual: cannot write to %s\n", argv[1]);
  return ok ? 0 : 1;
}
