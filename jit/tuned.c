// Reading tuning records back: what a tuned launch runs.
//
// A launch is found again by the values of the arguments that the kernel's expressions name, in a small table. Only new
// values are a matter for the records: of the launch's own size class, else of the nearest one.
#include "jit/tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/stream.h"

enum {
  MEMO_SLOTS = 64, // launches that are remembered
  MEMO_ARGS = 8,   // of kernels whose expressions name no more arguments
  NEAR = 2,        // a class is near another one when no key differs by more than 2 to this
};

// A variant that a point needs.
struct variant {
  struct variant *next;
  struct kiln_kernel kernel;
  char options[];
};

struct size_class {
  struct size_class *next;
  uint32_t device;
  uint8_t exponents[16];
  bool has_record, is_own; // a record that is near; its own
  bool is_tried;           // COMPILE_TUNE=auto has measured it
  struct kiln_tune_record record;
  uint32_t map[KILN_TUNING_MAX_PARAMS];
};

struct memo {
  bool is_used;
  uint32_t device;
  int64_t args[MEMO_ARGS];
  struct kiln_tuned_launch launch;
};

struct kiln_tuned {
  struct kiln_tuned *next;
  uint32_t index; // of the kernel
  enum kiln_tune_mode mode;
  struct kiln_tuning tuning;
  pthread_mutex_t lock; // of what follows
  struct variant *variants;
  struct size_class *classes;
  uint64_t generation; // of the records: kiln_context.tune_generation
  struct memo memo[MEMO_SLOTS];
};

enum kiln_status kiln_tuned_mode(const struct kiln_context *ctx, enum kiln_tune_mode *out) {
  static const char *const words[] = {"on", "off", "require", "auto"};
  const char *value = kiln_env_get(&ctx->env, KILN_ENV_TUNE);
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(value, words[i]) == 0) {
      *out = (enum kiln_tune_mode)i;
      return KILN_OK;
    }
  return kiln_error(KILN_ERR_INVALID, "COMPILE_TUNE is '%s'; it must be on, off, require or auto", value);
}

// ---- the state of a kernel ------------------------------------------------------------------------------------------

static enum kiln_status create(struct kiln_kernel *kernel, const char *text, struct kiln_tuned **out) {
  const char *name = kiln_kernel_info(kernel)->name;
  struct kiln_tuned *tuned = calloc(1, sizeof *tuned);
  if (!tuned)
    return kiln_error_memory();
  const char *fault = kiln_tuning_read(text, &tuned->tuning);
  enum kiln_status status =
      fault ? kiln_error(KILN_ERR_INVALID, "kernel '%s': what is tuned of it is not well-formed: %s", name, fault)
            : kiln_tuned_mode(kernel->program->ctx, &tuned->mode);
  for (uint32_t i = 0; i < tuned->tuning.arg_count && status == KILN_OK; i++)
    if (tuned->tuning.args[i].index >= kiln_kernel_info(kernel)->arg_count)
      status = kiln_error(KILN_ERR_INVALID, "kernel '%s': what is tuned of it names an argument that it lacks", name);
  if (status != KILN_OK) {
    kiln_tuning_free(&tuned->tuning);
    free(tuned);
    return status;
  }
  tuned->index = kernel->index;
  pthread_mutex_init(&tuned->lock, NULL);
  *out = tuned;
  return KILN_OK;
}

static struct kiln_tuned *find(const struct kiln_program *program, uint32_t index) {
  struct kiln_tuned *tuned = atomic_load_explicit(&program->tuned, memory_order_acquire);
  while (tuned && tuned->index != index)
    tuned = tuned->next;
  return tuned;
}

enum kiln_status kiln_tuned_of(struct kiln_kernel *kernel, struct kiln_tuned **out) {
  struct kiln_program *program = kernel->program;
  *out = find(program, kernel->index);
  if (*out)
    return KILN_OK;
  const char *text = program->binary->reflection.wishes[kernel->index].tuning;
  if (!*text)
    return KILN_ERR_NOT_FOUND;
  enum kiln_status status = KILN_OK;
  pthread_mutex_lock(&program->binary->lock);
  *out = find(program, kernel->index);
  if (!*out && (status = create(kernel, text, out)) == KILN_OK) {
    (*out)->next = atomic_load(&program->tuned);
    atomic_store_explicit(&program->tuned, *out, memory_order_release);
  }
  pthread_mutex_unlock(&program->binary->lock);
  return status;
}

