// More than 16 parameters, and more than 1,000,000,000 points.
#define TEN 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
#pragma kernel tune(A = TEN)
#pragma kernel tune(B = TEN)
#pragma kernel tune(C = TEN)
#pragma kernel tune(D = TEN)
#pragma kernel tune(E = TEN)
#pragma kernel tune(F = TEN)
#pragma kernel tune(G = TEN)
#pragma kernel tune(H = TEN)
#pragma kernel tune(I = TEN)
#pragma kernel tune(J = 0, 1)
#pragma kernel tune(K = 0)
#pragma kernel tune(L = 0)
#pragma kernel tune(M = 0)
#pragma kernel tune(N = 0)
#pragma kernel tune(O = 0)
#pragma kernel tune(P = 0)
#pragma kernel tune(Q = 0)
#pragma kernel tune(R = 0)
kernel void k(global int *x) { x[0] = A; }
// expect: 12:21: error: more than 1,000,000,000 points with parameter 'J'
// expect: 20:21: error: more than 16 parameters
