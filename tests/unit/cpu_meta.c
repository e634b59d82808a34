// Descriptions of programs whose check is right, and that do not suit the code or the kernels all the same: none is
// loaded. (Programs whose check is wrong: cpu_load.c.)
#include "cpu_load.h"

// Two kernels of one argument each, so that the numbers of one could be taken for those of the other.
#define TEXT                                                                                                           \
  "kiln_ir 1\n"                                                                                                        \
  "kernel @k(%p: ptr.global) {\n  store %p, 1:i32, align 4\n  return\n}\n"                                             \
  "kernel @l(%p: ptr.global) {\n  store %p, 2:i32, align 4\n  return\n}\n"

static const struct kiln_kernel_info infos[] = {{.name = "k", .arg_count = 1, .args = &pointer_arg},
                                                {.name = "l", .arg_count = 1, .args = &pointer_arg},
                                                {.name = "m", .arg_count = 1, .args = &pointer_arg}};

// As it lies in memory: the head, a row for each kernel, the offset of each argument.
struct description {
  struct kiln_cpu_meta head;
  struct kiln_cpu_meta_kernel kernels[2];
  uint32_t offsets[2];
  uint32_t behind;
};
enum { SIZE = offsetof(struct description, behind) };

struct lie {
  const char *what;
  size_t at; // of a number of 32 bits
  uint32_t value;
  bool fine;
};
#define AT(member) offsetof(struct description, member)
static const struct lie lies[] = {
    {"as it is", AT(head.abi), KILN_CPU_ABI, true},
    {"another kind of file", AT(head.magic), KILN_CPU_META_MAGIC + 1, false},
    {"an earlier contract", AT(head.abi), KILN_CPU_ABI - 1, false},
    {"a later contract", AT(head.abi), KILN_CPU_ABI + 1, false},
    {"one kernel", AT(head.kernel_count), 1, false},
    {"three kernels", AT(head.kernel_count), 3, false},
    {"one argument", AT(head.arg_count), 1, false},
    {"three arguments", AT(head.arg_count), 3, false},
    {"a kernel without arguments", AT(kernels[1].arg_count), 0, false},
    {"a kernel of two arguments", AT(kernels[0].arg_count), 2, false},
    {"variables of the program that are not there", AT(head.flags), KILN_CPU_HAS_STATE, false},
    {"a kernel with the other's argument", AT(kernels[0].arg_first), 1, true},
    {"arguments that begin behind the last", AT(kernels[1].arg_first), 2, false},
    {"arguments that begin far away", AT(kernels[1].arg_first), UINT32_MAX, false},
    {"more rules than there is room for", AT(kernels[1].rule_count), KILN_CPU_MAX_RULES + 1, false},
    {"a rule for a variant like the kernel", AT(kernels[1].rule_count), 1, false},
    {"no lanes", AT(kernels[0].lanes), 0, false},
    {"no room for an argument", AT(kernels[0].arg_bytes), 7, false},
    {"room for the argument alone", AT(kernels[0].arg_bytes), 8, true},
    {"an argument that ends one byte too late", AT(offsets[0]), 1, false},
    {"an argument behind the room", AT(offsets[0]), 8, false},
    {"an argument far away", AT(offsets[1]), UINT32_MAX - 3, false},
};

// Gives the description its check, and loads the code with it.
static enum kiln_status load_as(struct world *w, const struct kiln_artifact *a, struct description *d, size_t size,
                                uint32_t kernel_count, struct kiln_drv_module **out) {
  d->head.check = kiln_cpu_check(a->data, a->size, d, size);
  struct kiln_code code = {
      .data = a->data, .size = a->size, .meta = d, .meta_size = size, .kernels = infos, .kernel_count = kernel_count};
  return w->driver->load(w->drv, &code, out, &w->report);
}

Test(cpu_meta, descriptions_that_do_not_suit_are_refused) {
  struct world w;
  struct kiln_artifact a;
  struct description right, lie;
  struct kiln_drv_module *module;
  world_open(&w);
  make_text(&w, TEXT, 0, &a);
  cr_assert_eq(a.meta_size, SIZE);
  memcpy(&right, a.meta, SIZE);
  for (uint32_t k = 0; k < 2; k++) { // 8 bytes each, of a block that begins with it
    cr_assert_eq(right.kernels[k].arg_bytes, 8);
    cr_assert_eq(right.offsets[k], 0);
  }
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    lie = right;
    memcpy((char *)&lie + lies[i].at, &lies[i].value, sizeof lies[i].value);
    enum kiln_status status = load_as(&w, &a, &lie, SIZE, 2, &module);
    cr_expect_eq(status == KILN_OK, lies[i].fine, "%s: %s", lies[i].what, kiln_report_text(&w.report));
    if (!status)
      w.driver->unload(w.drv, module);
  }
  lie = right;
  lie.behind = 0;
  cr_expect_neq(load_as(&w, &a, &lie, SIZE + 4, 2, &module), KILN_OK, "a number too many");
  cr_expect_neq(load_as(&w, &a, &lie, SIZE - 4, 2, &module), KILN_OK, "a number too few");
  cr_expect_neq(load_as(&w, &a, &lie, SIZE, 1, &module), KILN_OK, "fewer kernels are known");
  cr_expect_neq(load_as(&w, &a, &lie, SIZE, 3, &module), KILN_OK, "more kernels are known");
  lie.kernels[1].arg_first = 2; // none is left, however large the block is
  lie.kernels[1].arg_bytes = UINT32_MAX;
  cr_expect_neq(load_as(&w, &a, &lie, SIZE, 2, &module), KILN_OK, "the argument behind the last");
  drop(&a);
  world_close(&w);
}

