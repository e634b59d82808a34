// Reads the text form of the IR: modules, functions, nodes. The first error ends the parse; what was read is verified,
// and a fault is reported at the location of its instruction.
//
// The grammar:
//
//   text      = module { module } ;                                       (* several: objects that are linked *)
//   module    = "kiln_ir" "1" { file } { global } { function } ;
//   file      = "file" number string ;                                    (* numbered from 0 *)
//   global    = "global" "$"id name space "size" number "align" number [ "export" [ "once" ] | "extern" ]
//               [ "=" string ] [ "relocs" "[" reloc { "," reloc } "]" ] ; (* numbered from 0 *)
//   reloc     = number ":" "$"id "+" integer ;
//   function  = ( "kernel" | "func" ) "@" name "(" [ param { "," param } ] ")" [ ":" type ]
//               [ "reqd" number number number ] [ "hint" number number number ] [ "vec_type" string ]
//               [ "sub_groups_of" number ] [ "noinline" ]
//               [ "inline" ] [ "export" [ "once" ] ] ( body | "extern" ) ;             (* export, extern: of objects *)
//   param     = definition ":" type [ string ] [ "byval" number ] [ "align" number ]
//               [ "access" ( "none" | "read" | "write" | "read_write" ) ] [ "const" ] [ "restrict" ] [ "volatile" ]
//               [ "of" ( "sampler" | "record" | "image1d" | … ) ] ;
//   body      = "{" { inst | node } "}" ;
//
//   node      = "block" label [ results ] [ loc ] body
//             | "if" operand [ results ] [ "likely" ] [ loc ] body [ "else" body ]
//                                                                     (* no else: an else that only yields *)
//             | "loop" label [ "(" first { "," first } ")" ] [ results ] [ "unroll" number ] [ loc ] body
//             | "switch" label operand "[" [ integer { "," integer } ] "]" [ results ] [ loc ]
//               body { "case" integer body } ;  (* default first, then the cases as listed *)
//   results   = "->" "(" definition ":" type { "," definition ":" type } ")" ;
//   first     = definition ":" type "=" operand ;
//
//   inst      = [ definition "=" ] op { "." flag } arguments [ ":" type ] [ loc ] ;
//               (* the type stands where the result does not follow from the operands *)
//   arguments = [ operands ]                                              (* most operations *)
//             | [ operands ]                                              (* yield, return *)
//             | label [ "," operands ]                                    (* break, continue *)
//             | operand "," operand "*" integer                           (* padd *)
//             | operands "," "align" number                               (* load, store *)
//             | number "," "align" number                                 (* var *)
//             | operands "," "bytes" number "," "align" number            (* copy *)
//             | operands "," order scope                                  (* atomic_load … atomic_cas *)
//             | order scope "[" [ memory { "," memory } ] "]"             (* fence *)
//             | "[" [ memory { "," memory } ] "]"                         (* barrier, sub_group_barrier *)
//             | operands "," scope [ "," "cluster" number ]               (* group_all … group_scan_exclusive *)
//             | operands "," "[" lane { "," lane } "]"                    (* shuffle *)
//             | "@" name "(" [ operands ] ")"                             (* call *)
//             | "$"id "(" [ operands ] ")"                                (* printf *)
//             | number ;                                                  (* work-item queries: the dimension *)
//   operands  = operand { "," operand } ;
//   operand   = "%"id | "$"id | scalar ":" type | "{" scalar { "," scalar } "}" ":" type ;
//               (* one scalar for a vector type: in every lane *)
//   scalar    = integer | float | "true" | "false" | "null" | "undef" | [ "-" ] "inf" ;
//               (* 0x… of a float type: its bits *)
//   definition = "%"id [ "." name ] ;                                     (* the name is that of the source *)
//   label     = "^"id ;
//   loc       = "!" number ":" number ":" number ;                        (* file, line, column *)
//   flag      = "volatile" | "nsw" | "contract" | "nnan" | "ninf" | "nsz" | "arcp" | "reassoc" | "approx" | "native"
//             | "half" | "inrange" | "rte" | "rtz" | "rtp" | "rtn" | rmw | reduce ;
//   order     = "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst" ;
//   scope     = "item" | "sub_group" | "group" | "device" | "system" ;
//   memory    = "local" | "global" | "image" ;
//   lane      = number | "undef" ;
//   name      = identifier | string ;
//   id        = letters, digits and underscores ;                         (* not only digits: becomes the name *)
//   string    = '"' with \n, \", \\ and \hh (two hexadecimal digits) '"' ;
#include "jit/ir/parse.h"

