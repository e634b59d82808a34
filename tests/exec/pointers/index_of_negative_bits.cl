// An index that begins with a negative number and is made by bit operations: after a pointer it stands in parentheses.
// run: -g 8 --options=-cl-opt-disable -p 0:u32 iota:u32:8
// expect: 0: 3 3 3 3 11 11 11 11
kernel void k(global uint *o) {
  uint i = get_global_id(0);
  atomic_add(&o[-246711609 & (i ^ 3) & 7], i);
}
