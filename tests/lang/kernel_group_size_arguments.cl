kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) {}
// expect: 1:48: error: 'reqd_work_group_size' attribute requires exactly 3 arguments
