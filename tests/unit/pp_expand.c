// Macro expansion against the rules of C99 6.10.3 and the extensions of gcc and clang.
#include <criterion/criterion.h>

#include "tests/unit/pp_support.h"

#define C99_EXAMPLE_3                                                                                                  \
  "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"          \
  "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n"         \
  "#define str(x) # x\n"

Test(pp_expand, standard_examples) {
  static const struct pp_case cases[] = {
      {C99_EXAMPLE_3 "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n",
       "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;", NULL},
      {C99_EXAMPLE_3 "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n",
       "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;", NULL},
      {C99_EXAMPLE_3 "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };", "int i [ ] = { 1 , 23 , 4 , 5 , } ;", NULL},
      {C99_EXAMPLE_3 "char c[2][6] = { str(hello), str() };", "char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;", NULL},
      {"#define str(s) # s\n#define xstr(s) str(s)\n"
       "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)\n"
       "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
       "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n"
       "debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n == 0) str(: @\\n), s);\n"
       "xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n",
       "printf ( \"x\" \"1\" \"= %d, x\" \"2\" \"= %s\" , x1 , x2 ) ; "
       "fputs ( \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" , s ) ; \"vers2.h\" \"hello\" ; "
       "\"hello\" \", world\"",
       NULL},
      {"#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
       "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);",
       "char p [ ] = \"x ## y\" ;", NULL},
      {"#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), "
       "t(,,) };",
       "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;", NULL},
      {"#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
       "#define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n"
       "debug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n"
       "report(x>y, \"x is %d but y is %d\", x, y);\n",
       "fprintf ( stderr , \"Flag\" ) ; fprintf ( stderr , \"X = %d\\n\" , x ) ; "
       "puts ( \"The first, second, and third items.\" ) ; "
       "( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;",
       NULL},
  };
  PP_CHECK(cases);
}