const struct kiln_tuning *kiln_tuned_description(const struct kiln_tuned *tuned) { return &tuned->tuning; }

static void forget_classes(struct kiln_tuned *tuned) {
  for (struct size_class *c = tuned->classes, *next; c; c = next) {
    next = c->next;
    if (c->has_record)
      kiln_tune_record_free(&c->record);
    free(c);
  }
  tuned->classes = NULL;
  for (int i = 0; i < MEMO_SLOTS; i++)
    tuned->memo[i].is_used = false;
}

void kiln_tuned_free(struct kiln_program *program) {
  for (struct kiln_tuned *tuned = atomic_load(&program->tuned), *next; tuned; tuned = next) {
    next = tuned->next;
    forget_classes(tuned);
    for (struct variant *v = tuned->variants, *after; v; v = after) {
      after = v->next;
      free(v);
    }
    pthread_mutex_destroy(&tuned->lock);
    kiln_tuning_free(&tuned->tuning);
    free(tuned);
  }
}

// ---- arguments, classes, sizes --------------------------------------------------------------------------------------

bool kiln_tuned_args(const struct kiln_tuned *tuned, const struct kiln_launch_desc *desc, int64_t *out) {
  for (uint32_t i = 0; i < tuned->tuning.arg_count; i++) {
    const struct kiln_tuning_arg *want = &tuned->tuning.args[i];
    if (want->index >= desc->arg_count || !desc->args)
      return false;
    const struct kiln_arg *arg = &desc->args[want->index];
    if (arg->kind != KILN_ARG_VALUE || arg->size != want->bytes || !arg->data)
      return false;
    uint64_t bits = 0;
    memcpy(&bits, arg->data, want->bytes); // little-endian, as every machine that Kiln runs on
    unsigned unused = 64 - 8 * want->bytes;
    out[i] = want->is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
  }
  return true;
}

static enum kiln_status divides_by_zero(const struct kiln_tuned *tuned, uint32_t expr) {
  return kiln_error(KILN_ERR_INVALID, "a tuned launch: '%s' divides by zero with these arguments",
                    tuned->tuning.exprs[expr].text);
}

enum kiln_status kiln_tuned_class(const struct kiln_tuned *tuned, const int64_t *args, uint8_t size_class[16]) {
  const struct kiln_tuning *t = &tuned->tuning;
  int64_t defaults[KILN_TUNING_MAX_PARAMS], value;
  for (uint32_t i = 0; i < t->param_count; i++)
    defaults[i] = t->params[i].values[0];
  memset(size_class, 0, 16);
  for (uint32_t i = 0; i < t->counts[KILN_TUNING_KEY]; i++) {
    if (!kiln_tuning_value(t, t->first[KILN_TUNING_KEY][i], defaults, args, &value))
      return divides_by_zero(tuned, t->first[KILN_TUNING_KEY][i]);
    size_class[i] = value <= 1 ? 0 : (uint8_t)(64 - __builtin_clzll((uint64_t)value - 1));
  }
  return KILN_OK;
}

// The value of the expression of a kind in a dimension; otherwise: where it has none.
static enum kiln_status size_of(const struct kiln_tuned *tuned, enum kiln_tuning_kind kind, uint32_t dimension,
                                const int64_t *values, const int64_t *args, uint64_t otherwise, uint64_t *out) {
  const struct kiln_tuning *t = &tuned->tuning;
  int64_t value;
  *out = otherwise;
  if (dimension >= t->counts[kind])
    return KILN_OK;
  uint32_t expr = t->first[kind][dimension];
  if (!kiln_tuning_value(t, expr, values, args, &value))
    return divides_by_zero(tuned, expr);
  *out = (uint64_t)value;
  if (value < 0 || (kind != KILN_TUNING_PROBLEM_SIZE && !value))
    return kiln_error(KILN_ERR_INVALID, "a tuned launch: '%s' is %lld with these arguments", t->exprs[expr].text,
                      (long long)value);
  return KILN_OK;
}

