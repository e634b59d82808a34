// The smallest backend that honours the whole contract of kiln/backend.h. Its code generator is a header line before
// what the interpreter would make of the kernel; its device is the interpreter. docs/backend.md walks through this
// file. A real backend replaces what is between "compile" and "load" by its own.
#include "passthrough.h"

#include <stdlib.h>
#include <string.h>

#define VERSION "1.0" // changes whenever other code is made: it is part of the hash

// ---- targets -------------------------------------------------------------------------------------------------------

static const struct arch {
  const char *name, *description;
  bool fma;
} archs[] = {
    {"plain", "multiplications and additions stay apart", false},
    {"fused", "what may be contracted is fused", true},
};
enum { ARCH_COUNT = sizeof archs / sizeof *archs };

static const struct arch *find_arch(const char *name) {
  for (int i = 0; i < ARCH_COUNT; i++) {
    if (strcmp(archs[i].name, name) == 0)
      return &archs[i];
  }
  return NULL;
}

// Work-items that make a sub-group: as many as for the interpreter's own target.
static uint32_t lock_step(void) {
  struct kiln_target behind;
  struct kiln_report *nobody = NULL;
  bool known = kiln_interpreter() && kiln_interpreter()->detect_target(&behind, nobody) == KILN_OK;
  return known ? behind.warp_size : 1;
}

// Parses and canonicalises. The message names what would have been right.
static enum kiln_status make_target(const char *arch, struct kiln_target *out, struct kiln_report *report) {
  if (!find_arch(arch))
    return kiln_fail(report, KILN_ERR_NOT_FOUND, "backend '" NAME "' has no arch '%.64s'; it has: plain, fused", arch);
  memset(out, 0, sizeof *out);
  strcpy(out->backend, NAME);
  strcpy(out->arch, arch);
  out->warp_size = lock_step(); // part of the target, so that it is part of the cache key
  return KILN_OK;
}

// The machine's own device. Must be cheap; UNAVAILABLE with a reason where there is none.
static enum kiln_status detect_target(struct kiln_target *out, struct kiln_report *report) {
  if (!kiln_interpreter())
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "this build of Kiln has no interpreter");
  return make_target("plain", out, report);
}

static bool supports_target(const struct kiln_target *target) {
  return strcmp(target->backend, NAME) == 0 && find_arch(target->arch) && !*target->features &&
         target->warp_size == lock_step();
}

static void list_targets(kiln_name_fn *fn, void *user) {
  for (int i = 0; i < ARCH_COUNT; i++)
    fn(user, archs[i].name, archs[i].description);
}

// What the target can do decides what the IR looks like that compile gets.
static void caps(const struct kiln_target *target, struct kiln_caps *out) {
  struct kiln_target generic;
  struct kiln_report *nobody = NULL;
  memset(out, 0, sizeof *out);
  if (kiln_interpreter()->detect_target(&generic, nobody) == KILN_OK)
    kiln_interpreter()->caps(&generic, out);
  const struct arch *arch = find_arch(target->arch);
  out->fma = arch && arch->fma;
}

// ---- identity ------------------------------------------------------------------------------------------------------

enum { OPTION_NOTE, OPTION_TALK, OPTION_COUNT };
static const struct kiln_option options[OPTION_COUNT] = {
    {"note", KILN_OPTION_STRING, "", "text that is kept in the artifact", true},
    {"talk", KILN_OPTION_BOOL, "0", "log what is compiled", false}, // the code is the same: not part of the key
};

static const struct kiln_fragment fragments[] = {{"wrapped", "print,wrap", "pt"}};

static uint32_t pipeline_fragments(const struct kiln_target *target, const struct kiln_options *job_options,
                                   const struct kiln_fragment **out) {
  (void)target, (void)job_options; // the stages are always the same
  *out = fragments;
  return sizeof fragments / sizeof *fragments;
}

static uint32_t runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity) {
  (void)target, (void)out, (void)capacity;
  return 0; // the code needs no library
}

static const char *const reserved_params[] = {"passthrough_reserved", NULL};

// The interpreter's target and options, which stand behind ours.
static enum kiln_status inner_job(struct kiln_target *target, struct kiln_options *inner, const char **values,
                                  uint32_t capacity, const struct kiln_options *outer, struct kiln_report *report) {
  const struct kiln_base_backend *interp = kiln_interpreter();
  if (!interp)
    return kiln_fail(report, KILN_ERR_UNAVAILABLE, "this build of Kiln has no interpreter");
  if (interp->option_count > capacity)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "the interpreter has more options than are known here");
  for (uint32_t i = 0; i < interp->option_count; i++)
    values[i] = interp->options[i].default_value;
  *inner = *outer;
  inner->values = values;
  return interp->detect_target(target, report);
}

// FNV-1a over 64 bits, each string with its end.
static uint64_t mix(uint64_t hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3;
  return hash;
}
static uint64_t mix_text(uint64_t hash, const char *text) { return mix(hash, text, strlen(text) + 1); }

