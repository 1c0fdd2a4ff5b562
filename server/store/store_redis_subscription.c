/* Who listens to what the writes of all daemons tell. Each scene that is listened to has an ear: its questions (how far is it, what
 * has been told since) go by the connection of the store's other short ones, and begin to keep what is told; what is told from then
 * on comes by a connection of its own, which waits at Redis for news of all ears at once.
 *
 * Numbers alone say what has been heard: what comes twice is dropped, what is missing is found, and in which order the two
 * connections answer does not matter. A Redis that has gone back in time gives numbers again: stamps of writes tell that what comes
 * next does not follow what was heard. A question is asked anew when Redis is back, and every so often: it keeps the stream alive,
 * and finds what the other connection would never hear of (a stream that has gone). */
#include "store/store_redis.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between two questions of an ear: so long it may not hear that Redis has lost what was told, unless somebody writes here. A small
 * part of SRV_REDIS_EVENTS_SECONDS. */
#define ASK_NS 5000000000u
/* After one that was refused, or has had no answer. */
#define AGAIN_NS 1000000000u
/* Longest time that Redis is let wait for news: whether it still answers is seen by its saying that there is none. */
#define WAIT_MS 500

typedef struct ear {
  struct ear *next;
  srv_redis_subscriptions *ears;
  srv_store_subscription *listen; /* NULL: nobody; freed with the answer to its question */
  char id[CT_ID_LENGTH_MAX + 1];
  bool begun;
  uint64_t asked_last;  /* `last` when the question was asked */
  uint64_t first, last; /* what Redis began with, and what was heard last */
  uint64_t stamp;       /* of the write that told the last; 0: not known */
  bool asking, asks_again;
  uint64_t ticket, ticket_asked; /* given out last; of the question that is under way */
  uint64_t due_ns;               /* of the next question */
} ear;

struct srv_redis_subscriptions {
  const srv_store *store; /* for its `tell` */
  /* Somebody was told that Redis refuses: this ear's question, and has not answered it since; NULL: none. To wait for news. */
  const ear *refused;
  bool told_waiting;
  srv_redis_connection *asks, *hears;
  uint64_t wait_ms;
  ear *first;
  bool waiting;      /* for news */
  uint64_t pause_ns; /* no news are asked for before */
  char client[24];   /* what Redis calls the connection that waits; "": not known */
  void (*closed)(void *cls);
  void *closed_cls;
};

static void ask(ear *e);
static void hear_on(srv_redis_subscriptions *ears);

/* ---- what was told --------------------------------------------------------------------------------------------------- */

static void unlink_ear(ear *e) {
  ear **at = &e->ears->first;
  if (e->ears->refused == e) e->ears->refused = NULL;
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  e->listen->ear = NULL;
  e->listen = NULL;
  if (!e->asking) free(e);
}

static void begin(ear *e, uint64_t after, uint64_t revision, uint64_t bodies, uint64_t stamp) {
  e->begun = true;
  e->last = after;
  e->stamp = stamp;
  e->listen->begun(e->listen, after, revision, bodies);
}

/* The scene has gone; the ear, too. */
static void end(ear *e) {
  srv_store_subscription *listen = e->listen;
  unlink_ear(e);
  listen->gone(listen);
}

/* False: the scene has gone with it. */
static bool hear_one(ear *e, const srv_store_event *told) {
  if (told->last <= e->last) return true;
  uint64_t before = told->last - told->count;
  bool follows = before == e->last && (!e->stamp || told->before_stamp == e->stamp);
  if (!follows) begin(e, before, told->revision, told->bodies, 0);
  e->last = told->last;
  e->stamp = told->stamp;
  e->listen->told(e->listen, told);
  if (told->revision > 0) return true;
  end(e);
  return false;
}