// Groups are the problem by the divisor, rounded up; a divisor that is not given is the block.
static enum kiln_status sizes(const struct kiln_tuned *tuned, const int64_t *values, const int64_t *args,
                              struct kiln_tuned_launch *out) {
  const struct kiln_tuning *t = &tuned->tuning;
  enum kiln_status status = KILN_OK;
  out->work_dim = t->counts[KILN_TUNING_PROBLEM_SIZE];
  out->has_sizes = out->work_dim != 0;
  for (uint32_t d = 0; d < 3 && status == KILN_OK && out->has_sizes; d++) {
    uint64_t problem = 1, block = 1, divisor = 1;
    status = size_of(tuned, KILN_TUNING_PROBLEM_SIZE, d, values, args, 1, &problem);
    if (status == KILN_OK)
      status = size_of(tuned, KILN_TUNING_BLOCK_SIZE, d, values, args, 1, &block);
    if (status == KILN_OK)
      status = size_of(tuned, KILN_TUNING_GRID_DIVISOR, d, values, args, block, &divisor);
    if (status != KILN_OK)
      break;
    uint64_t groups = problem / divisor + (problem % divisor != 0);
    if (__builtin_mul_overflow(groups, block, &out->global[d]))
      status = kiln_error(KILN_ERR_INVALID, "a tuned launch: its size in dimension %u is too large", (unsigned)d);
    out->local[d] = t->counts[KILN_TUNING_BLOCK_SIZE] ? block : 0;
  }
  return status;
}

uint32_t kiln_tuned_put_point(const struct kiln_tuning *t, const int64_t *values, struct kiln_tune_value *out) {
  for (uint32_t i = 0; i < t->param_count; i++) {
    snprintf(out[i].name, sizeof out[i].name, "%s", t->params[i].name);
    out[i].value = values[i];
  }
  return t->param_count;
}

// ---- variants -------------------------------------------------------------------------------------------------------

static bool put_options(const struct kiln_tuning *t, const int64_t *values, struct kiln_strbuf *out) {
  kiln_strbuf_puts(out, "");
  for (uint32_t i = 0; i < t->param_count; i++) {
    const struct kiln_tuning_param *p = &t->params[i];
    bool is_given = p->is_option ? values[i] != 0 : values[i] != p->values[0];
    if (is_given)
      kiln_strbuf_printf(out, "%s%s%s=%lld", out->size ? " " : "", p->is_option ? "--kiln-" : "-D", p->name,
                         (long long)values[i]);
  }
  return !out->failed;
}

// Under the lock. NULL: it has not been needed yet.
static struct variant *find_variant(const struct kiln_tuned *tuned, const char *options) {
  struct variant *v = tuned->variants;
  while (v && strcmp(v->options, options) != 0)
    v = v->next;
  return v;
}

// The text of the options lives as long as the program, as variants need it.
static enum kiln_status make_variant(struct kiln_kernel *kernel, const char *options, bool is_launched,
                                     struct variant **out) {
  size_t size = strlen(options) + 1;
  struct kiln_drv_kernel *loaded;
  struct variant *v = calloc(1, sizeof *v + size);
  if (!v)
    return kiln_error_memory();
  memcpy(v->options, options, size);
  enum kiln_status status = is_launched ? kiln_kernel_load(kernel, &loaded) : KILN_OK; // whose variables it shares
  if (status == KILN_OK)
    status = kiln_variant_kernel(kernel->program, kernel->index, v->options, &v->kernel);
  if (status != KILN_OK) {
    free(v);
    return status;
  }
  *out = v;
  return KILN_OK;
}

static void add_variant(struct kiln_tuned *tuned, struct variant *v) {
  v->next = tuned->variants;
  tuned->variants = v;
}

