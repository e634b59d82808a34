// Requests to Redis and its answers (RESP 2), over one connection. The server is not trusted: what it announces is
// compared with a limit before there is memory for it, and every part of an answer counts against the time and the
// bytes of the exchange while it is read. An answer is a plain value; a list is an answer only where the caller reads
// one.
#ifndef KILN_CACHE_REMOTE_RESP_H
#define KILN_CACHE_REMOTE_RESP_H

#include "cache/remote/net.h"

// What an exchange may take.
struct kiln_resp_limits {
  uint64_t deadline; // kiln_now_ns
  uint64_t bytes;    // that may still be received
};

struct kiln_resp {
  struct kiln_net net;
  size_t begin, end; // of what has come and is not read yet
  char buffer[65536];
};

enum kiln_resp_type { KILN_RESP_NIL, KILN_RESP_STATUS, KILN_RESP_ERROR, KILN_RESP_INTEGER, KILN_RESP_STRING };
struct kiln_resp_value {
  enum kiln_resp_type type;
  char *text; // malloc'ed, with a NUL after the end; NULL: of nil and integers
  size_t size;
  int64_t number;
};

// Appends a request, whose words may have any bytes. sizes NULL: the words are strings.
void kiln_resp_put(struct kiln_strbuf *out, uint32_t count, const char *const *words, const size_t *sizes);

// Reads a value of at most "most" bytes; the text is the caller's. False with problem: the server is not to be heard
// any further on this connection.
bool kiln_resp_read(struct kiln_resp *resp, struct kiln_resp_limits *limits, size_t most, struct kiln_resp_value *out,
                    char problem[KILN_REMOTE_PROBLEM]);
// Reads the beginning of a list of at most "most" elements, which the caller reads next. An error of the server's is a
// problem here.
bool kiln_resp_read_list(struct kiln_resp *resp, struct kiln_resp_limits *limits, uint32_t most, uint32_t *count,
                         char problem[KILN_REMOTE_PROBLEM]);

// Copies what may be the server's: nothing in it may change how a terminal or a log shows it. Returns false.
bool kiln_resp_fail(char problem[KILN_REMOTE_PROBLEM], const char *what);

#endif
