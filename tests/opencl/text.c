// Prints a module as OpenCL C for a device with the given features: opencl_text FEATURES FILE.kir
// Exit status 3: such a device lacks what the module needs.
#include <stdio.h>
#include <stdlib.h>

#include "backends/opencl/print/print.h"
#include "base/file.h"
#include "jit/report.h"

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  struct kiln_report report = {0};
  struct cl_printed out = {0};
  struct cl_print_options options = {.device = "the device"};
  kiln_cl_features_parse(argv[1], &options.features);
  char *ir;
  size_t size;
  if (kiln_file_read(argv[2], &ir, &size)) {
    fprintf(stderr, "%s: cannot be read\n", argv[2]);
    return 2;
  }
  struct kiln_module *module = NULL;
  enum kiln_status status = kiln_module_parse(ir, size, argv[2], &module);
  if (status)
    fprintf(stderr, "%s\n", kiln_last_error());
  else
    status = kiln_cl_print_module(module, &options, &out, &report);
  if (out.source)
    printf("%s", out.source);
  else
    fprintf(stderr, "%s\n", kiln_report_text(&report));
  free(ir);
  kiln_module_free(module);
  kiln_cl_printed_free(&out);
  kiln_report_free(&report);
  return status == KILN_ERR_UNSUPPORTED ? 3 : status != KILN_OK;
}
