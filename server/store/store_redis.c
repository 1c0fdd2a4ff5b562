/* The store in Redis: pending queries and their answers.
 *
 * Two connections: one for short commands (writes, lookups), one for long ones (loads, staged parts
 * of long records), so that a scene of 50 MB does not delay the others.
 *
 * Every query has a time limit: one second, or for long ones a second without a byte. Beyond it the
 * answer is SRV_STORE_UNAVAILABLE, and a later reply is ignored. Reads lost with a connection are
 * repeated within their limit; writes are not, since they may have been done. After Redis has been
 * away for a second, queries fail at once. */
#include "store/store_redis.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Looks at the times: while something is under way; else to ask whether Redis is still there. */
#define TICK_MS 20
#define IDLE_MS 1000
/* A tick that comes so much later than it should: this process has stood still (a machine that is
 * shared, a stop). */
#define LATE_NS 100000000u
/* What Redis promises is asked so often, or at the next tick. */
#define SETTINGS_NS 500000000u
/* At start a Redis that is there has so many times of an answer to show what no waiting would mend;
 * then the daemon goes on without it. */
#define OPEN_ANSWERS 2u
/* That Redis is away is said again after so long. */
#define TELL_NS 60000000000u
/* Longest time of what is long, whatever goes or comes meanwhile. */
#define LONG_NS 60000000000u

enum { SHORT, LONG, LINKS };

typedef enum kind { KIND_WRITE, KIND_LOOK, KIND_LOAD } kind;

typedef enum phase {
  PHASE_HELD,    /* another write of its key goes first */
  PHASE_STAGING, /* parts are put in place */
  PHASE_WAITS,   /* for the connection */
  PHASE_SENT
} phase;

typedef struct redis_store redis_store;

/* A question. */
typedef struct op {
  struct op *next, *previous; /* all that are not answered, in order */
  redis_store *store;
  kind kind;
  phase phase;
  srv_store_write *write;
  srv_store_lookup *look;
  srv_store_load *load;
  uint64_t began_ns, deadline_ns;
  unsigned replies; /* still to come */
  bool answered;    /* who asked knows; the replies are waited for still */
  bool lost;        /* the connection went before the last reply */
  bool no_memory;
  bool tells; /* somebody listens to what a write tells: it goes with it, however long */
  bool full,
      by_script; /* of a load: Redis has no memory for a transaction, and it is asked by a script */
  size_t staged;
  char stage[64]; /* "": the bytes go with the write */
} op;

typedef struct side {
  redis_store *store;
  srv_redis_connection *link;
  uint64_t down_ns; /* since when */
  srv_store_status status;
  char why[SRV_STORE_WHY];
} side;

struct redis_store {
  srv_store store; /* first: what the daemon sees */
  uv_loop_t *loop;
  srv_redis_endpoint place;
  srv_redis_resolver *name;
  side sides[LINKS];
  srv_redis_subscriptions *ears; /* NULL: nobody has listened yet */
  uv_timer_t timer;
  bool hurried;     /* the timer is at TICK_MS */
  uint64_t tick_ns; /* while hurried: of the last tick; 0: times are looked at whenever it comes */
  op *first, *last;
  unsigned staging;
  uint64_t stage_prefix, stage_next;
  uint64_t stamp; /* of the last write; begins anywhere: no two daemons come to one; never 0 */
  /* Without the memory for an op: answered by the next tick. */
  srv_store_write *writes;
  srv_store_lookup *looks;
  srv_store_load *loads;
  bool refused;     /* at start: it will not get better */
  uint64_t told_ns; /* when it was said that Redis is away; 0: it is not, or nobody was there to
                       hear it */
  srv_store_status told_status;
  bool told_promise,
      has_file; /* has_file: the appendonly file was whole, and is so while it is written again */
  uint64_t settings_ns; /* when they were asked for */
  bool closing, links_closing;
  unsigned open_links;
  void (*closed)(void *cls);
  void *closed_cls;
};

static redis_store *of(const srv_store *store) { return (redis_store *)(uintptr_t)store; }

static void report_redis_event(redis_store *s, const char *event, const char *detail) {
  if (s->store.tell) s->store.tell(s->store.tell_cls, event, detail);
}

static void on_tick(uv_timer_t *timer);

