// Loads a code object that Kiln compiled, and launches it with HIP alone: neither Kiln nor a compiler is there then.
//
//   kiln compile examples/smooth.cl -b rocm -a gfx90a -o smooth.hsaco
//   hip_host smooth.hsaco
//
// HIP is opened at run time, so this builds anywhere; without it the program says so, with exit status 77. What is
// declared here is as in hip/hip_runtime_api.h, and has not changed since HIP 3.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20, GROUP = 256 };

// The arguments of the kernel lie as in a C struct of their types.
struct arguments {
  const float *x;
  float *y;
  int n;
};

static struct {
  int (*hipInit)(unsigned flags);
  int (*hipModuleLoadData)(void **module, const void *image);
  int (*hipModuleGetFunction)(void **function, void *module, const char *name);
  int (*hipModuleLaunchKernel)(void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                               unsigned local_x, unsigned local_y, unsigned local_z, unsigned shared_bytes,
                               void *stream, void **params, void **extra);
  int (*hipModuleUnload)(void *module);
  int (*hipMalloc)(void **out, size_t size);
  int (*hipFree)(void *memory);
  int (*hipMemcpy)(void *dst, const void *src, size_t size, int kind); // waits
  const char *(*hipGetErrorString)(int error);
} hip;
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };
// What tells hipModuleLaunchKernel that the arguments come as one block.
#define PARAM_BUFFER ((void *)1)
#define PARAM_SIZE ((void *)2)
#define PARAM_END ((void *)3)

static int open_hip(void) {
  static const char *const names[] = {"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
  void *library = NULL;
  for (int i = 0; i < 3 && !library; i++)
    library = dlopen(names[i], RTLD_NOW);
  if (!library)
    return fprintf(stderr, "HIP is not installed here: there is no libamdhip64.so\n"), 77;
#define FIND(name)                                                                                                     \
  if (!(*(void **)&hip.name = dlsym(library, #name)))                                                                  \
  return fprintf(stderr, "libamdhip64.so has no function %s\n", #name), 77
  FIND(hipInit);
  FIND(hipModuleLoadData);
  FIND(hipModuleGetFunction);
  FIND(hipModuleLaunchKernel);
  FIND(hipModuleUnload);
  FIND(hipMalloc);
  FIND(hipFree);
  FIND(hipMemcpy);
  FIND(hipGetErrorString);
  return 0;
}

#define HIP(call)                                                                                                      \
  do {                                                                                                                 \
    int error = (call);                                                                                                \
    if (error)                                                                                                         \
      return fprintf(stderr, "%s: %s (%d)\n", #call, hip.hipGetErrorString(error), error), 1;                          \
  } while (0)

static void *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    return perror(path), NULL;
  long size = ftell(file);
  rewind(file);
  char *data = size > 0 ? malloc((size_t)size) : NULL;
  if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
    free(data);
    data = NULL;
  }
  fclose(file);
  return data;
}

static int check(const float *x, const float *y) {
  for (int i = 0; i < N; i++) {
    float wanted = 0.25f * x[i ? i - 1 : 0] + 0.5f * x[i] + 0.25f * x[i < N - 1 ? i + 1 : N - 1];
    if (!(y[i] >= wanted - 1e-4f && y[i] <= wanted + 1e-4f))
      return fprintf(stderr, "y[%d] is %g, not %g\n", i, y[i], wanted), 1;
  }
  return printf("right\n"), 0;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: hip_host FILE.hsaco\n"), 2;
  int status = open_hip();
  if (status)
    return status;
  void *image = read_file(argv[1]), *module, *function, *x, *y;
  float *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
  if (!image || !in || !out)
    return 1;
  for (int i = 0; i < N; i++)
    in[i] = (float)(i % 1000);
  if (hip.hipInit(0))
    return fprintf(stderr, "HIP finds no device\n"), 77;
  HIP(hip.hipModuleLoadData(&module, image)); // an error here: the code is for another GPU
  HIP(hip.hipModuleGetFunction(&function, module, "smooth"));
  HIP(hip.hipMalloc(&x, N * sizeof *in));
  HIP(hip.hipMalloc(&y, N * sizeof *out));
  HIP(hip.hipMemcpy(x, in, N * sizeof *in, HOST_TO_DEVICE));
  struct arguments arguments = {x, y, N};
  size_t size = sizeof arguments;
  void *extra[] = {PARAM_BUFFER, &arguments, PARAM_SIZE, &size, PARAM_END};
  HIP(hip.hipModuleLaunchKernel(function, N / GROUP, 1, 1, GROUP, 1, 1, 0, NULL, NULL, extra));
  HIP(hip.hipMemcpy(out, y, N * sizeof *out, DEVICE_TO_HOST));
  HIP(hip.hipFree(x));
  HIP(hip.hipFree(y));
  HIP(hip.hipModuleUnload(module));
  status = check(in, out);
  free(image);
  free(in);
  free(out);
  return status;
}
