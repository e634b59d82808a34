// Conformance of the compile side: registration, targets, identity, stages, determinism, the cache.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance.h"

const char saxpy_source[] = "kernel void saxpy(float a, global const float *x, global float *y, int n) {\n"
                            "  int i = get_global_id(0);\n"
                            "  if (i < n)\n"
                            "    y[i] = a * x[i] + y[i];\n"
                            "}\n";

static const char tree_source[] = "kernel void tree(global float *p, local float *t) {\n"
                                  "  int l = get_local_id(0);\n"
                                  "  t[l] = p[get_global_id(0)];\n"
                                  "  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    if (l < s)\n"
                                  "      t[l] += t[l + s];\n"
                                  "  }\n"
                                  "  if (l == 0)\n"
                                  "    p[get_group_id(0)] = sin(t[0]) + sqrt(t[1]);\n"
                                  "}\n";

// ---- registration --------------------------------------------------------------------------------------------------

struct listed {
  const char *name;
  uint32_t count;
  bool described, available;
};

static void look(void *user, const struct kiln_backend_info *info) {
  struct listed *l = user;
  if (strcmp(info->name, l->name) != 0)
    return;
  l->count++;
  l->described = *info->description != 0;
  l->available = info->available;
}

void check_registration(struct suite *s) {
  const struct kiln_base_backend *b = s->backend;
  struct listed l = {.name = b->name};
  expect_ok(s, kiln_list_backends(true, look, &l), "listing");
  expect(s, l.count == 1, "the backend is listed %u times", (unsigned)l.count);
  expect(s, l.described, "it has no description");
  expect(s, b->abi_version == KILN_BACKEND_ABI, "its ABI is %u", (unsigned)b->abi_version);
  expect(s, b->tags && !strchr(b->tags, ' '), "its tags '%s' are not separated by commas alone", b->tags);
  struct kiln_context *ctx = NULL;
  enum kiln_status status = kiln_context_open(&(struct kiln_context_desc){.backend = "no-such-backend"}, &ctx);
  expect_failure(s, status, KILN_ERR_NOT_FOUND, "an unknown backend");
  expect(s, strstr(kiln_last_error(), b->name), "the error for an unknown backend does not list '%s': %s", b->name,
         kiln_last_error());
  for (uint32_t i = 0; i < b->option_count; i++) {
    const struct kiln_option *o = &b->options[i];
    expect(s, o->meaning && *o->meaning, "option '%s' has no meaning", o->name);
    for (uint32_t k = 0; k < i; k++)
      expect(s, strcmp(o->name, b->options[k].name) != 0, "option '%s' is there twice", o->name);
  }
}

// ---- targets -------------------------------------------------------------------------------------------------------

static enum kiln_status make(struct suite *s, const char *arch, struct kiln_target *out, char *message, size_t size) {
  struct kiln_report *report = kiln_report_new();
  memset(out, 0, sizeof *out);
  enum kiln_status status = s->backend->make_target(arch, out, report);
  snprintf(message, size, "%s", kiln_report_text(report));
  kiln_report_delete(report);
  return status;
}

static bool complete(const struct kiln_target *t) {
  return memchr(t->backend, 0, sizeof t->backend) && memchr(t->arch, 0, sizeof t->arch) &&
         memchr(t->features, 0, sizeof t->features) && *t->arch && t->warp_size >= 1;
}

static bool same_target(const struct kiln_target *a, const struct kiln_target *b) {
  return strcmp(a->arch, b->arch) == 0 && strcmp(a->features, b->features) == 0 && a->warp_size == b->warp_size;
}

static void check_one_target(void *user, const char *name, const char *description) {
  struct suite *s = user;
  struct kiln_target target, again;
  char message[512];
  (void)description;
  if (!expect(s, name && *name, "list_targets gives an arch without name"))
    return;
  enum kiln_status status = make(s, name, &target, message, sizeof message);
  if (status == KILN_ERR_UNAVAILABLE && *message) {
    skip(s, "'%s': %s", name, message);
    return;
  }
  if (!expect(s, status == KILN_OK, "make_target refuses '%s', which list_targets gives: %s", name, message) ||
      !expect(s, complete(&target), "the target of '%s' is not complete", name))
    return;
  strcpy(target.backend, s->backend->name);
  expect(s, s->backend->supports_target(&target), "'%s' is made, but not supported", name);
  // The canonical name gives the same target again. (Its features may be those of the arch alone.)
  status = make(s, target.arch, &again, message, sizeof message);
  expect(s, status == KILN_OK && strcmp(again.arch, target.arch) == 0,
         "'%s' is called '%s', which is not that again: %s", name, target.arch, message);
}

static const char *const bad_archs[] = {
    "no-such-arch", " ", "%s%n%s", "generic+nonsense:-:+", "0", "-1", "\xff\xfe", "gfx", "+", ":", "znver4+", "a\nb",
};

