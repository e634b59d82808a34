// options: images
// What access qualifiers are for.
kernel void k(read_only int number, write_only global int *pointer, read_only sampler_t sampler) {}
kernel void l(read_only write_only image2d_t a, read_only image2d_t read_only b, write_only image2d_t read_only c) {}
kernel void m(read_write image2d_t early) {}
typedef write_only image2d_t written;
kernel void n(read_only written a) {}
// expect: 3:15: error: access qualifier can only be used for image types
// expect: 3:37: error: access qualifier can only be used for image types
// expect: 3:69: error: access qualifier can only be used for image types
// expect: 4:25: error: multiple access qualifiers
// expect: 4:69: warning: duplicate 'read_only' declaration specifier [-Wduplicate-decl-specifier]
// expect: 4:103: error: multiple access qualifiers
// expect: 5:15: error: OpenCL C version 1.2 does not support the 'read_write' access qualifier
// expect: 7:15: error: multiple access qualifiers: the type is '__write_only image2d_t'
