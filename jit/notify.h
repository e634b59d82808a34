// Who is told of the state of events.
#ifndef KILN_JIT_NOTIFY_H
#define KILN_JIT_NOTIFY_H

#include "kiln/kiln.h"

// Tells those who wait for an event of the host, which has just been signalled.
void kiln_notify_signalled(struct kiln_event *event, enum kiln_status status);

#endif
