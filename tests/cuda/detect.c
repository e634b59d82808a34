// Which device is found without cuInit, on the stand-in for NVML; needs LD_LIBRARY_PATH.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/driver/exports.h"
#include "tests/support/expect.h"

static const struct {
  const char *gpus, *sm, *order, *visible; // NULL: not set
  uint32_t capability;                     // 0: none, and says is a part of why
  const char *says;
} cases[] = {
    {"1", "86", NULL, NULL, 86, NULL},
    {"0", "86", NULL, NULL, 0, "NVML lists no GPU"},
    {"1", "100", NULL, NULL, 100, NULL},
    {"1", "120", NULL, "0", 120, NULL},
    {"3", "80,90,70", NULL, NULL, 90, NULL}, // the fastest first
    {"3", "80,90,70", "FASTEST_FIRST", NULL, 90, NULL},
    {"3", "80,90,70", "PCI_BUS_ID", NULL, 80, NULL},
    {"3", "80,90,70", NULL, "1", 80, NULL},
    {"3", "80,90,70", NULL, "2,0", 70, NULL},
    {"3", "80,90,70", "PCI_BUS_ID", "2,0", 70, NULL},
    {"3", "80,90,70", "PCI_BUS_ID", " 1, 0", 90, NULL},
    {"3", "80,90,70", NULL, "", 0, "CUDA_VISIBLE_DEVICES hides the NVIDIA GPUs: it is ''"},
    {"3", "80,90,70", NULL, "-1", 0, "it is '-1'"},
    {"3", "80,90,70", NULL, "NoDevFiles", 0, "it is 'NoDevFiles'"},
    {"3", "80,90,70", NULL, "3,0", 0, "it is '3,0'"}, // the list ends at what means nothing
    {"3", "80,90,70", NULL, "0x", 0, "it is '0x'"},
    {"3", "80,90,70", NULL, "18446744073709551617", 0, "it is '18446744073709551617'"},
    {"3", "80,90,70", NULL, "GPU-20000000-0000-0000-0000-000000000000", 70, NULL},
    {"3", "80,90,70", NULL, "GPU-0,GPU-2", 80, NULL}, // the beginning of one
    {"3", "80,90,70", NULL, "GPU-", 0, "it is 'GPU-'"},
    {"3", "80,90,70", NULL, "GPU-7", 0, "it is 'GPU-7'"},
    {"3", "80,90,70", NULL, "MIG-2-standin", 70, NULL},
    {"3", "80,90,70", NULL, "MIG-5-standin", 0, "it is 'MIG-5-standin'"},
    {"3", "80,90,70", NULL, "MIG-GPU-10000000-0000-0000-0000-000000000000/1/0", 90, NULL},
};

static void set(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    set("KILN_STANDIN_GPUS", cases[i].gpus);
    set("KILN_STANDIN_SM", cases[i].sm);
    set("CUDA_DEVICE_ORDER", cases[i].order);
    set("CUDA_VISIBLE_DEVICES", cases[i].visible);
    struct kiln_report *report = kiln_report_new();
    uint32_t capability = 0;
    enum kiln_status status = kiln_cuda_detect(&capability, report);
    if (cases[i].capability)
      EXPECT(!status && capability == cases[i].capability, "case %zu: %u: %s", i, (unsigned)capability,
             kiln_report_text(report));
    else
      EXPECT(status == KILN_ERR_UNAVAILABLE && strstr(kiln_report_text(report), cases[i].says), "case %zu: %s", i,
             kiln_report_text(report));
    kiln_report_delete(report);
  }
  struct kiln_report *report = kiln_report_new();
  uint32_t capability;
  set("KILN_STANDIN_DRIVER", "none");
  EXPECT(kiln_cuda_detect(&capability, report) == KILN_ERR_UNAVAILABLE &&
             strstr(kiln_report_text(report), "its driver is not loaded"),
         "%s", kiln_report_text(report));
  kiln_report_delete(report);
  puts("devices are found");
  return 0;
}
