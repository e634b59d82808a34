// The typed tree: what the parser makes and the lowering reads. Every implicit conversion is a node of its own, every
// name is resolved, every constant expression is evaluated, so that lowering decides nothing about the language.
#ifndef KILN_JIT_LANG_AST_H
#define KILN_JIT_LANG_AST_H

#include "base/vec.h"
#include "jit/lang/ast/ctype.h"

struct kiln_expr;
struct kiln_stmt;
struct kiln_decl;
struct kiln_builtin_call; // jit/lang/ast/builtins.h

enum kiln_decl_kind {
  KILN_DECL_VARIABLE,
  KILN_DECL_PARAM,
  KILN_DECL_FUNCTION,
  KILN_DECL_TYPEDEF,
  KILN_DECL_ENUMERATOR,
};

// A name of a part of the language that Kiln does not have, as images are: an error once a kernel reaches it.
struct kiln_missing {
  const char *text;
  uint32_t part; // a bit; the error is told once for each part
  kiln_location location, end;
};

struct kiln_decl {
  enum kiln_decl_kind kind;
  struct kiln_name *name; // NULL: unnamed parameter
  struct kiln_qtype type;
  kiln_location location;
  uint32_t align;                     // aligned attribute; 0: the type's
  const char *host_name;              // TYPEDEF, PARAM: it is size_t or the like, which no kernel parameter may be
  const struct kiln_missing *missing; // FUNCTION, VARIABLE of the program: the first that it needs; NULL: none
  // VARIABLE
  struct kiln_expr *init; // INIT_LIST, STRING or any expression; NULL: none
  bool is_program_scope;  // else inside a function. type.space tells LOCAL, CONSTANT, GLOBAL or PRIVATE
  bool is_static, is_extern;
  uint8_t flow_slot;                // for sema/flow.c
  uint32_t references, assignments; // how often it is named; of these, as what an assignment without other use sets
  bool is_referenced;               // named somewhere, or declared with the attribute "unused"
  // PARAM
  const struct kiln_ctype *array; // declared as such, though it is a pointer; or NULL
  uint32_t index;
  // ENUMERATOR
  int64_t value;
  // FUNCTION
  struct kiln_decl **params;
  uint32_t param_count;
  struct kiln_stmt *body; // NULL: only declared
  uint32_t expr_count;    // expressions that were made for it
  bool is_kernel, is_inline, is_noinline, always_inline;
  bool is_library;     // text of the built-in library
  bool library_inline; // library text that must be inlined so that it is vectorised
  bool is_used;        // reachable from a kernel
  bool is_called;      // a function that is used calls it
  bool is_exported;    // of an object: for others. VARIABLE as well
  uint32_t required_group_size[3], group_size_hint[3];
  uint32_t required_sub_group_size;       // 0: none
  const struct kiln_ctype *vec_type_hint; // NULL: none
  const char *tuning;                     // jit/lang/ast/tuning.h; NULL: nothing is tuned of it
  void *lowered;                          // for the lowering
};

enum kiln_expr_kind {
  KILN_EX_INT,     // value
  KILN_EX_FLOAT,   // number, rounded to the type
  KILN_EX_STRING,  // text, text_size (without the final NUL); an array of constant char, an lvalue
  KILN_EX_VAR,     // decl (VARIABLE or PARAM); an lvalue
  KILN_EX_DEREF,   // *left; an lvalue
  KILN_EX_ADDRESS, // &left: left is an lvalue
  KILN_EX_MEMBER,  // left.member: left is an lvalue or a record value
  KILN_EX_SWIZZLE, // left.lanes[0..lane_count): lvalue if left is one and no lane is repeated
  KILN_EX_ELEMENT, // left[right] where left is a vector (lvalue or not)
  KILN_EX_NEG,
  KILN_EX_NOT,    // ~
  KILN_EX_LOGNOT, // !; scalar: int 0 or 1; vector: 0 or -1 per lane
  // arithmetic: both operands have the node's type, except shifts, whose right operand has as many lanes
  KILN_EX_ADD,
  KILN_EX_SUB,
  KILN_EX_MUL,
  KILN_EX_DIV,
  KILN_EX_REM,
  KILN_EX_SHL,
  KILN_EX_SHR,
  KILN_EX_AND,
  KILN_EX_OR,
  KILN_EX_XOR,
  // comparisons: both operands have the same type; the node's is int, or the signed integer vector for vectors
  KILN_EX_EQ,
  KILN_EX_NE,
  KILN_EX_LT,
  KILN_EX_GT,
  KILN_EX_LE,
  KILN_EX_GE,
  KILN_EX_LOGAND, // scalars: short-circuit; vectors: both sides evaluated, 0 or -1 per lane
  KILN_EX_LOGOR,
  KILN_EX_PTR_ADD,  // left pointer, right integer (long or ulong): moves by right elements
  KILN_EX_PTR_SUB,  // left pointer, right integer
  KILN_EX_PTR_DIFF, // both pointers; number of elements
  KILN_EX_ASSIGN,   // left lvalue, right converted to its type; the value is the new value of left
  KILN_EX_COMPOUND, // left op= right: op is the arithmetic kind, compute_type the type to compute in (left is converted
                    // to it, right has it already or is a shift count; the result is converted back). For pointers
                    // op is PTR_ADD or PTR_SUB
  KILN_EX_PRE_INC,
  KILN_EX_PRE_DEC,
  KILN_EX_POST_INC,
  KILN_EX_POST_DEC,
  KILN_EX_COND, // cond ? left : right; vector cond: lane by lane on its sign bit
  KILN_EX_LET,  // right, in which decl (a VARIABLE that is nowhere declared) reads as the value of left
  KILN_EX_COMMA,
  KILN_EX_CAST,             // (type)left, see enum kiln_cast
  KILN_EX_CALL,             // decl (FUNCTION), args
  KILN_EX_BUILTIN,          // builtin, args
  KILN_EX_VECTOR,           // (float4)(args…): args are scalars and vectors of the element type, lanes add up
  KILN_EX_INIT_LIST,        // {…}: inits; what no init covers is zero. Type: array, record, or vector
  KILN_EX_COMPOUND_LITERAL, // (type){…}: left is the INIT_LIST; an lvalue
  KILN_EX_STATEMENTS,       // ({ … }): body, then the value of right (NULL: none)
  KILN_EX_ERROR,
};