#include <stdlib.h>

#include "base/floats.h"

// Larger texts are refused, so that offsets and ids fit 32 bits.
#define MAX_TEXT (1u << 30)
#define MAX_PARAMS 4096

void kiln_ir_check_memory(struct kiln_ir_parser *p) {
  if (kiln_module_failed(p->module))
    longjmp(*p->lexer.failed, 2);
}

void kiln_ir_set_place(struct kiln_ir_parser *p, kiln_value value, uint32_t offset) {
  while (p->places.count <= value)
    KILN_VEC_PUSH(p->lexer.arena, &p->places, 0);
  p->places.items[value] = offset;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static void parse_region(struct kiln_ir_parser *p, uint32_t region);

static void define_label(struct kiln_ir_parser *p, struct kiln_name *label, uint32_t offset, kiln_value node) {
  if (label->tag == p->function_index + 1)
    kiln_ir_error(&p->lexer, offset, "%s is defined twice", label->text);
  label->tag = p->function_index + 1;
  label->data = (void *)(uintptr_t)node;
}

typedef KILN_VEC(struct kiln_ir_definition) definitions;

static void parse_header(struct kiln_ir_parser *p, definitions *names, kiln_value **first) {
  KILN_VEC(kiln_value) values = {0};
  if (!kiln_ir_accept_punct(&p->lexer, '('))
    return;
  do {
    KILN_VEC_PUSH(p->lexer.arena, names, kiln_ir_parse_definition(p));
    kiln_ir_expect_punct(&p->lexer, ':');
    uint32_t offset = p->lexer.token.offset;
    kiln_type type = kiln_ir_parse_type(p);
    kiln_ir_expect_punct(&p->lexer, '=');
    kiln_value value = kiln_ir_parse_operand(p);
    if (p->fn->insts[value].type != type)
      kiln_ir_error(&p->lexer, offset, "the first value of a header phi has another type");
    KILN_VEC_PUSH(p->lexer.arena, &values, value);
  } while (kiln_ir_accept_punct(&p->lexer, ','));
  kiln_ir_expect_punct(&p->lexer, ')');
  *first = values.items;
}

static void parse_results(struct kiln_ir_parser *p, kiln_value node) {
  if (p->lexer.token.kind != KILN_IR_ARROW)
    return;
  kiln_ir_next(&p->lexer);
  kiln_ir_expect_punct(&p->lexer, '(');
  do {
    struct kiln_ir_definition definition = kiln_ir_parse_definition(p);
    kiln_ir_expect_punct(&p->lexer, ':');
    kiln_type type = kiln_ir_parse_type(p);
    kiln_ir_define(p, definition, kiln_node_add_result(p->fn, node, type));
  } while (kiln_ir_accept_punct(&p->lexer, ','));
  kiln_ir_expect_punct(&p->lexer, ')');
}

static void parse_cases(struct kiln_ir_parser *p, int64_t **cases, uint32_t *count) {
  KILN_VEC(int64_t) list = {0};
  kiln_ir_expect_punct(&p->lexer, '[');
  if (!kiln_ir_at_punct(&p->lexer, ']'))
    do
      KILN_VEC_PUSH(p->lexer.arena, &list, kiln_ir_signed(&p->lexer));
    while (kiln_ir_accept_punct(&p->lexer, ','));
  kiln_ir_expect_punct(&p->lexer, ']');
  *cases = list.items;
  *count = list.count;
}

// The regions of a node, after its first brace.
static void parse_regions(struct kiln_ir_parser *p, kiln_value id) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  const struct kiln_node node = *kiln_node(p->fn, id);
  for (uint32_t i = 0; i < node.region_count; i++) {
    if (i && p->fn->insts[id].op == KILN_OP_IF) {
      if (!kiln_ir_accept_word(lexer, "else")) {
        struct kiln_builder b = kiln_builder_at_end(p->fn, node.region_first + 1);
        kiln_ir_set_place(p, kiln_build_yield(&b, NULL, 0), lexer->token.offset);
        return;
      }
      kiln_ir_expect_punct(lexer, '{');
    } else if (i) {
      kiln_ir_expect_word(lexer, "case");
      uint32_t offset = lexer->token.offset;
      if (kiln_ir_signed(lexer) != node.cases[i - 1])
        kiln_ir_error(lexer, offset, "this must be case %lld, as listed at the switch", (long long)node.cases[i - 1]);
      kiln_ir_expect_punct(lexer, '{');
    }
    parse_region(p, node.region_first + i);
    kiln_ir_expect_punct(lexer, '}');
  }
}

