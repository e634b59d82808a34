// Commands on images of the device.
#include "backends/opencl/driver/driver.h"
#include "base/file.h"

// A copy on its way to the device, or a row of one.
struct transfer {
  struct cl_command command;
  struct kiln_drv_image_copy copy;
};

static const struct kiln_drv_pixels *image_side(const struct kiln_drv_image_copy *copy) {
  return copy->src.image ? &copy->src : &copy->dst;
}

static const struct kiln_drv_pixels *bytes_side(const struct kiln_drv_image_copy *copy) {
  return copy->src.image ? &copy->dst : &copy->src;
}

// Whether its bytes are as those of the pixels alone, one row and plane after the other.
static bool is_dense(const struct kiln_drv_image_copy *copy) {
  const struct kiln_drv_pixels *bytes = bytes_side(copy);
  size_t line = copy->region[0] * copy->pixel;
  return (copy->region[1] == 1 || bytes->row == line) &&
         (copy->region[2] == 1 || bytes->plane == line * copy->region[1]);
}

static enum kiln_status move(struct transfer *t) {
  struct cl_command *c = &t->command;
  const struct cl_api *api = &c->drv->api;
  const struct kiln_drv_pixels *src = &t->copy.src, *dst = &t->copy.dst, *bytes = bytes_side(&t->copy);
  const size_t *region = t->copy.region;
  cl_command_queue queue = c->stream->queue;
  size_t row = 0, plane = 0;
  if (!is_dense(&t->copy)) {
    row = bytes->row;
    plane = region[2] > 1 ? bytes->plane : 0;
  }
  const char *what;
  if (src->image && dst->image) {
    what = "copying between images";
    c->code = api->clEnqueueCopyImage(queue, src->image->mem, dst->image->mem, src->origin, dst->origin, region, 0,
                                      NULL, &c->handle);
  } else if (src->image && dst->memory) {
    what = "copying from an image";
    c->code = api->clEnqueueCopyImageToBuffer(queue, src->image->mem, dst->memory->mem, src->origin, region,
                                              dst->offset, 0, NULL, &c->handle);
  } else if (src->image) {
    what = "reading from an image";
    c->code = api->clEnqueueReadImage(queue, src->image->mem, CL_FALSE, src->origin, region, row, plane,
                                      (char *)dst->host + dst->offset, 0, NULL, &c->handle);
  } else if (src->memory) {
    what = "copying to an image";
    c->code = api->clEnqueueCopyBufferToImage(queue, src->memory->mem, dst->image->mem, src->offset, dst->origin,
                                              region, 0, NULL, &c->handle);
  } else {
    what = "writing to an image";
    c->code = api->clEnqueueWriteImage(queue, dst->image->mem, CL_FALSE, dst->origin, region, row, plane,
                                       (const char *)src->host + src->offset, 0, NULL, &c->handle);
  }
  return kiln_cl_command_end(c, what);
}

// OpenCL knows no gaps between rows in a buffer, and has the layers of an array of rows as planes.
static bool goes_by_rows(const struct kiln_drv_image_copy *copy) {
  if ((copy->src.image && copy->dst.image) || is_dense(copy))
    return false;
  return bytes_side(copy)->memory || image_side(copy)->image->is_row;
}

static struct transfer row_of(const struct transfer *all, size_t y, size_t z) {
  struct transfer row = *all;
  struct kiln_drv_pixels *sides[] = {&row.copy.src, &row.copy.dst};
  for (int i = 0; i < 2; i++) {
    sides[i]->origin[1] += y;
    sides[i]->origin[2] += z;
    sides[i]->offset += y * sides[i]->row + z * sides[i]->plane;
  }
  row.copy.region[1] = row.copy.region[2] = 1;
  return row;
}

enum kiln_status kiln_cl_image_copy(struct kiln_drv *drv, struct kiln_drv_stream *stream,
                                    const struct kiln_drv_image_copy *copy, KILN_CL_EVENT_ARGS) {
  struct transfer all = {kiln_cl_command(drv, stream, event, report), *copy};
  if (all.command.status)
    return all.command.status;
  if (!goes_by_rows(copy))
    return move(&all);
  for (size_t z = 0; z < copy->region[2]; z++)
    for (size_t y = 0; y < copy->region[1]; y++) {
      struct transfer row = row_of(&all, y, z);
      if (z < copy->region[2] - 1 || y < copy->region[1] - 1) // the last row's event is that of the copy
        row.command.event = NULL;
      enum kiln_status status = move(&row);
      if (status) {
        drv->api.clFinish(stream->queue); // the caller takes the command for one that does not run
        return status;
      }
    }
  return KILN_OK;
}

enum kiln_status kiln_cl_image_fill(struct kiln_drv *drv, struct kiln_drv_stream *stream, struct kiln_drv_memory *image,
                                    const size_t origin[3], const size_t region[3], const union kiln_pixel *pixel,
                                    KILN_CL_EVENT_ARGS) {
  struct cl_command c = kiln_cl_command(drv, stream, event, report);
  if (!c.status)
    c.code = drv->api.clEnqueueFillImage(stream->queue, image->mem, pixel, origin, region, 0, NULL, &c.handle);
  return kiln_cl_command_end(&c, "filling an image");
}
