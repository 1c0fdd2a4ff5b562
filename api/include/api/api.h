/* The API seen from the server: bytes in, bytes out. Knows no socket and no thread; a call object
 * may be used by one thread at a time. The server matches a request's head, gathers the body, runs
 * the call's steps where it likes, and sends the reply.
 *
 * The life of a call:  api_match -> api_call_create -> [api_call_feed ...] -> api_call_begin
 *   -> API_STEP_DONE, or API_STEP_WORK: api_call_next / api_call_run over its ranges (in parallel),
 * then api_call_finish
 *   -> api_call_reply, api_call_new_revision -> api_call_destroy
 */
#ifndef API_API_H
#define API_API_H

#include <contact/contact.h>

/* ---- limits: one table for the defaults, the options and /v1/limits ------------------------- */

/* X(member, "jsonName", default, least, greatest, "unit", "what it bounds") */
#define API_LIMIT_MAP(X)                                                                           \
  X(json_bytes, "jsonBytes", 16777216, 1024, 1073741824, "bytes", "a JSON request body")           \
  X(ndjson_bytes, "ndjsonBytes", 1073741824, 1024, 1099511627776, "bytes",                         \
    "a streamed NDJSON request body")                                                              \
  X(line_bytes, "lineBytes", 1048576, 256, 16777216, "bytes", "one NDJSON line")                   \
  X(request_memory_bytes, "requestMemoryBytes", 536870912, 1048576, 1099511627776, "bytes",        \
    "memory that one request may use (at most a quarter of the cgroup's limit)")                   \
  X(replies_bytes, "repliesBytes", 1073741824, 1048576, 1099511627776, "bytes",                    \
    "replies on their way to clients at one time; one more is answered 503")                       \
  X(json_depth, "jsonDepth", 32, 8, 512, "levels", "nesting of arrays and objects")                \
  X(scenes, "scenes", 10000, 1, 1000000, "", "scenes held at once")                                \
  X(bodies, "bodies", 1000000, 1, 1000000, "", "bodies in one scene")                              \
  X(colliders, "colliders", 10000, 1, 1000000, "", "colliders of one body")                        \
  X(hull_points, "hullPoints", 1000000, 4, 1000000, "", "points of one convex shape")              \
  X(mesh_triangles, "meshTriangles", 5000000, 1, 5000000, "", "triangles of one mesh")             \
  X(mesh_elements, "meshElements", 250000, 1, 250000, "",                                          \
    "elements of one tetmesh, hexmesh or elementmesh")                                             \
  X(shape_bytes, "shapeBytes", 268435456, 1024, 1099511627776, "bytes",                            \
    "an STL or OBJ file posted as a shape")                                                        \
  X(shapes, "shapes", 10000, 1, 1000000, "", "posted shapes held at once")                         \
  X(shapes_bytes, "shapesBytes", 4294967296, 1048576, 1099511627776, "bytes",                      \
    "memory that all posted shapes may take (by default at most a quarter of the machine's)")      \
  X(page, "page", 10000, 1, 1000000, "", "results in a reply when the request has no limit")       \
  X(page_max, "pageMax", 1000000, 1, 1000000, "", "greatest limit that a request may name")        \
  X(pairs, "pairs", 10000000, 1, 10000000, "", "candidate pairs of one query")                     \
  X(rays, "rays", 100000, 1, 10000000, "", "rays of one query")                                    \
  X(points, "points", 100000, 1, 10000000, "", "points of one query")                              \
  X(nearest, "nearest", 10000, 1, 1000000, "", "nearest bodies that a query asks of one point")    \
  X(variants, "variants", 100000, 1, 10000000, "", "variants of one query")                        \
  X(batch, "batch", 1000, 1, 100000, "", "queries in one batch")                                   \
  X(contact_states, "contactStates", 16, 1, 1000, "", "contact states of one scene")               \
  X(contact_states_bytes, "contactStatesBytes", 268435456, 1048576, 1099511627776, "bytes",        \
    "memory that the contact states of one scene may take")                                        \
  X(deadline_ms, "deadlineMs", 5000, 1, 600000, "ms", "time for a request that names no deadline") \
  X(deadline_max_ms, "deadlineMaxMs", 600000, 1, 86400000, "ms",                                   \
    "greatest deadline that a request may name")                                                   \
  X(cursor_seconds, "cursorSeconds", 30, 1, 3600, "s", "how long a cursor keeps its revision")     \
  X(cursors_per_scene, "cursorsPerScene", 8, 1, 1000, "",                                          \
    "revisions of one scene kept for cursors, and queries")                                        \
  X(cursors_bytes, "cursorsBytes", 67108864, 0, 1099511627776, "bytes",                            \
    "queries kept for cursors, of all scenes; of one that is not kept the cursor alone is "        \
    "answered 410")                                                                                \
  X(user_bytes, "userBytes", 4096, 0, 1048576, "bytes", "the user member of a body or a scene")    \
  X(connections, "connections", 1024, 1, 100000, "", "open connections")                           \
  X(connections_per_address, "connectionsPerAddress", 64, 1, 100000, "",                           \
    "open connections of one address, loopback excepted")                                          \
  X(queue, "queue", 256, 1, 1000000, "", "requests waiting for a worker, all scenes")              \
  X(queue_per_scene, "queuePerScene", 64, 1, 1000000, "",                                          \
    "requests waiting for a worker, one scene")                                                    \
  X(header_seconds, "headerSeconds", 5, 1, 3600, "s", "time for a request's head to arrive")       \
  X(body_seconds, "bodySeconds", 30, 1, 86400, "s",                                                \
    "time for a JSON body to arrive; NDJSON has as much again per 16 MiB")                         \
  X(leave_seconds, "leaveSeconds", 0, 0, 3600, "s",                                                \
    "time for which requests are taken after SIGTERM, while /readyz is 503")                       \
  X(drain_seconds, "drainSeconds", 10, 0, 3600, "s", "time for running requests after that")       \
  X(event_streams, "eventStreams", 100, 1, 1000, "",                                               \
    "streams of events open at once; one more is answered 503")                                    \
  X(event_ring, "eventRing", 1000, 1, 1000000, "",                                                 \
    "events of one scene kept for clients that come back")                                         \
  X(event_backlog_bytes, "eventBacklogBytes", 262144, 4096, 1073741824, "bytes",                   \
    "events that a client may leave unread before its stream is dropped; four times as many "      \
    "bytes are kept of a scene")                                                                   \
  X(heartbeat_seconds, "heartbeatSeconds", 15, 1, 3600, "s",                                       \
    "silence on a stream of events after which a comment is sent")

