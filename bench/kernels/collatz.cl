// Steps until 1 is reached.
kernel void collatz(global int *out) {
  uint i = get_global_id(0), x = i + 1;
  int steps = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x >> 1;
    steps++;
  }
  out[i] = steps;
}