// The kinds of expressions by family, for a switch that has nothing to say of each: "KILN_EX_CASES_CALL:".
// clang-format off
#define KILN_EX_CASES_LEAF case KILN_EX_INT ... KILN_EX_VAR: case KILN_EX_ERROR
#define KILN_EX_CASES_PART case KILN_EX_DEREF ... KILN_EX_ELEMENT: case KILN_EX_COMPOUND_LITERAL
#define KILN_EX_CASES_UNARY case KILN_EX_NEG ... KILN_EX_LOGNOT
#define KILN_EX_CASES_ARITHMETIC case KILN_EX_ADD ... KILN_EX_XOR
#define KILN_EX_CASES_COMPARE case KILN_EX_EQ ... KILN_EX_GE
#define KILN_EX_CASES_LOGICAL case KILN_EX_LOGAND ... KILN_EX_LOGOR
#define KILN_EX_CASES_POINTER case KILN_EX_PTR_ADD ... KILN_EX_PTR_DIFF
#define KILN_EX_CASES_STEP case KILN_EX_PRE_INC ... KILN_EX_POST_DEC
#define KILN_EX_CASES_CHANGE case KILN_EX_ASSIGN ... KILN_EX_POST_DEC
#define KILN_EX_CASES_ORDER case KILN_EX_COND ... KILN_EX_COMMA: case KILN_EX_STATEMENTS
#define KILN_EX_CASES_CALL case KILN_EX_CALL ... KILN_EX_BUILTIN
#define KILN_EX_CASES_LIST case KILN_EX_VECTOR ... KILN_EX_INIT_LIST
// clang-format on

static inline bool kiln_is_comparison(enum kiln_expr_kind kind) { return kind >= KILN_EX_EQ && kind <= KILN_EX_GE; }

enum kiln_cast {
  KILN_CAST_LOAD,    // lvalue to value: reads the variable (also records). Every read of an lvalue has one
  KILN_CAST_DECAY,   // array lvalue to pointer to its first element; function to itself
  KILN_CAST_NUMBER,  // between scalar numbers, as C converts them (int, float, bool: != 0)
  KILN_CAST_SPLAT,   // scalar to vector: left has the element type already
  KILN_CAST_POINTER, // between pointers, also address spaces
  KILN_CAST_PTR_INT,
  KILN_CAST_INT_PTR, // also the null pointer
  KILN_CAST_BITS,    // as_type: the same bits, same size
  KILN_CAST_VOID,
  KILN_CAST_SAME, // changes qualifiers, or nothing
  KILN_CAST_PTR_BOOL,
};

struct kiln_init {
  uint64_t offset;         // bytes from the beginning of the list's object
  struct kiln_expr *value; // already converted; records and arrays by value, STRING for a character array
};

