/* A request from its head to its reply: http.c handles libmicrohttpd, job.c schedules the call,
 * reply.c sends.
 *
 * References are counted on the loop thread: the connection's (until libmicrohttpd has completed
 * the request), the job's (while a worker or a queue has it), the reply's (until its bytes are
 * sent). The last release frees the request. */
#ifndef SRV_STATE_REQUEST_H
#define SRV_STATE_REQUEST_H

#include "process/json_member.h"
#include "state/server.h"

#include <stdatomic.h>

/* Bodies up to this size, B, may be parsed on the loop thread if the call's inputs are small too.
 */
#define SRV_INLINE_BODY 4096u
/* Work estimated to take at most this time runs on the loop thread: a round trip to a worker costs
 * as much. */
#define SRV_INLINE_NS 25000.0
/* Scenes up to this number of bodies, and of bytes of requests that wrote them, are read or written
 * on the loop thread. */
#define SRV_INLINE_READ_BODIES 16u
#define SRV_INLINE_READ_BYTES 16384u
#define SRV_INLINE_WRITE_BODIES 1024u
#define SRV_INLINE_WRITE_BYTES 1048576u
/* Contacts of a contact state that are listed or updated on the loop thread, about 1.5 us each. */
#define SRV_INLINE_CONTACTS 16u
/* Scenes listed on the loop thread. */
#define SRV_INLINE_LIST 64u
/* Rows and colliders searched on the loop thread for users of a shape. */
#define SRV_INLINE_COLLIDERS 1024u
/* Work estimated to take longer is split into ranges for all workers; shorter work stays on one
 * worker. */
#define SRV_SPLIT_NS 500000.0
/* Time slice in which a worker runs ranges of one call before the pool chooses again. */
#define SRV_SLICE_NS 1000000u
/* A streamed body is passed to workers in pieces of at least this size, except for the last. */
#define SRV_PIECE_BYTES 262144u
/* Calls that read or wrote more bytes, or retain the last reference to a revision of more bodies,
 * are freed on a worker. Freeing JSON trees is slow, freeing texts is not. */
#define SRV_DEFER_BYTES_IN 65536u
#define SRV_DEFER_BYTES_OUT 4194304u
#define SRV_DEFER_BODIES 4096u
/* Replies of writes up to this size are sent regardless of the budget of unsent replies. */
#define SRV_SHORT_REPLY 65536u
/* A refused request's body up to this size is read and discarded, so that the connection can be
 * kept. */
#define SRV_KEEP_BYTES 65536u
/* Bytes read and discarded after a refusal within a body, before the connection is cut. */
#define SRV_SWALLOW_BYTES 67108864u

typedef enum srv_state {
  SRV_STATE_HEAD,    /* the handler has not been called yet */
  SRV_STATE_BODY,    /* collecting the body */
  SRV_STATE_SWALLOW, /* the reply is ready, but the body must end first */
  SRV_STATE_WAIT,    /* a queue or a worker has it; the connection is suspended */
  SRV_STATE_READY,   /* the reply can be sent */
  SRV_STATE_SENT,
  SRV_STATE_GONE /* the client has left */
} srv_state;

typedef enum srv_stage {
  SRV_STAGE_NONE,
  SRV_STAGE_FEED,   /* a piece of a streamed body */
  SRV_STAGE_START,  /* begin the call; finish it if it is short */
  SRV_STAGE_RANGES, /* each piece runs ranges for a time slice */
  SRV_STAGE_FREE    /* free the call and its inputs */
} srv_stage;

typedef struct srv_buffer {
  char *bytes;
  size_t length, capacity;
} srv_buffer;