static void parse_node(struct kiln_ir_parser *p, enum kiln_op op, uint32_t offset) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  struct kiln_builder b = kiln_builder_at_end(p->fn, p->region);
  struct kiln_name *label = NULL;
  uint32_t label_offset = lexer->token.offset;
  if (op != KILN_OP_IF) {
    if (lexer->token.kind != KILN_IR_LABEL)
      kiln_ir_expected(lexer, "a label");
    label = lexer->token.name;
    kiln_ir_next(lexer);
  }
  kiln_value node = 0, *first = NULL;
  definitions header = {0};
  if (op == KILN_OP_BLOCK) {
    node = kiln_build_block(&b);
  } else if (op == KILN_OP_LOOP) {
    parse_header(p, &header, &first);
    node = kiln_build_loop(&b, first, header.count);
  } else if (op == KILN_OP_IF) {
    node = kiln_build_if(&b, kiln_ir_parse_operand(p));
  } else {
    int64_t *cases;
    uint32_t count;
    kiln_value selector = kiln_ir_parse_operand(p);
    parse_cases(p, &cases, &count);
    node = kiln_build_switch(&b, selector, cases, count);
  }
  kiln_ir_check_memory(p);
  kiln_ir_set_place(p, node, offset);
  if (label)
    define_label(p, label, label_offset, node);
  for (uint32_t i = 0; i < header.count; i++)
    kiln_ir_define(p, header.items[i], kiln_node(p->fn, node)->header.items[i]);
  parse_results(p, node);
  if (op == KILN_OP_LOOP && kiln_ir_accept_word(lexer, "unroll")) {
    uint32_t unroll = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX);
    kiln_node(p->fn, node)->unroll = unroll;
  }
  if (op == KILN_OP_IF && kiln_ir_accept_word(lexer, "likely"))
    p->fn->insts[node].flags = KILN_IF_LIKELY;
  p->fn->insts[node].loc = kiln_ir_parse_loc(p);
  kiln_ir_expect_punct(lexer, '{');
  uint32_t outer = p->region;
  parse_regions(p, node);
  p->region = outer;
}

static void parse_region(struct kiln_ir_parser *p, uint32_t region) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  if (++p->depth > KILN_IR_MAX_DEPTH)
    kiln_ir_error(lexer, lexer->token.offset, "regions are nested more than %u deep", KILN_IR_MAX_DEPTH);
  while (!kiln_ir_at_punct(lexer, '}')) {
    p->region = region;
    struct kiln_ir_definition definition = {0};
    if (lexer->token.kind == KILN_IR_VALUE) {
      definition = kiln_ir_parse_definition(p);
      kiln_ir_expect_punct(lexer, '=');
    }
    struct kiln_ir_token name = lexer->token;
    if (name.kind != KILN_IR_WORD)
      kiln_ir_expected(lexer, "an instruction or '}'");
    unsigned op = name.name->tag - 1; // set by parse_module
    if (op >= KILN_OP_COUNT || kiln_op_is_free(op) || op == KILN_OP_PHI)
      kiln_ir_expected(lexer, "an operation");
    kiln_ir_next(lexer);
    if (!kiln_op_is_node(op)) {
      kiln_ir_parse_inst(p, (enum kiln_op)op, name.offset, definition);
      continue;
    }
    if (definition.key)
      kiln_ir_error(lexer, definition.offset, "the results of %s stand after '->'", kiln_op_table[op].name);
    parse_node(p, (enum kiln_op)op, name.offset);
  }
  p->depth--;
}

