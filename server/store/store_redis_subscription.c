/* Subscriptions to the events of all daemons, through streams of Redis.
 *
 * A query on the connection for short commands registers a subscriber, which makes writes append
 * their events, and reads the events so far. Later events come by XREAD BLOCK for all scenes at
 * once, on a connection of its own.
 *
 * Event numbers make delivery independent of the order of both connections: duplicates are dropped,
 * gaps are detected. A Redis that has lost writes assigns numbers again; then the stamps of
 * consecutive writes do not match. The query is repeated after reconnecting and periodically: it
 * keeps the stream alive and detects a deleted one. */
#include "store/store_redis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between two questions of an ear: so long it may not hear that Redis has lost what was reported,
 * unless somebody writes here. A small part of SRV_REDIS_EVENTS_SECONDS. */
#define ASK_NS 5000000000u
/* After one that was refused, or has had no answer. */
#define AGAIN_NS 1000000000u
/* Longest time that Redis is let wait for news: whether it still answers is seen by its saying that
 * there is none. */
#define WAIT_MS 500

typedef struct subscription {
  struct subscription *next;
  srv_redis_subscriptions *ears;
  srv_store_subscription *listen; /* NULL: nobody; freed with the answer to its question */
  char id[CT_ID_LENGTH_MAX + 1];
  bool begun;
  uint64_t asked_last;  /* `last` when the question was asked */
  uint64_t first, last; /* what Redis began with, and what was heard last */
  uint64_t stamp;       /* of the write that reported the last; 0: not known */
  bool asking, asks_again;
  uint64_t ticket, ticket_asked; /* given out last; of the question that is under way */
  uint64_t due_ns;               /* of the next question */
} subscription;

struct srv_redis_subscriptions {
  const srv_store *store; /* for its `tell` */
  /* Somebody was reported that Redis refuses: this ear's question, and has not answered it since;
   * NULL: none. To wait for news. */
  const subscription *refused;
  bool told_waiting;
  srv_redis_connection *asks, *hears;
  uint64_t wait_ms;
  subscription *first;
  bool waiting;      /* for news */
  uint64_t pause_ns; /* no news are asked for before */
  char client[24];   /* what Redis calls the connection that waits; "": not known */
  void (*closed)(void *cls);
  void *closed_cls;
};

static void send_query(subscription *e);
static void wait_for_news(srv_redis_subscriptions *ears);

/* ---- what was reported ---------------------------------------------------------------------- */

static void unlink_subscription(subscription *e) {
  subscription **at = &e->ears->first;
  if (e->ears->refused == e) e->ears->refused = NULL;
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  e->listen->ear = NULL;
  e->listen = NULL;
  if (!e->asking) free(e);
}

static void begin_events(subscription *e, uint64_t after, uint64_t revision, uint64_t bodies,
                         uint64_t stamp) {
  e->begun = true;
  e->last = after;
  e->stamp = stamp;
  e->listen->begun(e->listen, after, revision, bodies);
}

/* Ends the subscription of a deleted scene. */
static void end_subscription(subscription *e) {
  srv_store_subscription *listen = e->listen;
  unlink_subscription(e);
  listen->gone(listen);
}

/* Delivers one event. False: it deleted the scene and ended the subscription. */
static bool deliver_event(subscription *e, const srv_store_event *reported) {
  if (reported->last <= e->last) return true;
  uint64_t before = reported->last - reported->count;
  bool follows = before == e->last && (!e->stamp || reported->before_stamp == e->stamp);
  if (!follows) begin_events(e, before, reported->revision, reported->bodies, 0);
  e->last = reported->last;
  e->stamp = reported->stamp;
  e->listen->reported(e->listen, reported);
  if (reported->revision > 0) return true;
  end_subscription(e);
  return false;
}

/* False: the scene has gone. *good becomes false where something is none of ours. */
static bool deliver_events(subscription *e, const srv_redis_event_batch *heard, bool *good) {
  for (size_t i = 0; i < heard->count; i++) {
    srv_store_event reported;
    if (!srv_redis_read_event(heard, i, &reported)) {
      *good = false;
      return true;
    }
    if (!e->begun)
      begin_events(e, reported.last - reported.count, reported.revision, reported.bodies, 0);
    if (!deliver_event(e, &reported)) return false;
  }
  return true;
}

/* An answer that is none of ours, or says that we may not ask. Returns whether somebody was
 * reported, now or before. */
static bool report_bad_reply(const srv_redis_subscriptions *ears, bool reported,
                             const redisReply *reply) {
  char why[SRV_STORE_WHY];
  if (!reply || reported || !ears->store->tell) return reported;
  (void)srv_redis_error(reply, why);
  ears->store->tell(ears->store->tell_cls, "eventsNotHeard", why);
  return true;
}

