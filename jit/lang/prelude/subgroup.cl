// Library functions in the kernel language: what the work-items of a sub-group do together, in terms of the operations
// that the IR has. math.cl says how sections work. A ballot is 64 bits here; of the language's uint4 only the lower two
// elements are ever set.

//@ get_enqueued_num_sub_groups
uint get_enqueued_num_sub_groups(void) {
  uint max = get_max_sub_group_size();
  ulong count = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
  return (uint)((count + max - 1) / max);
}

//@ sub_group_elect
int sub_group_elect(void) { return get_sub_group_local_id() == (uint)__builtin_ctzl(__kiln_ballot(1)); }

//@ sub_group_all_equal
int sub_group_non_uniform_all_equal(T x) { return sub_group_all(x == sub_group_broadcast_first(x)); }

//@ sub_group_broadcast_first
T sub_group_broadcast_first(T x) { return sub_group_broadcast(x, (uint)__builtin_ctzl(__kiln_ballot(1))); }

//@ sub_group_ballot
T sub_group_ballot(int predicate) {
  ulong bits = __kiln_ballot(predicate);
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ sub_group_inverse_ballot
int sub_group_inverse_ballot(T value) { return sub_group_ballot_bit_extract(value, get_sub_group_local_id()); }

//@ sub_group_ballot_bit_extract
int sub_group_ballot_bit_extract(T value, uint index) {
  uint word = index < 32 ? value.x : index < 64 ? value.y : index < 96 ? value.z : value.w;
  return (word >> (index & 31)) & 1;
}

//@ sub_group_ballot_bit_count
uint sub_group_ballot_bit_count(T value) {
  T masked = value & (get_sub_group_ge_mask() | get_sub_group_lt_mask());
  return popcount(masked.x) + popcount(masked.y);
}

//@ sub_group_ballot_inclusive_scan
uint sub_group_ballot_inclusive_scan(T value) {
  T masked = value & get_sub_group_le_mask();
  return popcount(masked.x) + popcount(masked.y);
}

//@ sub_group_ballot_exclusive_scan
uint sub_group_ballot_exclusive_scan(T value) {
  T masked = value & get_sub_group_lt_mask();
  return popcount(masked.x) + popcount(masked.y);
}

//@ sub_group_ballot_find_lsb
uint sub_group_ballot_find_lsb(T value) {
  T masked = value & (get_sub_group_ge_mask() | get_sub_group_lt_mask());
  return (uint)__builtin_ctzl((ulong)masked.y << 32 | masked.x);
}

//@ sub_group_ballot_find_msb
uint sub_group_ballot_find_msb(T value) {
  T masked = value & (get_sub_group_ge_mask() | get_sub_group_lt_mask());
  return 63u - (uint)__builtin_clzl((ulong)masked.y << 32 | masked.x);
}

//@ get_sub_group_eq_mask
T get_sub_group_eq_mask(void) {
  ulong bits = 1ul << get_sub_group_local_id();
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ get_sub_group_ge_mask
T get_sub_group_ge_mask(void) {
  ulong all = ~0ul >> (64 - get_max_sub_group_size()), bits = all & (~0ul << get_sub_group_local_id());
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ get_sub_group_gt_mask
T get_sub_group_gt_mask(void) {
  ulong all = ~0ul >> (64 - get_max_sub_group_size()), bits = all & (~0ul << get_sub_group_local_id() << 1);
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ get_sub_group_le_mask
T get_sub_group_le_mask(void) {
  ulong bits = ~(~0ul << get_sub_group_local_id() << 1);
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ get_sub_group_lt_mask
T get_sub_group_lt_mask(void) {
  ulong bits = ~(~0ul << get_sub_group_local_id());
  return (T)((uint)bits, (uint)(bits >> 32), 0u, 0u);
}

//@ sub_group_shuffle_xor
T sub_group_shuffle_xor(T x, uint mask) { return sub_group_shuffle(x, get_sub_group_local_id() ^ mask); }

//@ sub_group_shuffle_up
T sub_group_shuffle_up(T x, uint delta) { return sub_group_shuffle(x, get_sub_group_local_id() - delta); }

//@ sub_group_shuffle_down
T sub_group_shuffle_down(T x, uint delta) { return sub_group_shuffle(x, get_sub_group_local_id() + delta); }

//@ sub_group_rotate
T sub_group_rotate(T x, int delta) {
  return sub_group_shuffle(x, (get_sub_group_local_id() + (uint)delta) & (get_max_sub_group_size() - 1));
}

//@ sub_group_clustered_rotate
T sub_group_clustered_rotate(T x, int delta, uint size) {
  uint self = get_sub_group_local_id();
  return sub_group_shuffle(x, (self & ~(size - 1)) | ((self + (uint)delta) & (size - 1)));
}

//@ intel_sub_group_shuffle_xor
T intel_sub_group_shuffle_xor(T x, uint mask) { return sub_group_shuffle(x, get_sub_group_local_id() ^ mask); }

//@ intel_sub_group_shuffle_up
T intel_sub_group_shuffle_up(T before, T x, uint delta) {
  uint size = get_max_sub_group_size(), from = get_sub_group_local_id() - delta;
  T a = sub_group_shuffle(before, from + size), b = sub_group_shuffle(x, from);
  if (get_sub_group_local_id() < delta)
    b = a;
  return b;
}

//@ intel_sub_group_shuffle_down
T intel_sub_group_shuffle_down(T x, T after, uint delta) {
  uint size = get_max_sub_group_size(), from = get_sub_group_local_id() + delta;
  T a = sub_group_shuffle(x, from), b = sub_group_shuffle(after, from - size);
  if (from >= size)
    a = b;
  return a;
}
