// options: images
kernel void l(image2d_t image, write_only image2d_t out, sampler_t sampler, global int *o, int n) {
  (sampler_t)16;
  (sampler_t){16};
  (image2d_t)n;
  n ? image : image;
  n ? sampler : sampler;
  image, sampler;
  o[0] = image;
  o[0] = as_int(sampler);
  o[0] = convert_int(image);
  printf("%d", image);
  switch (sampler) {
  }
  o[sampler] = 0;
  o[0] = max(sampler, sampler);
  (void)image;
  o[0] = sizeof(image) + sizeof(sampler);
}
// expect: 3:3: error: used type 'sampler_t' where arithmetic or pointer type is required
// expect: 4:3: error: used type 'sampler_t' where arithmetic or pointer type is required
// expect: 5:3: error: used type '__read_only image2d_t' where arithmetic or pointer type is required
// expect: 6:5: error: invalid operands to binary expression ('__read_only image2d_t' and '__read_only image2d_t')
// expect: 7:5: error: invalid operands to binary expression ('sampler_t' and 'sampler_t')
// expect: 8:8: error: invalid operands to binary expression ('__read_only image2d_t' and 'sampler_t')
// expect: 9:10: error: assigning to 'int' from incompatible type '__read_only image2d_t'
// expect: 10:10: error: no matching function for call to convert 'sampler_t' to 'int'
// expect: 11:10: error: no matching function for call to convert '__read_only image2d_t' to 'int'
// expect: 12:16: warning: format specifies type 'int' but the argument has type '__read_only image2d_t' [-Wformat]
// expect: 12:16: error: cannot pass '__read_only image2d_t' to 'printf'
// expect: 13:11: error: statement requires expression of integer type ('sampler_t' invalid)
// expect: 15:5: error: array subscript is not an integer
// expect: 16:10: error: no matching function for call to 'max'
// expect: 16:10: note: candidate: 'gentype max(gentype, gentype)', gentype being char, short, int, long and vectors of them
// expect: 16:10: note: candidate: 'gentype max(gentype, gentype)', gentype being uchar, ushort, uint, ulong and vectors of them
// expect: 16:10: note: candidate: 'gentype max(gentype, gentype)', gentype being half, float, double and vectors of them
// expect: 16:10: note: candidate: 'gentype max(gentype, scalar)', gentype being char, uchar, short, ushort, int, uint, long, ulong, half, float, double vectors
