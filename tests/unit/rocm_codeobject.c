// The reader of code objects on damaged input, the reader of MessagePack on every kind of value.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/code/codeobject.h"
#include "backends/rocm/code/msgpack.h"
#include "kiln/kiln.h"

static const char source[] = "__attribute__((reqd_work_group_size(64, 2, 1)))\n"
                             "kernel void k(global const float *x, constant int *c, float4 v, local int *l, char b,\n"
                             "              global double *y) {\n"
                             "  local float t[100];\n"
                             "  t[get_local_id(0)] = x[get_global_id(0)] + c[0] + v.x + b;\n"
                             "  l[0] = 1;\n"
                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "  y[get_global_id(0)] = t[get_local_id(1)] * l[0] * get_num_groups(2);\n"
                             "}\n";

static unsigned char *compile(size_t *size) {
  struct kiln_context *ctx = NULL;
  struct kiln_program *program = NULL;
  struct kiln_context_desc desc = {.backend = "rocm", .arch = "gfx90a:xnack-", .cache_mode = "off"};
  cr_assert_eq(kiln_context_open(&desc, &ctx), KILN_OK, "%s", kiln_last_error());
  enum kiln_status status = kiln_program_create(ctx, &(struct kiln_program_desc){.source = source}, &program);
  if (status == KILN_ERR_UNAVAILABLE)
    cr_skip_test("%s", kiln_last_error());
  cr_assert_eq(status, KILN_OK, "%s", kiln_last_error());
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  unsigned char *copy = malloc(info.artifact_size);
  memcpy(copy, info.artifact, info.artifact_size);
  *size = info.artifact_size;
  kiln_program_release(program);
  kiln_context_close(ctx);
  return copy;
}

Test(rocm_codeobject, reads) {
  size_t size;
  unsigned char *data = compile(&size);
  struct kiln_rocm_object object;
  const char *fault = kiln_rocm_object_read(data, size, &object);
  cr_assert(!fault, "%s", fault);
  cr_assert_str_eq(object.target, "amdgcn-amd-amdhsa--gfx90a:xnack-");
  cr_assert_eq(object.version[0], 1);
  cr_assert_eq(object.version[1], 2);
  cr_assert_eq(object.kernel_count, 1);
  const struct kiln_rocm_kernel *k = kiln_rocm_object_find(&object, "k");
  cr_assert(k);
  cr_assert(!kiln_rocm_object_find(&object, "K"));
  static const struct {
    const char *kind, *space;
    uint32_t offset, size;
  } args[] = {{"global_buffer", "global", 0, 8},
              {"global_buffer", "constant", 8, 8},
              {"by_value", "", 16, 16},
              {"dynamic_shared_pointer", "local", 32, 4},
              {"by_value", "", 36, 1},
              {"global_buffer", "global", 40, 8},
              {"hidden_block_count_x", "", 48, 4}};
  for (size_t i = 0; i < 7; i++) {
    cr_assert_str_eq(k->args[i].value_kind, args[i].kind, "argument %zu is a %s", i, k->args[i].value_kind);
    cr_assert_str_eq(k->args[i].address_space, args[i].space, "argument %zu: %s", i, k->args[i].address_space);
    cr_assert_eq(k->args[i].offset, args[i].offset, "argument %zu at %u", i, k->args[i].offset);
    cr_assert_eq(k->args[i].size, args[i].size, "argument %zu of %u", i, k->args[i].size);
  }
  cr_assert_eq(k->kernarg_bytes, 48 + 256, "%u", k->kernarg_bytes);
  cr_assert_eq(k->local_bytes, 400, "%u", k->local_bytes);
  cr_assert_eq(k->max_group_size, 128, "%u", k->max_group_size);
  cr_assert_eq(k->required_group_size[1], 2);
  cr_assert_eq(k->wave_size, 64);
  kiln_rocm_object_free(&object);
  free(data);
}

// Every truncation, and changes of every byte of the file: an error or a result, and nothing outside is touched.
Test(rocm_codeobject, damaged) {
  size_t size, read = 0, refused = 0;
  unsigned char *data = compile(&size);
  struct kiln_rocm_object object;
  for (size_t cut = 0; cut < size; cut++) {
    unsigned char *part = malloc(cut ? cut : 1);
    memcpy(part, data, cut);
    *(kiln_rocm_object_read(part, cut, &object) ? &refused : &read) += 1;
    kiln_rocm_object_free(&object);
    free(part);
  }
  static const unsigned char masks[] = {0x01, 0x80, 0xff};
  for (size_t at = 0; at < size; at++)
    for (size_t m = 0; m < sizeof masks; m++) {
      data[at] ^= masks[m];
      *(kiln_rocm_object_read(data, size, &object) ? &refused : &read) += 1;
      kiln_rocm_object_free(&object);
      data[at] ^= masks[m];
    }
  cr_assert_eq(read + refused, 4 * size);
  cr_assert_gt(refused, size / 2, "%zu of %zu", refused, 4 * size);
  free(data);
}

