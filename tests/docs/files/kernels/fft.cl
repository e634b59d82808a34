kernel void fft(global float2 *x) { x[get_global_id(0)] *= N; }
