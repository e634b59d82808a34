// Objects made of SPIR-V, linked with objects made of OpenCL C: what the module imports is a built-in function where
// the name is that of one, mangled, and else a function of another object.
#include "tests/api/api_test.h"
#include "tests/support/spirv_object.h"

#define SOURCE "uint plain(uint x) { return x + 1; } uint _Z7mangledj(uint x) { return x | 0xf00; }"

static struct kiln_program_desc spirv = {
    .kind = KILN_SOURCE_SPIRV, .source = (const char *)spirv_object, .size = sizeof spirv_object, .name = "module.spv"};

static void as_program(void) {
  struct kiln_program *program;
  enum kiln_status status = kiln_program_create(ctx, &spirv, &program);
  EXPECT(status == KILN_ERR_COMPILE && strstr(kiln_last_error(), "undefined import 'plain'"), "%d: %s", (int)status,
         kiln_last_error());
}

static void as_objects(void) {
  struct kiln_object *objects[2];
  struct kiln_program *program;
  FINE(kiln_object_create(ctx, &spirv, &objects[0]));
  FINE(kiln_object_create(ctx, &(struct kiln_program_desc){.source = SOURCE}, &objects[1]));
  enum kiln_status status =
      kiln_program_link(ctx, &(struct kiln_link_desc){.objects = objects, .object_count = 1}, &program);
  EXPECT(status == KILN_ERR_COMPILE && strstr(kiln_last_error(), "plain") && strstr(kiln_last_error(), "_Z7mangledj") &&
             !strstr(kiln_last_error(), "popcount"),
         "%d: %s", (int)status, kiln_last_error());
  FINE(kiln_program_link(ctx, &(struct kiln_link_desc){.objects = objects, .object_count = 2}, &program));
  struct kiln_kernel *kernel;
  FINE(kiln_kernel_create(program, "k", &kernel));
  uint32_t value = 6, result = 0;
  struct kiln_buffer *buffer = api_buffer(sizeof value, NULL);
  FINE(kiln_write(stream, buffer, 0, &value, sizeof value, NULL));
  struct kiln_arg arg = kiln_arg_buffer(buffer);
  FINE(kiln_launch(stream, kernel, &(struct kiln_launch_desc){.global = {1}, .args = &arg, .arg_count = 1}, NULL));
  FINE(kiln_read(stream, buffer, 0, &result, sizeof result, NULL));
  FINE(kiln_stream_finish(stream));
  EXPECT(result == 7, "%u", result); // bits of 7 | 0xf00
  kiln_buffer_release(buffer);
  kiln_kernel_release(kernel);
  kiln_program_release(program);
  kiln_object_release(objects[0]);
  kiln_object_release(objects[1]);
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  as_program();
  as_objects();
  api_close();
  return 0;
}