// ---- functions ------------------------------------------------------------------------------------------------------

static uint8_t parse_param_image(struct kiln_ir_parser *p) {
  for (unsigned i = KILN_PARAM_SAMPLER; i < KILN_PARAM_IMAGE; i++)
    if (kiln_ir_accept_word(&p->lexer, kiln_param_words[i]))
      return (uint8_t)i;
  return (uint8_t)(KILN_PARAM_IMAGE +
                   kiln_ir_choose_word(&p->lexer, kiln_dimension_words, 8, "sampler, record or an image"));
}

static struct kiln_param parse_param(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  struct kiln_param param = {.name = "", .type_name = ""};
  kiln_ir_expect_punct(lexer, ':');
  param.type = kiln_ir_parse_type(p);
  if (lexer->token.kind == KILN_IR_STRING)
    param.type_name = kiln_ir_parse_name(p);
  if (kiln_ir_accept_word(lexer, "byval"))
    param.byval_bytes = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX);
  if (kiln_ir_accept_word(lexer, "align"))
    param.align = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX);
  if (kiln_ir_accept_word(lexer, "access"))
    param.access = (enum kiln_access)kiln_ir_choose_word(lexer, kiln_access_words, 4, "an access");
  param.is_const = kiln_ir_accept_word(lexer, "const");
  param.is_restrict = kiln_ir_accept_word(lexer, "restrict");
  param.is_volatile = kiln_ir_accept_word(lexer, "volatile");
  if (kiln_ir_accept_word(lexer, "of"))
    param.image = parse_param_image(p);
  return param;
}

static void parse_size(struct kiln_ir_parser *p, const char *word, uint32_t size[3]) {
  if (kiln_ir_accept_word(&p->lexer, word))
    for (unsigned i = 0; i < 3; i++)
      size[i] = (uint32_t)kiln_ir_unsigned(&p->lexer, UINT32_MAX);
}

static void finish_function(struct kiln_ir_parser *p, uint32_t offset) {
  struct kiln_arena *arena = p->lexer.arena;
  if (p->function_index == p->functions_capacity) {
    uint32_t capacity = p->functions_capacity ? p->functions_capacity * 2 : 8;
    p->functions = kiln_arena_grow(arena, p->functions, p->functions_capacity * sizeof *p->functions,
                                   capacity * sizeof *p->functions, 16);
    p->functions_capacity = capacity;
  }
  p->functions[p->function_index].places = p->places.items;
  p->functions[p->function_index].count = p->places.count;
  p->functions[p->function_index].offset = offset;
  p->functions[p->function_index].part = p->parts.count - 1;
}

