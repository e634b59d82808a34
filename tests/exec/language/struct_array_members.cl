// Arrays in structs, arrays of structs.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 312 231
typedef struct { int n, data[4]; } stack;
void push(stack *s, int v) { s->data[s->n++] = v; }
int pop(stack *s) { return s->data[--s->n]; }
kernel void k(global int *o) {
  stack s[2];
  s[0].n = s[1].n = 0;
  int id = get_global_id(0);
  for (int i = 0; i < 3; i++) push(&s[(i + id) & 1], i + 1);
  int r = 0;
  for (int j = 0; j < 2; j++)
    while (s[j].n) r = r * 10 + pop(&s[j]);
  o[id] = r;
}
