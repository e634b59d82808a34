kernel void k(a, b) {}
// expect: 1:15: error: unknown type name 'a'
// expect: 1:18: error: unknown type name 'b'
