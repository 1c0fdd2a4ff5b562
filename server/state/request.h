/* A request from its head to its reply: http.c talks to libmicrohttpd, job.c takes the call's steps, reply.c lays out what is sent.
 *
 * References, all counted on the loop thread: the connection's (until libmicrohttpd has completed the request), the job's (until no
 * worker and no queue has it), the reply's (until its bytes are sent). The last one gone frees the request. */
#ifndef SRV_STATE_REQUEST_H
#define SRV_STATE_REQUEST_H

#include "process/json_member.h"
#include "state/server.h"

#include <stdatomic.h>

/* Bodies up to this size may be parsed on the loop thread, if what they ask for is small too. */
#define SRV_INLINE_BODY 4096u
/* Work estimated to take no longer is done on the loop thread: a hop to a worker and back costs as much. */
#define SRV_INLINE_NS 25000.0
/* Scenes of at most so many bodies, made of so many bytes of requests, are read, resp. written, on the loop thread. */
#define SRV_INLINE_READ_BODIES 16u
#define SRV_INLINE_READ_BYTES 16384u
#define SRV_INLINE_WRITE_BODIES 1024u
#define SRV_INLINE_WRITE_BYTES 1048576u
/* Contacts of a contact state that are written out, or looked at, on the loop thread: one takes some 1.5 us. */
#define SRV_INLINE_CONTACTS 16u
/* Scenes in a listing made on the loop thread. */
#define SRV_INLINE_LIST 64u
/* Rows and colliders that are looked at on the loop thread: who names a shape. */
#define SRV_INLINE_COLLIDERS 1024u
/* Work estimated to take longer is cut into ranges for all workers; shorter work stays on the worker that began it. */
#define SRV_SPLIT_NS 500000.0
/* A worker stays with a call's ranges for so long, then looks what else there is to do. */
#define SRV_SLICE_NS 1000000u
/* A streamed body is handed over in pieces of at least this size (but for the last). */
#define SRV_PIECE_BYTES 262144u
/* Calls that read or wrote more bytes, or hold the last reference to a revision of more bodies, are freed on a worker: trees of
 * JSON take long, texts do not. */
#define SRV_DEFER_BYTES_IN 65536u
#define SRV_DEFER_BYTES_OUT 4194304u
#define SRV_DEFER_BODIES 4096u
/* Replies of writes up to this size are sent however much is on its way to other clients. */
#define SRV_SHORT_REPLY 65536u
/* A refused request's body up to this size is read to its end, so that the connection can be kept. */
#define SRV_KEEP_BYTES 65536u
/* What is read and thrown away after a refusal that could not be sent before the body, before the connection is cut. */
#define SRV_SWALLOW_BYTES 67108864u

typedef enum srv_state {
  SRV_STATE_HEAD,    /* the handler has not been called yet */
  SRV_STATE_BODY,    /* gathering the body */
  SRV_STATE_SWALLOW, /* the reply is ready, but the body must end first */
  SRV_STATE_WAIT,    /* a queue or a worker has it; the connection is suspended */
  SRV_STATE_READY,   /* the reply can be sent */
  SRV_STATE_SENT,
  SRV_STATE_GONE /* the client has left */
} srv_state;