typedef struct srv_request {
  srv_job job; /* first: the pool's view */
  srv_server *server;
  struct MHD_Connection *handle; /* NULL once completed */
  srv_connection *connection;
  unsigned references;
  bool counted; /* in server->requests */

  /* head */
  char id[20];
  char method[16];
  char *uri;         /* raw target, owned; ends before '?' */
  const char *query; /* text after '?', or NULL */
  bool has_match;
  api_match match;

  /* body */
  srv_state state;
  bool close; /* the connection ends with the reply */
  bool chunked;
  srv_buffer body; /* received bytes */
  srv_buffer fed;  /* piece of a streamed body that a worker reads */
  srv_json_member deadline_peek;
  bool body_ended, feed_failed;
  bool piece_failed; /* set by the worker: the piece was refused */
  uint64_t bytes_in, swallowed, body_since_ns, body_length;

  /* work */
  api_call *call;
  bool has_shapes;     /* the call has its table of shapes */
  bool naming;         /* counted in server->naming */
  uint64_t named_then; /* server->named when the input was taken */
  srv_entry *entry;    /* retained */
  srv_lane *lane;      /* the entry's, or server->stateless */
  bool writes, creates, holds_slot, begun, job_open;
  bool cancelled; /* the result is discarded, nothing is committed */
  bool settled;   /* the result was accepted or discarded */
  srv_stage stage;
  bool stage_taken;
  char hint[API_HINT_MAX]; /* progress of a snapshot's work, for a timeout's detail */
  bool crowded;            /* all workers were busy when the call began */
  unsigned pieces_most;    /* pieces of RANGES that may run at once */
  uv_mutex_t ranges_lock;
  bool ranges_lock_made;
  unsigned at_work;      /* under ranges_lock: workers that run ranges */
  _Atomic bool dry;      /* the last worker to request a range got none */
  _Atomic bool ended;    /* no more ranges will be run */
  _Atomic bool finished; /* the reply is complete */
  ct_cancel *cancel;
  api_input input;
  const ct_scene **kept;
  srv_retained_queries kept_queries;
  api_scene_entry *scenes; /* of a listing */
  size_t scenes_count;
  char new_id[CT_ID_LENGTH_MAX + 1];
  char
      like_scene[CT_ID_LENGTH_MAX + 1]; /* most similar id, if the scene does not exist; "": none */
  bool keyed;                           /* new_id is derived from an Idempotency-Key */
  struct srv_fingerprint *fingerprint;  /* of a keyed request's body */
  struct srv_request *next_write;
  bool write_queued;
  struct srv_request *next_waiting; /* for the same loading */
  bool load_queued;
  bool awaits_shapes; /* queued for all posted shapes, not for its scene */
  bool storing;       /* the store has the write: neither deadline nor client can cancel it */
  struct srv_durable *durable; /* the write to the store; NULL: none */
  unsigned runs;               /* attempts that the store refused as outdated */
  uint64_t store_revision;     /* the scene's revision in a shared store at arrival; 0: none */
  uint64_t store_stamp;        /* stamp of that revision */
  uint64_t input_stamp;        /* stamp of the revision that the call works on or cannot read */
  unsigned reloads;            /* loads caused by an older revision in memory */

  /* times, ns of uv_hrtime */
  uint64_t arrived_ns; /* end of the request; until then, end of its head */
  uint64_t ended_ns;
  uint64_t replied_ns;          /* start of the reply */
  _Atomic uint64_t started_ns;  /* 0: not started */
  _Atomic uint64_t deadline_ns; /* 0: not set yet; a worker sets it after begin */

  /* reply */
  api_reply refusal; /* body owned */
  const api_reply *reply;
  uint64_t reply_bytes; /* counted in server->reply_bytes */
  uint64_t revision;
  bool suspended;
  struct srv_stream *stream;     /* event stream; the call is freed */
  struct srv_progress *progress; /* progress stream, or NULL */
  size_t suspended_at;           /* index in server->suspended */
  uint64_t suspended_ns;         /* time of the suspension */
} srv_request;

/* ---- request.c ------------------------------------------------------------------------------ */