/* False: the scene has gone. *good becomes false where something is none of ours. */
static bool hear_all(ear *e, const srv_redis_event_batch *heard, bool *good) {
  for (size_t i = 0; i < heard->count; i++) {
    srv_store_event told;
    if (!srv_redis_read_event(heard, i, &told)) {
      *good = false;
      return true;
    }
    if (!e->begun) begin(e, told.last - told.count, told.revision, told.bodies, 0);
    if (!hear_one(e, &told)) return false;
  }
  return true;
}

/* An answer that is none of ours, or says that we may not ask. Returns whether somebody was told, now or before. */
static bool complain(const srv_redis_subscriptions *ears, bool told, const redisReply *reply) {
  char why[SRV_STORE_WHY];
  if (!reply || told || !ears->store->tell) return told;
  (void)srv_redis_error(reply, why);
  ears->store->tell(ears->store->tell_cls, "eventsNotHeard", why);
  return true;
}

/* ---- questions ------------------------------------------------------------------------------------------------------- */

static void unblocked(void *cls, const redisReply *reply) {
  (void)cls;
  (void)reply;
}

/* What Redis waits for at the other connection does not name a new ear: it is to wait anew. */
static void interrupt(srv_redis_subscriptions *ears) {
  if (!ears->waiting || !ears->client[0]) return;
  srv_redis_bytes bytes = srv_redis_command((const char *const[]){"CLIENT", "UNBLOCK", ears->client, NULL});
  srv_redis_connection_send(ears->asks, bytes, unblocked, NULL);
}

/* False: the scene has gone. */
static bool take_heard(ear *e, const srv_redis_event_batch *heard) {
  bool is_new = !e->begun, good = true;
  e->due_ns = uv_hrtime() + ASK_NS;
  if (!hear_all(e, heard, &good)) return false;
  if (heard->revision == 0) {
    end(e);
    return false;
  }
  /* The stream was begun anew, or what was told is not kept any more; or Redis has lost what it had told, and others may have told
   * as much again. */
  bool is_lost = e->asked_last > heard->last || (e->last == heard->last && e->stamp && e->stamp != heard->stamp);
  if (!e->begun || e->last < heard->last || is_lost) begin(e, heard->last, heard->revision, heard->bodies, heard->stamp);
  e->first = heard->first;
  e->listen->level(e->listen, e->ticket_asked);
  if (is_new) interrupt(e->ears);
  return true;
}

static void take_answer(void *cls, const redisReply *reply) {
  ear *e = cls;
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
    if (complain(ears, ears->refused, reply) && !ears->refused) ears->refused = e;
    e->due_ns = uv_hrtime() + AGAIN_NS;
    return;
  }
  if (ears->refused == e) ears->refused = NULL;
  if (!take_heard(e, &heard)) return;
  if (again) ask(e);
  hear_on(ears);
}

static void ask(ear *e) {
  if (e->asking) {
    e->asks_again = true;
    return;
  }
  e->due_ns = uv_hrtime() + AGAIN_NS;
  e->ticket_asked = e->ticket;
  e->asked_last = e->begun ? e->last : 0;
  srv_redis_bytes bytes = srv_redis_subscribe_command(e->id, e->begun ? e->first : 0, e->asked_last);
  e->asking = srv_redis_connection_send(e->ears->asks, bytes, take_answer, e);
}

/* ---- news ------------------------------------------------------------------------------------------------------------ */

static ear *find(const srv_redis_subscriptions *ears, const char *id) {
  ear *e = ears->first;
  while (e && strcmp(e->id, id) != 0) e = e->next;
  return e;
}

static bool take_all_news(srv_redis_subscriptions *ears, const redisReply *reply) {
  if (reply->type == REDIS_REPLY_NIL) return true;
  bool good = reply->type == REDIS_REPLY_ARRAY;
  for (size_t i = 0; good && i < reply->elements; i++) {
    char id[CT_ID_LENGTH_MAX + 1];
    srv_redis_event_batch heard;
    good = srv_redis_read_scene_events(reply, i, id, &heard);
    ear *e = good ? find(ears, id) : NULL;
    if (e && e->begun) (void)hear_all(e, &heard, &good);
  }
  return good;
}

