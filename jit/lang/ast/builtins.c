// Built-in functions: lookup by name and choice of the overload.
//
// An overload is a row of builtins.def with an element type and a number of lanes. The choice is that of C++ (and
// clang) for overloadable functions: the conversion of each argument has a rank, and one overload must be at least as
// good in every argument as each other and better in one.
#include "jit/lang/ast/builtins.h"

#include <stdlib.h>

#include "jit/lang/ast/builtin_call.h"
#include "jit/lang/lex/warnings.h"

// ---- the table -----------------------------------------------------------------------------------------------------

enum { // sets of element types: bits by enum kiln_ctype_kind
  NONE = 0,
  SIGNED = 1 << KILN_CT_CHAR | 1 << KILN_CT_SHORT | 1 << KILN_CT_INT | 1 << KILN_CT_LONG,
  UNSIGNED = 1 << KILN_CT_UCHAR | 1 << KILN_CT_USHORT | 1 << KILN_CT_UINT | 1 << KILN_CT_ULONG,
  INTEGERS = SIGNED | UNSIGNED,
  CHAR = 1 << KILN_CT_CHAR,
  UCHAR = 1 << KILN_CT_UCHAR,
  USHORT = 1 << KILN_CT_USHORT,
  UINT = 1 << KILN_CT_UINT,
  ULONG = 1 << KILN_CT_ULONG,
  INT32_SIGNED = 1 << KILN_CT_INT,
  INT32_UNSIGNED = UINT,
  INT32 = INT32_SIGNED | INT32_UNSIGNED,
  INT32_64_SIGNED = 1 << KILN_CT_INT | 1 << KILN_CT_LONG,
  INT32_64_UNSIGNED = 1 << KILN_CT_UINT | 1 << KILN_CT_ULONG,
  INT32_64 = INT32_64_SIGNED | INT32_64_UNSIGNED,
  NARROW = INTEGERS & ~(1 << KILN_CT_LONG | 1 << KILN_CT_ULONG),
  HALF = 1 << KILN_CT_HALF,
  FLOAT = 1 << KILN_CT_FLOAT,
  DOUBLE = 1 << KILN_CT_DOUBLE,
  FLOAT_DOUBLE = FLOAT | DOUBLE,
  INT32_FLOAT = INT32 | FLOAT,
  ATOMICS = INT32_64 | FLOAT_DOUBLE,
  FLOATS = HALF | FLOAT_DOUBLE,
  NUMBERS = INTEGERS | FLOATS,
};
enum { // sets of lanes
  ONE = 1,
  TWO = 2,
  THREE = 4,
  FOUR = 8,
  EIGHT = 16,
  SIXTEEN = 32,
  TO_FOUR = TWO | THREE | FOUR,
  GEOMETRIC = ONE | TO_FOUR,
  VECTORS = TO_FOUR | EIGHT | SIXTEEN,
  ANY = ONE | VECTORS,
};
static const uint8_t lane_counts[] = {1, 2, 3, 4, 8, 16};

struct kiln_builtin {
  const char *name, *signature;
  uint16_t types, lanes;
  uint16_t how, code;
  bool groups;    // needs sub-groups
  bool images;    // needs images
  bool power;     // a power: of some exponents that are constants there are shorter forms
  uint16_t since; // language version that brought it; 0: always there
  uint32_t imm;
};

enum section {
#define PRELUDE(name, text) SECTION_##name,
#include "prelude.inc"
#undef PRELUDE
};
static const struct kiln_str sections[] = {
#define PRELUDE(name, text) {text, sizeof(text) - 1},
#include "prelude.inc"
#undef PRELUDE
};

#define HOW(h, c, i) .how = h, .code = c, .imm = i
#define OP(op, flags) HOW(KILN_HOW_OP, KILN_OP_##op, flags)
#define ITEM(op, other) HOW(KILN_HOW_ITEM, KILN_OP_##op, other)
#define SP(kind, value) HOW(KILN_HOW_SPECIAL, KILN_SP_##kind, value)
#define CL(section) HOW(KILN_HOW_LIBRARY, SECTION_##section, 0)
#define EXACT(section) HOW(KILN_HOW_LIBRARY, SECTION_##section, 1)
#define SINCE(version) .since = version
#define GROUPS .groups = true
#define IMAGES .images = true
#define POWER .power = true
static const struct kiln_builtin table[] = {
#define KILN_BUILTIN(n, s, t, l, ...) {.name = #n, .signature = s, .types = t, .lanes = l, __VA_ARGS__},
#include "jit/lang/ast/builtins.def"
};
enum { TABLE_COUNT = sizeof table / sizeof *table };

// Forms in library text that take the place of a row for targets with inline_math.
enum inline_when { ALWAYS, RELAXED, DEVICE, NATIVE, RARE };
static const struct inline_form {
  const char *name;
  uint16_t types;
  enum inline_when when;
  uint16_t section;
  const char *defines;
} inline_forms[] = {
#define KILN_INLINE_MATH(name, types, when, section) {#name, types, when, SECTION_##section, #section},
#include "jit/lang/ast/inline_math.def"
};
enum { INLINE_COUNT = sizeof inline_forms / sizeof *inline_forms };

