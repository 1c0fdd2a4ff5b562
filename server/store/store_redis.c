/* The store in Redis: submissions, time limits, state of the two connections, opening and closing.
 *
 * There are two connections, one for short commands (writes, lookups) and one for long ones (loads,
 * staged parts of long records), so that a scene of 50 MB does not delay other scenes.
 *
 * Every operation has a time limit: one second or, for long ones, a second without a byte. After it
 * the answer is SRV_STORE_UNAVAILABLE, and a later reply is ignored. Reads that were lost with a
 * connection are repeated within their limit; writes are not, since they may have been done. After
 * Redis has been unreachable for a second, operations fail at once. */
#include "process/address.h"
#include "store/store_redis_operation.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Period of the timer while operations are pending; and otherwise, when it only sends PING. */
#define TICK_MS 20
#define IDLE_MS 1000
/* Delay of a tick from which on this process counts as having been suspended (overloaded machine,
 * SIGSTOP). */
#define LATE_NS 100000000u
/* Shortest time between two queries of Redis' durability settings. */
#define SETTINGS_NS 500000000u
/* Longest wait for Redis at the start, in multiples of a command's time limit. Permanent failures
 * are detected within it; afterwards the daemon serves without Redis. */
#define OPEN_ANSWERS 2u
/* Period after which the log repeats that Redis is unreachable. */
#define REPORT_PERIOD_NS 60000000000u
/* Time limit of a long operation, whether or not bytes arrive. */
#define LONG_NS 60000000000u

static srv_redis_store *redis_store_of(const srv_store *store) {
  return (srv_redis_store *)(uintptr_t)store;
}

static void report_redis_event(srv_redis_store *s, const char *event, const char *detail) {
  if (s->store.report) s->store.report(s->store.report_cls, event, detail);
}

static void on_tick(uv_timer_t *timer);

static void shorten_tick(srv_redis_store *s) {
  if (s->ticks_often) return;
  s->ticks_often = true;
  s->tick_ns = uv_hrtime();
  uv_timer_start(&s->timer, on_tick, TICK_MS, TICK_MS);
}

/* ---- the connections' events ---------------------------------------------------------------- */

static bool are_both_connected(const srv_redis_store *s) {
  return srv_redis_connection_is_up(s->sides[SRV_REDIS_SHORT].link) &&
         srv_redis_connection_is_up(s->sides[SRV_REDIS_LONG].link);
}

static void on_store_link_up(void *cls) {
  srv_redis_side *where = cls;
  srv_redis_store *s = where->store;
  where->down_ns = 0;
  if (s->reported_ns && are_both_connected(s)) {
    s->reported_ns = 0;
    report_redis_event(s, "storeBack", "Redis answers again");
  }
  for (srv_redis_operation *o = s->first; o; o = o->next)
    if (!o->replies && srv_redis_operation_side(o) == where &&
        (o->phase == SRV_REDIS_WAITS || o->phase == SRV_REDIS_STAGING))
      srv_redis_operation_send(o, false);
  if (s->subscriptions && where == &s->sides[SRV_REDIS_SHORT])
    srv_redis_subscriptions_connected(s->subscriptions);
}

/* Writes use the short connection, so only the durability reported by it is used. */
static void on_store_link_durability(void *cls, srv_redis_durability promise) {
  static const char *const why[] = {
      [SRV_REDIS_DURABILITY_UNKNOWN] =
          "It is unknown whether acknowledged writes are durable, because Redis refuses CONFIG GET "
          "or INFO: the durability is memory",
      [SRV_REDIS_NOT_DURABLE] = SRV_STORE_NOT_DURABLE,
      [SRV_REDIS_DURABLE_AFTER_REWRITE] = "Redis is rewriting its appendonly file: the durability "
                                          "is memory until the file is complete",
      [SRV_REDIS_DURABLE] = "Redis makes acknowledged writes durable: the durability is redis"};
  srv_redis_side *where = cls;
  srv_redis_store *s = where->store;
  if (where != &s->sides[SRV_REDIS_SHORT]) return;
  if (promise != SRV_REDIS_DURABLE_AFTER_REWRITE) s->has_file = promise == SRV_REDIS_DURABLE;
  else if (s->has_file) promise = SRV_REDIS_DURABLE;
  const char *word = s->has_file ? "redis" : "memory";
  bool news = !s->durability_reported || strcmp(word, s->store.durability) != 0;
  s->durability_reported = true;
  s->store.durability = word;
  s->store.memory_why = why[promise];
  if (news) report_redis_event(s, s->has_file ? "storeDurable" : "storeNotDurable", why[promise]);
}