static void parse_function(struct kiln_ir_parser *p, bool is_kernel) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  KILN_VEC(struct kiln_param) params = {0};
  definitions names = {0};
  kiln_ir_expect_punct(lexer, '@');
  uint32_t offset = lexer->token.offset;
  const char *name = kiln_ir_parse_name(p);
  p->function_index = p->module->function_count;
  p->places.items = NULL;
  p->places.count = p->places.capacity = 0;
  p->depth = 0;
  kiln_ir_expect_punct(lexer, '(');
  if (!kiln_ir_at_punct(lexer, ')'))
    do {
      if (params.count == MAX_PARAMS)
        kiln_ir_error(lexer, lexer->token.offset, "more than %d parameters", MAX_PARAMS);
      struct kiln_ir_definition definition = kiln_ir_parse_definition(p);
      struct kiln_param param = parse_param(p);
      param.name = definition.name ? definition.name : "";
      KILN_VEC_PUSH(lexer->arena, &names, definition);
      KILN_VEC_PUSH(lexer->arena, &params, param);
    } while (kiln_ir_accept_punct(lexer, ','));
  kiln_ir_expect_punct(lexer, ')');
  kiln_type type = kiln_scalar_type(KILN_VOID);
  if (kiln_ir_accept_punct(lexer, ':'))
    type = kiln_ir_parse_type(p);
  p->fn = kiln_module_add_function(p->module, name, is_kernel, type, params.items, params.count);
  kiln_ir_check_memory(p);
  for (uint32_t i = 0; i < params.count; i++)
    kiln_ir_define(p, names.items[i], p->fn->params[i].value);
  parse_size(p, "reqd", p->fn->required_group_size);
  parse_size(p, "hint", p->fn->group_size_hint);
  if (kiln_ir_accept_word(lexer, "vec_type"))
    kiln_set_vec_type_hint(p->fn, kiln_ir_parse_name(p));
  if (kiln_ir_accept_word(lexer, "tuning"))
    kiln_set_tuning(p->fn, kiln_ir_parse_name(p));
  if (kiln_ir_accept_word(lexer, "sub_groups_of"))
    p->fn->required_sub_group_size = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX);
  p->fn->no_inline = kiln_ir_accept_word(lexer, "noinline");
  p->fn->always_inline = kiln_ir_accept_word(lexer, "inline");
  p->fn->is_exported = kiln_ir_accept_word(lexer, "export");
  p->fn->is_once = p->fn->is_exported && kiln_ir_accept_word(lexer, "once");
  p->fn->is_declared = !is_kernel && kiln_ir_accept_word(lexer, "extern");
  if (!p->fn->is_declared) {
    kiln_ir_expect_punct(lexer, '{');
    parse_region(p, p->fn->body);
    kiln_ir_expect_punct(lexer, '}');
  }
  finish_function(p, offset);
}

// ---- modules --------------------------------------------------------------------------------------------------------

static void parse_relocs(struct kiln_ir_parser *p, struct kiln_global *global) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  KILN_VEC(struct kiln_reloc) relocs = {0};
  kiln_ir_expect_punct(lexer, '[');
  do {
    struct kiln_reloc reloc = {.offset = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX)};
    kiln_ir_expect_punct(lexer, ':');
    // The variable may stand further down, so it is named by its number.
    if (lexer->token.kind != KILN_IR_GLOBAL)
      kiln_ir_expected(lexer, "a module variable");
    char *end;
    unsigned long long index = strtoull(lexer->token.name->text + 1, &end, 10);
    if (*end || index > KILN_IR_MAX_COUNT)
      kiln_ir_expected(lexer, "the number of a module variable");
    reloc.global = (uint32_t)index;
    kiln_ir_next(lexer);
    kiln_ir_expect_punct(lexer, '+');
    reloc.addend = kiln_ir_signed(lexer);
    KILN_VEC_PUSH(lexer->arena, &relocs, reloc);
  } while (kiln_ir_accept_punct(lexer, ','));
  kiln_ir_expect_punct(lexer, ']');
  global->relocs = relocs.items;
  global->reloc_count = relocs.count;
}

// A variable of several parts is one in the module: the first that names it makes it, the one that defines it gives it
// its contents. Returns its index.
static uint32_t add_shared(struct kiln_ir_parser *p, const struct kiln_global *global, const char *first_part) {
  const char *text = kiln_arena_printf(p->lexer.arena, "$ %s", global->name);
  struct kiln_name *name = kiln_names_intern(p->lexer.names, text, strlen(text));
  if (!name->data)
    name->data = (void *)(uintptr_t)(kiln_module_add_global(p->module, global) + 1);
  uint32_t index = (uint32_t)(uintptr_t)name->data - 1;
  struct kiln_global *there = &p->module->globals[index];
  if (index >= p->global_parts.count) // new
    return index;
  const char *other = p->parts.items[p->global_parts.items[index]].name;
  if (there->space != global->space)
    kiln_ir_link_error(p, "variable '%s' is in %s memory in '%s', and in %s memory in '%s'", global->name,
                       kiln_space_words[there->space], other, kiln_space_words[global->space], first_part);
  bool is_once = kiln_global_is_once(there) && kiln_global_is_once(global);
  if (is_once && there->size == global->size)
    return index;
  if (!kiln_global_is_declared(there) && !kiln_global_is_declared(global))
    kiln_ir_link_error(p, "variable '%s' is defined in '%s' and in '%s'", global->name, other, first_part);
  if (global->align > there->align)
    there->align = global->align;
  if (kiln_global_is_declared(global))
    return index;
  there->is_extern = global->is_extern;
  there->is_exported = true;
  there->size = global->size;
  kiln_module_init_global(p->module, index, global->init, global->relocs, global->reloc_count);
  p->global_parts.items[index] = p->parts.count - 1;
  return index;
}

