// Pointers to pointers in private memory.
// run: -g 2 -p 0:i32 zero:i32:2
// expect: 0: 26 26
void next(int **p) { ++*p; }
kernel void k(global int *o) {
  int a[4] = {1, 2, 3, 4};
  int *p = a, **pp = &p;
  next(pp);
  next(&p);
  **pp += 10;
  o[get_global_id(0)] = *p + a[2];
}
