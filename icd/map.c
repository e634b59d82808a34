// Mapping memory objects into the application's memory, and unmapping them.
#include <stdlib.h>

#include "icd/icd.h"

#define WRITING_FLAGS (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

struct map {
  struct icd_command command;
  cl_mem mem;
  struct icd_box box;
  unsigned char *pointer;
  bool moves; // where mappings are copies: bytes come or go
};

static bool keep(struct icd_command *copy) {
  icd_retain(((struct map *)copy)->mem);
  return true;
}

static void drop(struct icd_command *copy) { icd_mem_release(((struct map *)copy)->mem); }

// ---- running

static enum kiln_status move_pixels(const struct map *m, cl_command_queue queue, bool reads,
                                    struct kiln_event **event) {
  const struct icd_image *image = m->mem->image;
  struct kiln_image *kiln = icd_image_use(m->mem, queue);
  struct kiln_image_region region;
  for (int d = 0; d < 3; d++) {
    region.origin[d] = m->box.origin[d];
    region.size[d] = m->box.size[d];
  }
  const struct kiln_layout layout = {.row = image->step[1], .plane = image->step[2]};
  struct kiln_stream *stream = queue->lane->stream;
  return reads ? kiln_image_read(stream, kiln, &region, m->pointer, &layout, event)
               : kiln_image_write(stream, kiln, &region, m->pointer, &layout, event);
}

static enum kiln_status move_bytes(const struct map *m, cl_command_queue queue, bool reads, struct kiln_event **event) {
  struct kiln_buffer *buffer = icd_mem_use(m->mem, queue);
  struct kiln_stream *stream = queue->lane->stream;
  size_t offset = m->box.origin[0], size = m->box.size[0];
  return reads ? kiln_read(stream, buffer, offset, m->pointer, size, event)
               : kiln_write(stream, buffer, offset, m->pointer, size, event);
}

// Where mappings are copies, the bytes come when they are mapped and go back when they are unmapped.
static cl_int run_map(const struct icd_command *command, cl_command_queue queue, struct kiln_event **event) {
  const struct map *m = (const struct map *)command;
  if (!m->moves || !m->mem->maps_copies)
    return icd_run_mark(command, queue, event);
  bool reads = command->type != CL_COMMAND_UNMAP_MEM_OBJECT;
  return icd_error(m->mem->image ? move_pixels(m, queue, reads, event) : move_bytes(m, queue, reads, event));
}

static const struct icd_command_ops map_ops = {.size = sizeof(struct map), .run = run_map, .keep = keep, .drop = drop};

// ---- the mappings of an object

// Whether both are mapped for writing and have something in common.
static bool clash(const struct icd_mapping *a, const struct icd_mapping *b) {
  return a->flags & WRITING_FLAGS && b->flags & WRITING_FLAGS && icd_boxes_overlap(&a->box, &b->box);
}

static cl_int add_mapping(cl_mem mem, const struct icd_mapping *wanted) {
  struct icd_mapping *mapping = malloc(sizeof *mapping);
  if (!mapping)
    return CL_OUT_OF_HOST_MEMORY;
  *mapping = *wanted;
  pthread_mutex_lock(&mem->lock);
  mapping->next = mem->mappings;
  const struct icd_mapping *other = mem->mappings;
  while (other && !clash(mapping, other))
    other = other->next;
  if (!other) {
    mem->mappings = mapping;
    mem->map_count++;
  }
  pthread_mutex_unlock(&mem->lock);
  if (!other)
    return CL_SUCCESS;
  free(mapping);
  return CL_INVALID_OPERATION;
}

// False: the pointer was not mapped.
static bool take_mapping(cl_mem mem, const void *pointer, struct icd_mapping *out) {
  pthread_mutex_lock(&mem->lock);
  struct icd_mapping **at = &mem->mappings;
  while (*at && (*at)->pointer != pointer)
    at = &(*at)->next;
  struct icd_mapping *found = *at;
  if (found) {
    *out = *found;
    *at = found->next;
    mem->map_count--;
  }
  pthread_mutex_unlock(&mem->lock);
  free(found);
  return found != NULL;
}

// ---- calls

bool icd_are_map_flags(cl_map_flags flags) {
  const cl_map_flags keeping = CL_MAP_READ | CL_MAP_WRITE;
  return flags == CL_MAP_WRITE_INVALIDATE_REGION || !(flags & ~keeping);
}

