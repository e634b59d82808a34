kernel void k(global int *o, int a, int b, int c, int d) {
  o[0] = a == b & c == d;
  o[0] = a == b | c;
  o[0] = a & b != c;
  o[0] = a | b < c | d;
  o[0] = (a & b) == c;
  o[0] = a & (b == c);
  o[0] = a < b ^ c;
  o[0] = a & b & c == d;
  o[0] = a | b == c & d;
  o[1] = a << b + c;
  o[1] = a - 1 >> b;
  o[1] = a + b << c - d;
  o[1] = a << (b + c);
  o[1] = 1 << 2 + 3;
  o[1] = a * b << c;
  o[2] = !a == b;
  o[2] = !a < b;
  o[2] = !a & b;
  o[2] = (!a) == b;
  o[2] = !(a < b) == c;
  o[2] = !a == !b;
  o[2] = !a == (b < c);
  o[2] = !!a == b;
  o[2] = a == !b;
  o[2] = !a | b;
  o[2] = !a ^ b;
  o[2] = !a && b;
  o[2] = !(a) == 1;
  o[2] = !(a & b) == c;
  o[3] = a && 4;
  o[3] = a || 4;
  o[3] = a && 1;
  o[3] = a && 0;
  o[3] = 4 && a;
  o[3] = (a < b) && 4;
  o[3] = a && 'x';
  o[3] = a && (2 + 3);
  o[3] = a && 2.5f;
  o[4] = a | b ? c : d;
  o[4] = a << b == c ? 1 : 2;
}
#define MASKED(x, y, z) (x & y == z)
#define ON 1
kernel void quiet(global int *o, int a, int b, int c) { o[0] = MASKED(a, b, c) + (a && ON); }
// expect: 3:17: warning: | has lower precedence than ==; == will be evaluated first [-Wparentheses]
// expect: 3:17: note: place parentheses around the '==' expression to silence this warning
// expect: 3:17: note: place parentheses around the | expression to evaluate it first
// expect: 4:12: warning: & has lower precedence than !=; != will be evaluated first [-Wparentheses]
// expect: 4:12: note: place parentheses around the '!=' expression to silence this warning
// expect: 4:12: note: place parentheses around the & expression to evaluate it first
// expect: 5:12: warning: | has lower precedence than <; < will be evaluated first [-Wparentheses]
// expect: 5:12: note: place parentheses around the '<' expression to silence this warning
// expect: 5:12: note: place parentheses around the | expression to evaluate it first
// expect: 8:16: warning: ^ has lower precedence than <; < will be evaluated first [-Wparentheses]
// expect: 8:16: note: place parentheses around the '<' expression to silence this warning
// expect: 8:16: note: place parentheses around the ^ expression to evaluate it first
// expect: 10:21: warning: & has lower precedence than ==; == will be evaluated first [-Wparentheses]
// expect: 10:21: note: place parentheses around the '==' expression to silence this warning
// expect: 10:21: note: place parentheses around the & expression to evaluate it first
// expect: 10:21: warning: '&' within '|' [-Wbitwise-op-parentheses]
// expect: 10:21: note: place parentheses around the '&' expression to silence this warning
// expect: 11:17: warning: operator '<<' has lower precedence than '+'; '+' will be evaluated first [-Wshift-op-parentheses]
// expect: 11:17: note: place parentheses around the '+' expression to silence this warning
// expect: 12:12: warning: operator '>>' has lower precedence than '-'; '-' will be evaluated first [-Wshift-op-parentheses]
// expect: 12:12: note: place parentheses around the '-' expression to silence this warning
// expect: 13:12: warning: operator '<<' has lower precedence than '+'; '+' will be evaluated first [-Wshift-op-parentheses]
// expect: 13:12: note: place parentheses around the '+' expression to silence this warning
// expect: 13:21: warning: operator '<<' has lower precedence than '-'; '-' will be evaluated first [-Wshift-op-parentheses]
// expect: 13:21: note: place parentheses around the '-' expression to silence this warning
// expect: 15:17: warning: operator '<<' has lower precedence than '+'; '+' will be evaluated first [-Wshift-op-parentheses]
// expect: 15:17: note: place parentheses around the '+' expression to silence this warning
// expect: 17:10: warning: logical not is only applied to the left hand side of this comparison [-Wlogical-not-parentheses]
// expect: 17:10: note: add parentheses after the '!' to evaluate the comparison first
// expect: 17:10: note: add parentheses around left hand side expression to silence this warning
// expect: 18:10: warning: logical not is only applied to the left hand side of this comparison [-Wlogical-not-parentheses]
// expect: 18:10: note: add parentheses after the '!' to evaluate the comparison first
// expect: 18:10: note: add parentheses around left hand side expression to silence this warning
// expect: 19:10: warning: logical not is only applied to the left hand side of this bitwise operator [-Wlogical-not-parentheses]
// expect: 19:10: note: add parentheses after the '!' to evaluate the bitwise operator first
// expect: 19:10: note: add parentheses around left hand side expression to silence this warning
// expect: 29:10: warning: logical not is only applied to the left hand side of this comparison [-Wlogical-not-parentheses]
// expect: 29:10: note: add parentheses after the '!' to evaluate the comparison first
// expect: 29:10: note: add parentheses around left hand side expression to silence this warning
// expect: 30:10: warning: logical not is only applied to the left hand side of this comparison [-Wlogical-not-parentheses]
// expect: 30:10: note: add parentheses after the '!' to evaluate the comparison first
// expect: 30:10: note: add parentheses around left hand side expression to silence this warning
// expect: 31:12: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 31:12: note: use '&' for a bitwise operation
// expect: 31:12: note: remove constant to silence this warning
// expect: 32:12: warning: use of logical '||' with constant operand [-Wconstant-logical-operand]
// expect: 32:12: note: use '|' for a bitwise operation
// expect: 33:12: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 33:12: note: use '&' for a bitwise operation
// expect: 33:12: note: remove constant to silence this warning
// expect: 34:12: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 34:12: note: use '&' for a bitwise operation
// expect: 34:12: note: remove constant to silence this warning
// expect: 36:18: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 36:18: note: use '&' for a bitwise operation
// expect: 36:18: note: remove constant to silence this warning
// expect: 37:12: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 37:12: note: use '&' for a bitwise operation
// expect: 37:12: note: remove constant to silence this warning
// expect: 38:12: warning: use of logical '&&' with constant operand [-Wconstant-logical-operand]
// expect: 38:12: note: use '&' for a bitwise operation
// expect: 38:12: note: remove constant to silence this warning
