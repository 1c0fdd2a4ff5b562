/* Parts of the store in Redis: URL (store_redis_url.c), connection (store_redis_connection.c),
 * commands (store_redis_command.c), replies (store_redis_reply.c), pending operations
 * (store_redis_operation.c), the store and its time limits (store_redis.c), events
 * (store_redis_subscription.c). Loop thread only, except for the resolver (store_redis_resolver.c).
 *
 * hiredis formats commands and parses replies (RESP). Its connections are not used, because they
 * block in name resolution, have no timeouts, move the whole send buffer at each write, miss
 * refused connections under libuv, and assert that no reply is unsolicited. libuv's sockets have
 * none of these faults. */
#ifndef SRV_STORE_STORE_REDIS_H
#define SRV_STORE_STORE_REDIS_H

#include "store/store.h"

#include <hiredis/hiredis.h>

/* ---- endpoint ------------------------------------------------------------------------------- */

typedef struct srv_redis_endpoint {
  char host[256];
  char port[8];
  char user[64]; /* "": no user */
  unsigned database;
  uint64_t command_ns;       /* time limit of an answer, ns */
  const char *password_file; /* not owned; NULL: none */
  char *password;            /* owned; NULL: none */
  bool serving;              /* the start of the daemon is over: from now on, no answer of Redis
                                makes the daemon exit */
} srv_redis_endpoint;

/* Parses the URL and reads the password, which is the only line of its file. False after one
 * sentence on standard error. */
bool srv_redis_endpoint_read(srv_redis_endpoint *place, const srv_store_redis_options *from);
/* Reads the file of the password again, since it may have been replaced. If reading fails, the old
 * password remains. */
void srv_redis_endpoint_reload_password(srv_redis_endpoint *place);
void srv_redis_endpoint_free(srv_redis_endpoint *place);

/* ---- resolver ------------------------------------------------------------------------------- */

typedef struct srv_redis_resolver srv_redis_resolver;

typedef enum srv_redis_lookup_status {
  SRV_REDIS_LOOKUP_FOUND,
  SRV_REDIS_LOOKUP_PENDING, /* the lookup is running: call again later */
  SRV_REDIS_LOOKUP_FAILED
} srv_redis_lookup_status;

/* Creates a resolver for a host and port. NULL: out of memory. */
srv_redis_resolver *srv_redis_resolver_create(const char *host, const char *port);
/* Frees the resolver without waiting; if a lookup is running, the resolver is freed at its end.
 * NULL is allowed. */
void srv_redis_resolver_release(srv_redis_resolver *name);
/* Looks up the address of the host; never waits. turn: selects one of several addresses. FAILED:
 * the reason is in why. */
srv_redis_lookup_status srv_redis_resolver_lookup(srv_redis_resolver *name, unsigned turn,
                                                  struct sockaddr_storage *out,
                                                  char why[SRV_STORE_WHY]);

/* ---- format --------------------------------------------------------------------------------- */

/* Keys in Redis. All are hashes, except for the lists heads, parts and stage, and the stream of
 * events.
 *
 * - contactd:store: format; last (greatest revision of deleted scenes).
 * - contactd:scenes, contactd:shapes: by id "revision bodies stamp", where stamp is that of the
 * write that made the revision. For a shape, bodies is the stamp of the write that last reported
 * its use; 0: none since the write that made it.
 * - contactd:names: by scene, the ids of the shapes to which it refers, each with a terminating
 * zero.
 * - contactd:uses: by shape, the number of scenes that refer to it.
 * - contactd:heads:SPACE:ID: for each record "revision follows parts length stamp", where follows
 * is the revision before it (0: the record is a base), and parts the number of parts of the record.
 * - contactd:parts:SPACE:ID: the parts of all records, in order.
 * - contactd:told:ID: events of the scene's writes, one entry per write. The entry's id is the
 * number of its last event; fields: n (number of events), r and b (revision and bodies after the
 * write), t (payload), s and p (stamps of the write and of the one before it).
 * - contactd:listened:ID: exists as long as the scene's events have subscribers, and
 * SRV_REDIS_EVENTS_SECONDS longer. Fields: first and last (event numbers; no event has the number
 * first), bytes (size of the stream), closed (the scene was deleted).
 * - contactd:stage:...: the parts of one long record, uploaded in order before the write that moves
 * them to contactd:parts; expires if no write follows. */
