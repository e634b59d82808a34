// options: sub-groups=16
__attribute__((intel_reqd_sub_group_size(16))) kernel void same(global int *o) { o[0] = 1; }
__attribute__((intel_reqd_sub_group_size(8))) kernel void other(global int *o) { o[0] = 1; }
__attribute__((intel_reqd_sub_group_size(0))) kernel void none(global int *o) { o[0] = 1; }
__attribute__((intel_reqd_sub_group_size(n))) kernel void unknown(global int *o) { o[0] = 1; }
#if !__has_attribute(intel_reqd_sub_group_size)
#error not said to be there
#endif
// expect: 3:42: error: 'intel_reqd_sub_group_size' asks for sub-groups of 8 work-items; the target has sub-groups of 16
// expect: 4:42: error: 'intel_reqd_sub_group_size' attribute must be greater than 0
// expect: 5:42: error: use of undeclared identifier 'n'