// Under the lock.
static enum kiln_status variant_for(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const char *options,
                                    struct kiln_kernel *out) {
  *out = (struct kiln_kernel){.program = kernel->program, .index = kernel->index};
  if (!*options)
    return KILN_OK;
  struct variant *v = find_variant(tuned, options);
  if (!v) {
    enum kiln_status status = make_variant(kernel, options, true, &v);
    if (status != KILN_OK)
      return status;
    add_variant(tuned, v);
  }
  *out = v->kernel;
  return KILN_OK;
}

enum kiln_status kiln_tuned_compile(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const int64_t *values,
                                    bool is_launched, struct kiln_program **out) {
  struct kiln_strbuf options = {0};
  enum kiln_status status = KILN_OK;
  if (!put_options(&tuned->tuning, values, &options)) {
    kiln_strbuf_free(&options);
    return kiln_error_memory();
  }
  pthread_mutex_lock(&tuned->lock);
  struct variant *v = find_variant(tuned, options.data);
  pthread_mutex_unlock(&tuned->lock);
  if (*options.data && !v && (status = make_variant(kernel, options.data, is_launched, &v)) == KILN_OK) {
    pthread_mutex_lock(&tuned->lock);
    add_variant(tuned, v);
    pthread_mutex_unlock(&tuned->lock);
  }
  if (out)
    *out = v ? v->kernel.program : kernel->program;
  kiln_strbuf_free(&options);
  return status;
}

static enum kiln_status point(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const int64_t *values,
                              const int64_t *args, struct kiln_tuned_launch *out) {
  struct kiln_strbuf options = {0};
  memset(out, 0, sizeof *out);
  enum kiln_status status = sizes(tuned, values, args, out);
  if (status == KILN_OK)
    status = put_options(&tuned->tuning, values, &options)
                 ? variant_for(kernel, tuned, options.data ? options.data : "", &out->kernel)
                 : kiln_error_memory();
  kiln_strbuf_free(&options);
  return status;
}

enum kiln_status kiln_tuned_point(struct kiln_kernel *kernel, struct kiln_tuned *tuned, const int64_t *values,
                                  const int64_t *args, struct kiln_tuned_launch *out) {
  pthread_mutex_lock(&tuned->lock);
  enum kiln_status status = point(kernel, tuned, values, args, out);
  pthread_mutex_unlock(&tuned->lock);
  return status;
}

// ---- records --------------------------------------------------------------------------------------------------------

// Bytes of the processor's second and third caches, which the C library knows without reading files, as a first launch
// has no time for.
static void put_caches(struct kiln_strbuf *out) {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  long second = sysconf(_SC_LEVEL2_CACHE_SIZE), third = sysconf(_SC_LEVEL3_CACHE_SIZE);
  kiln_strbuf_printf(out, ", caches of %ld and %ld bytes", second, third);
#else
  (void)out;
#endif
}

void kiln_tuned_device(struct kiln_context *ctx, uint32_t device, struct kiln_strbuf *out) {
  const struct kiln_device_info *info = &ctx->devices[device];
  kiln_strbuf_printf(out, "%s, %u compute units", info->name, (unsigned)info->compute_units);
  if (info->host_memory) {
    kiln_strbuf_printf(out, ", %u threads", (unsigned)(ctx->num_threads ? ctx->num_threads : info->compute_units));
    put_caches(out);
  }
  for (size_t i = 0; i < out->size && !out->failed; i++) // one line
    if ((unsigned char)out->data[i] < ' ' || out->data[i] == 127)
      out->data[i] = ' ';
}

bool kiln_tuned_key(struct kiln_kernel *kernel, uint32_t device, const uint8_t size_class[16],
                    struct kiln_tune_key *out) {
  struct kiln_str record = kernel->program->binary->first->sections[KILN_SECTION_KEY];
  struct kiln_strbuf text = {0};
  if (!record.size)
    return false;
  kiln_tuned_device(kernel->program->ctx, device, &text);
  bool good = !text.failed && kiln_tune_record_key(record, kiln_kernel_info(kernel)->name, text.data, size_class, out);
  kiln_strbuf_free(&text);
  return good;
}

