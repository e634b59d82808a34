const const int volatile volatile constant c = 1;
typedef const int ci; constant const ci fine = 2;
unsigned unsigned int f(const int const *p, int *const const q, signed signed x) { return *p + *q + x; }
kernel void k(global int *o) { const int a = 1, *const restrict restrict p = &a; *o = *p + c; }
// expect: 1:7: warning: duplicate 'const' declaration specifier [-Wduplicate-decl-specifier]
// expect: 1:26: warning: duplicate 'volatile' declaration specifier [-Wduplicate-decl-specifier]
// expect: 3:10: warning: duplicate 'unsigned' declaration specifier [-Wduplicate-decl-specifier]
// expect: 3:35: warning: duplicate 'const' declaration specifier [-Wduplicate-decl-specifier]
// expect: 3:56: warning: duplicate 'const' declaration specifier [-Wduplicate-decl-specifier]
// expect: 3:72: warning: duplicate 'signed' declaration specifier [-Wduplicate-decl-specifier]
// expect: 4:65: warning: duplicate 'restrict' declaration specifier [-Wduplicate-decl-specifier]
