// cl_khr_command_buffer 0.9.8 and cl_khr_command_buffer_mutable_dispatch 0.9.5 as the specification declares them, for
// the driver and its tests. Of what the headers of Debian (version 0.9.0) and later ones declare, names with the same
// meaning are repeated; structs and functions that differ between versions have names of their own. After CL/cl.h.
#ifndef KILN_ICD_COMMAND_BUFFER_H
#define KILN_ICD_COMMAND_BUFFER_H

typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;
typedef struct _cl_mutable_command_khr *cl_mutable_command_khr;
typedef cl_uint cl_sync_point_khr;
typedef cl_uint cl_command_buffer_info_khr;
typedef cl_uint cl_command_buffer_state_khr;
typedef cl_uint cl_command_buffer_update_type_khr;
typedef cl_uint cl_mutable_command_info_khr;
typedef cl_properties cl_command_buffer_properties_khr;
typedef cl_properties cl_command_properties_khr;
typedef cl_bitfield cl_command_buffer_flags_khr;
typedef cl_bitfield cl_device_command_buffer_capabilities_khr;
typedef cl_bitfield cl_mutable_dispatch_fields_khr;
typedef cl_bitfield cl_mutable_dispatch_asserts_khr;

// Devices
#define CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR 0x12A9
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#define CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR 0x12AA
#define CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR 0x12B0
#define CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR (1 << 0)
#define CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR (1 << 2)

// Codes
#define CL_INVALID_COMMAND_BUFFER_KHR -1138
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#define CL_INVALID_MUTABLE_COMMAND_KHR -1141

// Command buffers
#define CL_COMMAND_COMMAND_BUFFER_KHR 0x12A8
#define CL_COMMAND_BUFFER_FLAGS_KHR 0x1293
#define CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR (1 << 0)
#define CL_COMMAND_BUFFER_MUTABLE_KHR (1 << 1)
#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR (1 << 2)
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B7
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#define CL_COMMAND_BUFFER_QUEUES_KHR 0x1294
#define CL_COMMAND_BUFFER_NUM_QUEUES_KHR 0x1295
#define CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR 0x1296
#define CL_COMMAND_BUFFER_STATE_KHR 0x1297
#define CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR 0x1298
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#define CL_COMMAND_BUFFER_STATE_RECORDING_KHR 0
#define CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR 1
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2

// Commands that can be changed
#define CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR 0x12B1
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR 0x12B8
#define CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR (1 << 0)
#define CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR (1 << 1)
#define CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR (1 << 2)
#define CL_MUTABLE_DISPATCH_ARGUMENTS_KHR (1 << 3)
#define CL_MUTABLE_DISPATCH_EXEC_INFO_KHR (1 << 4)
#define CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR 0x12A0
#define CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR 0x12A1
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 0x12A2
#define CL_MUTABLE_DISPATCH_KERNEL_KHR 0x12A3
#define CL_MUTABLE_DISPATCH_DIMENSIONS_KHR 0x12A4
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR 0x12A5
#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR 0x12A6
#define CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR 0x12A7
#define CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR 0x12AD
#undef CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR // 1 in older versions
#define CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR 0

// cl_mutable_dispatch_arg_khr, cl_mutable_dispatch_exec_info_khr, cl_mutable_dispatch_config_khr
struct icd_mutable_arg {
  cl_uint index;
  size_t size;
  const void *value;
};
struct icd_mutable_exec_info {
  cl_uint name;
  size_t size;
  const void *value;
};
struct icd_mutable_config {
  cl_mutable_command_khr command;
  cl_uint arg_count, svm_arg_count, exec_info_count;
  cl_uint work_dim; // 0: as it is
  const struct icd_mutable_arg *args, *svm_args;
  const struct icd_mutable_exec_info *exec_infos;
  const size_t *offset, *global, *local; // NULL: as they are
};

// The functions of the driver, which clGetExtensionFunctionAddressForPlatform gives under their names without icd_.
#define ENTRY(result, name, parameters) result CL_API_CALL icd_##name parameters;
#include "icd/command_buffer.def"

#endif
