// Enumerators that a switch without default leaves out, and cases that are none.
enum color { RED, GREEN, BLUE, CRIMSON = 0 };
enum big { A, B, C, D, E, F };
typedef enum { ON = 1, OFF = -1 } state;
void k(enum color c, enum big b, state s, int i) {
  switch (c) { case RED: break; case GREEN: break; }
  switch (c) { case CRIMSON: case GREEN: case BLUE: break; }
  switch (c) { case RED: break; default: break; }
  switch (c) { case RED: case 7: break; default: break; }
  switch (b) { case A: break; }
  switch (b) { case A ... C: break; }
  switch (b) { case A ... D: break; case F: break; }
  switch (b) { case A ... D: break; }
  switch (b) { default: break; case 5 ... 9: break; }
  switch (s) { }
  switch (s) { case ON: break; }
  switch (s) { case OFF: break; case ON: break; case 0: break; }
  switch ((int)c) { case RED: break; }
  switch (i) { case RED: break; }
  switch (c + 0) { case RED: break; }
}
// expect: 6:11: warning: enumeration value 'BLUE' not handled in switch [-Wswitch]
// expect: 9:31: warning: case value not in enumerated type 'enum color' [-Wswitch]
// expect: 10:11: warning: 5 enumeration values not handled in switch: 'B', 'C', 'D'... [-Wswitch]
// expect: 11:11: warning: enumeration values 'D', 'E', and 'F' not handled in switch [-Wswitch]
// expect: 12:11: warning: enumeration value 'E' not handled in switch [-Wswitch]
// expect: 13:11: warning: enumeration values 'E' and 'F' not handled in switch [-Wswitch]
// expect: 15:11: warning: enumeration values 'OFF' and 'ON' not handled in switch [-Wswitch]
// expect: 16:11: warning: enumeration value 'OFF' not handled in switch [-Wswitch]
// expect: 17:54: warning: case value not in enumerated type 'state' [-Wswitch]
