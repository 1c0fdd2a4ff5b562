/* The API as a library: the bytes of a request in, the bytes of a reply out. It uses no sockets and
 * creates no threads. The server matches the request's head, collects the body, runs the steps of
 * the call on threads of its choice, and sends the reply. One thread at a time may use a call,
 * except as stated below.
 *
 * Lifecycle of a call:
 *   1. api_match_head, api_call_create, api_call_set_shapes
 *   2. api_call_feed for each piece of a streamed body
 *   3. api_call_begin. API_STEP_DONE: the reply is ready. API_STEP_WORK: api_call_next,
 *      api_call_run and api_call_done for each range, in parallel, then api_call_finish
 *   4. api_call_reply, api_call_new_revision
 *   5. api_call_destroy
 */
#ifndef API_API_H
#define API_API_H

#include <contact/contact.h>

/* ---- limits: one table for the defaults, the options and /v1/limits ------------------------- */

/* X(member, "jsonName", default, least, greatest, "unit", "description") */
#define API_LIMIT_MAP(X)                                                                           \
  X(json_bytes, "jsonBytes", 16777216, 1024, 1073741824, "bytes", "a JSON request body")           \
  X(ndjson_bytes, "ndjsonBytes", 1073741824, 1024, 1099511627776, "bytes",                         \
    "a streamed NDJSON request body")                                                              \
  X(line_bytes, "lineBytes", 1048576, 256, 16777216, "bytes", "one NDJSON line")                   \
  X(request_memory_bytes, "requestMemoryBytes", 536870912, 1048576, 1099511627776, "bytes",        \
    "memory that one request may use (at most a quarter of the cgroup's limit)")                   \
  X(replies_bytes, "repliesBytes", 1073741824, 1048576, 1099511627776, "bytes",                    \
    "replies being sent at one time; one more is answered 503")                                    \
  X(json_depth, "jsonDepth", 32, 8, 512, "levels", "nesting of arrays and objects")                \
  X(scenes, "scenes", 10000, 1, 1000000, "", "scenes")                                             \
  X(bodies, "bodies", 1000000, 1, 1000000, "", "bodies in one scene")                              \
  X(colliders, "colliders", 10000, 1, 1000000, "", "colliders of one body")                        \
  X(hull_points, "hullPoints", 1000000, 4, 1000000, "", "points of one convex shape")              \
  X(mesh_triangles, "meshTriangles", 5000000, 1, 5000000, "", "triangles of one mesh")             \
  X(mesh_elements, "meshElements", 250000, 1, 250000, "",                                          \
    "elements of one tetmesh, hexmesh or elementmesh")                                             \
  X(shape_bytes, "shapeBytes", 268435456, 1024, 1099511627776, "bytes",                            \
    "an STL or OBJ file posted as a shape")                                                        \
  X(shapes, "shapes", 10000, 1, 1000000, "", "posted shapes")                                      \
  X(shapes_bytes, "shapesBytes", 4294967296, 1048576, 1099511627776, "bytes",                      \
    "memory of all posted shapes (by default at most a quarter of the machine's)")                 \
  X(page, "page", 10000, 1, 1000000, "", "results in a reply if the request sets no limit")        \
  X(page_max, "pageMax", 1000000, 1, 1000000, "", "greatest limit that a request may set")         \
  X(pairs, "pairs", 10000000, 1, 10000000, "", "candidate pairs of one query")                     \
  X(rays, "rays", 100000, 1, 10000000, "", "rays of one query")                                    \
  X(points, "points", 100000, 1, 10000000, "", "points of one query")                              \
  X(nearest, "nearest", 10000, 1, 1000000, "",                                                     \
    "nearest bodies that a query may request for one point")                                       \
  X(variants, "variants", 100000, 1, 10000000, "", "variants of one query")                        \
  X(batch, "batch", 1000, 1, 100000, "", "queries in one batch")                                   \
  X(contact_states, "contactStates", 16, 1, 1000, "", "contact states of one scene")               \
  X(contact_states_bytes, "contactStatesBytes", 268435456, 1048576, 1099511627776, "bytes",        \
    "memory of the contact states of one scene")                                                   \
  X(deadline_ms, "deadlineMs", 5000, 1, 600000, "ms", "deadline of a request that sets none")      \
  X(deadline_max_ms, "deadlineMaxMs", 600000, 1, 86400000, "ms",                                   \
    "greatest deadline that a request may set")                                                    \
  X(cursor_seconds, "cursorSeconds", 30, 1, 3600, "s",                                             \
    "time for which a cursor retains its revision")                                                \
  X(cursors_per_scene, "cursorsPerScene", 8, 1, 1000, "",                                          \
    "revisions of one scene, and queries, retained for cursors")                                   \
  X(cursors_bytes, "cursorsBytes", 67108864, 0, 1099511627776, "bytes",                            \
    "queries retained for cursors, all scenes; a cursor sent alone is answered 410 if its query "  \
    "is not retained")                                                                             \
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
    "time for which requests are accepted after SIGTERM, while /readyz is 503")                    \
  X(drain_seconds, "drainSeconds", 10, 0, 3600, "s", "time for running requests after that")       \
  X(event_streams, "eventStreams", 100, 1, 1000, "",                                               \
    "open event streams; one more is answered 503")                                                \
  X(event_ring, "eventRing", 1000, 1, 1000000, "",                                                 \
    "events of one scene retained for clients that reconnect")                                     \
  X(event_backlog_bytes, "eventBacklogBytes", 262144, 4096, 1073741824, "bytes",                   \
    "unread events of a client above which its stream is closed; a scene retains four times as "   \
    "many bytes")                                                                                  \
  X(heartbeat_seconds, "heartbeatSeconds", 15, 1, 3600, "s",                                       \
    "idle time of an event stream after which a comment is sent")