// Identity of everything that changes the code: own version, the interpreter, target, stages, options that change
// code. Loads no compiler.
static enum kiln_status hash(const struct kiln_target *target, const struct kiln_options *job_options,
                             struct kiln_digest *out, struct kiln_report *report) {
  struct kiln_target generic;
  struct kiln_options inner;
  struct kiln_digest behind;
  const char *values[16];
  enum kiln_status status = inner_job(&generic, &inner, values, 16, job_options, report);
  if (status == KILN_OK)
    status = kiln_interpreter()->hash(&generic, &inner, &behind, report);
  if (status != KILN_OK)
    return status;
  for (int half = 0; half < 2; half++) {
    uint64_t h = mix_text(0xcbf29ce484222325 + (uint64_t)half, NAME " " VERSION " " MAGIC);
    h = mix(h, behind.bytes, sizeof behind.bytes);
    h = mix_text(mix_text(h, target->arch), target->features);
    h = mix_text(h, fragments[0].pipeline);
    h = mix(h, &job_options->flags, sizeof job_options->flags);
    h = mix(h, &job_options->optimize, sizeof job_options->optimize);
    h = mix_text(h, job_options->values[OPTION_NOTE]);
    memcpy(out->bytes + 8 * half, &h, 8);
  }
  return KILN_OK;
}

// ---- compile -------------------------------------------------------------------------------------------------------

// Kiln promises all of this; a backend that checks it finds mistakes early.
static enum kiln_status check_job(const struct kiln_compile_job *job, struct kiln_report *report) {
  char message[512];
  if (!supports_target(&job->target))
    return kiln_fail(report, KILN_ERR_INTERNAL, "target '%s' is none of " NAME, job->target.arch);
  if (!kiln_module_verify(job->module, message, sizeof message))
    return kiln_fail(report, KILN_ERR_INTERNAL, "the kernel IR is not valid: %s", message);
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (!job->options.values[i])
      return kiln_fail(report, KILN_ERR_INTERNAL, "option '%s' has no value", options[i].name);
  }
  return KILN_OK;
}

// Puts header and note before the interpreter's artifact.
static enum kiln_status wrap(const char *note, struct kiln_artifact *artifact, struct kiln_report *report) {
  size_t note_size = strlen(note);
  if (strchr(note, '\n'))
    return kiln_fail(report, KILN_ERR_INVALID, "option 'note' is one line");
  char *data = malloc(MAGIC_SIZE + note_size + 1 + artifact->size);
  if (!data)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  char *to = data;
  memcpy(to, MAGIC, MAGIC_SIZE);
  memcpy(to += MAGIC_SIZE, note, note_size);
  *(to += note_size) = '\n';
  memcpy(to + 1, artifact->data, artifact->size);
  free(artifact->data);
  artifact->data = data;
  artifact->size += MAGIC_SIZE + note_size + 1;
  return KILN_OK;
}

// The user starts from a stage of an earlier compile, which may have been edited: it replaces what was made so far.
static enum kiln_status take_start(const struct kiln_compile_job *job, struct kiln_artifact *artifact,
                                   struct kiln_report *report) {
  if (job->start_size <= MAGIC_SIZE || memcmp(job->start_data, MAGIC, MAGIC_SIZE) != 0)
    return kiln_fail(report, KILN_ERR_COMPILE, "stage 'wrapped' does not begin as code of " NAME " does");
  char *data = malloc(job->start_size);
  if (!data)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory");
  memcpy(data, job->start_data, job->start_size);
  free(artifact->data);
  artifact->data = data;
  artifact->size = job->start_size;
  return KILN_OK;
}

// Pure: needs no device, and the same job gives the same bytes. What is returned is malloc'ed and becomes the caller's.
static enum kiln_status compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                struct kiln_report *report) {
  enum kiln_status status = check_job(job, report);
  if (status != KILN_OK)
    return status;
  struct kiln_compile_job inner = *job;
  const char *values[16];
  status = inner_job(&inner.target, &inner.options, values, 16, &job->options, report);
  if (status != KILN_OK)
    return status;
  if (strcmp(job->options.values[OPTION_TALK], "1") == 0)
    kiln_report_log(report, KILN_LOG_INFO, NAME ": %u functions", (unsigned)job->module->function_count);
  inner.stage = NULL; // its stages are not ours
  inner.stop_after = inner.start_stage = NULL;
  struct kiln_artifact artifact = {0};
  status = kiln_interpreter()->compile(&inner, &artifact, report);
  if (status == KILN_OK)
    status = job->start_stage ? take_start(job, &artifact, report)
                              : wrap(job->options.values[OPTION_NOTE], &artifact, report);
  if (status != KILN_OK) {
    free(artifact.data);
    free(artifact.meta);
    free(artifact.kernels);
    return status;
  }
  if (job->stage) // somebody listens: a dump, or kiln compile --emit
    job->stage(job->stage_user, fragments[0].name, artifact.data, artifact.size);
  *out = artifact;
  return KILN_OK;
}

static const char *const start_stages[] = {"wrapped", NULL};

// ---- the table -----------------------------------------------------------------------------------------------------

static const struct kiln_base_backend table = {
    .abi_version = KILN_BACKEND_ABI,
    .struct_size = sizeof table,
    .name = NAME, // as in passthrough.backend, and so are the tags
    .description = "an example: hands everything on to the interpreter",
    .tags = "debug",
    .artifact_extension = "pt",
    .preference = 0, // never chosen by itself
    .make_target = make_target,
    .detect_target = detect_target,
    .supports_target = supports_target,
    .list_targets = list_targets,
    .caps = caps,
    .pipeline_fragments = pipeline_fragments,
    .runtime_libs = runtime_libs,
    .reserved_params = reserved_params,
    .options = options,
    .option_count = OPTION_COUNT,
    .hash = hash,
    .compile = compile,
    .driver = &passthrough_driver,
    .detect_automatic = NULL,     // optional: detect_target will do
    .start_stages = start_stages, // optional
};

KILN_BACKEND_ENTRY(abi_version) { return abi_version == KILN_BACKEND_ABI ? &table : NULL; }
