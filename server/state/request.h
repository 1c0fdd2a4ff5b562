/* A request from its head to its end. http.c handles libmicrohttpd, job.c schedules the call,
 * reply.c sends.
 *
 * Two states describe its progress. `state` follows the exchange with the client, `work` follows
 * the call. They are separate, because workers may still run a call whose client has disconnected
 * or whose deadline has passed, and because a progress stream replies while its call runs.
 *
 * state, by srv_request_set_state:
 *
 *   HEAD --> BODY --> WAIT --> READY --> SENT
 *             |  |      |                  |
 *             |  |      +------> GONE <----+ (progress stream)
 *             |  +--> GONE (streamed body)
 *             +--> SWALLOW --> SENT
 *             +--> SENT (refused, the connection is closed)
 *
 * work, by srv_request_set_work; (open) is each state from FEEDING to CONCLUDED:
 *
 *   IDLE --> FEEDING --> IDLE                               a piece of a streamed body
 *   IDLE --> REFRESHING, AWAITS_SHAPES, AWAITS_SCENE --> IDLE
 *   IDLE --> AWAITS_TURN --> QUEUED, IDLE                   the scene's earlier writes
 *   IDLE --> QUEUED --> BEGINNING --> RUNNING               on workers
 *   IDLE, BEGINNING, RUNNING --> STORING, CONCLUDED, ENDED    the result is accepted or discarded
 *   STORING --> CONCLUDED, ENDED, IDLE (the store found the write outdated: the call is repeated)
 *   STORING --> RUNNING (the store has the checkpoint of a call on a snapshot)
 *   FEEDING, BEGINNING, RUNNING --> CANCELLED --> ENDED     its last piece has ended
 *   IDLE and the waiting states --> ENDED                   refused or cancelled
 *   CONCLUDED --> ENDED --> FREEING
 *
 * References are counted on the loop thread: the connection's (until libmicrohttpd has completed
 * the request), the job's (while `work` is open), the reply's (until its bytes are sent). The last
 * release frees the request. */
#ifndef SRV_STATE_REQUEST_H
#define SRV_STATE_REQUEST_H

#include "process/json_member.h"
#include "state/server.h"

#include <assert.h>
#include <stdatomic.h>

/* Replies of writes up to this size, B, are sent regardless of the budget of unsent replies. */
#define SRV_SHORT_REPLY 65536u
/* The body of a refused request up to this size, B, is read and discarded, so that the connection
 * remains open. */
#define SRV_KEEP_BYTES 65536u
/* Number of bytes that are read and discarded after a refusal within a body, before the connection
 * is cut. */
#define SRV_SWALLOW_BYTES 67108864u
/* Bodies up to this size, B, may be parsed on the loop thread, if the call's other inputs are small
 * too. */
#define SRV_INLINE_BODY 4096u
/* Largest number of scenes that are listed on the loop thread. */
#define SRV_INLINE_LIST 64u
/* A streamed body is passed to workers in pieces of at least this size, B, except for the last
 * piece. */
#define SRV_PIECE_BYTES 262144u
/* A client has bodySeconds to read a reply, and as much again for each further unit of this size,
 * B. */
#define SRV_SEND_UNIT_BYTES 16777216u

typedef enum srv_state {
  SRV_STATE_HEAD,    /* the request's handler has not been called yet */
  SRV_STATE_BODY,    /* receiving the body */
  SRV_STATE_SWALLOW, /* the reply is ready, but the rest of the body must be received and discarded
                        first */
  SRV_STATE_WAIT,    /* the body has been received; `work` has not ended yet */
  SRV_STATE_READY,   /* the reply can be sent */
  SRV_STATE_SENT,    /* libmicrohttpd has the reply or, on a progress stream, its beginning */
  SRV_STATE_GONE     /* the client has disconnected */
} srv_state;

