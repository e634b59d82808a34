// Broadcasts, shuffles and rotations of sub-groups, of all kinds of types.
// Each work-item counts what is wrong in o[check]; o[17] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:18
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

kernel void k(global int *o) {
  local int t[128];
  uint self = SELF, first = FIRST, size = get_sub_group_size(), l = get_sub_group_local_id();
  uint max = get_max_sub_group_size();
  t[self] = (int)(self * 2654435761u >> 16);
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = t[self];
  CHECK(0, sub_group_broadcast(x, size / 2) == t[first + size / 2]);
  CHECK(1, sub_group_broadcast((char)x, 0) == (char)t[first]);
  CHECK(2, sub_group_broadcast((double)x, size - 1) == (double)t[first + size - 1]);
  CHECK(3, all(sub_group_broadcast((float4)(x, x + 1, x + 2, x + 3), 0u) == (float4)(t[first]) + (float4)(0, 1, 2, 3)));
  uint from = (l * 7 + 3) % size;
  CHECK(4, sub_group_shuffle(x, from) == t[first + from]);
  CHECK(5, sub_group_shuffle((long)x << 20, from) == (long)t[first + from] << 20);
  CHECK(6, sub_group_shuffle((ushort)x, from) == (ushort)t[first + from]);
  CHECK(7, sub_group_shuffle((half)(x & 63), from) == (half)(t[first + from] & 63));
  CHECK(8, all(sub_group_shuffle((int3)(x, -x, 5), from) == (int3)(t[first + from], -t[first + from], 5)));
  int r = sub_group_shuffle_xor(x, 1);
  if ((l ^ 1) < size)
    CHECK(9, r == t[first + (l ^ 1)]);
  r = sub_group_shuffle_up(x, 3);
  if (l >= 3)
    CHECK(10, r == t[self - 3]);
  r = sub_group_shuffle_down(x, 2);
  if (l + 2 < size)
    CHECK(11, r == t[self + 2]);
  r = sub_group_rotate(x, 1);
  if ((l + 1) % max < size)
    CHECK(12, r == t[first + (l + 1) % max]);
  if (max >= 4) {
    r = sub_group_clustered_rotate(x, 3, 4);
    uint at = (l & ~3u) | ((l + 3) & 3);
    if (at < size)
      CHECK(13, r == t[first + at]);
  }
  r = intel_sub_group_shuffle_down(x, -x, 1);
  if (size == max)
    CHECK(14, r == (l + 1 < max ? t[self + 1] : -t[first]));
  r = intel_sub_group_shuffle_up(-x, x, 1);
  if (size == max)
    CHECK(15, r == (l ? t[self - 1] : -t[first + size - 1]));
  CHECK(16, intel_sub_group_shuffle(x, from) == t[first + from]);
  atomic_inc(&o[17]);
}