#define SRV_REDIS_FORMAT "2"
/* A greater revision counts as damage: the revisions of new scenes, which are above all others,
 * would wrap around to 0. */
#define SRV_REDIS_REVISION_MAX UINT64_C(9223372036854775807)
#define SRV_REDIS_REVISION_MAX_TEXT "9223372036854775807"

#define SRV_REDIS_KEY "contactd:"
#define SRV_REDIS_KEY_STORE SRV_REDIS_KEY "store"
#define SRV_REDIS_KEY_SHAPES SRV_REDIS_KEY "shapes"
#define SRV_REDIS_KEY_NAMES SRV_REDIS_KEY "names"
#define SRV_REDIS_KEY_USES SRV_REDIS_KEY "uses"
/* Prefixes of the keys of a single scene or shape. */
#define SRV_REDIS_KEY_HEADS SRV_REDIS_KEY "heads:"
#define SRV_REDIS_KEY_PARTS SRV_REDIS_KEY "parts:"
#define SRV_REDIS_KEY_EVENTS SRV_REDIS_KEY "told:"
#define SRV_REDIS_KEY_SUBSCRIBED SRV_REDIS_KEY "listened:"
#define SRV_REDIS_KEY_STAGE SRV_REDIS_KEY "stage:"
/* A key that never exists, on which commands are tried. */
#define SRV_REDIS_KEY_NONE SRV_REDIS_KEY_STAGE "none"

/* Largest size of a part of a record: Redis serves other clients between two parts. */
#define SRV_REDIS_PART_BYTES ((size_t)1 << 20)
/* Records up to this length, B, are sent with the write. Longer ones are staged: their parts are
 * uploaded one by one to a list of their own before the write. */
#define SRV_REDIS_INLINE_BYTES SRV_REDIS_PART_BYTES
/* Time in seconds after which the staged parts of a record expire if the write does not follow. */
#define SRV_REDIS_STAGE_SECONDS "60"

/* Seconds for which a scene's events are retained after its last subscriber, because clients may
 * reconnect. */
#define SRV_REDIS_EVENTS_SECONDS "300"
/* Upper bound of event numbers: Lua's doubles represent all smaller integers exactly. */
#define SRV_REDIS_NUMBERS (UINT64_C(1) << 53)
/* Event payloads longer than this are sent only if there are subscribers. */
#define SRV_REDIS_EVENTS_SHORT ((size_t)4096)
/* Event payloads of one write longer than this are dropped; subscribers detect the gap. */
#define SRV_REDIS_EVENTS_BYTES ((size_t)16 << 20)

/* ---- commands ------------------------------------------------------------------------------- */

/* Encoded commands, ready to send. */
typedef struct srv_redis_bytes {
  char *bytes; /* owned, to be freed by redisFreeCommand; NULL: out of memory */
  size_t length;
  unsigned replies; /* number of replies that the commands have */
} srv_redis_bytes;

extern const char *const srv_redis_script;
extern const char
    srv_redis_probe[]; /* script; its keys are SRV_REDIS_KEY_STORE and SRV_REDIS_KEY_NONE */

/* Encodes a command of at most SRV_REDIS_WORDS_MAX texts; the list ends with NULL. */
#define SRV_REDIS_WORDS_MAX 16
srv_redis_bytes srv_redis_command(const char *const *words);
/* Encodes the script's call for a write, by digest (EVALSHA) or, if digest is NULL, by text (EVAL).
 * stage: key of the list of staged parts; NULL: the record's bytes are included. with_events:
 * events of any length are included. Otherwise long ones are omitted, and the reply may satisfy
 * srv_redis_needs_events. */
srv_redis_bytes srv_redis_write_command(const srv_store *store, const srv_store_write *write,
                                        const char *digest, const char *stage, bool with_events);
/* Encodes the command that appends the next part of the write's bytes, from offset `at` on, to the
 * stage. */
