// Memory objects: what buffers, sub-buffers and images have in common: their life, their bytes, queries.
//
// Where the devices of the context use host memory, an object is one piece of it, which each device's Kiln buffer
// wraps; the first one has allocated it, unless the application did (CL_MEM_USE_HOST_PTR). On another device (which has
// its context to itself) mappings are copies in host memory: the application's, or the object's own, made by the first
// map. The same holds for an image of the application's memory that is not aligned as its pixels are.
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

#define POINTER_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define HOST_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)

// ---- flags

static bool has_one_at_most(cl_mem_flags flags) { return !(flags & (flags - 1)); }

cl_int icd_mem_check_flags(cl_mem_flags flags) {
  if (flags & ~(cl_mem_flags)(ICD_ACCESS_FLAGS | POINTER_FLAGS | HOST_FLAGS))
    return CL_INVALID_VALUE;
  if (!has_one_at_most(flags & ICD_ACCESS_FLAGS) || !has_one_at_most(flags & HOST_FLAGS))
    return CL_INVALID_VALUE;
  if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

cl_int icd_mem_check_pointer(cl_mem_flags flags, const void *host_ptr) {
  return !host_ptr == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_int icd_mem_inherit(cl_mem_flags parent, cl_mem_flags flags, cl_mem_flags *out) {
  if (flags & POINTER_FLAGS || icd_mem_check_flags(flags) != CL_SUCCESS)
    return CL_INVALID_VALUE;
  if ((parent & CL_MEM_WRITE_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
      (parent & CL_MEM_READ_ONLY && flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
      (parent & CL_MEM_HOST_WRITE_ONLY && flags & CL_MEM_HOST_READ_ONLY) ||
      (parent & CL_MEM_HOST_READ_ONLY && flags & CL_MEM_HOST_WRITE_ONLY) ||
      (parent & CL_MEM_HOST_NO_ACCESS && flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
    return CL_INVALID_VALUE;
  *out = parent & POINTER_FLAGS;
  *out |= flags & ICD_ACCESS_FLAGS ? flags & ICD_ACCESS_FLAGS : parent & ICD_ACCESS_FLAGS;
  *out |= flags & HOST_FLAGS ? flags & HOST_FLAGS : parent & HOST_FLAGS;
  return CL_SUCCESS;
}

// ---- life

cl_mem icd_mem_new(cl_context context, cl_mem_flags flags, size_t size) {
  cl_mem mem = icd_object_new(ICD_MEM, sizeof *mem + context->device_count * sizeof *mem->buffers);
  if (!mem)
    return NULL;
  mem->context = context;
  mem->flags = flags & ICD_ACCESS_FLAGS ? flags : flags | CL_MEM_READ_WRITE;
  mem->size = size;
  mem->maps_copies = !context->devices[0]->info.host_memory;
  pthread_mutex_init(&mem->lock, NULL);
  icd_retain(context);
  return mem;
}

static cl_int copy_in(cl_mem mem, const void *data) {
  if (mem->host) {
    memcpy(mem->host, data, mem->size);
    return CL_SUCCESS;
  }
  const struct _cl_device_id *device = mem->context->devices[0];
  struct kiln_stream *stream;
  enum kiln_status status = kiln_stream_create(device->backend->kiln, device->index, &stream);
  if (status != KILN_OK)
    return icd_error(status);
  status = kiln_write(stream, mem->buffers[0], 0, data, mem->size, NULL);
  if (status == KILN_OK)
    status = kiln_stream_finish(stream);
  kiln_stream_release(stream);
  return icd_error(status);
}

cl_int icd_mem_allocate(cl_mem mem, void *host_ptr, size_t align) {
  const struct _cl_device_id *device = mem->context->devices[0];
  bool is_given = mem->flags & CL_MEM_USE_HOST_PTR;
  bool wraps = is_given && (uintptr_t)host_ptr % align == 0;
  struct kiln_buffer_desc desc = {.size = mem->size, .host = wraps ? host_ptr : NULL, .device = device->index};
  struct kiln_buffer *buffer;
  enum kiln_status status = kiln_buffer_create(device->backend->kiln, &desc, &buffer);
  if (status != KILN_OK)
    return status == KILN_ERR_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE : icd_error(status);
  mem->buffers[0] = buffer;
  mem->host = kiln_buffer_host(buffer);
  mem->maps_copies |= is_given && !wraps;
  if (is_given) {
    mem->host_ptr = host_ptr;
    mem->mapped = mem->maps_copies ? host_ptr : NULL;
  }
  bool copies = mem->flags & CL_MEM_COPY_HOST_PTR || (is_given && !wraps);
  return copies ? copy_in(mem, host_ptr) : CL_SUCCESS;
}

void icd_mem_attach(cl_mem mem, cl_mem parent, size_t origin) {
  icd_retain(parent);
  mem->parent = parent;
  mem->origin = origin;
  mem->host = parent->host ? parent->host + origin : NULL;
  mem->host_ptr = parent->host_ptr ? (unsigned char *)parent->host_ptr + origin : NULL;
  mem->maps_copies = parent->maps_copies;
}

struct kiln_buffer *icd_mem_buffer(cl_mem mem, uint32_t index) {
  struct kiln_buffer *buffer = atomic_load_explicit(&mem->buffers[index], memory_order_acquire);
  if (buffer)
    return buffer;
  struct kiln_buffer *parent = mem->parent ? icd_mem_buffer(mem->parent, index) : NULL;
  if (mem->parent && !parent)
    return NULL;
  pthread_mutex_lock(&mem->lock);
  buffer = atomic_load(&mem->buffers[index]);
  const struct _cl_device_id *device = mem->context->devices[index];
  struct kiln_buffer_desc desc = {.size = mem->size, .host = mem->host, .device = device->index};
  if (!buffer) {
    if (parent)
      kiln_buffer_sub(parent, mem->origin, mem->size, &buffer);
    else
      kiln_buffer_create(device->backend->kiln, &desc, &buffer);
    atomic_store(&mem->buffers[index], buffer);
  }
  pthread_mutex_unlock(&mem->lock);
  return buffer;
}

struct kiln_buffer *icd_mem_use(cl_mem mem, const struct _cl_command_queue *queue) {
  icd_mem_note(mem, queue);
  return icd_mem_buffer(mem, queue->index);
}

unsigned char *icd_mem_mapped(cl_mem mem) {
  if (!mem->maps_copies)
    return mem->host;
  cl_mem root = mem;
  size_t origin = 0;
  for (; root->parent; root = root->parent)
    origin += root->origin;
  pthread_mutex_lock(&root->lock);
  if (!root->mapped) {
    void *memory;
    if (posix_memalign(&memory, ICD_ALIGN, root->size) == 0) {
      root->mapped = memory;
      root->owns_mapped = true;
    }
  }
  unsigned char *mapped = root->mapped ? root->mapped + origin : NULL;
  pthread_mutex_unlock(&root->lock);
  return mapped;
}

// ---- properties of their making

// The driver knows no property: a list with one is an error.
cl_int icd_mem_take_properties(cl_context context, const cl_mem_properties *properties, cl_mem_properties **out) {
  *out = NULL;
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  if (properties && properties[0])
    return CL_INVALID_PROPERTY;
  *out = properties ? calloc(1, sizeof **out) : NULL;
  return properties && !*out ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

cl_mem icd_mem_with_properties(cl_mem mem, cl_mem_properties *properties) {
  if (mem) {
    mem->properties = properties;
    mem->property_count = properties ? 1 : 0;
  } else {
    free(properties);
  }
  return mem;
}

// ---- the end

// No command uses it any more, except those for which Kiln keeps it.
static void free_mem(cl_mem mem) {
  cl_context context = mem->context;
  icd_image_free(mem);
  for (uint32_t i = context->device_count; i-- > 0;)
    kiln_buffer_release(mem->buffers[i]);
  icd_keep_dying(mem);
  struct icd_destructor *destructor;
  while ((destructor = icd_destructor_take(&mem->destructors, &mem->lock))) {
    destructor->of_memory(mem, destructor->user);
    free(destructor);
  }
  while (mem->mappings) {
    struct icd_mapping *next = mem->mappings->next;
    free(mem->mappings);
    mem->mappings = next;
  }
  if (mem->owns_mapped)
    free(mem->mapped);
  cl_mem parent = mem->parent;
  free(mem->image);
  free(mem->properties);
  pthread_mutex_destroy(&mem->lock);
  icd_object_free(mem);
  if (parent)
    icd_mem_release(parent);
  icd_context_release(context);
}

static void lane_done(void *user, enum kiln_event_state state, enum kiln_status status) {
  (void)state, (void)status;
  cl_mem mem = user;
  if (atomic_fetch_sub(&mem->left, 1) == 1)
    free_mem(mem);
}

// As icd_lanes_watch, of all queues that have used the memory.
static bool watch_queues(cl_mem mem, struct kiln_event **untold) {
  cl_context context = mem->context;
  bool done = true;
  pthread_mutex_lock(&context->lock);
  for (cl_command_queue queue = context->queues; queue && done; queue = queue->next)
    if (atomic_load(&mem->queues) & queue->bit)
      done = icd_lanes_watch(queue, &mem->left, lane_done, mem, untold);
  pthread_mutex_unlock(&context->lock);
  return done;
}

void icd_mem_release(cl_mem mem) {
  if (!icd_drop(mem))
    return;
  if (mem->parent)
    atomic_fetch_or(&mem->parent->queues, atomic_load(&mem->queues));
  // Kiln keeps what pending commands use, but knows nothing of memory that is freed by others.
  atomic_store(&mem->left, 1); // so that no call under the lock is the last
  struct kiln_event *untold;
  if (mem->destructors || mem->owns_mapped || (mem->context->device_count > 1 && !mem->parent))
    while (!watch_queues(mem, &untold))
      icd_wait_untold(untold);
  lane_done(mem, KILN_EVENT_DONE, KILN_OK);
}

// ---- calls

cl_int clRetainMemObject(cl_mem mem) {
  if (!icd_is(mem, ICD_MEM))
    return CL_INVALID_MEM_OBJECT;
  icd_retain(mem);
  return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem mem) {
  if (!icd_is(mem, ICD_MEM))
    return CL_INVALID_MEM_OBJECT;
  icd_mem_release(mem);
  return CL_SUCCESS;
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *fn)(cl_mem, void *), void *user) {
  if (!icd_is(mem, ICD_MEM))
    return CL_INVALID_MEM_OBJECT;
  if (!fn)
    return CL_INVALID_VALUE;
  struct icd_destructor *destructor = malloc(sizeof *destructor);
  if (!destructor)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_lock(&mem->lock);
  *destructor = (struct icd_destructor){.next = mem->destructors, .of_memory = fn, .user = user};
  mem->destructors = destructor;
  pthread_mutex_unlock(&mem->lock);
  return CL_SUCCESS;
}

static cl_uint map_count(cl_mem mem) {
  pthread_mutex_lock(&mem->lock);
  cl_uint count = mem->map_count;
  pthread_mutex_unlock(&mem->lock);
  return count;
}

static bool uses_svm(cl_mem mem) {
  struct icd_svm svm;
  return mem->host_ptr && icd_svm_find(mem->context, mem->host_ptr, &svm) && !svm.type;
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info name, size_t size, void *value, size_t *size_ret) {
  if (!icd_is(mem, ICD_MEM))
    return CL_INVALID_MEM_OBJECT;
  const struct icd_answer answer = {size, value, size_ret};
  switch (name) {
    VALUE(CL_MEM_TYPE, cl_mem_object_type, mem->image ? mem->image->desc.image_type : CL_MEM_OBJECT_BUFFER)
    VALUE(CL_MEM_FLAGS, cl_mem_flags, mem->flags)
    VALUE(CL_MEM_SIZE, size_t, mem->size)
    VALUE(CL_MEM_HOST_PTR, void *, mem->host_ptr)
    VALUE(CL_MEM_MAP_COUNT, cl_uint, map_count(mem))
    VALUE(CL_MEM_REFERENCE_COUNT, cl_uint, atomic_load(&mem->object.refs))
    VALUE(CL_MEM_CONTEXT, cl_context, mem->context)
    VALUE(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, mem->parent)
    VALUE(CL_MEM_OFFSET, size_t, mem->origin)
    VALUE(CL_MEM_USES_SVM_POINTER, cl_bool, uses_svm(mem))
    BYTES(CL_MEM_PROPERTIES, mem->properties, mem->property_count * sizeof *mem->properties)
  }
  return CL_INVALID_VALUE;
}
