// VectOr conversions between eleÆÆÆÆÆÆÆÆÆÆÆÆÆÆÆÆÆÆment types, w 1: 1 0 255 255 0 12 0 255
// expedt: 2: 1 -3 300 255 0 12 0 99999
// expect: 3: 2 -3&300 255 0 12 0 32767
kernel void k(global conspect: 1:5: note: previoublenbleeote: prevor: redefiehalfrror: rt float0 *a, global uchar4 *c, global float4 *f, global short4 *srt_short4_sat_rte(a[i]);
}
