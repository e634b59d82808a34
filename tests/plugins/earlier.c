// The example plugin as it was built when ABI 6 began: its tables have what the version had then, and the memory behind
// each of them cannot be read. A new version begins with both ends at sizeof of the structs.
#include <kiln/backend.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef KILN_BACKEND_ENTRY
#define KILN_BACKEND_ENTRY(abi_version) static const struct kiln_base_backend *whole(uint32_t abi_version)
#include "passthrough.c"

#define TARGETS_END offsetof(struct kiln_base_backend, device_identity)
#define DRIVER_END offsetof(struct kiln_driver, image_formats)

// A copy of the first size bytes of a table, whose last byte is the last of its page.
static void *copy_at_end(const void *from, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || size > page || mprotect(pages + page, page, PROT_NONE))
    return NULL;
  return memcpy(pages + page - size, from, size);
}

KILN_API const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version);
const struct kiln_base_backend *kiln_backend_entry(uint32_t abi_version) {
  static struct kiln_base_backend *targets;
  static struct kiln_driver *driver;
  if (!whole(abi_version))
    return NULL;
  if (!targets) { // the pages stay until the process ends
    targets = copy_at_end(whole(abi_version), TARGETS_END);
    driver = copy_at_end(&passthrough_driver, DRIVER_END);
    if (!targets || !driver)
      return NULL;
    targets->struct_size = TARGETS_END;
    targets->driver = driver;
    driver->struct_size = DRIVER_END;
  }
  return targets;
}