void check_targets(struct suite *s) {
  struct kiln_target target, again;
  char message[512], *endless = malloc(100001);
  s->backend->list_targets(check_one_target, s);
  uint32_t refused = 0;
  for (size_t i = 0; i < sizeof bad_archs / sizeof *bad_archs; i++) {
    enum kiln_status status = make(s, bad_archs[i], &target, message, sizeof message);
    bool accepted = status == KILN_OK && complete(&target); // a number may be the index of a device
    refused += status != KILN_OK;
    expect(s, accepted || (status != KILN_OK && *message), "'%s' is refused without a reason (%s)", bad_archs[i],
           kiln_status_name(status));
  }
  expect(s, refused >= 6, "nonsense is accepted as arch: only %u of %zu are refused", (unsigned)refused,
         sizeof bad_archs / sizeof *bad_archs);
  if (endless) {
    memset(endless, 'x', 100000);
    endless[100000] = 0;
    enum kiln_status status = make(s, endless, &target, message, sizeof message);
    expect(s, status != KILN_OK && *message, "an arch of 100,000 letters is not refused");
  }
  free(endless);
  target = s->target;
  strcpy(target.arch, "no-such-arch"); // which may be a device elsewhere, but not with these features
  strcpy(target.features, "no-such-feature");
  expect(s, !s->backend->supports_target(&target), "a target with unknown arch and features is supported");
  struct kiln_report *report = kiln_report_new();
  memset(&target, 0, sizeof target);
  memset(&again, 0, sizeof again);
  enum kiln_status status = s->backend->detect_target(&target, report);
  if (status == KILN_OK) {
    expect(s, complete(&target), "the detected target is not complete");
    expect(s, s->backend->detect_target(&again, report) == KILN_OK && same_target(&target, &again),
           "detection gives another target the second time");
  } else {
    expect(s, *kiln_report_text(report), "nothing is detected, and no reason is given");
    skip(s, "detection: %s", kiln_report_text(report));
  }
  kiln_report_delete(report);
  struct kiln_caps caps;
  memset(&caps, 0, sizeof caps);
  s->backend->caps(&s->target, &caps);
  expect(s, true, "caps");
}

// ---- identity ------------------------------------------------------------------------------------------------------

static const char **default_values(const struct kiln_base_backend *b) {
  const char **values = calloc(b->option_count + 1, sizeof *values);
  for (uint32_t i = 0; values && i < b->option_count; i++)
    values[i] = b->options[i].default_value;
  return values;
}

static enum kiln_status hash_of(struct suite *s, const struct kiln_target *target, const char **values,
                                struct kiln_digest *out) {
  struct kiln_options options = {.optimize = 2, .values = values};
  struct kiln_report *report = kiln_report_new();
  memset(out, 0, sizeof *out);
  enum kiln_status status = s->backend->hash(target, &options, out, report);
  kiln_report_delete(report);
  return status;
}

struct other_target {
  struct suite *s;
  const struct kiln_digest *base;
  const char **values;
  uint32_t seen;
};

static void hash_target(void *user, const char *name, const char *description) {
  struct other_target *o = user;
  struct kiln_target target;
  struct kiln_digest digest;
  char message[512];
  (void)description;
  if (o->seen >= 16 || make(o->s, name, &target, message, sizeof message) != KILN_OK ||
      (strcmp(target.arch, o->s->target.arch) == 0 && strcmp(target.features, o->s->target.features) == 0))
    return;
  strcpy(target.backend, o->s->backend->name);
  if (hash_of(o->s, &target, o->values, &digest) != KILN_OK)
    return;
  o->seen++;
  expect(o->s, memcmp(&digest, o->base, sizeof digest) != 0, "'%s' and '%s' have the same hash", target.arch,
         o->s->target.arch);
}

static const char *other_value(const struct kiln_option *option) {
  switch (option->type) {
  case KILN_OPTION_BOOL:
    return strcmp(option->default_value, "0") == 0 ? "1" : "0";
  case KILN_OPTION_INT:
    return strcmp(option->default_value, "4") == 0 ? "8" : "4";
  case KILN_OPTION_STRING:
    return "another";
  }
  return "";
}