// Powers by products. None has a factor that overflows, or has lost bits below the least normal number, where the power
// has not; so all are more exact than the 16 ulp that pow may have.
static const struct power {
  double exponent;
  const char *name, *value; // of x
} powers[] = {
    {-1, "minus_1", "(T)1 / x"},
    {0, "0", "(T)1"},
    {0.5, "half", "sqrt(x == (T)(-1 / 0.0f) ? (T)(1 / 0.0f) : x) + (T)0"}, // of -0 it is 0
    {1, "1", "x"},
    {2, "2", "x * x"},
    {3, "3", "x * x * x"},
    {4, "4", "(x * x) * (x * x)"},
    {5, "5", "(x * x) * (x * x) * x"},
    {6, "6", "(x * x * x) * (x * x * x)"},
    {7, "7", "(x * x * x) * (x * x * x) * x"},
    {8, "8", "((x * x) * (x * x)) * ((x * x) * (x * x))"},
};

// convert_T[_sat][_rt?] and as_T: rows that say nothing but which they are, by place.
enum { ELEMENTS = KILN_CT_DOUBLE - KILN_CT_CHAR + 1, LANES = 6, ROUNDS = 5 };
static const struct kiln_builtin convert_rows[ELEMENTS * LANES * 2 * ROUNDS];
static const struct kiln_builtin as_rows[ELEMENTS * LANES];

static bool in_rows(const struct kiln_builtin *builtin, const struct kiln_builtin *rows, size_t count) {
  return (uintptr_t)builtin >= (uintptr_t)rows && (uintptr_t)builtin < (uintptr_t)(rows + count);
}
static bool is_convert(const struct kiln_builtin *b) {
  return in_rows(b, convert_rows, sizeof convert_rows / sizeof *convert_rows);
}
static bool is_as(const struct kiln_builtin *b) { return in_rows(b, as_rows, sizeof as_rows / sizeof *as_rows); }

// ---- lookup --------------------------------------------------------------------------------------------------------

static const char *const element_names[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                            "long", "ulong", "half",  "float",  "double"};

static bool skip(const char **text, const char *end, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(end - *text) < size || memcmp(*text, word, size) != 0)
    return false;
  *text += size;
  return true;
}

// "float4": number of the type, or -1.
static int parse_type(const char **text, const char *end) {
  for (int i = 0; i < ELEMENTS; i++) {
    const char *p = *text;
    if (!skip(&p, end, element_names[i]))
      continue;
    int lanes = skip(&p, end, "16")  ? 5
                : skip(&p, end, "8") ? 4
                : skip(&p, end, "4") ? 3
                : skip(&p, end, "3") ? 2
                : skip(&p, end, "2") ? 1
                                     : 0;
    if (p != end && *p != '_')
      continue;
    *text = p;
    return i * LANES + lanes;
  }
  return -1;
}

static const struct kiln_builtin *find_conversion(const char *name, const char *end) {
  bool as = skip(&name, end, "as_");
  if (!as && !skip(&name, end, "convert_"))
    return NULL;
  int type = parse_type(&name, end);
  if (type < 0)
    return NULL;
  if (as)
    return name == end ? &as_rows[type] : NULL;
  bool saturate = skip(&name, end, "_sat");
  int round = skip(&name, end, "_rte")   ? 1
              : skip(&name, end, "_rtz") ? 2
              : skip(&name, end, "_rtp") ? 3
              : skip(&name, end, "_rtn") ? 4
                                         : 0;
  if (name != end || (saturate && type >= (KILN_CT_HALF - KILN_CT_CHAR) * LANES))
    return NULL;
  return &convert_rows[(type * 2 + saturate) * ROUNDS + round];
}

static int compare_name(const char *name, size_t size, const char *row) {
  int order = strncmp(name, row, size);
  return order ? order : row[size] ? -1 : 0;
}

// The first row of the name that this version of the language has, from a row on.
static const struct kiln_builtin *first_row(const struct kiln_builtin *row, const char *name, uint32_t std,
                                            bool images) {
  for (; row < table + TABLE_COUNT && strcmp(row->name, name) == 0; row++)
    if (row->since <= std && (images || !row->images))
      return row;
  return NULL;
}

const struct kiln_builtin *kiln_builtin_find(const char *name, size_t size, uint32_t std, bool images) {
  size_t low = 0, high = TABLE_COUNT;
  while (low < high) { // the first row that is not less
    size_t middle = (low + high) / 2;
    if (compare_name(name, size, table[middle].name) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < TABLE_COUNT && compare_name(name, size, table[low].name) == 0)
    return first_row(&table[low], table[low].name, std, images);
  return find_conversion(name, name + size);
}

const char *kiln_builtin_nearest(const char *name, uint32_t std, bool images) {
  const char *nearest = NULL;
  unsigned best = strlen(name) < 5 ? 1 : 2;
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    if ((i && strcmp(table[i].name, table[i - 1].name) == 0) || table[i].name[0] == '_' || table[i].since > std ||
        (table[i].images && !images))
      continue;
    unsigned distance = kiln_edit_distance(name, table[i].name, best);
    if (distance <= best && (!nearest || distance < best)) {
      nearest = table[i].name;
      best = distance;
    }
  }
  return nearest;
}

// ---- signatures ----------------------------------------------------------------------------------------------------

struct param {      // one entry of a signature
  char space, code; // space: 0 or P, C, A, G, L, H, M
};
struct instance { // a row with its generic type
  const struct kiln_builtin *row;
  enum kiln_ctype_kind element; // VOID: the row is not generic
  unsigned lanes;
};

static const char *next_param(const char *signature, struct param *out) {
  *out = (struct param){0};
  if (strchr("PCAGLHM", *signature))
    out->space = *signature++;
  out->code = *signature++;
  return signature;
}

static unsigned param_count(const struct kiln_builtin *row) {
  struct param p;
  unsigned count = 0;
  for (const char *s = next_param(row->signature, &p); *s; count++)
    s = next_param(s, &p);
  return count;
}

