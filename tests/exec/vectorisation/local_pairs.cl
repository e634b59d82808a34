// Work-items store twice, to places that fill rows of local memory together, and to such that do not. Expectations by the
// formulas in Python.
// run: -g 64 -l 32 zero:u32:26 list:u32:0,31153,62306,27923,59076,24693,55846,21463,52616,18233,49386,15003,46156,11773,42926,8543,39696,5313,36466,2083,33236,64389,30006,61159,26776,57929,23546,54699,20316,51469,17086,48239,13856,45009,10626,41779,7396,38549,4166,35319,936,32089,63242,28859,60012,25629,56782,22399,53552,19169,50322,15939,47092,12709,43862,9479,40632,6249,37402,3019,34172,65325,30942,62095 -p 0:u32
// stats: cpu:x86-64-v3 lanes 4, gathered 13, strided 20, contiguous 20, grouped 11, uniform 14, memory-order 20, uniform-loop 1
// stats: cpu:x86-64-v4 lanes 16, gathered 15, strided 28, contiguous 10, grouped 11, uniform 14, memory-order 20, uniform-loop 1
// expect: 0: 3887090672 940834816 695500800 2001358848 940834816 75481056 541216876 814247664 814247664 814247664 1587857136 37665312 2759294288 2783160880 2046494720 1731164160 3465810432 2046494720 1111144416 4102078156 57588464 57588464 57588464 3798887664 274217504 4027366736
// run: -g 16 -l 16 zero:u32:13 list:u32:0,31153,62306,27923,59076,24693,55846,21463,52616,18233,49386,15003,46156,11773,42926,8543 -p 0:u32
// expect: 0: 3456935008 1987583744 2039996672 4122224640 1987583744 1289445616 3931474228 3803045368 3803045368 3803045368 593993400 576806160 3746490024
// run: -g 24 -l 24 zero:u32:13 list:u32:0,31153,62306,27923,59076,24693,55846,21463,52616,18233,49386,15003,46156,11773,42926,8543,39696,5313,36466,2083,33236,64389,30006,61159 -p 0:u32
// expect: 0: 3061905264 2630211392 870930624 513396800 2630211392 781201576 1728424752 4178702356 4178702356 4178702356 3762495908 3500133272 4258667516
// run: -g 40 -l 40 zero:u32:13 list:u32:0,31153,62306,27923,59076,24693,55846,21463,52616,18233,49386,15003,46156,11773,42926,8543,39696,5313,36466,2083,33236,64389,30006,61159,26776,57929,23546,54699,20316,51469,17086,48239,13856,45009,10626,41779,7396,38549,4166,35319 -p 0:u32
// expect: 0: 947942248 1395497280 372135616 103754048 1395497280 108990104 3840080104 1029298828 1029298828 1029298828 2151009948 3568969896 2895186596
#define PUT(array, count) \
  barrier(CLK_LOCAL_MEM_FENCE); \
  if (l == 0) { \
    uint h = 0; \
    for (int i = 0; i < count; i++) \
      h = h * 31 + (uint)array[i]; \
    out[get_group_id(0) * 13 + place++] = h; \
  } \
  barrier(CLK_LOCAL_MEM_FENCE);
#define X(i) t[i].x + 3 * t[i].y

kernel void pairs(global uint *out, global const uint *in) {
  local uint2 t[128];
  local uint a[128];
  local uchar b[128];
  local ulong c[128];
  int l = get_local_id(0), n = get_local_size(0), place = 0;
  uint u = get_local_id(0), x = in[get_global_id(0)], y = x * 3 + 1;
  for (int i = l; i < 128; i += n)
    t[i] = (uint2)(i, i * i), a[i] = i, b[i] = i, c[i] = i;
  for (uint half_size = 1; half_size < 32; half_size <<= 1) { // as in a transform
    barrier(CLK_LOCAL_MEM_FENCE);
    uint k = u & (half_size - 1), at = ((u - k) << 1) + k;
    uint2 p = t[at], q = t[at + half_size];
    t[at] = p + q * x;
    t[at + half_size] = p - q;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  c[l] = X(l);
  PUT(c, n)
  a[2 * l] = x; // both halves of rows
  a[2 * l + 1] = y;
  PUT(a, 2 * n)
  a[2 * l + 1] = x + 1;
  a[2 * l] = y + 1;
  PUT(a, 2 * n)
  b[2 * l] = x, b[2 * l + 1] = y;
  PUT(b, 2 * n)
  c[2 * l] = x, c[2 * l + 1] = y;
  PUT(c, 2 * n)
  a[2 * l] = x + 2; // the second one changes what the first one wrote
  a[2 * l] = y + 2;
  PUT(a, 2 * n)
  a[2 * l + 1] = y; // not the places between
  barrier(CLK_LOCAL_MEM_FENCE);
  a[2 * l + 3] = 5;
  PUT(a, 2 * n)
  a[2 * l] = x; // a load comes between
  y += a[2 * l];
  a[2 * l + 1] = y;
  PUT(a, 2 * n)
  a[2 * l] = x;
  c[2 * l + 1] = y;
  PUT(a, 2 * n)
  PUT(c, 2 * n)
  a[2 * l] = y; // one of them under a condition
  if (x & 1)
    a[2 * l + 1] = x * 7;
  PUT(a, 2 * n)
  a[3 * l] = x, a[3 * l + 1] = y, a[3 * l + 2] = x + y; // three
  PUT(a, 3 * n)
  uint k = u & 3, at = ((u - k) << 1) + k;
  a[at + 4] = x;
  a[at] = y;
  PUT(a, 2 * n)
}