void check_hash(struct suite *s) {
  static const struct kiln_digest zero;
  const struct kiln_base_backend *b = s->backend;
  const char **values = default_values(b);
  struct kiln_digest first, second;
  enum kiln_status status = values ? hash_of(s, &s->target, values, &first) : KILN_ERR_MEMORY;
  if (status == KILN_ERR_UNAVAILABLE) {
    skip(s, "the compiler is not installed");
    free(values);
    return;
  }
  if (expect(s, status == KILN_OK, "hash fails: %s", kiln_status_name(status))) {
    expect(s, memcmp(&first, &zero, sizeof zero) != 0, "the hash is zero");
    expect(s, hash_of(s, &s->target, values, &second) == KILN_OK && memcmp(&first, &second, sizeof first) == 0,
           "the same question gives another hash");
    struct other_target other = {s, &first, values, 0};
    b->list_targets(hash_target, &other);
    if (!other.seen)
      skip(s, "there is no second target to compare with");
    for (uint32_t i = 0; i < b->option_count; i++) {
      values[i] = other_value(&b->options[i]);
      if (hash_of(s, &s->target, values, &second) != KILN_OK)
        skip(s, "option '%s' does not take '%s'", b->options[i].name, values[i]);
      else if (b->options[i].changes_code)
        expect(s, memcmp(&first, &second, sizeof first) != 0, "option '%s' changes code, but not the hash",
               b->options[i].name);
      else
        expect(s, memcmp(&first, &second, sizeof first) == 0, "option '%s' changes no code, but the hash",
               b->options[i].name);
      values[i] = b->options[i].default_value;
    }
  }
  free(values);
}

// ---- stages --------------------------------------------------------------------------------------------------------

static void check_libs(struct suite *s) {
  enum { MAX = 64 };
  if (!s->backend->runtime_libs) {
    skip(s, "it tells no libraries");
    return;
  }
  struct kiln_runtime_lib *libs = calloc(MAX + 1, sizeof *libs);
  if (!libs)
    return;
  uint32_t count = s->backend->runtime_libs(&s->target, libs, MAX);
  expect(s, count <= MAX, "it names %u libraries", (unsigned)count);
  for (uint32_t i = 0; i < count && i < MAX; i++) {
    struct kiln_runtime_lib *lib = &libs[i];
    bool good = memchr(lib->name, 0, sizeof lib->name) && memchr(lib->path, 0, sizeof lib->path) &&
                memchr(lib->identity, 0, sizeof lib->identity) && *lib->name && *lib->identity;
    expect(s, good, "library %u lacks name or identity", (unsigned)i);
  }
  memset(libs, 0x55, (MAX + 1) * sizeof *libs);
  expect(s, s->backend->runtime_libs(&s->target, libs, 0) == count, "with no room it counts another number");
  expect(s, *(unsigned char *)libs == 0x55, "it writes where there is no room");
  free(libs);
}

void check_stages(struct suite *s) {
  const char **values = default_values(s->backend);
  struct kiln_options options = {.optimize = 2, .values = values};
  const struct kiln_fragment *fragments = NULL;
  uint32_t count = values ? s->backend->pipeline_fragments(&s->target, &options, &fragments) : 0;
  expect(s, count > 0 && fragments, "there is no stage");
  enum kiln_status status;
  struct kiln_program *program = program_of(s->ctx, saxpy_source, KILN_SOURCE_OPENCL_C, NULL, &status);
  expect_ok(s, status, "compiling saxpy");
  for (uint32_t i = 0; i < count && fragments; i++) {
    const struct kiln_fragment *f = &fragments[i];
    if (!expect(s, f->name && *f->name && f->extension && *f->extension && f->pipeline,
                "stage %u lacks name, extension or pipeline", (unsigned)i))
      continue;
    for (uint32_t k = 0; k < i; k++)
      expect(s, strcmp(f->name, fragments[k].name) != 0, "stage '%s' is there twice", f->name);
    void *data = NULL;
    size_t size = 0;
    status = program ? kiln_program_stage(program, f->name, &data, &size) : KILN_OK;
    if (status == KILN_ERR_UNAVAILABLE) // one beyond the artifact
      skip(s, "stage '%s': %s", f->name, kiln_last_error());
    else if (program && expect_ok(s, status, f->name))
      expect(s, size > 0, "stage '%s' is empty", f->name);
    kiln_free(data);
  }
  void *data = NULL;
  size_t size;
  if (program)
    expect_failure(s, kiln_program_stage(program, "no-such-stage", &data, &size), KILN_ERR_NOT_FOUND, "a stage");
  kiln_program_release(program);
  free(values);
  check_libs(s);
}

// ---- determinism ---------------------------------------------------------------------------------------------------