static void shorten_tick(redis_store *s) {
  if (s->hurried) return;
  s->hurried = true;
  s->tick_ns = uv_hrtime();
  uv_timer_start(&s->timer, on_tick, TICK_MS, TICK_MS);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void release_held(redis_store *s);

static void unlink_op(op *o) {
  redis_store *s = o->store;
  if (o->previous) o->previous->next = o->next;
  else s->first = o->next;
  if (o->next) o->next->previous = o->previous;
  else s->last = o->previous;
}

/* Calls `done` of the operation, whose answer is set, and frees it. */
static void answer_op(op *o) {
  redis_store *s = o->store;
  srv_store_write *write = o->write;
  srv_store_lookup *look = o->look;
  srv_store_load *load = o->load;
  bool staged = o->phase == PHASE_STAGING;
  unlink_op(o);
  o->answered = true;
  if (!o->replies) free(o);
  if (staged) {
    s->staging--;
    release_held(s);
  }
  if (write) write->done(write);
  else if (look) look->done(look);
  else load->done(load);
}

static void answer_op_with_status(op *o, srv_store_status status, const char *why) {
  char text[SRV_STORE_WHY];
  bool unknown = status == SRV_STORE_UNAVAILABLE && o->write && o->phase == PHASE_SENT;
  snprintf(text, sizeof text, "%.100s%s", why,
           unknown ? "; whether the write is there or comes yet is not known" : "");
  if (o->write) {
    o->write->status = status;
    memcpy(o->write->why, text, sizeof text);
  } else if (o->look) {
    free(o->look->entries);
    o->look->entries = NULL;
    o->look->count = 0;
    o->look->status = status;
    memcpy(o->look->why, text, sizeof text);
  } else {
    o->load->status = status;
    memcpy(o->load->why, text, sizeof text);
  }
  answer_op(o);
}

/* ---- sending -------------------------------------------------------------------------------- */

static void on_op_reply(void *cls, const redisReply *reply);

static side *get_side(const op *o) {
  bool is_long = o->kind == KIND_LOAD || o->phase == PHASE_STAGING;
  return &o->store->sides[is_long ? LONG : SHORT];
}

static srv_redis_bytes format_op_command(const op *o, const char *digest) {
  if (o->look) return srv_redis_lookup_command(o->look);
  if (o->load) return srv_redis_load_command(o->load, o->by_script);
  if (o->phase == PHASE_STAGING) return srv_redis_stage_command(o->write, o->stage, o->staged);
  return srv_redis_write_command(&o->store->store, o->write, digest, o->stage[0] ? o->stage : NULL,
                                 o->tells);
}

/* Sends the operation's next command, if its connection is up. */
static void send_op(op *o, bool by_text) {
  srv_redis_connection *link = get_side(o)->link;
  if (!srv_redis_connection_is_up(link)) return;
  srv_redis_bytes bytes = format_op_command(o, by_text ? NULL : srv_redis_connection_digest(link));
  o->replies = bytes.replies;
  o->lost = false;
  if (o->phase == PHASE_WAITS) o->phase = PHASE_SENT;
  if (srv_redis_connection_send(link, bytes, on_op_reply, o)) return;
  o->replies = 0;
  o->no_memory = true;
}

/* True if an earlier write of the key is not sent yet. */
static bool must_wait_for_key(const op *o) {
  for (const op *at = o->store->first; at != o; at = at->next)
    if (at->write && at->phase < PHASE_WAITS && at->write->space == o->write->space &&
        strcmp(at->write->id, o->write->id) == 0)
      return true;
  return false;
}

static void start_op(op *o) {
  redis_store *s = o->store;
  o->phase = PHASE_WAITS;
  if (o->write && o->write->length > SRV_REDIS_INLINE_BYTES) {
    o->phase = PHASE_STAGING;
    s->staging++;
    snprintf(o->stage, sizeof o->stage, SRV_REDIS_KEY_STAGE "%016" PRIx64 ":%" PRIu64,
             s->stage_prefix, s->stage_next++);
  }
  send_op(o, false);
}

static void release_held(redis_store *s) {
  for (op *o = s->first; o; o = o->next)
    if (o->phase == PHASE_HELD && !must_wait_for_key(o)) {
      o->deadline_ns = uv_hrtime() + o->store->place.command_ns;
      start_op(o);
    }
}

/* ---- replies -------------------------------------------------------------------------------- */

/* Handles the reply to a staged part. */
static void read_stage_reply(op *o, const redisReply *reply) {
  char why[SRV_STORE_WHY] = "parts of the record were lost on the way";
  if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 1) {
    srv_store_status status =
        reply->type == REDIS_REPLY_INTEGER ? SRV_STORE_UNAVAILABLE : srv_redis_error(reply, why);
    answer_op_with_status(o, status, why);
    return;
  }
  o->staged += SRV_REDIS_PART_BYTES;
  o->deadline_ns = uv_hrtime() + o->store->place.command_ns;
  if (o->staged >= o->write->length) {
    o->phase = PHASE_WAITS;
    o->store->staging--;
  }
  send_op(o, false);
  if (o->phase != PHASE_STAGING) release_held(o->store);
}

