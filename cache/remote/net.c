#include "cache/remote/net.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"

struct kiln_tls {
  SSL_CTX *context;
  SSL *ssl;
  BIO *in, *out; // what came from the socket; what is to go there
};

static bool fail(char problem[KILN_REMOTE_PROBLEM], const char *what, const char *why) {
  snprintf(problem, KILN_REMOTE_PROBLEM, "%s: %s", what, why);
  return false;
}

static bool fail_errno(char problem[KILN_REMOTE_PROBLEM], const char *what) {
  const char *why = strerrordesc_np(errno);
  return fail(problem, what, why ? why : "unknown error");
}

// ---- sockets --------------------------------------------------------------------------------------------------------

// False when the time is over.
static bool wait_for(int fd, short events, uint64_t deadline) {
  for (;;) {
    uint64_t now = kiln_now_ns();
    struct pollfd item = {fd, events, 0};
    int ready = poll(&item, 1, now < deadline ? (int)((deadline - now + 999999) / 1000000) : 0);
    if (ready > 0 || (ready < 0 && errno != EINTR))
      return true; // an error shows in the next call
    if (ready == 0 && kiln_now_ns() >= deadline)
      return false;
  }
}

static bool raw_send(int fd, const char *data, size_t size, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  while (size != 0) {
    ssize_t sent = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      data += sent;
      size -= (size_t)sent;
      continue;
    }
    if (errno != EAGAIN && errno != EINTR)
      return fail_errno(problem, "the connection was lost");
    if (kiln_now_ns() >= deadline || !wait_for(fd, POLLOUT, deadline))
      return fail(problem, "it takes too long", "nothing more could be sent");
  }
  return true;
}

// How many of size bytes may be received now: all of them before the deadline, then those that had come by it.
static size_t allowed(struct kiln_net *net, size_t size, uint64_t deadline) {
  int there;
  if (kiln_now_ns() < deadline)
    return size;
  if (net->over != deadline) {
    net->over = deadline;
    net->late = ioctl(net->fd, FIONREAD, &there) == 0 && there > 0 ? (size_t)there : 0;
  }
  return size < net->late ? size : net->late;
}

static size_t raw_receive(struct kiln_net *net, char *out, size_t size, uint64_t deadline,
                          char problem[KILN_REMOTE_PROBLEM]) {
  for (;;) {
    size_t part = allowed(net, size, deadline);
    ssize_t got = part != 0 ? recv(net->fd, out, part, MSG_DONTWAIT) : -1;
    if (got > 0) {
      net->late -= (size_t)got < net->late ? (size_t)got : net->late;
      return (size_t)got;
    }
    if (got == 0) {
      fail(problem, "the connection was lost", "the server closed it");
      return 0;
    }
    if (part != 0 && errno != EAGAIN && errno != EINTR) {
      fail_errno(problem, "the connection was lost");
      return 0;
    }
    if (part == 0 || (!wait_for(net->fd, POLLIN, deadline) && allowed(net, 1, deadline) == 0)) {
      fail(problem, "it takes too long", "no whole answer came in time");
      return 0;
    }
  }
}

static int try_connect(int family, const struct sockaddr *address, socklen_t size, uint64_t deadline) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0, on = 1;
  socklen_t error_size = sizeof error;
  if (fd < 0)
    return -1;
  if (family != AF_UNIX)
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd, address, size) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      error = ETIMEDOUT;
      if (wait_for(fd, POLLOUT, deadline))
        (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
    }
  }
  if (error != 0) {
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

static int connect_unix(const char *path, uint64_t deadline) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(address.sun_path, path);
  return try_connect(AF_UNIX, (struct sockaddr *)&address, sizeof address, deadline);
}

// A name is looked up in a thread, so that a name server that is down costs the limit as well. A thread that takes
// longer ends by itself.
struct resolve {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool done, abandoned;
  int error;
  struct addrinfo *found;
  char host[256], port[8];
};

static void free_resolve(struct resolve *r) {
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->mutex);
  free(r);
}

static void *resolve_main(void *user) {
  struct resolve *r = user;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found = NULL;
  int error = getaddrinfo(r->host, r->port, &hints, &found);
  pthread_mutex_lock(&r->mutex);
  r->done = true;
  r->error = error;
  r->found = found;
  bool abandoned = r->abandoned;
  pthread_cond_signal(&r->changed);
  pthread_mutex_unlock(&r->mutex);
  if (abandoned) {
    if (found)
      freeaddrinfo(found);
    free_resolve(r);
  }
  return NULL;
}

