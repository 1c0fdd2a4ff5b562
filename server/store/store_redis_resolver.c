/* Name resolution for Redis on a thread of its own: getaddrinfo may take long, and would block a
 * worker of libuv's pool. There is one lookup at a time; its result is used by all connections for
 * a while. Connections poll for it in their ticks. */
#include "store/store_redis.h"

#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of a name's addresses that are used. */
#define ADDRESSES_MAX 8u
/* Lifetime of a result. It is longer than the pause between two attempts to connect, so that a
 * lookup that outlasts its attempt is used by the next one. An empty result expires earlier. */
#define RESULT_LIFETIME_NS (SRV_REDIS_RETRY_MAX_NS + 1000000000u)
#define EMPTY_LIFETIME_NS 1000000000u

struct srv_redis_resolver {
  char host[256], port[8];
  pthread_mutex_t lock; /* guards the members below */
  bool running;         /* a thread is looking up the name, and shares this object */
  bool released;
  bool has_result; /* there is a result */
  uint64_t found_ns;
  int status; /* result of getaddrinfo */
  unsigned count;
  struct sockaddr_storage addresses[ADDRESSES_MAX];
};

static void destroy(srv_redis_resolver *name) {
  pthread_mutex_destroy(&name->lock);
  free(name);
}

srv_redis_resolver *srv_redis_resolver_create(const char *host, const char *port) {
  srv_redis_resolver *name = calloc(1, sizeof *name);
  if (!name) return NULL;
  snprintf(name->host, sizeof name->host, "%s", host);
  snprintf(name->port, sizeof name->port, "%s", port);
  pthread_mutex_init(&name->lock, NULL);
  return name;
}

void srv_redis_resolver_release(srv_redis_resolver *name) {
  if (!name) return;
  pthread_mutex_lock(&name->lock);
  name->released = true;
  bool running = name->running;
  pthread_mutex_unlock(&name->lock);
  if (!running) destroy(name);
}

static void *resolve_host(void *cls) {
  srv_redis_resolver *name = cls;
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
  /* host and port are constant after creation, so the lock is not needed */
  int status = getaddrinfo(name->host, name->port, &hints, &list);
  pthread_mutex_lock(&name->lock);
  name->status = status;
  name->count = 0;
  for (struct addrinfo *at = status == 0 ? list : NULL; at && name->count < ADDRESSES_MAX;
       at = at->ai_next)
    if (at->ai_addrlen <= sizeof name->addresses[0])
      memcpy(&name->addresses[name->count++], at->ai_addr, at->ai_addrlen);
  name->has_result = true;
  name->running = false;
  name->found_ns = uv_hrtime();
  bool released = name->released;
  pthread_mutex_unlock(&name->lock);
  if (status == 0) freeaddrinfo(list);
  if (released) destroy(name);
  return NULL;
}

/* Starts a lookup on a new thread. The lock must be held. False: the thread could not be
 * started. */
static bool start_lookup(srv_redis_resolver *name) {
  pthread_t thread;
  name->running = true;
  if (pthread_create(&thread, NULL, resolve_host, name) == 0) pthread_detach(thread);
  else name->running = false;
  return name->running;
}

static bool is_address_known(const srv_redis_resolver *name) {
  uint64_t keep_ns = name->count ? RESULT_LIFETIME_NS : EMPTY_LIFETIME_NS;
  return name->has_result && uv_hrtime() - name->found_ns < keep_ns;
}

srv_redis_lookup_status srv_redis_resolver_lookup(srv_redis_resolver *name, unsigned turn,
                                                  struct sockaddr_storage *out,
                                                  char why[SRV_STORE_WHY]) {
  srv_redis_lookup_status found = SRV_REDIS_LOOKUP_FOUND;
  pthread_mutex_lock(&name->lock);
  if (name->running) {
    found = SRV_REDIS_LOOKUP_PENDING;
  } else if (!is_address_known(name)) {
    found = start_lookup(name) ? SRV_REDIS_LOOKUP_PENDING : SRV_REDIS_LOOKUP_FAILED;
    snprintf(why, SRV_STORE_WHY, "no thread can be started to resolve the name of Redis' host");
  } else if (name->count) {
    *out = name->addresses[turn % name->count];
  } else {
    found = SRV_REDIS_LOOKUP_FAILED;
    snprintf(why, SRV_STORE_WHY, "the name of Redis' host cannot be resolved: %s",
             name->status ? gai_strerror(name->status) : "no address");
  }
  pthread_mutex_unlock(&name->lock);
  return found;
}