static void read_write_reply(op *o, const redisReply *reply) {
  if (o->phase == PHASE_STAGING) {
    read_stage_reply(o, reply);
  } else if (srv_redis_is_error(reply, "NOSCRIPT")) {
    send_op(o, true);
  } else if (srv_redis_needs_events(reply) && !o->tells) {
    o->tells = true;
    send_op(o, false);
  } else {
    srv_redis_read_write(reply, o->write);
    if (o->store->ears && srv_redis_is_not_subscribed(reply))
      srv_redis_subscriptions_unknown(o->store->ears, o->write->id);
    answer_op(o);
  }
}

static void read_lookup_reply(op *o, const redisReply *reply) {
  if (o->replies == 1) {
    srv_redis_read_entries(reply, o->look);
    return;
  }
  srv_redis_read_last(reply, o->look);
  answer_op(o);
}

/* In a transaction only the last reply has the records; earlier ones report queueing or an error.
 */
static void read_load_reply(op *o, const redisReply *reply) {
  if (srv_redis_is_error(reply, "OOM")) o->full = true;
  if (o->replies == 0 && o->full && !o->by_script) {
    o->by_script = true;
    send_op(o, false);
  } else if (o->replies == 0) {
    srv_redis_read_load(reply, o->load);
    answer_op(o);
  } else if (reply->type == REDIS_REPLY_ERROR && !o->full) {
    char why[SRV_STORE_WHY];
    srv_store_status status = srv_redis_error(reply, why);
    answer_op_with_status(o, status, why);
  }
}

/* Handles an operation whose connection was lost. */
static void handle_lost_op(op *o) {
  const side *where = get_side(o);
  if (o->write) {
    answer_op_with_status(o, SRV_STORE_UNAVAILABLE, where->why);
    return;
  }
  if (o->look) {
    free(o->look->entries);
    o->look->entries = NULL;
  }
  o->phase = PHASE_WAITS;
}

static void on_op_reply(void *cls, const redisReply *reply) {
  op *o = cls;
  o->replies--;
  if (o->answered) {
    if (!o->replies) free(o);
    return;
  }
  if (!reply) o->lost = true;
  if (o->lost) {
    if (!o->replies) handle_lost_op(o);
  } else if (o->write) {
    read_write_reply(o, reply);
  } else if (o->look) {
    read_lookup_reply(o, reply);
  } else {
    read_load_reply(o, reply);
  }
}

/* ---- the connections' events ---------------------------------------------------------------- */

static bool are_both_connected(const redis_store *s) {
  return srv_redis_connection_is_up(s->sides[SHORT].link) &&
         srv_redis_connection_is_up(s->sides[LONG].link);
}

static void on_up(void *cls) {
  side *where = cls;
  redis_store *s = where->store;
  where->down_ns = 0;
  if (s->told_ns && are_both_connected(s)) {
    s->told_ns = 0;
    report_redis_event(s, "storeBack", "Redis answers again");
  }
  for (op *o = s->first; o; o = o->next)
    if (!o->replies && get_side(o) == where &&
        (o->phase == PHASE_WAITS || o->phase == PHASE_STAGING))
      send_op(o, false);
  if (s->ears && where == &s->sides[SHORT]) srv_redis_subscriptions_connected(s->ears);
}

