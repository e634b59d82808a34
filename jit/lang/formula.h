// What a use of a macro that is a formula (parse_formula.c) comes to: for arguments of certain types, numbers among
// them of certain values, the steps to compute it in. Uses with such arguments share them; each is one node of the
// tree, a KILN_EX_FORMULA, which reads variables and nothing else. Whoever has to see the operators in it asks for the
// tree (kiln_formula_tree in parse.h); the lowering carries out the steps.
#ifndef KILN_JIT_LANG_FORMULA_H
#define KILN_JIT_LANG_FORMULA_H

#include "jit/lang/ast.h"

enum {
  KILN_PLAN_STEPS = 64,    // at most
  KILN_PLAN_ARGUMENTS = 8, // at most
  KILN_PLAN_MACRO = 0xff,  // in place of an argument: the macro's body
};

struct kiln_formula_argument { // that the formula has a parameter for, by the first use of that
  struct kiln_decl *decl;      // a variable of an integer type, without qualifiers, in private memory; NULL: a number
  kiln_place place, end;
};

struct kiln_plan_place {
  uint8_t argument; // or KILN_PLAN_MACRO:
  uint32_t piece;   // of its body
};

struct kiln_plan_step { // as of a stack machine
  enum { KILN_PLAN_READ, KILN_PLAN_NUMBER, KILN_PLAN_UNARY, KILN_PLAN_BINARY } kind : 8;
  enum kiln_expr_kind op : 8;        // of the node; READ: READ, or CAST for one that reads a VAR
  struct kiln_plan_place place, end; // of UNARY and BINARY the place is of the macro
  const struct kiln_ctype *type;
  uint64_t value; // NUMBER
};

struct kiln_plan {
  struct kiln_plan *next; // of the formula, with the same hash
  uint64_t shape;         // of the arguments: a byte each, the kind of the type and whether it is a number
  uint64_t values[KILN_PLAN_ARGUMENTS]; // of those that are numbers, one behind the other
  uint32_t count;                       // 0: a warning is due, or it is no such formula: each use becomes a tree
  uint32_t operators, argument_count;
  bool divides;
  uint8_t reads[KILN_PLAN_ARGUMENTS]; // how often
  struct kiln_plan_row *row;          // of the lowering
  struct kiln_plan_step steps[];
};

static inline kiln_place kiln_plan_place(const struct kiln_expr *e, struct kiln_plan_place at) {
  return at.argument == KILN_PLAN_MACRO ? e->first + at.piece : e->arguments[at.argument].place;
}
static inline kiln_place kiln_plan_end(const struct kiln_expr *e, struct kiln_plan_place at) {
  return at.argument == KILN_PLAN_MACRO ? e->first + at.piece : e->arguments[at.argument].end;
}

#endif
