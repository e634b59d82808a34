// What is said of names with characters beyond ASCII, and of characters that are in no name.
kernel void k(global int *größe) {
  größ[0] = 1;
  gr\u00f6\u00dfe[0] = 2;
  größe[0] = gr\u00fc;
  int ̀a = 3, a̕ = 4, b– = 5;
  int c = \u2013;
  int d\u00 = 7;
  int e\u00e9 = 8, eé = 9;
}
// expect: 3:3: error: use of undeclared identifier 'größ'; did you mean 'größe'?
//   |   größ[0] = 1;
//   |   ^~~~
// expect: 2:27: note: 'größe' declared here
//   | kernel void k(global int *größe) {
//   |                           ^
// expect: 5:16: error: use of undeclared identifier 'grü'
//   |   größe[0] = gr\u00fc;
//   |              ^~~~~~~~
// expect: 6:7: error: unexpected character <U+0300>
//   |   int ̀a = 3, a̕ = 4, b– = 5;
//   |       ^
// expect: 6:26: error: unexpected character <U+2013>
//   |   int ̀a = 3, a̕ = 4, b– = 5;
//   |                        ^
// expect: 7:11: error: unexpected character '\'
//   |   int c = \u2013;
//   |           ^
// expect: 7:12: error: use of undeclared identifier 'u2013'
//   |   int c = \u2013;
//   |            ^~~~~
// expect: 8:8: error: unexpected character '\'
//   |   int d\u00 = 7;
//   |        ^
// expect: 8:8: error: expected ';' at end of declaration
//   |   int d\u00 = 7;
//   |        ^
// expect: 9:20: error: redefinition of 'eé'
//   |   int e\u00e9 = 8, eé = 9;
//   |                    ^~
// expect: 9:7: note: previous definition is here
//   |   int e\u00e9 = 8, eé = 9;
//   |       ^
