// Agents and memory of a host that uses HSA itself, or HIP, whose device memory is HSA's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/driver/driver.h"
#include "backends/rocm/driver/exports.h"
#include "base/c_locale.h"

// ---- agents

// "0000:c1:00.0", as HIP writes it; "" where the runtime does not tell.
static void pci_of(const struct kiln_hsa *hsa, hsa_agent_t agent, char out[16]) {
  uint32_t place = 0, domain = 0;
  out[0] = 0;
  if (hsa->hsa_agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_BDFID, &place) != HSA_STATUS_SUCCESS)
    return;
  hsa->hsa_agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DOMAIN, &domain);
  snprintf(out, 16, "%04x:%02x:%02x.%x", (unsigned)domain & 0xffff, (unsigned)place >> 8 & 0xff,
           (unsigned)place >> 3 & 0x1f, (unsigned)place & 7);
}

struct agent_search {
  const struct kiln_hsa *hsa;
  const struct kiln_native_context *native;
  hsa_agent_t found;
};

static hsa_status_t see_agent(hsa_agent_t agent, void *user) {
  struct agent_search *search = user;
  const struct kiln_native_context *native = search->native;
  hsa_device_type_t type;
  char pci[16];
  if (search->hsa->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) || type != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  pci_of(search->hsa, agent, pci);
  bool is_it = native->agent ? native->agent == agent.handle : *pci && kiln_same_but_for_case(native->pci, pci);
  if (is_it)
    search->found = agent;
  return is_it ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

struct isa_search {
  const struct kiln_hsa *hsa;
  char *name; // 96 bytes
};

static hsa_status_t see_isa(hsa_isa_t isa, void *user) {
  const struct isa_search *search = user;
  uint32_t length = 0;
  if (search->hsa->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) || length >= 96 ||
      search->hsa->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, search->name))
    return HSA_STATUS_SUCCESS;
  search->name[length] = 0;
  return HSA_STATUS_INFO_BREAK;
}

enum kiln_status kiln_rocm_native_agent(const struct kiln_hsa *hsa, const struct kiln_native_context *native,
                                        hsa_agent_t *out, char isa[96], struct kiln_report *report) {
  struct agent_search search = {.hsa = hsa, .native = native};
  if (!native->agent && !native->pci[0])
    return kiln_fail(report, KILN_ERR_INVALID, "the handles name neither an agent nor a PCI address");
  hsa->hsa_iterate_agents(see_agent, &search);
  if (!search.found.handle && native->agent)
    return kiln_fail(report, KILN_ERR_INVALID, "HSA lists no GPU whose agent is 0x%llx",
                     (unsigned long long)native->agent);
  if (!search.found.handle)
    return kiln_fail(report, KILN_ERR_INVALID, "HSA lists no GPU at the PCI address '%.15s'", native->pci);
  isa[0] = 0;
  hsa->hsa_agent_iterate_isas(search.found, see_isa, &(struct isa_search){hsa, isa});
  *out = search.found;
  return KILN_OK;
}

enum kiln_status kiln_rocm_native_target(const struct kiln_native_context *native, struct kiln_target *out,
                                         struct kiln_report *report) {
  struct kiln_hsa hsa;
  hsa_agent_t agent;
  char isa[96];
  enum kiln_status status = kiln_hsa_load(&hsa, report);
  if (status)
    return status;
  status = kiln_rocm_native_agent(&hsa, native, &agent, isa, report);
  hsa.hsa_shut_down();
  if (status)
    return status;
  char *name = strstr(isa, "gfx");
  if (!name)
    return kiln_fail(report, KILN_ERR_UNSUPPORTED, "HSA does not name the processor of the agent");
  name[strcspn(name, ":")] = 0; // code that runs with any setting of its features, as without handles
  return kiln_rocm_make_target(name, out, report);
}

void kiln_rocm_device_native(struct kiln_drv *drv, uint32_t device, struct kiln_native_context *out) {
  hsa_agent_t agent = drv->devices[device].agent;
  *out = (struct kiln_native_context){.runtime = KILN_RUNTIME_HSA, .agent = agent.handle};
  pci_of(&drv->hsa, agent, out->pci);
}

// ---- memory and queues

enum kiln_status kiln_rocm_wrap_memory(struct kiln_drv *drv, uint32_t device, void *native, size_t *size,
                                       struct kiln_drv_memory **out, struct kiln_report *report) {
  const struct kiln_rocm_device *d = &drv->devices[device];
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  hsa_status_t status = drv->hsa.hsa_amd_pointer_info(native, &info, NULL, NULL, NULL);
  if (status != HSA_STATUS_SUCCESS)
    return kiln_fail(report, KILN_ERR_DEVICE, "HSA does not say what is at %p: %s", native,
                     kiln_hsa_text(&drv->hsa, status));
  if (info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
    return kiln_fail(report, KILN_ERR_INVALID, "%p is no memory that HSA or HIP allocated", native);
  if (info.agentOwner.handle != d->agent.handle)
    return kiln_fail(report, KILN_ERR_INVALID, "the memory at %p does not lie on device %u ('%s')", native,
                     (unsigned)device, d->name);
  size_t rest = (size_t)((uintptr_t)info.agentBaseAddress + info.sizeInBytes - (uintptr_t)native);
  if (*size > rest)
    return kiln_fail(report, KILN_ERR_INVALID, "%zu bytes are left at %p, not %zu", rest, native, *size);
  struct kiln_drv_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return kiln_fail(report, KILN_ERR_MEMORY, "out of memory for a buffer");
  *size = *size ? *size : rest;
  *memory = (struct kiln_drv_memory){.drv = drv, .device = device, .address = native, .is_hosts = true, .size = *size};
  *out = memory;
  return KILN_OK;
}

// Memory that HSA knows of, of the device or of the host.
bool kiln_rocm_takes_pointer(struct kiln_drv *drv, uint32_t device, const void *pointer) {
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  hsa_device_type_t type;
  if (drv->hsa.hsa_amd_pointer_info((void *)(uintptr_t)pointer, &info, NULL, NULL, NULL) != HSA_STATUS_SUCCESS ||
      info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
    return false;
  return info.agentOwner.handle == drv->devices[device].agent.handle ||
         (drv->hsa.hsa_agent_get_info(info.agentOwner, HSA_AGENT_INFO_DEVICE, &type) == HSA_STATUS_SUCCESS &&
          type == HSA_DEVICE_TYPE_CPU);
}

void *kiln_rocm_memory_native(struct kiln_drv *drv, struct kiln_drv_memory *memory) {
  (void)drv;
  return memory->address;
}

void *kiln_rocm_stream_native(struct kiln_drv *drv, struct kiln_drv_stream *stream) {
  (void)drv;
  pthread_mutex_lock(&stream->lock);
  void *queue = stream->queue;
  pthread_mutex_unlock(&stream->lock);
  return queue;
}