static struct resolve *new_resolve(const char *host, const char *port) {
  struct resolve *r = calloc(1, sizeof *r);
  if (!r || strlen(host) >= sizeof r->host || strlen(port) >= sizeof r->port) {
    free(r);
    return NULL;
  }
  strcpy(r->host, host);
  strcpy(r->port, port);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&r->mutex, NULL);
  pthread_cond_init(&r->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  return r;
}

static struct addrinfo *resolve(const char *host, const char *port, uint64_t deadline,
                                char problem[KILN_REMOTE_PROBLEM]) {
  static const char what[] = "the host cannot be found";
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found = NULL;
  if (getaddrinfo(host, port, &hints, &found) == 0)
    return found;
  pthread_t thread;
  struct resolve *r = new_resolve(host, port);
  if (!r || !kiln_thread_start(&thread, resolve_main, r)) {
    if (r)
      free_resolve(r);
    fail(problem, what, "its name is too long, or there can be no thread");
    return NULL;
  }
  struct timespec until = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
  pthread_mutex_lock(&r->mutex);
  for (int late = 0; !r->done && late == 0;)
    late = pthread_cond_timedwait(&r->changed, &r->mutex, &until);
  r->abandoned = !r->done;
  bool done = r->done;
  pthread_mutex_unlock(&r->mutex);
  if (!done) {
    pthread_detach(thread);
    fail(problem, what, "the look-up of its name takes too long");
    return NULL;
  }
  pthread_join(thread, NULL);
  found = r->found;
  if (r->error != 0)
    fail(problem, what, gai_strerror(r->error));
  free_resolve(r);
  return found;
}

static int connect_tcp(const char *host, const char *port, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  struct addrinfo *found = resolve(host, port, deadline, problem);
  int fd = -1;
  for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
    fd = try_connect(a->ai_family, a->ai_addr, a->ai_addrlen, deadline);
  if (found && fd < 0)
    fail_errno(problem, "it cannot be reached");
  if (found)
    freeaddrinfo(found);
  return fd;
}

// ---- TLS ------------------------------------------------------------------------------------------------------------

// OpenSSL works on memory; what goes over the socket goes through the calls above, with their limits and no SIGPIPE.

static bool tls_fail(struct kiln_tls *tls, const char *what, char problem[KILN_REMOTE_PROBLEM]) {
  long verdict = tls->ssl ? SSL_get_verify_result(tls->ssl) : X509_V_OK;
  const char *why =
      verdict != X509_V_OK ? X509_verify_cert_error_string(verdict) : ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return fail(problem, what, why ? why : "unknown error");
}

static bool tls_flush(struct kiln_net *net, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  char *data;
  long size = BIO_get_mem_data(net->tls->out, &data);
  bool ok = size <= 0 || raw_send(net->fd, data, (size_t)size, deadline, problem);
  (void)BIO_reset(net->tls->out);
  return ok;
}

static bool tls_fill(struct kiln_net *net, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  char buffer[16384];
  size_t got = raw_receive(net, buffer, sizeof buffer, deadline, problem);
  return got != 0 && BIO_write(net->tls->in, buffer, (int)got) == (int)got;
}

static bool tls_shake_hands(struct kiln_net *net, uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  for (;;) {
    int done = SSL_connect(net->tls->ssl), why = SSL_get_error(net->tls->ssl, done);
    char ignored[KILN_REMOTE_PROBLEM];
    bool wants_more = done != 1 && why == SSL_ERROR_WANT_READ;
    if (!tls_flush(net, deadline, wants_more || done == 1 ? problem : ignored) && (wants_more || done == 1))
      return false;
    if (done == 1)
      return true;
    if (!wants_more)
      return tls_fail(net->tls, "TLS", problem);
    if (!tls_fill(net, deadline, problem))
      return false;
  }
}

