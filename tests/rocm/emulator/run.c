// Joins the emulator to the stand-in for the runtime: runs what dispatch packets name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rocm/emulator/emulator.h"
#include "tests/rocm/standin.h"

enum { FIRST_GPU = 16, POOL_KERNARG = 100, POOL_DEVICE = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the emulator: one dispatch runs at a time

struct view { // what a device sees of memory
  hsa_agent_t agent;
  uint64_t begin, end; // of the block that was accessed last
};

static bool reaches(void *user, uint64_t address, uint64_t size) {
  struct view *view = user;
  if (address >= view->begin && address < view->end && size <= view->end - address)
    return true;
  const struct block *block = standin_block((const void *)(uintptr_t)address, size);
  if (!block || !(block->agents >> (view->agent.handle - FIRST_GPU) & 1))
    return false;
  view->begin = (uint64_t)(uintptr_t)block->base;
  view->end = view->begin + block->size;
  return true;
}

static void load(struct executable *e) {
  char error[256] = "";
  size_t size;
  const char *processor = strstr(e->object.target, "--");
  e->emulated = emulated_load(e->code, e->code_size, processor ? processor + 2 : "", error, sizeof error);
  CHECK(e->emulated, "%s", error);
  uint64_t gpu = e->agent.handle - FIRST_GPU;
  void *memory = emulated_memory(e->emulated, &size);
  standin_add_block(memory, size, POOL_DEVICE + gpu, UINT64_C(1) << gpu);
}

uint64_t standin_run_variable(struct executable *e, const char *name) {
  pthread_mutex_lock(&lock);
  if (!e->emulated)
    load(e);
  uint64_t address = emulated_variable(e->emulated, e->code, name);
  pthread_mutex_unlock(&lock);
  return address;
}

void standin_run_forget(struct executable *e) {
  size_t size;
  if (e->emulated)
    standin_remove_block(emulated_memory(e->emulated, &size));
  emulated_free(e->emulated);
  free(e->code);
}

static void check_packet(const hsa_kernel_dispatch_packet_t *packet, const struct kernel *kernel, hsa_agent_t agent) {
  CHECK(kernel && kernel->magic == KERNEL_MAGIC, "the packet has no kernel object");
  const struct kiln_rocm_kernel *code = kernel->code;
  CHECK(kernel->executable->magic == EXECUTABLE_MAGIC && kernel->executable->frozen, "the executable is gone");
  CHECK(kernel->executable->agent.handle == agent.handle, "%s is loaded on another device", code->name);
  CHECK(packet->group_segment_size >= code->local_bytes, "%s: local memory", code->name);
  CHECK(packet->private_segment_size >= code->private_bytes, "%s: scratch", code->name);
  const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
  const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z};
  unsigned dimensions = packet->setup & 3;
  CHECK(dimensions >= 1, "%s: no dimensions", code->name);
  for (unsigned d = 0; d < 3; d++) {
    CHECK(grid[d] && group[d], "%s: an empty grid", code->name);
    CHECK(d < dimensions || (grid[d] == 1 && group[d] == 1), "%s: dimension %u is not used", code->name, d);
    CHECK(!code->required_group_size[d] || code->required_group_size[d] == group[d], "%s: group size", code->name);
  }
  CHECK(group[0] * group[1] * group[2] <= code->max_group_size, "%s: groups of %u", code->name,
        group[0] * group[1] * group[2]);
  if (!code->kernarg_bytes)
    return;
  const struct block *memory = standin_block(packet->kernarg_address, code->kernarg_bytes);
  CHECK(memory && memory->pool == POOL_KERNARG, "%s: the arguments are not in kernarg memory", code->name);
  CHECK(memory->agents >> (agent.handle - FIRST_GPU) & 1, "%s: the device cannot reach the arguments", code->name);
  CHECK((uintptr_t)packet->kernarg_address % 16 == 0, "%s: the arguments are not aligned", code->name);
}

void standin_run(const hsa_kernel_dispatch_packet_t *packet, hsa_agent_t agent) {
  const struct kernel *kernel = (const struct kernel *)(uintptr_t)packet->kernel_object;
  check_packet(packet, kernel, agent);
  struct view view = {.agent = agent};
  struct emulated_launch launch = {
      .grid = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z},
      .group = {packet->workgroup_size_x, packet->workgroup_size_y, packet->workgroup_size_z},
      .local_bytes = packet->group_segment_size,
      .private_bytes = packet->private_segment_size,
      .kernarg = packet->kernarg_address,
      .packet = packet,
      .reaches = reaches,
      .user = &view,
  };
  char error[512] = "";
  pthread_mutex_lock(&lock);
  if (!kernel->executable->emulated)
    load(kernel->executable);
  CHECK(emulated_run(kernel->executable->emulated, kernel->code, &launch, error, sizeof error), "%s", error);
  pthread_mutex_unlock(&lock);
}