// The type that a code stands for in an instance.
static const struct kiln_ctype *code_type(const struct instance *at, char code) {
  static const uint8_t scalars[128] = {
      ['v'] = KILN_CT_VOID, ['b'] = KILN_CT_BOOL,  ['n'] = KILN_CT_INT,   ['u'] = KILN_CT_UINT,
      ['k'] = KILN_CT_UINT, ['l'] = KILN_CT_LONG,  ['z'] = KILN_CT_ULONG, ['f'] = KILN_CT_FLOAT,
      ['h'] = KILN_CT_HALF, ['e'] = KILN_CT_EVENT, ['o'] = KILN_CT_INT,   ['x'] = KILN_CT_INT};
  enum kiln_ctype_kind kind = at->element;
  bool bits = code == 'S' || code == 'U' || (code == 'R' && at->lanes > 1); // an integer of the element's size
  if (code == 'a')
    return kiln_ctype_atomic(kind);
  if (bits)
    kind = kiln_ctype_integer(kiln_ctype_scalar(kind)->size, code != 'U')->kind;
  else if (code == 'I' || code == 'R')
    kind = KILN_CT_INT;
  else if (code == 'F')
    kind = KILN_CT_FLOAT;
  else if (code == 'W')
    kind += 2; // the types alternate between signed and unsigned
  else if (code != 'T' && code != 't')
    return kiln_ctype_scalar((enum kiln_ctype_kind)scalars[code & 127]);
  const struct kiln_ctype *element = kiln_ctype_scalar(kind);
  return at->lanes > 1 && code != 't' ? kiln_ctype_vector(element, at->lanes) : element;
}

// ---- ranks ---------------------------------------------------------------------------------------------------------

enum kiln_rank kiln_builtin_rank(const struct kiln_ctype *from, const struct kiln_ctype *to) {
  if (from == to || from->kind == KILN_CT_ERROR)
    return KILN_RANK_EXACT;
  if (to->kind == KILN_CT_BOOL && (kiln_ctype_is_convertible(from) || from->kind == KILN_CT_POINTER))
    return KILN_RANK_CONVERSION;
  if (!kiln_ctype_is_convertible(from))
    return KILN_RANK_NONE;
  if (to->kind == KILN_CT_VECTOR)
    return KILN_RANK_SPLAT;
  if (!kiln_ctype_is_scalar_number(to))
    return KILN_RANK_NONE;
  return kiln_ctype_promotes(from, to) ? KILN_RANK_PROMOTION : KILN_RANK_CONVERSION;
}

static bool space_fits(char code, uint8_t space) {
  bool shared = space == KILN_GLOBAL || space == KILN_LOCAL || space == KILN_GENERIC;
  return code == 'P'   ? space != KILN_CONSTANT
         : code == 'A' ? shared
                       : code == 'C' || space == (strchr("GH", code) ? KILN_GLOBAL : KILN_LOCAL); // else G, H, L or M
}

// Functions that load or store take pointers to other types, too, with a warning: which type is meant is known without.
static bool takes_any_pointer(const struct kiln_builtin *row, struct param p) {
  return p.code == 'h' || (p.code == 't' && row->how == KILN_HOW_SPECIAL && row->code == KILN_SP_VSTORE);
}

static enum kiln_rank rank_param(const struct instance *at, struct param p, const struct kiln_expr *arg) {
  const struct kiln_ctype *type = code_type(at, p.code), *from = arg->type.type;
  if (p.space) {
    bool fits = from->kind == KILN_CT_POINTER && space_fits(p.space, from->base.space) &&
                (strchr("CHM", p.space) || !(from->base.quals & KILN_QUAL_CONST));
    if (fits && from->base.type != type)
      return takes_any_pointer(at->row, p) ? KILN_RANK_CONVERSION : KILN_RANK_NONE;
    return fits || from->kind == KILN_CT_ERROR ? KILN_RANK_EXACT : KILN_RANK_NONE;
  }
  if (p.code == 'e' && arg->kind == KILN_EX_INT && arg->value == 0)
    return KILN_RANK_CONVERSION;
  return kiln_builtin_rank(from, type);
}

// ---- overloads -----------------------------------------------------------------------------------------------------

enum { MOST_PARAMS = 8, MOST_CANDIDATES = 128 };
struct candidate {
  struct instance at;
  uint8_t ranks[MOST_PARAMS];
};
struct choice {
  struct candidate items[MOST_CANDIDATES];
  unsigned count;
};

// The number of lanes that the arguments ask for; 0: the row has none for them.
static unsigned lanes_for(const struct kiln_builtin *row, struct kiln_expr *const *args, uint32_t count) {
  if ((row->lanes & (row->lanes - 1)) == 0)
    return lane_counts[__builtin_ctz(row->lanes)];
  unsigned lanes = 1;
  for (uint32_t i = 0; i < count && lanes == 1; i++) {
    const struct kiln_ctype *type = args[i]->type.type;
    if (type->kind == KILN_CT_POINTER)
      type = type->base.type;
    lanes = kiln_ctype_lanes(type);
  }
  for (unsigned i = 0; i < LANES; i++)
    if (lane_counts[i] == lanes)
      return row->lanes >> i & 1 ? lanes : 0;
  return 0;
}

static void add_candidate(struct choice *choice, const struct instance *at, struct kiln_expr *const *args,
                          uint32_t count) {
  struct candidate candidate = {.at = *at};
  struct param p;
  const char *s = next_param(at->row->signature, &p);
  for (uint32_t i = 0; i < count; i++) {
    s = next_param(s, &p);
    enum kiln_rank rank = rank_param(at, p, args[i]);
    if (rank == KILN_RANK_NONE)
      return;
    candidate.ranks[i] = (uint8_t)rank;
  }
  if (choice->count < MOST_CANDIDATES)
    choice->items[choice->count++] = candidate;
}