/* Creates a request with one reference, the connection's. Copies uri. NULL: out of memory. */
srv_request *srv_request_create(srv_server *server, struct MHD_Connection *handle, const char *uri);
void srv_request_retain(srv_request *request);
void srv_request_release(srv_request *request);
/* Makes the reply a problem document. */
__attribute__((format(printf, 3, 4))) void
srv_request_refuse(srv_request *request, api_problem_id problem, const char *detail, ...);
/* Adds a header to the refusal. */
void srv_request_refusal_header(srv_request *request, const char *name, const char *value);
/* Appends to a buffer within the budget of all bodies. False: no memory, or the budget is used up.
 */
bool srv_buffer_append(srv_server *server, srv_buffer *buffer, const char *bytes, size_t length,
                       size_t expected);
void srv_buffer_clear(srv_server *server, srv_buffer *buffer);
/* Scans the new bytes of the body for deadlineMs. */
static inline void srv_request_scan_deadline(srv_request *request) {
  srv_json_member_scan(&request->deadline_peek, request->body.bytes, request->body.length);
}
/* True if the request concerns posted shapes or its body may name one. Then the store's shapes must
 * be loaded before its call begins, or before the first piece of a streamed body is read. */
bool srv_request_needs_shapes(const srv_request *request);
/* Suspends the connection until srv_request_wake. */
void srv_request_suspend(srv_request *request);
/* Sets the state and resumes a suspended connection. READY: the reply is complete; on a progress
 * stream it becomes the last line. */
void srv_request_wake(srv_request *request, srv_state state);
/* The same without ending a progress stream: for lines before the last. */
void srv_request_resume(srv_request *request, srv_state state);
/* Frees the request itself; for srv_job_dispose. */
void srv_request_free(srv_request *request);

/* ---- call_inputs.c -------------------------------------------------------------------------- */

/* Sets the entry of the scene that the path names, or that the call will create. False: out of
 * memory. */
bool srv_inputs_find_scene(srv_request *request);
/* True if calls of the target read the list of all scenes. */
bool srv_inputs_need_all_scenes(api_target target);
/* Gives the call the current table of shapes; for a streamed body, at its first piece. */
void srv_inputs_retain_shapes(srv_request *request);
/* Notes that the shapes named by the call are committed, or never will be. */
void srv_inputs_end_shape_use(srv_request *request);
/* Retains the current revisions, cursor queries and listings that the call reads. False: out of
 * memory. */
bool srv_inputs_retain(srv_request *request);
/* Releases the call and its inputs, so that the request can be retried. No piece of it may be
 * running. */
void srv_inputs_release(srv_request *request);
/* Frees the call and its inputs; the request remains. The reply must not point into the call. */
void srv_job_free_call(srv_request *request);
/* Frees the call and its inputs, on a worker if that is slow, then the request. No reference may be
 * left. */
void srv_job_dispose(srv_request *request);

/* ---- idempotency.c -------------------------------------------------------------------------- */

/* Validates the header's value (NULL: absent) and derives the scene's id. False: the refusal is the
 * reply. */
bool srv_idempotency_read_key(srv_request *request, const char *key);
/* Adds a piece of a keyed request's body to its fingerprint. */
void srv_idempotency_feed(srv_request *request, const char *bytes, size_t length);
/* Fingerprint of the body so far; empty without a key. Owned by the request, valid until the next
 * call. */
ct_text srv_idempotency_origin(srv_request *request);
/* True if the scene of the key exists: the reply is its creation, or a refusal if another body
 * created it. */
bool srv_idempotency_replay(srv_request *request);
void srv_idempotency_free(srv_request *request);

/* ---- commit.c ------------------------------------------------------------------------------- */

/* Accepts the result of a finished call, unless its deadline has passed, and sets the reply. False:
 * the store must acknowledge the write first; srv_job_stored continues. */
bool srv_accept_result(srv_request *request);
/* Makes the call's effects current: revision, shapes, deletion, events, cursors. */
void srv_commit(srv_request *request);