typedef struct api_limits {
#define API_LIMIT_MEMBER(member, name, standard, least, greatest, unit, text) uint64_t member;
  API_LIMIT_MAP(API_LIMIT_MEMBER)
#undef API_LIMIT_MEMBER
} api_limits;

/* The fixed ones that /v1/limits shows beside them come from contact/limits.h. */

typedef struct api_service api_service;

typedef struct api_settings {
  api_limits limits;
  const char *durability; /* word in every write's reply: "memory"; outlives the service */
  unsigned workers;       /* shown by /v1/limits */
} api_settings;

/* Copies settings. NULL: out of memory. Immutable afterwards; shared by all threads. */
api_service *api_service_create(const api_settings *settings);
void api_service_destroy(api_service *service);
/* Another word for writes from now on, which outlives the service. Any thread. */
void api_service_set_durability(api_service *service, const char *word);

/* ---- replies -------------------------------------------------------------------------------- */

typedef struct api_header {
  const char *name;
  char value[128];
} api_header;

/* A path with two ids, each byte of which may be percent-encoded, and the words around them. */
#define API_LOCATION_BYTES (6 * CT_ID_LENGTH_MAX + 64)

typedef struct api_reply {
  int status;
  const char *content_type; /* static */
  const char *body;         /* body_length bytes; owned by the call or refusal that made it */
  size_t body_length;
  api_header headers[4]; /* ETag, Allow, Retry-After ... */
  size_t header_count;
  char location[API_LOCATION_BYTES]; /* the header Location; "": none */
} api_reply;