typedef enum srv_stage {
  SRV_STAGE_NONE,
  SRV_STAGE_FEED,   /* a piece of a streamed body */
  SRV_STAGE_START,  /* begin, and everything else when it is short */
  SRV_STAGE_RANGES, /* a piece takes ranges for a slice of time */
  SRV_STAGE_FREE    /* what the call holds is freed */
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
  char *uri;         /* raw target, owned; cut at '?' */
  const char *query; /* behind it, or NULL */
  bool has_match;
  api_match match;

  /* body */
  srv_state state;
  bool close; /* the connection ends with the reply */
  bool chunked;
  srv_buffer body; /* what arrives */
  srv_buffer fed;  /* what a worker reads: a streamed body's piece */
  srv_json_member deadline_peek;
  bool body_ended, feed_failed;
  bool piece_failed; /* a worker's word about the piece it has read */
  uint64_t bytes_in, swallowed, body_since_ns, body_length;

  /* work */
  api_call *call;
  bool has_shapes;     /* the call has the shapes of its moment */
  bool naming;         /* counted in server->naming */
  uint64_t named_then; /* server->named when the input was taken */
  srv_entry *entry;    /* held */
  srv_lane *lane;      /* the entry's, or that of stateless work */
  bool writes, creates, holds_slot, begun, job_open;
  bool cancelled; /* nobody wants the result: nothing is committed */
  bool settled;   /* the job's result has been taken or dropped */
  srv_stage stage;
  bool stage_taken;
  char hint[API_HINT_MAX]; /* how far a snapshot's work has come */
  bool crowded;            /* all workers had something to do when the call began */
  unsigned pieces_most;    /* of RANGES at once */
  uv_mutex_t ranges_lock;
  bool ranges_lock_made;
  unsigned at_work;      /* under ranges_lock: workers between two ranges or in one */
  _Atomic bool dry;      /* the last worker to ask got no range */
  _Atomic bool ended;    /* no more ranges will be taken */
  _Atomic bool finished; /* the answer is there */
  ct_cancel *cancel;
  api_input input;
  const ct_scene **kept;
  srv_retained_queries kept_queries;
  api_scene_entry *scenes; /* of a listing */
  size_t scenes_count;
  char new_id[CT_ID_LENGTH_MAX + 1];
  char like_scene[CT_ID_LENGTH_MAX + 1]; /* the nearest id where there is no scene; "": none */
  bool keyed;                 /* new_id is made of an Idempotency-Key */
  struct srv_fingerprint *fingerprint; /* of a keyed request's body */
  struct srv_request *next_write;
  bool write_queued;
  struct srv_request *next_waiting; /* for the same loading */
  bool load_queued;
  bool awaits_shapes;          /* in the list of those that wait for all posted shapes, not in that of its scene */
  bool storing;                /* the store has been given what the call has written: neither deadline nor client end it */
  struct srv_durable *durable; /* that; NULL: nothing */
  unsigned runs;               /* that the store has refused */
  uint64_t store_revision;     /* of the scene, when a shared store was asked; 0: none */
  uint64_t store_stamp;        /* of that */
  uint64_t input_stamp;        /* of the scene that the call works on, or cannot read */
  unsigned reloads;            /* because of that */

  /* times, ns of uv_hrtime */
  uint64_t arrived_ns; /* its end; before that, the end of its head */
  uint64_t ended_ns;
  uint64_t replied_ns;          /* when the reply began to be sent */
  _Atomic uint64_t started_ns;  /* 0: no thread has taken it up */
  _Atomic uint64_t deadline_ns; /* 0: not running yet; a worker sets it after begin */

  /* reply */
  api_reply refusal; /* body owned */
  const api_reply *reply;
  uint64_t reply_bytes; /* counted in server->reply_bytes */
  uint64_t revision;
  bool suspended;
  struct srv_stream *stream;     /* the reply goes on; the call has gone */
  struct srv_progress *progress; /* the reply is in lines, of which the last is yet to come */
  size_t suspended_at;           /* in server->suspended */
  uint64_t suspended_ns;         /* when */
} srv_request;

/* ---- request.c ---- */

/* One reference, the connection's. NULL: out of memory. uri is copied. */
srv_request *srv_request_create(srv_server *server, struct MHD_Connection *handle, const char *uri);
void srv_request_retain(srv_request *request);
void srv_request_release(srv_request *request);
/* Makes the reply a problem document. */
__attribute__((format(printf, 3, 4))) void srv_request_refuse(srv_request *request, api_problem_id problem, const char *detail,
                                                              ...);
/* Adds a header to the refusal. */
void srv_request_refusal_header(srv_request *request, const char *name, const char *value);
/* Appends to a buffer within the budget of all bodies. False: no memory, or the budget is used up. */
bool srv_buffer_append(srv_server *server, srv_buffer *buffer, const char *bytes, size_t length, size_t expected);
void srv_buffer_clear(srv_server *server, srv_buffer *buffer);
/* Looks for the deadline in what the body has grown by. */
static inline void srv_request_scan_deadline(srv_request *request) {
  srv_json_member_scan(&request->deadline_peek, request->body.bytes, request->body.length);
}
/* Is it about posted shapes, or may its body name one? Then those of the store must be here before its call begins, or the first
 * piece of a streamed body is read. */
bool srv_request_needs_shapes(const srv_request *request);
/* Suspends the connection until srv_request_wake. */
void srv_request_suspend(srv_request *request);
/* Sets the state; a suspended connection goes on. READY: the reply is there; of one in lines that have begun it becomes the last.
 */
void srv_request_wake(srv_request *request, srv_state state);
/* The same, of lines before the last. */
void srv_request_resume(srv_request *request, srv_state state);
/* Frees the request itself; for srv_job_dispose. */
void srv_request_free(srv_request *request);

/* ---- call_inputs.c ---- */

/* Sets the entry of the scene that the path names, or that the call will create. False: out of memory. */
bool srv_inputs_find_scene(srv_request *request);
bool srv_inputs_need_all_scenes(api_target target);
/* The call names the shapes of this moment: that of its first piece where the body is streamed. */
void srv_inputs_retain_shapes(srv_request *request);
/* What the call names is committed, or will never be. */
void srv_inputs_end_shape_use(srv_request *request);
/* Retains the revisions that the call sees: those of this moment. False: out of memory. */
bool srv_inputs_retain(srv_request *request);
/* Gives back all that the call has borrowed, and the call, so that another can begin. No piece of it runs. */
void srv_inputs_release(srv_request *request);
/* Frees the call and what it borrows while the request lives on. Its reply must not be its own any more. */
void srv_job_free_call(srv_request *request);
/* Frees the call and what it borrows, on a worker if that takes long, then the request. No reference is left. */
void srv_job_dispose(srv_request *request);