static bool tls_open(struct kiln_net *net, const struct kiln_remote_place *place, const char *host, uint64_t deadline,
                     char problem[KILN_REMOTE_PROBLEM]) {
  struct kiln_tls *tls = net->tls = calloc(1, sizeof *tls);
  if (!tls)
    return fail(problem, "TLS", "memory is exhausted");
  tls->context = SSL_CTX_new(TLS_client_method());
  bool ok = tls->context && SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION);
  ok = ok && (*place->ca ? SSL_CTX_load_verify_locations(tls->context, place->ca, NULL)
                         : SSL_CTX_set_default_verify_paths(tls->context));
  if (ok && *place->certificate) {
    ok = SSL_CTX_use_certificate_chain_file(tls->context, place->certificate) == 1 &&
         SSL_CTX_use_PrivateKey_file(tls->context, *place->secret ? place->secret : place->certificate,
                                     SSL_FILETYPE_PEM) == 1;
  }
  if (!ok)
    return tls_fail(tls, "TLS: a certificate cannot be used", problem);
  SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
  tls->ssl = SSL_new(tls->context);
  tls->in = BIO_new(BIO_s_mem());
  tls->out = BIO_new(BIO_s_mem());
  if (!tls->ssl || !tls->in || !tls->out) {
    BIO_free(tls->in);
    BIO_free(tls->out);
    return tls_fail(tls, "TLS", problem);
  }
  BIO_set_mem_eof_return(tls->in, -1);
  SSL_set_bio(tls->ssl, tls->in, tls->out);
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->ssl), host) != 1) { // else it is a name
    ERR_clear_error();
    (void)SSL_set_tlsext_host_name(tls->ssl, host);
    if (SSL_set1_host(tls->ssl, host) != 1)
      return tls_fail(tls, "TLS", problem);
  }
  return tls_shake_hands(net, deadline, problem);
}

static void tls_close(struct kiln_tls *tls) {
  if (tls) {
    SSL_free(tls->ssl); // with its BIOs
    SSL_CTX_free(tls->context);
    free(tls);
  }
}

// ---- streams --------------------------------------------------------------------------------------------------------

// The earlier of a limit that begins now and the deadline.
static uint64_t after_ms(uint32_t ms, uint64_t deadline) {
  uint64_t end = kiln_now_ns() + ms * (uint64_t)1000000;
  return end < deadline ? end : deadline;
}

bool kiln_net_open(struct kiln_net *net, const struct kiln_remote_place *place, const char *host, const char *port,
                   uint64_t deadline, char problem[KILN_REMOTE_PROBLEM]) {
  *net = (struct kiln_net){.fd = -1};
  uint64_t connected = after_ms(place->connect_ms, deadline);
  if (strcmp(place->scheme, "unix") == 0) {
    net->fd = connect_unix(host, connected);
    if (net->fd < 0)
      return fail_errno(problem, "it cannot be reached");
  } else {
    net->fd = connect_tcp(host, port, connected, problem);
  }
  bool ok = net->fd >= 0 && (!place->tls || tls_open(net, place, host, after_ms(place->read_ms, deadline), problem));
  if (!ok)
    kiln_net_close(net);
  return ok;
}

void kiln_net_close(struct kiln_net *net) {
  tls_close(net->tls);
  if (net->fd >= 0)
    close(net->fd);
  *net = (struct kiln_net){.fd = -1};
}

bool kiln_net_send(struct kiln_net *net, const void *data, size_t size, uint64_t deadline,
                   char problem[KILN_REMOTE_PROBLEM]) {
  if (!net->tls)
    return raw_send(net->fd, data, size, deadline, problem);
  for (size_t sent = 0, part; sent < size; sent += part) {
    part = size - sent < 16384 ? size - sent : 16384;
    if (SSL_write(net->tls->ssl, (const char *)data + sent, (int)part) != (int)part)
      return tls_fail(net->tls, "TLS", problem);
    if (!tls_flush(net, deadline, problem))
      return false;
  }
  return true;
}

size_t kiln_net_receive(struct kiln_net *net, void *out, size_t size, uint64_t deadline,
                        char problem[KILN_REMOTE_PROBLEM]) {
  if (!net->tls)
    return raw_receive(net, out, size, deadline, problem);
  for (;;) {
    int got = SSL_read(net->tls->ssl, out, (int)(size < 1 << 30 ? size : 1 << 30));
    if (got > 0)
      return (size_t)got;
    if (SSL_get_error(net->tls->ssl, got) != SSL_ERROR_WANT_READ) {
      tls_fail(net->tls, "TLS", problem);
      return 0;
    }
    if (!tls_flush(net, deadline, problem) || !tls_fill(net, deadline, problem))
      return 0;
  }
}
