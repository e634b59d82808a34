kernel void k(global char4 *o, global float4 *f, int x, double d) {
  o[0] = o[1] + 300;
  o[0] = o[1] + x;
  o[0] += -129;
  o[0] = o[1] & 255;
  o[0] = o[1] * -128L;
  o[0] = o[1] < 1000;
  f[0] = f[1] + d;
  f[0] = f[1] * 0.5;
  f[0] = f[1] + x;
  f[0]++;
  --f[0];
  o[0]++;
}
// expect: 2:15: error: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
// expect: 3:15: error: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
// expect: 4:8: error: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
// expect: 7:15: error: scalar operand type has greater rank than the type of the vector element. ('char4' and 'int')
// expect: 8:15: error: scalar operand type has greater rank than the type of the vector element. ('float4' and 'double')
// expect: 11:7: error: cannot increment value of type 'float4'
// expect: 12:3: error: cannot decrement value of type 'float4'
