// CLBlast: sgemm, sgemv and sdot, compared with plain loops.
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include <cmath>
#include <cstdio>
#include <vector>

static int failures;

static void check(bool right, const char *what) {
  if (!right)
    std::printf("%s is wrong\n", what);
  failures += !right;
}

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-3 * (1 + std::fabs(b)); }

int main() {
  const size_t n = 192;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, nullptr) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr))
    return 1;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (size_t i = 0; i < n * n; i++) {
    a[i] = (float)(i % 17) - 8;
    b[i] = (float)(i % 23) / 4;
  }
  const size_t bytes = n * n * sizeof(float);
  cl_mem ma = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, a.data(), nullptr);
  cl_mem mb = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, b.data(), nullptr);
  cl_mem mc = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, c.data(), nullptr);

  check(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1, ma, 0, n, mb, 0, n, 0,
                     mc, 0, n, &queue, nullptr) == CLBlastSuccess,
        "the status of sgemm");
  clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr);
  bool right = true;
  for (size_t i = 0; i < n; i += 7)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < n; k++)
        sum += (double)a[i * n + k] * b[k * n + j];
      right = right && near(c[i * n + j], sum);
    }
  check(right, "sgemm");

  check(CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, n, n, 2, ma, 0, n, mb, 0, 1, 0, mc, 0, 1, &queue,
                     nullptr) == CLBlastSuccess,
        "the status of sgemv");
  clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr);
  right = true;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
      sum += 2.0 * a[i * n + k] * b[k];
    right = right && near(c[i], sum);
  }
  check(right, "sgemv");

  check(CLBlastSdot(n * n, mc, 0, ma, 0, 1, mb, 0, 1, &queue, nullptr) == CLBlastSuccess, "the status of sdot");
  clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, sizeof(float), c.data(), 0, nullptr, nullptr);
  double sum = 0;
  for (size_t i = 0; i < n * n; i++)
    sum += (double)a[i] * b[i];
  check(near(c[0], sum), "sdot");
  return failures != 0;
}
