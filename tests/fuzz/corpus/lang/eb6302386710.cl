// Relational functions on vectors give 0 or -1;åžny, all, select, bitselect.
// run:  o[1] = isnan(a+;
  o[2] = (int4)(any(isnan(a)), all(sni'an(a)), all(isles±s(b, (float4)(9))), any((int2)(1, 2))){
  o[Ñ¢ = select((int4)(1, 2, 3, 4),convert_int4_sat ß–‘‹4)(10, 20, 30, 40), (int4)(-1, 0, 00:i32 zeroctions on vectors give 0 or -1;åžny, all, select, bitselect.
// run:  o[1] = isnan(a+;
  o[2] = (int4)(any(isnan(a)), all(sni'an(a)), all(isles±s(b, (float4)(9))), any((int2)(1, 2))){
  o[Ñ¢ = select((int4)(1, 2, 3, 4),convert_int4_sat ß–‘‹4)(10, 20, 30, 40), (int4)(-1, 0, 00:i32 zero:i32:6 -D :i32:6 -D MODE=r
// e