/* Writes use the short connection, so the durability of its Redis counts. */
static void on_promise(void *cls, srv_redis_durability promise) {
  static const char *const why[] = {
      [SRV_REDIS_DURABILITY_UNKNOWN] = "Redis does not tell whether it keeps what it acknowledges "
                                       "(CONFIG GET, INFO): the durability is memory",
      [SRV_REDIS_NOT_DURABLE] = SRV_STORE_NOT_DURABLE,
      [SRV_REDIS_DURABLE_AFTER_REWRITE] =
          "Redis is writing its appendonly file: the durability is memory until that is whole",
      [SRV_REDIS_DURABLE] = "Redis keeps what it acknowledges: the durability is redis"};
  side *where = cls;
  redis_store *s = where->store;
  if (where != &s->sides[SHORT]) return;
  if (promise != SRV_REDIS_DURABLE_AFTER_REWRITE) s->has_file = promise == SRV_REDIS_DURABLE;
  else if (s->has_file) promise = SRV_REDIS_DURABLE;
  const char *word = s->has_file ? "redis" : "memory";
  bool news = !s->told_promise || strcmp(word, s->store.durability) != 0;
  s->told_promise = true;
  s->store.durability = word;
  s->store.memory_why = why[promise];
  if (news) report_redis_event(s, s->has_file ? "storeDurable" : "storeNotDurable", why[promise]);
}

/* Logs a lost connection from time to time, and when the status becomes worse. */
static void report_disconnected(redis_store *s, srv_store_status status, const char *why) {
  uint64_t now_ns = uv_hrtime();
  bool news = !s->told_ns || status != s->told_status || now_ns - s->told_ns >= TELL_NS;
  if (!news || !s->store.tell) return;
  s->told_ns = now_ns;
  s->told_status = status;
  report_redis_event(s, "storeUnavailable", why);
}

/* True if waiting cannot fix the failure. */
static bool is_permanent_failure(srv_store_status status) {
  return status == SRV_STORE_FAILED || status == SRV_STORE_DAMAGED;
}

static void on_down(void *cls, srv_store_status status, const char *why) {
  side *where = cls;
  redis_store *s = where->store;
  if (where == &s->sides[SHORT]) s->has_file = false;
  if (!where->down_ns) where->down_ns = uv_hrtime();
  where->status = status;
  memcpy(where->why, why, strnlen(why, SRV_STORE_WHY - 1) + 1);
  if (is_permanent_failure(status)) s->refused = true;
  report_disconnected(s, status, why);
  shorten_tick(s);
}

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t get_op_deadline(const op *o) {
  if (o->phase == PHASE_HELD) return UINT64_MAX;
  bool is_long =
      (o->kind == KIND_LOAD && o->phase == PHASE_SENT) || (o->phase == PHASE_STAGING && o->replies);
  if (!is_long) return o->deadline_ns;
  uint64_t progress =
      srv_redis_connection_last_progress(o->store->sides[LONG].link) + o->store->place.command_ns;
  uint64_t most = o->began_ns + LONG_NS;
  progress = progress > o->deadline_ns ? progress : o->deadline_ns;
  return progress < most ? progress : most;
}

static void answer_if_late(op *o) {
  const side *where = get_side(o);
  if (o->no_memory) answer_op_with_status(o, SRV_STORE_MEMORY, "");
  else if (where->down_ns) answer_op_with_status(o, where->status, where->why);
  else answer_op_with_status(o, SRV_STORE_UNAVAILABLE, "Redis does not answer");
}

/* Answers all late operations; an answer's callback may submit others. */
static void answer_late_ops(redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  for (op *o = s->first; o;) {
    if (!o->no_memory && now_ns < get_op_deadline(o)) {
      o = o->next;
      continue;
    }
    answer_if_late(o);
    o = s->first;
  }
}

static void answer_ops_without_memory(redis_store *s) {
  srv_store_write *writes = s->writes;
  srv_store_lookup *looks = s->looks;
  srv_store_load *loads = s->loads;
  s->writes = NULL;
  s->looks = NULL;
  s->loads = NULL;
  while (writes) {
    srv_store_write *write = writes;
    writes = write->next;
    write->status = SRV_STORE_MEMORY;
    write->done(write);
  }
  while (looks) {
    srv_store_lookup *look = looks;
    looks = look->next;
    look->status = SRV_STORE_MEMORY;
    look->done(look);
  }
  while (loads) {
    srv_store_load *load = loads;
    loads = load->next;
    load->status = SRV_STORE_MEMORY;
    load->done(load);
  }
}

static void on_ping_reply(void *cls, const redisReply *reply) {
  (void)cls;
  (void)reply;
}

static void check_write_stored(redis_store *s) {
  for (int i = 0; i < LINKS; i++)
    srv_redis_connection_send(s->sides[i].link,
                              srv_redis_command((const char *const[]){"PING", NULL}), on_ping_reply,
                              NULL);
}

static void request_redis_settings(redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  if (now_ns - s->settings_ns < SETTINGS_NS) return;
  s->settings_ns = now_ns;
  srv_redis_connection_query_settings(s->sides[SHORT].link);
}

