// options: images
// What is not done with images and samplers.
kernel void k(image2d_t image, write_only image2d_t out, sampler_t sampler, global int *o, int n) {
  image = image;
  sampler = sampler;
  sampler = 16;
  image += 1;
  image++;
  o[0] = image + 1;
  o[0] = sampler == 16;
  o[0] = !image;
  o[0] = -sampler;
  &image;
  &sampler;
  *image;
  image[0];
  image.x;
  if (image)
    o[0] = 1;
  o[0] = (int)sampler;
}
// expect: 4:9: error: invalid operands to binary expression ('__read_only image2d_t' and '__read_only image2d_t')
// expect: 5:11: error: invalid operands to binary expression ('sampler_t' and 'sampler_t')
// expect: 6:11: error: invalid operands to binary expression ('sampler_t' and 'int')
// expect: 7:9: error: invalid operands to binary expression ('__read_only image2d_t' and 'int')
// expect: 8:8: error: cannot increment value of type '__read_only image2d_t'
// expect: 9:16: error: invalid operands to binary expression ('__read_only image2d_t' and 'int')
// expect: 10:18: error: invalid operands to binary expression ('sampler_t' and 'int')
// expect: 11:10: error: invalid argument type '__read_only image2d_t' to unary expression
// expect: 12:10: error: invalid argument type 'sampler_t' to unary expression
// expect: 13:3: error: invalid argument type '__read_only image2d_t' to unary expression
// expect: 14:3: error: invalid argument type 'sampler_t' to unary expression
// expect: 15:3: error: indirection requires pointer operand ('__read_only image2d_t' invalid)
// expect: 16:3: error: subscripted value is not an array, pointer, or vector
// expect: 17:9: error: member reference base type '__read_only image2d_t' is not a structure or union
// expect: 18:7: error: statement requires expression of scalar type ('__read_only image2d_t' invalid)
// expect: 20:10: error: operand of type 'sampler_t' where arithmetic or pointer type is required
