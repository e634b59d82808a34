// An expression fuser: an arithmetic expression over the columns of a CSV file, with a filter and an aggregate, becomes
// one kernel. The kernel is built with kiln/ir.h: no source text is written or parsed, on any backend.
//
//   fuse FILE.csv EXPRESSION [--where EXPRESSION] [--sum | --min | --max | --mean | --count]
//   fuse prices.csv 'price * quantity * (1 - discount)' --where 'quantity >= 10' --sum
//
// Names are columns. Operators, loosest first: || && (< <= > >= == !=) (+ -) (* /) - ! and the functions sqrt exp log
// sin cos abs floor (of one operand) and min max pow. Everything is computed in double precision.
#include <ctype.h>
#include <kiln/ir.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "example.h"

enum { MAX_COLUMNS = 64, MAX_NAME = 64, MAX_DEPTH = 200, CHUNK = 256 };

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fuse: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

// ---- the table -----------------------------------------------------------------------------------------------------

struct table {
  char names[MAX_COLUMNS][MAX_NAME];
  double *columns[MAX_COLUMNS];
  int column_count;
  size_t row_count, capacity;
};

static char *cut(char **line) {
  char *field = *line, *comma = strchr(field, ',');
  *line = comma ? comma + 1 : NULL;
  if (comma)
    *comma = 0;
  while (isspace((unsigned char)*field))
    field++;
  for (size_t n = strlen(field); n && isspace((unsigned char)field[n - 1]);)
    field[--n] = 0;
  return field;
}

static void read_row(struct table *t, char *line, const char *path) {
  if (t->row_count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 1024;
    for (int c = 0; c < t->column_count; c++) {
      t->columns[c] = realloc(t->columns[c], t->capacity * sizeof(double));
      if (!t->columns[c])
        die("out of memory");
    }
  }
  for (int c = 0; c < t->column_count; c++) {
    char *field = line ? cut(&line) : (char *)"", *end;
    t->columns[c][t->row_count] = strtod(field, &end);
    if (end == field || *end)
      die("%s: row %zu: '%s' in column '%s' is not a number", path, t->row_count + 1, field, t->names[c]);
  }
  t->row_count++;
}

static void read_table(struct table *t, const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  if (!file)
    die("%s cannot be read", path);
  for (bool head = true; getline(&line, &room, file) > 0; head = false) {
    char *rest = line;
    rest[strcspn(rest, "\r\n")] = 0;
    if (!head && *rest)
      read_row(t, rest, path);
    while (head && rest) {
      if (t->column_count == MAX_COLUMNS)
        die("%s has more than %d columns", path, MAX_COLUMNS);
      snprintf(t->names[t->column_count++], MAX_NAME, "%s", cut(&rest));
    }
  }
  free(line);
  fclose(file);
  if (!t->row_count)
    die("%s has no rows", path);
}

// ---- expression to IR: every parse function emits the code for what it has read -------------------------------------

struct fuser {
  const struct table *table;
  const char *text, *at; // of the expression that is read
  struct kiln_builder b; // inside the loop over rows
  kiln_value row;
  kiln_value loaded[MAX_COLUMNS]; // of this row; 0: not yet
  int params[MAX_COLUMNS];        // of the kernel, by column; -1: not used
  int depth;
};

static kiln_value parse_or(struct fuser *f);

static kiln_type number_type(void) { return kiln_scalar_type(KILN_F64); }

static void blanks(struct fuser *f) {
  while (isspace((unsigned char)*f->at))
    f->at++;
}

static bool take(struct fuser *f, const char *token) {
  blanks(f);
  size_t size = strlen(token);
  if (strncmp(f->at, token, size) != 0)
    return false;
  f->at += size;
  return true;
}

__attribute__((noreturn)) static void wrong(const struct fuser *f, const char *what) {
  die("%s\n  %s\n  %*s^", what, f->text, (int)(f->at - f->text), "");
}

