/* The API as a library: it converts the bytes of a request to the bytes of a reply. It uses no
 * sockets and creates no threads. The server matches the request's head, collects the body, runs
 * the steps of the call on threads of its choice, and sends the reply. Only one thread at a time
 * may use a call, except where a function says otherwise.
 *
 * Lifecycle of a call:
 *   1. api_match_head, api_call_create, api_call_set_shapes
 *   2. api_call_feed for each piece of a streamed body
 *   3. api_call_begin. API_STEP_DONE: the reply is ready. API_STEP_WORK: api_call_next,
 *      api_call_run and api_call_done for each range, in parallel, then api_call_finish; or
 *      api_call_run_serially
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
  X(drain_seconds, "drainSeconds", 10, 0, 3600, "s",                                               \
    "time for requests that are running when no more are accepted")                                \
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

/* /v1/limits also lists the limits that cannot be configured: those of contact/limits.h. */

typedef struct api_service api_service;

typedef struct api_settings {
  api_limits limits;
  const char *durability; /* word in the reply to each write, for example "memory"; must outlive the
                             service */
  unsigned workers;       /* number of worker threads that /v1/limits reports */
} api_settings;

/* Creates a service with a copy of the settings. All threads share it; it is immutable except for
 * the durability word. NULL: out of memory. */
api_service *api_service_create(const api_settings *settings);
void api_service_destroy(api_service *service);
/* Sets the durability word that later writes report; the word must outlive the service. May be
 * called on any thread. */
void api_service_set_durability(api_service *service, const char *word);

/* ---- replies -------------------------------------------------------------------------------- */

typedef struct api_header {
  const char *name;
  char value[128];
} api_header;

/* Buffer size for the longest path: fixed segments and two ids with all bytes percent-encoded. */
#define API_LOCATION_BYTES (6 * CT_ID_LENGTH_MAX + 64)

typedef struct api_reply {
  int status;
  const char *content_type; /* static */
  const char *problem;      /* name of the problem if the reply is one, else NULL; static */
  const char *body; /* body_length bytes; owned by the call; after api_refuse owned by the caller */
  size_t body_length;
  api_header headers[4]; /* ETag, Allow, Retry-After and others */
  size_t header_count;
  char location[API_LOCATION_BYTES]; /* value of the Location header; "": no such header */
} api_reply;

/* Types of problem, one per line X(ID, "kebab-name", status, "Title", "cause and remedy") of
 * api/problems.def. A type is served at /problems/{name}. */
typedef enum api_problem_id {
#define X(id, name, status, title, text) API_PROBLEM_##id,
#include <api/problems.def>
#undef X
  API_PROBLEM_COUNT
} api_problem_id;

/* Writes the problem document for a request that the server refuses itself (guard, admission,
 * deadline). detail: a printf format for plain text, which is escaped for JSON. The caller frees
 * reply->body with free(). If memory runs out, the reply has an empty body. */
__attribute__((format(printf, 3, 4))) void api_refuse(api_reply *reply, api_problem_id id,
                                                      const char *detail, ...);

/* ---- matching ------------------------------------------------------------------------------- */

typedef struct api_head {
  const char *method;        /* as sent */
  const char *path;          /* path of the URL as received: not percent-decoded, without '?' and
                                the text after it */
  const char *query;         /* text of the URL after '?', not percent-decoded, or NULL */
  const char *content_type;  /* or NULL */
  const char *accept;        /* or NULL */
  const char *if_match;      /* or NULL */
  const char *if_none_match; /* or NULL */
} api_head;

/* The scenes and shapes that a call reads or writes; the server passes them in api_input. */
typedef enum api_target {
  API_TARGET_NONE,   /* no scene: documents about the daemon, stateless queries */
  API_TARGET_LIST,   /* a snapshot of all scenes */
  API_TARGET_CREATE, /* a new scene whose id the server generates */
  API_TARGET_READ,   /* the scene of match.scene_id, read only */
  API_TARGET_EVENTS, /* as READ; after a reply 200 to GET, the server streams the scene's events */
  API_TARGET_SNAPSHOT, /* as READ, and the call computes a new revision. It is committed if the
                          scene was not written to meanwhile; otherwise the server calls
                          api_call_set_conflict */
  API_TARGET_WRITE,    /* a write to the scene of match.scene_id; the server runs the writes to one
                          scene one after the other */
  API_TARGET_PUT,      /* as WRITE, but the scene may not exist yet */
  API_TARGET_DELETE,   /* as WRITE; a 2xx reply deletes the scene */
  API_TARGET_SHAPE_LIST, /* the posted shapes */
  API_TARGET_SHAPE_READ, /* the posted shapes, and a snapshot of all scenes, whose references to
                            shapes are counted */
  API_TARGET_SHAPE_WRITE /* as SHAPE_READ; the server then calls api_call_commit_shapes */
} api_target;