typedef struct api_limits {
#define API_LIMIT_MEMBER(member, name, standard, least, greatest, unit, text) uint64_t member;
  API_LIMIT_MAP(API_LIMIT_MEMBER)
#undef API_LIMIT_MEMBER
} api_limits;

/* /v1/limits also lists fixed limits: those of contact/limits.h. */

typedef struct api_service api_service;

typedef struct api_settings {
  api_limits limits;
  const char
      *durability;  /* word in the reply to each write, e.g. "memory"; must outlive the service */
  unsigned workers; /* reported by /v1/limits */
} api_settings;

/* Copies the settings. All threads share the service, which is immutable except for the durability
 * word. NULL: out of memory. */
api_service *api_service_create(const api_settings *settings);
void api_service_destroy(api_service *service);
/* Sets the durability word of later writes; the word must outlive the service. Any thread. */
void api_service_set_durability(api_service *service, const char *word);

/* ---- replies -------------------------------------------------------------------------------- */

typedef struct api_header {
  const char *name;
  char value[128];
} api_header;

/* Bytes of a path with two ids, all bytes of both percent-encoded, and the fixed segments. */
#define API_LOCATION_BYTES (6 * CT_ID_LENGTH_MAX + 64)

typedef struct api_reply {
  int status;
  const char *content_type; /* static */
  const char *body; /* body_length bytes; owned by the call, or after a refusal by the caller */
  size_t body_length;
  api_header headers[4]; /* ETag, Allow, Retry-After ... */
  size_t header_count;
  char location[API_LOCATION_BYTES]; /* Location header; "": none */
} api_reply;

/* Types of problem: X(ID, "kebab-name", status, "Title", "cause and remedy"), listed in
 * api/problems.def and served at /problems/{name}. */
typedef enum api_problem_id {
#define X(id, name, status, title, text) API_PROBLEM_##id,
#include <api/problems.def>
#undef X
  API_PROBLEM_COUNT
} api_problem_id;

/* Writes a problem document for a request that the server refuses itself (guard, admission,
 * deadline). detail: a printf format; the text is escaped for JSON. The caller frees reply->body
 * with free(). Out of memory: the reply has an empty body. */
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

/* The scenes and shapes that a call reads or writes. */
typedef enum api_target {
  API_TARGET_NONE,     /* no scene: documents, stateless queries */
  API_TARGET_LIST,     /* a snapshot of all scenes */
  API_TARGET_CREATE,   /* a new scene; the server generates its id */
  API_TARGET_READ,     /* the scene of match.scene_id */
  API_TARGET_EVENTS,   /* as READ; a reply 200 to GET starts an event stream, which the server
                          feeds */
  API_TARGET_SNAPSHOT, /* as READ; the call computes a new revision, which is committed if the scene
                          was not written to meanwhile; otherwise api_call_set_conflict */
  API_TARGET_WRITE,  /* a write to the scene of match.scene_id; writes to a scene are serialised */
  API_TARGET_PUT,    /* as WRITE, but the scene may be absent */
  API_TARGET_DELETE, /* as WRITE; a 2xx reply deletes the scene */
  API_TARGET_SHAPE_LIST, /* the posted shapes */
  API_TARGET_SHAPE_READ, /* the posted shapes, and a snapshot of all scenes to count references */
  API_TARGET_SHAPE_WRITE /* as SHAPE_READ, followed by api_call_commit_shapes */
} api_target;

typedef struct api_route api_route;