Test(cpu_meta, kernels_are_those_of_the_program) {
  struct world w;
  struct kiln_artifact a;
  struct kiln_drv_module *module;
  struct kiln_drv_kernel *kernel;
  world_open(&w);
  make_text(&w, TEXT, 0, &a);
  struct kiln_code code = {
      .data = a.data, .size = a.size, .meta = a.meta, .meta_size = a.meta_size, .kernels = infos, .kernel_count = 2};
  cr_assert_eq(w.driver->load(w.drv, &code, &module, &w.report), KILN_OK, "%s", kiln_report_text(&w.report));
  cr_expect_eq(w.driver->kernel(w.drv, module, 1, &kernel, &w.report), KILN_OK);
  cr_expect_eq(w.driver->kernel(w.drv, module, 2, &kernel, &w.report), KILN_ERR_NOT_FOUND);
  w.driver->unload(w.drv, module);
  code.kernels = infos + 1; // "m" is not there
  cr_expect_eq(w.driver->load(w.drv, &code, &module, &w.report), KILN_ERR_INTERNAL);
  drop(&a);
  world_close(&w);
}

// Rules that are no rules of the kernel: a variant for rows=any under the condition.
Test(cpu_meta, rules_that_do_not_suit_are_refused) {
  static const struct {
    const char *what;
    struct kiln_cpu_rule rule;
    uint32_t row_unit;
    bool fine;
  } cases[] = {
#define ANY_ROWS .schedule.rows = KILN_CPU_ROWS_ANY
      {"partial groups", {.any = KILN_CPU_IF(PARTIAL_GROUPS), ANY_ROWS}, 0, true},
      {"rows of a unit", {.any = KILN_CPU_IF(RAGGED_ROWS), ANY_ROWS}, 8, true},
      {"rows of no unit", {.any = KILN_CPU_IF(RAGGED_ROWS), ANY_ROWS}, 0, false},
      {"even rows of no unit", {.none = KILN_CPU_IF(UNEVEN_ROWS), ANY_ROWS}, 0, false},
      {"columns of no unit", {.all = KILN_CPU_IF(RAGGED_COLUMNS), ANY_ROWS}, 0, false},
      {"a condition that is not there", {.any = 1u << KILN_CPU_CONDITION_COUNT, ANY_ROWS}, 0, false},
      {"a shape that is not there", {.schedule.shape = KILN_CPU_SHAPE_COUNT}, 0, false},
      {"a time that is not there", {ANY_ROWS, .when = KILN_CPU_REPLACES + 1}, 0, false},
      {"no schedule", {.any = KILN_CPU_IF(PARTIAL_GROUPS)}, 0, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_cpu_meta_kernel kernel = {.lanes = 8, .row_unit = cases[i].row_unit, .rule_count = 1};
    kernel.rules[0] = cases[i].rule;
    cr_expect_eq(kiln_cpu_check_rules(&kernel), cases[i].fine, "%s", cases[i].what);
  }
}

// Programs are shipped with a variant for launches of any size if a kernel is only for some.
Test(cpu_meta, variants_that_are_shipped) {
  static const struct {
    const char *what;
    uint32_t conditions; // of the second kernel's rule
    enum kiln_cpu_when when;
    bool is_required, ships;
  } cases[] = {{"as it is", 0, KILN_CPU_NEEDS, false, false},
               {"full groups", KILN_CPU_IF(PARTIAL_GROUPS), KILN_CPU_NEEDS, false, true},
               {"aligned offsets", KILN_CPU_IF(RAGGED_OFFSET), KILN_CPU_NEEDS, false, true},
               {"full groups of a required size", KILN_CPU_IF(PARTIAL_GROUPS), KILN_CPU_NEEDS, true, true},
               {"long rows", KILN_CPU_IF(RAGGED_ROWS), KILN_CPU_NEEDS, false, true},
               {"long rows of a required size", KILN_CPU_IF(RAGGED_ROWS), KILN_CPU_NEEDS, true, false},
               {"small ids", KILN_CPU_IF(LARGE_IDS), KILN_CPU_NEEDS, false, false},
               {"a wish", KILN_CPU_IF(PARTIAL_GROUPS), KILN_CPU_GAINS, false, false},
               {"no description", KILN_CPU_IF(PARTIAL_GROUPS), KILN_CPU_REPLACES + 1, false, false}};
  struct world w;
  struct kiln_artifact a;
  struct description d;
  world_open(&w);
  make_text(&w, TEXT, 0, &a);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct kiln_kernel_info kernels[] = {infos[0], infos[1]};
    memcpy(&d, a.meta, SIZE);
    d.kernels[0].rule_count = 0;
    d.kernels[1].rule_count = 1;
    d.kernels[1].row_unit = 8;
    d.kernels[1].rules[0] = (struct kiln_cpu_rule){
        .any = cases[i].conditions, .schedule.rows = KILN_CPU_ROWS_ANY, .when = (uint32_t)cases[i].when};
    if (cases[i].is_required)
      kernels[1].required_group_size[0] = kernels[0].required_group_size[0] = 8;
    struct kiln_code code = {
        .data = a.data, .size = a.size, .meta = &d, .meta_size = SIZE, .kernels = kernels, .kernel_count = 2};
    const char *options = kiln_cpu_backend.shipped_variant(&code);
    cr_expect_eq(options != NULL, cases[i].ships, "%s", cases[i].what);
    cr_expect(!options || strcmp(options, "--kiln-rows=any") == 0, "%s: %s", cases[i].what, options);
  }
  drop(&a);
  world_close(&w);
}
