// printf: packs the arguments for the formatter of the host backends.
#include "backends/common/printf.h"
#include "backends/interp/interp.h"

#include <string.h>

struct strings { // what %s needs to check an address
  struct interp_worker *worker;
  const struct interp_item *item;
  const struct interp_inst *inst;
};

static const char *check_string(void *user, uint64_t address, size_t *size) {
  const struct strings *strings = user;
  uint64_t pointer[INTERP_POINTER_WORDS];
  struct interp_place place;
  interp_set_pointer(pointer, address, 0, 0, INTERP_NO_OBJECT);
  if (!kiln_interp_access(strings->worker, strings->item, strings->inst, pointer, KILN_GENERIC, 1, 1, INTERP_READ,
                          &place))
    return NULL;
  *size = place.available;
  return (const char *)place.data;
}

static bool pack(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                 const uint64_t *words, struct kiln_strbuf *types, struct kiln_strbuf *values) {
  const struct interp_function *fn = item->frames[item->depth - 1].fn;
  const kiln_value *operands = kiln_operands(fn->fn, inst->value);
  for (uint32_t i = 0; i < inst->c; i++) {
    kiln_type type = kiln_value_type(fn->fn, operands[i]);
    const uint64_t *value = interp_ref(worker, words, fn->refs[inst->a + i]);
    if (value[0])
      return kiln_interp_fail_undefined(worker, item, inst, "prints argument %u of printf, which was never initialised",
                                        i + 1);
    unsigned size = kiln_kind_bits(kiln_type_kind(type)) / 8;
    kiln_strbuf_append(types, &type, sizeof type);
    for (unsigned lane = 0; lane < kiln_type_lanes(type); lane++)
      kiln_strbuf_append(values, &value[lane + 1], size);
    static const char zeros[8];
    if (values->size % 8)
      kiln_strbuf_append(values, zeros, 8 - values->size % 8);
  }
  return true;
}

// The text says where, as does every message of the interpreter.
static bool fail(struct interp_worker *worker, const struct interp_item *item, const struct interp_inst *inst,
                 const struct kiln_strbuf *text) {
  char where[300];
  kiln_interp_where(item->frames[item->depth - 1].fn->fn, inst->value, where, sizeof where);
  size_t size = strlen(where);
  const char *what = text->size ? text->data : "";
  if (strncmp(what, where, size) == 0 && what[size] == ':')
    what += size + strspn(what + size, ": ");
  return kiln_interp_fail(worker, item, inst, "fails: %s", what);
}

bool kiln_interp_printf_op(struct interp_worker *worker, struct interp_item *item, const struct interp_inst *inst,
                           uint64_t *words) {
  const struct kiln_global *format = &worker->module->ir->globals[inst->imm];
  struct kiln_strbuf types = {0}, values = {0}, text = {0};
  bool ok = pack(worker, item, inst, words, &types, &values);
  if (ok) {
    struct strings strings = {worker, item, inst};
    struct kiln_printf_call call = {
        .format = format->init ? format->init : "",
        .format_size = format->init ? format->size : 0,
        .types = (const kiln_type *)types.data,
        .count = inst->c,
        .args = values.data,
        .string = check_string,
        .user = &strings,
    };
    bool packed = !types.failed && !values.failed;
    int result = packed ? kiln_printf_format(&text, &call) : -1;
    ok = !worker->status;
    if (!packed || text.failed)
      ok = kiln_interp_out_of_memory(worker, item, inst, "runs out of memory in printf");
    else if (kiln_inst(item->frames[item->depth - 1].fn->fn, inst->value)->flags & KILN_PRINT_FAIL)
      ok = fail(worker, item, inst, &text);
    else if (ok && text.size)
      kiln_host_print(worker->launch->host.drv, text.data, text.size);
    words[inst->dst] = 0;
    words[inst->dst + 1] = (uint32_t)result;
  }
  kiln_strbuf_free(&types);
  kiln_strbuf_free(&values);
  kiln_strbuf_free(&text);
  return ok;
}
