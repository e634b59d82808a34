// Texts that are not known when the kernel is compiled, from functions and branches, null among them.
// run: -g 1 -p 1:i32 list:i8:104,105,33,0,111 zero:i32:1
// expect: even odd
// expect: global hi!|
// expect: [odd] 7 [even] 8
// expect: (null) x
// expect: 1: 0
constant char odd[] = "odd", even[] = "even";
void say(int n, constant char *text) { printf("[%s] %d ", text, n); }
kernel void k(global const char *text, global int *o) {
  printf("%s %s\n", o[0] & 1 ? odd : even, o[0] & 1 ? even : odd);
  printf("global %s|\n", text);
  for (int i = 7; i < 9; i++)
    say(i, i & 1 ? odd : even);
  printf("\n");
  constant char *none = o[0] ? odd : 0;
  o[0] = printf("%s %c\n", none, 'x');
}
