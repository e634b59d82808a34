// Speed that vanishes is seen: what the CPU's compiler makes of a fixed set of kernels, for two processors, whatever
// the processor of this machine is.
//
//   counts_test [--bless] SOURCE_FOLDER
//
// For each kernel there is a line in tests/counts/counts.txt:
//   FILE[ OPTIONS] ARCH KERNEL: loops N, instructions N, weighted N; PLAN
// Loops are what a jump back closes: a version of a loop more or less is seen there. An instruction weighs 8 for each
// loop that it is in, so that one more in an innermost loop counts. The plan must be the same, and the numbers within 3
// percent. Fewer instructions are a difference, too: the table shows what they were before.
// --bless writes the table again, after showing the differences.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "kiln/kiln.h"

enum { TOLERANCE_PERCENT = 3, MAX_DEPTH = 5, WEIGHT_BITS = 3, MAX_ROWS = 512 };

static const char *const archs[] = {"x86-64-v3", "x86-64-v4"};
static const struct source {
  const char *file, *options;
} sources[] = {
#include "tests/counts/sources.def"
};

#define KILN_CHOICE(name, text, may_be_off) {text, may_be_off},
static const struct choice {
  const char *text;
  bool may_be_off; // there is a slower way
} choices[] = {
#include "backends/common/choices.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- machine code --------------------------------------------------------------------------------------------------

struct count {
  uint64_t loops, instructions, weighted;
};

struct place { // of a label, or of a jump back to one
  const char *name;
  size_t size, at, last_jump; // last_jump: 0 where none leads back
};

struct function {
  struct place *labels;
  size_t label_count, size; // instructions
};

static void *grow(void *array, size_t count, size_t size) {
  void *grown = count & (count - 1) ? array : realloc(array, (count ? 2 * count : 1) * size);
  if (!grown)
    exit(3);
  return grown;
}

static void add_label(struct function *f, const char *name, size_t size) {
  f->labels = grow(f->labels, f->label_count, sizeof *f->labels);
  f->labels[f->label_count++] = (struct place){name, size, f->size, 0};
}

// Jumps forward meet no label.
static void add_instruction(struct function *f, const char *text, size_t size) {
  const char *target = *text == 'j' ? memchr(text, '\t', size) : NULL;
  f->size++;
  for (size_t i = 0; target && i < f->label_count; i++) {
    struct place *label = &f->labels[i];
    if (label->size == size - (size_t)(target + 1 - text) && memcmp(label->name, target + 1, label->size) == 0)
      label->last_jump = f->size;
  }
}

static void add_function(struct function *f, struct count *count) {
  unsigned char *depth = calloc(f->size + 1, 1);
  if (!depth)
    exit(3);
  for (size_t i = 0; i < f->label_count; i++) {
    count->loops += f->labels[i].last_jump != 0;
    for (size_t k = f->labels[i].at; k < f->labels[i].last_jump; k++)
      depth[k] += depth[k] < MAX_DEPTH;
  }
  for (size_t i = 0; i < f->size; i++)
    count->weighted += 1u << (WEIGHT_BITS * depth[i]);
  count->instructions += f->size;
  free(depth);
  free(f->labels);
  *f = (struct function){0};
}

// Whether a line begins another function: its name is then in *name.
static bool begins_function(const char *line, size_t size, const char **name, size_t *name_size) {
  static const char head[] = "\t.type\t", tail[] = ",@function";
  if (size < sizeof head + sizeof tail || memcmp(line, head, sizeof head - 1) != 0 ||
      memcmp(line + size - (sizeof tail - 1), tail, sizeof tail - 1) != 0)
    return false;
  *name = line + sizeof head - 1;
  *name_size = size - (sizeof head - 1) - (sizeof tail - 1);
  return true;
}

// Counts the functions whose names begin with that of the kernel and a dot: the kernel and its parts.
static struct count count_kernel(const char *assembly, const char *kernel, size_t kernel_size) {
  struct count count = {0};
  struct function f = {0};
  bool within = false;
  for (const char *line = assembly, *end; *line; line = end + (*end == '\n')) {
    const char *name;
    size_t name_size, size = strcspn(line, "\n");
    end = line + size;
    if (begins_function(line, size, &name, &name_size)) {
      add_function(&f, &count);
      within = name_size > kernel_size && memcmp(name, kernel, kernel_size) == 0 && name[kernel_size] == '.';
    } else if (within && *line == '\t' && size > 1 && line[1] != '.') {
      add_instruction(&f, line + 1, size - 1);
    } else if (within && *line == '.' && line[size - 1] == ':') {
      add_label(&f, line, size - 1);
    }
  }
  add_function(&f, &count);
  return count;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

struct row {
  char *key; // FILE[ OPTIONS] ARCH KERNEL
  struct count count;
  char *plan;
  bool met;
};

struct table {
  struct row rows[MAX_ROWS];
  size_t count;
};

static struct row *new_row(struct table *table) {
  if (table->count == MAX_ROWS) {
    fprintf(stderr, "counts: there are more than %d rows\n", MAX_ROWS);
    exit(3);
  }
  return &table->rows[table->count++];
}

static char *stage_of(struct kiln_context *ctx, const struct kiln_program_desc *desc, const char *stage) {
  void *data;
  size_t size;
  if (kiln_compile_stage(ctx, desc, stage, &data, &size, NULL) != KILN_OK) {
    fprintf(stderr, "counts: %s: %s\n", desc->name, kiln_last_error());
    exit(1);
  }
  char *text = strndup(data, size);
  kiln_free(data);
  if (!text)
    exit(3);
  return text;
}

// Kernels that compute what a case of tests/exec is to give, one work-item after another.
static bool is_formula(const char *name, const char *end) {
  static const char suffix[] = "_formula";
  size_t size = sizeof suffix - 1;
  return (size_t)(end - name) > size && memcmp(end - size, suffix, size) == 0;
}

// Each line of the plan is of a kernel, but for those of its schedule, which begin with a space.
static void add_rows(struct table *table, struct kiln_context *ctx, const char *folder, const struct source *source,
                     const char *arch) {
  char path[4096], *text;
  size_t size;
  snprintf(path, sizeof path, "%s/%s", folder, source->file);
  if (kiln_file_read(path, &text, &size) != 0) {
    fprintf(stderr, "counts: %s cannot be read\n", path);
    exit(1);
  }
  const struct kiln_program_desc desc = {
      .source = text, .size = size, .name = source->file, .options = source->options};
  char *plan = stage_of(ctx, &desc, "plan"), *assembly = stage_of(ctx, &desc, "s");
  for (const char *line = plan; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (*line == ' ')
      continue;
    const char *colon = strstr(line, ": ");
    if (is_formula(line, colon))
      continue;
    struct row *row = new_row(table);
    struct kiln_strbuf key = {0};
    kiln_strbuf_printf(&key, "%s%s%s %s %.*s", source->file, *source->options ? " " : "", source->options, arch,
                       (int)(colon - line), line);
    row->key = kiln_strbuf_take(&key);
    row->count = count_kernel(assembly, line, (size_t)(colon - line));
    row->plan = strndup(colon + 2, strcspn(colon + 2, "\n"));
  }
  free(assembly);
  free(plan);
  free(text);
}

static void compile_all(struct table *table, const char *folder) {
  for (size_t a = 0; a < COUNT(archs); a++) {
    struct kiln_context *ctx;
    const struct kiln_context_desc desc = {.backend = "cpu", .arch = archs[a], .cache_mode = "off"};
    if (kiln_context_open(&desc, &ctx) != KILN_OK) {
      fprintf(stderr, "counts: %s: %s\n", archs[a], kiln_last_error());
      exit(1);
    }
    for (size_t i = 0; i < COUNT(sources); i++)
      add_rows(table, ctx, folder, &sources[i], archs[a]);
    kiln_context_close(ctx);
  }
}

// ---- the table -----------------------------------------------------------------------------------------------------

static const char table_head[] = "# What becomes of kernels on the CPU; counts.c says what the numbers are.\n"
                                 "# build/tests/counts_test --bless . writes them again.\n";

static void read_table(struct table *table, char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    struct row row = {.key = line};
    char *colon = strstr(line, ": "), *plan = strstr(line, "; ");
    unsigned long long numbers[3];
    if (*line == '#')
      continue;
    if (!colon || !plan ||
        sscanf(colon, ": loops %llu, instructions %llu, weighted %llu;", &numbers[0], &numbers[1], &numbers[2]) != 3) {
      fprintf(stderr, "counts: this is no line of the table: %s\n", line);
      exit(1);
    }
    *colon = 0;
    row.plan = plan + 2;
    row.count = (struct count){numbers[0], numbers[1], numbers[2]};
    *new_row(table) = row;
  }
}

static void write_table(const struct table *table, const char *path) {
  struct kiln_strbuf out = {0};
  kiln_strbuf_puts(&out, table_head);
  for (size_t i = 0; i < table->count; i++) {
    const struct row *r = &table->rows[i];
    kiln_strbuf_printf(&out, "%s: loops %llu, instructions %llu, weighted %llu; %s\n", r->key,
                       (unsigned long long)r->count.loops, (unsigned long long)r->count.instructions,
                       (unsigned long long)r->count.weighted, r->plan);
  }
  if (out.failed || kiln_file_write(path, out.data, out.size) != 0) {
    fprintf(stderr, "counts: %s cannot be written\n", path);
    exit(1);
  }
  kiln_strbuf_free(&out);
}

static struct row *find(struct table *table, const char *key) {
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->rows[i].key, key) == 0)
      return &table->rows[i];
  return NULL;
}