// Adds a variable of the current part.
static void add_global(struct kiln_ir_parser *p, const struct kiln_global *global) {
  bool shared = global->is_exported || global->is_extern;
  uint32_t index = shared ? add_shared(p, global, kiln_ir_part(p)->name) : kiln_module_add_global(p->module, global);
  kiln_ir_check_memory(p);
  if (index == p->global_parts.count)
    KILN_VEC_PUSH(p->lexer.arena, &p->global_parts, p->parts.count - 1);
  KILN_VEC_PUSH(p->lexer.arena, &kiln_ir_part(p)->globals, index);
}

// Relocations name the variables by their numbers in the part.
static void place_relocs(struct kiln_ir_parser *p) {
  const struct kiln_ir_part *part = kiln_ir_part(p);
  for (uint32_t i = 0; i < part->globals.count; i++) {
    struct kiln_global *global = &p->module->globals[part->globals.items[i]];
    bool own = p->global_parts.items[part->globals.items[i]] == p->parts.count - 1;
    struct kiln_reloc *relocs = (struct kiln_reloc *)(uintptr_t)global->relocs;
    for (uint32_t r = 0; own && r < global->reloc_count; r++)
      relocs[r].global = relocs[r].global < part->globals.count ? part->globals.items[relocs[r].global] : UINT32_MAX;
  }
}

static void parse_global(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  if (lexer->token.kind != KILN_IR_GLOBAL)
    kiln_ir_expected(lexer, "'$' and a number");
  struct kiln_name *key = lexer->token.name;
  if (key->tag == p->parts.count)
    kiln_ir_error(lexer, lexer->token.offset, "%s is defined twice", key->text);
  kiln_ir_next(lexer);
  struct kiln_global global = {.name = kiln_ir_parse_name(p)};
  global.space = (enum kiln_space)kiln_ir_choose_word(lexer, kiln_space_words, 5, "an address space");
  kiln_ir_expect_word(lexer, "size");
  global.size = kiln_ir_unsigned(lexer, UINT64_MAX);
  kiln_ir_expect_word(lexer, "align");
  global.align = (uint32_t)kiln_ir_unsigned(lexer, UINT32_MAX);
  global.is_exported = kiln_ir_accept_word(lexer, "export");
  global.is_extern = kiln_ir_accept_word(lexer, global.is_exported ? "once" : "extern");
  if (kiln_ir_accept_punct(lexer, '=')) {
    if (lexer->token.kind != KILN_IR_STRING)
      kiln_ir_expected(lexer, "a string");
    if (lexer->token.size != global.size)
      kiln_ir_error(lexer, lexer->token.offset, "%zu bytes for a variable of %llu", lexer->token.size,
                    (unsigned long long)global.size);
    global.init = lexer->token.text;
    kiln_ir_next(lexer);
  }
  if (kiln_ir_accept_word(lexer, "relocs"))
    parse_relocs(p, &global);
  add_global(p, &global);
  key->tag = p->parts.count;
  key->data = (void *)(uintptr_t)(kiln_ir_part(p)->globals.items[kiln_ir_part(p)->globals.count - 1] + 1);
}

static void parse_file(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  uint32_t offset = lexer->token.offset;
  struct kiln_ir_part *part = kiln_ir_part(p);
  if (kiln_ir_unsigned(lexer, UINT32_MAX) != part->file_count)
    kiln_ir_error(lexer, offset, "this must be file %u", part->file_count);
  if (lexer->token.kind != KILN_IR_STRING)
    kiln_ir_expected(lexer, "a string");
  const char *name = kiln_ir_parse_name(p);
  if (part->file_count++ == 0)
    part->name = name;
  kiln_module_add_file(p->module, name);
  kiln_ir_check_memory(p);
}

