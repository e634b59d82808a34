// The element of local memory that belongs to the work-item is loaded before a barrier and wanted after it: as it
// was, whoever changes it before and after. Expectations by the formulas in Python.
// run: -g 32 -l 16 zero:u32:24 i32=1 local:512 -p 0:u32
// stats: cpu:x86-64-v3 lanes 8, gathered 13, checked 1, permuted 3, contiguous 28, uniform 13, remainder-loop 1
// expect: 0: 2253073904 1696171368 4114625696 4247660576 2476491832 3041882288 2153404752 3041882288 733956644 3041882288 283259304 225735256 2253073904 3962646120 4114625696 4247660576 1560745272 2881627312 1071750480 2881627312 2166623580 2881627312 909314384 725105072
// run: -g 20 -l 10 zero:u32:24 i32=3 local:512 -p 0:u32
// expect: 0: 9778279 559034721 714599178 1097408482 2496045177 2682390084 1261179580 2682390084 2871265938 2682390084 4021201098 1233782230 3007701392 641292033 1522268672 1941547968 772359659 986123670 120601386 986123670 2829140778 986123670 2444535837 1694614563
// run: -g 64 -l 64 zero:u32:12 i32=32 local:512 -p 0:u32
// expect: 0: 3204448256 1983911328 2376631296 3438906368 728878816 1390182592 3595388736 1390182592 847029974 1390182592 2319364256 2319364256
// run: -g 200 -l 100 zero:u32:24 i32=5 local:512 -p 0:u32
// expect: 0: 2627913992 495688138 355398768 1481225520 3278233234 2011806848 1094318464 2011806848 949531610 2011806848 2311344698 720200646 925703246 3745065482 3027036180 2825091268 3651175258 2036218888 3324569592 2036218888 1923967300 2036218888 2511180388 230294108
// run: -g 37 -l 37 zero:u32:12 i32=16 local:512 -p 0:u32
// expect: 0: 3428112073 3730378233 1582077559 2470374501 3153253190 101745305 3346438553 101745305 3255389399 101745305 1523029156 1523029156
// run: -g 128 -l 128 zero:u32:12 i32=64 local:512 -p 0:u32
// expect: 0: 4160749568 2440047424 1899038720 1939019776 812933056 194626432 1299909760 194626432 3407294038 194626432 2619723584 2619723584
// run: -g 2 -l 1 zero:u32:24 i32=1 local:512 -p 0:u32
// expect: 0: 15 15 91 273 276 281 281 281 2248 281 286 297 408 408 2449 7347 7227 7363 7363 7363 58904 7363 7499 7510
#define PUT(array) \
  barrier(CLK_LOCAL_MEM_FENCE); \
  if (l == 0) { \
    uint h = 0; \
    for (int i = 0; i < n; i++) \
      h = h * 31 + array[i]; \
    out[get_group_id(0) * 12 + place++] = h; \
  } \
  barrier(CLK_LOCAL_MEM_FENCE);

kernel void again(global uint *out, int j, local uint *s) {
  local uint t[128], u[128];
  int l = get_local_id(0), n = get_local_size(0), place = 0;
  uint a, b, own = l * 7919 + get_group_id(0) * 131 + 5;
  t[l] = own, u[l] = own ^ 99, s[l] = own * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  int p = (l ^ j) < n ? l ^ j : l;
  a = t[l], b = t[p]; // the own element, and another one
  bool low = l < p, up = (l & j) == 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = low == up ? a - b : a + 2 * b;
  PUT(t)
  a = t[l], b = t[p]; // changed before the barrier
  t[l] = a + 1;
  PUT(s)
  t[l] += a * 5;
  PUT(t)
  a = t[l]; // changed by others after it
  barrier(CLK_LOCAL_MEM_FENCE);
  t[n - 1 - l] = a * 3;
  PUT(t)
  a = t[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  t[(l + 1) % n] = a ^ own;
  PUT(t)
  a = t[l]; // after two barriers, changed between
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l] += a;
  PUT(t)
  a = t[l]; // another array changes
  barrier(CLK_LOCAL_MEM_FENCE);
  u[n - 1 - l] = a, s[l] = a;
  PUT(u)
  PUT(s)
  a = s[l], b = s[p]; // loaded again in a segment that has a barrier inside
  barrier(CLK_LOCAL_MEM_FENCE);
  uint c = (l >= 1 ? s[l - 1] : 0) + b;
  barrier(CLK_LOCAL_MEM_FENCE);
  s[l] = a + c * 7;
  PUT(s)
  a = t[l]; // by atomic operations
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&t[n - 1 - l], own);
  u[l] = a;
  PUT(u)
  a = t[l]; // wanted by some only, in a loop
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < (l & 3); i++)
    t[l] = t[l] * 3 + a;
  PUT(t)
  local uint *q = j & 1 ? t : s; // by a pointer that may be either
  a = t[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  q[n - 1 - l] = a + 11;
  PUT(t)
}