/* Problems: X(ID, "kebab-name", status, "Title", "what it means and what to do"); served under
 * /problems/{name}. The list is in api/problems.def so that this header stays short;
 * API_PROBLEM_<ID> are its enum values. */
typedef enum api_problem_id {
#define X(id, name, status, title, text) API_PROBLEM_##id,
#include <api/problems.def>
#undef X
  API_PROBLEM_COUNT
} api_problem_id;

/* A problem document that the server itself sends (guard, admission, deadline). detail is
 * printf-like and is escaped here. The caller frees reply->body with free(); when memory is out the
 * reply has an empty body. */
__attribute__((format(printf, 3, 4))) void api_refuse(api_reply *reply, api_problem_id id,
                                                      const char *detail, ...);

/* ---- matching ------------------------------------------------------------------------------- */

typedef struct api_head {
  const char *method;        /* as sent */
  const char *path;          /* raw: not percent-decoded, without the query */
  const char *query;         /* raw text after '?', or NULL */
  const char *content_type;  /* or NULL */
  const char *accept;        /* or NULL */
  const char *if_match;      /* or NULL */
  const char *if_none_match; /* or NULL */
} api_head;

/* What the call needs from the server's registry of scenes. */
typedef enum api_target {
  API_TARGET_NONE,     /* documents, stateless queries */
  API_TARGET_LIST,     /* a snapshot of all scenes */
  API_TARGET_CREATE,   /* a new scene under an id that the server makes */
  API_TARGET_READ,     /* the scene of match.scene_id */
  API_TARGET_EVENTS,   /* the same; a reply 200 to GET is the beginning of a stream of its events,
                          which the server feeds */
  API_TARGET_SNAPSHOT, /* the same; a new revision is committed where nobody has written meanwhile,
                          else api_call_set_conflict */
  API_TARGET_WRITE,    /* the same, with the scene's writes in order */
  API_TARGET_PUT,      /* as WRITE, but the scene may be absent */
  API_TARGET_DELETE,   /* as WRITE; when the reply is 2xx the scene goes */
  API_TARGET_SHAPE_LIST, /* posted shapes */
  API_TARGET_SHAPE_READ, /* the same, and a snapshot of all scenes: who names them */
  API_TARGET_SHAPE_WRITE /* the same; afterwards api_call_commit_shapes */
} api_target;

typedef struct api_route api_route;

/* What a body is, by its content type. */
typedef enum api_form { API_FORM_JSON, API_FORM_NDJSON, API_FORM_STL, API_FORM_OBJ } api_form;

typedef struct api_match {
  const api_route *route;
  api_target target;
  char scene_id[CT_ID_LENGTH_MAX + 1]; /* empty unless the path names one; decoded and checked */
  char item_id[CT_ID_LENGTH_MAX +
               1];   /* id of a body, a contact state or a shape, or problem name; empty if none */
  const char *label; /* route template for logs and metrics: "/v1/scenes/{s}/query/distance" */
  bool takes_body;
  api_form form;
  bool streams;      /* the body is NDJSON: hand it over with api_call_feed as it arrives */
  uint64_t body_max; /* bytes */
} api_match;

/* True: *match is set. False: *refusal is (404, 405 with Allow, 415, 400 for an id that cannot be);
 * free(refusal->body). */
bool api_match_head(const api_service *service, const api_head *head, api_match *match,
                    api_reply *refusal);

/* ---- ids ------------------------------------------------------------------------------------ */

