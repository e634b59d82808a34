// Pointers to local memory that may be null, in local memory: the list ends.
// run: -g 8 -l 8 -p 0:i32 zero:i32:8 local:64
// expect: 0: 64 63 52 31 0 0 0 0
struct node {
  int value;
  local struct node *next;
};
kernel void f(global int *out, local struct node *nodes) {
  int i = get_local_id(0);
  if (i < 4) {
    nodes[i].value = i * 10;
    nodes[i].next = i < 3 ? nodes + i + 1 : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (local struct node *node = i < 4 ? nodes + i : 0; node; node = node->next)
    sum += node->value + 1;
  out[i] = sum;
}
