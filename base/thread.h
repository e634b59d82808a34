// Threads of our own.
#ifndef KILN_BASE_THREAD_H
#define KILN_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

// Starts a thread that computes in the default state (base/floats.h), and on which no signal arrives that is for the
// host's threads. Those that the processor raises over an instruction are not blocked: one that is ends the process,
// whatever handler the host has. False: there can be none.
bool kiln_thread_start(pthread_t *out, void *(*run)(void *user), void *user);

#endif
