// What kiln_device_traits tells, and that it agrees with what programs find.
#include "tests/api/api_test.h"

static bool has_word(const char *text, const char *word) {
  size_t size = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += size)
    if ((at == text || at[-1] == ' ') && (at[size] == ' ' || !at[size]))
      return true;
  return false;
}

// Whether a program sees the extension's macro.
static bool is_defined(const char *name) {
  char source[200];
  snprintf(source, sizeof source, "#ifndef %s\n#error absent\n#endif\nkernel void k(global int *x) { *x = 1; }", name);
  struct kiln_program *program;
  enum kiln_status status =
      kiln_program_create(ctx, &(struct kiln_program_desc){.source = source, .options = "-cl-std=CL3.0"}, &program);
  EXPECT(status == KILN_OK || status == KILN_ERR_COMPILE, "%s", kiln_last_error());
  if (status == KILN_OK)
    kiln_program_release(program);
  return status == KILN_OK;
}

int main(int argc, char **argv) {
  api_open(argc, argv);
  struct kiln_device_traits t, again;
  const uint32_t basic = KILN_FLOAT_INF_NAN | KILN_FLOAT_ROUND_NEAREST;
  FINE(kiln_device_traits(ctx, 0, &t));
  static const char *const names[] = {"cl_khr_fp16",
                                      "cl_khr_fp64",
                                      "cl_khr_int64_base_atomics",
                                      "cl_khr_byte_addressable_store",
                                      "cl_khr_subgroups",
                                      "cl_khr_integer_dot_product",
                                      "__opencl_c_fp64",
                                      "__opencl_c_subgroups",
                                      "__opencl_c_generic_address_space",
                                      "__opencl_c_images",
                                      "cl_khr_nowhere"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    EXPECT(has_word(t.extensions, names[i]) == is_defined(names[i]), "%s in '%s'", names[i], t.extensions);
  EXPECT(has_word(t.extensions, "cl_khr_byte_addressable_store") && !has_word(t.extensions, "cl_khr_nowhere"), "%s",
         t.extensions);
  EXPECT((t.float_flags & basic) == basic, "%#x", t.float_flags);
  EXPECT(!t.double_flags == !has_word(t.extensions, "cl_khr_fp64"), "%#x", t.double_flags);
  EXPECT(!t.half_flags == !has_word(t.extensions, "cl_khr_fp16"), "%#x", t.half_flags);
  EXPECT(t.max_alloc_bytes && t.max_alloc_bytes <= device.memory_bytes, "%llu", (unsigned long long)t.max_alloc_bytes);
  EXPECT(t.char_width && t.short_width && t.int_width && t.long_width && t.float_width, "widths");
  EXPECT(!t.double_width == !t.double_flags, "%u", t.double_width);
  EXPECT(t.register_bytes == (api_is("cpu") ? device.warp_size * 4 : 0), "%u", t.register_bytes);
  bool is_host = api_is("cpu") || api_is("interp");
  bool is_gpu = api_is("rocm") || api_is("cuda");
  EXPECT(t.pointers == (is_host  ? KILN_POINTERS_PROCESS
                        : is_gpu ? KILN_POINTERS_RUNTIME
                                 : KILN_POINTERS_NONE),
         "%d", (int)t.pointers);
  EXPECT(!is_host || !t.own_local_memory, "local memory");
  if (api_is("rocm")) // as the stand-in says
    EXPECT(t.own_local_memory && t.clock_mhz == 2400 && t.cache_bytes == 6 << 20 && t.cache_line_bytes == 128,
           "traits");
  if (api_is("cuda")) // likewise
    EXPECT(t.own_local_memory && t.clock_mhz == 1500 && t.cache_bytes == 4 << 20 && t.cache_line_bytes == 128,
           "traits");
  EXPECT(!api_is("cpu") || t.clock_mhz, "the clock");
  EXPECT(t.cache_line_bytes == 0 || (t.cache_line_bytes & (t.cache_line_bytes - 1)) == 0, "%u", t.cache_line_bytes);
  FINE(kiln_device_traits(ctx, 0, &again));
  EXPECT(again.extensions == t.extensions && again.cache_bytes == t.cache_bytes, "told differently");
  EXPECT(kiln_device_traits(ctx, 1000, &t) == KILN_ERR_NOT_FOUND, "%s", kiln_last_error());
  FAILS(kiln_device_traits(NULL, 0, &t), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  FAILS(kiln_device_traits(ctx, 0, NULL), KILN_ERR_INVALID, KILN_REASON_NONE, 0);
  printf("%s: alloc %llu, cache %llu of %u, %u MHz, float %#x, double %#x, half %#x\n", backend,
         (unsigned long long)t.max_alloc_bytes, (unsigned long long)t.cache_bytes, t.cache_line_bytes, t.clock_mhz,
         t.float_flags, t.double_flags, t.half_flags);
  api_close();
  return 0;
}
