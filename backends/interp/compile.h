// The compile side of the interpreter: slots of struct kiln_base_backend.
#ifndef KILN_BACKENDS_INTERP_COMPILE_H
#define KILN_BACKENDS_INTERP_COMPILE_H

#include "kiln/backend.h"

enum { INTERP_MAX_STEPS, INTERP_RACES, INTERP_STRICT_BARRIERS, INTERP_EQUAL_STORES, KILN_INTERP_OPTION_COUNT };
extern const struct kiln_option kiln_interp_options[KILN_INTERP_OPTION_COUNT];

enum kiln_status kiln_interp_make_target(const char *arch, struct kiln_target *out, struct kiln_report *report);
enum kiln_status kiln_interp_detect_target(struct kiln_target *out, struct kiln_report *report);
bool kiln_interp_supports_target(const struct kiln_target *target);
void kiln_interp_list_targets(kiln_name_fn *fn, void *user);
void kiln_interp_caps(const struct kiln_target *target, struct kiln_caps *out);
uint32_t kiln_interp_pipeline_fragments(const struct kiln_target *target, const struct kiln_options *options,
                                        const struct kiln_fragment **out);
uint32_t kiln_interp_runtime_libs(const struct kiln_target *target, struct kiln_runtime_lib *out, uint32_t capacity);
enum kiln_status kiln_interp_hash(const struct kiln_target *target, const struct kiln_options *options,
                                  struct kiln_digest *out, struct kiln_report *report);
enum kiln_status kiln_interp_compile(const struct kiln_compile_job *job, struct kiln_artifact *out,
                                     struct kiln_report *report);

#endif
