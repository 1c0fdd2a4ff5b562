/* Subscriptions to the events of all daemons, through streams of Redis.
 *
 * A query on the connection for short commands registers a subscriber, so that writes append their
 * events, and reads the events so far. A blocking XREAD on a separate connection delivers later
 * events, for all scenes at once.
 *
 * Event numbers make the delivery independent of the order of both connections: duplicates are
 * dropped, gaps are detected. A Redis that has lost writes assigns numbers again; then the stamps
 * of consecutive writes do not match. The query is repeated after reconnecting and periodically: it
 * keeps the stream from expiring, and detects a deleted one. */
#include "store/store_redis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Period of a subscription's query. It limits the time for which writes that Redis has lost remain
 * undetected if this daemon does not write. A small fraction of SRV_REDIS_EVENTS_SECONDS. */
#define QUERY_PERIOD_NS 5000000000u
/* Delay before a query that was refused or not answered is repeated. */
#define QUERY_RETRY_NS 1000000000u
/* Longest duration of a blocking read; an empty reply to it proves that Redis still answers. */
#define BLOCK_MS 500

typedef struct subscription {
  struct subscription *next;
  srv_redis_subscriptions *subscriptions;
  /* NULL: the subscriber has left, and the reply to the pending query will free this
   * subscription. */
  srv_store_subscription *subscriber;
  char id[CT_ID_LENGTH_MAX + 1];
  bool is_registered;
  uint64_t last_at_query; /* value of `last` when the pending query was sent */
  uint64_t first, last;   /* number of the first event of the scene's stream in Redis; number of the
                             last event received */
  uint64_t stamp;         /* stamp of the write that caused the event `last`; 0: unknown */
  bool querying, query_again;
  uint64_t ticket,
      ticket_at_query; /* last ticket issued; its value when the pending query was sent */
  uint64_t due_ns;     /* time at which the next query is due */
} subscription;

struct srv_redis_subscriptions {
  const srv_store *store; /* store whose function `report` receives messages for the log */
  /* The subscription whose refused query was reported, until that query succeeds; NULL: none. */
  const subscription *refused;
  bool read_fault_reported; /* a refused XREAD has been reported */
  srv_redis_connection *query_link, *event_link;
  uint64_t block_ms;
  subscription *first;
  bool reading;      /* an XREAD is pending */
  uint64_t pause_ns; /* time before which no XREAD is sent */
  char client[24];   /* Redis' id of event_link's client; "": unknown */
  void (*closed)(void *cls);
  void *closed_cls;
};

static void send_query(subscription *e);
static void read_events_blocking(srv_redis_subscriptions *subscriptions);

/* ---- delivery ------------------------------------------------------------------------------- */

static void unlink_subscription(subscription *e) {
  subscription **at = &e->subscriptions->first;
  if (e->subscriptions->refused == e) e->subscriptions->refused = NULL;
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  e->subscriber->store_state = NULL;
  e->subscriber = NULL;
  if (!e->querying) free(e);
}

static void begin_events(subscription *e, uint64_t after, uint64_t revision, uint64_t bodies,
                         uint64_t stamp) {
  e->is_registered = true;
  e->last = after;
  e->stamp = stamp;
  e->subscriber->on_subscribed(e->subscriber, after, revision, bodies);
}

/* Ends the subscription to a deleted scene. */
static void end_subscription(subscription *e) {
  srv_store_subscription *subscriber = e->subscriber;
  unlink_subscription(e);
  subscriber->on_deleted(subscriber);
}

/* Delivers one event, after a gap if it does not follow the last one. False: it deleted the scene
 * and ended the subscription. */
static bool deliver_event(subscription *e, const srv_store_event *event) {
  if (event->last <= e->last) return true;
  uint64_t before = event->last - event->count;
  bool follows = before == e->last && (!e->stamp || event->before_stamp == e->stamp);
  if (!follows) begin_events(e, before, event->revision, event->bodies, 0);
  e->last = event->last;
  e->stamp = event->stamp;
  e->subscriber->on_event(e->subscriber, event);
  if (event->revision > 0) return true;
  end_subscription(e);
  return false;
}

/* Delivers the events of a batch. False: one deleted the scene. *good becomes false if an entry is
 * invalid. */
static bool deliver_events(subscription *e, const srv_redis_event_batch *batch, bool *good) {
  for (size_t i = 0; i < batch->count; i++) {
    srv_store_event event;
    if (!srv_redis_read_event(batch, i, &event)) {
      *good = false;
      return true;
    }
    if (!e->is_registered)
      begin_events(e, event.last - event.count, event.revision, event.bodies, 0);
    if (!deliver_event(e, &event)) return false;
  }
  return true;
}

/* Reports an invalid reply or an error of Redis, unless a fault has been reported before. Returns
 * true if a fault has been reported, now or before. */
static bool report_bad_reply(const srv_redis_subscriptions *subscriptions, bool reported,
                             const redisReply *reply) {
  char why[SRV_STORE_WHY];
  if (!reply || reported || !subscriptions->store->report) return reported;
  (void)srv_redis_error(reply, why);
  subscriptions->store->report(subscriptions->store->report_cls, "eventsNotHeard", why);
  return true;
}