/* ---- idempotency.c ---- */

/* The header's value, or NULL. False: the refusal is the reply. */
bool srv_idempotency_read_key(srv_request *request, const char *key);
/* Adds a piece of a keyed request's body to its fingerprint. */
void srv_idempotency_feed(srv_request *request, const char *bytes, size_t length);
/* The fingerprint of the body so far; empty where there is no key. Owned by the request, until the next call. */
ct_text srv_idempotency_origin(srv_request *request);
/* Is the scene of the request's key there already? Then that is the reply, or a refusal where another body has made it. */
bool srv_idempotency_replay(srv_request *request);
void srv_idempotency_free(srv_request *request);

/* ---- commit.c ---- */

/* Takes the result of a call that has run to its end, unless its time is over: the reply is set. False: the store has it first, and
 * srv_job_stored goes on. */
bool srv_accept_result(srv_request *request);
/* What the call has done counts from now on. */
void srv_commit(srv_request *request);

/* ---- job.c ---- */

/* Can the request's work be queued now? False: a refusal is the reply. small: it may be done on the loop thread. */
bool srv_job_admit(srv_request *request, bool small);
/* The body is complete. The state becomes READY, or WAIT; a suspended connection is woken when it is READY. */
void srv_job_dispatch(srv_request *request);
/* Hands the gathered piece of a streamed body to a worker, the first one when it is known which shapes there are. */
void srv_job_feed(srv_request *request);
/* The shapes that the first piece may name are those of the store; or they are not, and the refusal is the reply. */
void srv_job_resume_feed(srv_request *request, bool good);
/* The request has ended: its time begins. */
void srv_job_arrived(srv_request *request);
static inline bool srv_job_feeding(const srv_request *request) { return request->job_open && request->stage == SRV_STAGE_FEED; }
/* Nobody wants the result any more. */
void srv_job_cancel(srv_request *request);
/* Hands the next stage to the pool. */
void srv_job_submit(srv_request *request, srv_stage stage, bool fresh);
void srv_job_refuse_memory(srv_request *request);
/* The store has answered: the request's reply is set, and what is to be committed is. */
void srv_job_stored(srv_request *request);
/* Begins the call anew, from its head and body: the store has refused what it has written to an older revision. False: it cannot
 * be, and what it has is as it was. */
bool srv_job_retry(srv_request *request);
/* What the request waited for is loaded; or it is not, and the refusal is the reply. */
void srv_job_loaded(srv_request *request);
void srv_job_not_loaded(srv_request *request);

/* ---- work.c: on a worker, or on the loop thread for small calls ---- */

/* Begins the call and sets its deadline. */
api_step srv_work_begin(srv_request *request);
/* All ranges in order, and the answer. */
void srv_work_serially(srv_request *request, api_scratch *scratch);
/* The pool's run. */
void srv_work_piece(srv_job *job, long piece, api_scratch *scratch);
/* Frees what the call holds and borrows. */
void srv_work_free(srv_request *request);
/* No more ranges will be taken; the answer is there. Any thread. */
bool srv_work_ended(const srv_request *request);
bool srv_work_finished(const srv_request *request);

/* ---- sweep.c ---- */

/* The request's deadline has passed: it is answered so, and cancelled. */
void srv_request_time_out(srv_request *request);

/* ---- deferred_free.c ---- */

/* Lets go of a reference, on a worker if that may take long. For the registry. */
void srv_free_scene_later(void *server, const ct_scene *scene);

/* ---- reply.c ---- */

/* Queues the request's reply; MHD_NO: out of memory, the connection is cut. */
enum MHD_Result srv_reply_send(srv_request *request);
/* From now on the client has a time to take so many bytes. */
void srv_reply_phase(srv_request *request, size_t length);
/* The request's line in the log. */
void srv_reply_log(srv_request *request);

/* ---- http.c ---- */

enum MHD_Result srv_http_handle(void *server, struct MHD_Connection *handle, const char *url, const char *method,
                                const char *version, const char *upload, size_t *upload_length, void **context);
/* Makes the call of a request whose call has gone once more, from its head. False: out of memory, or the client has left. */
bool srv_http_call_anew(srv_request *request);
void *srv_http_uri(void *server, const char *uri, struct MHD_Connection *handle);
void srv_http_completed(void *server, struct MHD_Connection *handle, void **context, enum MHD_RequestTerminationCode code);

#endif
