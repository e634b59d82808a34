// The driver side of the OpenCL backend: what is missing is said, a build failure shows the log, a binary that the
// driver rejects is built again.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backends/opencl/driver/driver.h"
#include "backends/opencl/table.h"
#include "jit/report.h"

static struct cl_api api;
static struct cl_device_list list;

// Skips where no platform is installed, unless the tests must have one.
static bool have_platform(void) {
  struct kiln_report report = {0};
  bool found =
      kiln_cl_api_open(&api, KILN_CL_LIBRARY, &report) == KILN_OK && kiln_cl_devices(&api, &list, &report) == KILN_OK;
  const char *required = getenv("KILN_TEST_REQUIRE");
  cr_assert(found || !required || !strstr(required, "opencl"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
  return found;
}

Test(opencl_driver, no_library) {
  struct kiln_report report = {0};
  struct cl_api missing;
  cr_expect_eq(kiln_cl_api_open(&missing, "libOpenCL-missing.so.9", &report), KILN_ERR_UNAVAILABLE);
  cr_expect(strstr(kiln_report_text(&report), "libOpenCL-missing.so.9"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
  memset(&report, 0, sizeof report);
  cr_expect_eq(kiln_cl_api_open(&missing, "libm.so.6", &report), KILN_ERR_UNAVAILABLE);
  cr_expect(strstr(kiln_report_text(&report), "has no function cl"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
}

// The loader reads its environment when it is first used: each of these tests has a process of its own.
Test(opencl_driver, no_platform) {
  struct kiln_report report = {0};
  struct kiln_target target;
  setenv("OCL_ICD_VENDORS", KILN_BUILD_DIR "/no-such-folder", 1);
  setenv("OCL_ICD_FILENAMES", "", 1);
  if (kiln_cl_api_open(&api, KILN_CL_LIBRARY, &report) == KILN_OK) {
    cr_expect_eq(kiln_opencl_backend.detect_target(&target, &report), KILN_ERR_UNAVAILABLE);
    cr_expect(strstr(kiln_report_text(&report), "knows no platform"), "%s", kiln_report_text(&report));
  }
  kiln_report_free(&report);
}

Test(opencl_driver, no_gpu_loads_nothing) {
  struct kiln_report report = {0};
  struct kiln_target target;
  if (kiln_opencl_backend.detect_automatic(&target, &report) == KILN_OK)
    cr_expect(strstr(target.features, "gpu"), "%s", target.features);
  else
    cr_expect(strstr(kiln_report_text(&report), "GPU"), "%s", kiln_report_text(&report));
  kiln_report_free(&report);
}

Test(opencl_driver, targets) {
  if (!have_platform())
    return;
  static const char *const accepted[] = {"0:0", "0", "text", "+images", "0:0+images", "text+images"};
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
    struct kiln_report report = {0};
    struct kiln_target target, again;
    cr_assert_eq(kiln_opencl_backend.make_target(accepted[i], &target, &report), KILN_OK, "%s: %s", accepted[i],
                 kiln_report_text(&report));
    cr_expect(kiln_opencl_backend.supports_target(&target), "%s", accepted[i]);
    cr_assert_eq(kiln_opencl_backend.make_target(target.arch, &again, &report), KILN_OK, "%s", target.arch);
    cr_expect_str_eq(target.arch, again.arch);
    cr_expect_str_eq(target.features, again.features);
    kiln_report_free(&report);
  }
  static const char *const refused[] = {"no such device", "99:0", "0:99", "-1"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    struct kiln_report report = {0};
    struct kiln_target target;
    cr_expect_eq(kiln_opencl_backend.make_target(refused[i], &target, &report), KILN_ERR_NOT_FOUND, "%s", refused[i]);
    cr_expect(strstr(kiln_report_text(&report), list.items[0].name), "%s", kiln_report_text(&report));
    kiln_report_free(&report);
  }
  kiln_cl_devices_free(&list);
}

Test(opencl_driver, build_failure_shows_the_log) {
  if (!have_platform())
    return;
  struct kiln_report report = {0};
  cl_int code;
  cl_context context = api.clCreateContext(NULL, 1, &list.items[0].device, NULL, NULL, &code);
  cl_program program;
  cr_assert(context);
  cr_expect_eq(kiln_cl_build_source(&api, context, list.items[0].device, "kernel void k() { nonsense_here; }", "",
                                    &program, &report),
               KILN_ERR_COMPILE);
  cr_expect(strstr(kiln_report_text(&report), "nonsense_here"), "%s", kiln_report_text(&report));
  api.clReleaseContext(context);
  kiln_cl_devices_free(&list);
  kiln_report_free(&report);
}

static const char double_kernel[] = "kiln_ir 1\n"
                                    "kernel @k(%p: ptr.global \"int*\") {\n"
                                    "  %i = global_id 0 : i64\n  %a = padd %p, %i * 4\n"
                                    "  %v = load %a, align 4 : i32\n  %w = iadd %v, %v\n"
                                    "  store %a, %w, align 4\n  return\n}\n";

static struct kiln_artifact compile(const struct kiln_target *target) {
  struct kiln_module *module;
  cr_assert_eq(kiln_module_parse(double_kernel, sizeof double_kernel - 1, "k", &module), KILN_OK);
  kiln_function_annotate(module->functions[0]);
  static const char *const values[] = {"0", ""};
  struct kiln_compile_job job = {.module = module, .target = *target, .options = {.optimize = 2, .values = values}};
  struct kiln_artifact artifact;
  struct kiln_report report = {0};
  cr_assert_eq(kiln_opencl_backend.compile(&job, &artifact, &report), KILN_OK, "%s", kiln_report_text(&report));
  kiln_report_free(&report);
  kiln_module_free(module);
  return artifact;
}

static void print_nothing(void *user, const char *text, size_t size) { (void)user, (void)text, (void)size; }
static void log_nothing(void *user, enum kiln_log_level level, const char *message) {
  (void)user, (void)level, (void)message;
}

// binary: that is kept for the program; NULL: no binary is.
static void run_kernel(struct kiln_drv *drv, const struct kiln_artifact *artifact,
                       const struct kiln_device_code *binary, const char *what) {
  const struct kiln_driver *d = kiln_opencl_backend.driver;
  struct kiln_report report = {0};
  struct kiln_kernel_info info = {.name = "k", .arg_count = 1};
  struct kiln_code code = {.data = artifact->data,
                           .size = artifact->size,
                           .meta = artifact->meta,
                           .meta_size = artifact->meta_size,
                           .kernels = &info,
                           .kernel_count = 1,
                           .device_codes = binary,
                           .device_code_count = binary != NULL};
  struct kiln_drv_module *module;
  struct kiln_drv_kernel *kernel;
  struct kiln_drv_memory *memory;
  struct kiln_drv_stream *stream;
  struct kiln_drv_launch *launch;
  struct kiln_drv_event *event;
  cr_assert_eq(d->load(drv, &code, &module, &report), KILN_OK, "%s: %s", what, kiln_report_text(&report));
  cr_assert_eq(d->kernel(drv, module, 0, &kernel, &report), KILN_OK);
  cr_assert_eq(d->alloc(drv, 0, 256, NULL, &memory, &report), KILN_OK);
  cr_assert_eq(d->stream_create(drv, 0, &stream, &report), KILN_OK);
  int32_t data[64];
  for (int i = 0; i < 64; i++)
    data[i] = i;
  cr_assert_eq(d->write(drv, stream, memory, 0, data, sizeof data, NULL, &report), KILN_OK);
  struct kiln_drv_arg arg = {.kind = KILN_ARG_BUFFER, .memory = memory};
  struct kiln_drv_launch_desc desc = {
      .kernel = kernel, .work_dim = 1, .global = {64, 1, 1}, .local_free = true, .args = &arg, .arg_count = 1};
  cr_assert_eq(d->prepare(drv, &desc, &launch, &report), KILN_OK, "%s: %s", what, kiln_report_text(&report));
  cr_assert_eq(d->launch(drv, stream, launch, NULL, &report), KILN_OK);
  cr_assert_eq(d->launch(drv, stream, launch, &event, &report), KILN_OK, "%s", kiln_report_text(&report));
  cr_assert_eq(d->read(drv, stream, memory, 0, data, sizeof data, NULL, &report), KILN_OK);
  cr_assert_eq(d->finish(drv, stream, &report), KILN_OK);
  cr_expect(d->event_done(drv, event), "%s", what);
  struct kiln_event_times times;
  d->event_times(drv, event, &times);
  cr_expect(times.enqueued_ns <= times.started_ns && times.started_ns <= times.ended_ns, "%s", what);
  for (int i = 0; i < 64; i++)
    cr_expect_eq(data[i], 4 * i, "%s: item %d is %d", what, i, data[i]);
  d->event_release(drv, event);
  d->launch_release(drv, launch);
  d->stream_destroy(drv, stream);
  d->free(drv, memory);
  d->unload(drv, module);
  kiln_report_free(&report);
}

Test(opencl_driver, rejected_binary_is_built_again) {
  if (!have_platform())
    return;
  kiln_cl_devices_free(&list);
  struct kiln_report report = {0};
  struct kiln_driver_config config = {.print = print_nothing, .log = log_nothing};
  cr_assert_eq(kiln_opencl_backend.detect_target(&config.target, &report), KILN_OK);
  struct kiln_drv *drv;
  cr_assert_eq(kiln_opencl_backend.driver->open(&config, &drv, &report), KILN_OK, "%s", kiln_report_text(&report));
  struct kiln_artifact artifact = compile(&config.target);
  static char noise[1000], identity[1000];
  memset(noise, 0x5a, sizeof noise);
  cr_assert_eq(kiln_opencl_backend.device_identity(drv, 0, &config.target, identity, sizeof identity, &report), KILN_OK,
               "%s", kiln_report_text(&report));
  run_kernel(drv, &artifact, NULL, "the text alone");
  run_kernel(drv, &artifact, &(struct kiln_device_code){identity, noise, sizeof noise}, "a binary that is rejected");
  run_kernel(drv, &artifact, &(struct kiln_device_code){identity, noise, 0}, "an empty binary");
  kiln_opencl_backend.driver->close(drv);
  free(artifact.data);
  free(artifact.meta);
  free(artifact.kernels);
  kiln_report_free(&report);
}

Test(opencl_driver, buffer_that_is_too_large) {
  if (!have_platform())
    return;
  kiln_cl_devices_free(&list);
  struct kiln_report report = {0};
  struct kiln_driver_config config = {.print = print_nothing, .log = log_nothing};
  cr_assert_eq(kiln_opencl_backend.detect_target(&config.target, &report), KILN_OK);
  struct kiln_drv *drv;
  cr_assert_eq(kiln_opencl_backend.driver->open(&config, &drv, &report), KILN_OK);
  struct kiln_drv_memory *memory;
  cr_expect_eq(kiln_opencl_backend.driver->alloc(drv, 0, (size_t)1 << 50, NULL, &memory, &report), KILN_ERR_MEMORY);
  cr_expect(strstr(kiln_report_text(&report), "1125899906842624"), "%s", kiln_report_text(&report));
  kiln_opencl_backend.driver->close(drv);
  kiln_report_free(&report);
}

Test(opencl_driver, error_codes_are_sentences) {
  for (int code = -1; code >= -70; code--) {
    struct kiln_report report = {0};
    enum kiln_status status = kiln_cl_report(&report, code, "doing something");
    cr_expect_neq(status, KILN_OK, "%d", code);
    cr_expect(strncmp(kiln_report_text(&report), "doing something: ", 17) == 0, "%d: %s", code,
              kiln_report_text(&report));
    kiln_report_free(&report);
  }
  cr_expect_eq(kiln_cl_error_status(CL_MEM_OBJECT_ALLOCATION_FAILURE), KILN_ERR_MEMORY);
  cr_expect_eq(kiln_cl_error_status(CL_OUT_OF_RESOURCES), KILN_ERR_DEVICE);
}
