kernel void k(bool a) {}
// expect: 1:20: error: 'bool' cannot be used as the type of a kernel parameter