static int differs(const char *key, const char *what, uint64_t was, uint64_t now) {
  uint64_t distance = was < now ? now - was : was - now;
  if (distance <= was * TOLERANCE_PERCENT / 100)
    return 0;
  printf("%s: %llu %s instead of %llu (%+.1f %%)\n", key, (unsigned long long)now, what, (unsigned long long)was,
         was ? 100 * ((double)now - (double)was) / (double)was : 100.0);
  return 1;
}

static int compare(struct table *now, struct table *before) {
  int differences = 0;
  for (size_t i = 0; i < now->count; i++) {
    const struct row *row = &now->rows[i];
    struct row *old = find(before, row->key);
    if (!old) {
      printf("%s: it is not in the table\n", row->key);
      differences++;
      continue;
    }
    old->met = true;
    differences += differs(row->key, "loops", old->count.loops, row->count.loops);
    differences += differs(row->key, "instructions", old->count.instructions, row->count.instructions);
    differences += differs(row->key, "weighted instructions", old->count.weighted, row->count.weighted);
    if (strcmp(old->plan, row->plan) != 0) {
      printf("%s: the plan is\n  %s\ninstead of\n  %s\n", row->key, row->plan, old->plan);
      differences++;
    }
  }
  for (size_t i = 0; i < before->count; i++)
    if (!before->rows[i].met) {
      printf("%s: it is in the table only\n", before->rows[i].key);
      differences++;
    }
  return differences;
}