static void close_links(redis_store *s);

/* The loop runs its timers before it reads: after a standstill the answers of a Redis that is well
 * may lie there unread, and every time would be over. They are read before the next tick, which
 * looks at the times however late it comes. */
static bool has_stood_still(redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  bool late = s->hurried && s->tick_ns && now_ns - s->tick_ns >= TICK_MS * 1000000u + LATE_NS;
  s->tick_ns = late ? 0 : now_ns;
  return late;
}

static void on_tick(uv_timer_t *timer) {
  redis_store *s = timer->data;
  bool busy = false;
  if (has_stood_still(s)) return;
  if (!s->hurried) check_write_stored(s);
  if (!s->links_closing) request_redis_settings(s);
  for (int i = 0; i < LINKS; i++) busy |= srv_redis_connection_tick(s->sides[i].link, uv_hrtime());
  if (s->ears) busy |= srv_redis_subscriptions_tick(s->ears, uv_hrtime());
  answer_ops_without_memory(s);
  answer_late_ops(s);
  busy |= s->first != NULL;
  if (s->closing && !s->first && !s->links_closing) {
    close_links(s);
  } else if (busy) {
    shorten_tick(s);
  } else if (s->hurried && !s->closing) {
    s->hurried = false;
    uv_timer_start(&s->timer, on_tick, IDLE_MS, IDLE_MS);
  }
}

/* ---- what the daemon calls ------------------------------------------------------------------ */

/* NULL: out of memory. */
static op *add_op(redis_store *s, kind what) {
  assert(!s->closing);
  shorten_tick(s);
  op *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->store = s;
  o->kind = what;
  o->began_ns = uv_hrtime();
  o->previous = s->last;
  if (s->last) s->last->next = o;
  else s->first = o;
  s->last = o;
  return o;
}

/* Starts an operation, or fails it at once if earlier ones have timed out while Redis is away. */
static void begin_op(op *o) {
  const side *where = &o->store->sides[o->kind == KIND_LOAD ? LONG : SHORT];
  bool away = where->down_ns && o->began_ns - where->down_ns >= o->store->place.command_ns;
  o->deadline_ns = o->began_ns + (away ? 0 : o->store->place.command_ns);
  if (o->write && o->store->staging && must_wait_for_key(o)) o->phase = PHASE_HELD;
  else start_op(o);
}

static void submit(srv_store *store, srv_store_write *write) {
  redis_store *s = of(store);
  op *o = add_op(s, KIND_WRITE);
  write->current = write->current_stamp = write->last_revision = 0;
  if (++s->stamp == 0) s->stamp = 1;
  write->stamp = s->stamp;
  if (!o) {
    write->next = s->writes;
    s->writes = write;
    return;
  }
  o->write = write;
  begin_op(o);
}

static void look(srv_store *store, srv_store_lookup *look) {
  redis_store *s = of(store);
  op *o = add_op(s, KIND_LOOK);
  look->entries = NULL;
  look->count = 0;
  if (!o) {
    look->next = s->looks;
    s->looks = look;
    return;
  }
  o->look = look;
  begin_op(o);
}

static void load(srv_store *store, srv_store_load *load) {
  redis_store *s = of(store);
  op *o = add_op(s, KIND_LOAD);
  load->records = NULL;
  load->count = 0;
  if (!o) {
    load->next = s->loads;
    s->loads = load;
    return;
  }
  o->load = load;
  begin_op(o);
}

static bool subscribe_scene(srv_store *store, srv_store_subscription *listen) {
  redis_store *s = of(store);
  shorten_tick(s);
  if (!s->ears)
    s->ears = srv_redis_subscriptions_create(&s->store, s->loop, &s->place, s->name,
                                             s->sides[SHORT].link);
  return s->ears && srv_redis_subscribe(s->ears, listen);
}

static uint64_t level(srv_store *store, srv_store_subscription *listen) {
  (void)store;
  return srv_redis_subscriptions_catch_up(listen);
}

static void unlisten(srv_store *store, srv_store_subscription *listen) {
  (void)store;
  srv_redis_unsubscribe(listen);
}

static bool healthy(const srv_store *store, srv_store_status *status, char *why) {
  const redis_store *s = of(store);
  *status = SRV_STORE_OK;
  why[0] = 0;
  for (int i = 0; i < LINKS; i++) {
    const side *where = &s->sides[i];
    if (srv_redis_connection_is_up(where->link)) continue;
    *status = where->status;
    memcpy(why, where->why, sizeof where->why);
    return false;
  }
  return true;
}

