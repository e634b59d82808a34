// Pointers without address space point to any but constant memory from OpenCL C 2.0 on: as parameters, variables,
// struct members, chosen at run time, returned by functions, cast back.
// run: -g 8 -l 4 -p 1:i32 -p 2:i32 --options -cl-std=CL2.0 iota:i32:8 zero:i32:32 zero:i32:8
// skip: opencl PoCL 3.1 has no generic address space
// skip: text OpenCL C 1.2 has no generic address space
// expect: 1: 0 1 100 0 1 4 101 4 2 7 102 8 3 10 103 12 4 13 104 16 5 16 105 20 6 19 106 24 7 22 107 28
// expect: 2: 0 101 2 103 4 105 6 107
struct node {
  int *value;
  struct node *next;
};
int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}
int *choose(int *a, int *b, int which) { return which ? a : b; }
void put(int *p, int value) { *p = value; }
int walk(struct node *n) {
  int s = 0;
  for (; n; n = n->next)
    s += *n->value;
  return s;
}
kernel void k(global int *in, global int *out, global int *chosen) {
  local int shared[4];
  int i = get_global_id(0), l = get_local_id(0);
  int mine[2] = {i, 2 * i + 1};
  put(&shared[l], i + 100);
  put(out + i * 4, in[i]);
  int *p = mine;
  struct node last = {&in[i], 0}, first = {p + 1, &last};
  out[i * 4 + 1] = walk(&first); // 2i + 1 + i
  barrier(CLK_LOCAL_MEM_FENCE);
  p = &shared[l];
  out[i * 4 + 2] = *p;
  generic int *q = choose(&mine[1], in + i, 0);
  out[i * 4 + 3] = *q + sum(mine, 2) - 1; // i + i + 2i + 1 - 1
  p = i & 1 ? (int *)&shared[l] : (int *)&in[i];
  chosen[i] = *p;
  global int *back = (global int *)q;
  if (back != in + i)
    chosen[i] = -1;
}
