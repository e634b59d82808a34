// Loops that store into rows of a work-item's own: one element after another, which LLVM vectorises for one work-item,
// and as far apart as the launch says, which it does not.
// run: -k next -g 8 -l 8 -p 0:i32 zero:i32:64 i32=8
// stats: cpu:x86-64-v3 lanes 1
// expect: 0: 0 1 2 3 4 5 6 7 100 101 102 103 104 105 106 107 200 201 202 203 204 205 206 207 300 301 302 303 304 305 306 307 400 401 402 403 404 405 406 407 500 501 502 503 504 505 506 507 600 601 602 603 604 605 606 607 700 701 702 703 704 705 706 707
// run: -k apart -g 8,2 -l 8,2 -p 0:i32 zero:i32:64 i32=8
// stats: cpu:x86-64-v3 lanes 8, gathered 1
// expect: 0: 0 1 2 3 4 5 6 7 100 101 102 103 104 105 106 107 200 201 202 203 204 205 206 207 300 301 302 303 304 305 306 307 400 401 402 403 404 405 406 407 500 501 502 503 504 505 506 507 600 601 602 603 604 605 606 607 700 701 702 703 704 705 706 707
kernel void next(global int *o, int n) {
  int x = get_global_id(0);
  for (int i = 0; i < n; i++)
    o[x * n + i] = x * 100 + i;
}

kernel void apart(global int *o, int n) {
  int x = get_global_id(0);
  for (int i = get_local_id(1); i < n; i += get_local_size(1))
    o[x * n + i] = x * 100 + i;
}
