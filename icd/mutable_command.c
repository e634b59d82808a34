// Launches in command buffers that can be changed (cl_khr_command_buffer_mutable_dispatch).
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"
#include "icd/tables.h"

void icd_mutable_free(cl_mutable_command_khr command) {
  free(command->properties);
  icd_object_free(command);
}

// A call of clUpdateMutableCommandsKHR. What it replaces is let go without a lock: memory objects may end with it, and
// call the application.
struct update {
  cl_uint count;
  const struct icd_mutable_config *const *configs;
  struct icd_command **old; // room for count
  cl_uint old_count;
  struct icd_recording *left; // NULL: none
};

// ---- the new commands, beside those that are there

static cl_int check_config(cl_command_buffer_khr buffer, const struct icd_mutable_config *config) {
  cl_mutable_command_khr command = config->command;
  if (!icd_is(command, ICD_MUTABLE_COMMAND) || command->buffer != buffer)
    return CL_INVALID_MUTABLE_COMMAND_KHR;
  bool changes_args = config->arg_count || config->svm_arg_count;
  cl_mutable_dispatch_fields_khr fields = (config->offset ? CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR : 0) |
                                          (config->global ? CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR : 0) |
                                          (config->local ? CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR : 0) |
                                          (changes_args ? CL_MUTABLE_DISPATCH_ARGUMENTS_KHR : 0) |
                                          (config->exec_info_count ? CL_MUTABLE_DISPATCH_EXEC_INFO_KHR : 0);
  if (fields & ~command->fields || (config->work_dim && config->work_dim != command->range.dims))
    return CL_INVALID_OPERATION;
  if (!config->arg_count != !config->args || !config->svm_arg_count != !config->svm_args ||
      !config->exec_info_count != !config->exec_infos)
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

static void set_sizes(size_t to[3], const size_t *from, cl_uint dims) {
  if (from)
    memcpy(to, from, dims * sizeof *from);
}

// Whether all groups have the same size, as far as the application has asked for one.
static bool is_uniform(const struct icd_range *range) {
  bool uniform = true;
  for (cl_uint d = 0; d < range->dims; d++)
    uniform &= !range->local[d] || range->global[d] % range->local[d] == 0;
  return uniform;
}

static cl_int set_range(cl_command_buffer_khr buffer, const struct icd_mutable_config *config) {
  cl_mutable_command_khr command = config->command;
  struct icd_range *range = &command->other_range;
  for (cl_uint d = 0; config->local && d < range->dims; d++)
    if (!config->local[d])
      return CL_INVALID_WORK_GROUP_SIZE;
  set_sizes(range->offset, config->offset, range->dims);
  set_sizes(range->global, config->global, range->dims);
  set_sizes(range->local, config->local, range->dims);
  if (is_uniform(range) != is_uniform(&command->range))
    return CL_INVALID_OPERATION;
  return icd_launch_set_range(command->other, &buffer->recorder, range);
}

// Makes the changed command, or changes that again.
static cl_int change(cl_command_buffer_khr buffer, const struct icd_mutable_config *config) {
  cl_int status = check_config(buffer, config);
  if (status != CL_SUCCESS)
    return status;
  cl_mutable_command_khr command = config->command;
  if (!command->other) {
    command->other = icd_command_copy(buffer->recording->steps[command->position].command);
    command->other_range = command->range;
  }
  if (!command->other)
    return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < config->arg_count && status == CL_SUCCESS; i++)
    status = icd_launch_set_arg(command->other, config->args[i].index, config->args[i].size, config->args[i].value);
  for (cl_uint i = 0; i < config->svm_arg_count && status == CL_SUCCESS; i++)
    status = icd_launch_set_pointer(command->other, config->svm_args[i].index, config->svm_args[i].value);
  for (cl_uint i = 0; i < config->exec_info_count && status == CL_SUCCESS; i++) // which changes nothing of the kernel
    status = clSetKernelExecInfo(command->kernel, config->exec_infos[i].name, config->exec_infos[i].size,
                                 config->exec_infos[i].value);
  return status == CL_SUCCESS ? set_range(buffer, config) : status;
}

// ---- into the graph

static void swap(struct icd_step *step, cl_mutable_command_khr command) {
  struct icd_command *before = step->command;
  struct icd_range range = command->range;
  step->command = command->other;
  command->range = command->other_range;
  command->other = before;
  command->other_range = range;
  command->is_changed = !command->is_changed;
}

// All of them or none.
static cl_int change_graph(cl_command_buffer_khr buffer, const struct update *update) {
  struct icd_recording *recording = buffer->recording;
  cl_int status = CL_SUCCESS;
  cl_uint done = 0;
  for (; done < update->count && status == CL_SUCCESS; done++) {
    cl_mutable_command_khr command = update->configs[done]->command;
    struct icd_step *step = &recording->steps[command->position];
    if (command->is_changed)
      continue;
    status = icd_launch_replace(command->other, &buffer->recorder, recording->graph, step->index);
    if (status == CL_SUCCESS)
      swap(step, command);
  }
  atomic_store(&recording->queues, 0);
  for (cl_uint i = 0; i < done && status != CL_SUCCESS; i++) {
    cl_mutable_command_khr command = update->configs[i]->command;
    struct icd_step *step = &recording->steps[command->position];
    if (!command->is_changed)
      continue;
    // What was there was accepted before.
    (void)icd_launch_replace(command->other, &buffer->recorder, recording->graph, step->index);
    swap(step, command);
  }
  return status;
}

