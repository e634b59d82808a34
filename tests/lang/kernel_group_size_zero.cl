kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) {}
// expect: 1:47: error: 'reqd_work_group_size' attribute must be greater than 0