static void need(struct fuser *f, const char *token) {
  char what[32];
  snprintf(what, sizeof what, "'%s' is missing", token);
  if (!take(f, token))
    wrong(f, what);
}

// Truth is a number, 0 or 1, as in C.
static kiln_value from_bool(struct fuser *f, kiln_value condition) {
  struct kiln_function *fn = f->b.fn;
  return kiln_build3(&f->b, KILN_OP_SELECT, condition, kiln_const_float(fn, number_type(), 1),
                     kiln_const_float(fn, number_type(), 0));
}
static kiln_value to_bool(struct fuser *f, kiln_value value) {
  return kiln_build2(&f->b, KILN_OP_FNE, value, kiln_const_float(f->b.fn, number_type(), 0));
}

static const struct {
  const char *name;
  enum kiln_op op;
  int operands;
} functions[] = {{"sqrt", KILN_OP_SQRT, 1},   {"exp", KILN_OP_EXP, 1},  {"log", KILN_OP_LOG, 1},
                 {"sin", KILN_OP_SIN, 1},     {"cos", KILN_OP_COS, 1},  {"abs", KILN_OP_FABS, 1},
                 {"floor", KILN_OP_FLOOR, 1}, {"min", KILN_OP_FMIN, 2}, {"max", KILN_OP_FMAX, 2},
                 {"pow", KILN_OP_POW, 2}};

static kiln_value parse_call(struct fuser *f, const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, name) != 0)
      continue;
    kiln_value operands[2] = {parse_or(f), 0};
    if (functions[i].operands == 2) {
      need(f, ",");
      operands[1] = parse_or(f);
    }
    need(f, ")");
    return kiln_build(&f->b, functions[i].op, 0, operands, (uint32_t)functions[i].operands, 0, 0, 0);
  }
  wrong(f, "there is no function of this name");
}

static kiln_value parse_name(struct fuser *f) {
  char name[MAX_NAME];
  size_t n = 0;
  while (isalnum((unsigned char)*f->at) || *f->at == '_') {
    if (n < MAX_NAME - 1)
      name[n++] = *f->at;
    f->at++;
  }
  name[n] = 0;
  if (take(f, "("))
    return parse_call(f, name);
  for (int c = 0; c < f->table->column_count; c++) {
    if (strcmp(f->table->names[c], name) != 0)
      continue;
    if (!f->loaded[c]) {
      kiln_value base = f->b.fn->params[f->params[c]].value;
      f->loaded[c] = kiln_build_load(&f->b, number_type(), kiln_build_padd(&f->b, base, f->row, 8), 8, 0);
    }
    return f->loaded[c];
  }
  wrong(f, "there is no column of this name");
}

static kiln_value parse_primary(struct fuser *f) {
  if (++f->depth > MAX_DEPTH)
    wrong(f, "this is nested too deeply");
  kiln_value value;
  blanks(f);
  if (take(f, "(")) {
    value = parse_or(f);
    need(f, ")");
  } else if (take(f, "-")) {
    value = kiln_build1(&f->b, KILN_OP_FNEG, 0, parse_primary(f));
  } else if (take(f, "!")) {
    value = from_bool(f, kiln_build1(&f->b, KILN_OP_BNOT, 0, to_bool(f, parse_primary(f))));
  } else if (isdigit((unsigned char)*f->at) || *f->at == '.') {
    char *end;
    value = kiln_const_float(f->b.fn, number_type(), strtod(f->at, &end));
    f->at = end;
  } else if (isalpha((unsigned char)*f->at) || *f->at == '_') {
    value = parse_name(f);
  } else {
    wrong(f, "a number, a column or '(' is missing");
  }
  f->depth--;
  return value;
}

static kiln_value parse_product(struct fuser *f) {
  kiln_value value = parse_primary(f);
  for (;;) {
    if (take(f, "*"))
      value = kiln_build2(&f->b, KILN_OP_FMUL, value, parse_primary(f));
    else if (take(f, "/"))
      value = kiln_build2(&f->b, KILN_OP_FDIV, value, parse_primary(f));
    else
      return value;
  }
}