/* Logs that a connection is lost: at first, then once per REPORT_PERIOD_NS, and whenever the status
 * changes. */
static void report_disconnected(srv_redis_store *s, srv_store_status status, const char *why) {
  uint64_t now_ns = uv_hrtime();
  bool news = !s->reported_ns || status != s->reported_status ||
              now_ns - s->reported_ns >= REPORT_PERIOD_NS;
  if (!news || !s->store.report) return;
  s->reported_ns = now_ns;
  s->reported_status = status;
  report_redis_event(s, "storeUnavailable", why);
}

/* True if the failure does not end by waiting. */
static bool is_permanent_failure(srv_store_status status) {
  return status == SRV_STORE_FAILED || status == SRV_STORE_DAMAGED;
}

static void on_store_link_down(void *cls, srv_store_status status, const char *why) {
  srv_redis_side *where = cls;
  srv_redis_store *s = where->store;
  if (where == &s->sides[SRV_REDIS_SHORT]) s->has_file = false;
  if (!where->down_ns) where->down_ns = uv_hrtime();
  where->status = status;
  memcpy(where->why, why, strnlen(why, SRV_STORE_WHY - 1) + 1);
  if (is_permanent_failure(status)) s->refused = true;
  report_disconnected(s, status, why);
  shorten_tick(s);
}

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t get_op_deadline(const srv_redis_operation *o) {
  if (o->phase == SRV_REDIS_HELD) return UINT64_MAX;
  bool is_long = (o->kind == SRV_REDIS_LOAD && o->phase == SRV_REDIS_SENT) ||
                 (o->phase == SRV_REDIS_STAGING && o->replies);
  if (!is_long) return o->deadline_ns;
  uint64_t progress = srv_redis_connection_last_progress(o->store->sides[SRV_REDIS_LONG].link) +
                      o->store->place.command_ns;
  uint64_t most = o->began_ns + LONG_NS;
  progress = progress > o->deadline_ns ? progress : o->deadline_ns;
  return progress < most ? progress : most;
}

static void answer_if_late(srv_redis_operation *o) {
  const srv_redis_side *where = srv_redis_operation_side(o);
  if (o->out_of_memory) srv_redis_operation_answer(o, SRV_STORE_MEMORY, "");
  else if (where->down_ns) srv_redis_operation_answer(o, where->status, where->why);
  else srv_redis_operation_answer(o, SRV_STORE_UNAVAILABLE, "Redis does not answer");
}

/* Answers all operations whose time limit has passed. The callback of an answer may submit other
 * operations, so the list is searched from its start again. */
static void answer_late_ops(srv_redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  for (srv_redis_operation *o = s->first; o;) {
    if (!o->out_of_memory && now_ns < get_op_deadline(o)) {
      o = o->next;
      continue;
    }
    answer_if_late(o);
    o = s->first;
  }
}

