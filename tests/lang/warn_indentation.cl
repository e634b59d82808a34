// Statements that look as if they belonged to the one before.
void f(int a, int b) {
  if (a)
    a = 1;
    b = 2;
  while (a)
    a--;
    b++;
  for (int i = 0; i < 2; i++)
    a++;
    b++;
  if (a) a = 1;
    b = 2;
  if (a) a = 1; b = 2;
  if (a)
    a = 1;
  else
    a = 2;
    b = 3;
  if (a) {
    a = 1; }
    b = 2;
  if (a)
      a = 1;
    b = 2;
  if (a)
  a = 1;
  b = 2;
	if (a)
	  a = 1;
          b = 2;
  do
    a++;
  while (a < 3);
    b++;
  if (a)
    for (;b;)
      b--;
      a++;
  if (a) b = 3; else
    b = 2;
    a = 2;
  if (a) ; b = 2;
  if (a)
    a = 1; b = 2;
  if (a) return; a = 2;
  if (a)
    a = 1;
lab:
    b = 2;
  if (a)
    a = 1;
    here: b = 3;
#define SET(x) x = 1
  if (a)
    SET(a);
    SET(b);
  if (a)
    a = 1;
#ifdef NEVER
  else
#endif
    b = 2;
  if (a)
    a = 1;
    // nothing
    ;
  if (a)
    a = 1;
    else b = 1;
  if (a)
    a = 1;
    }
void g(int a, int b) { if (a) b = 1; a = 2;
  for (;a < 2;) { a++; } b = 2;
  if (a)
    if (b)
      a = 1;
    else
      b = 3;
    a = 2;
}
// expect: 5:5: warning: misleading indentation; statement is not part of the previous 'if' [-Wmisleading-indentation]
// expect: 3:3: note: previous statement is here
// expect: 8:5: warning: misleading indentation; statement is not part of the previous 'while' [-Wmisleading-indentation]
// expect: 6:3: note: previous statement is here
// expect: 11:5: warning: misleading indentation; statement is not part of the previous 'for' [-Wmisleading-indentation]
// expect: 9:3: note: previous statement is here
// expect: 19:5: warning: misleading indentation; statement is not part of the previous 'else' [-Wmisleading-indentation]
// expect: 17:3: note: previous statement is here
// expect: 31:11: warning: misleading indentation; statement is not part of the previous 'if' [-Wmisleading-indentation]
// expect: 29:2: note: previous statement is here
// expect: 39:7: warning: misleading indentation; statement is not part of the previous 'for' [-Wmisleading-indentation]
// expect: 37:5: note: previous statement is here
// expect: 45:12: warning: misleading indentation; statement is not part of the previous 'if' [-Wmisleading-indentation]
// expect: 44:3: note: previous statement is here
// expect: 49:1: warning: unused label 'lab' [-Wunused-label]
// expect: 53:5: warning: unused label 'here' [-Wunused-label]
// expect: 81:5: warning: misleading indentation; statement is not part of the previous 'if' [-Wmisleading-indentation]
// expect: 76:3: note: previous statement is here
// expect: 79:5: warning: add explicit braces to avoid dangling else [-Wdangling-else]