/* Format of the request body, by its content type. */
typedef enum api_form { API_FORM_JSON, API_FORM_NDJSON, API_FORM_STL, API_FORM_OBJ } api_form;

typedef struct api_match {
  const api_route *route;
  api_target target;
  char scene_id[CT_ID_LENGTH_MAX + 1]; /* decoded and checked; empty: the path names no scene */
  char item_id[CT_ID_LENGTH_MAX +
               1];   /* id of a body, contact state or shape, or a problem's name; empty: none */
  const char *label; /* route template for logs and metrics: "/v1/scenes/{s}/query/distance" */
  bool takes_body;
  api_form form;
  bool streams;      /* the body is NDJSON, passed to api_call_feed as it arrives */
  uint64_t body_max; /* greatest body, bytes */
} api_match;

/* Matches a request's head to a route. True: *match is set. False: *refusal is set (404, 405 with
 * Allow, 415, or 400 for an invalid id); the caller frees refusal->body with free(). */
bool api_match_head(const api_service *service, const api_head *head, api_match *match,
                    api_reply *refusal);

/* ---- ids ------------------------------------------------------------------------------------ */

/* Decodes the UTF-8 character at bytes[0]. Returns its number of bytes; 0: not UTF-8, or length is
 * 0. */
size_t api_utf8_next(const char *bytes, size_t length, uint32_t *code);
/* Bytes of a percent-encoded id, including the terminator. */
#define API_ID_ENCODED_BYTES (3 * CT_ID_LENGTH_MAX + 1)
/* Percent-encodes the id as a segment of a path. Returns out. */
const char *api_id_encode(const char *id, char out[API_ID_ENCODED_BYTES]);
/* Decodes a JSON string, quotes included, that is an id. False: not a string, or not a valid id. */
bool api_id_of_json(const char *bytes, size_t length, char out[CT_ID_LENGTH_MAX + 1]);

/* ---- suggestions for misspelt names --------------------------------------------------------- */

/* Limits of one search: candidates compared, and cells of the edit distance tables. They keep a
 * suggestion below a few milliseconds, since it may be computed on the server's loop. */
#define API_SPELLING_CANDIDATES 20000
#define API_SPELLING_CELLS 400000
/* Classes of letters in the histogram that rejects candidates early. */
#define API_SPELLING_LETTERS 64

/* Searches the candidate with the least edit distance to a word. A candidate counts if the distance
 * is at most a third of the longer word's length, or if it differs by swapping the word's only two
 * letters. Of equally near candidates the first counts. */
typedef struct api_spelling {
  ct_text word, best;                          /* borrowed; best is empty if no candidate is near */
  unsigned char letters[API_SPELLING_LETTERS]; /* histogram of the word's letters */
  size_t distance, considered, cells;
} api_spelling;

api_spelling api_spelling_start(const char *word, size_t length);
/* Compares one candidate. False: a limit is reached, and later candidates are ignored. */
bool api_spelling_consider(api_spelling *likeness, const char *candidate, size_t length);

/* ---- posted shapes -------------------------------------------------------------------------- */

/* True if the call is a write whose bodies may refer to posted shapes. */
bool api_match_names_shapes(const api_match *match);

/* A snapshot of all posted shapes: immutable, reference-counted, readable by any thread. */
typedef struct api_shape_table api_shape_table;

/* Creates an empty table. NULL: out of memory. */
const api_shape_table *api_shapes_create(void);
const api_shape_table *
api_shapes_retain(const api_shape_table *table);       /* NULL is allowed and returned */
void api_shapes_release(const api_shape_table *table); /* NULL is allowed */
size_t api_shapes_count(const api_shape_table *table);
/* Bytes of memory that the shapes use; 0 if table is NULL. */
uint64_t api_shapes_memory(const api_shape_table *table);
/* The id of the shape at `index` in ascending order of id; owned by the table. */
const char *api_shapes_id(const api_shape_table *table, size_t index);
bool api_shapes_has(const api_shape_table *table, const char *id);
/* Returns a reference to a table without the shape; to the same table if the shape is not in it.
 * NULL: out of memory. */
const api_shape_table *api_shapes_drop(const api_shape_table *table, const char *id);
/* Returns a reference to a table of the shapes with ids in the list; to the same table if it loses
 * none. ids: `count` texts in ascending byte order, `stride` bytes apart. NULL: out of memory.
 * O(shapes + count). */
const api_shape_table *api_shapes_intersect(const api_shape_table *table, const char *ids,
                                            size_t count, size_t stride);
/* Returns a reference to a table of the shapes of both tables; to `table` if it contains all of
 * them. NULL: out of memory. O(n) for each added shape. */