Test(rocm_codeobject, msgpack) {
  static const unsigned char bytes[] = {
      0x05,                                     // 5
      0xff,                                     // -1
      0xcd, 0x01, 0x02,                         // 258
      0xcf, 0,    0,    0,    1,    0, 0, 0, 0, // 2^32
      0xd1, 0xff, 0xfe,                         // -2
      0xc3, 0xc0,                               // true, nil
      0xa2, 'h',  'i',                          // "hi"
      0xd9, 0x01, 'x',                          // "x"
      0x92, 0x81, 0x01, 0x02, 0x03,             // [{1: 2}, 3]
      0xdc, 0,    1,    0x07,                   // [7]
      0xc4, 0x02, 0xaa, 0xbb,                   // bytes
      0xd4, 0x01, 0x02,                         // ext
      0xcb, 0,    0,    0,    0,    0, 0, 0, 0, // 0.0
      0xde, 0xff, 0xff,                         // a map that cannot be there
  };
  struct kiln_msgpack r = {bytes, bytes + sizeof bytes, false};
  cr_assert_eq(kiln_msgpack_next(&r).number, 5);
  struct kiln_msgpack_value value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_INT && (int64_t)value.number == -1);
  cr_assert_eq(kiln_msgpack_next(&r).number, 258);
  cr_assert_eq(kiln_msgpack_next(&r).number, UINT64_C(1) << 32);
  value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_INT && (int64_t)value.number == -2);
  cr_assert_eq(kiln_msgpack_next(&r).number, 1);
  cr_assert_eq(kiln_msgpack_next(&r).kind, KILN_MSGPACK_NIL);
  value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_STRING && value.count == 2 && !memcmp(value.text, "hi", 2));
  value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_STRING && value.count == 1 && *value.text == 'x');
  value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_ARRAY && value.count == 2);
  kiln_msgpack_skip(&r, value);
  value = kiln_msgpack_next(&r);
  cr_assert(value.kind == KILN_MSGPACK_ARRAY && value.count == 1);
  cr_assert_eq(kiln_msgpack_next(&r).number, 7);
  for (int i = 0; i < 3; i++)
    cr_assert_eq(kiln_msgpack_next(&r).kind, KILN_MSGPACK_OTHER, "%d", i);
  cr_assert(!r.failed);
  kiln_msgpack_next(&r);
  cr_assert(r.failed);
}

// examples/hip_host.c passes the arguments of examples/smooth.cl as a C struct.
Test(rocm_codeobject, arguments_lie_as_in_a_c_struct) {
  struct {
    const float *x;
    float *y;
    int n;
  } arguments;
  static const char smooth[] = "kernel void smooth(global const float *x, global float *y, int n) {\n"
                               "  int i = get_global_id(0);\n"
                               "  y[i] = x[min(i + 1, n - 1)];\n"
                               "}\n";
  struct kiln_context *ctx = NULL;
  struct kiln_program *program = NULL;
  struct kiln_context_desc desc = {.backend = "rocm", .arch = "gfx90a", .cache_mode = "off"};
  cr_assert_eq(kiln_context_open(&desc, &ctx), KILN_OK, "%s", kiln_last_error());
  enum kiln_status status = kiln_program_create(ctx, &(struct kiln_program_desc){.source = smooth}, &program);
  if (status == KILN_ERR_UNAVAILABLE)
    cr_skip_test("%s", kiln_last_error());
  cr_assert_eq(status, KILN_OK, "%s", kiln_last_error());
  struct kiln_program_info info;
  kiln_program_info(program, &info);
  struct kiln_rocm_object object;
  cr_assert(!kiln_rocm_object_read(info.artifact, info.artifact_size, &object));
  const struct kiln_rocm_kernel *k = kiln_rocm_object_find(&object, "smooth");
  cr_assert(k && k->arg_count >= 3);
  cr_assert(k->args[0].offset == (size_t)((char *)&arguments.x - (char *)&arguments) && k->args[0].size == 8);
  cr_assert(k->args[1].offset == (size_t)((char *)&arguments.y - (char *)&arguments) && k->args[1].size == 8);
  cr_assert(k->args[2].offset == (size_t)((char *)&arguments.n - (char *)&arguments) && k->args[2].size == 4);
  for (uint32_t i = 3; i < k->arg_count; i++)
    cr_assert_eq(k->args[i].kind, KILN_ROCM_ARG_HIDDEN);
  cr_assert(k->kernarg_bytes >= sizeof arguments && k->max_group_size >= 256);
  kiln_rocm_object_free(&object);
  kiln_program_release(program);
  kiln_context_close(ctx);
}
