// Steps of the group over rows, in each of which all lanes run a loop: a sum over the row, one that is left early by a
// condition that is the same in all lanes, and one whose length depends on the row.
// run: -p 1:i32 -g 32 -l 32 iota:i32:700 zero:i32:100 i32=99 i32=7
// expect: 1: 83065 82219 81375 80531 79677 78827 77975 77155 76289 75451 74623 73779 72901 72059 71223 70323 69513 68651 67807 67059 66125 65259 64407 63523 62737 61915 61023 60275 59349 58523 57623 56627 55961 55147 54175 53331 52573 51755 50903 50083 49185 48379 47615 46835 45797 44987 44087 43123 42409 41579 40799 39731 39021 38187 37271 36387 35633 34779 34015 33267 32245 31387 30487 30131 28857 27947 27359 26387 25469 24683 23575 22627 22081 21179 20351 19891 18693 17915 17079 16051 15305 14379 13791 12403 11917 11115 10007 9507 8529 7771 6751 5875 5141 4251 3479 2867 1753 1003 159 0
kernel void k(global const int *a, global int *o, int n, int m) {
  local int t[100];
  int l = get_local_id(0);
  for (int j = l; j < n; j += 32) {
    int s = 0;
    for (int d = 0; d < m; d++) {
      if (a[d * 3] == 12)
        continue;
      s = s * 3 + a[j * 7 + d];
      if (a[d] == 5)
        break;
    }
    t[j] = s;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = l; j < n; j += 32) {
    int s = t[n - 1 - j];
    for (int d = 0; d < (j & 3); d++)
      s ^= a[j + d] << d;
    o[j] = s;
  }
}
