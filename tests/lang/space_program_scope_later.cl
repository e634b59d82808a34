// options: std=200 generic-space
int counter = 3;
local int shared;
private int mine;
global int *elsewhere = &counter;
int twice = counter * 2;
extern int other;
generic int any;
constant int fixed;
int *anything = &counter;
kernel void k(global int *out) {
  static int calls;
  static private int bad;
  static int depends = out[0];
  out[0] = counter + calls++ + other + *anything;
}
// expect: 3:11: error: program scope variable must reside in global or constant address space
// expect: 4:13: error: program scope variable must reside in global or constant address space
// expect: 6:21: error: initializer element is not a compile-time constant
// expect: 8:13: error: program scope variable must reside in global or constant address space
// expect: 9:14: error: variable in constant address space must be initialized
// expect: 13:22: error: static local variable must reside in global or constant address space
// expect: 14:24: error: initializer element is not a compile-time constant
// expect: 7:12: error: undefined variable 'other' is used