/* The character that begins at bytes[0] of `length`, and its bytes in UTF-8; 0: there is none. */
size_t api_utf8_next(const char *bytes, size_t length, uint32_t *code);
/* Bytes of an id that is percent-encoded, terminator and all. */
#define API_ID_ENCODED_BYTES (3 * CT_ID_LENGTH_MAX + 1)
/* The id as a segment of a path. Returns out. */
const char *api_id_encode(const char *id, char out[API_ID_ENCODED_BYTES]);
/* The id that a JSON string is, quotes and all. False: it is no id, or no string. */
bool api_id_of_json(const char *bytes, size_t length, char out[CT_ID_LENGTH_MAX + 1]);

/* ---- likeness of words ---------------------------------------------------------------------- */

/* Candidates that are compared with one unknown word, and cells of the tables of edits that are
 * evaluated for it: an error costs a few milliseconds at most, on the server's loop too, however
 * many candidates there are and however long. */
#define API_SPELLING_CANDIDATES 20000
#define API_SPELLING_CELLS 400000
/* Classes of letters that are counted. */
#define API_SPELLING_LETTERS 64

/* The search for what somebody meant: of all candidates the one with the fewest letters to change,
 * if that is at most a third of the longer word, or swaps its two letters; of several the first. */
typedef struct api_spelling {
  ct_text word, best;                          /* borrowed; best is empty where nothing is near */
  unsigned char letters[API_SPELLING_LETTERS]; /* of the word: how many of each class */
  size_t distance, considered, cells;
} api_spelling;

api_spelling api_spelling_start(const char *word, size_t length);
/* False: no more candidates are compared. */
bool api_spelling_consider(api_spelling *likeness, const char *candidate, size_t length);

/* ---- posted shapes -------------------------------------------------------------------------- */

/* Is it a write whose bodies may name posted shapes? */
bool api_match_names_shapes(const api_match *match);

/* All posted shapes of one moment: immutable, counted references, read by any threads. */
typedef struct api_shape_table api_shape_table;

/* An empty table. NULL: out of memory. */
const api_shape_table *api_shapes_create(void);
const api_shape_table *
api_shapes_retain(const api_shape_table *table);       /* NULL is allowed, and returned */
void api_shapes_release(const api_shape_table *table); /* NULL is allowed */
size_t api_shapes_count(const api_shape_table *table);
/* Bytes that they hold. */
uint64_t api_shapes_memory(const api_shape_table *table); /* of NULL: 0 */
/* The id of a shape, in ascending order; the table's. */
const char *api_shapes_id(const api_shape_table *table, size_t index);
bool api_shapes_has(const api_shape_table *table, const char *id);
/* The table without a shape: a reference, to the same table where it is not in it. NULL: out of
 * memory. */
const api_shape_table *api_shapes_drop(const api_shape_table *table, const char *id);
/* The table's shapes whose id is in a list, which ascends in byte order: `count` texts, `stride`
 * bytes from one to the next. A reference, to the same table where it loses none. NULL: out of
 * memory. O(shapes + count) */
const api_shape_table *api_shapes_intersect(const api_shape_table *table, const char *ids,
                                            size_t count, size_t stride);
/* The table with those of another that it has not: a reference, to the same table where it has all.
 * NULL: out of memory. O(n) for each */
const api_shape_table *api_shapes_union(const api_shape_table *table, const api_shape_table *more);
/* May a scaled copy of one of the shapes take long to make? */
bool api_shapes_scale_slowly(const api_shape_table *table);

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct api_scene_entry {
  const char *id;
  const ct_scene *scene;     /* NULL: it is not in memory; the rest tells of it then */
  const char *status;        /* "stored": it will be loaded; "corrupt": it cannot be. Static */
  uint64_t revision, bodies; /* as the store knows them */
} api_scene_entry;

/* A query whose answer was cut into pages, by the hash that its cursors hold. */
typedef struct api_kept_query {
  uint64_t hash;
  const char *bytes; /* the request's body */
  size_t length;
} api_kept_query;