/* ---- questions ------------------------------------------------------------------------------ */

static void on_unblocked(void *cls, const redisReply *reply) {
  (void)cls;
  (void)reply;
}

/* Interrupts the blocked XREAD, which does not include a new subscription, so that it is sent
 * again. */
static void interrupt_blocked_read(srv_redis_subscriptions *ears) {
  if (!ears->waiting || !ears->client[0]) return;
  srv_redis_bytes bytes =
      srv_redis_command((const char *const[]){"CLIENT", "UNBLOCK", ears->client, NULL});
  srv_redis_connection_send(ears->asks, bytes, on_unblocked, NULL);
}

/* False: the scene has gone. */
static bool merge_event_batch(subscription *e, const srv_redis_event_batch *heard) {
  bool is_new = !e->begun, good = true;
  e->due_ns = uv_hrtime() + ASK_NS;
  if (!deliver_events(e, heard, &good)) return false;
  if (heard->revision == 0) {
    end_subscription(e);
    return false;
  }
  /* The stream was restarted, or what was reported is not kept any more; or Redis has lost what it
   * had reported, and others may have reported as much again. */
  bool is_lost = e->asked_last > heard->last ||
                 (e->last == heard->last && e->stamp && e->stamp != heard->stamp);
  if (!e->begun || e->last < heard->last || is_lost)
    begin_events(e, heard->last, heard->revision, heard->bodies, heard->stamp);
  e->first = heard->first;
  e->listen->level(e->listen, e->ticket_asked);
  if (is_new) interrupt_blocked_read(e->ears);
  return true;
}

static void on_query_reply(void *cls, const redisReply *reply) {
  subscription *e = cls;
  srv_redis_subscriptions *ears = e->ears;
  srv_redis_event_batch heard;
  e->asking = false;
  if (!e->listen) {
    free(e);
    return;
  }
  bool again = e->asks_again;
  e->asks_again = false;
  if (!reply || !srv_redis_read_event_batch(reply, &heard)) {
    if (report_bad_reply(ears, ears->refused, reply) && !ears->refused) ears->refused = e;
    e->due_ns = uv_hrtime() + AGAIN_NS;
    return;
  }
  if (ears->refused == e) ears->refused = NULL;
  if (!merge_event_batch(e, &heard)) return;
  if (again) send_query(e);
  wait_for_news(ears);
}

static void send_query(subscription *e) {
  if (e->asking) {
    e->asks_again = true;
    return;
  }
  e->due_ns = uv_hrtime() + AGAIN_NS;
  e->ticket_asked = e->ticket;
  e->asked_last = e->begun ? e->last : 0;
  srv_redis_bytes bytes =
      srv_redis_subscribe_command(e->id, e->begun ? e->first : 0, e->asked_last);
  e->asking = srv_redis_connection_send(e->ears->asks, bytes, on_query_reply, e);
}

/* ---- news ----------------------------------------------------------------------------------- */

static subscription *find_subscription(const srv_redis_subscriptions *ears, const char *id) {
  subscription *e = ears->first;
  while (e && strcmp(e->id, id) != 0) e = e->next;
  return e;
}

static bool deliver_all_news(srv_redis_subscriptions *ears, const redisReply *reply) {
  if (reply->type == REDIS_REPLY_NIL) return true;
  bool good = reply->type == REDIS_REPLY_ARRAY;
  for (size_t i = 0; good && i < reply->elements; i++) {
    char id[CT_ID_LENGTH_MAX + 1];
    srv_redis_event_batch heard;
    good = srv_redis_read_scene_events(reply, i, id, &heard);
    subscription *e = good ? find_subscription(ears, id) : NULL;
    if (e && e->begun) (void)deliver_events(e, &heard, &good);
  }
  return good;
}

static void on_news_reply(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *ears = cls;
  ears->waiting = false;
  if (!reply) return;
  if (deliver_all_news(ears, reply)) {
    ears->told_waiting = false;
  } else {
    ears->told_waiting = report_bad_reply(ears, ears->told_waiting, reply);
    /* What cannot be read is passed over by a question. */
    ears->pause_ns = uv_hrtime() + AGAIN_NS;
    for (subscription *e = ears->first; e; e = e->next) e->due_ns = 0;
  }
  wait_for_news(ears);
}

