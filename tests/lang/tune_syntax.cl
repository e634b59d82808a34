// Directives that are not well-formed, and one that Kiln does not know.
#pragma kernel tune(A = 1, 2)
#pragma kernel tune B
#pragma kernel tune(1 = 2)
#pragma kernel tune(C 2)
#pragma kernel tune(D = 2
#pragma kernel restriction(A +)
#pragma kernel restriction(A > "1")
#pragma kernel problem_size(1, 2, 3, 4)
#pragma kernel buffer(x[n])
kernel void k(global int *x) { x[0] = A; }
// expect: 3:21: error: expected '(' after '#pragma kernel tune'
// expect: 4:21: error: expected a name in '#pragma kernel tune'
// expect: 5:23: error: expected '=' after 'C'
// expect: 6:26: error: expected ')' after '#pragma kernel tune'
// expect: 7:28: error: bad expression in '#pragma kernel restriction': a value is missing
// expect: 8:32: error: unexpected token in '#pragma kernel restriction'
// expect: 9:16: error: '#pragma kernel problem_size' has more than 3 items
// expect: 10:16: warning: unknown '#pragma kernel' ignored [-Wunknown-pragmas]