typedef enum srv_work {
  SRV_WORK_IDLE,    /* not dispatched yet; or between two waits */
  SRV_WORK_FEEDING, /* a worker reads a piece of a streamed body, or the piece waits for the posted
                       shapes */
  SRV_WORK_REFRESHING,    /* a shared store is queried for newer data */
  SRV_WORK_AWAITS_SHAPES, /* queued until all posted shapes are loaded */
  SRV_WORK_AWAITS_SCENE,  /* queued until the scene is loaded */
  SRV_WORK_AWAITS_TURN,   /* queued behind the scene's earlier writes */
  SRV_WORK_QUEUED,        /* in the pool, before its first piece */
  SRV_WORK_BEGINNING,     /* a worker begins the call, and finishes it if it is short */
  SRV_WORK_RUNNING,       /* workers run ranges of the call */
  SRV_WORK_CANCELLED,     /* a worker still runs a piece; the result will be discarded */
  SRV_WORK_STORING,       /* the store has the write: neither deadline nor client can cancel it */
  SRV_WORK_CONCLUDED, /* the result is accepted; pieces that will find nothing to do still wait for
                         a worker */
  SRV_WORK_ENDED,
  SRV_WORK_FREEING /* a worker frees the call and its inputs */
} srv_work;

/* Progress of the ranges of a call, written by workers. Values only ascend, except from ASSIGNED
 * back to LEFT. */
typedef enum srv_ranges {
  SRV_RANGES_LEFT,
  SRV_RANGES_ASSIGNED, /* no range is left to assign: the running pieces have taken all */
  SRV_RANGES_ENDED,    /* no more ranges will be run */
  SRV_RANGES_FINISHED  /* the reply is complete */
} srv_ranges;

/* State of the call's use of posted shapes. */
typedef enum srv_shape_use {
  SRV_SHAPES_UNSET, /* the call has no table of posted shapes yet */
  SRV_SHAPES_SET,
  SRV_SHAPES_NAMED /* the call may name shapes; it is counted in server->naming until it ends */
} srv_shape_use;

typedef enum srv_reply_kind {
  SRV_REPLY_WHOLE,
  SRV_REPLY_EVENTS,  /* event stream; the call has been freed, and the drain does not wait for the
                        request */
  SRV_REPLY_PROGRESS /* lines that report a running call, then its result */
} srv_reply_kind;

typedef struct srv_buffer {
  char *bytes;
  size_t length, capacity;
} srv_buffer;