static void answer_ops_without_memory(srv_redis_store *s) {
  srv_store_write *writes = s->writes;
  srv_store_lookup *lookups = s->lookups;
  srv_store_load *loads = s->loads;
  s->writes = NULL;
  s->lookups = NULL;
  s->loads = NULL;
  while (writes) {
    srv_store_write *write = writes;
    writes = write->next;
    write->status = SRV_STORE_MEMORY;
    write->done(write);
  }
  while (lookups) {
    srv_store_lookup *lookup = lookups;
    lookups = lookup->next;
    lookup->status = SRV_STORE_MEMORY;
    lookup->done(lookup);
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

static void check_write_stored(srv_redis_store *s) {
  for (int i = 0; i < SRV_REDIS_LINKS; i++)
    srv_redis_connection_send(s->sides[i].link,
                              srv_redis_command((const char *const[]){"PING", NULL}), on_ping_reply,
                              NULL);
}

static void request_redis_settings(srv_redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  if (now_ns - s->settings_ns < SETTINGS_NS) return;
  s->settings_ns = now_ns;
  srv_redis_connection_query_settings(s->sides[SRV_REDIS_SHORT].link);
}

static void close_links(srv_redis_store *s);

/* True if this process was suspended. The loop runs timers before it reads sockets, so replies may
 * be unread although all deadlines have passed. Deadlines are not checked in this tick; the next
 * one checks them even if it is late too. */
static bool was_suspended(srv_redis_store *s) {
  uint64_t now_ns = uv_hrtime();
  bool late = s->ticks_often && s->tick_ns && now_ns - s->tick_ns >= TICK_MS * 1000000u + LATE_NS;
  s->tick_ns = late ? 0 : now_ns;
  return late;
}

static void on_tick(uv_timer_t *timer) {
  srv_redis_store *s = timer->data;
  bool busy = false;
  if (was_suspended(s)) return;
  if (!s->ticks_often) check_write_stored(s);
  if (s->close_state != SRV_REDIS_LINKS_CLOSING) request_redis_settings(s);
  for (int i = 0; i < SRV_REDIS_LINKS; i++)
    busy |= srv_redis_connection_tick(s->sides[i].link, uv_hrtime());
  if (s->subscriptions) busy |= srv_redis_subscriptions_tick(s->subscriptions, uv_hrtime());
  answer_ops_without_memory(s);
  answer_late_ops(s);
  busy |= s->first != NULL;
  if (s->close_state == SRV_REDIS_CLOSING && !s->first) {
    close_links(s);
  } else if (busy) {
    shorten_tick(s);
  } else if (s->ticks_often && s->close_state == SRV_REDIS_OPEN) {
    s->ticks_often = false;
    uv_timer_start(&s->timer, on_tick, IDLE_MS, IDLE_MS);
  }
}

/* ---- operations of the store ---------------------------------------------------------------- */

/* Adds an operation at the end of the list. NULL: out of memory. */
static srv_redis_operation *add_op(srv_redis_store *s, srv_redis_operation_kind what) {
  assert(s->close_state == SRV_REDIS_OPEN);
  shorten_tick(s);
  srv_redis_operation *o = calloc(1, sizeof *o);
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

/* Starts an operation. If Redis has been unreachable for the time limit of a command, its deadline
 * is now. */
static void begin_op(srv_redis_operation *o) {
  const srv_redis_side *where =
      &o->store->sides[o->kind == SRV_REDIS_LOAD ? SRV_REDIS_LONG : SRV_REDIS_SHORT];
  bool away = where->down_ns && o->began_ns - where->down_ns >= o->store->place.command_ns;
  o->deadline_ns = o->began_ns + (away ? 0 : o->store->place.command_ns);
  if (o->write && o->store->staging && srv_redis_operation_must_wait(o)) o->phase = SRV_REDIS_HELD;
  else srv_redis_operation_start(o);
}

static void submit_redis_write(srv_store *store, srv_store_write *write) {
  srv_redis_store *s = redis_store_of(store);
  srv_redis_operation *o = add_op(s, SRV_REDIS_WRITE);
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

static void submit_redis_lookup(srv_store *store, srv_store_lookup *lookup) {
  srv_redis_store *s = redis_store_of(store);
  srv_redis_operation *o = add_op(s, SRV_REDIS_LOOK);
  lookup->entries = NULL;
  lookup->count = 0;
  if (!o) {
    lookup->next = s->lookups;
    s->lookups = lookup;
    return;
  }
  o->lookup = lookup;
  begin_op(o);
}

static void submit_redis_load(srv_store *store, srv_store_load *load) {
  srv_redis_store *s = redis_store_of(store);
  srv_redis_operation *o = add_op(s, SRV_REDIS_LOAD);
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

static bool subscribe_scene(srv_store *store, srv_store_subscription *subscription) {
  srv_redis_store *s = redis_store_of(store);
  shorten_tick(s);
  if (!s->subscriptions)
    s->subscriptions = srv_redis_subscriptions_create(&s->store, s->loop, &s->place, s->name,
                                                      s->sides[SRV_REDIS_SHORT].link);
  return s->subscriptions && srv_redis_subscribe(s->subscriptions, subscription);
}

static uint64_t catch_up_scene(srv_store *store, srv_store_subscription *subscription) {
  (void)store;
  return srv_redis_subscriptions_catch_up(subscription);
}

static void unsubscribe_scene(srv_store *store, srv_store_subscription *subscription) {
  (void)store;
  srv_redis_unsubscribe(subscription);
}

static bool is_redis_healthy(const srv_store *store, srv_store_status *status, char *why) {
  const srv_redis_store *s = redis_store_of(store);
  *status = SRV_STORE_OK;
  why[0] = 0;
  for (int i = 0; i < SRV_REDIS_LINKS; i++) {
    const srv_redis_side *where = &s->sides[i];
    if (srv_redis_connection_is_up(where->link)) continue;
    *status = where->status;
    memcpy(why, where->why, sizeof where->why);
    return false;
  }
  return true;
}

/* ---- closing -------------------------------------------------------------------------------- */

static void timer_closed(uv_handle_t *handle) {
  srv_redis_store *s = handle->data;
  void (*closed)(void *cls) = s->closed;
  void *cls = s->closed_cls;
  srv_redis_endpoint_free(&s->place);
  srv_redis_resolver_release(s->name);
  free(s);
  if (closed) closed(cls);
}

static void on_store_link_closed(void *cls) {
  srv_redis_store *s = cls;
  if (--s->open_links == 0) uv_close((uv_handle_t *)&s->timer, timer_closed);
}

static void close_links(srv_redis_store *s) {
  assert(s->close_state != SRV_REDIS_LINKS_CLOSING);
  s->close_state = SRV_REDIS_LINKS_CLOSING;
  uv_timer_stop(&s->timer);
  /* One more for this function: the store must not be freed before all links are being closed. */
  s->open_links = SRV_REDIS_LINKS + 1 + (s->subscriptions != NULL);
  if (s->subscriptions) srv_redis_subscriptions_close(s->subscriptions, on_store_link_closed, s);
  for (int i = 0; i < SRV_REDIS_LINKS; i++) {
    if (s->sides[i].link) srv_redis_connection_close(s->sides[i].link, on_store_link_closed, s);
    else on_store_link_closed(s);
  }
  on_store_link_closed(s);
}

static void close_redis_store(srv_store *store, void (*done)(void *cls), void *cls) {
  srv_redis_store *s = redis_store_of(store);
  s->closed = done;
  s->closed_cls = cls;
  assert(s->close_state == SRV_REDIS_OPEN);
  s->close_state = SRV_REDIS_CLOSING;
  shorten_tick(s);
}

static const srv_store_ops ops = {.submit = submit_redis_write,
                                  .load = submit_redis_load,
                                  .lookup = submit_redis_lookup,
                                  .subscribe = subscribe_scene,
                                  .catch_up = catch_up_scene,
                                  .unsubscribe = unsubscribe_scene,
                                  .healthy = is_redis_healthy,
                                  .close = close_redis_store};

/* ---- opening -------------------------------------------------------------------------------- */

static srv_redis_store *create_redis_store(uv_loop_t *loop) {
  srv_redis_store *s = calloc(1, sizeof *s);
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

static void wait_at_start(srv_redis_store *s) {
  uint64_t until_ns = uv_hrtime() + OPEN_ANSWERS * s->place.command_ns;
  shorten_tick(s);
  while (!are_both_connected(s) && !s->refused && uv_hrtime() < until_ns)
    uv_run(s->loop, UV_RUN_ONCE);
}

/* Connects both sides and waits for Redis. False: the reason is in why. */
static bool connect_all(srv_redis_store *s, char *why) {
  bool good = (s->name = srv_redis_resolver_create(s->place.host, s->place.port)) != NULL;
  for (int i = 0; good && i < SRV_REDIS_LINKS; i++) {
    srv_redis_side *where = &s->sides[i];
    *where = (srv_redis_side){.store = s, .down_ns = uv_hrtime(), .status = SRV_STORE_UNAVAILABLE};
    snprintf(where->why, sizeof where->why, "Redis does not answer");
    const srv_redis_connection_events events = {.up = on_store_link_up,
                                                .promise = on_store_link_durability,
                                                .down = on_store_link_down,
                                                .cls = where};
    where->link = srv_redis_connection_create(s->loop, &s->place, s->name, &events);
    good = where->link != NULL;
  }
  if (good) wait_at_start(s);
  else snprintf(why, SRV_STORE_WHY, "out of memory");
  for (int i = 0; s->refused && i < SRV_REDIS_LINKS; i++)
    if (is_permanent_failure(s->sides[i].status)) memcpy(why, s->sides[i].why, SRV_STORE_WHY);
  return good && !s->refused;
}

srv_store *srv_store_redis_open(uv_loop_t *loop, const srv_store_redis_options *from) {
  char why[SRV_STORE_WHY] = "out of memory", shown[SRV_ADDRESS_URL_MAX];
  srv_redis_store *s = create_redis_store(loop);
  bool placed = s && srv_redis_endpoint_read(&s->place, from);
  if (placed && connect_all(s, why)) {
    s->place.serving = true;
    return &s->store;
  }
  if (placed || !s)
    fprintf(stderr, "contactd: %s: %s: %s.\n", from->url_given,
            srv_address_hide_password(from->url, shown), why);
  if (s) close_links(s);
  return NULL;
}