const api_shape_table *api_shapes_union(const api_shape_table *table, const api_shape_table *more);
/* True if scaling one of the shapes may take long. */
bool api_shapes_scale_slowly(const api_shape_table *table);

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct api_scene_entry {
  const char *id;
  const ct_scene *scene;     /* NULL: not in memory; the members below are set instead */
  const char *status;        /* "stored": not loaded yet; "corrupt": cannot be loaded. Static */
  uint64_t revision, bodies; /* according to the store */
} api_scene_entry;

/* A paged query, retained under the hash that its cursors contain. */
typedef struct api_kept_query {
  uint64_t hash;
  const char *bytes; /* body of the request */
  size_t length;
} api_kept_query;

typedef struct api_input {
  const char
      *body; /* the whole body, unless it was fed; may be NULL if empty; borrowed until destroy */
  size_t body_length;
  const ct_scene
      *scene; /* current revision; NULL: no such scene, or no target. Borrowed until destroy */
  const ct_scene *const *
      kept; /* older revisions of the scene that are retained for cursors; borrowed until destroy */
  size_t kept_count;
  const api_kept_query *kept_queries; /* retained queries of the scene; borrowed until destroy */
  size_t kept_query_count;
  uint64_t first_revision; /* number of the first revision of a scene that this call creates */
  uint64_t
      lost_revision; /* PUT, DELETE: revision of an existing scene that cannot be loaded; 0: none */
  bool store_decides; /* SHAPE_WRITE: DELETE of an unknown shape is passed to the store, which may
                         contain shapes that could not be loaded */
  api_spelling like_scene;  /* if no scene has the path's id: the nearest existing id */
  bool resumes;             /* EVENTS: the request continues an earlier stream */
  const char *new_scene_id; /* CREATE: id generated by the server */
  ct_text new_scene_origin; /* CREATE: see api_scene_origin; may be empty */
  const api_scene_entry
      *scenes;             /* LIST, SHAPE_READ, SHAPE_WRITE: all scenes, in ascending order of id */
  size_t scene_count;      /* as `scenes`; also CREATE, PUT: number of existing scenes */
  const ct_cancel *cancel; /* polled by begin, run and finish; may be NULL */
} api_input;

/* True if the scenes in memory have at most `limit` rows in total, and at most `limit` colliders.
 * Counting the references to a shape visits all of them. O(scenes + limit). */
bool api_scenes_are_small(const api_scene_entry *scenes, size_t count, uint64_t limit);

/* Sets named[i] if a collider of the scenes in memory refers to shape i of the table.
 * O(colliders log shapes). */
void api_shapes_mark_used(const api_shape_table *shapes, const api_scene_entry *scenes,
                          size_t count, bool *named);

/* The new_scene_origin with which the scene was created, the same in each revision; empty: none.
 * Owned by the scene. */
ct_text api_scene_origin(const ct_scene *scene);

/* Number of contacts of the contact state that the path names; 0: the path names none. A GET writes
 * all of them, an event evaluates all of them. */
size_t api_match_contact_count(const api_match *match, const ct_scene *scene);

typedef struct api_call api_call;

/* A change of a scene, published to the scene's subscribers. */
typedef struct api_event {
  const char *name; /* "revision", "began" ...; static */
  const char *data; /* a JSON object on one line, `length` bytes */
  size_t length;
  const char *contact_state; /* only subscribers of this contact state receive it; NULL: all do */
} api_event;

/* Bytes of retained events of one scene, as a multiple of eventBacklogBytes, the unread bytes of
 * one subscriber. */
#define API_EVENTS_BACKLOGS 4

/* Data of a `revision` event that belongs to no write: the scene's current revision. The caller
 * frees the result with free(). NULL: out of memory. */
char *api_event_revision(const char *scene_id, uint64_t revision, uint64_t bodies, size_t *length);

typedef enum api_step { API_STEP_DONE, API_STEP_WORK } api_step;

/* Scratch memory of a worker thread, reused by the ranges of all calls that the thread runs; used
 * by one thread at a time. NULL: out of memory. */
typedef struct api_scratch api_scratch;
api_scratch *api_scratch_create(void);
void api_scratch_destroy(api_scratch *scratch); /* NULL is allowed */

/* Totals of the contact solvers, over islands, problems posted to /v1/solve, and steps of motions.
 */
typedef struct api_solver_counts {
  uint64_t problems, iterations;
  uint64_t failures; /* problems above their tolerance and not proven infeasible */
} api_solver_counts;

/* Totals of this scratch since its creation. Must not be called while a range uses the scratch. */
api_solver_counts api_scratch_solver_counts(const api_scratch *scratch);