static void take_news(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *ears = cls;
  ears->waiting = false;
  if (!reply) return;
  if (take_all_news(ears, reply)) {
    ears->told_waiting = false;
  } else {
    ears->told_waiting = complain(ears, ears->told_waiting, reply);
    /* What cannot be read is passed over by a question. */
    ears->pause_ns = uv_hrtime() + AGAIN_NS;
    for (ear *e = ears->first; e; e = e->next) e->due_ns = 0;
  }
  hear_on(ears);
}

/* Waits for news of all who have begun. */
static void hear_on(srv_redis_subscriptions *ears) {
  if (ears->waiting || !ears->first || !srv_redis_connection_is_up(ears->hears) || uv_hrtime() < ears->pause_ns) return;
  size_t count = 0;
  for (ear *e = ears->first; e; e = e->next) count += e->begun;
  const char **ids = calloc(count + 1, sizeof *ids);
  uint64_t *last = calloc(count + 1, sizeof *last);
  if (ids && last && count) {
    count = 0;
    for (ear *e = ears->first; e; e = e->next) {
      if (!e->begun) continue;
      ids[count] = e->id;
      last[count++] = e->last;
    }
    srv_redis_bytes bytes = srv_redis_wait_events_command(ids, last, count, ears->wait_ms);
    ears->waiting = srv_redis_connection_send(ears->hears, bytes, take_news, ears);
  }
  free(ids);
  free(last);
}

static void take_client(void *cls, const redisReply *reply) {
  srv_redis_subscriptions *ears = cls;
  if (reply && reply->type == REDIS_REPLY_INTEGER) snprintf(ears->client, sizeof ears->client, "%lld", reply->integer);
}

static void on_up(void *cls) {
  srv_redis_subscriptions *ears = cls;
  ears->client[0] = 0;
  srv_redis_connection_send(ears->hears, srv_redis_command((const char *const[]){"CLIENT", "ID", NULL}), take_client, ears);
  hear_on(ears);
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

/* ---- what the store calls -------------------------------------------------------------------------------------------- */

srv_redis_subscriptions *srv_redis_subscriptions_create(const srv_store *store, uv_loop_t *loop, srv_redis_endpoint *place,
                                                        srv_redis_resolver *name, srv_redis_connection *asks) {
  srv_redis_subscriptions *ears = calloc(1, sizeof *ears);
  if (!ears) return NULL;
  const srv_redis_connection_events events = {.up = on_up, .promise = on_promise, .down = on_down, .cls = ears};
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
void srv_redis_subscriptions_close(srv_redis_subscriptions *ears, void (*closed)(void *cls), void *cls) {
  assert(!ears->first);
  ears->closed = closed;
  ears->closed_cls = cls;
  srv_redis_connection_close(ears->hears, link_closed, ears);
}

void srv_redis_subscriptions_connected(srv_redis_subscriptions *ears) {
  for (ear *e = ears->first; e; e = e->next) ask(e);
}

bool srv_redis_subscriptions_tick(srv_redis_subscriptions *ears, uint64_t now_ns) {
  (void)srv_redis_connection_tick(ears->hears, now_ns);
  for (ear *e = ears->first; e; e = e->next)
    if (!e->asking && now_ns >= e->due_ns) ask(e);
  hear_on(ears);
  return !srv_redis_connection_is_up(ears->hears);
}

void srv_redis_subscriptions_unknown(srv_redis_subscriptions *ears, const char *id) {
  ear *e = find(ears, id);
  if (e) ask(e);
}

bool srv_redis_subscribe(srv_redis_subscriptions *ears, srv_store_subscription *listen) {
  ear *e = calloc(1, sizeof *e);
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
  ear *e = listen->ear;
  e->ticket++;
  ask(e);
  return e->ticket;
}

void srv_redis_unsubscribe(srv_store_subscription *listen) {
  if (listen->ear) unlink_ear(listen->ear);
}