Test(pp_expand, rescanning) {
  static const struct pp_case cases[] = {
      {"#define A B\n#define B A\nA B", "A B", NULL},
      {"#define foo foo bar\nfoo", "foo bar", NULL},
      {"#define NIL(x) x\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)", "42", NULL},
      {"#define foo(x) bar x\nfoo(foo) (2)", "bar foo ( 2 )", NULL},
      {"#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )", NULL},
      {"#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g", NULL},
      {"#define f(x) [x]\nf\n(\n1\n)\nf g", "[ 1 ] f g", NULL},
      {"#define obj (1)\n#define f(x) x\nf obj", "f ( 1 )", NULL},
      {"#define lp (\n#define f(x) <x>\nf lp 1)", "f ( 1 )", NULL},
      {"#define f(x) x\n#define g f(\ng 3)", "3", NULL},
      {"#define EMPTY\n#define f(x) <x>\nf EMPTY (1)", "f ( 1 )", NULL},
      {"#define EMPTY\n#define LPAREN() (\n#define F(x,y) x+y\n#define ELLIP_FUNC(...) __VA_ARGS__\n"
       "ELLIP_FUNC(F, LPAREN(), 'a', 'b', ));",
       "F , ( , 'a' , 'b' , ) ;", NULL},
      {"#define f(a,b) a b\nf((1,2),{3})f(,)f( , )", "( 1 , 2 ) { 3 }", NULL},
      {"#define Q 3\n#define f(x) x\nf(Q\n#undef Q\nQ)", "Q Q", NULL},
      {"#define kernel __kernel\n#define float half\nkernel float", "__kernel half", NULL},
      {"#define A() B\n#define B() A\nA()()()()", "A", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_expand, extensions) {
  static const struct pp_case cases[] = {
      {"#define e(f, ...) p(f, ## __VA_ARGS__)\ne(1) e(1,) e(1,2,3)", "p ( 1 ) p ( 1 , ) p ( 1 , 2 , 3 )", NULL},
      {"#define e(f, a...) p(f, ## a)\ne(1) e(1,2,3)", "p ( 1 ) p ( 1 , 2 , 3 )", NULL},
      {"#define e(a...) p(a)\ne() e(1, 2)", "p ( ) p ( 1 , 2 )", NULL},
      {"#define e(...) p(0, ## __VA_ARGS__)\ne() e(1) e(,)", "p ( 0 ) p ( 0 , 1 ) p ( 0 , , )", NULL},
      {"#define N 3\n#define e(f, ...) p(f, ## __VA_ARGS__)\ne(1, N)", "p ( 1 , 3 )", NULL},
      {"__COUNTER__ __COUNTER__ __COUNTER__", "0 1 2", NULL},
      {"__DATE__ __TIME__", "\"Jan  1 1970\" \"00:00:00\"", NULL},
      {"__LINE__\n#define L __LINE__\nL L\n#define M(x) x __LINE__\nM(\n__LINE__)", "1 3 3 6 5", NULL},
      {"__FILE__ __FILE_NAME__ __INCLUDE_LEVEL__", "\"t.cl\" \"t.cl\" 0", NULL},
      {"#line 7 \"a\\\\b \\\"c\\\"\"\n__LINE__ __FILE__", "7 \"a\\\\b \\\"c\\\"\"", NULL},
      {"# 33 \"x.h\" 1 3\n__LINE__ __FILE__\n__LINE__", "33 \"x.h\" 34", NULL},
      {"__has_attribute(aligned) __has_attribute(__packed__) __has_attribute(nonsense)", "1 1 0", NULL},
      {"__has_extension(nonsense) __has_feature(nonsense)", "0 0", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_expand, va_opt) { // the results are those of gcc and clang
  static const struct pp_case cases[] = {
      {"#define F(x, ...) f(x __VA_OPT__(,) __VA_ARGS__)\n#define E\nF(1) F(1, 2) F(1,) F(1, E) F(1, E 2) F()\n",
       "f ( 1 ) f ( 1 , 2 ) f ( 1 ) f ( 1 ) f ( 1 , 2 ) f ( )", NULL},
      {"#define G(a, ...) a ## __VA_OPT__(x y) ## b\nG(a) G(a, 1)\n", "ab ax yb", NULL},
      {"#define I(a, ...) a ## __VA_OPT__() b\nI(p) I(p, q)\n", "p b p b", NULL},
      {"#define E\n#define J(...) __VA_OPT__(a ## __VA_ARGS__ #__VA_ARGS__ (1, 2)) z\nJ() J(1) J(E) J(1,2)\n",
       "z a1 \"1\" ( 1 , 2 ) z z a1 , 2 \"1,2\" ( 1 , 2 ) z", NULL},
      {"#define K(a, ...) a ## __VA_OPT__(x) __VA_OPT__(y) ## c\nK(k) K(k,1)\n", "k c kx yc", NULL},
      {"#define L(a...) [__VA_OPT__(+) a]\nL() L(1)\n", "[ ] [ + 1 ]", NULL},
      {"#define M(...) __VA_OPT__(## x) b\n", "",
       "t.cl:1:27: error: '##' cannot appear at start of __VA_OPT__ argument\n"},
      {"#define M(...) __VA_OPT__(x ##) b\n", "",
       "t.cl:1:29: error: '##' cannot appear at end of __VA_OPT__ argument\n"},
      {"#define M(...) __VA_OPT__ b\n", "", "t.cl:1:16: error: missing '(' following __VA_OPT__\n"},
      {"#define M(...) __VA_OPT__((b)\n", "", "t.cl:1:16: error: unterminated __VA_OPT__\n"},
      {"#define M(...) __VA_OPT__(__VA_OPT__(b))\n", "",
       "t.cl:1:27: error: __VA_OPT__ cannot be nested within its own replacement tokens\n"},
      {"#define M(a) __VA_OPT__(b)\n", "",
       "t.cl:1:14: warning: __VA_OPT__ can only appear in the expansion of a variadic macro\n"},
  };
  PP_CHECK(cases);
}

// Macros that join their arguments, or pass them on to one that does, in a body that is used several times: the first
// use joins, the later ones take what is remembered.
Test(pp_expand, joins_in_place) {
#define JOIN "#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n"
  static const struct pp_case cases[] = {
      {JOIN "#define F0(x) [x]\n#define R(f) J(F, f)(1) J_(F, f) (2) J(v, f)\nR(0) R(0) R(0)",
       "[ 1 ] [ 2 ] v0 [ 1 ] [ 2 ] v0 [ 1 ] [ 2 ] v0", NULL},
      {JOIN "#define S_(x) #x\n#define S(x) S_(x)\n#define R(f) S(J(v, f) J( v ,f)+J(v,f)-\tJ(v,f)J_(v,f))\nR(0) R(0)",
       "\"v0 v0+v0- v0v0\" \"v0 v0+v0- v0v0\"", NULL},
      {JOIN "#define R J(in, t) J(in, t) J(in, t)\nR", "int int int", NULL},
      // What they become is the name of a macro without "(", of one that takes no arguments, or of one of them.
      {JOIN "#define F0(x) [x]\n#define R J(F, 0) J(F, 0) J(F, 0)\nR R(1)", "F0 F0 F0 F0 F0 [ 1 ]", NULL},
      {JOIN "#define v0 J(w, 0)\n#define w0 3\n#define R J(v, 0) J(v, 0) J(w, 0)\nR R",
       "J ( w , 0 ) J ( w , 0 ) 3 J ( w , 0 ) J ( w , 0 ) 3", NULL},
      {"#define JJ(a, b) J_J(a, b)\n#define J_J(a, b) a##b\n#define R JJ(J, J)(v, 0) JJ(J_, J)(v, 0)\nR R R",
       "JJ ( v , 0 ) J_J ( v , 0 ) JJ ( v , 0 ) J_J ( v , 0 ) JJ ( v , 0 ) J_J ( v , 0 )", NULL},
      {JOIN "#define F0(x) J(F, 0)(x + 1)\n#define R J(F, 0)(1)\nR R R", "F0 ( 1 + 1 ) F0 ( 1 + 1 ) F0 ( 1 + 1 )",
       NULL},
      {JOIN "#define R J(_Prag, ma)(\"a\")\nR R", "#pragma a #pragma a", NULL},
      // One of them is being expanded already.
      {JOIN "#define v0 J_(x, 1)\n#define R J(x, 1) J_(v, 0) J(x, 1)\nR R", "x1 J_ ( x , 1 ) x1 x1 J_ ( x , 1 ) x1",
       NULL},
      {JOIN "#define v0 J(x, 1)\n#define R J(x, 1) J_(v, 0) J(x, 1)\nR R", "x1 J_ ( x , 1 ) x1 x1 J_ ( x , 1 ) x1",
       NULL},
      {JOIN "#define I(x) x\n#define F0(x) J(F, 0)\n#define R I(F0(1))(2)\nR R", "F0 ( 2 ) F0 ( 2 )", NULL},
      // The arguments are macros, several tokens, or none; there are too many.
      {JOIN "#define N w\n#define R J_(N, 0) J(N, 0)\nR R", "N0 w0 N0 w0", NULL},
      {JOIN "#define N 0\n#define R J(v, 0) J(v, N) J(a v, 0 b) J(v, ) J(, 0) J_(v, N)\nR R",
       "v0 v0 a v0 b v 0 vN v0 v0 a v0 b v 0 vN", NULL},
      {JOIN "#define R J(v, 0, 1)\n#define Q J(v, 0)\nQ R", "v0 0",
       "t.cl:5:3: error: too many arguments provided to function-like macro invocation\n"
       "t.cl:3:19: note: expanded from macro 'R'\nt.cl:2:9: note: macro 'J' defined here\n"},
      // They are other macros by then, or only look alike.
      {JOIN "#define R J(v, 0)\nR R\n#undef J_\nR\n#define J_(a, b) b##a\nR R\n#undef J\nR",
       "v0 v0 J_ ( v , 0 ) 0v 0v J ( v , 0 )", NULL},
      {JOIN "#define B(a, b) b##a\n#define C(a, b) J_(b, a)\n#define D(a, b) J_(a, a)\n#define E(a, b) a b\n"
            "#define R J(v, w) B(v, w) C(v, w) D(v, w) E(v, w)\nR R",
       "vw wv wv vv v w vw wv wv vv v w", NULL},
      // The place is that of the left argument.
      {JOIN "#define F0(x) [x]\n#define R J(F, 0)\nR(1) R(", "[ 1 ]",
       "t.cl:5:6: error: unterminated function-like macro invocation\n"
       "t.cl:4:13: note: expanded from macro 'R'\nt.cl:3:9: note: macro 'F0' defined here\n"},
  };
  PP_CHECK(cases);
}

// What the preprocessor does in a short way where it can, beside where it cannot.
Test(pp_expand, short_ways) {
  static const struct pp_case cases[] = {
      {"#define J(a, b) a##b\nJ(x, 1) J(x, 2) J(x, 1) J(y, 1) J(x, 12345678) J(x, 12345679) J(x, 123456789) J(x, x1)",
       "x1 x2 x1 y1 x12345678 x12345679 x123456789 xx1", NULL},
      {"#define J(a, b) a##b\nJ(x, 1) J(x, +)", "x1 x +",
       "t.cl:2:9: error: pasting formed 'x+', an invalid preprocessing token\nt.cl:1:18: note: expanded from macro "
       "'J'\n"},
      {"#define F(a, b, c) <a|b|c>\nF(1,2,\\\n3) F(,,) F(1,\\\n,3) F((1,2),3,4) F(1 ,2 , 3) F(\n1\n,\n2\n,\n\n3)",
       "< 1 | 2 | 3 > < | | > < 1 | | 3 > < ( 1 , 2 ) | 3 | 4 > < 1 | 2 | 3 > < 1 | 2 | 3 >", NULL},
      {"#define V(a, ...) a[__VA_ARGS__]\nV(1,2,3) V(1,) V(1,,2) V(,)", "1 [ 2 , 3 ] 1 [ ] 1 [ , 2 ] [ ]", NULL},
      {"#define S(x) #x\n#define X(x) S(x)\n#define R(a,b) a+ b -a( b )\n#define E\n"
       "X(R(1,2)) X(R( 1 , 2 3)) X(R(,2)) X(R(1, )) X(R(E,E)) X(R(E 4 E 5,6))",
       "\"1+ 2 -1( 2 )\" \"1+ 2 3 -1( 2 3 )\" \"+ 2 -( 2 )\" \"1+ -1( )\" \"+ -( )\" \"4 5+ 6 -4 5( 6 )\"", NULL},
      {"a\n\n   b\n \n#define Q 1\nQ\n\\\n#define R 2\nR", "a b 1 2", NULL},
      {"1e+2 0x1p-3 1e2+3 1.e5 .5E-1f 1_000 0xe+1", "1e+2 0x1p-3 1e2 + 3 1.e5 .5E-1f 1_000 0xe+1", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_expand, stringize_and_paste) {
  static const struct pp_case cases[] = {
      {"#define s(x) #x\ns(  a   b\n c /* d */ e )", "\"a b c e\"", NULL},
      {"#define s(x) #x\ns(\"a\\n\" 'b\\'' \\)", "\"\\\"a\\\\n\\\" 'b\\\\'' \"",
       "t.cl:2:1: warning: invalid string literal, ignoring final '\\'\nt.cl:1:14: note: expanded from macro 's'\n"},
      {"#define E\n#define s(x) #x\n#define t(x) s(x)\nt(a E b) t(a+E b) t( E )", "\"a b\" \"a+ b\" \"\"", NULL},
      {"#define c(a,b) a##b\nc(+,+) c(<<,=) c(.,5) c(1,e5) c(x,1) c(-,>) c(%:,%:)", "++ <<= .5 1e5 x1 -> %:%:", NULL},
      {"#define c(a,b) a##b\n#define xy 7\nc(x,y) c(,c)(1,2)", "7 c ( 1 , 2 )", NULL},
      {"#define c(a,b) a ## b\nc(+,x)", "+ x",
       "t.cl:2:1: error: pasting formed '+x', an invalid preprocessing token\n"
       "t.cl:1:18: note: expanded from macro 'c'\n"},
      {"#define c(a,b) a ## b\nc(/,/) 1", "/ / 1",
       "t.cl:2:1: error: pasting formed '//', an invalid preprocessing token\n"
       "t.cl:1:18: note: expanded from macro 'c'\n"},
      {"#define N 4\n#define V(t) t##N\n#define W(t) X(t,N)\n#define X(t,n) Y(t,n)\n#define Y(t,n) t##n\nV(float) "
       "W(float)",
       "floatN float4", NULL},
      {"#define k(n) __attribute__((reqd_work_group_size(n,1,1)))\nk(8)",
       "__attribute__ ( ( reqd_work_group_size ( 8 , 1 , 1 ) ) )", NULL},
  };
  PP_CHECK(cases);
}

Test(pp_expand, pragmas) {
  static const struct pp_case cases[] = {
      {"#pragma OPENCL EXTENSION cl_khr_fp64 : enable // c", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable", NULL},
      {"#define cl_khr_fp64 1\n#pragma OPENCL EXTENSION cl_khr_fp64:enable\nx",
       "#pragma OPENCL EXTENSION cl_khr_fp64:enable x", NULL},
      {"#define N 4\n#pragma unroll N\nfor", "#pragma unroll 4 for", NULL},
      {"_Pragma(\"unroll 2\") for", "#pragma unroll 2 for", NULL},
      {"#define U(n) _Pragma(#n) for\nU(unroll 8)", "#pragma unroll 8 for", NULL},
      {"#define W(x) x\nW(_Pragma(\"a \\\"b\\\"\") c)", "#pragma a \"b\" c", NULL},
      {"#pragma\n#pragma once", "#pragma ", "t.cl:2:9: warning: #pragma once in main file\n"},
      {"_Pragma(3) x", ") x", "t.cl:1:1: error: _Pragma takes a parenthesized string literal\n"},
  };
  PP_CHECK(cases);
}

Test(pp_expand, command_line) {
  struct pp_run run = {.defines = {"DA", "DB=", "DC=1 + 2", "DF(x,y)=x*y", "DG", "UG", "DH=1\nnot this"}};
  const char *text = "A [B] C F(2,3) G H";
  pp_run(&run, text, strlen(text));
  cr_expect_str_eq(pp_text(&run.tokens), "1 [ ] 1 + 2 2 * 3 G 1");
  cr_expect_str_eq(pp_text(&run.log), "");
  pp_done(&run);
  struct pp_run bad = {.defines = {"D3", "Ddefined=1", "DF(=1"}};
  pp_run(&bad, "x", 1);
  cr_expect_eq(bad.errors, 3);
  cr_expect_str_eq(pp_text(&bad.tokens), "x");
  pp_done(&bad);
}

Test(pp_expand, no_macros) {
  struct pp_run run = {.config = {.no_macros = true}};
  const char *text = "#define f 1\nf __LINE__ int";
  pp_run(&run, text, strlen(text));
  cr_expect_str_eq(pp_text(&run.tokens), "# define f 1 f __LINE__ int");
  pp_done(&run);
}

Test(pp_expand, used_file) {
  struct pp_run with = {0}, without = {0};
  pp_run(&with, "__FILE__", 8);
  pp_run(&without, "__LINE__\n#ifdef __FILE__\n#endif", 31);
  cr_expect(with.used_file);
  cr_expect_not(without.used_file);
  pp_done(&with);
  pp_done(&without);
}

// Two preprocessors over one table of names do not see each other's macros.
Test(pp_expand, instances) {
  struct kiln_arena arena;
  struct kiln_names names;
  struct kiln_sources sources;
  struct kiln_diags diags;
  jmp_buf exhausted;
  kiln_arena_init(&arena, &exhausted);
  cr_assert_eq(setjmp(exhausted), 0);
  kiln_names_init(&names, &arena);
  kiln_sources_init(&sources, &arena);
  kiln_diags_init(&diags, &sources);
  struct kiln_pp_config config = {.arena = &arena, .names = &names, .sources = &sources, .diags = &diags};
  struct kiln_pp *first = kiln_pp_new(&config);
  kiln_pp_define(first, "int=user");
  config.no_macros = true;
  struct kiln_pp *library = kiln_pp_new(&config);
  struct kiln_token token;
  kiln_pp_start(first, "t.cl", "int a b", 7);
  kiln_pp_next(first, &token);
  cr_expect_eq(token.kind, KILN_TOKEN_IDENTIFIER);
  cr_expect_str_eq(token.name->text, "user");
  for (int round = 0; round < 3; round++) { // a text after another's end
    kiln_pp_push(library, "<kiln>", "int x", 5);
    kiln_pp_next(library, &token);
    cr_expect_eq(token.kind, KILN_TOKEN_KW_INT, "round %d", round);
    kiln_pp_next(library, &token);
    cr_expect_str_eq(token.name->text, "x", "round %d", round);
    kiln_pp_next(library, &token);
    cr_expect_eq(token.kind, KILN_TOKEN_END, "round %d", round);
  }
  kiln_pp_push(first, "<kiln>", "p q", 3); // before what comes next
  const char *want[] = {"p", "q", "a", "b"};
  for (int i = 0; i < 4; i++) {
    kiln_pp_next(first, &token);
    cr_expect_str_eq(token.name->text, want[i]);
  }
  kiln_pp_next(first, &token);
  cr_expect_eq(token.kind, KILN_TOKEN_END);
  kiln_diags_free(&diags);
  kiln_arena_free(&arena);
}