typedef struct api_route api_route;

/* Format of the request body, determined by its content type. */
typedef enum api_form { API_FORM_JSON, API_FORM_NDJSON, API_FORM_STL, API_FORM_OBJ } api_form;

typedef struct api_match {
  const api_route *route;
  api_target target;
  char scene_id[CT_ID_LENGTH_MAX + 1]; /* scene id of the path, percent-decoded and valid; empty:
                                          the path has none */
  char item_id[CT_ID_LENGTH_MAX + 1];  /* second id of the path: of a rigid body, contact state or
                                          shape, or the name of a problem type; empty: the path has
                                          none */
  const char
      *label; /* template of the path for logs and metrics: "/v1/scenes/{s}/query/distance" */
  bool takes_body;
  api_form form;
  bool streams;           /* the request's body is NDJSON and is passed to api_call_feed piece by
                             piece as it arrives */
  uint64_t body_max;      /* greatest length of the body, bytes */
  const char *body_limit; /* name of the configurable limit that body_max is, such as "jsonBytes" */
  const char *body_hint;  /* advice for a client whose body is longer than the limit: a space and a
                             sentence, or "" */
} api_match;

/* Matches a request's head to a route. True: *match is set. False: *refusal is set (404, 405 with
 * Allow, 415, or 400 for an invalid id), and the caller frees refusal->body with free(). */
bool api_match_head(const api_service *service, const api_head *head, api_match *match,
                    api_reply *refusal);

/* ---- ids ------------------------------------------------------------------------------------ */

/* Decodes the UTF-8 character at bytes[0] and returns its number of bytes. 0: the bytes are not
 * UTF-8, or length is 0. */
size_t api_utf8_next(const char *bytes, size_t length, uint32_t *code);
/* Buffer size for a percent-encoded id, including the terminator. */
#define API_ID_ENCODED_BYTES (3 * CT_ID_LENGTH_MAX + 1)
/* Percent-encodes an id for use as a segment of a path. Returns out. */
const char *api_id_encode(const char *id, char out[API_ID_ENCODED_BYTES]);
/* Decodes a JSON string, quotes included, to an id. False: the text is not a string, or not a valid
 * id. */
bool api_id_of_json(const char *bytes, size_t length, char out[CT_ID_LENGTH_MAX + 1]);

/* ---- suggestions for misspelt names --------------------------------------------------------- */

/* Limits of one search: candidates compared, and evaluated cells of the edit distance tables. They
 * keep the search below a few milliseconds, since it may run on the server's event loop. */
#define API_SPELLING_CANDIDATES 20000
#define API_SPELLING_CELLS 400000
/* Number of letter classes in the histogram by which candidates are rejected early. */
#define API_SPELLING_LETTERS 64

/* Searches the candidate with the least edit distance to a word. A candidate is considered near if
 * the distance is at most a third of the longer word's length; of two-letter words, if the letters
 * are swapped. Of equally near candidates the first one is selected. */
typedef struct api_spelling {
  ct_text word, best;                          /* borrowed; best is empty if no candidate is near */
  unsigned char letters[API_SPELLING_LETTERS]; /* histogram of the word's letters */
  /* Distance of `best` (SIZE_MAX: none yet); candidates compared and table cells evaluated. */
  size_t distance, considered, cells;
} api_spelling;

api_spelling api_spelling_start(const char *word, size_t length);
/* Compares one candidate with the word; selects it as `best` if it is nearer. False: a limit is
 * reached, and this and later candidates are ignored. */
bool api_spelling_consider(api_spelling *likeness, const char *candidate, size_t length);