static kiln_value parse_sum(struct fuser *f) {
  kiln_value value = parse_product(f);
  for (;;) {
    if (take(f, "+"))
      value = kiln_build2(&f->b, KILN_OP_FADD, value, parse_product(f));
    else if (take(f, "-"))
      value = kiln_build2(&f->b, KILN_OP_FSUB, value, parse_product(f));
    else
      return value;
  }
}

static kiln_value parse_comparison(struct fuser *f) {
  static const struct {
    const char *token;
    enum kiln_op op;
    bool swapped;
  } all[] = {{"<=", KILN_OP_FLE, false}, {">=", KILN_OP_FLE, true}, {"==", KILN_OP_FEQ, false},
             {"!=", KILN_OP_FNE, false}, {"<", KILN_OP_FLT, false}, {">", KILN_OP_FLT, true}};
  kiln_value left = parse_sum(f);
  for (int i = 0; i < 6; i++) {
    if (!take(f, all[i].token))
      continue;
    kiln_value right = parse_sum(f);
    return from_bool(f, all[i].swapped ? kiln_build2(&f->b, all[i].op, right, left)
                                       : kiln_build2(&f->b, all[i].op, left, right));
  }
  return left;
}

// Both sides are computed: they have no effects.
static kiln_value parse_and(struct fuser *f) {
  kiln_value value = parse_comparison(f);
  while (take(f, "&&")) {
    kiln_value right = to_bool(f, parse_comparison(f));
    value = from_bool(f, kiln_build2(&f->b, KILN_OP_BAND, to_bool(f, value), right));
  }
  return value;
}

static kiln_value parse_or(struct fuser *f) {
  kiln_value value = parse_and(f);
  while (take(f, "||")) {
    kiln_value right = to_bool(f, parse_and(f));
    value = from_bool(f, kiln_build2(&f->b, KILN_OP_BOR, to_bool(f, value), right));
  }
  return value;
}

static kiln_value parse(struct fuser *f, const char *text) {
  f->text = f->at = text;
  kiln_value value = parse_or(f);
  blanks(f);
  if (*f->at)
    wrong(f, "an operator is missing");
  return value;
}

// ---- the kernel ----------------------------------------------------------------------------------------------------

enum aggregate { SUM, MIN, MAX, MEAN, COUNT };
static const char *const aggregate_names[] = {"--sum", "--min", "--max", "--mean", "--count"};

struct query {
  const char *expression, *where; // where NULL: all rows
  enum aggregate aggregate;
};

static double first_value(enum aggregate a) { return a == MIN ? INFINITY : a == MAX ? -INFINITY : 0; }

// Every column is a parameter, but for those that neither expression names.
static uint32_t add_params(struct fuser *f, struct kiln_param *params, const struct query *q) {
  uint32_t count = 0;
  for (int c = 0; c < f->table->column_count; c++) {
    const char *name = f->table->names[c];
    bool used = *name && (strstr(q->expression, name) || (q->where && strstr(q->where, name)));
    f->params[c] = used ? (int)count : -1;
    if (used)
      params[count++] = (struct kiln_param){
          .name = name, .type_name = "double*", .type = kiln_ptr_type(KILN_GLOBAL), .align = 8, .is_const = true};
  }
  params[count++] =
      (struct kiln_param){.name = "result", .type_name = "double*", .type = kiln_ptr_type(KILN_GLOBAL), .align = 8};
  params[count++] = (struct kiln_param){.name = "rows", .type_name = "ulong", .type = kiln_scalar_type(KILN_I64)};
  return count;
}