// Each way of compiling that is there for speed is in some plan, so that none vanishes unseen.
static int missing_choices(const struct table *table) {
  int missing = 0;
  for (size_t c = 0; c < COUNT(choices); c++) {
    char word[64];
    bool found = !choices[c].may_be_off;
    snprintf(word, sizeof word, ", %s ", choices[c].text);
    for (size_t i = 0; i < table->count && !found; i++)
      found = strstr(table->rows[i].plan, word) != NULL;
    if (!found) {
      printf("no kernel of sources.def has '%s' in its plan\n", choices[c].text);
      missing++;
    }
  }
  return missing;
}

int main(int argc, char **argv) {
  static struct table now, before;
  bool bless = argc > 1 && strcmp(argv[1], "--bless") == 0;
  if (argc != 2 + bless) {
    fprintf(stderr, "usage: counts_test [--bless] SOURCE_FOLDER\n");
    return 2;
  }
  const char *folder = argv[1 + bless];
  char path[4096], *text = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/tests/counts/counts.txt", folder);
  compile_all(&now, folder);
  if (kiln_file_read(path, &text, &size) == 0)
    read_table(&before, text);
  int failures = missing_choices(&now), differences = compare(&now, &before);
  if (bless)
    write_table(&now, path);
  else if (differences)
    printf("If that is meant: build/tests/counts_test --bless .\n");
  printf("%zu kernels, %d differences\n", now.count, differences);
  for (size_t i = 0; i < now.count; i++) {
    free(now.rows[i].key);
    free(now.rows[i].plan);
  }
  free(text);
  return failures || (differences && !bless);
}
