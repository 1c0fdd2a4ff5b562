/* A connection to Redis that reconnects by itself. States: down; connecting (name, connection,
 * greeting); up. The greeting authenticates, reads the durability and loads the script; nothing
 * else is sent before it has ended. */
#include "store/store_redis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Largest size of an incomplete reply; a longer one is a protocol error. */
#define REPLY_BYTES_MAX ((size_t)1 << 30)
/* Largest number of elements of an array in a reply. */
#define ELEMENTS_MAX 16777216
#define READ_BYTES 262144

typedef enum state {
  STATE_DOWN,
  STATE_NAME,
  STATE_CONNECT,
  STATE_GREET,
  STATE_UP,
  STATE_CLOSED
} state;

/* The callback of a reply that is outstanding. */
typedef struct expected {
  struct expected *next;
  srv_redis_reply_callback *take;
  void *cls;
} expected;

/* The socket of a connection. It exists until libuv has closed its handle, which may be longer than
 * the connection uses it. */
typedef struct wire {
  uv_tcp_t tcp;
  uv_connect_t connect;
  srv_redis_connection *link; /* NULL: the connection has dropped this socket */
  redisReader *reader;
  redisReplyObjectFunctions functions; /* hiredis' functions, except for createArray */
  void *(*create_array)(const redisReadTask *task, int elements);
  expected *first, **last;
  size_t unread; /* number of bytes received since the last complete reply */
  /* Number of replies requested, and number of replies received, since the socket was opened. */
  uint64_t requested, answered;
} wire;

typedef struct sending {
  uv_write_t write;
  wire *wire;
  char *bytes;
  uint64_t requested_before; /* value of wire.requested before these commands: all replies requested
                                since the socket was opened, received or not */
} sending;

struct srv_redis_connection {
  uv_loop_t *loop;
  srv_redis_endpoint *place;
  srv_redis_resolver *name;
  srv_redis_connection_events events;
  state state;
  wire *wire;
  size_t unsent;        /* number of bytes in the send queue at the last tick */
  uint64_t since_ns;    /* time at which `state` last changed */
  uint64_t progress_ns; /* time of the last progress while replies are outstanding */
  uint64_t retry_ns;
  unsigned failures; /* number of consecutive failures */
  unsigned wires;    /* number of structs `wire` whose handles libuv has not closed yet */
  uint64_t stale_ns; /* time of the first error that may vanish with a new connection; 0: none */
  bool refused;      /* a command with which the connection begins (AUTH, CONFIG, ...) failed, for
                        the reason in `status` and `why` */
  bool asks_settings, knows_settings;
  srv_redis_durability settings; /* durability according to CONFIG GET alone, without INFO */
  srv_store_status status;
  char why[SRV_STORE_WHY];
  char digest[48];
  char *input; /* [READ_BYTES] */
  void (*closed)(void *cls);
  void *closed_cls;
};

/* ---- closing -------------------------------------------------------------------------------- */

static void finish_close_if_idle(srv_redis_connection *link) {
  if (link->state != STATE_CLOSED || link->wires) return;
  void (*closed)(void *cls) = link->closed;
  void *cls = link->closed_cls;
  free(link->input);
  free(link);
  closed(cls);
}

/* Returns the pause before the next attempt: exponential backoff with jitter, between half and all
 * of a time that doubles with each failure, ns. */
static uint64_t choose_backoff_ns(unsigned failures) {
  uint64_t most = SRV_REDIS_RETRY_MIN_NS << (failures < 7 ? failures : 7);
  uint16_t random = 0;
  if (most > SRV_REDIS_RETRY_MAX_NS) most = SRV_REDIS_RETRY_MAX_NS;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
    random = (uint16_t)uv_hrtime();
  uint64_t pause = most / 2 + most / 2 * random / 65536;
  return pause < SRV_REDIS_RETRY_MIN_NS ? SRV_REDIS_RETRY_MIN_NS : pause;
}

static void on_wire_closed(uv_handle_t *handle) {
  wire *w = handle->data;
  srv_redis_connection *link = w->connect.data;
  redisReaderFree(w->reader);
  free(w);
  link->wires--;
  finish_close_if_idle(link);
}

/* Drops the socket; the callbacks of outstanding replies get NULL. */
static void drop_wire(srv_redis_connection *link) {
  wire *w = link->wire;
  if (!w) return;
  link->wire = NULL;
  w->link = NULL;
  if (!uv_is_closing((uv_handle_t *)&w->tcp)) uv_close((uv_handle_t *)&w->tcp, on_wire_closed);
  while (w->first) {
    expected *e = w->first;
    w->first = e->next;
    e->take(e->cls, NULL);
    free(e);
  }
}

