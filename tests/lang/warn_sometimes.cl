// Variables that nothing wrote to whenever some branch is taken that certainly leads to the read; no doubt is a warning.
int use(int x) { return x; }
int if_only(int c) { int x; if (c) x = 1; return x; }
int else_only(int c) { int x; if (c) ; else x = 1; return x; }
int chain(int c) { int x; if (c == 1) x = 1; else if (c == 2) x = 2; else if (c == 3) { } else x = 3; return x; }
int chain_end(int c) { int x; if (c == 1) x = 1; else if (c == 2) x = 2; return x; }
int nested(int c) { int x; if (c) { if (c > 1) x = 1; } else x = 2; return x; }
int search(const int *a, int n) {
  int x;
  for (int i = 0; i < n; i++)
    if (a[i] == 3) {
      x = i;
      break;
    }
  return x;
}
int search_while(const int *a, int n) { int x, i = 0; while (i < n) { if (a[i]) { x = i; break; } i++; } return x; }
int search_do(const int *a, int n) { int x, i = 0; do { if (a[i]) { x = i; break; } } while (++i < n); return x; }
int cases(int c) { int x; switch (c) { case 1: x = 1; break; case 2: break; default: x = 3; } return x; }
int no_default(int c) { int x; switch (c) { case 1: x = 1; break; case 2: x = 2; } return x; }
int default_open(int c) { int x; switch (c) { case 1: x = 1; break; default: ; } return x; }
int falls(int c) { int x; switch (c) { case 1: x = 1; case 2: c++; break; default: x = 2; } return x + c; }
int returns(int c) { int x; if (c) x = 1; else return 0; return x; }
int returns_between(int c, int d) { int x; if (c) x = 1; if (d) return 0; return x; }
int correlated(int c) { int x; if (c) x = 1; c++; if (c) return x; return 0; }
int used_in_both(int c) { int x; if (c) x = 1; if (c > 2) return x; else return x + 1; }
int written_between(int c) { int x; if (c) x = 1; if (c < 3) x = 2; else x = 3; return x; }
int partly_between(int c) { int x; if (c) x = 1; if (c < 3) x = 2; return x; }
int loop_between(int c) { int x; if (c) x = 1; while (c > 9) c--; return x; }
int in_loop(int c) { int x, r = 0; for (int i = 0; i < c; i++) { if (i) r += x; x = i; } return r; }
int every_round(int c) { int r = 0; for (int i = 0; i < c; i++) { int x; if (i) x = i; r += x; } return r; }
int in_condition(int c) { int x; if (c && (x = use(c))) return x; return 0; }
int behind_condition(int c) { int x; if (c && (x = use(c)) > 2) c++; return x; }
int chosen(int c) { int x; c > 1 ? x = 3 : 0; return x; }
int loop_writes(int n) { int x; for (int i = 0; i < n; i++) x = i; return x; }
int forever(int n) { int x; for (;;) { if (n > 3) { x = 2; break; } n++; } return x; }
int once(int c) { int x; do { if (c) break; x = 1; } while (0); return x; }
int jumped(int c) { int x; if (c) goto out; x = 1; out: return x; }
int both_ways(int c) { int x; if (c) x = 1; else x = 2; return x; }
int two(int c) { int x, y; if (c) x = 1; else y = 2; return x + y; }
int read_twice(int c) { int x; if (c) x = 1; use(x); return x; }
int from_macro(int c) {
#define SET(c, v) if (c) v = 1
  int x;
  SET(c, x);
  return x;
}
int passed(int c) { int x; if (c) use(use((int)&x)); return x; }
int shadows(int c) { int x = 1; { int x; if (c) x = 2; c += x; } return x + c; }
int compound(int c) { int x; if (c) x = 1; x += 2; return x; }
int inner_switch(int c, int d) { int x; if (c) { switch (d) { case 1: x = 1; break; default: x = 2; } } return x; }
int continues(int n) { int r = 0; for (int i = 0; i < n; i++) { int x; if (i & 1) x = i; else continue; r += x; } return r; }
int last_round(int n) { int x; for (int i = 0; i < n; i++) { if (i == 5) { x = 1; continue; } use(i); } return x; }
// expect: 3:33: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 3:50: note: uninitialized use occurs here
// expect: 3:27: note: initialize the variable 'x' to silence this warning
// expect: 4:35: warning: variable 'x' is used uninitialized whenever 'if' condition is true [-Wsometimes-uninitialized]
// expect: 4:59: note: uninitialized use occurs here
// expect: 4:29: note: initialize the variable 'x' to silence this warning
// expect: 5:79: warning: variable 'x' is used uninitialized whenever 'if' condition is true [-Wsometimes-uninitialized]
// expect: 5:110: note: uninitialized use occurs here
// expect: 5:25: note: initialize the variable 'x' to silence this warning
// expect: 6:59: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 6:81: note: uninitialized use occurs here
// expect: 6:29: note: initialize the variable 'x' to silence this warning
// expect: 7:41: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 7:76: note: uninitialized use occurs here
// expect: 7:26: note: initialize the variable 'x' to silence this warning
// expect: 10:19: warning: variable 'x' is used uninitialized whenever 'for' loop exits because its condition is false [-Wsometimes-uninitialized]
// expect: 15:10: note: uninitialized use occurs here
// expect: 9:8: note: initialize the variable 'x' to silence this warning
// expect: 17:62: warning: variable 'x' is used uninitialized whenever 'while' loop exits because its condition is false [-Wsometimes-uninitialized]
// expect: 17:113: note: uninitialized use occurs here
// expect: 17:46: note: initialize the variable 'x' to silence this warning
// expect: 18:94: warning: variable 'x' is used uninitialized whenever 'do' loop exits because its condition is false [-Wsometimes-uninitialized]
// expect: 18:111: note: uninitialized use occurs here
// expect: 18:43: note: initialize the variable 'x' to silence this warning
// expect: 19:62: warning: variable 'x' is used uninitialized whenever switch case is taken [-Wsometimes-uninitialized]
// expect: 19:102: note: uninitialized use occurs here
// expect: 19:25: note: initialize the variable 'x' to silence this warning
// expect: 21:69: warning: variable 'x' is used uninitialized whenever switch default is taken [-Wsometimes-uninitialized]
// expect: 21:89: note: uninitialized use occurs here
// expect: 21:32: note: initialize the variable 'x' to silence this warning
// expect: 31:78: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 31:93: note: uninitialized use occurs here
// expect: 31:72: note: initialize the variable 'x' to silence this warning
// expect: 40:32: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 40:61: note: uninitialized use occurs here
// expect: 40:23: note: initialize the variable 'x' to silence this warning
// expect: 40:32: warning: variable 'y' is used uninitialized whenever 'if' condition is true [-Wsometimes-uninitialized]
// expect: 40:65: note: uninitialized use occurs here
// expect: 40:26: note: initialize the variable 'y' to silence this warning
// expect: 41:36: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 41:50: note: uninitialized use occurs here
// expect: 41:30: note: initialize the variable 'x' to silence this warning
// expect: 45:7: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 46:10: note: uninitialized use occurs here
// expect: 44:8: note: initialize the variable 'x' to silence this warning
// expect: 48:32: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 48:61: note: uninitialized use occurs here
// expect: 48:26: note: initialize the variable 'x' to silence this warning
// expect: 49:46: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 49:61: note: uninitialized use occurs here
// expect: 49:40: note: initialize the variable 'x' to silence this warning
// expect: 50:34: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 50:44: note: uninitialized use occurs here
// expect: 50:28: note: initialize the variable 'x' to silence this warning
// expect: 51:45: warning: variable 'x' is used uninitialized whenever 'if' condition is false [-Wsometimes-uninitialized]
// expect: 51:112: note: uninitialized use occurs here
// expect: 51:39: note: initialize the variable 'x' to silence this warning