/* ---- posted shapes -------------------------------------------------------------------------- */

/* True if the call is a write whose rigid bodies may refer to posted shapes. */
bool api_match_names_shapes(const api_match *match);

/* A snapshot of all posted shapes. It is immutable and reference-counted; any thread may read
 * it. */
typedef struct api_shape_table api_shape_table;

/* Creates an empty table, to which the caller has a reference. NULL: out of memory. */
const api_shape_table *api_shapes_create(void);
const api_shape_table *
api_shapes_retain(const api_shape_table *table);       /* NULL is allowed and returned */
void api_shapes_release(const api_shape_table *table); /* NULL is allowed */
size_t api_shapes_count(const api_shape_table *table);
/* Returns the memory that the shapes use, bytes; 0 if table is NULL. */
uint64_t api_shapes_memory(const api_shape_table *table);
/* Returns the id of the shape at `index` in ascending order of id; owned by the table. */
const char *api_shapes_id(const api_shape_table *table, size_t index);
bool api_shapes_has(const api_shape_table *table, const char *id);
/* Returns a reference to a new table without the shape, or to `table` itself if it does not contain
 * the shape. NULL: out of memory. */
const api_shape_table *api_shapes_drop(const api_shape_table *table, const char *id);
/* Returns a reference to a new table with only those shapes whose ids are in the list, or to
 * `table` itself if all are. ids: `count` texts in ascending byte order, `stride` bytes apart.
 * NULL: out of memory. O(shapes + count). */
const api_shape_table *api_shapes_intersect(const api_shape_table *table, const char *ids,
                                            size_t count, size_t stride);
/* Returns a reference to a new table with the shapes of both tables, or to `table` itself if it
 * contains all of them. NULL: out of memory. O(n) for each added shape. */
const api_shape_table *api_shapes_union(const api_shape_table *table, const api_shape_table *more);
/* True if some shape of the table is so large that scaling it may take long. */
bool api_shapes_scale_slowly(const api_shape_table *table);

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct api_scene_entry {
  const char *id;
  const ct_scene *scene; /* NULL: the scene is not in memory, and the members below describe it */
  const char *status;    /* "stored": not loaded yet; "corrupt": cannot be loaded; static */
  uint64_t revision, bodies; /* revision and number of bodies of the scene, as recorded in the
                                store */
} api_scene_entry;

/* The request of a query with several pages, retained so that a later request may consist of its
 * cursor alone. */
typedef struct api_kept_query {
  uint64_t hash;     /* hash of the request, which the cursors of its pages contain */
  const char *bytes; /* body of the request that had the query */
  size_t length;
} api_kept_query;

typedef struct api_input {
  const char *body; /* the request's whole body, unless the body was passed to api_call_feed; may be
                       NULL if empty; borrowed until destroy */
  size_t body_length;
  const ct_scene *scene; /* current revision; NULL: the scene does not exist, or the call has no
                            scene; borrowed until destroy */
  const ct_scene *const
      *kept; /* older revisions of the scene, retained for cursors; borrowed until destroy */
  size_t kept_count;
  const api_kept_query
      *kept_queries; /* queries of the scene, retained for cursors; borrowed until destroy */
  size_t kept_query_count;
  uint64_t first_revision; /* number of the first revision of a scene that this call creates */
  uint64_t lost_revision;  /* PUT, DELETE: revision of a scene that exists but cannot be loaded; 0:
                              none */
  bool store_decides; /* SHAPE_WRITE: a DELETE of a shape that is not in the table is sent to the
                         store nevertheless, because the store may contain shapes that could not be
                         loaded */
  api_spelling like_scene;  /* if no scene has the id of the path: the existing id nearest to it */
  bool resumes;             /* EVENTS: the client continues an earlier stream */
  const char *new_scene_id; /* CREATE: the id that the server generated */
  ct_text new_scene_origin; /* CREATE: text that api_scene_origin returns for the new scene; may be
                               empty */
  const api_scene_entry
      *scenes;             /* LIST, SHAPE_READ, SHAPE_WRITE: all scenes in ascending order of id */
  size_t scene_count;      /* number of entries of `scenes`; CREATE, PUT: number of scenes that
                              exist */
  const ct_cancel *cancel; /* polled by begin, run and finish; may be NULL */
} api_input;