/* ---- queries -------------------------------------------------------------------------------- */

static void on_unblocked(void *cls, const redisReply *reply) {
  (void)cls;
  (void)reply;
}

/* Interrupts the blocked XREAD, which does not include a new subscription; it is then sent
 * again. */
static void interrupt_blocked_read(srv_redis_subscriptions *subscriptions) {
  if (!subscriptions->reading || !subscriptions->client[0]) return;
  srv_redis_bytes bytes =
      srv_redis_command((const char *const[]){"CLIENT", "UNBLOCK", subscriptions->client, NULL});
  srv_redis_connection_send(subscriptions->query_link, bytes, on_unblocked, NULL);
}

/* Merges the reply to a query into its subscription. False: the scene was deleted. */
static bool merge_event_batch(subscription *e, const srv_redis_event_batch *batch) {
  bool is_new = !e->is_registered, good = true;
  e->due_ns = uv_hrtime() + QUERY_PERIOD_NS;
  if (!deliver_events(e, batch, &good)) return false;
  if (batch->revision == 0) {
    end_subscription(e);
    return false;
  }
  /* Events were lost if Redis has fewer than were received, or another write under the same
   * number. */
  bool is_lost = e->last_at_query > batch->last ||
                 (e->last == batch->last && e->stamp && e->stamp != batch->stamp);
  if (!e->is_registered || e->last < batch->last || is_lost)
    begin_events(e, batch->last, batch->revision, batch->bodies, batch->stamp);
  e->first = batch->first;
  e->subscriber->on_caught_up(e->subscriber, e->ticket_at_query);
  if (is_new) interrupt_blocked_read(e->subscriptions);
  return true;
}

static void on_query_reply(void *cls, const redisReply *reply) {
  subscription *e = cls;
  srv_redis_subscriptions *subscriptions = e->subscriptions;
  srv_redis_event_batch batch;
  e->querying = false;
  if (!e->subscriber) {
    free(e);
    return;
  }
  bool again = e->query_again;
  e->query_again = false;
  if (!reply || !srv_redis_read_event_batch(reply, &batch)) {
    if (report_bad_reply(subscriptions, subscriptions->refused, reply) && !subscriptions->refused)
      subscriptions->refused = e;
    e->due_ns = uv_hrtime() + QUERY_RETRY_NS;
    return;
  }
  if (subscriptions->refused == e) subscriptions->refused = NULL;
  if (!merge_event_batch(e, &batch)) return;
  if (again) send_query(e);
  read_events_blocking(subscriptions);
}

static void send_query(subscription *e) {
  if (e->querying) {
    e->query_again = true;
    return;
  }
  e->due_ns = uv_hrtime() + QUERY_RETRY_NS;
  e->ticket_at_query = e->ticket;
  e->last_at_query = e->is_registered ? e->last : 0;
  srv_redis_bytes bytes =
      srv_redis_subscribe_command(e->id, e->is_registered ? e->first : 0, e->last_at_query);
  e->querying = srv_redis_connection_send(e->subscriptions->query_link, bytes, on_query_reply, e);
}

/* ---- blocking reads ------------------------------------------------------------------------- */

static subscription *find_subscription(const srv_redis_subscriptions *subscriptions,
                                       const char *id) {
  subscription *e = subscriptions->first;
  while (e && strcmp(e->id, id) != 0) e = e->next;
  return e;
}

static bool deliver_scene_events(srv_redis_subscriptions *subscriptions, const redisReply *reply) {
  if (reply->type == REDIS_REPLY_NIL) return true;
  bool good = reply->type == REDIS_REPLY_ARRAY;
  for (size_t i = 0; good && i < reply->elements; i++) {
    char id[CT_ID_LENGTH_MAX + 1];
    srv_redis_event_batch batch;
    good = srv_redis_read_scene_events(reply, i, id, &batch);
    subscription *e = good ? find_subscription(subscriptions, id) : NULL;
    if (e && e->is_registered) (void)deliver_events(e, &batch, &good);
  }
  return good;
}

static void on_events_reply(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *subscriptions = cls;
  subscriptions->reading = false;
  if (!reply) return;
  if (deliver_scene_events(subscriptions, reply)) {
    subscriptions->read_fault_reported = false;
  } else {
    subscriptions->read_fault_reported =
        report_bad_reply(subscriptions, subscriptions->read_fault_reported, reply);
    /* Query at once: the replies move `last` past the unreadable entries. */
    subscriptions->pause_ns = uv_hrtime() + QUERY_RETRY_NS;
    for (subscription *e = subscriptions->first; e; e = e->next) e->due_ns = 0;
  }
  read_events_blocking(subscriptions);
}

