// Arrays of pointers, pointers to arrays and to struct members, to local and constant memory in structs, null, order.
// run: -g 4 -l 4 -p 0:i32 zero:i32:4 local:32
// expect: 0: 4131 3132 2133 1134
typedef struct { local int *scratch; constant int *table; const global void *none; int *mine; } places;
constant int table[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
int pick(const places *p, int i) { return p->none == 0 && !p->none ? p->scratch[i] + *p->mine : -1; }
kernel void k(global int *o, local int *scratch) {
  int i = get_local_id(0), a = 100, b = 200, c = 300;
  int *order[3] = {&c, &a, &b}, **second = order + 1;
  int (*row)[3];
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  row = grid + 1;
  places p = {scratch, table[1], 0, order[1]};
  local int *slot = p.scratch + i;
  *slot = p.table[3 - i] * 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  *p.mine = 30 + i;
  int r = pick(&p, i);
  r += slot == &scratch[i] && slot >= scratch && slot < scratch + 4 && scratch + 4 - slot == 4 - i;
  r += second[0] == &a && *second[1] == 200 && **order == 300 ? 0 : 1000000;
  r += (*row)[2] == 6 && row[-1][1] == 2 ? 100 : 1000000;
  o[i] = r - (*second == p.mine ? 0 : 5);
}
