// Sub-groups follow the linear local id.
// Each work-item counts what is wrong in o[check]; o[6] counts the work-items.
// run: -g 64 -l 64 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 64
// run: -g 33 -l 33 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 33
// run: -g 40 -l 10 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 40
// run: -g 8,8 -l 8,8 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 64
// run: -g 12,10,4 -l 3,5,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 480
// run: -g 130 -l 65 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 130
// run: -g 100 -l 48 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// skip: opencl PoCL has no partial groups
// expect: 0: 0 0 0 0 0 0 100
// run: -g 16,4 -l 16,2 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 64
// run: -g 1 -l 1 --options=-cl-std=CL3.0 -p 0:i32 zero:i32:7
// expect: 0: 0 0 0 0 0 0 1
#define CHECK(n, ok) \
  if (!(ok)) \
  atomic_inc(&o[n])

kernel void k(global int *o) {
  uint lx = get_local_size(0), ly = get_local_size(1), lz = get_local_size(2), count = lx * ly * lz;
  uint self = (get_local_id(2) * ly + get_local_id(1)) * lx + get_local_id(0), max = get_max_sub_group_size();
  uint first = self / max * max;
  CHECK(0, get_sub_group_local_id() == self % max);
  CHECK(1, get_sub_group_id() == self / max);
  CHECK(2, get_num_sub_groups() == (count + max - 1) / max);
  CHECK(3, get_sub_group_size() == min(max, count - first));
  uint full = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
  CHECK(4, get_enqueued_num_sub_groups() == (full + max - 1) / max);
  CHECK(5, max >= 1 && max <= 64 && (max & (max - 1)) == 0);
  atomic_inc(&o[6]);
}
