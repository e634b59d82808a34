// Universal character names in literals: UTF-8 in strings, one byte in characters.
kernel void k(global int *o) {
  o[0] = '\u0024' + sizeof("\u00e9\U0001F600") + '\u00e9';
  printf("\u0041 \ud800 \U00110000 \u12 \u \U");
}
// expect: 3:50: error: character too large for enclosing character literal type
//   |   o[0] = '\u0024' + sizeof("\u00e9\U0001F600") + '\u00e9';
//   |                                                  ^~~~~~~~
// expect: 4:11: error: character of the basic set in a universal character name
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |           ^~~~~~
// expect: 4:18: error: invalid universal character
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |                  ^~~~~~
// expect: 4:25: error: invalid universal character
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |                         ^~~~~~~~~~
// expect: 4:36: error: incomplete universal character name
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |                                    ^~~~
// expect: 4:41: error: \u used with no following hex digits
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |                                         ^~
// expect: 4:44: error: \U used with no following hex digits
//   |   printf("\u0041 \ud800 \U00110000 \u12 \u \U");
//   |                                            ^~
