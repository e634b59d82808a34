// What lies at a distance from each work-item is loaded before a barrier and changed after it: forwards, backwards,
// both, and by groups that are no multiple of a warp. Expectations by the formulas in Python.
// run: -g 10 -l 10 zero:u32:12 i32=1 i32=2 local:512 -p 0:u32
// stats: cpu:x86-64-v3 lanes 8, gathered 12, strided 7, contiguous 42, grouped 2, uniform 13, memory-order 1
// expect: 0: 2547658380 1915701751 1559840110 1121884943 1724163769 1573712144 3827349254 2478307623 648621536 2260077517 2983573014 2179084249
// run: -g 10 -l 10 zero:u32:12 i32=-3 i32=-3 local:512 -p 0:u32
// expect: 0: 1069664492 4059517211 109197338 688042449 1485633009 118140512 2603055821 2488172722 1036538877 3071396311 207463618 1562617523
// run: -g 200 -l 100 zero:u32:24 i32=3 i32=-1 local:512 -p 0:u32
// expect: 0: 4103259843 179879469 2737188875 1087794474 1060981978 399860922 1896387288 1215128722 822224095 2691315707 2761717897 3147742672 3028389894 2360372810 4191456006 4161979353 4205713877 1238937905 2945547889 3141039966 2454821065 859687357 2761717897 1859668483
// run: -g 100 -l 100 zero:u32:12 i32=-16 i32=-1 local:512 -p 0:u32
// expect: 0: 2334232420 1120789326 1022787116 1991496548 1060981978 2255673201 2531598104 245984955 1203756586 2813901127 2811654132 2596541544
// run: -g 128 -l 64 zero:u32:24 i32=33 i32=33 local:512 -p 0:u32
// expect: 0: 3914002598 1984278987 246958495 4262460699 3460327237 1618476860 3462399697 2669695902 2811099792 2609001030 376903448 3795586631 1405064073 479426472 2363668614 2800821131 3329193322 156837292 449169153 3928611696 3313487980 1974753818 376903448 4043262854
// run: -g 64 -l 64 zero:u32:12 i32=0 i32=4 local:512 -p 0:u32
// expect: 0: 1322607552 3306518880 3502775744 3832586688 3493902430 3370206080 3637289728 1426037892 1126669596 673800528 2850648768 0
// run: -g 128 -l 128 zero:u32:12 i32=-40 i32=9 local:512 -p 0:u32
// expect: 0: 1331263572 264211172 240322652 2265650306 3555016801 2345220540 906862722 3316662316 3160356372 348318992 3558464804 3347915572
// run: -g 1 -l 1 zero:u32:12 i32=1 i32=1 local:512 -p 0:u32
// expect: 0: 5 5 0 1 102 1 5 5 4294967291 4294967294 41 41
#define PUT(array) \
  barrier(CLK_LOCAL_MEM_FENCE); \
  if (l == 0) { \
    uint h = 0; \
    for (int i = 0; i < n; i++) \
      h = h * 31 + array[i]; \
    out[get_group_id(0) * 12 + place++] = h; \
  } \
  barrier(CLK_LOCAL_MEM_FENCE);
#define NEAR(array, i) ((i) >= 0 && (i) < n ? array[i] : 0)

kernel void distances(global uint *out, int d, int e, local uint *s) {
  local uint t[128], u[128], two[256];
  local float4 wide[128];
  int l = get_local_id(0), n = get_local_size(0), place = 0;
  uint a, b, own = l * 7919 + get_group_id(0) * 131 + 5;
  t[l] = own, u[l] = own ^ 99, s[l] = own * 3, two[2 * l] = own, two[2 * l + 1] = own + 1;
  wide[l] = (float4)(l, l + 1, l + 2, l + 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  a = NEAR(t, l - d); // one distance, which the launch says
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] += a;
  PUT(t)
  a = NEAR(t, l - d) + NEAR(t, l + d); // both sides
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + own;
  PUT(t)
  a = t[(l * 7 + d + 128) % n]; // anywhere
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a ^ own;
  PUT(t)
  a = NEAR(t, l - d), b = NEAR(u, l - e); // two arrays, two distances
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + 1, u[l] += b;
  PUT(t)
  PUT(u)
  a = NEAR(t, l - d), b = NEAR(u, l + d); // in opposite directions
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] += a, u[l] -= b;
  PUT(t)
  a = t[l] * 5, s[l] = a; // stores first
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a + NEAR(s, l - d);
  PUT(t)
  a = NEAR(t, l - 1) + NEAR(t, l - 3), b = NEAR(s, l + 2); // known ones
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] += a + b;
  PUT(t)
  a = NEAR(t, l + 5) + NEAR(t, l + 17);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = a - own;
  PUT(t)
  a = l + d >= 0 && l + d < n ? two[2 * (l + d)] + two[2 * l + 1] : 7; // two places for each
  barrier(CLK_LOCAL_MEM_FENCE);
  two[2 * l + 1] = a, two[2 * l] -= a;
  PUT(two)
  float4 w = l - d >= 0 && l - d < n ? wide[l - d] : (float4)(1); // vectors
  barrier(CLK_LOCAL_MEM_FENCE);
  wide[l] += w;
  t[l] = (uint)wide[l].x + 10 * (uint)wide[l].w;
  PUT(t)
  if (get_group_id(0) & 1) // another way in each group
    a = NEAR(t, l - d);
  else
    a = NEAR(t, l + d);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] ^= a;
  PUT(t)
}
