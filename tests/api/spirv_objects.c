// Objects made of SPIR-V, linked with objects made of OpenCL C: what the module imports is a built-in function where
// the name is that of one, mangled, and else a function of another object.
#include "tests/api/api_test.h"

// kernel void k(global uint *out) { *out = popcount(_Z7mangledj(plain(*out))); }, whose three functions are imports;
// popcount by the name _Z8popcountj.
static const uint32_t words[] = {
    0x7230203, 0x10000,    0,       0x13,    0,          0x20011,    6,          0x20011,    4,          0x20011,
    5,         0x3000e,    2,       2,       0x4000f,    6,          1,          0x6b,       0x60047,    2,
    0x29,      0x69616c70, 0x6e,    1,       0x70047,    3,          0x29,       0x6d375a5f, 0x6c676e61, 0x6a6465,
    1,         0x80047,    4,       0x29,    0x70385a5f, 0x6f63706f, 0x6a746e75, 0,          1,          0x20013,
    5,         0x40015,    6,       0x20,    0,          0x40020,    7,          5,          6,          0x40021,
    8,         5,          7,       0x40021, 9,          6,          6,          0x50036,    6,          2,
    0,         9,          0x30037, 6,       0xa,        0x10038,    0x50036,    6,          3,          0,
    9,         0x30037,    6,       0xb,     0x10038,    0x50036,    6,          4,          0,          9,
    0x30037,   6,          0xc,     0x10038, 0x50036,    5,          1,          0,          8,          0x30037,
    7,         0xd,        0x200f8, 0xe,     0x6003d,    6,          0xf,        0xd,        2,          4,
    0x50039,   6,          0x10,    2,       0xf,        0x50039,    6,          0x11,       3,          0x10,
    0x50039,   6,          0x12,    4,       0x11,       0x5003e,    0xd,        0x12,       2,          4,
    0x100fd,   0x10038,
};

#define SOURCE "uint plain(uint x) { return x + 1; } uint _Z7mangledj(uint x) { return x | 0xf00; }"

static struct kiln_program_desc spirv = {
    .kind = KILN_SOURCE_SPIRV, .source = (const char *)words, .size = sizeof words, .name = "module.spv"};

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
