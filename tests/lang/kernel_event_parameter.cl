kernel void a(event_t e) {}
kernel void b(global event_t *e) {}
event_t program;
struct s {
  event_t e;
};
// expect: 1:23: error: 'event_t' cannot be used as the type of a kernel parameter
// expect: 3:9: error: program scope variable must reside in constant address space
// expect: 5:11: error: the 'event_t' type cannot be used to declare a structure or union field
