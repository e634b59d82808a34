// Packed structs of odd sizes, copied between all kinds of memory.
// run: -g 5 -l 5 -p 1:u8:145 -p 2:f64 rand:u8:145:1 zero:u8:145 zero:f64:5
// expect: 1: 253 88 108 144 177 189 248 122 17 192 136 184 71 82 61 133 150 20 117 11 169 27 134 107 125 54 54 105 183 32 170 52 199 99 24 243 152 199 99 24 243 152 188 150 170 123 118 253 163 7 149 223 20 135 56 141 211 32 245 195 148 17 192 136 184 71 144 177 189 248 122 210 249 176 144 120 159 220 206 237 139 20 87 13 37 252 105 255 238 195 101 112 64 135 139 113 113 195 224 133 60 167 222 214 83 40 228 233 212 144 125 85 135 77 95 53 145 93 234 113 113 195 224 133 101 112 64 135 139 135 111 42 165 208 174 226 16 80 37 254 127 223 169 169 244
// expect: 2: -5.230589884553787e+18 2.3653895032236196e+18 7.637019807339286e+18 3.845877850447909e+18 -8.169350800008709e+17
typedef struct __attribute__((packed)) {
  uchar kind;
  ushort len;
  double value;
  struct __attribute__((packed)) {
    char c;
    uint v;
  } part[3];
  long id;
  char pad[-29 + 29 + 0 + 0 + 0 + 0 + 0 + 0 + 0 - 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 + 0 +
           0 + 0 + 0 + 0 + 1];
} raw;
typedef struct __attribute__((packed)) {
  uchar kind;
  ushort len;
  struct __attribute__((packed)) {
    char c;
    uint v;
  } part[2];
  ulong id;
  ulong sum;
} rec;
kernel void records(global const rec *in, global rec *out, global double *d) {
  int i = get_global_id(0), n = get_global_size(0);
  rec r = in[n - 1 - i];
  local rec shared[23];
  shared[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  rec o = shared[(i + 7) % n];
  r.sum += o.id ^ ((ulong)o.part[i & 1].v << (o.len & 31));
  r.part[1] = o.part[0];
  r.len = (ushort)(r.len * 3 + sizeof(raw));
  d[i] = (double)(long)r.sum + r.kind;
  out[i] = r;
}