srv_redis_bytes srv_redis_stage_command(const srv_store_write *write, const char *stage, size_t at);
srv_redis_bytes srv_redis_lookup_command(const srv_store_lookup *lookup);
/* Encodes the reading of all records of a key, by a transaction or by a script. The script needs an
 * additional copy in Redis, but also works when Redis is out of memory. */
srv_redis_bytes srv_redis_load_command(const srv_store_load *load, bool by_script);
/* Encodes the registration of a subscriber that has received all events after `first` up to `last`
 * (0: none yet), and the reading of later ones. */
srv_redis_bytes srv_redis_subscribe_command(const char *id, uint64_t first, uint64_t last);
/* Encodes a blocking read (XREAD BLOCK) of the next events of any of the scenes, which waits at
 * most wait_ms. ids, last: [count] scenes, and numbers of the last events received. */
srv_redis_bytes srv_redis_wait_events_command(const char *const *ids, const uint64_t *last,
                                              size_t count, uint64_t wait_ms);

/* ---- replies -------------------------------------------------------------------------------- */

/* Returns the status for an error reply of Redis, and writes a sentence to why. */
srv_store_status srv_redis_error(const redisReply *reply, char why[SRV_STORE_WHY]);
bool srv_redis_is_error(const redisReply *reply, const char *code);
/* True for an error that a new connection may not have, because the primary became a replica or the
 * user's permissions changed. */
bool srv_redis_is_stale(const redisReply *reply);
/* True for an error that ends the daemon at its start, but not while it serves: wrong password,
 * missing database. */
bool srv_redis_is_permanent_error(const redisReply *reply);
/* Writes the message for a store of another format; the reply is the name of that format. */
void srv_redis_other_format(const redisReply *reply, char why[SRV_STORE_WHY]);
/* The functions below accept replies of any content, and set the status and the answer. */
/* True if nothing was written, because there are subscribers but the write was sent without its
 * events. */
bool srv_redis_needs_events(const redisReply *reply);
/* True if the write succeeded and no subscriber is registered in Redis. */
bool srv_redis_is_not_subscribed(const redisReply *reply);
void srv_redis_read_write(const redisReply *reply, srv_store_write *write);
/* Read the two replies to a lookup: the entries, and the greatest revision of deleted scenes. */
void srv_redis_read_entries(const redisReply *reply, srv_store_lookup *lookup);
void srv_redis_read_last(const redisReply *reply, srv_store_lookup *lookup);
void srv_redis_read_load(const redisReply *reply, srv_store_load *load);
/* The reply to srv_redis_subscribe_command: event numbers, state of the scene, and writes with
 * events. */
typedef struct srv_redis_event_batch {
  uint64_t first, last, revision, bodies, stamp; /* numbers of the first and last event of the
                                                    scene's stream; revision, number of bodies and
                                                    stamp of the scene, revision 0 if it does not
                                                    exist */
  const redisReply *writes;                      /* [count] to be read by srv_redis_read_event */
  size_t count;
} srv_redis_event_batch;
bool srv_redis_read_event_batch(const redisReply *reply, srv_redis_event_batch *out);
/* Reads the id and the events of one scene from the reply to srv_redis_wait_events_command. False:
 * the reply is invalid. */
bool srv_redis_read_scene_events(const redisReply *reply, size_t index,
                                 char id[CT_ID_LENGTH_MAX + 1], srv_redis_event_batch *out);
bool srv_redis_read_event(const srv_redis_event_batch *batch, size_t index, srv_store_event *out);
/* Whether Redis makes acknowledged writes durable. */
typedef enum srv_redis_durability {
  SRV_REDIS_DURABILITY_UNKNOWN,
  SRV_REDIS_NOT_DURABLE,
  SRV_REDIS_DURABLE_AFTER_REWRITE, /* once the rewrite of the append-only file, which is in
                                      progress, is complete */
  SRV_REDIS_DURABLE
} srv_redis_durability;
/* Return the durability according to the replies to CONFIG GET, and to INFO. */
srv_redis_durability srv_redis_read_settings(const redisReply *reply);
srv_redis_durability srv_redis_read_persistence(const redisReply *reply);

/* ---- a connection --------------------------------------------------------------------------- */

