// Groups whose rows are one work-item run along dimension 1. Ids, sizes and numbers of groups are those of the caller,
// also at offsets, with partial groups, and with several planes. Expectations by the formulas in Python.
// run: -g 3,8 -l 1,8 --options -cl-std=CL2.0 zero:i32:24 -p 0:i32
// expect: 0: 13002371 13006411 13010451 13002171 13006211 13010251 13001971 13006011 13010051 13001771 13005811 13009851 13001571 13005611 13009651 13001371 13005411 13009451 13001171 13005211 13009251 13000971 13005011 13009051
// run: -g 2,10 -l 1,4 --offset 5,3 --options -cl-std=CL2.0 zero:i32:20 -p 0:i32
// skip: opencl PoCL has no partial groups
// skip: text OpenCL C 1.2 has no partial groups
// expect: 0: 32022512 32026552 32022312 32026352 32022112 32026152 32021912 32025952 32024116 32028156 32023916 32027956 32023716 32027756 32023516 32027556 32025097 32029137 32024897 32028937
// run: -g 1,24 -l 1,24 --offset 0,2 --options -cl-std=CL2.0 zero:i32:24 -p 0:i32
// expect: 0: 11008439 11008239 11008039 11007839 11007639 11007439 11007239 11007039 11006839 11006639 11006439 11006239 11006039 11005839 11005639 11005439 11005239 11005039 11004839 11004639 11004439 11004239 11004039 11003839
// run: -g 2,4,4 -l 1,2,2 --offset 1,0 --options -cl-std=CL2.0 zero:i32:32 -p 0:i32
// expect: 0: 22004446 22008486 22004246 22008286 22005250 22009290 22005050 22009090 22004444 22008484 22004244 22008284 22005248 22009288 22005048 22009088 22004446 22008486 22004246 22008286 22005250 22009290 22005050 22009090 22004444 22008484 22004244 22008284 22005248 22009288 22005048 22009088
// run: -g 4,5 -l 2,5 --options -cl-std=CL2.0 zero:i32:20 -p 0:i32
// expect: 0: 12004407 12002407 12012447 12010447 12004207 12002207 12012247 12010247 12004007 12002007 12012047 12010047 12003807 12001807 12011847 12009847 12003607 12001607 12011647 12009647
#define X get_local_id(0)
#define Y get_local_id(1)
kernel void k(global int *out) {
  local int t[64];
  int n = get_local_size(0) * get_local_size(1) * get_local_size(2);
  int l = (get_local_id(2) * get_local_size(1) + Y) * get_local_size(0) + X;
  t[l] = 1000 * get_global_id(0) + 100 * get_global_id(1) + 10 * get_group_id(0) + get_group_id(1) + get_local_id(2);
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = t[n - 1 - l] * 3 + t[l];
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  bool full = get_local_size(0) == get_enqueued_local_size(0) && get_local_size(1) == get_enqueued_local_size(1);
  out[(get_global_id(2) * get_global_size(1) + y) * get_global_size(0) + x] =
      v + (int)get_num_groups(0) * 1000000 + (int)get_num_groups(1) * 10000000 + (int)get_local_size(0) * 7 +
      (int)get_local_size(1) * 11 + full + (int)get_global_size(0) * 13 + (int)get_global_size(1) * 17 +
      (int)get_global_offset(0) * 19 + (int)get_global_offset(1) * 23;
}