static bool is_atomic(const struct kiln_builtin *row) {
  return row->how == KILN_HOW_SPECIAL && ((row->code >= KILN_SP_ATOMIC && row->code <= KILN_SP_ATOMIC_CMPXCHG) ||
                                          (row->code >= KILN_SP_C11_INIT && row->code <= KILN_SP_C11_CAS));
}

// The element types that the target has of the row's, a bit each.
static uint32_t usable_types(const struct kiln_builtin_env *env, const struct kiln_builtin *row) {
  uint32_t types = row->types, wide = 1u << KILN_CT_LONG | 1u << KILN_CT_ULONG | 1u << KILN_CT_DOUBLE;
  if (!env->fp64)
    types &= ~(1u << KILN_CT_DOUBLE);
  if (!env->fp16)
    types &= ~(1u << KILN_CT_HALF);
  return env->int64_atomics || !is_atomic(row) ? types : types & ~wide;
}

// types: the element types of interest, a bit each.
static void add_row(const struct kiln_builtin_env *env, struct choice *choice, const struct kiln_builtin *row,
                    struct kiln_expr *const *args, uint32_t count, uint32_t types) {
  if (param_count(row) != count || count > MOST_PARAMS)
    return;
  struct instance at = {row, KILN_CT_VOID, 1};
  if (row->types == NONE) {
    add_candidate(choice, &at, args, count);
    return;
  }
  at.lanes = lanes_for(row, args, count);
  for (types = at.lanes ? types & usable_types(env, row) : 0; types; types &= types - 1) {
    at.element = (enum kiln_ctype_kind)__builtin_ctz(types);
    add_candidate(choice, &at, args, count);
  }
}

static bool is_exact(const struct candidate *candidate, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (candidate->ranks[i] != KILN_RANK_EXACT)
      return false;
  return true;
}

static bool is_better(const struct candidate *a, const struct candidate *b, uint32_t count) {
  bool better = false;
  for (uint32_t i = 0; i < count; i++) {
    if (a->ranks[i] > b->ranks[i])
      return false;
    better |= a->ranks[i] < b->ranks[i];
  }
  return better;
}

// The candidate that beats all others; NULL when there is none.
static const struct candidate *best_of(const struct choice *choice, uint32_t count) {
  const struct candidate *best = &choice->items[0];
  for (unsigned i = 1; i < choice->count; i++)
    if (is_better(&choice->items[i], best, count))
      best = &choice->items[i];
  for (unsigned i = 0; i < choice->count; i++)
    if (&choice->items[i] != best && !is_better(best, &choice->items[i], count))
      return NULL;
  return best;
}

// ---- messages ------------------------------------------------------------------------------------------------------

// Says why there is no such call.
__attribute__((format(printf, 4, 5))) static bool refuse(const struct kiln_builtin_env *env, kiln_location location,
                                                         kiln_location end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  kiln_diag_v(env->diags, KILN_ERROR, location, end, format, args);
  va_end(args);
  return false;
}

static bool wrong_count(const struct kiln_builtin_env *env, kiln_location location, kiln_location end,
                        unsigned expected, unsigned have) {
  if (expected != have)
    refuse(env, location, end, "too %s arguments to function call, expected %u, have %u",
           have < expected ? "few" : "many", expected, have);
  return expected != have;
}

static const char *param_text(const struct kiln_builtin_env *env, const struct instance *at, struct param p) {
  static const struct {
    char code;
    const char *text;
  } texts[] = {{'T', "gentype"}, {'S', "igentype"}, {'U', "ugentype"}, {'R', "igentype"},      {'I', "intn"},
               {'F', "floatn"},  {'W', "widetype"}, {'t', "scalar"},   {'a', "atomic_gentype"}};
  const char *text = p.code == 'o' ? "memory_order" : p.code == 'x' ? "memory_scope" : NULL;
  if (at->element == KILN_CT_VOID && !text)
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
      if (texts[i].code == p.code)
        text = texts[i].text;
  if (!text)
    text = kiln_ctype_text(env->arena, kiln_plain(code_type(at, p.code)));
  const char *space = strchr("LM", p.space) ? "__local " : strchr("GH", p.space) ? "__global " : "";
  return p.space ? kiln_arena_printf(env->arena, "%s%s *", space, text) : text;
}

static const char *row_text(const struct kiln_builtin_env *env, const struct instance *at) {
  struct param p;
  const char *s = next_param(at->row->signature, &p), *params = "";
  const char *result = param_text(env, at, p);
  while (*s) {
    s = next_param(s, &p);
    params = kiln_arena_printf(env->arena, "%s%s%s", params, *params ? ", " : "", param_text(env, at, p));
  }
  return kiln_arena_printf(env->arena, "%s %s(%s)", result, at->row->name, params);
}

static const char *types_text(const struct kiln_builtin_env *env, const struct kiln_builtin *row) {
  const char *text = "";
  for (unsigned i = 0; i < ELEMENTS; i++)
    if (row->types >> (KILN_CT_CHAR + i) & 1)
      text = kiln_arena_printf(env->arena, "%s%s%s", text, *text ? ", " : "", element_names[i]);
  bool vectors_only = !(row->lanes & ONE), scalar_only = row->lanes == ONE;
  return kiln_arena_printf(env->arena, "%s%s", text,
                           scalar_only    ? ""
                           : vectors_only ? " vectors"
                                          : " and vectors of them");
}