/* Creates a call, with copies of the needed parts of head. NULL: out of memory. */
api_call *api_call_create(const api_service *service, const api_head *head, const api_match *match);
void api_call_destroy(api_call *call);

/* Sets the shapes that the call may refer to or list; without a table there are none. The call
 * takes a reference; a later table replaces an earlier one. Must be called before the first feed
 * and before begin. */
void api_call_set_shapes(api_call *call, const api_shape_table *shapes);

/* Parses the next piece of a streamed body; expensive, for worker threads. False: the call has
 * failed and ignores the rest of the body; begin then writes the problem. */
bool api_call_feed(api_call *call, const char *bytes, size_t length);

/* Parses and checks the request and does inexpensive work. After API_STEP_DONE the reply and a
 * write's new revision are ready. The input is borrowed until destroy. */
api_step api_call_begin(api_call *call, const api_input *input);

/* Valid after begin. */
uint64_t api_call_deadline_ms(
    const api_call *call); /* from the arrival of the request; as requested, or the default */
double api_call_cost_ns(const api_call *call); /* estimated time of the work on one core */

/* The next range to run; -1: no more for now. Any thread, but not concurrently with itself or with
 * api_call_done. */
long api_call_next(api_call *call);
/* Runs a range. Different ranges may run in parallel, each with its own scratch. Errors are
 * reported by the reply. */
void api_call_run(api_call *call, long range, api_scratch *scratch);
/* Marks a range as complete. Any thread, but not concurrently with itself or with api_call_next. */
void api_call_done(api_call *call, long range);
/* Composes the reply. Requires that api_call_next has returned -1 and all its ranges are done. */
void api_call_finish(api_call *call);

/* SNAPSHOT, whose ranges run one at a time: NDJSON progress lines since the previous call of this
 * function; NULL: none. Must not be called while a range runs. Owned by the call, and valid until
 * the next range runs. */
const char *api_call_progress_lines(api_call *call, size_t *length);
/* SNAPSHOT, after a missed deadline: writes the progress of the work as a sentence to append to the
 * problem's detail, or an empty text. `out` has API_HINT_MAX bytes. Must not be called while a
 * range runs. */
#define API_HINT_MAX 320
void api_call_hint(const api_call *call, char *out);
/* The reply as the last line after progress lines. The caller frees the result with free(). NULL:
 * out of memory. */
char *api_reply_line(const api_reply *reply, size_t *length);
/* SNAPSHOT, after finish: the scene was written to since the snapshot, or is being written to.
 * Replaces the reply by a problem and discards the new revision. */
void api_call_set_conflict(api_call *call);

/* Valid after begin has returned API_STEP_DONE, or after finish. */
const api_reply *api_call_reply(const api_call *call); /* owned by the call */
const ct_scene *
api_call_new_revision(const api_call *call); /* to be retained and committed; NULL: none */
const ct_scene *
api_call_pin(const api_call *call); /* to be retained for the cursor in the reply; NULL: none */
/* With a pin: the query that the reply's cursor continues, to be retained; borrowed from the call's
 * input. False: none. */
bool api_call_kept_query(const api_call *call, api_kept_query *out);
/* EVENTS: the contact state to which the client subscribes; "": none. Owned by the call. */
const char *api_call_contact_state(const api_call *call);
/* Events to publish once the write is committed, in this order; none if nothing was written. The
 * first is `revision` or `deleted`, for the write itself. It is composed by the first call of this
 * function, so that a write without subscribers does not pay for it. If a contact state has more
 * events than are ever retained, one `reset` replaces them. *whole: false if events are missing
 * because memory ran out; all subscribers must then be informed. One thread, after the reply is
 * ready. Owned by the call. */
const api_event *api_call_events(api_call *call, size_t *count, bool *whole);
/* SHAPE_WRITE, after a 2xx reply: how the call changes a shape, whose id is owned by the call. */
typedef enum api_shape_change {
  API_SHAPE_POSTED,
  API_SHAPE_KNOWN,
  API_SHAPE_DELETED
} api_shape_change;
api_shape_change api_call_shape(const api_call *call, const char **id);
/* Applies a SHAPE_WRITE to the current table, which may differ from the table at begin. Returns a
 * reference to the new current table, never NULL. If a limit or memory forbids the change, the
 * reply becomes a problem. written: since the input was taken, calls for which
 * api_match_names_shapes is true were committed, or such calls have their shapes and still run.
 * Their references are not counted, so no shape is deleted then. O(shapes). */
const api_shape_table *api_call_commit_shapes(api_call *call, const api_shape_table *current,
                                              bool written);

#endif
