#ifndef OFFSET
#define OFFSET 40
int helper(int x) { return x * 2; }
#endif