static void disconnect_link(srv_redis_connection *link, srv_store_status status, const char *why) {
  if (link->state == STATE_CLOSED || link->state == STATE_DOWN) return;
  char text[SRV_STORE_WHY];
  snprintf(text, sizeof text, "%s", why);
  uint64_t now_ns = uv_hrtime();
  link->state = STATE_DOWN;
  link->since_ns = now_ns;
  link->retry_ns = now_ns + choose_backoff_ns(link->failures++);
  link->events.down(link->events.cls, status, text);
  drop_wire(link);
}

/* ---- replies -------------------------------------------------------------------------------- */

/* Rejects an array that is longer than any valid reply, before memory is allocated for its
 * elements. */
static void *create_array(const redisReadTask *task, int elements) {
  const wire *w = task->privdata;
  return elements > ELEMENTS_MAX ? NULL : w->create_array(task, elements);
}

static redisReader *create_reader(wire *w) {
  redisReader *reader = redisReaderCreate();
  if (!reader) return NULL;
  w->functions = *reader->fn;
  w->create_array = w->functions.createArray;
  w->functions.createArray = create_array;
  reader->fn = &w->functions;
  reader->privdata = w;
  return reader;
}

/* Passes each complete reply to its callback. False: the connection cannot be used any more. */
static bool dispatch_replies(wire *w) {
  void *reply = NULL;
  while (w->link) {
    if (redisReaderGetReply(w->reader, &reply) != REDIS_OK) return false;
    if (!reply) return w->unread <= REPLY_BYTES_MAX;
    w->unread = 0;
    expected *e = w->first;
    if (!e) {
      freeReplyObject(reply);
      return false;
    }
    w->first = e->next;
    w->answered++;
    if (!w->first) w->last = &w->first;
    if (!w->link->stale_ns && srv_redis_is_stale(reply)) w->link->stale_ns = uv_hrtime();
    e->take(e->cls, reply);
    freeReplyObject(reply);
    free(e);
  }
  return true;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  const wire *w = handle->data;
  (void)suggested;
  *out = w->link ? uv_buf_init(w->link->input, READ_BYTES) : uv_buf_init(NULL, 0);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  wire *w = stream->data;
  srv_redis_connection *link = w->link;
  if (!link || length == 0) return;
  if (length < 0) {
    disconnect_link(link, SRV_STORE_UNAVAILABLE, "the connection to Redis was lost");
    return;
  }
  link->progress_ns = uv_hrtime();
  w->unread += (size_t)length;
  bool good =
      redisReaderFeed(w->reader, buffer->base, (size_t)length) == REDIS_OK && dispatch_replies(w);
  if (good || !w->link) return;
  /* If the first bytes of a server at the start are invalid, it is not Redis, which is a permanent
   * failure. */
  if (w->answered == 0 && link->state == STATE_GREET && !link->place->serving)
    disconnect_link(link, SRV_STORE_FAILED, "the server at this address is not Redis");
  else disconnect_link(link, SRV_STORE_UNAVAILABLE, "Redis sent an invalid reply");
}

/* ---- sending -------------------------------------------------------------------------------- */

/* Counts sent commands as progress only if no reply to earlier commands is outstanding. Otherwise
 * frequent commands would conceal that Redis does not answer. */
static void on_bytes_sent(uv_write_t *write, int status) {
  sending *s = (sending *)write;
  srv_redis_connection *link = s->wire->link;
  bool is_next = s->requested_before <= s->wire->answered;
  redisFreeCommand(s->bytes);
  free(s);
  if (!link) return;
  if (status < 0) disconnect_link(link, SRV_STORE_UNAVAILABLE, "the connection to Redis was lost");
  else if (is_next) link->progress_ns = uv_hrtime();
}

static void free_expected(expected *list) {
  while (list) {
    expected *next = list->next;
    free(list);
    list = next;
  }
}

static expected *create_expected(unsigned count, srv_redis_reply_callback *take, void *cls) {
  expected *list = NULL;
  for (unsigned i = 0; i < count; i++) {
    expected *e = malloc(sizeof *e);
    if (!e) {
      free_expected(list);
      return NULL;
    }
    *e = (expected){list, take, cls};
    list = e;
  }
  return list;
}

