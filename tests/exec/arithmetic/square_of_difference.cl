// A difference that is only squared may be computed the other way round; not one of which the sign is used.
// run: -g 16 -p 2:f32 -p 3:f32 iota:f32:16 fill:f32:2:3 zero:f32:16 zero:f32:16
// expect: 2: 18 8 2 0 2 8 18 32 50 72 98 128 162 200 242 288
// expect: 3: -27 -8 -1 0 1 8 27 64 125 216 343 512 729 1000 1331 1728
kernel void square(global const float *x, global const float *c, global float *squares, global float *cubes) {
  size_t i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 2; k++) {
    float d = x[i] - c[k];
    sum += d * d;
  }
  squares[i] = sum;
  float e = x[i] - c[0];
  cubes[i] = e * e * e;
}
