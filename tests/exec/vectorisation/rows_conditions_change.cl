// Conditions and clamped indices that change within a row, at and beside the ends of warps; an index that does not fit in
// a lane that is off. The formula: one work-item after another.
// run: -k rows -g 300 -D F=in[clamp(x-3,0,n-1)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=256
// stats: cpu:x86-64-v3 lanes 8, contiguous 2
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[clamp(x-40,0,n-1)]+in[clamp(x+40,0,n-1)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=256
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[min(2*x+1,n)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=201
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[max(n-x,0)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=150
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[max(n-2*x,5)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=333
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x==n?7:in[x] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=128
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x==n?7:in[x+1] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=100
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x*3==n?7:in[x] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=150
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x*3==n?7:in[x] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=151
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x!=n?in[x]:9 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=0
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x<n?in[x+2]:in[n] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=77
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x<=n?in[x+2]:in[n] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=80
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=n<x?in[x]:in[x+1] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=80
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=n<=x?in[x]:in[x+1] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=80
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x>n&&x<2*n?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=70
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=n-2*x<17?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=177
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=n-2*x<=17?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=177
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=17<n-2*x?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=177
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=(uint)x-3u<(uint)n?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=99
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=(uint)n<=(uint)x-3u?in[x]:5 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=99
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=g<(ulong)n?in[g]:6 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=131
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=(long)g-200<=(long)n?in[x]:6 -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=-69
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=(ulong)n==g?8:in[g] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=255
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[(uchar)(x+n)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=200
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=in[min(max((uint)x-20u,10u),100u)] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=0
// formula: -k formula -g 1
// run: -k rows -g 300 -D F=x<1?7:(in+2147483649L)[n+x-2] -p 0:u32 fill:u32:300:0 iota:u32:1024 i32=-2147483647
// formula: -k formula -g 1
kernel void rows(global uint *out, global const uint *in, int n) {
  size_t g = get_global_id(0);
  int x = g;
  out[g] = F;
}
kernel void formula(global uint *out, global const uint *in, int n) {
  for (size_t g = 0; g < 300; g++) {
    int x = g;
    out[g] = F;
  }
}