static bool send_bytes(srv_redis_connection *link, srv_redis_bytes bytes,
                       srv_redis_reply_callback *take, void *cls) {
  wire *w = link->wire;
  expected *list = bytes.bytes && w ? create_expected(bytes.replies, take, cls) : NULL;
  sending *s = list ? malloc(sizeof *s) : NULL;
  if (s) {
    *s = (sending){.wire = w, .bytes = bytes.bytes, .requested_before = w->requested};
    uv_buf_t buffer = {.base = bytes.bytes, .len = bytes.length};
    if (uv_write(&s->write, (uv_stream_t *)&w->tcp, &buffer, 1, on_bytes_sent) == 0) {
      if (!w->first) link->progress_ns = uv_hrtime();
      w->requested += bytes.replies;
      *w->last = list;
      while (*w->last) w->last = &(*w->last)->next;
      return true;
    }
  }
  free(s);
  free_expected(list);
  redisFreeCommand(bytes.bytes);
  return false;
}

bool srv_redis_connection_send(srv_redis_connection *link, srv_redis_bytes bytes,
                               srv_redis_reply_callback *take, void *cls) {
  if (link->state == STATE_UP) return send_bytes(link, bytes, take, cls);
  redisFreeCommand(bytes.bytes);
  return false;
}

/* ---- greeting ------------------------------------------------------------------------------- */

static void refuse_connection(srv_redis_connection *link, srv_store_status status,
                              const char *why) {
  if (link->refused) return;
  link->refused = true;
  link->status = status;
  snprintf(link->why, sizeof link->why, "%s", why);
}

/* Handles the reply to a step of the greeting that only needs to succeed. */
static void on_plain_reply(void *cls, const redisReply *reply) {
  srv_redis_connection *link = cls;
  char why[SRV_STORE_WHY];
  if (!reply || reply->type != REDIS_REPLY_ERROR || srv_redis_is_error(reply, "NOSCRIPT")) return;
  srv_store_status status = srv_redis_error(reply, why);
  refuse_connection(link,
                    !link->place->serving && srv_redis_is_permanent_error(reply) ? SRV_STORE_FAILED
                                                                                 : status,
                    why);
}

static void on_format_reply(void *cls, const redisReply *reply) {
  srv_redis_connection *link = cls;
  char why[SRV_STORE_WHY];
  if (srv_redis_is_error(reply, "WRONGTYPE"))
    refuse_connection(link, SRV_STORE_DAMAGED,
                      "the key " SRV_REDIS_KEY_STORE " does not have contactd's type");
  on_plain_reply(cls, reply);
  if (!reply || reply->type != REDIS_REPLY_STRING || strcmp(reply->str, SRV_REDIS_FORMAT) == 0)
    return;
  srv_redis_other_format(reply, why);
  refuse_connection(link, SRV_STORE_FAILED, why);
}

/* If the user has no permission for CONFIG, the durability remains unknown. After BUSY, known
 * settings remain: a busy Redis writes nothing, and writes fail with BUSY themselves. */
static void on_settings_reply(void *cls, const redisReply *reply) {
  srv_redis_connection *link = cls;
  if (!reply || (link->knows_settings && srv_redis_is_error(reply, "BUSY"))) return;
  link->settings = srv_redis_read_settings(reply);
}

static void on_persistence_reply(void *cls, const redisReply *reply) {
  srv_redis_connection *link = cls;
  link->asks_settings = false;
  if (!reply || link->refused || (link->knows_settings && srv_redis_is_error(reply, "BUSY")))
    return;
  srv_redis_durability promise = srv_redis_read_persistence(reply);
  if (promise != SRV_REDIS_DURABILITY_UNKNOWN && link->settings != SRV_REDIS_DURABLE)
    promise = link->settings;
  link->knows_settings = promise != SRV_REDIS_DURABILITY_UNKNOWN;
  link->events.promise(link->events.cls, promise);
}

static void on_script_reply(void *cls, const redisReply *reply) {
  srv_redis_connection *link = cls;
  if (!reply) return;
  on_plain_reply(cls, reply);
  if (reply->type == REDIS_REPLY_STRING && reply->len < sizeof link->digest)
    memcpy(link->digest, reply->str, reply->len + 1);
  else refuse_connection(link, SRV_STORE_UNAVAILABLE, "Redis sent an invalid reply");
  if (link->refused) {
    disconnect_link(link, link->status, link->why);
    return;
  }
  link->state = STATE_UP;
  link->stale_ns = 0;
  link->since_ns = uv_hrtime();
  link->failures = 0;
  link->events.up(link->events.cls);
}

/* A digest that no script has. The error NOSCRIPT in reply to it proves that the user may call
 * EVALSHA. */
