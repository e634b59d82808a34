// Votes, ballots and masks of sub-groups.
// Each work-item counts what is wrong in o[check]; o[23] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:24
// expect: 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

#define SELF (uint)get_local_linear_id()
#define FIRST (SELF / get_max_sub_group_size() * get_max_sub_group_size())

ulong bits_of(uint4 v) { return (ulong)v.y << 32 | v.x; }

kernel void k(global int *o) {
  local int t[128];
  uint self = SELF, first = FIRST, size = get_sub_group_size(), l = get_sub_group_local_id();
  t[self] = (self * 2654435761u >> 28) > 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong ballot = 0;
  for (uint i = 0; i < size; i++)
    ballot |= (ulong)t[first + i] << i;
  uint4 b = sub_group_ballot(t[self]);
  CHECK(0, bits_of(b) == ballot && b.z == 0 && b.w == 0);
  CHECK(1, sub_group_any(t[self]) == (ballot != 0));
  CHECK(2, sub_group_all(t[self]) == (popcount(ballot) == size));
  CHECK(3, sub_group_inverse_ballot(b) == t[self]);
  CHECK(4, sub_group_ballot_bit_extract(b, size - 1 - l) == t[first + size - 1 - l]);
  CHECK(5, sub_group_ballot_bit_count(b) == popcount(ballot));
  ulong below = ballot & ~(~0ul << l), upto = ballot & ~(~0ul << l << 1);
  CHECK(6, sub_group_ballot_inclusive_scan(b) == popcount(upto));
  CHECK(7, sub_group_ballot_exclusive_scan(b) == popcount(below));
  if (ballot) {
    CHECK(8, sub_group_ballot_find_lsb(b) == ctz(ballot));
    CHECK(9, sub_group_ballot_find_msb(b) == 63 - clz(ballot));
  }
  CHECK(10, bits_of(get_sub_group_eq_mask()) == 1ul << l);
  CHECK(11, bits_of(get_sub_group_lt_mask()) == (1ul << l) - 1);
  CHECK(12, bits_of(get_sub_group_le_mask()) == ((1ul << l) - 1 | 1ul << l));
  ulong all = ~0ul >> (64 - get_max_sub_group_size());
  CHECK(13, bits_of(get_sub_group_gt_mask()) == (all & ~bits_of(get_sub_group_le_mask())));
  CHECK(14, bits_of(get_sub_group_ge_mask()) == (all & ~bits_of(get_sub_group_lt_mask())));
  if (l & 1) {
    ulong odd = bits_of(sub_group_ballot(1)), expected = 0;
    for (uint i = 1; i < size; i += 2)
      expected |= 1ul << i;
    CHECK(15, odd == expected);
    CHECK(16, sub_group_broadcast_first((int)self) == (int)first + 1);
    CHECK(17, sub_group_non_uniform_all_equal(l) == (size < 4));
  }
  CHECK(18, sub_group_non_uniform_all_equal(first));
  CHECK(19, sub_group_non_uniform_reduce_logical_and(t[self]) == (popcount(ballot) == size));
  CHECK(20, sub_group_non_uniform_scan_exclusive_logical_or(t[self]) == (below != 0));
  CHECK(21, sub_group_non_uniform_scan_exclusive_logical_and(t[self]) == (popcount(below) == l));
  CHECK(22, sub_group_non_uniform_reduce_logical_xor(5 * t[self]) == (popcount(ballot) & 1));
  atomic_inc(&o[23]);
}
