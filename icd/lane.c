// The streams of a queue. Commands of a queue out of order go to a lane that has nothing to do, after what they wait
// for if nothing else came after that, else to one after the other.
#include "icd/icd.h"

#include <sched.h>

static cl_int open_lane(cl_command_queue queue) {
  struct icd_lane *lane = &queue->lanes[queue->lane_count];
  enum kiln_status status = kiln_stream_create(queue->device->backend->kiln, queue->device->index, &lane->stream);
  if (status == KILN_OK && queue->barrier) {
    status = kiln_stream_wait(lane->stream, queue->barrier);
    if (status != KILN_OK)
      kiln_stream_release(lane->stream);
  }
  if (status != KILN_OK)
    return icd_error(status);
  lane->queue = queue;
  queue->lane_count++;
  return CL_SUCCESS;
}

cl_int icd_lanes_open(cl_command_queue queue) {
  cl_int status = open_lane(queue);
  queue->lane = &queue->lanes[0];
  return status;
}

void icd_lanes_close(cl_command_queue queue) {
  for (uint32_t i = 0; i < queue->lane_count; i++) {
    kiln_stream_release(queue->lanes[i].stream);
    kiln_event_release(queue->lanes[i].last);
  }
  kiln_event_release(queue->barrier);
}

cl_int icd_lanes_finish(cl_command_queue queue) {
  cl_int status = CL_SUCCESS;
  for (uint32_t i = 0; i < queue->lane_count; i++) {
    cl_int one = icd_error(kiln_stream_finish(queue->lanes[i].stream));
    status = status == CL_SUCCESS ? one : status;
  }
  return status;
}

void icd_wait_untold(struct kiln_event *untold) {
  if (untold)
    kiln_event_wait(untold);
  else
    sched_yield(); // until there is memory again
  kiln_event_release(untold);
}

bool icd_lanes_watch(cl_command_queue queue, _Atomic uint32_t *left, kiln_event_fn *fn, void *user,
                     struct kiln_event **untold) {
  for (uint32_t i = 0; i < queue->lane_count; i++) {
    struct kiln_event *mark = NULL;
    enum kiln_status status = kiln_stream_record(queue->lanes[i].stream, &mark);
    bool is_busy = status == KILN_OK && !kiln_event_done(mark);
    if (is_busy) {
      atomic_fetch_add(left, 1);
      status = kiln_event_notify(mark, KILN_EVENT_DONE, fn, user);
      if (status != KILN_OK)
        atomic_fetch_sub(left, 1);
    }
    if (is_busy ? status != KILN_OK : status == KILN_ERR_MEMORY) {
      *untold = mark;
      return false;
    }
    kiln_event_release(mark); // a stream that takes no more commands, for another reason, runs none either
  }
  return true;
}

static bool is_idle(const struct icd_lane *lane) { return !lane->last || kiln_event_done(lane->last); }

struct icd_lane *icd_lane_choose(cl_command_queue queue, cl_uint count, const cl_event *events) {
  for (cl_uint i = 0; i < count; i++)
    if (events[i]->queue == queue && events[i]->kiln && events[i]->lane->last == events[i]->kiln)
      return events[i]->lane;
  for (uint32_t i = 0; i < queue->lane_count; i++)
    if (is_idle(&queue->lanes[i]))
      return &queue->lanes[i];
  if (queue->lane_count < ICD_MAX_LANES && open_lane(queue) == CL_SUCCESS)
    return &queue->lanes[queue->lane_count - 1];
  return &queue->lanes[queue->next_lane++ % queue->lane_count];
}

cl_int icd_lane_join(struct icd_lane *lane) {
  cl_command_queue queue = lane->queue;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < queue->lane_count && status == KILN_OK; i++)
    if (&queue->lanes[i] != lane && !is_idle(&queue->lanes[i]))
      status = kiln_stream_wait(lane->stream, queue->lanes[i].last);
  return icd_error(status);
}

cl_int icd_lane_fork(struct icd_lane *lane) {
  cl_command_queue queue = lane->queue;
  kiln_event_retain(lane->last);
  kiln_event_release(queue->barrier);
  queue->barrier = lane->last;
  enum kiln_status status = KILN_OK;
  for (uint32_t i = 0; i < queue->lane_count && status == KILN_OK; i++)
    if (&queue->lanes[i] != lane)
      status = kiln_stream_wait(queue->lanes[i].stream, queue->barrier);
  return icd_error(status);
}