/* Times in ns. */
#define SRV_REDIS_LOOKUP_NS 1000000000u
#define SRV_REDIS_CONNECT_NS 500000000u
#define SRV_REDIS_COMMAND_NS 1000000000u /* default of commandMs */
#define SRV_REDIS_STALE_NS                                                                         \
  1000000000u /* least age of a connection at which an error may cause its replacement */
#define SRV_REDIS_RETRY_MIN_NS 100000000u
#define SRV_REDIS_RETRY_MAX_NS 5000000000u

typedef struct srv_redis_connection srv_redis_connection;

/* Receives one reply; NULL: the connection was lost before it. Replies are received in the order of
 * the commands. */
typedef void srv_redis_reply_callback(void *cls, const redisReply *reply);

typedef struct srv_redis_connection_events {
  void (*up)(void *cls);                                    /* commands can be sent */
  void (*promise)(void *cls, srv_redis_durability promise); /* reports the durability of Redis */
  void (*down)(void *cls, srv_store_status status,
               const char *why); /* the connection was lost, or connecting has failed */
  void *cls;
} srv_redis_connection_events;

/* Creates a connection and starts connecting. NULL: out of memory. place and name must outlive the
 * connection. */
srv_redis_connection *srv_redis_connection_create(uv_loop_t *loop, srv_redis_endpoint *place,
                                                  srv_redis_resolver *name,
                                                  const srv_redis_connection_events *events);
/* Closes the connection. `closed` is called when its handles have left the loop. */
void srv_redis_connection_close(srv_redis_connection *link, void (*closed)(void *cls), void *cls);
bool srv_redis_connection_is_up(const srv_redis_connection *link);
/* Returns the script's digest, as SCRIPT LOAD has returned it. */
const char *srv_redis_connection_digest(const srv_redis_connection *link);
/* Sends commands; `take` receives each reply. Takes over bytes. False: out of memory, or not
 * connected; `take` is not called. */
bool srv_redis_connection_send(srv_redis_connection *link, srv_redis_bytes bytes,
                               srv_redis_reply_callback *take, void *cls);
/* Queries the durability again. It is reported by `promise`, unless it was unknown when the
 * connection began as well. */
void srv_redis_connection_query_settings(srv_redis_connection *link);
/* Returns the time at which a byte was last sent or received while replies were outstanding; if
 * none was, the time of the first outstanding command. */
uint64_t srv_redis_connection_last_progress(const srv_redis_connection *link);
/* Checks the timeouts. True: replies are outstanding, so call often. */
bool srv_redis_connection_tick(srv_redis_connection *link, uint64_t now_ns);

/* ---- subscriptions (store_redis_subscription.c) --------------------------------------------- */

typedef struct srv_redis_subscriptions srv_redis_subscriptions;

/* Creates the subscriptions. store: receives reports for the log. query_link: connection for
 * queries; blocking reads of events use a connection of their own, which is created here. NULL: out
 * of memory. */
srv_redis_subscriptions *srv_redis_subscriptions_create(const srv_store *store, uv_loop_t *loop,
                                                        srv_redis_endpoint *place,
                                                        srv_redis_resolver *name,
                                                        srv_redis_connection *query_link);
/* Closes all subscriptions. `closed` is called when their handles have left the loop. */
void srv_redis_subscriptions_close(srv_redis_subscriptions *subscriptions,
                                   void (*closed)(void *cls), void *cls);
/* Must be called when the connection for queries is up. */
void srv_redis_subscriptions_connected(srv_redis_subscriptions *subscriptions);
/* Checks timeouts and sends queries that are due. Call at least every second. True: call more
 * often. */
bool srv_redis_subscriptions_tick(srv_redis_subscriptions *subscriptions, uint64_t now_ns);
/* Must be called when Redis reports that no subscriber of the scene is registered: a subscription
 * of this daemon is then registered again at once. */
void srv_redis_subscriptions_unknown(srv_redis_subscriptions *subscriptions, const char *id);
/* The store's functions for subscriptions. */
bool srv_redis_subscribe(srv_redis_subscriptions *subscriptions,
                         srv_store_subscription *subscriber);
uint64_t srv_redis_subscriptions_catch_up(srv_store_subscription *subscriber);
void srv_redis_unsubscribe(srv_store_subscription *subscriber);

#endif