#define NO_SCRIPT "0000000000000000000000000000000000000000"

#define SEND_WORDS(link, take, ...)                                                                \
  send_bytes(link, srv_redis_command((const char *const[]){__VA_ARGS__, NULL}), take, link)

/* Queries appendonly, appendfsync, no-appendfsync-on-rewrite and maxmemory-policy. Before Redis 7,
 * CONFIG GET accepts only one pattern, which therefore also matches other settings. INFO then shows
 * whether the settings are in effect. */
static bool query_settings(srv_redis_connection *link) {
  link->asks_settings = true;
  return SEND_WORDS(link, on_settings_reply, "CONFIG", "GET", "[amn][aop][-px]*") &&
         SEND_WORDS(link, on_persistence_reply, "INFO", "persistence");
}

static bool send_greeting(srv_redis_connection *link) {
  srv_redis_endpoint *place = link->place;
  char database[16];
  srv_redis_endpoint_reload_password(place);
  snprintf(database, sizeof database, "%u", place->database);
  link->refused = link->knows_settings = false;
  link->settings = SRV_REDIS_DURABILITY_UNKNOWN;
  bool good = true;
  if (place->password && place->user[0])
    good = SEND_WORDS(link, on_plain_reply, "AUTH", place->user, place->password);
  else if (place->password) good = SEND_WORDS(link, on_plain_reply, "AUTH", place->password);
  return good && SEND_WORDS(link, on_plain_reply, "SELECT", database) &&
         SEND_WORDS(link, on_format_reply, "HGET", SRV_REDIS_KEY_STORE, "format") &&
         query_settings(link) && SEND_WORDS(link, on_plain_reply, "PING") &&
         SEND_WORDS(link, on_plain_reply, "CLIENT", "ID") &&
         SEND_WORDS(link, on_plain_reply, "CLIENT", "UNBLOCK", "0") &&
         SEND_WORDS(link, on_plain_reply, "MULTI") && SEND_WORDS(link, on_plain_reply, "EXEC") &&
         SEND_WORDS(link, on_plain_reply, "EVALSHA", NO_SCRIPT, "0") &&
         SEND_WORDS(link, on_plain_reply, "EVAL", srv_redis_probe, "2", SRV_REDIS_KEY_STORE,
                    SRV_REDIS_KEY_NONE) &&
         SEND_WORDS(link, on_script_reply, "SCRIPT", "LOAD", srv_redis_script);
}

/* ---- connecting ----------------------------------------------------------------------------- */

static void on_connected(uv_connect_t *connect, int status) {
  wire *w = (wire *)((char *)connect - offsetof(wire, connect));
  srv_redis_connection *link = w->link;
  if (!link) return;
  char why[SRV_STORE_WHY];
  snprintf(why, sizeof why, "Redis cannot be reached: %s",
           status < 0 ? uv_strerror(status) : "out of memory");
  link->state = STATE_GREET;
  link->since_ns = link->progress_ns = uv_hrtime();
  bool good = status == 0 && uv_read_start((uv_stream_t *)&w->tcp, on_alloc, on_read) == 0 &&
              send_greeting(link);
  if (!good) disconnect_link(link, SRV_STORE_UNAVAILABLE, why);
}

static void connect_wire(srv_redis_connection *link, const struct sockaddr *address) {
  wire *w = calloc(1, sizeof *w);
  link->state = STATE_CONNECT;
  link->since_ns = uv_hrtime();
  if (w) w->reader = create_reader(w);
  if (!w || !w->reader || uv_tcp_init(link->loop, &w->tcp) != 0) {
    if (w && w->reader) redisReaderFree(w->reader);
    free(w);
    disconnect_link(link, SRV_STORE_UNAVAILABLE, "out of memory");
    return;
  }
  w->tcp.data = w;
  w->connect.data = link;
  w->link = link;
  w->last = &w->first;
  link->wire = w;
  link->wires++;
  uv_tcp_nodelay(&w->tcp, 1);
  /* fails if the process has no free file descriptor */
  int code = uv_tcp_connect(&w->connect, &w->tcp, address, on_connected);
  if (code == 0) return;
  char why[SRV_STORE_WHY];
  snprintf(why, sizeof why, "Redis cannot be reached: %s", uv_strerror(code));
  disconnect_link(link, SRV_STORE_UNAVAILABLE, why);
}

/* Looks up the address and connects. Each attempt uses the next address of the name, since Redis
 * may not listen on the address family (IPv4, IPv6) of the first. */
