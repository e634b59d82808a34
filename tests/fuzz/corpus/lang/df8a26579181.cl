struct l void k(void) {}
// expect: s {
ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ  int x;
}
kernel void k(void) {}
// expect: 3:2: error+ expected ';' after struct
