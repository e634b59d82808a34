// What Linux tells of caches and clock in /sys and /proc.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/host/host.h"
#include "base/c_locale.h"

#define MAX_CACHES 16 // of a CPU
#define LINE_BYTES 64 // of the caches of all processors that there is code for

// The first line of a file, "" when there is none.
static void read_line(char *text, size_t size, const char *format, unsigned cpu, unsigned cache) {
  char path[128];
  snprintf(path, sizeof path, format, cpu, cache);
  FILE *file = fopen(path, "re");
  if (!file || !fgets(text, (int)size, file))
    text[0] = 0;
  if (file)
    fclose(file);
}

// The first CPU that launches run on.
static unsigned first_cpu(const struct kiln_host_drv *drv) {
  cpu_set_t mine = drv->cpus;
  if (!drv->has_cpus && sched_getaffinity(0, sizeof mine, &mine))
    return 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &mine))
      return cpu;
  return 0;
}

static uint64_t last_cache(unsigned cpu) {
  uint64_t bytes = 0;
  int highest = 0;
  for (unsigned i = 0; i < MAX_CACHES; i++) {
    char level[32], size[32];
    read_line(level, sizeof level, "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, i);
    read_line(size, sizeof size, "/sys/devices/system/cpu/cpu%u/cache/index%u/size", cpu, i);
    if (atoi(level) < highest || !*size)
      continue;
    highest = atoi(level);
    char *unit;
    bytes = strtoull(size, &unit, 10);
    bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
  }
  return bytes;
}

static uint32_t clock_mhz(unsigned cpu) {
  char text[256];
  read_line(text, sizeof text, "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", cpu, 0);
  if (*text)
    return (uint32_t)(strtoul(text, NULL, 10) / 1000);
  double mhz = 0; // virtual machines have no such file
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && !mhz && fgets(text, sizeof text, file))
    if (strncmp(text, "cpu MHz", 7) == 0 && strchr(text, ':'))
      mhz = kiln_strtod(strchr(text, ':') + 1, NULL);
  if (file)
    fclose(file);
  return (uint32_t)mhz;
}

void kiln_host_device_traits(struct kiln_drv *base, uint32_t device, struct kiln_device_traits *out) {
  const struct kiln_host_drv *drv = (const struct kiln_host_drv *)base;
  (void)device;
  unsigned cpu = first_cpu(drv);
  out->cache_bytes = last_cache(cpu);
  out->cache_line_bytes = LINE_BYTES;
  out->clock_mhz = clock_mhz(cpu);
  out->half_flags |= out->half_flags ? KILN_FLOAT_FMA : 0; // fma() is fused on every host, if need be by a library
  out->float_flags |= KILN_FLOAT_FMA;
  out->pointers = KILN_POINTERS_PROCESS;
}
