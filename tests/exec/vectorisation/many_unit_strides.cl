// More accesses with a stride that may be one than code is doubled for: those beyond are gathers, with any stride, and the
// plan says so. Expectations by the formula 400 * i * stride + 37 * (0 + ... + 399).
// run: -g 40 -l 40 -p 0:u32 zero:u32:40 iota:u32:14803 i32=1
// stats: cpu:x86-64-v4 contiguous 257
// stats: cpu:x86-64-v4 gathered 144
// expect: 0: 2952600 2953000 2953400 2953800 2954200 2954600 2955000 2955400 2955800 2956200 2956600 2957000 2957400 2957800 2958200 2958600 2959000 2959400 2959800 2960200 2960600 2961000 2961400 2961800 2962200 2962600 2963000 2963400 2963800 2964200 2964600 2965000 2965400 2965800 2966200 2966600 2967000 2967400 2967800 2968200
// run: -g 40 -l 40 -p 0:u32 zero:u32:40 iota:u32:14842 i32=2
// expect: 0: 2952600 2953400 2954200 2955000 2955800 2956600 2957400 2958200 2959000 2959800 2960600 2961400 2962200 2963000 2963800 2964600 2965400 2966200 2967000 2967800 2968600 2969400 2970200 2971000 2971800 2972600 2973400 2974200 2975000 2975800 2976600 2977400 2978200 2979000 2979800 2980600 2981400 2982200 2983000 2983800
#define TWO(k) s += x[i * stride + (k) * 37] + x[i * stride + (k) * 37 + 37];
#define TEN(k) TWO(k) TWO(k + 2) TWO(k + 4) TWO(k + 6) TWO(k + 8)
#define HUNDRED(k) TEN(k) TEN(k + 10) TEN(k + 20) TEN(k + 30) TEN(k + 40) TEN(k + 50) TEN(k + 60) TEN(k + 70) \
  TEN(k + 80) TEN(k + 90)
kernel void many(global uint *y, global const uint *x, int stride) {
  int i = get_global_id(0);
  uint s = 0;
  HUNDRED(0) HUNDRED(100) HUNDRED(200) HUNDRED(300)
  y[i] = s;
}