static const struct kiln_builtin *next_row(const struct kiln_builtin_env *env, const struct kiln_builtin *row) {
  return first_row(row + 1, row->name, env->std, true);
}

static uint32_t element_types(struct kiln_expr *const *args, uint32_t count) {
  uint32_t types = 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct kiln_ctype *type = args[i]->type.type;
    types |= 1u << kiln_ctype_element(type->kind == KILN_CT_POINTER ? type->base.type : type)->kind;
  }
  return types;
}

// Where the arguments have the types of a candidate's parameters, as most have, that is the only one: it beats all.
static void find_candidates(const struct kiln_builtin_env *env, struct choice *choice, const struct kiln_builtin *first,
                            struct kiln_expr *const *args, uint32_t count) {
  uint32_t own = element_types(args, count);
  choice->count = 0;
  for (const struct kiln_builtin *row = first; row; row = next_row(env, row))
    add_row(env, choice, row, args, count, own);
  for (unsigned i = 0; i < choice->count; i++) {
    if (is_exact(&choice->items[i], count)) {
      choice->items[0] = choice->items[i];
      choice->count = 1;
      return;
    }
  }
  choice->count = 0;
  for (const struct kiln_builtin *row = first; row; row = next_row(env, row))
    add_row(env, choice, row, args, count, UINT32_MAX);
}

// Whether it is only that the target has no 64-bit atomics.
static bool lacks_int64_atomics(const struct kiln_builtin_env *env, const struct kiln_builtin *first,
                                struct kiln_expr *const *args, uint32_t count) {
  struct kiln_builtin_env all = *env;
  struct choice choice;
  all.int64_atomics = true;
  if (!env->int64_atomics)
    find_candidates(&all, &choice, first, args, count);
  return !env->int64_atomics && choice.count;
}

static bool no_match(const struct kiln_builtin_env *env, const struct kiln_builtin *first, kiln_location location,
                     kiln_location end, struct kiln_expr *const *args, uint32_t count) {
  if (lacks_int64_atomics(env, first, args, count))
    return refuse(
        env, location, end,
        "64-bit atomic functions require cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics support");
  unsigned expected = param_count(first);
  bool same_count = true;
  for (const struct kiln_builtin *row = first; row; row = next_row(env, row))
    same_count &= param_count(row) == expected;
  if (!same_count || !wrong_count(env, location, end, expected, count))
    refuse(env, location, end, "no matching function for call to '%s'", first->name);
  for (const struct kiln_builtin *row = first; row; row = next_row(env, row)) {
    struct instance at = {row, KILN_CT_VOID, 1};
    if (row->types)
      kiln_diag(env->diags, KILN_NOTE, location, end, "candidate: '%s', gentype being %s", row_text(env, &at),
                types_text(env, row));
    else
      kiln_diag(env->diags, KILN_NOTE, location, end, "candidate: '%s'", row_text(env, &at));
  }
  return false;
}

static bool ambiguous(const struct kiln_builtin_env *env, const struct choice *choice, kiln_location location,
                      kiln_location end) {
  kiln_diag(env->diags, KILN_ERROR, location, end, "call to '%s' is ambiguous", choice->items[0].at.row->name);
  for (unsigned i = 0; i < choice->count && i < 8; i++)
    kiln_diag(env->diags, KILN_NOTE, location, end, "candidate: '%s'", row_text(env, &choice->items[i].at));
  return false;
}

// ---- results -------------------------------------------------------------------------------------------------------

static void make_call(const struct kiln_builtin_env *env, struct kiln_builtin_overload *out, enum kiln_builtin_how how,
                      uint32_t code, uint64_t imm) {
  out->call = KILN_NEW(env->arena, struct kiln_builtin_call);
  *out->call = (struct kiln_builtin_call){how, code, imm};
}

static void bind(struct kiln_builtin_overload *out, const char *name, const struct kiln_ctype *type) {
  out->bindings[out->binding_count++] = (struct kiln_builtin_binding){name, type};
}

static bool applies(const struct kiln_builtin_env *env, enum inline_when when) {
  if (when == RARE)
    return env->hardware_math;
  return (when != RELAXED && when != DEVICE) || env->fp_flags & KILN_FP_APPROX;
}