/* True if the scenes in memory have at most `limit` bodies (rows) and at most `limit` colliders in
 * total, so that counting the references to a shape, for which all colliders are visited, is short
 * work. O(scenes + limit). */
bool api_scenes_are_small(const api_scene_entry *scenes, size_t count, uint64_t limit);

/* Sets named[i] to true if a collider of the scenes in memory refers to shape i of the table; other
 * entries are unchanged. O(colliders log shapes). */
void api_shapes_mark_used(const api_shape_table *shapes, const api_scene_entry *scenes,
                          size_t count, bool *named);

/* Returns the text new_scene_origin with which the scene was created, the same in each revision;
 * empty: none. Owned by the scene. */
ct_text api_scene_origin(const ct_scene *scene);

/* Returns the number of contacts of the contact state in the path, all of which a GET writes and an
 * event evaluates; 0: the path has no contact state. */
size_t api_match_contact_count(const api_match *match, const ct_scene *scene);

typedef struct api_call api_call;

/* A change of a scene, published to the clients that subscribe to the scene's events. */
typedef struct api_event {
  const char *name; /* "revision", "began" ...; static */
  const char *data; /* a JSON object on one line, `length` bytes */
  size_t length;
  const char *contact_state; /* id of the contact state whose subscribers alone receive the event;
                                NULL: all subscribers receive it */
} api_event;

/* A scene retains events with at most this multiple of eventBacklogBytes, the limit for the unread
 * bytes of one subscriber. */
#define API_EVENTS_BACKLOGS 4

/* Returns the data of a `revision` event for the current revision of a scene, independently of a
 * write. The caller frees it with free(). NULL: out of memory. */
char *api_event_revision(const char *scene_id, uint64_t revision, uint64_t bodies, size_t *length);

typedef enum api_step { API_STEP_DONE, API_STEP_WORK } api_step;

/* Scratch memory of a worker thread. It is reused for all ranges that the thread runs, and only one
 * thread at a time may use it. api_scratch_create returns NULL if out of memory. */
typedef struct api_scratch api_scratch;
api_scratch *api_scratch_create(void);
void api_scratch_destroy(api_scratch *scratch); /* NULL is allowed */

/* Totals of the contact solvers: islands of queries, problems posted to /v1/solve, and steps of
 * simulations. */
typedef struct api_solver_counts {
  uint64_t problems, iterations;
  uint64_t failures; /* problems that did not reach their tolerance and are not proven infeasible */
} api_solver_counts;

/* Returns the totals since the creation of the scratch. Must not be called while a range uses the
 * scratch. */
api_solver_counts api_scratch_solver_counts(const api_scratch *scratch);

/* Creates a call; the parts of head that it needs are copied. NULL: out of memory. */
api_call *api_call_create(const api_service *service, const api_head *head, const api_match *match);
void api_call_destroy(api_call *call);

/* Sets the posted shapes that the call may refer to or list; without this function there are none.
 * The call takes a reference; a later table replaces an earlier one. Must be called before the
 * first api_call_feed and before api_call_begin. */
void api_call_set_shapes(api_call *call, const api_shape_table *shapes);

/* Parses the next piece of a streamed body; this is expensive and belongs on a worker thread.
 * False: the call has failed and ignores the rest of the body; api_call_begin then writes the
 * problem. */
bool api_call_feed(api_call *call, const char *bytes, size_t length);

/* Parses and checks the request and does inexpensive work. If API_STEP_DONE is returned, the reply
 * and, for a write, the new revision are ready. The input is borrowed until destroy. */
api_step api_call_begin(api_call *call, const api_input *input);

/* The next two functions may be called once api_call_begin has returned. */
uint64_t api_call_deadline_ms(const api_call *call); /* time from the arrival of the request to its
                                                        deadline, ms: the member deadlineMs or,
                                                        without one, the default limit */
double
api_call_cost_ns(const api_call *call); /* estimated duration of the call's work on one core */

/* Returns the next range to run; -1: no range is available now. May be called on any thread, but
 * not concurrently with itself or with api_call_done. */
long api_call_next(api_call *call);
/* Runs a range. Different ranges may run in parallel, each with a scratch of its own. Errors appear
 * in the reply. */