/* Waits for events of all subscriptions that have begun. */
static void wait_for_news(srv_redis_subscriptions *ears) {
  if (ears->waiting || !ears->first || !srv_redis_connection_is_up(ears->hears) ||
      uv_hrtime() < ears->pause_ns)
    return;
  size_t count = 0;
  for (subscription *e = ears->first; e; e = e->next) count += e->begun;
  const char **ids = calloc(count + 1, sizeof *ids);
  uint64_t *last = calloc(count + 1, sizeof *last);
  if (ids && last && count) {
    count = 0;
    for (subscription *e = ears->first; e; e = e->next) {
      if (!e->begun) continue;
      ids[count] = e->id;
      last[count++] = e->last;
    }
    srv_redis_bytes bytes = srv_redis_wait_events_command(ids, last, count, ears->wait_ms);
    ears->waiting = srv_redis_connection_send(ears->hears, bytes, on_news_reply, ears);
  }
  free(ids);
  free(last);
}

static void on_client_id_reply(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *ears = cls;
  if (reply && reply->type == REDIS_REPLY_INTEGER)
    snprintf(ears->client, sizeof ears->client, "%lld", reply->integer);
}

static void on_up(void *cls) {
  srv_redis_subscriptions *ears = cls;
  ears->client[0] = 0;
  srv_redis_connection_send(ears->hears,
                            srv_redis_command((const char *const[]){"CLIENT", "ID", NULL}),
                            on_client_id_reply, ears);
  wait_for_news(ears);
}

static void on_promise(void *cls, srv_redis_durability promise) {
  (void)cls;
  (void)promise;
}

/* The store's other connections tell that Redis is away. */
static void on_down(void *cls, srv_store_status status, const char *why) {
  (void)cls;
  (void)status;
  (void)why;
}

/* ---- what the store calls ------------------------------------------------------------------- */

srv_redis_subscriptions *srv_redis_subscriptions_create(const srv_store *store, uv_loop_t *loop,
                                                        srv_redis_endpoint *place,
                                                        srv_redis_resolver *name,
                                                        srv_redis_connection *asks) {
  srv_redis_subscriptions *ears = calloc(1, sizeof *ears);
  if (!ears) return NULL;
  const srv_redis_connection_events events = {
      .up = on_up, .promise = on_promise, .down = on_down, .cls = ears};
  uint64_t half_ms = place->command_ns / 2000000u;
  ears->store = store;
  ears->asks = asks;
  ears->wait_ms = half_ms < WAIT_MS ? half_ms : WAIT_MS;
  ears->hears = srv_redis_connection_create(loop, place, name, &events);
  if (ears->hears) return ears;
  free(ears);
  return NULL;
}

static void link_closed(void *cls) {
  srv_redis_subscriptions *ears = cls;
  void (*closed)(void *cls) = ears->closed;
  void *closed_cls = ears->closed_cls;
  free(ears);
  closed(closed_cls);
}

/* Nobody listens any more; who has left may still be waited for by the other connection. */
void srv_redis_subscriptions_close(srv_redis_subscriptions *ears, void (*closed)(void *cls),
                                   void *cls) {
  assert(!ears->first);
  ears->closed = closed;
  ears->closed_cls = cls;
  srv_redis_connection_close(ears->hears, link_closed, ears);
}

void srv_redis_subscriptions_connected(srv_redis_subscriptions *ears) {
  for (subscription *e = ears->first; e; e = e->next) send_query(e);
}

bool srv_redis_subscriptions_tick(srv_redis_subscriptions *ears, uint64_t now_ns) {
  (void)srv_redis_connection_tick(ears->hears, now_ns);
  for (subscription *e = ears->first; e; e = e->next)
    if (!e->asking && now_ns >= e->due_ns) send_query(e);
  wait_for_news(ears);
  return !srv_redis_connection_is_up(ears->hears);
}

void srv_redis_subscriptions_unknown(srv_redis_subscriptions *ears, const char *id) {
  subscription *e = find_subscription(ears, id);
  if (e) send_query(e);
}

bool srv_redis_subscribe(srv_redis_subscriptions *ears, srv_store_subscription *listen) {
  subscription *e = calloc(1, sizeof *e);
  if (!e) return false;
  e->ears = ears;
  e->listen = listen;
  memcpy(e->id, listen->id, sizeof e->id);
  e->next = ears->first;
  ears->first = e;
  listen->ear = e;
  return true;
}

uint64_t srv_redis_subscriptions_catch_up(srv_store_subscription *listen) {
  subscription *e = listen->ear;
  e->ticket++;
  send_query(e);
  return e->ticket;
}

void srv_redis_unsubscribe(srv_store_subscription *listen) {
  if (listen->ear) unlink_subscription(listen->ear);
}
