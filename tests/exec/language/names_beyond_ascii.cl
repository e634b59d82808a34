// Names with characters beyond ASCII, in UTF-8 and as universal character names, which are the same names.
// run: -g 4 -p 0:i32 zero:i32:12 i32=5
// expect: 0: 5 35 4 9 6 37 4 9 7 39 4 9
#define größe 3
#define VERBINDE(a, b) a##b
struct Maß {
  int länge, \u03c0;
};
static int fl\u00e4che(struct Maß m) { return m.l\U000000e4nge * m.π; }
static int 二倍(int x) { return 2 * x; }
kernel void zähle(global int *o, int число) {
  int i = get_global_id(0);
  if (i >= größe)
    return;
  struct Maß m = {число + i, 7};
  int fläc\
he2 = i;
  o[4 * i] = VERBINDE(m.lä, nge);
  o[4 * i + 1] = fläche(m) - 二倍(fläche2) - fl\u00e4\
che2 * größe;
  o[4 * i + 2] = sizeof("é") + 1;
  o[4 * i + 3] = gr\u00f6\u00dfe * größe;
}
