// What Linux tells of CPUs in /sys: which share a part of the machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

#define MAX_NODES 1024
#define MAX_CACHES 16 // of a CPU
#define LIST_SIZE 8192

static const struct {
  cl_device_affinity_domain domain;
  int level; // of the cache; 0: a NUMA node
} domains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0},     {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 4},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 3}, {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 2},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 1},
};
#define DOMAIN_COUNT (sizeof domains / sizeof *domains)

// ---- what the system tells

// The first line of a file, "" when there is none.
static void read_line(char *text, size_t size, const char *format, unsigned a, unsigned b) {
  char path[128];
  snprintf(path, sizeof path, format, a, b);
  FILE *file = fopen(path, "re");
  if (!file || !fgets(text, (int)size, file))
    text[0] = 0;
  if (file)
    fclose(file);
}

// "0-3,8"
static void read_list(const char *text, cpu_set_t *out) {
  CPU_ZERO(out);
  while (*text >= '0' && *text <= '9') {
    char *end;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (*end == '-')
      last = strtoul(end + 1, &end, 10);
    for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
      CPU_SET(i, out);
    text = end + (*end == ',');
  }
}

static bool node_of(unsigned cpu, cpu_set_t *out) {
  char text[LIST_SIZE];
  for (unsigned node = 0; node < MAX_NODES; node++) {
    read_line(text, sizeof text, "/sys/devices/system/node/node%u/cpulist", node, 0);
    read_list(text, out);
    if (CPU_ISSET(cpu, out))
      return true;
  }
  return false;
}

static bool cache_of(unsigned cpu, int level, cpu_set_t *out) {
  char text[LIST_SIZE];
  for (unsigned i = 0; i < MAX_CACHES; i++) {
    read_line(text, sizeof text, "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, i);
    if (atoi(text) != level)
      continue;
    read_line(text, sizeof text, "/sys/devices/system/cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, i);
    read_list(text, out);
    if (CPU_ISSET(cpu, out))
      return true;
  }
  return false;
}

// ---- parts of a device

// The CPUs of the device by their share in a domain, at most max of them into out (may be NULL). Returns how many parts
// there are; 0: some CPU is in none.
static cl_uint part(const struct _cl_device_id *device, int level, cl_uint max, cpu_set_t *out) {
  cpu_set_t left = device->cpus;
  cl_uint count = 0;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    cpu_set_t shared;
    if (!CPU_ISSET(cpu, &left))
      continue;
    if (!(level ? cache_of(cpu, level, &shared) : node_of(cpu, &shared)))
      return 0;
    CPU_AND(&shared, &shared, &left);
    CPU_XOR(&left, &left, &shared);
    if (out && count < max)
      out[count] = shared;
    count++;
  }
  return count;
}

cl_device_affinity_domain icd_affinity_domains(const struct _cl_device_id *device) {
  cl_device_affinity_domain all = 0;
  for (size_t i = 0; i < DOMAIN_COUNT; i++)
    if (part(device, domains[i].level, 0, NULL) > 1)
      all |= domains[i].domain;
  return all ? all | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0;
}

cl_uint icd_affinity_parts(const struct _cl_device_id *device, cl_device_affinity_domain *domain, cl_uint max,
                           cpu_set_t *out) {
  bool any = *domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
  for (size_t i = 0; i < DOMAIN_COUNT; i++) {
    cl_uint count = any || *domain == domains[i].domain ? part(device, domains[i].level, max, out) : 0;
    if (count > 1) {
      *domain = domains[i].domain;
      return count;
    }
  }
  return 0;
}

char *icd_affinity_list(const cpu_set_t *cpus) {
  char *text = malloc(LIST_SIZE);
  size_t size = 0;
  for (unsigned cpu = 0; text && cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, cpus))
      size += (size_t)snprintf(text + size, LIST_SIZE - size, "%s%u", size ? "," : "", cpu);
  return text;
}
