// Changes that nothing orders against another change or a read of the same variable.
void k(int i, int j, int *a, int4 v) {
  i = i++;
  i = ++i;
  a[i] = i++;
  a[i++] = i;
  max(i++, i);
  max(i++, i++);
  j = i++ + i++;
  j = i + i++;
  i += i++;
  j = (i = 3) + i;
  int2 w = (int2)(i++, i);
  int x = i++ * i;
  if (i++ == i)
    return;
  while (i-- > i) ;
  j = i-- ? i : 2 + (j++ & j);
  i = i + 1;
  i = a[i];
  a[i] = i;
  *a++ = *a;
  *a++ = i++;
  a[i++] = j++;
  i++, j = i;
  j = (i++, i);
  j = i++ && i;
  j = i++ ? i : 0;
  i = (j = i) + 1;
  max(i, j++);
  j = max(i++, 2) + i;
  v.x = v.y++ + v.y;
  a[0] = a[1]++ + a[1];
  i = ({ int y = i++; y; });
  j = sizeof(i++) + i++;
  for (i = 0; i < j; i++, j--) ;
  for (i = i++; i < j; i = i++ + 1) ;
  int y[2] = {i++, i};
  i -= i -= 2;
  i = j = i;
  int z = z = 1;
  switch (i++ + i) { case 1: ; }
#define TWICE(x) ((x) + (x))
  j = TWICE(i++);
}
// expect: 3:8: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 4:7: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 5:11: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 6:6: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 7:8: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 8:8: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 9:8: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 10:12: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 11:9: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 12:10: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 13:20: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 14:12: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 15:8: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 17:11: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 18:23: warning: unsequenced modification and access to 'j' [-Wunsequenced]
// expect: 22:5: warning: unsequenced modification and access to 'a' [-Wunsequenced]
// expect: 31:12: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 37:13: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 37:29: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 39:10: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 42:12: warning: unsequenced modification and access to 'i' [-Wunsequenced]
// expect: 44:14: warning: multiple unsequenced modifications to 'i' [-Wunsequenced]
// expect: 13:8: warning: unused variable 'w' [-Wunused-variable]
// expect: 14:7: warning: unused variable 'x' [-Wunused-variable]
// expect: 38:7: warning: unused variable 'y' [-Wunused-variable]