typedef struct srv_request {
  srv_job job; /* must be first: the pool gets this address */
  srv_server *server;
  struct MHD_Connection *handle; /* NULL after libmicrohttpd has completed the request */
  srv_connection *connection;
  unsigned references;
  srv_state state;
  srv_work work;

  /* head */
  char id[20];
  char method[16];
  char *uri;         /* raw request target, owned; ends before '?' */
  const char *query; /* text of the URL after the '?', or NULL */
  api_match match;   /* route that matches method and path of the head; label NULL: no route does */
  bool closes;       /* the connection is closed after the reply */

  /* body */
  srv_buffer body; /* bytes of the request body that were received and not yet passed to a worker */
  srv_buffer fed;  /* piece of a streamed body that a worker is reading */
  srv_json_member deadline_peek;
  _Atomic bool feed_failed; /* a worker refused a piece of the body, so the rest of the body is
                               discarded */
  uint64_t bytes_in, swallowed, body_since_ns, body_length;

  /* work */
  api_call *call;
  srv_shape_use shape_use;
  uint64_t named_then;     /* value of server->named when the request retained its table of
                              shapes */
  srv_entry *entry;        /* the scene's entry, as a counted reference; NULL: none */
  srv_lane *lane;          /* lane of the entry, or server->stateless */
  bool creates;            /* the request creates a scene, and the registry has counted the
                              creation */
  bool begun_inline;       /* the loop thread began the call, and a worker runs it */
  char hint[API_HINT_MAX]; /* progress of a snapshot's work, for the text of a timeout */
  unsigned pieces_most;    /* RUNNING: largest number of pieces that may run at once */
  uv_mutex_t ranges_lock;
  unsigned at_work;          /* number of workers that run ranges; under ranges_lock */
  _Atomic srv_ranges ranges; /* ranges of the call that workers may run; written under ranges_lock
                                while several workers run ranges */
  ct_cancel *cancel;
  api_input input;
  const ct_scene **kept;
  srv_retained_queries kept_queries;
  api_scene_entry *scenes; /* GET scenes: the scenes to list */
  size_t scenes_count;
  char new_id[CT_ID_LENGTH_MAX + 1];
  char like_scene[CT_ID_LENGTH_MAX +
                  1]; /* id most similar to that of a scene that does not exist; "": none */
  struct srv_fingerprint *fingerprint; /* running SHA-256 of the body, if the request has an
                                          Idempotency-Key, from which new_id is then derived; else
                                          NULL */
  struct srv_request *next_waiting;    /* next request in the queue that `work` names */
  struct srv_durable *durable;         /* the write of this request to the store; NULL: none */
  unsigned runs;           /* number of times that the store refused the request's write as
                              outdated, after which the call was repeated */
  uint64_t store_revision; /* revision of the scene in a shared store when the request arrived; 0:
                              none */
  uint64_t store_stamp;    /* stamp of store_revision */
  uint64_t input_stamp; /* stamp of the revision on which the call works, or which it cannot read */
  unsigned reloads;     /* number of times that the scene was loaded again, because the revision in
                           memory was older than the store's */

  /* times, ns of uv_hrtime */
  uint64_t arrived_ns; /* time at which the request was received completely; before that, time at
                          which its head was */
  uint64_t ended_ns;
  uint64_t replied_ns;          /* start of the reply */
  _Atomic uint64_t started_ns;  /* time at which the work started; 0: not started yet */
  _Atomic uint64_t deadline_ns; /* deadline of the request; 0: not set yet; a worker may set it when
                                   the call begins */

  /* reply */
  srv_reply_kind reply_kind;
  api_reply refusal; /* reply that the server writes without the API, such as a refusal; owns the
                        body of the reply */
  const api_reply *reply;
  uint64_t reply_bytes; /* number of bytes by which this reply has increased server->reply_bytes */
  uint64_t revision;
  uint64_t checkpoint;           /* last revision that the running call has committed; 0: none */
  struct srv_stream *stream;     /* event stream that is open, or NULL */
  struct srv_progress *progress; /* progress stream, or NULL */
  size_t suspended_place;        /* index in server->suspended, plus 1; 0: not suspended */
  uint64_t suspended_ns;         /* time at which the connection was suspended */
} srv_request;

/* How a wait that `work` names has ended. */
typedef enum srv_outcome {
  SRV_OUTCOME_GOOD,
  SRV_OUTCOME_REFUSED, /* a refusal is the reply */
  SRV_OUTCOME_OUTDATED /* STORING: the store has refused the write, because another one was first */
} srv_outcome;

/* Functions of higher folders that lower folders call. */
typedef struct srv_request_handlers {
  /* Called when the wait that `work` names has ended. */
  void (*resume)(srv_request *request, srv_outcome outcome);
  /* Called when the last reference is released; frees the request. */
  void (*dispose)(srv_request *request);
  /* Creates the call of a request that is repeated, from its head. False: out of memory. */
  bool (*recreate_call)(srv_request *request);
} srv_request_handlers;

/* ---- states --------------------------------------------------------------------------------- */

/* Bit k of entry i is set if the transition from state i to state k is permitted. */
extern const unsigned srv_permitted_states[SRV_STATE_GONE + 1];
extern const unsigned srv_permitted_work[SRV_WORK_FREEING + 1];

static inline void srv_request_set_state(srv_request *request, srv_state state) {
  assert(srv_permitted_states[request->state] & 1u << state);
  request->state = state;
}
static inline void srv_request_set_work(srv_request *request, srv_work work) {
  assert(srv_permitted_work[request->work] & 1u << work);
  request->work = work;
}

