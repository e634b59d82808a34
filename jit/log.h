// Where a context's log goes: the host's callback, else what COMPILE_LOG and COMPILE_LOG_FILE ask for, else nowhere.
#ifndef KILN_JIT_LOG_H
#define KILN_JIT_LOG_H

#include "kiln/kiln.h"

struct kiln_context;

// Sets ctx->log, log_user and log_level. INVALID for a COMPILE_LOG that is no level. ctx->debug is set before.
enum kiln_status kiln_log_open(struct kiln_context *ctx, const struct kiln_context_desc *desc);
void kiln_log_close(struct kiln_context *ctx);

#endif