/* Sends a blocking XREAD for the streams of all registered subscriptions. */
static void read_events_blocking(srv_redis_subscriptions *subscriptions) {
  if (subscriptions->reading || !subscriptions->first ||
      !srv_redis_connection_is_up(subscriptions->event_link) ||
      uv_hrtime() < subscriptions->pause_ns)
    return;
  size_t count = 0;
  for (subscription *e = subscriptions->first; e; e = e->next) count += e->is_registered;
  const char **ids = calloc(count + 1, sizeof *ids);
  uint64_t *last = calloc(count + 1, sizeof *last);
  if (ids && last && count) {
    count = 0;
    for (subscription *e = subscriptions->first; e; e = e->next) {
      if (!e->is_registered) continue;
      ids[count] = e->id;
      last[count++] = e->last;
    }
    srv_redis_bytes bytes =
        srv_redis_wait_events_command(ids, last, count, subscriptions->block_ms);
    subscriptions->reading =
        srv_redis_connection_send(subscriptions->event_link, bytes, on_events_reply, subscriptions);
  }
  free(ids);
  free(last);
}

static void on_client_id_reply(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *subscriptions = cls;
  if (reply && reply->type == REDIS_REPLY_INTEGER)
    snprintf(subscriptions->client, sizeof subscriptions->client, "%lld", reply->integer);
}

static void on_event_link_up(void *cls) {
  srv_redis_subscriptions *subscriptions = cls;
  subscriptions->client[0] = 0;
  srv_redis_connection_send(subscriptions->event_link,
                            srv_redis_command((const char *const[]){"CLIENT", "ID", NULL}),
                            on_client_id_reply, subscriptions);
  read_events_blocking(subscriptions);
}

static void ignore_durability(void *cls, srv_redis_durability promise) {
  (void)cls;
  (void)promise;
}

/* Does nothing: the store's other connections report that Redis is unreachable. */
static void ignore_event_link_down(void *cls, srv_store_status status, const char *why) {
  (void)cls;
  (void)status;
  (void)why;
}

/* ---- operations of the store ---------------------------------------------------------------- */

srv_redis_subscriptions *srv_redis_subscriptions_create(const srv_store *store, uv_loop_t *loop,
                                                        srv_redis_endpoint *place,
                                                        srv_redis_resolver *name,
                                                        srv_redis_connection *query_link) {
  srv_redis_subscriptions *subscriptions = calloc(1, sizeof *subscriptions);
  if (!subscriptions) return NULL;
  const srv_redis_connection_events events = {.up = on_event_link_up,
                                              .promise = ignore_durability,
                                              .down = ignore_event_link_down,
                                              .cls = subscriptions};
  uint64_t half_ms = place->command_ns / 2000000u;
  subscriptions->store = store;
  subscriptions->query_link = query_link;
  subscriptions->block_ms = half_ms < BLOCK_MS ? half_ms : BLOCK_MS;
  subscriptions->event_link = srv_redis_connection_create(loop, place, name, &events);
  if (subscriptions->event_link) return subscriptions;
  free(subscriptions);
  return NULL;
}

static void on_event_link_closed(void *cls) {
  srv_redis_subscriptions *subscriptions = cls;
  void (*closed)(void *cls) = subscriptions->closed;
  void *closed_cls = subscriptions->closed_cls;
  free(subscriptions);
  closed(closed_cls);
}

/* All subscribers must have left. query_link may still have outstanding queries, whose replies free
 * their subscriptions. */
void srv_redis_subscriptions_close(srv_redis_subscriptions *subscriptions,
                                   void (*closed)(void *cls), void *cls) {
  assert(!subscriptions->first);
  subscriptions->closed = closed;
  subscriptions->closed_cls = cls;
  srv_redis_connection_close(subscriptions->event_link, on_event_link_closed, subscriptions);
}

void srv_redis_subscriptions_connected(srv_redis_subscriptions *subscriptions) {
  for (subscription *e = subscriptions->first; e; e = e->next) send_query(e);
}

bool srv_redis_subscriptions_tick(srv_redis_subscriptions *subscriptions, uint64_t now_ns) {
  (void)srv_redis_connection_tick(subscriptions->event_link, now_ns);
  for (subscription *e = subscriptions->first; e; e = e->next)
    if (!e->querying && now_ns >= e->due_ns) send_query(e);
  read_events_blocking(subscriptions);
  return !srv_redis_connection_is_up(subscriptions->event_link);
}

void srv_redis_subscriptions_unknown(srv_redis_subscriptions *subscriptions, const char *id) {
  subscription *e = find_subscription(subscriptions, id);
  if (e) send_query(e);
}

bool srv_redis_subscribe(srv_redis_subscriptions *subscriptions,
                         srv_store_subscription *subscriber) {
  subscription *e = calloc(1, sizeof *e);
  if (!e) return false;
  e->subscriptions = subscriptions;
  e->subscriber = subscriber;
  memcpy(e->id, subscriber->id, sizeof e->id);
  e->next = subscriptions->first;
  subscriptions->first = e;
  subscriber->store_state = e;
  return true;
}

uint64_t srv_redis_subscriptions_catch_up(srv_store_subscription *subscriber) {
  subscription *e = subscriber->store_state;
  e->ticket++;
  send_query(e);
  return e->ticket;
}

void srv_redis_unsubscribe(srv_store_subscription *subscriber) {
  if (subscriber->store_state) unlink_subscription(subscriber->store_state);
}