static kiln_value combine(struct kiln_builder *b, enum aggregate a, kiln_value x, kiln_value y) {
  switch (a) {
  case SUM:
  case MEAN:
  case COUNT:
    return kiln_build2(b, KILN_OP_FADD, x, y);
  case MIN:
    return kiln_build2(b, KILN_OP_FMIN, x, y);
  case MAX:
    return kiln_build2(b, KILN_OP_FMAX, x, y);
  }
  return 0;
}

// Work-item i takes the rows from i * CHUNK on and writes its aggregate and number of rows to result[2 * i]:
//   loop (k = 0, acc = first, n = 0) { if (k == CHUNK || row >= rows) break; …; continue }
static struct kiln_module *build(struct fuser *f, const struct query *q) {
  struct kiln_module *module = kiln_module_new();
  struct kiln_param params[MAX_COLUMNS + 2];
  uint32_t count = add_params(f, params, q);
  struct kiln_function *fn =
      module ? kiln_module_add_function(module, "fused", true, kiln_scalar_type(KILN_VOID), params, count) : NULL;
  if (!fn)
    die("out of memory");
  kiln_type i64 = kiln_scalar_type(KILN_I64);
  kiln_value zero = kiln_const_float(fn, number_type(), 0), one = kiln_const_float(fn, number_type(), 1);
  struct kiln_builder b = kiln_builder_at_end(fn, fn->body);
  kiln_value item = kiln_build_item(&b, KILN_OP_GLOBAL_ID, 0);
  kiln_value first_row = kiln_build2(&b, KILN_OP_IMUL, item, kiln_const(fn, i64, CHUNK));

  kiln_value initial[] = {kiln_const(fn, i64, 0), kiln_const_float(fn, number_type(), first_value(q->aggregate)), zero};
  kiln_value loop = kiln_build_loop(&b, initial, 3);
  kiln_value total = kiln_node_add_result(fn, loop, number_type());
  kiln_value taken = kiln_node_add_result(fn, loop, number_type());
  kiln_value k = kiln_node(fn, loop)->header.items[0], acc = kiln_node(fn, loop)->header.items[1],
             n = kiln_node(fn, loop)->header.items[2];
  f->b = kiln_builder_at_end(fn, kiln_node(fn, loop)->region_first);
  f->row = kiln_build2(&f->b, KILN_OP_IADD, first_row, k);
  kiln_value full = kiln_build2(&f->b, KILN_OP_EQ, k, kiln_const(fn, i64, CHUNK));
  kiln_value past = kiln_build2(&f->b, KILN_OP_ULE, fn->params[count - 1].value, f->row);
  kiln_value stop = kiln_build_if(&f->b, kiln_build2(&f->b, KILN_OP_BOR, full, past));
  uint32_t regions = kiln_node(fn, stop)->region_first;
  struct kiln_builder then = kiln_builder_at_end(fn, regions), otherwise = kiln_builder_at_end(fn, regions + 1);
  kiln_build_break(&then, loop, (kiln_value[]){acc, n}, 2);
  kiln_build_yield(&otherwise, NULL, 0);

  kiln_value value = parse(f, q->expression);
  kiln_value next = combine(&f->b, q->aggregate, acc, q->aggregate == COUNT ? one : value), number = one;
  if (q->where) { // a row that is left out changes nothing
    kiln_value keep = to_bool(f, parse(f, q->where));
    next = kiln_build3(&f->b, KILN_OP_SELECT, keep, next, acc);
    number = kiln_build3(&f->b, KILN_OP_SELECT, keep, one, zero);
  }
  kiln_value step = kiln_build2(&f->b, KILN_OP_IADD, k, kiln_const(fn, i64, 1));
  kiln_build_continue(&f->b, loop, (kiln_value[]){step, next, kiln_build2(&f->b, KILN_OP_FADD, n, number)}, 3);

  kiln_value to = kiln_build_padd(&b, fn->params[count - 2].value, item, 16);
  kiln_build_store(&b, to, total, 8, 0);
  kiln_build_store(&b, kiln_build_padd(&b, to, kiln_const(fn, i64, 1), 8), taken, 8, 0);
  kiln_build_return(&b, 0);
  return module;
}