typedef struct api_input {
  const char *
      body; /* whole body unless it was fed; may be NULL when empty; borrowed for the call's life */
  size_t body_length;
  const ct_scene
      *scene; /* current revision, or NULL: absent (or no target). Borrowed for the call's life */
  const ct_scene *const
      *kept; /* older revisions of the scene still kept for cursors; borrowed likewise */
  size_t kept_count;
  const api_kept_query *kept_queries; /* of the scene, likewise */
  size_t kept_query_count;
  uint64_t first_revision; /* number for a scene that this call creates */
  uint64_t lost_revision; /* PUT, DELETE; not 0: the scene is there, at this revision, but cannot be
                             read */
  bool store_decides; /* SHAPE_WRITE: a store is asked for what is to go, and may have what could
                         not be read */
  api_spelling like_scene;  /* the nearest id of a scene, where there is no scene of the id that the
                               path names */
  bool resumes;             /* EVENTS: the listener has heard earlier events of the scene */
  const char *new_scene_id; /* CREATE: the id made by the server */
  ct_text new_scene_origin; /* CREATE: ct_scene_origin of the new scene; may be empty */
  const api_scene_entry
      *scenes;             /* LIST, SHAPE_READ, SHAPE_WRITE: all scenes in ascending order of id */
  size_t scene_count;      /* the same, and CREATE, PUT: scenes that exist */
  const ct_cancel *cancel; /* polled by begin, run and finish; may be NULL */
} api_input;

/* Are there at most so many rows, and colliders, in those of the scenes that are in memory? Who
 * names a shape is found by looking at all of them. O(scenes + limit). */
bool api_scenes_are_small(const api_scene_entry *scenes, size_t count, uint64_t limit);

/* named[i] becomes true where a collider of those scenes that are in memory names shape i of the
 * table. O(colliders log shapes) */
void api_shapes_mark_used(const api_shape_table *shapes, const api_scene_entry *scenes,
                          size_t count, bool *named);

/* The new_scene_origin that the scene was created with, the same in each revision; empty: none. The
 * scene's. */
ct_text api_scene_origin(const ct_scene *scene);

/* Contacts of the contact state that the path names: a GET writes out all of them, an event looks
 * at all. 0: none is named. */
size_t api_match_contact_count(const api_match *match, const ct_scene *scene);

typedef struct api_call api_call;

/* Something that happened to a scene, for those who listen. */
typedef struct api_event {
  const char *name; /* "revision", "began" ...; static */
  const char *data; /* a JSON object on one line, `length` bytes */
  size_t length;
  const char *contact_state; /* only who named this contact state is reported; NULL: all are */
} api_event;

/* The events of a scene that are kept may have so many times the bytes that one listener may leave
 * unread. */
#define API_EVENTS_BACKLOGS 4

/* Data of a `revision` event outside of any write: how the scene stands. free() it; NULL: out of
 * memory. */
char *api_event_revision(const char *scene_id, uint64_t revision, uint64_t bodies, size_t *length);

typedef enum api_step { API_STEP_DONE, API_STEP_WORK } api_step;

/* Memory that a thread computes in, kept from range to range of whatever calls; one thread at a
 * time. NULL: out of memory. */
typedef struct api_scratch api_scratch;
api_scratch *api_scratch_create(void);
void api_scratch_destroy(api_scratch *scratch); /* NULL is allowed */

/* What solvers of contact problems have done: of islands, of raw problems, of the steps of a
 * motion. */
typedef struct api_solver_counts {
  uint64_t problems, iterations;
  uint64_t failures; /* problems left above their tolerance, and not proven to have no solution */
} api_solver_counts;

/* In this scratch, since it was made. To be asked while nothing runs in it. */
api_solver_counts api_scratch_solver_counts(const api_scratch *scratch);

/* NULL: out of memory. head is copied as far as needed. */
api_call *api_call_create(const api_service *service, const api_head *head, const api_match *match);
void api_call_destroy(api_call *call);

/* The shapes that the call may name, and lists: those of this moment. The call takes a reference;
 * the last table given counts. To be called before the first feed and before begin; without it
 * there are none. */
void api_call_set_shapes(api_call *call, const api_shape_table *shapes);