// What one object has: files, variables, functions.
static void parse_part(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  kiln_ir_expect_word(lexer, "kiln_ir");
  uint32_t offset = lexer->token.offset;
  struct kiln_ir_part part = {.first_file = p->module->file_count};
  part.name = kiln_arena_printf(lexer->arena, "part %u", p->parts.count + 1);
  KILN_VEC_PUSH(lexer->arena, &p->parts, part);
  if (kiln_ir_unsigned(lexer, UINT32_MAX) != KILN_IR_TEXT_VERSION)
    kiln_ir_error(lexer, offset, "only version %d of the text form is known", KILN_IR_TEXT_VERSION);
  while (kiln_ir_accept_word(lexer, "file"))
    parse_file(p);
  while (kiln_ir_accept_word(lexer, "global"))
    parse_global(p);
  place_relocs(p);
  while (lexer->token.kind != KILN_IR_END && !kiln_ir_at_word(lexer, "kiln_ir")) {
    static const char *const words[] = {"func", "kernel"};
    parse_function(p, kiln_ir_choose_word(lexer, words, 2, "global, func or kernel"));
  }
}

static void parse_module(struct kiln_ir_parser *p) {
  struct kiln_ir_lexer *lexer = &p->lexer;
  for (unsigned op = 0; op < KILN_OP_COUNT; op++) {
    const char *name = kiln_op_table[op].name;
    kiln_names_intern(lexer->names, name, strlen(name))->tag = op + 1;
  }
  kiln_ir_next(lexer);
  do
    parse_part(p);
  while (lexer->token.kind != KILN_IR_END);
}

static void verify(struct kiln_ir_parser *p) {
  struct kiln_fault fault;
  char message[512];
  if (kiln_verify(p->module, &fault, message, sizeof message))
    return;
  if (fault.no_memory)
    longjmp(*p->lexer.failed, 1);
  uint32_t offset = 0;
  if (fault.function) {
    offset = p->functions[fault.function_index].offset;
    if (fault.inst && fault.inst < p->functions[fault.function_index].count)
      offset = p->functions[fault.function_index].places[fault.inst];
  }
  kiln_ir_error(&p->lexer, offset, "%s", message);
}

static enum kiln_status parse(struct kiln_ir_parser *p) {
  jmp_buf jump;
  p->lexer.arena->exhausted = &jump;
  p->lexer.failed = &jump;
  if (setjmp(jump)) {
    if (p->lexer.message.size)
      return KILN_ERR_COMPILE;
    return KILN_ERR_MEMORY;
  }
  kiln_names_init(p->lexer.names, p->lexer.arena);
  parse_module(p);
  kiln_ir_link(p);
  verify(p);
  return KILN_OK;
}

enum kiln_status kiln_ir_parse(const char *text, size_t size, const char *name, bool is_object,
                               struct kiln_module **out, struct kiln_strbuf *message) {
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_ir_parser p = {.lexer = {.text = text, .file = name ? name : "<ir>"}, .is_object = is_object};
  if (size > MAX_TEXT) {
    kiln_strbuf_printf(message, "%s:1:1: error: the text is larger than 1 GiB", p.lexer.file);
    return KILN_ERR_COMPILE;
  }
  p.lexer.size = (uint32_t)size;
  p.lexer.arena = &arena;
  p.lexer.names = &names;
  p.module = kiln_module_new();
  enum kiln_status status = KILN_ERR_MEMORY;
  if (p.module) {
    kiln_arena_init(&arena, NULL);
    struct kiln_floats floats = kiln_floats_enter();
    status = parse(&p);
    kiln_floats_leave(floats);
    kiln_arena_free(&arena);
  }
  if (status == KILN_OK)
    *out = p.module;
  else
    kiln_module_free(p.module);
  if (status == KILN_ERR_COMPILE)
    kiln_strbuf_puts(message, p.lexer.message.data);
  else if (status != KILN_OK)
    kiln_strbuf_printf(message, "%s: out of memory", p.lexer.file);
  kiln_strbuf_free(&p.lexer.message);
  return status;
}
