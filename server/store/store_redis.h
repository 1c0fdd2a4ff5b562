/* The parts of the store in Redis: where it is (store_redis_url.c), a connection (store_redis_connection.c), what is asked and how
 * answers are read (store_redis_command.c, store_redis_reply.c), and what waits for an answer (store_redis.c). All on the loop
 * thread, but for the resolver (store_redis_resolver.c).
 *
 * Of hiredis the protocol is used: the text of commands and the reader of replies. Its connections are not: they resolve names
 * blocking, have no time limits, move all that waits to be sent at each write, do not hear of refused connections through libuv,
 * and assert that no reply comes unasked. libuv's own sockets do without all that. */
#ifndef SRV_STORE_STORE_REDIS_H
#define SRV_STORE_STORE_REDIS_H

#include "store/store.h"

#include <hiredis/hiredis.h>

/* ---- where ----------------------------------------------------------------------------------------------------------- */

typedef struct srv_redis_endpoint {
  char host[256];
  char port[8];
  char user[64]; /* "": none */
  unsigned database;
  uint64_t command_ns;       /* so long an answer is waited for */
  const char *password_file; /* not owned; NULL: none */
  char *password;            /* owned; NULL: none */
  bool serving;              /* the start is over: nothing that Redis says ends the daemon */
} srv_redis_endpoint;

/* The password is the file's only line. False after one sentence on standard error. */
bool srv_redis_endpoint_read(srv_redis_endpoint *place, const srv_store_redis_options *from);
/* Reads the password's file once more: it may have been replaced. Where it cannot be read now the password stays. */
void srv_redis_endpoint_reload_password(srv_redis_endpoint *place);
void srv_redis_endpoint_free(srv_redis_endpoint *place);

/* ---- a name ---------------------------------------------------------------------------------------------------------- */

typedef struct srv_redis_resolver srv_redis_resolver;

typedef enum srv_redis_lookup_status {
  SRV_REDIS_LOOKUP_FOUND,
  SRV_REDIS_LOOKUP_PENDING, /* it is being looked for: to be asked again */
  SRV_REDIS_LOOKUP_FAILED
} srv_redis_lookup_status;

/* NULL: out of memory. */
srv_redis_resolver *srv_redis_resolver_create(const char *host, const char *port);
/* Does not wait for a lookup that is under way. NULL is allowed. */
void srv_redis_resolver_release(srv_redis_resolver *name);
/* Never waits. Of several addresses that of the turn. NOTHING: why tells. */
srv_redis_lookup_status srv_redis_resolver_lookup(srv_redis_resolver *name, unsigned turn, struct sockaddr_storage *out,
                                                  char why[SRV_STORE_WHY]);

/* ---- format ---------------------------------------------------------------------------------------------------------- */

/* Keys of Redis, each of a hash but for the records of a key, which are two lists: heads, one per record, and parts.
 *   contactd:store           format, last (revision of scenes that have gone)
 *   contactd:scenes, :shapes id -> "revision bodies stamp": the stamp of the write that made the revision. A shape has, in place of
 *                            bodies, the stamp of the write by which it was last seen; 0: of the one that made it
 *   contactd:names           scene -> the shapes that it names, each ended by a zero
 *   contactd:uses            shape -> number of scenes that name it
 *   contactd:heads:SPACE:ID  "revision follows parts length stamp"; follows is 0 for a base
 *   contactd:parts:SPACE:ID  bytes
 *   contactd:told:ID         what the scene's writes have told, a stream: an entry per write, by the number of its last event,
 *                            with n (events), r, b (revision and bodies after it), t (bytes), s, p (its stamp, and that of
 *                            the write that it followed)
 *   contactd:listened:ID     while somebody listens, and SRV_REDIS_EVENTS_SECONDS more: first, last (numbers; no event has the
 *                            first), bytes (of the stream), closed (the scene has gone)
 *   contactd:stage:...       parts of a record that is on its way; gone by itself when nobody takes it */
#define SRV_REDIS_FORMAT "2"
/* A revision above this one is damage: numbers of new scenes, which are above all, would come round to 0. */
#define SRV_REDIS_REVISION_MAX UINT64_C(9223372036854775807)
#define SRV_REDIS_REVISION_MAX_TEXT "9223372036854775807"

#define SRV_REDIS_KEY "contactd:"
#define SRV_REDIS_KEY_STORE SRV_REDIS_KEY "store"
#define SRV_REDIS_KEY_SHAPES SRV_REDIS_KEY "shapes"
#define SRV_REDIS_KEY_NAMES SRV_REDIS_KEY "names"
#define SRV_REDIS_KEY_USES SRV_REDIS_KEY "uses"
/* What follows of these tells them apart. */
#define SRV_REDIS_KEY_HEADS SRV_REDIS_KEY "heads:"
#define SRV_REDIS_KEY_PARTS SRV_REDIS_KEY "parts:"
#define SRV_REDIS_KEY_EVENTS SRV_REDIS_KEY "told:"
#define SRV_REDIS_KEY_SUBSCRIBED SRV_REDIS_KEY "listened:"
#define SRV_REDIS_KEY_STAGE SRV_REDIS_KEY "stage:"
/* Is never there. */
#define SRV_REDIS_KEY_NONE SRV_REDIS_KEY_STAGE "none"

