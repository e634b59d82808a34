// Sub-devices: by counts, of equal size and by affinity, in one context with a buffer that they share.
#include "icd_test.h"

static const char source[] = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }";

static void shared(cl_device_id parent, cl_device_id *subs, cl_uint count) {
  cl_int status;
  struct setup s = {.device = subs[0]};
  s.context = clCreateContext(NULL, count, subs, NULL, NULL, &status);
  CHECK_OK(status);
  cl_program program = build(&s, source, "");
  cl_kernel kernel = kernel_of(program, "add");
  cl_mem mem = buffer_of(&s, 0, 4096, NULL);
  int zero = 0, sum[1024];
  cl_event last = NULL;
  size_t global = 1024;
  CHECK_OK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
  for (cl_uint i = 0; i < count; i++) {
    cl_command_queue queue = clCreateCommandQueue(s.context, subs[i], 0, &status);
    CHECK_OK(status);
    if (i == 0)
      CHECK_OK(clEnqueueFillBuffer(queue, mem, &zero, sizeof zero, 0, 4096, 0, NULL, &last));
    int n = 1 << i;
    cl_event done;
    CHECK_OK(clSetKernelArg(kernel, 1, sizeof n, &n));
    CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &last, &done));
    CHECK_OK(clReleaseEvent(last));
    last = done;
    if (i == count - 1)
      CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof sum, sum, 1, &last, NULL));
    CHECK_OK(clReleaseCommandQueue(queue));
  }
  for (int i = 0; i < 1024; i++)
    CHECK(sum[i] == (1 << count) - 1);
  cl_device_id of = NULL;
  CHECK_OK(clGetDeviceInfo(subs[0], CL_DEVICE_PARENT_DEVICE, sizeof of, &of, NULL));
  CHECK(of == parent);
  cl_uint refs = 0;
  CHECK_OK(clGetDeviceInfo(subs[0], CL_DEVICE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
  CHECK(refs == 2); // the context's
  CHECK_OK(clReleaseEvent(last));
  CHECK_OK(clReleaseMemObject(mem));
  CHECK_OK(clReleaseKernel(kernel));
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseContext(s.context));
}

// What is built for a device is built for its sub-devices.
static void built_for_parent(cl_device_id parent, cl_device_id sub) {
  cl_int status;
  cl_device_id both[] = {sub, parent};
  struct setup s = {.device = sub};
  s.context = clCreateContext(NULL, 2, both, NULL, NULL, &status);
  CHECK_OK(status);
  const char *text = source;
  cl_program program = clCreateProgramWithSource(s.context, 1, &text, NULL, &status);
  CHECK_OK(status);
  CHECK_OK(clBuildProgram(program, 1, &parent, "", NULL, NULL));
  for (int i = 0; i < 2; i++) {
    cl_build_status built = CL_BUILD_NONE;
    CHECK_OK(clGetProgramBuildInfo(program, both[i], CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL));
    CHECK(built == CL_BUILD_SUCCESS);
  }
  CHECK_OK(clReleaseProgram(program));
  CHECK_OK(clReleaseContext(s.context));
}

// One processor each: nobody else has those of another part.
static void by_affinity(const struct setup *s, cl_uint units) {
  cl_device_affinity_domain domains = 0, domain;
  cl_device_partition_property properties[4] = {0}, kinds[4] = {0};
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domains, &domains, NULL));
  CHECK_OK(clGetDeviceInfo(s->device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, NULL));
  CHECK(!domains == !kinds[2] && (!domains || kinds[2] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN));
  CHECK(!domains == !(domains & CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE));
  for (domain = CL_DEVICE_AFFINITY_DOMAIN_NUMA; domain <= CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE; domain *= 2) {
    cl_device_id subs[256];
    cl_uint count = 0, sum = 0;
    properties[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    properties[1] = (cl_device_partition_property)domain;
    cl_int status = clCreateSubDevices(s->device, properties, 256, subs, &count);
    CHECK_CODE(status, domains & domain ? CL_SUCCESS : domains ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE);
    if (status != CL_SUCCESS)
      continue;
    CHECK(count > 1);
    shared(s->device, subs, count < 4 ? count : 4);
    for (cl_uint i = 0; i < count; i++) {
      cl_uint one = 0;
      cl_device_affinity_domain inner = 0;
      cl_device_partition_property type[4] = {0};
      CHECK_OK(clGetDeviceInfo(subs[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof one, &one, NULL));
      CHECK_OK(clGetDeviceInfo(subs[i], CL_DEVICE_PARTITION_TYPE, sizeof type, type, NULL));
      CHECK_OK(clGetDeviceInfo(subs[i], CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof inner, &inner, NULL));
      CHECK(type[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && !type[2]);
      CHECK(domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE
                ? type[1] && (domains & (cl_device_affinity_domain)type[1])
                : (cl_device_affinity_domain)type[1] == domain);
      CHECK(one && (domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE || !(inner & domain)));
      sum += one;
      CHECK_OK(clReleaseDevice(subs[i]));
    }
    CHECK(sum == units);
  }
  properties[1] = 0;
  CHECK_CODE(clCreateSubDevices(s->device, properties, 0, NULL, NULL), CL_INVALID_VALUE);
}

int main(void) {
  struct setup s = setup_open(0);
  cl_uint units = 0, max = 0, count = 0;
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
  CHECK_OK(clGetDeviceInfo(s.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof max, &max, NULL));
  cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
                                           0};
  cl_device_id subs[8];
  cl_uint before[KINDS];
  count_objects(s.platform, before);
  if (!max) { // the interpreter, or one processor
    CHECK_CODE(clCreateSubDevices(s.device, equally, 8, subs, &count), CL_INVALID_VALUE);
  } else {
    CHECK_OK(clCreateSubDevices(s.device, equally, 0, NULL, &count));
    CHECK(count == units);
    CHECK_CODE(clCreateSubDevices(s.device, equally, 1, subs, NULL), CL_INVALID_VALUE);
    equally[1] = units + 1;
    CHECK_CODE(clCreateSubDevices(s.device, equally, 8, subs, NULL), CL_DEVICE_PARTITION_FAILED);
    counts[2] = units; // one too many
    CHECK_CODE(clCreateSubDevices(s.device, counts, 8, subs, NULL), CL_INVALID_DEVICE_PARTITION_COUNT);
    counts[2] = 1;
    CHECK_OK(clCreateSubDevices(s.device, counts, 8, subs, &count));
    CHECK(count == 2);
    by_affinity(&s, units);
    built_for_parent(s.device, subs[0]);
    shared(s.device, subs, count);
    CHECK_CODE(clCreateSubDevices(subs[0], counts, 8, subs, NULL), CL_INVALID_VALUE); // it has one unit
    CHECK_OK(clReleaseDevice(subs[0]));
    CHECK_OK(clReleaseDevice(subs[1]));
  }
  CHECK(same_objects(s.platform, before));
  setup_close(&s);
  return failures != 0;
}