static cl_int check_access(cl_mem mem, cl_map_flags flags) {
  cl_int status = flags & CL_MAP_READ ? icd_check_host(mem, CL_MEM_HOST_READ_ONLY) : CL_SUCCESS;
  return status == CL_SUCCESS && flags & WRITING_FLAGS ? icd_check_host(mem, CL_MEM_HOST_WRITE_ONLY) : status;
}

// Maps a box that begins at this offset of the object's bytes.
static void *map(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, const struct icd_box *box,
                 size_t offset, const struct icd_wait_list *list, cl_int *errcode_ret) {
  unsigned char *mapped = icd_mem_mapped(mem);
  if (!mapped)
    return icd_give(NULL, CL_MAP_FAILURE, errcode_ret);
  struct icd_mapping mapping = {NULL, mapped + offset, *box, flags};
  cl_int status = add_mapping(mem, &mapping);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  cl_command_type type = mem->image ? CL_COMMAND_MAP_IMAGE : CL_COMMAND_MAP_BUFFER;
  struct map m = {{&map_ops, type}, mem, *box, mapping.pointer, true};
  status = icd_enqueue(queue, &m.command, list, blocking);
  if (status != CL_SUCCESS)
    take_mapping(mem, mapping.pointer, &mapping);
  return icd_give(status == CL_SUCCESS ? mapping.pointer : NULL, status, errcode_ret);
}

static cl_int check_buffer_map(cl_command_queue queue, cl_mem mem, cl_map_flags flags, size_t offset, size_t size) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_buffer(queue, mem);
  if (status != CL_SUCCESS)
    return status;
  if (!icd_are_map_flags(flags) || !size)
    return CL_INVALID_VALUE;
  status = icd_check_range(mem, offset, size);
  return status == CL_SUCCESS ? check_access(mem, flags) : status;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint count, const cl_event *events, cl_event *event, cl_int *errcode_ret) {
  cl_int status = check_buffer_map(queue, mem, flags, offset, size);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  const struct icd_box box = {{offset, 0, 0}, {size, 1, 1}};
  return map(queue, mem, blocking, flags, &box, offset, &(struct icd_wait_list){count, events, event}, errcode_ret);
}

static cl_int check_image_map(cl_command_queue queue, cl_mem mem, cl_map_flags flags, const size_t *origin,
                              const size_t *region, const size_t *row_pitch, const size_t *slice_pitch,
                              struct icd_box *box) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_is_image(mem) ? icd_check_mem(queue, mem) : CL_INVALID_MEM_OBJECT;
  if (status != CL_SUCCESS)
    return status;
  if (!icd_are_map_flags(flags) || !row_pitch || (icd_image_has_slices(mem->image) && !slice_pitch))
    return CL_INVALID_VALUE;
  status = icd_image_box(mem->image, origin, region, box);
  return status == CL_SUCCESS ? check_access(mem, flags) : status;
}

void *clEnqueueMapImage(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, const size_t *origin,
                        const size_t *region, size_t *row_pitch, size_t *slice_pitch, cl_uint count,
                        const cl_event *events, cl_event *event, cl_int *errcode_ret) {
  struct icd_box box;
  cl_int status = check_image_map(queue, mem, flags, origin, region, row_pitch, slice_pitch, &box);
  if (status != CL_SUCCESS)
    return icd_give(NULL, status, errcode_ret);
  const struct icd_image *image = mem->image;
  size_t offset = 0;
  for (int d = 0; d < 3; d++)
    offset += box.origin[d] * image->step[d];
  void *pointer =
      map(queue, mem, blocking, flags, &box, offset, &(struct icd_wait_list){count, events, event}, errcode_ret);
  if (pointer) {
    *row_pitch = image->desc.image_row_pitch;
    if (slice_pitch)
      *slice_pitch = image->desc.image_slice_pitch;
  }
  return pointer;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint count, const cl_event *events,
                               cl_event *event) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  cl_int status = icd_check_mem(queue, mem);
  if (status != CL_SUCCESS)
    return status;
  struct icd_mapping mapping;
  if (!take_mapping(mem, pointer, &mapping))
    return CL_INVALID_VALUE;
  struct map m = {{&map_ops, CL_COMMAND_UNMAP_MEM_OBJECT}, mem, mapping.box, pointer, mapping.flags & WRITING_FLAGS};
  status = icd_enqueue(queue, &m.command, &(struct icd_wait_list){count, events, event}, false);
  if (status != CL_SUCCESS)
    add_mapping(mem, &mapping);
  return status;
}
