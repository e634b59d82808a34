// options: images
constant sampler_t missing;
sampler_t plain = 16;
static sampler_t plain_static = 16;
global sampler_t shared = 16;
constant sampler_t from_float = 1.5f;
constant int number = 16;
constant sampler_t from_constant = number;
kernel void k(image2d_t image, sampler_t sampler, global float4 *o, int n) {
  sampler_t no_value;
  const sampler_t no_value_either;
  const sampler_t from_number = n;
  const sampler_t from_float = 1.5f;
  constant sampler_t from_parameter = sampler;
  const sampler_t unchanged = 16;
  unchanged = sampler;
  o[0] = read_imagef(image, from_constant, (int2)(0));
}
// expect: 2:20: error: variable in constant address space must be initialized
// expect: 3:11: error: global sampler requires a const or constant address space qualifier
// expect: 4:18: error: global sampler requires a const or constant address space qualifier
// expect: 5:18: error: sampler type cannot be used with the '__local' and '__global' address space qualifiers
// expect: 6:33: error: initializing 'sampler_t' with an expression of incompatible type 'float'
// expect: 10:13: error: a variable of type 'sampler_t' must be initialized
// expect: 11:19: error: a variable of type 'sampler_t' must be initialized
// expect: 12:33: error: a variable of type 'sampler_t' takes another one or a constant, not an expression of 'int'
// expect: 13:32: error: initializing 'sampler_t' with an expression of incompatible type 'float'
// expect: 14:39: error: initializer element is not a compile-time constant
// expect: 16:13: error: invalid operands to binary expression ('sampler_t' and 'sampler_t')
