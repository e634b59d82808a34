// A record that each work-item fills, also at an index that is not constant, and copies: one work-item at a time.
// run: -g 9 -p 0:u32 zero:u32:297 iota:u32:9
// stats: cpu:x86-64-v3 1 lane: private variables are filled and copied
// expect: 0: 1633771873 32865 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1650614882 32866 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1667457891 32867 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1684300900 32868 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1701143909 32869 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1717986918 32870 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1734829927 32871 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1751672936 32872 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 1768515945 32873 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5
struct password {
  uint words[32];
  uint length;
};

kernel void fill(global struct password *out, global const uint *in) {
  size_t id = get_global_id(0);
  struct password password;
#pragma unroll
  for (int i = 0; i < 32; i++)
    password.words[i] = 0;
  uint length = password.length = in[5];
  for (uint i = 0; i < length; i++)
    password.words[i / 4] |= (in[id] + 'a') << (i % 4 * 8);
  password.words[length / 4] |= 0x80u << (length % 4 * 8);
  out[id] = password;
}