void api_call_run(api_call *call, long range, api_scratch *scratch);
/* Marks a range as complete. May be called on any thread, but not concurrently with itself or with
 * api_call_next. */
void api_call_done(api_call *call, long range);
/* Composes the reply. Requires that api_call_next has returned -1 and that all ranges it returned
 * are done. */
void api_call_finish(api_call *call);

/* Runs all ranges in order in this thread, then composes the reply. False: the call was cancelled
 * and has no reply. */
bool api_call_run_serially(api_call *call, api_scratch *scratch);

/* For SNAPSHOT calls, whose ranges run one at a time: returns the NDJSON progress lines written
 * since the last call of this function; NULL: none. Must not be called while a range runs. Owned by
 * the call, and valid until the next range runs. */
const char *api_call_progress_lines(api_call *call, size_t *length);
/* For SNAPSHOT calls that missed their deadline: writes the progress of the work as a sentence to
 * append to the problem's detail, or an empty text. Must not be called while a range runs. `out`
 * has API_HINT_MAX bytes. */
#define API_HINT_MAX 320
void api_call_hint(const api_call *call, char *out);
/* For SNAPSHOT calls: true if the last range has made a checkpoint, the revision
 * api_call_new_revision with the events api_call_events. No range may run until the server has
 * committed it and called api_call_continue, unless the call ends. */
bool api_call_has_checkpoint(const api_call *call);
/* The checkpoint is the scene's current revision: the call works on `current`, the same revision,
 * which the server retains in place of the input's scene. */
void api_call_continue(api_call *call, const ct_scene *current);
/* Returns the reply as the last line after progress lines. The caller frees it with free(). NULL:
 * out of memory. */
char *api_reply_line(const api_reply *reply, size_t *length);
/* For SNAPSHOT calls, after api_call_finish: must be called if the scene was written to since the
 * snapshot, or is being written to. Replaces the reply by a problem and discards the new
 * revision. */
void api_call_set_conflict(api_call *call);

/* The functions below may be called once api_call_begin has returned API_STEP_DONE, or after
 * api_call_finish. */
const api_reply *api_call_reply(const api_call *call); /* owned by the call */
const ct_scene *api_call_new_revision(
    const api_call *call); /* revision for the server to retain and commit; NULL: none */
const ct_scene *api_call_pin(const api_call *call); /* revision for the server to retain for the
                                                       cursor in the reply; NULL: none */
/* If api_call_pin is not NULL: sets *out to the query that the reply's cursor continues, which the
 * server retains; borrowed from the call's input. False: there is no such query. */
bool api_call_kept_query(const api_call *call, api_kept_query *out);
/* EVENTS: returns the id of the contact state to which the client subscribes; "": none. Owned by
 * the call. */
const char *api_call_contact_state(const api_call *call);
/* Returns the events to publish, in this order, once the write is committed; none if nothing was
 * written. The first is `revision` or `deleted`, for the write itself. The first call of this
 * function composes it, so that a write without subscribers costs nothing. If a contact state has
 * more events than are ever retained, one `reset` replaces them. *whole: false if events are
 * missing because memory ran out; all subscribers must then be informed. To be called on one
 * thread, after the reply is ready. Owned by the call. */
const api_event *api_call_events(api_call *call, size_t *count, bool *whole);
/* What a SHAPE_WRITE with a 2xx reply does to a shape: posts a new one, posts one that exists
 * already, deletes one. *id: the shape's id, owned by the call. */
typedef enum api_shape_change {
  API_SHAPE_POSTED,
  API_SHAPE_KNOWN,
  API_SHAPE_DELETED
} api_shape_change;
api_shape_change api_call_shape(const api_call *call, const char **id);
/* Applies a SHAPE_WRITE to the current table, which may differ from the table at api_call_begin.
 * Returns a reference to the new current table, never NULL. If a limit or memory forbids the
 * change, the reply becomes a problem. written: since the input was collected, a call for which
 * api_match_names_shapes is true was committed, or such a call has its shapes and still runs. Its
 * references are not counted yet, so no shape is deleted then. O(shapes). */
const api_shape_table *api_call_commit_shapes(api_call *call, const api_shape_table *current,
                                              bool written);

#endif