bool kiln_tuned_map(const struct kiln_tuning *tuning, const struct kiln_tune_record *record, uint32_t *map) {
  for (uint32_t i = 0; i < tuning->param_count; i++) {
    map[i] = 0;
    while (map[i] < record->parameter_count && strcmp(record->parameters[map[i]], tuning->params[i].name) != 0)
      map[i]++;
    if (map[i] == record->parameter_count)
      return false;
  }
  return true;
}

// Of two classes: the largest difference of a key, and all together; UINT32_MAX: they are not near.
static uint32_t distance(const uint8_t *a, const uint8_t *b) {
  uint32_t most = 0, sum = 0;
  for (int i = 0; i < 16; i++) {
    uint32_t d = (uint32_t)abs((int)a[i] - (int)b[i]);
    most = d > most ? d : most;
    sum += d;
  }
  return most > NEAR ? UINT32_MAX : most * 64 + sum;
}

struct nearest {
  const uint8_t *wanted;
  uint32_t distance;
  struct kiln_strbuf text;
};

static bool visit(void *user, const struct kiln_tune_key *key, const char *data, size_t size) {
  struct nearest *n = user;
  uint32_t d = distance(n->wanted, key->bytes + 16);
  if (d >= n->distance)
    return true;
  kiln_strbuf_clear(&n->text);
  kiln_strbuf_append(&n->text, data, size);
  n->distance = n->text.failed ? UINT32_MAX : d;
  return d != 0;
}

static bool take_record(const struct kiln_tuned *tuned, struct size_class *c, const char *data, size_t size) {
  if (kiln_tune_record_decode((struct kiln_str){data, size}, &c->record))
    return false;
  c->has_record = kiln_tuned_map(&tuned->tuning, &c->record, c->map);
  if (!c->has_record)
    kiln_tune_record_free(&c->record);
  return c->has_record;
}

void kiln_tuned_put_class(const struct kiln_tuning *t, const uint8_t *exponents, struct kiln_strbuf *out) {
  kiln_strbuf_puts(out, "");
  for (uint32_t i = 0; i < t->counts[KILN_TUNING_KEY]; i++)
    kiln_strbuf_printf(out, "%s%s=%llu", i ? " " : "", t->exprs[t->first[KILN_TUNING_KEY][i]].text,
                       1ull << (exponents[i] & 63));
}

static void log_missing(struct kiln_kernel *kernel, const struct kiln_tuned *tuned, const struct size_class *c,
                        const uint8_t *taken) {
  struct kiln_strbuf own = {0}, other = {0};
  kiln_tuned_put_class(&tuned->tuning, c->exponents, &own);
  if (taken)
    kiln_tuned_put_class(&tuned->tuning, taken, &other);
  kiln_context_log(kernel->program->ctx, KILN_LOG_INFO,
                   "kernel '%s' has not been tuned here for %s: it runs %s%s ('kiln tune' tunes it)",
                   kiln_kernel_info(kernel)->name, own.size ? own.data : "this device",
                   taken ? "as is best for " : "with its defaults", taken && other.data ? other.data : "");
  kiln_strbuf_free(&own);
  kiln_strbuf_free(&other);
}

// The record of a class, or the nearest one, from the cache.
static void load_record(struct kiln_kernel *kernel, const struct kiln_tuned *tuned, uint32_t device,
                        struct size_class *c) {
  struct kiln_cache *cache = kernel->program->ctx->cache;
  struct kiln_tune_key key;
  char *data = NULL;
  size_t size = 0;
  if (!cache || !kiln_tuned_key(kernel, device, c->exponents, &key))
    return;
  if (kiln_tune_load(cache, &key, true, &data, &size)) {
    c->is_own = take_record(tuned, c, data, size);
    free(data);
  }
  if (c->is_own || tuned->mode == KILN_TUNE_MODE_REQUIRE)
    return;
  struct nearest nearest = {.wanted = c->exponents, .distance = UINT32_MAX};
  kiln_tune_visit(cache, key.bytes, 16, visit, &nearest);
  bool found = nearest.distance != UINT32_MAX && take_record(tuned, c, nearest.text.data, nearest.text.size);
  uint8_t taken[16] = {0};
  for (uint32_t i = 0; found && i < c->record.class_count; i++)
    taken[i] = (uint8_t)(c->record.class_values[i] ? 63 - __builtin_clzll(c->record.class_values[i]) : 0);
  log_missing(kernel, tuned, c, found ? taken : NULL);
  kiln_strbuf_free(&nearest.text);
}