/* ---- job.c ---------------------------------------------------------------------------------- */

/* True if the request's work can be queued now. False: a refusal is the reply. small: needs no
 * queue. */
bool srv_job_admit(srv_request *request, bool small);
/* Schedules a request with a complete body. The state becomes READY or WAIT; READY resumes its
 * connection. */
void srv_job_dispatch(srv_request *request);
/* Passes the collected piece of a streamed body to a worker; the first piece waits for the shapes'
 * refresh. */
void srv_job_feed(srv_request *request);
/* Continues with the first piece after the shapes' refresh. good false: it failed; the refusal is
 * the reply. */
void srv_job_resume_feed(srv_request *request, bool good);
/* Notes the end of the request, from which its deadline counts. */
void srv_job_arrived(srv_request *request);
/* True while a worker reads a piece of a streamed body. */
static inline bool srv_job_feeding(const srv_request *request) {
  return request->job_open && request->stage == SRV_STAGE_FEED;
}
/* Cancels the work and discards its result. No effect on a write in the store. */
void srv_job_cancel(srv_request *request);
/* Submits the next stage to the pool. */
void srv_job_submit(srv_request *request, srv_stage stage, bool fresh);
/* Refuses the request with outOfMemory. */
void srv_job_refuse_memory(srv_request *request);
/* Ends the job after the store's answer. The reply is set, and a successful write is committed. */
void srv_job_stored(srv_request *request);
/* Retries the call from its head and body after the store refused its write as outdated. False: it
 * cannot be retried; nothing has changed. */
bool srv_job_retry(srv_request *request);
/* Continues a request whose scene or shapes are loaded; or ends it, with the refusal that is its
 * reply. */
void srv_job_loaded(srv_request *request);
void srv_job_not_loaded(srv_request *request);

/* ---- work.c: on a worker, or on the loop thread for small calls ----------------------------- */

/* Begins the call and sets its deadline. */
api_step srv_work_begin(srv_request *request);
/* Runs all ranges in order and assembles the reply. */
void srv_work_serially(srv_request *request, api_scratch *scratch);
/* Runs one piece; srv_job.run of the pool. */
void srv_work_piece(srv_job *job, long piece, api_scratch *scratch);
/* Frees the call and its inputs. */
void srv_work_free(srv_request *request);
/* ended: no more ranges will be run. finished: the reply is complete. Any thread. */
bool srv_work_ended(const srv_request *request);
bool srv_work_finished(const srv_request *request);

/* ---- sweep.c -------------------------------------------------------------------------------- */

/* Refuses a request whose deadline has passed, and cancels it. */
void srv_request_time_out(srv_request *request);

/* ---- deferred_free.c ------------------------------------------------------------------------ */

/* Releases a reference, on a worker if that may be slow. An srv_release_revision; cls is the
 * server. */
void srv_free_scene_later(void *server, const ct_scene *scene);

/* ---- reply.c -------------------------------------------------------------------------------- */

/* Queues the request's reply; MHD_NO: out of memory, the connection is cut. */
enum MHD_Result srv_reply_send(srv_request *request);
/* Starts the client's deadline for reading a reply of this length. */
void srv_reply_phase(srv_request *request, size_t length);
/* Writes the request's log line and counts it in the metrics. */
void srv_reply_log(srv_request *request);

/* ---- http.c --------------------------------------------------------------------------------- */

enum MHD_Result srv_http_handle(void *server, struct MHD_Connection *handle, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_length, void **context);
/* Creates the call of a retried request from its head. False: out of memory, or the client has
 * left. */
bool srv_http_call_anew(srv_request *request);
void *srv_http_uri(void *server, const char *uri, struct MHD_Connection *handle);
void srv_http_completed(void *server, struct MHD_Connection *handle, void **context,
                        enum MHD_RequestTerminationCode code);

#endif