void check_determinism(struct suite *s) {
  static const char *const sources[] = {saxpy_source, tree_source};
  static const char *const options[] = {"", "-cl-fast-relaxed-math", "-O0", "-cl-denorms-are-zero"};
  for (int i = 0; i < 8; i++) {
    enum kiln_status status[2];
    struct kiln_program *p[2];
    struct kiln_program_info info[2];
    struct kiln_context *other = NULL; // the second time in a context of its own
    struct kiln_context_desc desc = {.backend = s->common->backend, .arch = s->common->arch, .cache_mode = "off"};
    if (!expect_ok(s, kiln_context_open(&desc, &other), "a second context"))
      return;
    p[0] = program_of(s->ctx, sources[i & 1], KILN_SOURCE_OPENCL_C, options[i / 2], &status[0]);
    p[1] = program_of(other, sources[i & 1], KILN_SOURCE_OPENCL_C, options[i / 2], &status[1]);
    if (expect_ok(s, status[0], "compiling") && expect_ok(s, status[1], "compiling again")) {
      kiln_program_info(p[0], &info[0]);
      kiln_program_info(p[1], &info[1]);
      expect(s, info[0].artifact_size > 0, "the artifact is empty");
      expect(s,
             info[0].artifact_size == info[1].artifact_size &&
                 memcmp(info[0].artifact, info[1].artifact, info[0].artifact_size) == 0,
             "program %d with '%s' has other bytes the second time", i & 1, options[i / 2]);
    }
    kiln_program_release(p[0]);
    kiln_program_release(p[1]);
    kiln_context_close(other);
  }
}

// ---- the cache -----------------------------------------------------------------------------------------------------

static bool in_cache(struct suite *s, const char *dir, const char *options, enum kiln_cache_outcome wanted,
                     size_t *size) {
  struct kiln_context *ctx = NULL;
  struct kiln_context_desc desc = {
      .backend = s->common->backend, .arch = s->common->arch, .cache_dir = dir, .cache_mode = "rw"};
  enum kiln_status status = kiln_context_open(&desc, &ctx);
  if (!expect_ok(s, status, "a context with a cache"))
    return false;
  struct kiln_program *program = program_of(ctx, saxpy_source, KILN_SOURCE_OPENCL_C, options, &status);
  bool ok = expect_ok(s, status, "a cached program");
  if (ok) {
    struct kiln_program_info info;
    struct kiln_kernel *kernel = NULL;
    kiln_program_info(program, &info);
    ok = expect(s, info.cache == wanted, "the outcome is %d instead of %d", (int)info.cache, (int)wanted);
    *size = info.artifact_size;
    if (expect_ok(s, kiln_kernel_create(program, "saxpy", &kernel), "its kernel"))
      expect(s, kiln_kernel_info(kernel)->arg_count == 4, "its kernel has %u arguments",
             (unsigned)kiln_kernel_info(kernel)->arg_count);
    kiln_kernel_release(kernel);
  }
  kiln_program_release(program);
  kiln_context_close(ctx);
  return ok;
}

void check_cache(struct suite *s) {
  char dir[] = "/tmp/kiln-conformance-XXXXXX";
  size_t first = 0, second = 1;
  if (!expect(s, mkdtemp(dir), "no folder can be made in /tmp"))
    return;
  if (in_cache(s, dir, "", KILN_CACHE_MISS, &first))
    in_cache(s, dir, "", KILN_CACHE_HIT_DISK, &second);
  expect(s, first == second, "the artifact has %zu bytes, and %zu from the cache", first, second);
  in_cache(s, dir, "-DOTHER", KILN_CACHE_MISS, &second);
  for (uint32_t i = 0; i < s->backend->option_count; i++) {
    const struct kiln_option *o = &s->backend->options[i];
    char text[256];
    if (!o->changes_code) {
      snprintf(text, sizeof text, "--kiln-%s=%s", o->name, other_value(o));
      in_cache(s, dir, text, KILN_CACHE_HIT_DISK, &second);
    }
  }
  uint64_t removed;
  kiln_cache_clear(dir, &removed);
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  expect(s, system(command) == 0, "%s cannot be removed", dir);
}

// ---- unloading -----------------------------------------------------------------------------------------------------

void check_unload(struct suite *s) {
  for (int i = 0; i < 3; i++) {
    struct kiln_context *ctx = NULL;
    struct kiln_context_desc desc = {.backend = s->common->backend, .arch = s->common->arch, .cache_mode = "off"};
    if (!expect_ok(s, kiln_context_open(&desc, &ctx), "opening again"))
      return;
    enum kiln_status status = KILN_OK;
    struct kiln_program *program = NULL;
    struct kiln_stream *stream = NULL;
    struct kiln_buffer *buffer = NULL;
    if (s->backend->compile) {
      program = program_of(ctx, saxpy_source, KILN_SOURCE_OPENCL_C, NULL, &status);
      expect_ok(s, status, "compiling in a new context");
    }
    if (s->stream && expect_ok(s, kiln_stream_create(ctx, 0, &stream), "a stream in a new context"))
      expect_ok(s, kiln_buffer_create(ctx, &(struct kiln_buffer_desc){.size = 64}, &buffer), "a buffer");
    kiln_context_close(ctx); // before what was made from it
    kiln_buffer_release(buffer);
    kiln_stream_release(stream);
    kiln_program_release(program);
  }
}