/* ---- end ------------------------------------------------------------------------------------ */

static void timer_closed(uv_handle_t *handle) {
  redis_store *s = handle->data;
  void (*closed)(void *cls) = s->closed;
  void *cls = s->closed_cls;
  srv_redis_endpoint_free(&s->place);
  srv_redis_resolver_release(s->name);
  free(s);
  if (closed) closed(cls);
}

static void link_closed(void *cls) {
  redis_store *s = cls;
  if (--s->open_links == 0) uv_close((uv_handle_t *)&s->timer, timer_closed);
}

static void close_links(redis_store *s) {
  s->links_closing = true;
  uv_timer_stop(&s->timer);
  /* One more: the last link to be closed must not end the store before all have been asked to. */
  s->open_links = LINKS + 1 + (s->ears != NULL);
  if (s->ears) srv_redis_subscriptions_close(s->ears, link_closed, s);
  for (int i = 0; i < LINKS; i++) {
    if (s->sides[i].link) srv_redis_connection_close(s->sides[i].link, link_closed, s);
    else link_closed(s);
  }
  link_closed(s);
}

static void close_store(srv_store *store, void (*done)(void *cls), void *cls) {
  redis_store *s = of(store);
  s->closed = done;
  s->closed_cls = cls;
  s->closing = true;
  shorten_tick(s);
}

static const srv_store_ops ops = {.submit = submit,
                                  .load = load,
                                  .look = look,
                                  .listen = subscribe_scene,
                                  .level = level,
                                  .unlisten = unlisten,
                                  .healthy = healthy,
                                  .close = close_store};

/* ---- opening -------------------------------------------------------------------------------- */

static redis_store *create(uv_loop_t *loop) {
  redis_store *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->store = (srv_store){
      .ops = &ops, .shared = true, .durability = "memory", .memory_why = SRV_STORE_NOT_DURABLE};
  s->loop = loop;
  s->timer.data = s;
  uv_timer_init(loop, &s->timer);
  if (getrandom(&s->stage_prefix, sizeof s->stage_prefix, 0) != (ssize_t)sizeof s->stage_prefix)
    abort();
  if (getrandom(&s->stamp, sizeof s->stamp, 0) != (ssize_t)sizeof s->stamp) abort();
  return s;
}

static void wait_at_start(redis_store *s) {
  uint64_t until_ns = uv_hrtime() + OPEN_ANSWERS * s->place.command_ns;
  shorten_tick(s);
  while (!are_both_connected(s) && !s->refused && uv_hrtime() < until_ns)
    uv_run(s->loop, UV_RUN_ONCE);
}

/* Connects both sides. False: the reason is in why. */
static bool connect_all(redis_store *s, char *why) {
  bool good = (s->name = srv_redis_resolver_create(s->place.host, s->place.port)) != NULL;
  for (int i = 0; good && i < LINKS; i++) {
    side *where = &s->sides[i];
    *where = (side){.store = s, .down_ns = uv_hrtime(), .status = SRV_STORE_UNAVAILABLE};
    snprintf(where->why, sizeof where->why, "Redis does not answer");
    const srv_redis_connection_events events = {
        .up = on_up, .promise = on_promise, .down = on_down, .cls = where};
    where->link = srv_redis_connection_create(s->loop, &s->place, s->name, &events);
    good = where->link != NULL;
  }
  if (good) wait_at_start(s);
  else snprintf(why, SRV_STORE_WHY, "out of memory");
  for (int i = 0; s->refused && i < LINKS; i++)
    if (is_permanent_failure(s->sides[i].status)) memcpy(why, s->sides[i].why, SRV_STORE_WHY);
  return good && !s->refused;
}

srv_store *srv_store_redis_open(uv_loop_t *loop, const srv_store_redis_options *from) {
  char why[SRV_STORE_WHY] = "out of memory", shown[SRV_STORE_URL_MAX];
  redis_store *s = create(loop);
  bool placed = s && srv_redis_endpoint_read(&s->place, from);
  if (placed && connect_all(s, why)) {
    s->place.serving = true;
    return &s->store;
  }
  if (placed || !s)
    fprintf(stderr, "contactd: %s: %s: %s.\n", from->url_given,
            srv_store_redis_hide_password(from->url, shown), why);
  if (s) close_links(s);
  return NULL;
}