static void resolve_endpoint(srv_redis_connection *link) {
  struct sockaddr_storage address;
  char why[SRV_STORE_WHY] = "the name of Redis' host was not resolved in time";
  switch (srv_redis_resolver_lookup(link->name, link->failures, &address, why)) {
  case SRV_REDIS_LOOKUP_FOUND: connect_wire(link, (struct sockaddr *)&address); break;
  case SRV_REDIS_LOOKUP_PENDING:
    if (uv_hrtime() - link->since_ns < SRV_REDIS_LOOKUP_NS) break;
    disconnect_link(link, SRV_STORE_UNAVAILABLE, why);
    break;
  case SRV_REDIS_LOOKUP_FAILED: disconnect_link(link, SRV_STORE_UNAVAILABLE, why); break;
  }
}

static void begin_connecting(srv_redis_connection *link) {
  const srv_redis_endpoint *place = link->place;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  int port = (int)strtol(place->port, NULL, 10);
  link->state = STATE_NAME;
  link->since_ns = uv_hrtime();
  if (uv_ip4_addr(place->host, port, &four) == 0) connect_wire(link, (struct sockaddr *)&four);
  else if (uv_ip6_addr(place->host, port, &six) == 0) connect_wire(link, (struct sockaddr *)&six);
  else resolve_endpoint(link);
}

/* ---- interface ------------------------------------------------------------------------------ */

srv_redis_connection *srv_redis_connection_create(uv_loop_t *loop, srv_redis_endpoint *place,
                                                  srv_redis_resolver *name,
                                                  const srv_redis_connection_events *events) {
  srv_redis_connection *link = calloc(1, sizeof *link);
  if (link) link->input = malloc(READ_BYTES);
  if (!link || !link->input) {
    free(link);
    return NULL;
  }
  link->loop = loop;
  link->place = place;
  link->name = name;
  link->events = *events;
  link->since_ns = uv_hrtime();
  return link;
}

void srv_redis_connection_close(srv_redis_connection *link, void (*closed)(void *cls), void *cls) {
  link->state = STATE_CLOSED;
  link->closed = closed;
  link->closed_cls = cls;
  drop_wire(link);
  finish_close_if_idle(link);
}

bool srv_redis_connection_is_up(const srv_redis_connection *link) {
  return link->state == STATE_UP;
}

const char *srv_redis_connection_digest(const srv_redis_connection *link) { return link->digest; }

uint64_t srv_redis_connection_last_progress(const srv_redis_connection *link) {
  return link->progress_ns;
}

void srv_redis_connection_query_settings(srv_redis_connection *link) {
  if (link->state == STATE_UP && link->knows_settings && !link->asks_settings)
    link->asks_settings = query_settings(link);
}

/* True if an error requires a new connection. Waits for outstanding replies, but only for a limited
 * time, since there may always be some. */
static bool should_reconnect(const srv_redis_connection *link, bool waits, uint64_t now_ns) {
  if (!link->stale_ns || now_ns - link->since_ns < SRV_REDIS_STALE_NS) return false;
  return !waits || now_ns - link->stale_ns >= SRV_REDIS_STALE_NS;
}

bool srv_redis_connection_tick(srv_redis_connection *link, uint64_t now_ns) {
  bool waits = link->wire && link->wire->first;
  size_t unsent = waits ? uv_stream_get_write_queue_size((uv_stream_t *)&link->wire->tcp) : 0;
  if (unsent < link->unsent) link->progress_ns = now_ns;
  link->unsent = unsent;
  switch (link->state) {
  case STATE_DOWN:
    if (now_ns >= link->retry_ns) begin_connecting(link);
    break;
  case STATE_CONNECT:
    if (now_ns - link->since_ns >= SRV_REDIS_CONNECT_NS && now_ns > link->since_ns)
      disconnect_link(link, SRV_STORE_UNAVAILABLE, "Redis does not answer");
    break;
  case STATE_UP:
    if (should_reconnect(link, waits, now_ns)) {
      disconnect_link(link, SRV_STORE_UNAVAILABLE, "Redis refused a command; reconnecting");
      break;
    }
    /* fall through */
  case STATE_GREET:
    if (waits && now_ns > link->progress_ns &&
        now_ns - link->progress_ns >= link->place->command_ns)
      disconnect_link(link, SRV_STORE_UNAVAILABLE, "Redis does not answer");
    break;
  case STATE_NAME: resolve_endpoint(link); break;
  case STATE_CLOSED: break;
  }
  return waits || link->stale_ns || link->state != STATE_UP;
}