// Records all commands anew, the changed ones as they are now.
static cl_int change_recording(cl_command_buffer_khr buffer, struct update *update) {
  struct icd_recording *before = buffer->recording;
  cl_int status;
  struct icd_recording *made = icd_recording_new(buffer, &status);
  for (uint32_t i = 0; i < before->count && status == CL_SUCCESS; i++) {
    const struct icd_step *step = &before->steps[i];
    struct icd_command *copy =
        icd_command_copy(step->handle && step->handle->other ? step->handle->other : step->command);
    status = copy ? icd_recording_add(buffer, made, copy) : CL_OUT_OF_HOST_MEMORY;
    if (status == CL_SUCCESS)
      made->steps[i].handle = step->handle;
  }
  if (status == CL_SUCCESS)
    status = icd_recording_end(made);
  if (status != CL_SUCCESS) {
    update->left = made;
    return status;
  }
  for (uint32_t i = 0; i < made->count; i++) {
    cl_mutable_command_khr command = made->steps[i].handle;
    if (command && command->other)
      command->range = command->other_range;
  }
  buffer->recording = made;
  update->left = before;
  return CL_SUCCESS;
}

// ---- calls

static cl_int check_configs(cl_uint count, const cl_command_buffer_update_type_khr *types, const void **configs) {
  if (!count != !types || !count != !configs)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++)
    if (types[i] != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR || !configs[i])
      return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

// Under the lock.
static cl_int make_changes(cl_command_buffer_khr buffer, struct update *update) {
  cl_int status = CL_SUCCESS;
  cl_uint made = 0;
  for (; made < update->count && status == CL_SUCCESS; made++)
    status = change(buffer, update->configs[made]);
  struct icd_recording *recording = buffer->recording;
  if (status == CL_SUCCESS)
    status = recording->graph && atomic_load(&recording->refs) == 1 ? change_graph(buffer, update)
                                                                    : change_recording(buffer, update);
  for (cl_uint i = 0; i < made; i++) {
    cl_mutable_command_khr command = update->configs[i]->command;
    if (!icd_is(command, ICD_MUTABLE_COMMAND) || command->buffer != buffer || !command->other)
      continue;
    update->old[update->old_count++] = command->other;
    command->other = NULL;
    command->is_changed = false;
  }
  return status;
}

static cl_int update_commands(cl_command_buffer_khr buffer, cl_uint count, const void **configs) {
  struct update update = {count, (const struct icd_mutable_config *const *)configs};
  update.old = malloc((count + 1) * sizeof *update.old);
  if (!update.old)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_lock(&buffer->recorder.lock);
  cl_int status = make_changes(buffer, &update);
  pthread_mutex_unlock(&buffer->recorder.lock);
  while (update.old_count)
    icd_command_free(update.old[--update.old_count]);
  free(update.old);
  if (update.left)
    icd_recording_release(update.left);
  return status;
}

cl_int icd_clUpdateMutableCommandsKHR(cl_command_buffer_khr buffer, cl_uint config_count,
                                      const cl_command_buffer_update_type_khr *types, const void **configs) {
  if (!icd_is(buffer, ICD_COMMAND_BUFFER))
    return CL_INVALID_COMMAND_BUFFER_KHR;
  if (!(buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR))
    return CL_INVALID_OPERATION;
  pthread_mutex_lock(&buffer->recorder.lock);
  bool is_final = buffer->is_final; // it stays so
  pthread_mutex_unlock(&buffer->recorder.lock);
  cl_int status = is_final ? check_configs(config_count, types, configs) : CL_INVALID_OPERATION;
  return status == CL_SUCCESS && config_count ? update_commands(buffer, config_count, configs) : status;
}

cl_int icd_clGetMutableCommandInfoKHR(cl_mutable_command_khr command, cl_mutable_command_info_khr name, size_t size,
                                      void *value, size_t *size_ret) {
  if (!icd_is(command, ICD_MUTABLE_COMMAND))
    return CL_INVALID_MUTABLE_COMMAND_KHR;
  const struct icd_answer answer = {size, value, size_ret};
  pthread_mutex_lock(&command->buffer->recorder.lock);
  const struct icd_range range = command->range;
  pthread_mutex_unlock(&command->buffer->recorder.lock);
  switch (name) {
    VALUE(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, cl_command_queue, command->buffer->queue)
    VALUE(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, cl_command_buffer_khr, command->buffer)
    VALUE(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, cl_command_type, CL_COMMAND_NDRANGE_KERNEL)
    BYTES(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, command->properties,
          command->property_count * sizeof *command->properties)
    VALUE(CL_MUTABLE_DISPATCH_KERNEL_KHR, cl_kernel, command->kernel)
    VALUE(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, cl_uint, range.dims)
    BYTES(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, range.offset, range.dims * sizeof(size_t))
    BYTES(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, range.global, range.dims * sizeof(size_t))
    BYTES(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, range.local, range.dims * sizeof(size_t))
  }
  return CL_INVALID_VALUE;
}