static enum kiln_status class_for(struct kiln_kernel *kernel, struct kiln_tuned *tuned, uint32_t device,
                                  const int64_t *args, struct size_class **out) {
  uint8_t exponents[16];
  enum kiln_status status = kiln_tuned_class(tuned, args, exponents);
  if (status != KILN_OK)
    return status;
  struct size_class *c = tuned->classes;
  while (c && (c->device != device || memcmp(c->exponents, exponents, sizeof exponents) != 0))
    c = c->next;
  if (!c) {
    c = calloc(1, sizeof *c);
    if (!c)
      return kiln_error_memory();
    c->device = device;
    memcpy(c->exponents, exponents, sizeof exponents);
    if (tuned->mode != KILN_TUNE_MODE_OFF)
      load_record(kernel, tuned, device, c);
    c->next = tuned->classes;
    tuned->classes = c;
  }
  *out = c;
  return KILN_OK;
}

// ---- choosing -------------------------------------------------------------------------------------------------------

static bool is_better(const struct kiln_tune_record *r, uint32_t a, uint32_t b) {
  if (b == UINT32_MAX || a == r->best || b == r->best)
    return b != r->best;
  return r->points[a].median_ns < r->points[b].median_ns;
}

enum kiln_status kiln_tuned_default(const struct kiln_kernel *kernel, const struct kiln_tuned *tuned,
                                    const int64_t *args, int64_t *values) {
  if (kiln_search_default(&tuned->tuning, args, values))
    return KILN_OK;
  return kiln_error(KILN_ERR_INVALID, "kernel '%s': its restrictions allow no point with these arguments",
                    kiln_kernel_info(kernel)->name);
}

// The fastest measured point that these arguments allow, else the default.
static enum kiln_status choose(const struct kiln_kernel *kernel, const struct kiln_tuned *tuned,
                               const struct size_class *c, const int64_t *args, int64_t *values) {
  const struct kiln_tuning *t = &tuned->tuning;
  uint32_t best = UINT32_MAX;
  for (uint32_t p = 0; c->has_record && p < c->record.point_count; p++) {
    int64_t of_point[KILN_TUNING_MAX_PARAMS];
    if (c->record.points[p].state != KILN_TUNE_OK || !is_better(&c->record, p, best))
      continue;
    for (uint32_t i = 0; i < t->param_count; i++)
      of_point[i] = c->record.points[p].values[c->map[i]];
    if (!kiln_search_is_point(t, of_point, args))
      continue;
    best = p;
    memcpy(values, of_point, t->param_count * sizeof *values);
  }
  return best == UINT32_MAX ? kiln_tuned_default(kernel, tuned, args, values) : KILN_OK;
}

// Under the lock.
static enum kiln_status resolve(struct kiln_kernel *kernel, struct kiln_tuned *tuned, uint32_t device,
                                const int64_t *args, struct kiln_tuned_launch *out, bool *wants_search) {
  struct size_class *c = NULL;
  int64_t values[KILN_TUNING_MAX_PARAMS];
  enum kiln_status status = class_for(kernel, tuned, device, args, &c);
  if (status != KILN_OK)
    return status;
  *wants_search = tuned->mode == KILN_TUNE_MODE_AUTO && !c->is_own && !c->is_tried;
  if (*wants_search) {
    c->is_tried = true;
    return KILN_OK;
  }
  if (tuned->mode == KILN_TUNE_MODE_REQUIRE && !c->is_own) {
    struct kiln_strbuf text = {0};
    kiln_tuned_put_class(&tuned->tuning, c->exponents, &text);
    kiln_error(KILN_ERR_NOT_CACHED,
               "kernel '%s' has no tuning record%s%s on this device, and COMPILE_TUNE=require asks for one",
               kiln_kernel_info(kernel)->name, text.size ? " for " : "", text.size ? text.data : "");
    kiln_strbuf_free(&text);
    return KILN_ERR_NOT_CACHED;
  }
  status = choose(kernel, tuned, c, args, values);
  if (status != KILN_OK)
    return status;
  status = point(kernel, tuned, values, args, out);
  if (status == KILN_OK || tuned->mode == KILN_TUNE_MODE_REQUIRE || !c->has_record)
    return status;
  kiln_context_log(kernel->program->ctx, KILN_LOG_WARNING,
                   "kernel '%s' runs with its defaults, since the variant of its tuning record cannot be had: %s",
                   kiln_kernel_info(kernel)->name, kiln_last_error());
  status = kiln_tuned_default(kernel, tuned, args, values);
  return status == KILN_OK ? point(kernel, tuned, values, args, out) : status;
}