// ---- running -------------------------------------------------------------------------------------------------------

static void run(const struct fuser *f, const struct query *q, const struct kiln_module *module) {
  const struct table *t = f->table;
  struct kiln_context *context;
  struct kiln_program *program;
  struct kiln_kernel *kernel;
  struct kiln_stream *stream;
  struct kiln_buffer *buffers[MAX_COLUMNS + 1];
  struct kiln_arg args[MAX_COLUMNS + 2];
  uint32_t count = 0;
  size_t items = (t->row_count + CHUNK - 1) / CHUNK;
  check(kiln_context_open(NULL, &context));
  check(kiln_program_create(
      context, &(struct kiln_program_desc){.kind = KILN_SOURCE_MODULE, .module = module, .name = "fused"}, &program));
  check(kiln_kernel_create(program, "fused", &kernel));
  check(kiln_stream_create(context, 0, &stream));
  for (int c = 0; c < t->column_count; c++) {
    if (f->params[c] < 0)
      continue;
    struct kiln_buffer_desc desc = {.size = t->row_count * sizeof(double), .host = t->columns[c]};
    check(kiln_buffer_create(context, &desc, &buffers[count]));
    args[count] = kiln_arg_buffer(buffers[count]);
    count++;
  }
  double *partial = malloc(items * 2 * sizeof *partial);
  if (!partial)
    die("out of memory");
  uint64_t rows = t->row_count;
  check(kiln_buffer_create(context, &(struct kiln_buffer_desc){.size = items * 16}, &buffers[count]));
  args[count] = kiln_arg_buffer(buffers[count]);
  args[count + 1] = kiln_arg_value(&rows, sizeof rows);
  struct kiln_launch_desc desc = {.global = {items}, .args = args, .arg_count = count + 2};
  check(kiln_launch(stream, kernel, &desc, NULL));
  check(kiln_read(stream, buffers[count], 0, partial, items * 16, NULL));
  check(kiln_stream_finish(stream));

  double total = first_value(q->aggregate), taken = 0;
  for (size_t i = 0; i < items; i++) {
    double x = partial[2 * i];
    total = q->aggregate == MIN ? fmin(total, x) : q->aggregate == MAX ? fmax(total, x) : total + x;
    taken += partial[2 * i + 1];
  }
  printf("%.10g of %.0f rows\n", q->aggregate == MEAN ? total / taken : total, taken);
  free(partial);
  for (uint32_t i = 0; i <= count; i++)
    kiln_buffer_release(buffers[i]);
  kiln_stream_release(stream);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_context_close(context);
}

int main(int argc, char **argv) {
  struct table table = {.column_count = 0};
  struct query query = {.aggregate = SUM};
  struct fuser fuser = {.table = &table};
  bool print = false;
  if (argc < 3)
    die("usage: fuse FILE.csv EXPRESSION [--where EXPRESSION] [--sum|--min|--max|--mean|--count] [--ir]");
  for (int i = 3; i < argc; i++) {
    int a = 0;
    while (a < 5 && strcmp(argv[i], aggregate_names[a]) != 0)
      a++;
    if (a < 5)
      query.aggregate = (enum aggregate)a;
    else if (strcmp(argv[i], "--ir") == 0)
      print = true;
    else if (strcmp(argv[i], "--where") == 0 && i + 1 < argc)
      query.where = argv[++i];
    else
      die("'%s' is unknown, or lacks its value", argv[i]);
  }
  query.expression = argv[2];
  read_table(&table, argv[1]);
  struct kiln_module *module = build(&fuser, &query);
  if (print) {
    char *text;
    check(kiln_module_print(module, &text));
    fputs(text, stdout);
    kiln_free(text);
  }
  run(&fuser, &query, module);
  kiln_module_free(module);
  for (int c = 0; c < table.column_count; c++)
    free(table.columns[c]);
  return 0;
}
