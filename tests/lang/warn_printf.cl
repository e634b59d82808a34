#define INT(x) "%d " x
constant char pattern[] = "%f %d\n";
kernel void k(global int *o, float f, long l, short s, char c, uint u, constant char *text) {
  printf("%d %i %u %x %o %c\n", 1, s, c, u, 'a' == 1, 'b');
  printf("%d\n", f);
  printf("%f %e %g %a\n", 1, f, 2u, o);
  printf("%d %d\n", 1);
  printf("%d\n", 1, l + 2, f);
  printf("%y %d\n", 1, f);
  printf("%ld %lu %d %ld\n", l, l, l, 1);
  printf("%hd %hd %hhd %hhd %hhd\n", s, 1, c, s, 'a');
  printf("%zu %td %jd\n", sizeof(int), 1, u);
  printf("%s %s %s %p %p\n", "x", text, o, o, 1);
  printf("%*d %.*f %*d\n", 1, 2, 3, f, f, 4);
  printf("%*d\n");
  printf("%");
  printf("%5.3");
  printf("100%% %%%");
  printf("a\0%d", 1);
  printf("\t\x41\101%y" "%d\n", 1);
  printf("%-5d"
         "%-05d",
         1, f);
  printf("%#d %+u % x %0s %+-c\n", 1, 1u, 1u, "x", 'c');
  printf("% +d\n", 1);
  printf("%.3c %.2p\n", 'a', o);
  printf("%hf %Lf %hs %hld\n", f, f, "x", 1);
  printf(INT("%d\n"), f, 1);
  printf(INT("%y\n"), 1);
  printf(pattern, 1, f);
  printf("%d\n", o[0] + f);
}
// expect: 5:18: warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
// expect: 6:27: warning: format specifies type 'double' but the argument has type 'int' [-Wformat]
// expect: 6:33: warning: format specifies type 'double' but the argument has type 'uint' [-Wformat]
// expect: 6:37: warning: format specifies type 'double' but the argument has type '__global int *' [-Wformat]
// expect: 7:15: warning: more '%' conversions than data arguments [-Wformat-insufficient-args]
// expect: 8:21: warning: data argument not used by format string [-Wformat-extra-args]
// expect: 9:12: warning: invalid conversion specifier 'y' [-Wformat-invalid-specifier]
// expect: 9:24: warning: data argument not used by format string [-Wformat-extra-args]
// expect: 10:36: warning: format specifies type 'int' but the argument has type 'long' [-Wformat]
// expect: 10:39: warning: format specifies type 'long' but the argument has type 'int' [-Wformat]
// expect: 11:41: warning: format specifies type 'short' but the argument has type 'int' [-Wformat]
// expect: 11:47: warning: format specifies type 'char' but the argument has type 'short' [-Wformat]
// expect: 11:50: warning: format specifies type 'char' but the argument has type 'int' [-Wformat]
// expect: 12:40: warning: format specifies type 'ptrdiff_t' but the argument has type 'int' [-Wformat]
// expect: 12:43: warning: format specifies type 'intmax_t' but the argument has type 'uint' [-Wformat]
// expect: 13:41: warning: format specifies type 'char *' but the argument has type '__global int *' [-Wformat]
// expect: 13:47: warning: format specifies type 'void *' but the argument has type 'int' [-Wformat]
// expect: 14:21: warning: field width should have type 'int', but argument has type 'float' [-Wformat]
// expect: 15:12: warning: '*' specified field width is missing a matching 'int' argument [-Wformat]
// expect: 16:11: warning: incomplete format specifier [-Wformat]
// expect: 17:11: warning: incomplete format specifier [-Wformat]
// expect: 18:19: warning: incomplete format specifier [-Wformat]
// expect: 19:12: warning: format string contains '\0' within the string body [-Wformat]
// expect: 20:22: warning: invalid conversion specifier 'y' [-Wformat-invalid-specifier]
// expect: 22:13: warning: flag '0' is ignored when flag '-' is present [-Wformat]
// expect: 23:13: warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
// expect: 24:12: warning: flag '#' results in undefined behavior with 'd' conversion specifier [-Wformat]
// expect: 24:16: warning: flag '+' results in undefined behavior with 'u' conversion specifier [-Wformat]
// expect: 24:20: warning: flag ' ' results in undefined behavior with 'x' conversion specifier [-Wformat]
// expect: 24:24: warning: flag '0' results in undefined behavior with 's' conversion specifier [-Wformat]
// expect: 24:28: warning: flag '+' results in undefined behavior with 'c' conversion specifier [-Wformat]
// expect: 25:12: warning: flag ' ' is ignored when flag '+' is present [-Wformat]
// expect: 26:12: warning: precision used with 'c' conversion specifier, resulting in undefined behavior [-Wformat]
// expect: 26:17: warning: precision used with 'p' conversion specifier, resulting in undefined behavior [-Wformat]
// expect: 27:12: warning: length modifier 'h' results in undefined behavior or no effect with 'f' conversion specifier [-Wformat]
// expect: 27:35: warning: format specifies type 'long double' but the argument has type 'float' [-Wformat]
// expect: 27:20: warning: length modifier 'h' results in undefined behavior or no effect with 's' conversion specifier [-Wformat]
// expect: 27:24: warning: length modifier 'hl' results in undefined behavior or no effect with 'd' conversion specifier [-Wformat]
// expect: 28:23: warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
// expect: 29:10: warning: invalid conversion specifier 'y' [-Wformat-invalid-specifier]
// expect: 1:16: note: expanded from macro 'INT'
// expect: 30:19: warning: format specifies type 'double' but the argument has type 'int' [-Wformat]
// expect: 30:22: warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
// expect: 31:18: warning: format specifies type 'int' but the argument has type 'float' [-Wformat]
