// Runs kernels on the interpreter, through its vtable: text -> module -> artifact -> load -> launch -> finish.
#ifndef KILN_TESTS_UNIT_INTERP_TEST_H
#define KILN_TESTS_UNIT_INTERP_TEST_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/interp/table.h"
#include "jit/reflect.h"
#include "jit/report.h"

struct machine {
  const struct kiln_base_backend *backend;
  const struct kiln_driver *driver;
  struct kiln_drv *drv;
  struct kiln_drv_stream *stream;
  struct kiln_report report;
  const char *max_steps, *races, *strict_barriers, *equal_stores;
  char printed[4096];
  size_t printed_size;
  uint32_t prints;
};

static inline void machine_print(void *user, const char *text, size_t size) {
  struct machine *m = user;
  m->prints++;
  for (size_t i = 0; i < size && m->printed_size + 1 < sizeof m->printed; i++)
    m->printed[m->printed_size++] = text[i];
  m->printed[m->printed_size] = 0;
}

static inline void machine_log(void *user, enum kiln_log_level level, const char *message) {
  (void)user, (void)level, (void)message;
}

static inline void machine_open_arch(struct machine *m, const char *arch) {
  memset(m, 0, sizeof *m);
  m->backend = &kiln_interp_backend;
  m->driver = m->backend->driver;
  m->max_steps = "0";
  m->races = "1";
  m->strict_barriers = m->equal_stores = "0";
  struct kiln_driver_config config = {.num_threads = 2, .print = machine_print, .print_user = m, .log = machine_log};
  cr_assert_eq(m->backend->make_target(arch, &config.target, &m->report), KILN_OK);
  cr_assert_eq(m->driver->open(&config, &m->drv, &m->report), KILN_OK);
  cr_assert_eq(m->driver->stream_create(m->drv, 0, &m->stream, &m->report), KILN_OK);
}

static inline void machine_open(struct machine *m) { machine_open_arch(m, "generic"); }

static inline void machine_close(struct machine *m) {
  m->driver->stream_destroy(m->drv, m->stream);
  m->driver->close(m->drv);
  kiln_report_free(&m->report);
}

// The text of the last failure, which is forgotten by the next run.
static inline const char *machine_message(struct machine *m) { return kiln_report_text(&m->report); }

struct run_desc {
  uint32_t kernel;
  uint64_t global[3], local[3], offset[3]; // 0 means 1 (local: 1 work-item)
  uint32_t work_dim;                       // 0: 1
  const struct kiln_drv_arg *args;
  uint32_t arg_count;
};

static inline enum kiln_status machine_launch(struct machine *m, struct kiln_drv_module *loaded,
                                              const struct run_desc *desc) {
  struct kiln_drv_launch_desc launch_desc = {
      .work_dim = desc->work_dim ? desc->work_dim : 1, .args = desc->args, .arg_count = desc->arg_count};
  for (int d = 0; d < 3; d++) {
    launch_desc.global[d] = desc->global[d] ? desc->global[d] : 1;
    launch_desc.local[d] = desc->local[d] ? desc->local[d] : 1;
    launch_desc.offset[d] = desc->offset[d];
  }
  enum kiln_status status = m->driver->kernel(m->drv, loaded, desc->kernel, &launch_desc.kernel, &m->report);
  struct kiln_drv_launch *launch = NULL;
  if (!status)
    status = m->driver->prepare(m->drv, &launch_desc, &launch, &m->report);
  if (status)
    return status;
  status = m->driver->launch(m->drv, m->stream, launch, NULL, &m->report);
  if (!status)
    status = m->driver->finish(m->drv, m->stream, &m->report);
  m->driver->launch_release(m->drv, launch);
  return status;
}

static inline enum kiln_status machine_run_module(struct machine *m, const struct kiln_module *module,
                                                  const struct run_desc *desc) {
  kiln_report_free(&m->report);
  m->printed_size = m->prints = 0;
  m->printed[0] = 0;
  const char *values[] = {m->max_steps, m->races, m->strict_barriers, m->equal_stores};
  struct kiln_compile_job job = {.module = module, .options = {.optimize = 2, .values = values}};
  cr_assert_eq(m->backend->detect_target(&job.target, &m->report), KILN_OK);
  struct kiln_artifact artifact;
  enum kiln_status status = m->backend->compile(&job, &artifact, &m->report);
  if (status)
    return status;
  struct kiln_strbuf reflection = {0}, resources = {0};
  struct kiln_reflection described;
  uint32_t kernels = 0;
  for (uint32_t i = 0; i < module->function_count; i++)
    kernels += module->functions[i]->is_kernel;
  kiln_reflect_write(module, &reflection);
  struct kiln_str written = {reflection.data, reflection.size};
  kiln_resources_write(NULL, kernels, written, &resources);
  cr_assert_eq(kiln_reflect_read(written, (struct kiln_str){resources.data, resources.size}, &described), KILN_OK);
  struct kiln_code code = {.data = artifact.data,
                           .size = artifact.size,
                           .meta = artifact.meta,
                           .meta_size = artifact.meta_size,
                           .kernels = described.drv_kernels,
                           .kernel_count = kernels};
  struct kiln_drv_module *loaded = NULL;
  status = m->driver->load(m->drv, &code, &loaded, &m->report);
  if (!status) {
    status = machine_launch(m, loaded, desc);
    m->driver->unload(m->drv, loaded);
  }
  kiln_reflection_free(&described);
  kiln_strbuf_free(&reflection);
  kiln_strbuf_free(&resources);
  kiln_free(artifact.data);
  free(artifact.meta);
  free(artifact.kernels);
  return status;
}

static inline enum kiln_status machine_run(struct machine *m, const char *text, const struct run_desc *desc) {
  struct kiln_module *module = NULL;
  enum kiln_status status = kiln_module_parse(text, strlen(text), "test", &module);
  cr_assert_eq(status, KILN_OK, "%s", kiln_last_error());
  status = machine_run_module(m, module, desc);
  kiln_module_free(module);
  return status;
}

static inline struct kiln_drv_memory *machine_buffer(struct machine *m, size_t size, const void *data) {
  struct kiln_drv_memory *memory;
  cr_assert_eq(m->driver->alloc(m->drv, 0, size, NULL, &memory, &m->report), KILN_OK);
  if (data)
    memcpy(m->driver->host_pointer(m->drv, memory), data, size);
  else
    memset(m->driver->host_pointer(m->drv, memory), 0, size);
  return memory;
}

static inline struct kiln_drv_arg buffer_arg(struct kiln_drv_memory *memory) {
  return (struct kiln_drv_arg){.kind = KILN_ARG_BUFFER, .memory = memory};
}
static inline struct kiln_drv_arg value_arg(const void *data, size_t size) {
  return (struct kiln_drv_arg){.kind = KILN_ARG_VALUE, .data = data, .size = size};
}
static inline struct kiln_drv_arg local_arg(size_t size) {
  return (struct kiln_drv_arg){.kind = KILN_ARG_LOCAL, .size = size};
}

#endif
