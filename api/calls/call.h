/* One call: the state that handlers see, the parsed body, and how replies are made. A route's
 * handler reads the request and either replies (API_STEP_DONE) or leaves work in ranges
 * (API_STEP_WORK). */
#ifndef API_CALLS_CALL_H
#define API_CALLS_CALL_H

#include <api/api.h>
#include <jansson.h>

#include "calls/events.h"
#include "calls/route.h"
#include "calls/service.h"
#include "calls/url.h"
#include "common/arena.h"
#include "common/problem.h"
#include "common/warning.h"
#include "documents/ndjson.h"
#include "shapes/shape_reference.h"
#include "json/fields.h"

/* A streamed body while it arrives: bodies (POST) or merge patches (PATCH, RFC 7396). */
typedef struct api_feed {
  api_ndjson ndjson;
  api_arena arena; /* rewound after each line */
  api_body_list bodies;
  api_patch_lines patches;
  bool used;
} api_feed;

/* Empties a collector of errors; its items need not be cleared. */
static inline void api_faults_clear(api_faults *faults) {
  faults->count = 0;
  faults->alone = false;
}

typedef struct api_plan api_plan;
typedef struct api_contact_event api_contact_event;
typedef struct api_advance api_advance;
typedef struct api_solve api_solve;

/* Operations of a call that leaves work after `begin`. Each handler that may return API_STEP_WORK
 * sets the row of its kind of work with the work's state. */
typedef struct api_work_operations {
  double (*cost)(const api_call *call); /* ns on one core */
  long (*next)(api_call *call);         /* the next range, or -1 */
  void (*run)(api_call *call, long range, api_scratch *scratch);
  void (*done)(api_call *call, long range); /* NULL: nothing to record */
  /* Runs all ranges in order; NULL: next, run and done do it. */
  void (*run_serially)(api_call *call, api_scratch *scratch);
  void (*finish)(api_call *call);                /* writes the reply */
  void (*destroy)(api_call *call);               /* frees the state; NULL: it is in the arena */
  void (*hint)(const api_call *call, char *out); /* NULL: none; see api_call_hint */
  const char *(*progress_lines)(api_call *call, size_t *length); /* NULL: none */
} api_work_operations;

struct api_call {
  const api_service *service;
  const api_route *route;
  api_match match;
  char *query; /* text after '?' in the URL, not decoded; query, if_match and if_none_match are NULL
                  if the request has none */
  char *if_match;
  char *if_none_match;
  api_input input;
  const ct_scene *scene; /* revision of the scene that the call reads: the current one, or an older
                            one that a cursor refers to; borrowed from `input` */
  const ct_scene *next;  /* revision that the call has made and the server commits, owned; NULL:
                            none */
  bool has_checkpoint;   /* `next` is a checkpoint of a call that has not ended */
  const ct_scene *pin;   /* borrowed from the input */
  api_kept_query kept_query;       /* text of the query that a cursor in the reply continues; bytes
                                      NULL: the reply has no cursor; borrowed from `input` */
  const api_kept_query *continued; /* text of the query that the request's cursor continues, used in
                                      place of the request's body; NULL: none */
  json_t *json;                    /* the body */
  const api_work_operations *work; /* work that remains after `begin`; NULL: none. The work's state
                                      is plan, event, advance or solve, whichever is set: */
  api_plan *plan;                  /* queries */
  api_contact_event *event;
  api_advance *advance;
  api_solve *solve; /* a friction or linear complementarity problem given by its matrices (POST
                       /v1/solve/...); in the arena */
  uint64_t deadline_ms;
  api_buffer out; /* the reply's body */
  api_reply reply;
  api_arena arena; /* memory with the lifetime of the call; used by one thread at a time */
  api_feed feed;
  api_event_list events;
  char contact_state[CT_ID_LENGTH_MAX + 1]; /* GET events: id of the contact state whose events are
                                               sent in addition to those of the scene itself; "":
                                               only those of the scene */
  const api_shape *shape;                   /* a new shape, owned */
  bool drops_shape;                         /* deletes the shape match.item_id */
  bool again;                               /* the upload of a shape was accepted earlier and is
                                               repeated from the store's record, so that texts that
                                               older versions accepted remain valid */
  api_shape_scope shapes;                   /* shapes, warnings and faults are large; only their
                                               counts must be initialised */
  api_warnings warnings;
  api_faults faults;
};

api_reader api_call_reader(api_call *call);
/* Parses the body into call->json. False: faults. */
bool api_call_parse(api_call *call, api_field *root);

/* If a body is not valid JSON: appends how to send a file, if the body has the form of a file or
 * the route accepts files. */
void api_suggest_content_type(api_call *call);
/* The format of a file with these first bytes: "STL" or "OBJ"; NULL: neither. */
const char *api_file_kind(const char *bytes, size_t length);

/* Replies with SCENE_NOT_FOUND, BODY_NOT_FOUND or CONTACT_STATE_NOT_FOUND for the id in the path,
 * with a suggestion. */
api_step api_call_not_found(api_call *call, api_problem_id id);
/* Replies with call->faults (not empty) and releases a new revision. */
api_step api_call_fail(api_call *call);
/* Replies with call->out, opened by api_call_open and closed here with "}". */
api_step api_call_send(api_call *call, int status);
/* Replies with call->out unchanged. */
api_step api_call_send_raw(api_call *call, int status);
/* Content type of an NDJSON reply. */
#define API_LINES_TYPE "application/x-ndjson"

/* Turns a finished reply into NDJSON: the body is call->out, the status stays. */
api_step api_call_send_lines(api_call *call);
void api_call_open(api_call *call);
/* Ends a write: seals the draft and replies {revision, durability} after the members already in
 * call->out, or with the fault. */
api_step api_call_commit(api_call *call, ct_draft *draft, int status);
/* Replies like the function above for a revision that is already sealed, given by its number. */
api_step api_call_written(api_call *call, uint64_t revision, int status);

/* Adds a header with a formatted value, cut at the size of api_header.value. */
__attribute__((format(printf, 3, 4))) void api_call_header(api_call *call, const char *name,
                                                           const char *format, ...);
/* Sets the header Location to the scene, or to an item of a collection ("bodies") if item is not
 * NULL. */
void api_call_location(api_call *call, const char *scene, const char *collection, const char *item);
void api_call_etag(api_call *call, uint64_t revision);

/* ---- preconditions -------------------------------------------------------------------------- */

/* Checks that If-None-Match, if sent, is * or a list of entity tags: an unquoted tag would silently
 * match nothing. False: fault BAD_REQUEST (400). */
bool api_call_tags_valid(api_call *call);
/* Checks If-Match and If-None-Match of a write against the current revision; `exists`: the target
 * resource exists. False: fault REVISION_MISMATCH (412). */
bool api_call_may_write(api_call *call, bool exists);
/* True if If-None-Match of a GET names the current revision: the reply is then 304. */
bool api_call_unmodified(const api_call *call);
/* Sets call->scene to the current or older revision that If-Match of a query names. False: fault
 * REVISION_MISMATCH (412). */
bool api_call_pick_revision(api_call *call);
/* The revision that a cursor names; NULL with fault REVISION_GONE. */
const ct_scene *api_call_find_revision(const api_call *call, uint64_t revision, api_faults *faults);

#endif