// NULL: the operation.
static const struct inline_form *find_inline(const struct kiln_builtin_env *env, const struct kiln_builtin *row,
                                             enum kiln_ctype_kind element) {
  if (!env->inline_math || !(FLOATS >> element & 1))
    return NULL;
  size_t low = 0, high = INLINE_COUNT;
  while (low < high) { // the first that is not less
    size_t middle = (low + high) / 2;
    if (strcmp(inline_forms[middle].name, row->name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < INLINE_COUNT && strcmp(inline_forms[low].name, row->name) == 0; low++) {
    const struct inline_form *form = &inline_forms[low];
    if (form->types >> element & 1 && applies(env, form->when))
      return env->hardware_math && (form->when == DEVICE || form->when == NATIVE) ? NULL : form;
  }
  return NULL;
}

// The function of half by way of the one of float.
static const char *by_float(const struct kiln_builtin_env *env, const struct kiln_builtin *row, uint32_t count) {
  const char *pair = "T %s(T x, T y) { return __kiln_half(%s(__kiln_single(x), __kiln_single(y))); }";
  const char *one = "T %s(T x) { return __kiln_half(%s(__kiln_single(x))); }";
  return kiln_arena_printf(env->arena, count == 2 ? pair : one, row->name, row->name);
}

// The function of a vector by way of those of its parts.
static const char *by_parts(const struct kiln_builtin_env *env, const struct kiln_builtin *row, unsigned lanes,
                            uint32_t count) {
  const char *first = lanes == 3 ? "xy" : "lo", *rest = lanes == 3 ? "z" : "hi", *name = row->name;
  if (count == 2)
    return kiln_arena_printf(env->arena, "T %s(T x, T y) { return (T)(%s(x.%s, y.%s), %s(x.%s, y.%s)); }", name, name,
                             first, first, name, rest, rest);
  return kiln_arena_printf(env->arena, "T %s(T x) { return (T)(%s(x.%s), %s(x.%s)); }", name, name, first, name, rest);
}

// NULL: the exponent is no constant, or there is no shorter form.
static const struct power *find_power(const struct instance *at, struct kiln_expr *const *args) {
  const struct kiln_expr *e = at->row->power && at->element != KILN_CT_HALF ? args[1] : NULL;
  if (e && e->kind == KILN_EX_CAST && e->cast == KILN_CAST_SPLAT)
    e = e->left;
  if (!e || (e->kind != KILN_EX_INT && e->kind != KILN_EX_FLOAT))
    return NULL;
  double exponent = e->kind == KILN_EX_FLOAT ? e->number : (double)(int64_t)e->value;
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    if (powers[i].exponent == exponent)
      return &powers[i];
  return NULL;
}

static void make_library(const struct kiln_builtin_env *env, struct kiln_builtin_overload *out,
                         const struct instance *at, const struct kiln_ctype *const *pointers,
                         const struct inline_form *form) {
  const char *params = "";
  for (uint32_t i = 0; i < out->param_count; i++)
    params =
        kiln_arena_printf(env->arena, "%s%s%s", params, i ? ", " : "", kiln_ctype_text(env->arena, out->params[i]));
  out->instance = kiln_arena_printf(env->arena, "%s(%s)", at->row->name, params);
  unsigned section = form ? form->section : at->row->code;
  out->text = sections[section].data;
  out->text_size = sections[section].size;
  out->exact = form || at->row->imm;
  out->defines = form ? form->defines : NULL;
  const char *other = NULL;
  if (form && at->row->how == KILN_HOW_OP && at->element == KILN_CT_HALF && form->types & FLOAT)
    other = by_float(env, at->row, out->param_count);
  else if (form && form->when == RARE && at->lanes > 1)
    other = by_parts(env, at->row, at->lanes, out->param_count);
  if (other) {
    out->text = other;
    out->text_size = strlen(other);
    out->defines = NULL;
  }
  if (at->element != KILN_CT_VOID) {
    bind(out, "T", code_type(at, 'T'));
    bind(out, "S", code_type(at, 't'));
    bind(out, "I", code_type(at, 'I'));
    if (!pointers[1]) {
      bind(out, "B", code_type(at, 'S'));
      bind(out, "U", code_type(at, 'U'));
    }
  }
  if (strchr(at->row->signature, 'W'))
    bind(out, "W", code_type(at, 'W'));
  if (pointers[0])
    bind(out, "P", pointers[0]);
  if (pointers[1])
    bind(out, "Q", pointers[1]);
}

static void make_power(const struct kiln_builtin_env *env, struct kiln_builtin_overload *out, const struct instance *at,
                       const struct power *power) {
  const char *types[2];
  for (unsigned i = 0; i < 2; i++)
    types[i] = kiln_ctype_text(env->arena, out->params[i]);
  out->instance = kiln_arena_printf(env->arena, "%s(%s, %s, %s)", at->row->name, power->name, types[0], types[1]);
  out->text = kiln_arena_printf(env->arena, "T %s(T x, %s y) { return %s; }", at->row->name, types[1], power->value);
  out->text_size = strlen(out->text);
  bind(out, "T", code_type(at, 'T'));
}

static bool accept(const struct kiln_builtin_env *env, const struct candidate *best, struct kiln_expr *const *args,
                   uint32_t count, struct kiln_builtin_overload *out) {
  struct param p;
  const char *s = next_param(best->at.row->signature, &p);
  const struct kiln_ctype *pointers[MOST_PARAMS + 1] = {0};
  unsigned pointer_count = 0;
  out->result = kiln_plain(code_type(&best->at, p.code));
  out->param_count = count;
  for (uint32_t i = 0; i < count; i++) {
    s = next_param(s, &p);
    const struct kiln_ctype *own = args[i]->type.type;
    out->params[i] = kiln_plain(p.space && own->kind != KILN_CT_POINTER ? own : code_type(&best->at, p.code));
    if (p.space && own->kind == KILN_CT_POINTER)
      out->params[i].type =
          kiln_ctype_pointer(env->types, (struct kiln_qtype){out->params[i].type, own->base.quals, own->base.space});
    if (p.space)
      pointers[pointer_count++] = own;
  }
  const struct kiln_builtin *row = best->at.row;
  const struct inline_form *form = find_inline(env, row, best->at.element);
  const struct power *power = find_power(&best->at, args);
  if (power)
    make_power(env, out, &best->at, power);
  else if (form || row->how == KILN_HOW_LIBRARY)
    make_library(env, out, &best->at, pointers, form);
  else
    make_call(env, out, (enum kiln_builtin_how)row->how, row->code, row->imm);
  return true;
}

// ---- what the table cannot say -------------------------------------------------------------------------------------

static const struct kiln_ctype *type_at(size_t index) {
  const struct kiln_ctype *element = kiln_ctype_scalar((enum kiln_ctype_kind)(KILN_CT_CHAR + index / LANES));
  unsigned lanes = lane_counts[index % LANES];
  return lanes > 1 ? kiln_ctype_vector(element, lanes) : element;
}

static bool resolve_conversion(const struct kiln_builtin_env *env, const struct kiln_builtin *builtin,
                               kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                               struct kiln_builtin_overload *out) {
  bool as = is_as(builtin);
  size_t index = (size_t)(builtin - (as ? as_rows : convert_rows));
  const struct kiln_ctype *to = type_at(as ? index : index / (2 * ROUNDS));
  if (wrong_count(env, location, end, 1, count))
    return false;
  const struct kiln_ctype *from = args[0]->type.type;
  const char *from_text = kiln_ctype_text(env->arena, args[0]->type);
  const char *to_text = kiln_ctype_text(env->arena, kiln_plain(to));
  if (from->kind == KILN_CT_ERROR)
    return false;
  if (kiln_ctype_element(to)->kind == KILN_CT_HALF && !env->fp16)
    return refuse(env, location, end, "conversion to '%s' requires cl_khr_fp16 support", to_text);
  if (kiln_ctype_element(to)->kind == KILN_CT_DOUBLE && !env->fp64)
    return refuse(env, location, end, "conversion to '%s' requires cl_khr_fp64 support", to_text);
  bool is_number = kiln_ctype_is_convertible(from) || from->kind == KILN_CT_VECTOR;
  if (kiln_ctype_is_opaque(from))
    return refuse(env, location, end, "no matching function for call to convert '%s' to '%s'", from_text, to_text);
  if (as && (!(is_number || from->kind == KILN_CT_POINTER) || from->size != to->size))
    return refuse(env, location, end, "invalid reinterpretation: sizes of '%s' and '%s' must match", to_text,
                  from_text);
  if (!as && (!is_number || kiln_ctype_lanes(from) != kiln_ctype_lanes(to)))
    return refuse(env, location, end, "no matching function for call to convert '%s' to '%s'", from_text, to_text);
  out->params[0] = kiln_plain(from);
  out->param_count = 1;
  out->result = kiln_plain(to);
  uint64_t convert = as ? 0 : kiln_convert(index / ROUNDS & 1, (unsigned)(index % ROUNDS));
  make_call(env, out, KILN_HOW_SPECIAL, as ? KILN_SP_BITS : KILN_SP_NUMBER, convert);
  return true;
}

static bool resolve_shuffle(const struct kiln_builtin_env *env, const struct kiln_builtin *builtin,
                            kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                            struct kiln_builtin_overload *out) {
  unsigned sources = builtin->code == KILN_SP_SHUFFLE2 ? 2 : 1;
  if (wrong_count(env, location, end, sources + 1, count))
    return false;
  const struct kiln_ctype *x = args[0]->type.type, *mask = args[sources]->type.type;
  if (x->kind == KILN_CT_ERROR || mask->kind == KILN_CT_ERROR)
    return false;
  bool ok = x->kind == KILN_CT_VECTOR && mask->kind == KILN_CT_VECTOR && args[sources - 1]->type.type == x &&
            x->lanes != 3 && mask->lanes != 3 && !kiln_ctype_is_signed(mask) &&
            kiln_ctype_is_integer(mask->base.type) && mask->base.type->size == x->base.type->size;
  if (!ok) {
    kiln_diag(env->diags, KILN_ERROR, location, end, "no matching function for call to '%s'", builtin->name);
    kiln_diag(
        env->diags, KILN_NOTE, location, end,
        "candidate: 'gentypen %s(gentypem%s, ugentypen)': vectors of 2, 4, 8 or 16, the mask of unsigned integers "
        "as wide as the elements",
        builtin->name, sources == 2 ? ", gentypem" : "");
    return false;
  }
  for (uint32_t i = 0; i < count; i++)
    out->params[i] = kiln_plain(args[i]->type.type);
  out->param_count = count;
  out->result = kiln_plain(kiln_ctype_vector(x->base.type, mask->lanes));
  make_call(env, out, KILN_HOW_SPECIAL, builtin->code, 0);
  return true;
}

// to_global, to_local, to_private, get_fence: of any pointer that is, or becomes, generic.
static bool resolve_space(const struct kiln_builtin_env *env, const struct kiln_builtin *builtin,
                          kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                          struct kiln_builtin_overload *out) {
  if (wrong_count(env, location, end, 1, count))
    return false;
  const struct kiln_ctype *from = args[0]->type.type;
  if (from->kind == KILN_CT_ERROR)
    return false;
  if (!env->generic_space)
    return refuse(env, location, end, "'%s' needs the generic address space, which the target has not", builtin->name);
  if (from->kind != KILN_CT_POINTER || from->base.space == KILN_CONSTANT)
    return refuse(env, location, end, "'%s' needs a pointer that is, or becomes, generic: '%s' does not", builtin->name,
                  kiln_ctype_text(env->arena, args[0]->type));
  struct kiln_qtype pointee = from->base;
  pointee.space = KILN_GENERIC;
  out->params[0] = kiln_plain(kiln_ctype_pointer(env->types, pointee));
  out->param_count = 1;
  pointee.space = (uint8_t)builtin->imm;
  out->result = kiln_plain(builtin->code == KILN_SP_GET_FENCE ? kiln_ctype_scalar(KILN_CT_UINT)
                                                              : kiln_ctype_pointer(env->types, pointee));
  make_call(env, out, KILN_HOW_SPECIAL, builtin->code, builtin->imm);
  return true;
}

static bool resolve_printf(const struct kiln_builtin_env *env, kiln_location location, kiln_location end,
                           struct kiln_expr *const *args, uint32_t count, struct kiln_builtin_overload *out) {
  const struct kiln_ctype *type = count ? args[0]->type.type : NULL;
  if (!count)
    return refuse(env, location, end, "too few arguments to function call, expected at least 1, have 0");
  if (type->kind != KILN_CT_POINTER || type->base.type->kind != KILN_CT_CHAR) {
    if (type->kind != KILN_CT_ERROR)
      kiln_diag(env->diags, KILN_ERROR, location, end, "the first argument of 'printf' must be a string literal");
    return false;
  }
  out->params[0] = kiln_plain(type);
  out->param_count = 1;
  out->result = kiln_plain(kiln_ctype_scalar(KILN_CT_INT));
  make_call(env, out, KILN_HOW_SPECIAL, KILN_SP_PRINTF, 0);
  return true;
}

// The orders that C11 does not permit there. The value of an order is that of types.def.
static void check_orders(const struct kiln_builtin_env *env, const struct kiln_builtin *row,
                         struct kiln_expr *const *args, uint32_t count) {
  enum { RELAXED, ACQUIRE = 2, RELEASE, ACQ_REL, SEQ_CST };
  unsigned orders = 0;
  struct param p;
  const char *s = next_param(row->signature, &p);
  for (uint32_t i = 0; i < count; i++) {
    s = next_param(s, &p);
    const struct kiln_expr *e = args[i];
    if ((p.code != 'o' && p.code != 'x') || e->kind != KILN_EX_INT)
      continue;
    uint64_t order = e->value;
    bool wrong = p.code == 'x' ? order > 4 : order > SEQ_CST || order == 1;
    if (p.code == 'o') {
      bool reads = row->code == KILN_SP_C11_LOAD || (row->code == KILN_SP_C11_CAS && orders == 1);
      bool writes = row->code == KILN_SP_C11_STORE || row->code == KILN_SP_FLAG_CLEAR;
      wrong |= reads && (order == RELEASE || order == ACQ_REL);
      wrong |= writes && (order == ACQUIRE || order == ACQ_REL);
      orders++;
    }
    if (wrong)
      kiln_diag_warning(env->diags, KILN_W_ATOMIC_MEMORY_ORDERING, e->location, e->end,
                        "memory %s argument to atomic operation is invalid", p.code == 'x' ? "scope" : "order");
  }
}

bool kiln_builtin_resolve(const struct kiln_builtin_env *env, const struct kiln_builtin *builtin,
                          kiln_location location, kiln_location end, struct kiln_expr *const *args, uint32_t count,
                          struct kiln_builtin_overload *out) {
  *out = (struct kiln_builtin_overload){0};
  if (builtin->groups && !env->sub_groups)
    return refuse(env, location, end, "'%s' needs sub-groups, which the target does not have", builtin->name);
  if (is_convert(builtin) || is_as(builtin))
    return resolve_conversion(env, builtin, location, end, args, count, out);
  if (builtin->how == KILN_HOW_SPECIAL && (builtin->code == KILN_SP_SHUFFLE || builtin->code == KILN_SP_SHUFFLE2))
    return resolve_shuffle(env, builtin, location, end, args, count, out);
  if (builtin->how == KILN_HOW_SPECIAL && (builtin->code == KILN_SP_TO_SPACE || builtin->code == KILN_SP_GET_FENCE))
    return resolve_space(env, builtin, location, end, args, count, out);
  if (builtin->how == KILN_HOW_SPECIAL && builtin->code == KILN_SP_PRINTF)
    return resolve_printf(env, location, end, args, count, out);
  if (builtin->images) {
    struct kiln_image_function function = {builtin->name, builtin->code, builtin->imm};
    return kiln_image_resolve(env, &function, location, end, args, count, out);
  }
  struct choice choice;
  find_candidates(env, &choice, builtin, args, count);
  if (!choice.count)
    return no_match(env, builtin, location, end, args, count);
  const struct candidate *best = best_of(&choice, count);
  if (best && best->at.row->how == KILN_HOW_SPECIAL)
    check_orders(env, best->at.row, args, count);
  return best ? accept(env, best, args, count, out) : ambiguous(env, &choice, location, end);
}

bool kiln_builtin_image_library(const struct kiln_builtin_env *env, const char *name,
                                struct kiln_builtin_overload *out) {
  const struct kiln_builtin *row = kiln_builtin_find(name, strlen(name), env->std, true);
  if (!row || row->how != KILN_HOW_LIBRARY)
    return false;
  struct instance at = {row, (enum kiln_ctype_kind)__builtin_ctz(row->types), lane_counts[__builtin_ctz(row->lanes)]};
  const struct kiln_ctype *pointers[MOST_PARAMS + 1] = {0};
  struct param p;
  const char *s = next_param(row->signature, &p);
  *out = (struct kiln_builtin_overload){.result = kiln_plain(code_type(&at, p.code))};
  while (*s) {
    s = next_param(s, &p);
    struct kiln_qtype type = kiln_plain(code_type(&at, p.code));
    if (p.space) {
      type.quals = p.space == 'H' ? KILN_QUAL_CONST : 0;
      type.space = KILN_GLOBAL;
      type = kiln_plain(kiln_ctype_pointer(env->types, type));
    }
    out->params[out->param_count++] = type;
  }
  make_library(env, out, &at, pointers, NULL);
  return true;
}

unsigned kiln_builtin_form(const char *name) {
  static const char *const names[] = {
#define KILN_FORM(name, function) #name,
#include "jit/lang/ast/forms.def"
  };
  if (strncmp(name, "__builtin_", 10) != 0)
    return 0;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name + 10, names[i]) == 0)
      return i + 1;
  return 0;
}