/* Parts of a record are at most so long: Redis serves others between two. */
#define SRV_REDIS_PART_BYTES ((size_t)1 << 20)
/* Records up to this length go with the write itself; longer ones are put in place part by part before. */
#define SRV_REDIS_INLINE_BYTES SRV_REDIS_PART_BYTES
/* Seconds after which parts that nobody has taken go. */
#define SRV_REDIS_STAGE_SECONDS "60"

/* So long what is told of a scene is kept after the last time that somebody listened: clients may come back. */
#define SRV_REDIS_EVENTS_SECONDS "300"
/* Numbers of events are below this one: those that Lua, which has only doubles, counts without loss. */
#define SRV_REDIS_NUMBERS (UINT64_C(1) << 53)
/* What is longer is sent only where somebody listens. */
#define SRV_REDIS_EVENTS_SHORT ((size_t)4096)
/* What one write tells is lost if it is more: who listens is told so. */
#define SRV_REDIS_EVENTS_BYTES ((size_t)16 << 20)

/* ---- commands -------------------------------------------------------------------------------------------------------- */

/* Bytes to be sent. */
typedef struct srv_redis_bytes {
  char *bytes; /* owned: redisFreeCommand; NULL: out of memory */
  size_t length;
  unsigned replies; /* that will come */
} srv_redis_bytes;

extern const char *const srv_redis_script;
extern const char srv_redis_probe[]; /* with the store's key, and one that is never there */

/* A command of at most SRV_REDIS_WORDS_MAX texts, the list ended by NULL. */
#define SRV_REDIS_WORDS_MAX 16
srv_redis_bytes srv_redis_command(const char *const *words);
/* The write as one call of the script: by its digest, or by its text where that is NULL. stage: name of the list that has the
 * parts; NULL: they go with it. tells: what it tells goes with it, however long; else srv_redis_needs_events may be the answer. */
srv_redis_bytes srv_redis_write_command(const srv_store *store, const srv_store_write *write, const char *digest, const char *stage,
                                        bool tells);
/* The next part of the write's bytes, from `at` on, onto the stage. */
srv_redis_bytes srv_redis_stage_command(const srv_store_write *write, const char *stage, size_t at);
srv_redis_bytes srv_redis_lookup_command(const srv_store_lookup *look);
/* All of a key as a transaction; or as a script, which copies all of it once more, but is taken by a Redis without memory, too. */
srv_redis_bytes srv_redis_load_command(const srv_store_load *load, bool by_script);
/* Somebody listens, and has heard all up to `last` of what began after `first`; 0: nothing yet. What more there is. */
srv_redis_bytes srv_redis_subscribe_command(const char *id, uint64_t first, uint64_t last);
/* What is told next of any of the scenes, waiting for it so long. */
srv_redis_bytes srv_redis_wait_events_command(const char *const *ids, const uint64_t *last, size_t count, uint64_t wait_ms);

/* ---- replies --------------------------------------------------------------------------------------------------------- */

/* What an error of Redis means, and in why a sentence. */
srv_store_status srv_redis_error(const redisReply *reply, char why[SRV_STORE_WHY]);
bool srv_redis_is_error(const redisReply *reply, const char *code);
/* Does the error tell that another connection may do better: of a primary that has become a replica, of a user who has changed? */
bool srv_redis_is_stale(const redisReply *reply);
/* Is it an error that ends a start, but not a daemon that serves: a wrong password, a database that is not there? */
bool srv_redis_is_permanent_error(const redisReply *reply);
/* The sentence for a store whose format is the reply's text. */
void srv_redis_other_format(const redisReply *reply, char why[SRV_STORE_WHY]);
/* Set status and what else is answered, from replies of any content. */
/* Nothing is written: somebody listens, and what the write tells has not come with it. */
bool srv_redis_needs_events(const redisReply *reply);
/* It is written, and Redis knows of nobody who listens. */
bool srv_redis_is_not_subscribed(const redisReply *reply);
void srv_redis_read_write(const redisReply *reply, srv_store_write *write);
/* The two replies to a look: what is there, then the greatest revision that has gone. */
void srv_redis_read_entries(const redisReply *reply, srv_store_lookup *look);
void srv_redis_read_last(const redisReply *reply, srv_store_lookup *look);
void srv_redis_read_load(const redisReply *reply, srv_store_load *load);
/* The reply to srv_redis_subscribe_command: the numbers, and how many writes are told of. False: it is none. */
typedef struct srv_redis_event_batch {
  uint64_t first, last, revision, bodies, stamp; /* revision 0: the scene is not there */
  const redisReply *writes;                      /* for srv_redis_read_event */
  size_t count;
} srv_redis_event_batch;
bool srv_redis_read_event_batch(const redisReply *reply, srv_redis_event_batch *out);
/* The same of one of the scenes in the reply to srv_redis_wait_events_command, and its id. */
bool srv_redis_read_scene_events(const redisReply *reply, size_t index, char id[CT_ID_LENGTH_MAX + 1], srv_redis_event_batch *out);
bool srv_redis_read_event(const srv_redis_event_batch *heard, size_t index, srv_store_event *out);
/* Whether what is acknowledged is on the disk. */
typedef enum srv_redis_durability {
  SRV_REDIS_DURABILITY_UNKNOWN,
  SRV_REDIS_NOT_DURABLE,
  SRV_REDIS_DURABLE_AFTER_REWRITE, /* if the appendonly file is whole: it is being written for the first time, or anew */
  SRV_REDIS_DURABLE
} srv_redis_durability;
/* By the replies to CONFIG GET and INFO. */
srv_redis_durability srv_redis_read_settings(const redisReply *reply);
srv_redis_durability srv_redis_read_persistence(const redisReply *reply);