static struct memo *memo_of(struct kiln_tuned *tuned, const int64_t *args) {
  uint64_t hash = 0;
  if (tuned->tuning.arg_count > MEMO_ARGS)
    return NULL;
  for (uint32_t i = 0; i < tuned->tuning.arg_count; i++)
    hash = (hash ^ (uint64_t)args[i]) * 0x9E3779B97F4A7C15u;
  return &tuned->memo[hash >> 58];
}

static bool is_memo_of(const struct kiln_tuned *tuned, const struct memo *memo, uint32_t device, const int64_t *args) {
  for (uint32_t i = 0; i < tuned->tuning.arg_count; i++)
    if (memo->args[i] != args[i])
      return false;
  return memo->is_used && memo->device == device;
}

// A record that this process has written since is looked for again.
static void look_for_news(const struct kiln_kernel *kernel, struct kiln_tuned *tuned) {
  uint64_t generation = atomic_load_explicit(&kernel->program->ctx->tune_generation, memory_order_relaxed);
  if (tuned->generation == generation)
    return;
  forget_classes(tuned);
  tuned->generation = generation;
}

enum kiln_status kiln_tuned_choose(struct kiln_kernel *kernel, struct kiln_stream *stream,
                                   const struct kiln_launch_desc *desc, struct kiln_tuned_launch *out) {
  struct kiln_tuned *tuned;
  int64_t args[KILN_TUNING_MAX_NAMES];
  bool wants_search = false;
  enum kiln_status status = kiln_tuned_of(kernel, &tuned);
  if (status == KILN_ERR_NOT_FOUND)
    return kiln_error(KILN_ERR_INVALID, "kernel '%s': the launch is a tuned one, but nothing is tuned of it",
                      kiln_kernel_info(kernel)->name);
  if (status != KILN_OK)
    return status;
  if (!kiln_tuned_args(tuned, desc, args)) { // what is wrong, the check of the arguments says
    *out = (struct kiln_tuned_launch){.kernel = {.program = kernel->program, .index = kernel->index}};
    return KILN_OK;
  }
  pthread_mutex_lock(&tuned->lock);
  look_for_news(kernel, tuned);
  struct memo *memo = memo_of(tuned, args);
  if (memo && is_memo_of(tuned, memo, stream->device, args)) {
    *out = memo->launch;
    pthread_mutex_unlock(&tuned->lock);
    return KILN_OK;
  }
  status = resolve(kernel, tuned, stream->device, args, out, &wants_search);
  if (wants_search) {
    pthread_mutex_unlock(&tuned->lock);
    status = kiln_tune_first_launch(kernel, stream, desc);
    if (status != KILN_OK)
      kiln_context_log(kernel->program->ctx, KILN_LOG_WARNING, "kernel '%s' could not be tuned: %s",
                       kiln_kernel_info(kernel)->name, kiln_last_error());
    pthread_mutex_lock(&tuned->lock);
    look_for_news(kernel, tuned);
    status = resolve(kernel, tuned, stream->device, args, out, &wants_search);
  }
  if (status == KILN_OK && memo) {
    memo->is_used = true;
    memo->device = stream->device;
    memcpy(memo->args, args, tuned->tuning.arg_count * sizeof *args);
    memo->launch = *out;
  }
  pthread_mutex_unlock(&tuned->lock);
  return status;
}