/* A streamed body, piece by piece, in order. False: the call has failed already and the rest of the
 * body is of no use (begin then gives the problem). Cost: that of parsing; run it on a worker. */
bool api_call_feed(api_call *call, const char *bytes, size_t length);

/* Parses, checks, and does all that is cheap; a write's new revision is ready after this. Keeps
 * `input` until destroy. */
api_step api_call_begin(api_call *call, const api_input *input);

/* After begin: */
uint64_t api_call_deadline_ms(
    const api_call *call); /* since the request arrived; the request's own or the default */
double api_call_cost_ns(const api_call *call); /* rough cost of the work on one core */

/* The next range to run, or -1 when no more are needed now. Any thread, but one at a time with
 * api_call_done. */
long api_call_next(api_call *call);
/* Runs a range; different ranges in parallel. Never fails: what goes wrong is in the reply. */
void api_call_run(api_call *call, long range, api_scratch *scratch);
/* Tells that a range is complete. Any thread, but one at a time with api_call_next. */
void api_call_done(api_call *call, long range);
/* After next has given -1 and every range given is done: lays the answer together. */
void api_call_finish(api_call *call);

/* SNAPSHOT, whose ranges come one at a time: lines of NDJSON that the call has reported of its work
 * since this was last asked; none: NULL. To be asked while no range runs. Owned by the call until
 * it goes on. */
const char *api_call_progress_lines(api_call *call, size_t *length);
/* How far long work has come, to be reported where its time is over: a sentence that goes on after
 * another, or nothing. `out` has API_HINT_MAX bytes. Between two ranges of a SNAPSHOT's. */
#define API_HINT_MAX 320
void api_call_hint(const api_call *call, char *out);
/* The reply after such lines: one line more. free() it; NULL: out of memory. */
char *api_reply_line(const api_reply *reply, size_t *length);
/* SNAPSHOT, after finish: the scene has been written to since the call's snapshot, or is being: the
 * reply becomes a problem, and there is no new revision. */
void api_call_set_conflict(api_call *call);

/* After begin gave DONE, or after finish: */
const api_reply *api_call_reply(const api_call *call); /* owned by the call */
const ct_scene *
api_call_new_revision(const api_call *call); /* to be committed (retain it), or NULL */
const ct_scene *
api_call_pin(const api_call *call); /* revision to keep for a cursor in the reply, or NULL */
/* With a pin: the query that the reply's cursor continues, to be kept; borrowed from the call's
 * input. False: there is none. */
bool api_call_kept_query(const api_call *call, api_kept_query *out);
/* EVENTS: the contact state that the listener names; "": none. Owned by the call. */
const char *api_call_contact_state(const api_call *call);
/* What listeners to the scene's events are to be reported once a write is committed, in this order;
 * none when nothing was written. The first is the write itself: `revision`, or `deleted`. To be
 * asked for by one thread, when the reply is there: the first one is made only then, so that a
 * write costs nothing where nobody listens. Where those of one contact state are more than are ever
 * kept, a `reset` stands for them. *whole: false when some are missing for want of memory: all
 * listeners are to be notified that. Owned by the call. */
const api_event *api_call_events(api_call *call, size_t *count, bool *whole);
/* SHAPE_WRITE, when the reply is 2xx: what the call does to a shape, and its id, owned by the call.
 */
typedef enum api_shape_change {
  API_SHAPE_POSTED,
  API_SHAPE_KNOWN,
  API_SHAPE_DELETED
} api_shape_change;
api_shape_change api_call_shape(const api_call *call, const char **id);
/* What a SHAPE_WRITE makes of the current table, which may be another than the call began with: the
 * table that is current from now on, a reference; never NULL. Where a limit or memory does not
 * allow the change, the reply becomes a problem. O(shapes) written: calls for which
 * api_match_names_shapes holds have been committed since the input was taken, or have their shapes
 * and are still under way. What they name has not been counted: no shape is deleted then. */
const api_shape_table *api_call_commit_shapes(api_call *call, const api_shape_table *current,
                                              bool written);

#endif
