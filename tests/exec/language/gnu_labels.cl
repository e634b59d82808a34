// Labels and goto in ({ … }), out of it from several depths and from the parts of loops, labels of a block (__label__),
// its value after a label, and cases inside other statements of a switch, in it and around it. Beside gcc.
// run: -g 16 -l 4 -p 0:i32 zero:i32:192
// expect: 0: 120 451 4001 1000 22 9 289 1111 4 10 0 0 121 4 1004 2100 26 12 290 112 4 11 0 2 120 5 4013 3210 26 29 -11 1103 4 12 0 6 120 451 1008 4321 27 32 292 104 4 13 1 0 124 7 4021 6432 32 49 289 1015 7 9 0 20 121 501 1012 8643 36 52 320 16 7 10 1 0 124 451 4033 10864 36 69 -11 1107 7 11 0 42 120 10 1016 13086 37 72 319 108 10 12 1 56 120 11 1016 16308 42 89 289 1119 10 2 0 72 121 451 4000 19630 46 92 290 120 10 3 1 90 120 501 4053 22962 46 109 -11 1111 13 4 0 110 120 14 1024 26295 43 112 292 112 13 2 1 132 124 451 4000 30628 48 129 289 1023 13 3 0 156 121 16 4000 35061 52 132 320 24 -15 4 1 182 124 17 4000 39504 52 149 -11 1115 -15 2 0 210 120 451 4000 43948 49 152 319 116 -15 3 1 240
#define FIND(array, count, what) ({        \
    __label__ found;                       \
    int at = 0;                            \
    for (; at < (count); at++)             \
      if ((array)[at] == (what))           \
        goto found;                        \
    at = -1;                               \
  found:                                   \
    at;                                    \
  })
int again(int x) {
  return 100 + ({
    int n = 0;
  more:
    n += 1 + (x & 7);
    if (n < 20)
      goto more;
    n;
  });
}
int out_of_it(int x) {
  int r = 1;
  r += ({
    if (x % 3 == 0)
      goto low;
    ({
      if (x % 5 == 0)
        goto high;
      x;
    }) + 2;
  });
  return r;
low:
  r -= 50;
high:
  return r + 500;
}
int out_of_headers(int x) {
  int r = 0, rounds = 0;
back:
  for (int i = ({ if (rounds > 3) goto done; x; }); ({ if (i == 9) goto next; i < 12; });
       i += ({ if (r > 40) goto done; 1; })) {
    r += i;
    while (({ if (r & 1) goto next; r % 4; }))
      r += 2;
  }
next:
  r += 1000;
  rounds++;
  goto back;
done:
  return r;
}
int copy(int count) { // as Duff had it
  int r = 0, rounds = (count + 3) / 4, step = 1;
  switch (count & 3) {
  case 0:
    do {
      r += step++;
    case 3:
      r += 10 * step++;
    case 2:
      r += 100 * step++;
    case 1:
      r += 1000 * step++;
    } while (--rounds > 0);
  }
  return r;
}
int copy_inside(int count) {
  return 7 + ({
    int r = 0, rounds = (count + 3) / 4;
    switch (count & 3) {
      int i;
    case 0:
      for (i = 0; i < 2; i++) {
        r += 1;
      case 3:
        if (r > 30) {
        default:
          r += 5;
        } else {
        case 2:
          r += 9;
        }
        i = rounds-- > 0 ? 0 : 5;
      }
    }
    r;
  });
}
int value_behind(int x) {
  struct pair { int a, b; } p = ({
    struct pair q = {x, 2};
    if (x & 1)
      goto same;
    q.b = 9;
  same:
    q;
  });
  return p.a * 10 + p.b;
}
int twice(int x) {
  int table[4] = {x & 3, 7, x & 5, 2};
  return FIND(table, 4, 2) * 100 + FIND(table, 4, 5) * 10 + FIND(table, 3, 1);
}
int blocks(int x) {
  int r = x;
  {
    __label__ skip, over;
    if (x & 2)
      goto skip;
    r += 10;
    if (x & 4)
      goto over;
  skip:
    r += 100;
  over:;
  }
  {
    __label__ skip;
    if (x & 1)
      goto skip;
    r += 1000;
  skip:
    r++;
  }
  return r;
}
int in_arguments(int x) {
  int n = 0;
  return max(({
               again:
                 n += 3;
               if (n < x)
                 goto again;
               n;
             }),
             ({
               if (x > 12)
                 goto large;
               n + 1;
             }));
large:
  return -n;
}
kernel void k(global int *o) {
  int i = get_global_id(0);
  global int *p = o + i * 12;
  p[0] = again(i + 1);
  p[1] = out_of_it(i);
  p[2] = out_of_headers(i);
  p[3] = copy(i + 1);
  p[4] = copy_inside(i + 1);
  p[5] = value_behind(i);
  p[6] = twice(i);
  p[7] = blocks(i);
  p[8] = in_arguments(i);
  p[9] = i > 7 ? ({ int n = i; l: n -= 3; if (n > 4) goto l; n; }) : ({ int n = i; l2: n += 5; if (n < 9) goto l2; n; });
  p[10] = i & 1 && ({ int n = i; m: n /= 2; if (n > 1) goto m; n; });
  int table[2] = {({ if (i == 3) goto end; i; }), [1] = ({ if (i == 5) goto end; i + 1; })};
  p[11] = table[0] * table[1];
end:;
}
