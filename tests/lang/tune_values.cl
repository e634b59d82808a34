// A parameter without values, one with a value twice, a name twice, values that are no constants.
#pragma kernel tune(A = )
#pragma kernel tune(B = 1, 2, 1)
#pragma kernel tune(C = 1, , 2)
#pragma kernel tune(D = 1, n)
#pragma kernel tune(E = 1, 2)
#pragma kernel tune(E = 3)
#pragma kernel tune_option(E = 3)
#pragma kernel tune(F = 1 / 0)
kernel void k(global int *x, int n) { x[0] = A + B + C + D + E; }
// expect: 2:25: error: parameter 'A' has no values
// expect: 3:31: error: parameter 'B' has the value 1 twice
// expect: 4:28: error: parameter 'C' has an empty place in its list of values
// expect: 5:28: error: the values of 'D' are constant integers: it has an unknown name
// expect: 7:21: error: 'E' is described twice
// expect: 8:28: error: 'E' is described twice
// expect: 9:25: error: the values of 'F' are constant integers: it divides by zero
