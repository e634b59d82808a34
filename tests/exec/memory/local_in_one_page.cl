// Small local memory lies in one page: stores across two take several times as long.
// run: -g 512 -l 8 -p 0:u32:1 zero:u32:1
// skip: opencl drivers put it where they like
// skip: interp objects lie where its allocator puts them
// expect: 0: 0
kernel void count(global uint *crossings) {
  local uint tile[896];
  uint i = get_local_id(0);
  tile[i] = i;
  if (i == 0 && (ulong)tile >> 12 != (ulong)(tile + 895) >> 12)
    atomic_inc(crossings);
}