/* ---- a connection ---------------------------------------------------------------------------------------------------- */

/* Times in ns. */
#define SRV_REDIS_LOOKUP_NS 1000000000u
#define SRV_REDIS_CONNECT_NS 500000000u
#define SRV_REDIS_COMMAND_NS 1000000000u /* unless the place says otherwise */
#define SRV_REDIS_STALE_NS 1000000000u   /* a connection is not made anew before for what Redis answers on it */
#define SRV_REDIS_RETRY_MIN_NS 100000000u
#define SRV_REDIS_RETRY_MAX_NS 5000000000u

typedef struct srv_redis_connection srv_redis_connection;

/* Takes one reply: NULL when the connection has gone without it. Replies come in the order of what was sent. */
typedef void srv_redis_reply_callback(void *cls, const redisReply *reply);

typedef struct srv_redis_connection_events {
  void (*up)(void *cls);                                             /* commands can be sent */
  void (*promise)(void *cls, srv_redis_durability promise);          /* what Redis promises */
  void (*down)(void *cls, srv_store_status status, const char *why); /* the connection has gone, or could not be made */
  void *cls;
} srv_redis_connection_events;

/* Begins to connect at once. NULL: out of memory. place and name must outlive it. */
srv_redis_connection *srv_redis_connection_create(uv_loop_t *loop, srv_redis_endpoint *place, srv_redis_resolver *name,
                                                  const srv_redis_connection_events *events);
/* Ends the connection; closed is called when nothing of it is left in the loop. */
void srv_redis_connection_close(srv_redis_connection *link, void (*closed)(void *cls), void *cls);
bool srv_redis_connection_is_up(const srv_redis_connection *link);
/* The script's digest, by Redis' word. */
const char *srv_redis_connection_digest(const srv_redis_connection *link);
/* Sends what is up. `take` gets each reply. bytes are taken over. False: out of memory, or not up; take will not be called. */
bool srv_redis_connection_send(srv_redis_connection *link, srv_redis_bytes bytes, srv_redis_reply_callback *take, void *cls);
/* What Redis promises may have changed: the event tells, unless it was not told at the connection's beginning either. */
void srv_redis_connection_query_settings(srv_redis_connection *link);
/* When bytes last went or came while something was under way; else when the first command was sent. */
uint64_t srv_redis_connection_last_progress(const srv_redis_connection *link);
/* Looks at the times. Returns whether anything is under way: then it is to be called often. */
bool srv_redis_connection_tick(srv_redis_connection *link, uint64_t now_ns);

/* ---- who listens (store_redis_subscription.c) ------------------------------------------------------------------------------ */

typedef struct srv_redis_subscriptions srv_redis_subscriptions;

/* store: is told what somebody should know. asks: the connection that questions go by; what is told is heard on one of its own,
 * which is made here. NULL: out of memory. */
srv_redis_subscriptions *srv_redis_subscriptions_create(const srv_store *store, uv_loop_t *loop, srv_redis_endpoint *place,
                                                        srv_redis_resolver *name, srv_redis_connection *asks);
/* closed is called when nothing of it is left in the loop. */
void srv_redis_subscriptions_close(srv_redis_subscriptions *ears, void (*closed)(void *cls), void *cls);
/* The connection that questions go by is up. */
void srv_redis_subscriptions_connected(srv_redis_subscriptions *ears);
/* To be called every second or more often. Returns whether more often is needed. */
bool srv_redis_subscriptions_tick(srv_redis_subscriptions *ears, uint64_t now_ns);
/* Redis knows of nobody who listens to the scene: who does so here asks at once. */
void srv_redis_subscriptions_unknown(srv_redis_subscriptions *ears, const char *id);
/* As those of the store. */
bool srv_redis_subscribe(srv_redis_subscriptions *ears, srv_store_subscription *listen);
uint64_t srv_redis_subscriptions_catch_up(srv_store_subscription *listen);
void srv_redis_unsubscribe(srv_store_subscription *listen);

#endif
