// What the tests of loading share: a driver of the CPU, programs from IR text, and runs of their kernel "k".
#ifndef KILN_CPU_LOAD_H
#define KILN_CPU_LOAD_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cpu.h"
#include "backends/cpu/image.h"
#include "jit/report.h"
#include "tests/unit/default_options.h"

static void drop_print(void *user, const char *text, size_t size) { (void)user, (void)text, (void)size; }
static void drop_log(void *user, enum kiln_log_level level, const char *text) { (void)user, (void)level, (void)text; }

struct world {
  const struct kiln_driver *driver;
  struct kiln_drv *drv;
  struct kiln_drv_stream *stream;
  struct kiln_report report;
};

static void world_open(struct world *w) {
  memset(w, 0, sizeof *w);
  w->driver = kiln_cpu_backend.driver;
  struct kiln_driver_config config = {.num_threads = 1, .print = drop_print, .log = drop_log};
  cr_assert_eq(kiln_cpu_backend.detect_target(&config.target, &w->report), KILN_OK);
  cr_assert_eq(w->driver->open(&config, &w->drv, &w->report), KILN_OK, "%s", kiln_report_text(&w->report));
  cr_assert_eq(w->driver->stream_create(w->drv, 0, &w->stream, &w->report), KILN_OK);
}

static void world_close(struct world *w) {
  w->driver->stream_destroy(w->drv, w->stream);
  w->driver->close(w->drv);
  kiln_report_free(&w->report);
}

static void make_text(struct world *w, const char *text, uint32_t flags, struct kiln_artifact *out) {
  struct kiln_module *module = NULL;
  cr_assert_eq(kiln_module_parse(text, strlen(text), "t.kir", &module), KILN_OK, "%s\n%s", kiln_last_error(), text);
  const char *values[32];
  struct kiln_compile_job job = {.module = module, .options = default_options(1, values)};
  job.options.flags = flags;
  cr_assert_eq(kiln_cpu_backend.make_target("native", &job.target, &w->report), KILN_OK);
  cr_assert_eq(kiln_cpu_backend.compile(&job, out, &w->report), KILN_OK, "%s", kiln_report_text(&w->report));
  kiln_module_free(module);
}

static void drop(struct kiln_artifact *artifact) {
  free(artifact->data);
  free(artifact->meta);
  free(artifact->kernels);
}

static const struct kiln_arg_info pointer_arg = {.name = "p", .type_name = "int*", .kind = KILN_ARG_BUFFER, .size = 8};
static const struct kiln_kernel_info info = {.name = "k", .arg_count = 1, .args = &pointer_arg};

__attribute__((unused)) static enum kiln_status load(struct world *w, const struct kiln_artifact *a, const char *path,
                                                     struct kiln_drv_module **out) {
  struct kiln_code code = {a->data, a->size, path, a->meta, a->meta_size, &info, 1};
  return w->driver->load(w->drv, &code, out, &w->report);
}

__attribute__((unused)) static unsigned run(struct world *w, struct kiln_drv_module *module) {
  unsigned result = 0xdeadbeef;
  struct kiln_drv_memory *memory;
  cr_assert_eq(w->driver->alloc(w->drv, 0, 4, &result, &memory, &w->report), KILN_OK);
  struct kiln_drv_arg arg = {.kind = KILN_ARG_BUFFER, .memory = memory};
  struct kiln_drv_launch_desc desc = {
      .work_dim = 1, .global = {1, 1, 1}, .local = {1, 1, 1}, .args = &arg, .arg_count = 1};
  struct kiln_drv_launch *launch;
  cr_assert_eq(w->driver->kernel(w->drv, module, 0, &desc.kernel, &w->report), KILN_OK);
  cr_assert_eq(w->driver->prepare(w->drv, &desc, &launch, &w->report), KILN_OK);
  cr_assert_eq(w->driver->launch(w->drv, w->stream, launch, NULL, &w->report), KILN_OK);
  cr_assert_eq(w->driver->finish(w->drv, w->stream, &w->report), KILN_OK);
  w->driver->launch_release(w->drv, launch);
  w->driver->free(w->drv, memory);
  return result;
}

#endif
