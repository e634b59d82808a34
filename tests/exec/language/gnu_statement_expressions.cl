// ({ … }) of GNU C: its value, variables of its own, nested in macros, as a condition, of records and vectors, with
// loops, switches and barriers inside, and jumps out of it.
// run: -g 8 -l 8 -p 0:i32 -p 1:i32 -p 2:f32 zero:i32:64 zero:i32:8 zero:f32:32
// expect: 0: 7 100 12 0 1 121 0 10 6 100 13 0 3 118 -1 10 5 100 14 0 5 115 -2 10 4 100 15 0 7 312 -3 10 4 100 16 1 9 309 4 1 5 101 17 1 -5 306 5 1 6 102 18 1 -6 303 6 1 7 103 19 0 -7 300 7 1
// expect: 1: 1000 1001 1052 1003 1007 1012 1018 1025
// expect: 2: 0 9 6 3 3 9 6 3 6 9 6 3 9 9 6 3 12 9 6 3 15 9 6 3 18 9 6 3 21 9 6 3
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
struct pair {
  int a, b[2];
};
int early(int x) {
  int y = ({
    if (x > 4)
      return -x;
    x * 2;
  });
  return y + 1;
}
float4 scaled(float4 v, int n) {
  return ({
    float4 sum = 0;
    for (int i = 0; i < n; i++)
      sum += v;
    sum;
  }).wzyx;
}
kernel void k(global int *o, global int *loop, global float *f) {
  local int shared[8];
  int i = get_global_id(0), calls = 0;
  o += i * 8;
  o[0] = MAX(i, MAX(7 - i, 3));
  o[1] = MAX(calls++, i - 4) + calls * 100;
  o[2] = ({
           struct pair p = {i, {i + 1, i + 2}};
           p.b[1] += 10;
           p;
         })
             .b[1];
  if (({
        int j = i * i;
        j > 10 && j < 40;
      }))
    o[3] = 1;
  o[4] = early(i);
  o[5] = ({
           shared[i] = i * 3;
           barrier(CLK_LOCAL_MEM_FENCE);
           shared[7 - i];
         }) +
         ({
           int r;
           switch (i) {
           case 0 ... 2:
             r = 100;
             break;
           case 5:
             r = 200; // falls through
           default:
             r = 300;
           }
           r;
         });
  o[6] = i > 3 ? ({ o[7]++; i; }) : ({ o[7] += 10; -i; });
  for (int j = 0; j < 10; j++) {
    int t = ({
      if (j == 2)
        continue;
      if (j == i)
        break;
      j;
    });
    loop[i] += t + 1;
  }
  ({
    loop[i] += 1000;
  });
  ({});
  vstore4(scaled((float4)(1, 2, 3, i), 3), i, f);
}