/* True while the request has an open job: it is in a queue, on a worker, or in the store. */
static inline bool srv_request_has_job(const srv_request *request) {
  return request->work > SRV_WORK_IDLE && request->work < SRV_WORK_ENDED;
}
/* True if the call commits a change when it ends. */
static inline bool srv_request_writes(const srv_request *request) {
  switch (request->match.target) {
  case API_TARGET_WRITE:
  case API_TARGET_PUT:
  case API_TARGET_DELETE:
  case API_TARGET_CREATE:
  case API_TARGET_SHAPE_WRITE: return true;
  default: return false;
  }
}
/* True if the request has its scene's write slot. */
static inline bool srv_request_is_writer(const srv_request *request) {
  return request->entry && request->entry->writer == request;
}
/* True if server->requests includes the request, so that the drain waits for it. */
static inline bool srv_request_is_counted(const srv_request *request) {
  return request->state != SRV_STATE_HEAD && request->reply_kind != SRV_REPLY_EVENTS;
}
static inline bool srv_request_is_suspended(const srv_request *request) {
  return request->suspended_place > 0;
}

/* ---- life ----------------------------------------------------------------------------------- */

/* Creates a request with one reference, which is the connection's. Copies uri. NULL: out of
 * memory. */
srv_request *srv_request_create(srv_server *server, struct MHD_Connection *handle, const char *uri);
void srv_request_free(srv_request *request);
static inline void srv_request_retain(srv_request *request) {
  assert(request->references > 0);
  request->references++;
}
void srv_request_release(srv_request *request);

/* ---- refusals ------------------------------------------------------------------------------- */

/* Makes a problem document the request's reply. detail: format of its text. */
__attribute__((format(printf, 3, 4))) void
srv_request_refuse(srv_request *request, api_problem_id problem, const char *detail, ...);
/* Adds a header to a refusal. */
void srv_request_refusal_header(srv_request *request, const char *name, const char *value);
/* Refuses the request with the problem deadlineExceeded, after `ms`; names the last checkpoint of
 * the call, and its progress if request->hint has it. */
void srv_request_refuse_overdue(srv_request *request, uint64_t ms);
/* Refuses the request with the problem outOfMemory. */
void srv_request_refuse_memory(srv_request *request);

/* ---- body ----------------------------------------------------------------------------------- */

/* Scans the new bytes of the body for the member "deadlineMs". */
static inline void srv_request_scan_deadline(srv_request *request) {
  srv_json_member_scan(&request->deadline_peek, request->body.bytes, request->body.length);
}
/* True if the request concerns posted shapes, or if its body may name one. The store's shapes must
 * then be loaded before its call begins, or before the first piece of a streamed body is read. */
bool srv_request_needs_shapes(const srv_request *request);

/* ---- queues of waiting requests ------------------------------------------------------------- */

void srv_request_queue_push(srv_request_queue *queue, srv_request *request);
/* Removes the first request of the queue and returns it. NULL: the queue is empty. */
srv_request *srv_request_queue_pop(srv_request_queue *queue);
/* Removes a request from the queue, which must contain it. */
void srv_request_queue_remove(srv_request_queue *queue, srv_request *request);

/* ---- suspension and reply ------------------------------------------------------------------- */

/* Suspends the connection until srv_request_resume. Meanwhile the sweep checks whether its client
 * has left. */
void srv_request_suspend(srv_request *request);
/* Removes the request from the suspended ones without resuming its connection. */
void srv_request_leave_suspended(srv_request *request);
/* Sets the request's state and resumes its connection if that is suspended. */
static inline void srv_request_resume(srv_request *request, srv_state state) {
  srv_request_set_state(request, state);
  if (!srv_request_is_suspended(request)) return;
  srv_request_leave_suspended(request);
  MHD_resume_connection(request->handle);
  srv_server_mark_dirty(request->server);
}
/* Starts the client's deadline for reading a reply of this length. */
static inline void srv_request_expect_reader(srv_request *request, size_t length) {
  srv_connection_phase(request->connection, SRV_PHASE_SEND, uv_hrtime(),
                       request->server->limits->body_seconds * (1 + length / SRV_SEND_UNIT_BYTES));
}

#endif