// Which members hold something is said at the kinds above; those of different kinds share memory. There are hundreds of
// thousands of these in a large program: one takes one line of the processor's cache.
struct kiln_expr {
  enum kiln_expr_kind kind : 8;
  enum kiln_cast cast : 8;    // CAST
  enum kiln_expr_kind op : 8; // COMPOUND
  bool is_lvalue : 1;
  bool contract : 1;   // FP_CONTRACT was on here
  bool exact : 1;      // nothing that the build options permit applies here
  bool only_reads : 1; // known: neither this nor what is in it changes a variable, hands it out, calls or holds
                       // statements
  union {
    uint32_t arg_count;  // CALL, BUILTIN, VECTOR
    uint32_t init_count; // INIT_LIST
    uint32_t text_size;  // STRING
    uint32_t lane_count; // SWIZZLE
  };
  kiln_location location, end; // the operator or first token; after the last token
  struct kiln_qtype type;
  struct kiln_expr *left, *right;
  union {
    struct { // CALL, BUILTIN, VECTOR, VAR, LET
      union {
        struct kiln_decl *decl;            // VAR, CALL, LET
        struct kiln_builtin_call *builtin; // BUILTIN
      };
      struct kiln_expr **args; // CALL, BUILTIN, VECTOR
    };
    struct kiln_expr *cond;                // COND
    const struct kiln_ctype *compute_type; // COMPOUND
    uint8_t lanes[16];                     // SWIZZLE
    struct kiln_init *inits;               // INIT_LIST
    const char *text;                      // STRING
    const struct kiln_member *member;      // MEMBER
    uint64_t value;                        // INT: sign- or zero-extended from its type
    double number;                         // FLOAT
    struct kiln_stmt *body;                // STATEMENTS
  };
};
_Static_assert(sizeof(struct kiln_expr) == 64, "an expression is a cache line");

enum kiln_stmt_kind {
  KILN_ST_EXPR,     // expr; NULL: empty statement
  KILN_ST_DECL,     // decls
  KILN_ST_COMPOUND, // stmts
  KILN_ST_IF,       // expr, body, other
  KILN_ST_WHILE,    // expr, body
  KILN_ST_DO,       // body, expr
  KILN_ST_FOR,      // first (DECL or EXPR, may be NULL), expr (may be NULL), step (may be NULL), body
  KILN_ST_SWITCH,   // expr (int, uint, long or ulong), body
  KILN_ST_CASE,     // value (sign-extended from the selector's width), body; belongs to the innermost switch
  KILN_ST_DEFAULT,  // body
  KILN_ST_BREAK,
  KILN_ST_CONTINUE,
  KILN_ST_RETURN, // expr or NULL
  KILN_ST_GOTO,   // label
  KILN_ST_LABEL,  // label, body
};

// Conditions (of if, loops, ?:, !, &&, ||) are scalar numbers or pointers; lowering compares them with zero.
// Members of different kinds share memory, as those of expressions do.
struct kiln_stmt {
  enum kiln_stmt_kind kind : 8;
  bool jumps_inside; // bodies of loops and of statement expressions: a jump in a statement expression may lead out
  kiln_location location;
  union {
    uint32_t stmt_count; // COMPOUND
    uint32_t decl_count; // DECL
  };
  uint32_t unroll; // loops: opencl_unroll_hint or #pragma unroll; 0: none asked, 1: do not, UINT32_MAX: fully
  struct kiln_expr *expr;
  struct kiln_stmt *body;
  union {
    struct kiln_expr *step;  // FOR
    struct kiln_stmt *other; // IF
  };
  union {
    struct kiln_stmt *first; // FOR
    int64_t value;           // CASE
    struct kiln_name *label; // GOTO, LABEL
  };
  union {
    struct kiln_stmt **stmts; // COMPOUND
    struct kiln_decl **decls; // DECL
  };
};

// A translation unit: what survives is in the order of the source. Functions that no kernel reaches are left out.
struct kiln_unit {
  KILN_VEC(struct kiln_decl *) functions; // defined and used ones, callees before callers
  KILN_VEC(struct kiln_decl *) variables; // program-scope, and LOCAL or CONSTANT ones of functions that are used
};

// sema/format.c: the string that an expression points to the beginning of; NULL when it is not a literal or a constant
// array of one.
const struct kiln_expr *kiln_string_of(const struct kiln_expr *e);

// ast/fold.c: what the token of a binary operator means.
struct kiln_binary {
  uint8_t precedence; // 0: no binary operator
  uint8_t kind;       // enum kiln_expr_kind
};
extern const struct kiln_binary kiln_binary_operators[]; // by enum kiln_token_kind
// Of integers that are extended to 64 bits; the result is not yet wrapped to theirs. False for what has no value, and
// for operators that integers do not have.
bool kiln_fold_int(enum kiln_expr_kind kind, bool is_signed, unsigned bits, uint64_t a, uint64_t b, uint64_t *out);
// A shift in an #if: by 64 and more nothing but the sign is left, and a negative count shifts the other way.
uint64_t kiln_fold_shift(uint64_t a, bool a_is_unsigned, uint64_t count, bool count_is_unsigned, bool to_left);
// Whether signed integers of so many bits overflow.
bool kiln_fold_overflows(enum kiln_expr_kind kind, unsigned bits, int64_t a, int64_t b);

#endif
