// Work-items in the lanes of vectors print: each that is on, once, its own values, in the order of their ids.
// Sub-groups keep work-items in lanes.
// run: -g 24 -l 24 -k under_masks --options -cl-std=CL3.0 zero:u32:1
// expect: [0:0][3:9][6:36][9:81][12:144][15:225][18:324][21:441]
// expect: <1,2><2,3><4,5><5,6><7,8><8,9><10,11><11,12><13,14><14,15><16,17><17,18><19,20><20,21><22,23><23,24>
// run: -g 24 -l 24 -k in_turn --options -cl-std=CL3.0 -p 0:u32 zero:u32:1
// expect: (0/0)(5/0)(7/0)(10/0)(14/0)(15/0)(20/0)(21/0)
// expect: (0/1)(5/1)(10/1)(15/1)(20/1)
// expect: 0: 13
// run: -g 10 -l 10 -k that_leave --options -cl-std=CL3.0 -p 0:u32 zero:u32:1
// expect: .............................................
// expect: 0: 45
kernel void under_masks(global uint *o) {
  int i = get_local_id(0);
  if (sub_group_any(i < 0))
    o[0] = 1;
  if (i % 3 == 0)
    printf("[%d:%d]", i, i * i);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 23)
    printf("\n");
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i % 3)
    printf("<%v2d>", (int2)(i, i + 1));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 23)
    printf("\n");
}
kernel void in_turn(global uint *o) {
  int i = get_local_id(0);
  if (sub_group_any(i < 0))
    o[0] = 1;
  for (int j = 0; j < 2; j++) {
    if (i % 5 == 0 || (j == 0 && i % 7 == 0)) {
      printf("(%d/%d)", i, j);
      atomic_inc(o);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
      printf("\n");
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
// Lane i leaves after i rounds.
kernel void that_leave(global uint *o) {
  int i = get_local_id(0);
  if (sub_group_any(i < 0))
    o[0] = 100;
  for (int j = 0;; j++) {
    if (j == i)
      break;
    printf(".");
    atomic_inc(o);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0)
    printf("\n");
}
