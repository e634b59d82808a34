kernel void k(a, b) {}
// expect: 1:14: warning: a function definition without a prototype is deprecated in all versions of C and is not supported in C23 [-Wdeprecated-non-prototype]
// expect: 1:15: error: parameter 'a' was not declared
// expect: 1:18: error: parameter 'b' was not declared
