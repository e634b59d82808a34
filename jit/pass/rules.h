// The table of rules.def: rules.c looks for a row that fits, tests/unit/pass_rules.c proves each.
#ifndef KILN_JIT_PASS_RULES_H
#define KILN_JIT_PASS_RULES_H

#include "jit/pass/simplify.h"

// What patterns are made of, besides operations. The short names are those of the table.
enum kiln_rule_token {
  X = KILN_OP_COUNT, // X, Y, Z: any value
  Y,
  Z,
  R,
  C, // C, D, E: any constant
  D,
  E,
  ZERO,
  ONE,
  ONES,
  MINUS_ONE,
  SIGN,
  TURNS,
  SAME,
  WITHOUT_SIGN, // before the value that NEGATED encloses
};
struct kiln_rule_match;
struct kiln_rule { // patterns: operations and tokens in prefix order
  uint64_t first;  // the first tokens of the operands, as bits
  bool from_right; // the second operand is compared first
  uint8_t operands[3][7];
  uint8_t result[9];
  bool (*when)(struct kiln_rule_match *m);
};
// By operation: its rules, up to one where first is 0; NULL: the operation has no rules.
extern const struct kiln_rule *const kiln_rules[KILN_OP_COUNT];

// What the rule makes of an instruction of its operation; 0: the rule does not fit. The caller has looked at SAME.
kiln_value kiln_rule_apply(const struct kiln_rule *rule, struct kiln_simplify *s, kiln_value inst);

#endif
