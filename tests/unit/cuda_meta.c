// The metadata of programs for NVIDIA GPUs: what is written is read, and nothing that is damaged is accepted wrongly.
#include "backends/cuda/code/meta.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct kiln_str names[] = {{"smooth", 6}, {"kiln_kernel_1", 13}, {"a_var", 5}, {"b", 1}, {"", 0}};

static void write_example(struct kiln_strbuf *out) {
  struct kiln_cuda_meta_kernel kernels[2] = {
      {KILN_CUDA_KERNEL_PRINTS, 4096, 256, 128, names[0]},
      {KILN_CUDA_KERNEL_ANY, 0, 1024, 4352, names[1]},
  };
  struct kiln_str variables[3] = {names[2], names[3], names[4]};
  struct kiln_cuda_meta_pointer pointers[1] = {{.variable = 1, .target = 2, .offset = 1ull << 33, .addend = -8ull}};
  struct kiln_cuda_meta meta = {
      .target = 90 | KILN_CUDA_META_FEATURES,
      .version = 80,
      .flags = KILN_CUDA_META_TABLE,
      .kernel_count = 2,
      .variable_count = 3,
      .state_count = 1,
      .pointer_count = 1,
      .kernels = kernels,
      .variables = variables,
      .pointers = pointers,
      .prints = "12345678",
      .prints_size = 8,
  };
  kiln_cuda_meta_write(&meta, out);
  cr_assert_not(out->failed);
}

static bool same(struct kiln_str a, struct kiln_str b) { return a.size == b.size && !memcmp(a.data, b.data, a.size); }

Test(cuda_meta, is_read_as_written) {
  struct kiln_strbuf text = {0};
  struct kiln_cuda_meta meta;
  write_example(&text);
  cr_assert_null(kiln_cuda_meta_read(text.data, text.size, &meta));
  cr_assert_eq(meta.target, 90 | KILN_CUDA_META_FEATURES);
  cr_assert_eq(meta.version, 80);
  cr_assert_eq(meta.flags, KILN_CUDA_META_TABLE);
  cr_assert_eq(meta.kernel_count, 2);
  cr_assert_eq(meta.variable_count, 3);
  cr_assert_eq(meta.state_count, 1);
  cr_assert_eq(meta.pointer_count, 1);
  cr_assert(same(meta.kernels[0].name, names[0]) && same(meta.kernels[1].name, names[1]));
  cr_assert_eq(meta.kernels[0].local_bytes, 4096);
  cr_assert_eq(meta.kernels[1].flags, KILN_CUDA_KERNEL_ANY);
  cr_assert_eq(meta.kernels[1].max_group_size, 1024);
  cr_assert_eq(meta.kernels[1].parameter_bytes, 4352);
  for (int i = 0; i < 3; i++)
    cr_assert(same(meta.variables[i], names[2 + i]), "variable %d", i);
  cr_assert_eq(meta.pointers[0].offset, 1ull << 33);
  cr_assert_eq(meta.pointers[0].addend, -8ull);
  cr_assert(meta.prints_size == 8 && !memcmp(meta.prints, "12345678", 8));
  kiln_cuda_meta_free(&meta);
  kiln_strbuf_free(&text);
}

Test(cuda_meta, cut_short) {
  struct kiln_strbuf text = {0};
  write_example(&text);
  for (size_t size = 0; size < text.size - 8; size++) { // without the print places it is whole
    struct kiln_cuda_meta meta;
    char *copy = malloc(size + 1);
    memcpy(copy, text.data, size);
    cr_assert_not_null(kiln_cuda_meta_read(copy, size, &meta), "%zu bytes", size);
    kiln_cuda_meta_free(&meta);
    free(copy);
  }
  kiln_strbuf_free(&text);
}

Test(cuda_meta, damaged) { // every byte in turn: an error or a result, all of it within the data
  struct kiln_strbuf text = {0};
  write_example(&text);
  for (size_t at = 0; at < text.size; at++)
    for (int value = 0; value < 256; value += 51) {
      struct kiln_cuda_meta meta;
      char kept = text.data[at];
      text.data[at] = (char)value;
      if (!kiln_cuda_meta_read(text.data, text.size, &meta)) {
        cr_assert_leq(meta.state_count, meta.variable_count);
        for (uint32_t i = 0; i < meta.pointer_count; i++)
          cr_assert(meta.pointers[i].variable < meta.variable_count && meta.pointers[i].target < meta.variable_count);
        for (uint32_t i = 0; i < meta.kernel_count; i++)
          cr_assert(meta.kernels[i].name.data >= text.data &&
                    meta.kernels[i].name.data + meta.kernels[i].name.size <= text.data + text.size);
      }
      kiln_cuda_meta_free(&meta);
      text.data[at] = kept;
    }
  kiln_strbuf_free(&text);
}
