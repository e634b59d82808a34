// A stream to a server, over TCP or a Unix socket, with or without TLS. Every call ends at its deadline (kiln_now_ns).
#ifndef KILN_CACHE_REMOTE_NET_H
#define KILN_CACHE_REMOTE_NET_H

#include "cache/remote.h"

struct kiln_tls;
struct kiln_net {
  int fd; // -1: closed
  struct kiln_tls *tls;
  uint64_t over; // the deadline that has passed; of what had come by then, "late" bytes are still to be received
  size_t late;
};
// Both limits of the place begin now, connecting and then greeting (TLS); the deadline is a third.
bool kiln_net_open(struct kiln_net *net, const struct kiln_remote_place *place, const char *host, const char *port,
                   uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]);
void kiln_net_close(struct kiln_net *net);
bool kiln_net_send(struct kiln_net *net, const void *data, size_t size, uint64_t deadline,
                   char problem[KILN_REMOTE_PROBLEM]);
// Waits for at least one byte. 0 when there will be none. After the deadline, what had come by then is still received:
// perhaps it was this process that did not run for a while.
size_t kiln_net_receive(struct kiln_net *net, void *out, size_t size, uint64_t deadline,
                        char problem[KILN_REMOTE_PROBLEM]);

#endif
