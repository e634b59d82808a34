#define ZERO 0
enum { FOUR = 4 };
kernel void k(global int *o) {
#pragma unroll
  o[0] = 1;
#pragma unroll ZERO
  for (int i = 0; i < 8; i++)
    o[i] = i;
#pragma unroll (-1)
  for (int i = 0; i < 8; i++)
    o[i] = i;
#pragma unroll 2.5
  for (int i = 0; i < 8; i++)
    o[i] = i;
#pragma unroll missing
  for (int i = 0; i < 8; i++)
    o[i] = i;
#pragma unroll FOUR
  for (int i = 0; i < 8; i++)
    o[i] = i;
#pragma unroll (FOUR)
  do
    o[0]++;
  while (o[0] < 9);
#pragma nounroll
  int x = 2;
  if (x)
#pragma clang loop unroll_count(2)
    ;
#pragma clang loop unroll(full)
}
// expect: 5:3: error: expected a for, while, or do-while loop to follow '#pragma unroll'
// expect: 6:9: error: invalid value '0'; must be positive
// expect: 9:9: error: invalid value '-1'; must be positive
// expect: 12:9: error: invalid argument of type 'double'; expected an integer type
// expect: 15:9: error: use of undeclared identifier 'missing'
// expect: 26:3: error: expected a for, while, or do-while loop to follow '#pragma nounroll'
// expect: 29:5: error: expected a for, while, or do-while loop to follow '#pragma clang loop'
// expect: 31:1: error: expected a for, while, or do-while loop to follow '#pragma clang loop'
